//! Rules of the standard for arguments that meet: buffers that overlap, positions in packed buffers, lengths of texts; and what
//! a call leaves when it is over.

use super::forms::{Width, array};
use crate::calls::abi::error_code;
use crate::harness::*;
use std::ffi::c_char;
use weir_message::{FileMistake, MpiError};

/// What is sent and what is received may not be the same memory, unless `MPI_IN_PLACE` says so (MPI 5.0, section 6.1): all ranks
/// of a reduction find it, and of what has a root the root.
#[test]
fn buffers_may_not_be_the_same() {
    run(2, |rank| {
        let mut data = [rank as i32; 8];
        let same = (&mut data).word();
        let (ones, places) = (array(&[1, 1], Width::Int), array(&[0, 1], Width::Int));
        let (o, p) = (ones.word(), places.word());
        let (int, sum) = (MPI_INT, MPI_SUM);
        let (at, types) = (array(&[0, 4], Width::Int), [MPI_INT; 2]);
        let (b, t) = (at.word(), (&types).word());
        let of_all: [(&str, Vec<usize>); 12] = [
            ("Allreduce", vec![same, same, 1, int, sum, WORLD]),
            ("Scan", vec![same, same, 1, int, sum, WORLD]),
            ("Exscan", vec![same, same, 1, int, sum, WORLD]),
            ("Reduce_scatter_block", vec![same, same, 1, int, sum, WORLD]),
            ("Reduce_scatter", vec![same, same, o, int, sum, WORLD]),
            ("Alltoall", vec![same, 1, int, same, 1, int, WORLD]),
            ("Alltoallv", vec![same, o, p, int, same, o, p, int, WORLD]),
            ("Alltoallw", vec![same, o, b, t, same, o, b, t, WORLD]),
            ("Allreduce_init", vec![same, same, 1, int, sum, WORLD, MPI_INFO_NULL, (&mut 0_usize).word()]),
            ("Iallreduce", vec![same, same, 1, int, sum, WORLD, (&mut 0_usize).word()]),
            ("Iscan", vec![same, same, 1, int, sum, WORLD, (&mut 0_usize).word()]),
            ("Ialltoall", vec![same, 1, int, same, 1, int, WORLD, (&mut 0_usize).word()]),
        ];
        for (name, words) in of_all {
            assert_eq!(call(&format!("MPI_{name}"), &words), MPI_ERR_BUFFER, "{name}");
        }
        // At a root of a group of one: where its own block is.
        let alone = MPI_COMM_SELF;
        let at_root: [(&str, Vec<usize>); 7] = [
            ("Reduce", vec![same, same, 1, int, sum, 0, alone]),
            ("Gather", vec![same, 1, int, same, 1, int, 0, alone]),
            ("Gatherv", vec![same, 1, int, same, o, p, int, 0, alone]),
            ("Scatter", vec![same, 1, int, same, 1, int, 0, alone]),
            ("Scatterv", vec![same, o, p, int, same, 1, int, 0, alone]),
            ("Allgather", vec![same, 1, int, same, 1, int, alone]),
            ("Allgatherv", vec![same, 1, int, same, o, p, int, alone]),
        ];
        for (name, words) in at_root {
            assert_eq!(call(&format!("MPI_{name}"), &words), MPI_ERR_BUFFER, "{name}");
        }
        // Of nothing there is nothing to overlap, and what is in place is meant so.
        mpi!(Allreduce, same, same, 0, int, sum, WORLD);
        mpi!(Scan, same, same, 0, int, sum, WORLD);
        mpi!(Allreduce, MPI_IN_PLACE, same, 1, int, sum, WORLD);
        mpi!(Alltoall, same, 0, int, same, 0, int, WORLD);
        assert_eq!(
            data,
            [1, rank as i32, rank as i32, rank as i32, rank as i32, rank as i32, rank as i32, rank as i32]
        );
    });
}

/// A packed buffer has room from the position to its end, and none behind it.
#[test]
fn packed_buffers_end() {
    run(1, |_| {
        let (data, mut packed) = ([1_u8, 2, 3], [0_u8; 8]);
        for (position, bytes, expected) in [
            (0, 3, MPI_SUCCESS),
            (5, 3, MPI_SUCCESS),
            (6, 3, MPI_ERR_TRUNCATE),
            (7, 1, MPI_SUCCESS),
            (8, 1, MPI_ERR_TRUNCATE),
            (9, 1, MPI_ERR_TRUNCATE),
            (8, 0, MPI_SUCCESS),
            (-1, 1, MPI_ERR_ARG),
        ] {
            let mut at = position;
            let code = code!(Pack, &data, bytes, MPI_BYTE, &mut packed, 8, &mut at, WORLD);
            let then = if code == MPI_SUCCESS { position + bytes } else { position };
            assert_eq!((code, at), (expected, then), "{bytes} at {position}");
            let (mut at, mut got) = (position, [0_u8; 3]);
            let code = code!(Unpack, &packed, 8, &mut at, &mut got, bytes, MPI_BYTE, WORLD);
            assert_eq!((code, at), (expected, then), "{bytes} at {position}");
        }
        assert_eq!(code!(Pack, &data, 1, MPI_BYTE, &mut packed, -1, &mut 0, WORLD), MPI_ERR_ARG);
    });
}

/// Texts are cut to the room that the program says it has, and null pointers are mistakes where there is room.
#[test]
fn texts_are_cut_to_their_room() {
    run(1, |_| {
        let info = get_handle!(Info_create);
        mpi!(Info_set, info, c"key", c"value");
        let string = |room: i32, value: usize| {
            let (mut length, mut flag) = (room, -1);
            (code!(Info_get_string, info, c"key", &mut length, value, &mut flag), length, flag)
        };
        for room in [0, 1, 2, 5, 6, 7] {
            let mut value = [b'x' as c_char; 8];
            assert_eq!(string(room, (&mut value).word()), (MPI_SUCCESS, 6, 1));
            let kept = usize::try_from(room - 1).map_or(0, |room| room.min(5));
            let seen: Vec<u8> = value.iter().map(|&byte| byte as u8).collect();
            assert_eq!(&seen[..kept], &b"value"[..kept]);
            assert_eq!(seen[kept], if room == 0 { b'x' } else { 0 }, "room for {room}");
        }
        assert_eq!(string(0, NULL), (MPI_SUCCESS, 6, 1));
        assert_eq!((string(1, NULL).0, string(9, NULL).0), (MPI_ERR_ARG, MPI_ERR_ARG));
        assert_eq!(string(-3, NULL), (MPI_SUCCESS, 6, 1), "no room");
        // A length that does not count the closing zero.
        for (length, seen) in [(0, ""), (1, "v"), (5, "value"), (6, "value")] {
            let (mut value, mut flag) = ([b'x' as c_char; 8], 0);
            mpi!(Info_get, info, c"key", length, &mut value, &mut flag);
            assert_eq!((flag, text(&value).as_str()), (1, seen));
        }
        assert_eq!(code!(Info_get, info, c"key", -1, &mut [0 as c_char; 8], &mut 0), MPI_ERR_ARG);
        for (key, expected) in [(c"key", (5, 1)), (c"other", (-1, 0))] {
            let (mut length, mut flag) = (-1, -1);
            mpi!(Info_get_valuelen, info, key, &mut length, &mut flag);
            assert_eq!((length, flag), expected, "{key:?}");
        }
    });
}

/// Every call that ends an access ends it: what was fetched is there, and where the other rank takes part, what was put is there
/// (MPI 5.0, section 12.5).
#[test]
fn accesses_are_over_after_their_synchronization() {
    type Step = fn(usize);
    let nothing: Step = |_| ();
    let lock: Step = |win| mpi!(Win_lock, MPI_LOCK_SHARED, 1, 0, win);
    let lock_all: Step = |win| mpi!(Win_lock_all, 0, win);
    let unlock_all: Step = |win| mpi!(Win_unlock_all, win);
    let fence: Step = |win| mpi!(Win_fence, 0, win);
    let last: Step = |win| mpi!(Win_fence, MPI_MODE_NOSUCCEED, win);
    let start: Step = |win| mpi!(Win_start, group_of(1), 0, win);
    let complete: Step = |win| mpi!(Win_complete, win);
    let post: Step = |win| mpi!(Win_post, group_of(0), 0, win);
    let test: Step = |win| {
        let mut flag = 0;
        while flag == 0 {
            mpi!(Win_test, win, &mut flag);
        }
        assert_eq!(code!(Win_wait, win), MPI_ERR_RMA_SYNC, "it is over");
    };
    // Before and behind the accesses of rank 0, then the end of its epoch; what the other does.
    let cases: [([Step; 3], Option<[Step; 2]>); 9] = [
        ([fence, last, nothing], Some([fence, last])),
        ([start, complete, nothing], Some([post, |win| mpi!(Win_wait, win)])),
        ([start, complete, nothing], Some([post, test])),
        ([lock, |win| mpi!(Win_unlock, 1, win), nothing], None),
        ([lock_all, unlock_all, nothing], None),
        ([lock_all, |win| mpi!(Win_flush, 1, win), unlock_all], None),
        ([lock_all, |win| mpi!(Win_flush_all, win), unlock_all], None),
        ([lock_all, |win| mpi!(Win_flush_local, 1, win), unlock_all], None),
        ([lock_all, |win| mpi!(Win_flush_local_all, win), unlock_all], None),
    ];
    for (number, ([before, behind, end], other)) in cases.into_iter().enumerate() {
        timed(2, move |rank| {
            let (mut win, base) = allocated::<i64>(16, 8);
            // SAFETY: two longs are there.
            unsafe { *base = 70 + rank as i64 };
            mpi!(Barrier, WORLD);
            let mut got = 0_i64;
            if rank == 0 {
                before(win);
                mpi!(Get, &mut got, 1, MPI_LONG, 1, 0, 1, MPI_LONG, win);
                mpi!(Put, &99_i64, 1, MPI_LONG, 1, 1, 1, MPI_LONG, win);
                behind(win);
                assert_eq!(got, 71, "case {number}");
                end(win);
            } else if let Some([begin, end]) = other {
                work(2000);
                begin(win);
                end(win);
                // SAFETY: as above.
                assert_eq!(unsafe { *base.add(1) }, 99, "case {number}");
            }
            mpi!(Win_free, &mut win);
        });
    }
}

/// Whoever looks in vain sleeps: 100 ns, then 200, then 400, with every function that looks.
#[test]
fn looks_in_vain_take_time() {
    for number in 0..12 {
        run(1, move |_| {
            let (mut got, mut flag, mut index, mut message) = (0_i64, -1, 0, MPI_MESSAGE_NULL);
            let win = get_handle!(Win_create_dynamic, MPI_INFO_NULL, WORLD);
            mpi!(Win_post, get_handle!(Comm_group, WORLD), 0, win);
            let mut kept = MPI_REQUEST_NULL;
            mpi!(Precv_init, &mut got, 1, 1, MPI_LONG, 0, 5, WORLD, MPI_INFO_NULL, &mut kept);
            mpi!(Start, &mut kept);
            let mut request = get_handle!(Irecv, &mut got, 1, MPI_LONG, 0, 0, WORLD);
            let (one, at, i) = ((&mut request).word(), (&mut flag).word(), (&mut index).word());
            let looks: [(&str, &[usize]); 12] = [
                ("Test", &[one, at, NULL]),
                ("Testall", &[1, one, at, NULL]),
                ("Testany", &[1, one, i, at, NULL]),
                ("Testsome", &[1, one, at, i, NULL]),
                ("Request_get_status", &[request, at, NULL]),
                ("Request_get_status_all", &[1, one, at, NULL]),
                ("Request_get_status_any", &[1, one, i, at, NULL]),
                ("Request_get_status_some", &[1, one, at, i, NULL]),
                ("Iprobe", &[0, 0, WORLD, at, NULL]),
                ("Improbe", words![0, 0, WORLD, at, &mut message, NULL]),
                ("Win_test", &[win, at]),
                ("Parrived", &[kept, 0, at]),
            ];
            let (name, words) = looks[number];
            // Something wakes the rank from its first sleep: the window is exposed.
            let seen: Vec<u64> = (0..5)
                .map(|_| {
                    assert_eq!((call(&format!("MPI_{name}"), words), flag), (MPI_SUCCESS, 0), "{name}");
                    now()
                })
                .collect();
            assert_eq!(seen, [0, 200, 600, 1400, 3000], "{name}");
        });
    }
}

/// Statuses hold more bytes than an int, and count whole elements and started ones.
#[test]
fn fields_of_statuses() {
    run(1, |_| {
        let pair = get_handle!(Type_contiguous, 2, MPI_LONG);
        let (mut told, mut found) = (status(), -1_i64);
        for count in [0, 1, (1 << 31) - 1, 1 << 31, (1 << 32) + 7, (5 << 33) + 3, 1 << 40] {
            mpi!(Status_set_elements_x, &mut told, MPI_BYTE, count);
            mpi!(Get_elements_x, &told, MPI_BYTE, &mut found);
            assert_eq!((found, told.bytes()), (count, count as u64));
            let short = i32::try_from(count).unwrap_or(MPI_UNDEFINED);
            assert_eq!(get!(Get_elements, &told, MPI_BYTE), short);
            mpi!(Get_count_c, &told, MPI_BYTE, &mut found);
            assert_eq!(found, count);
            // Pairs of longs: whole ones only.
            mpi!(Get_count_c, &told, pair, &mut found);
            assert_eq!(found, if count % 16 == 0 { count / 16 } else { MPI_UNDEFINED.into() });
            mpi!(Get_elements_x, &told, pair, &mut found);
            assert_eq!(found, if count % 8 == 0 { count / 8 } else { MPI_UNDEFINED.into() });
            mpi!(Status_set_elements_c, &mut told, pair, count);
            for cancelled in [2, 0] {
                mpi!(Status_set_cancelled, &mut told, cancelled);
                let seen = (told.bytes(), get!(Test_cancelled, &told));
                assert_eq!(seen, (8 * count as u64, i32::from(cancelled > 0)));
            }
        }
        // Seven ints are three pairs and a half.
        let pair = committed(get_handle!(Type_contiguous, 2, MPI_INT));
        mpi!(Status_set_elements, &mut told, MPI_INT, 7);
        assert_eq!((get!(Get_count, &told, pair), get!(Get_elements, &told, pair)), (MPI_UNDEFINED, 7));
        assert_eq!((get!(Get_count, &told, MPI_INT), get!(Get_elements, &told, MPI_INT)), (7, 7));
        assert_eq!(get!(Get_count, &told, MPI_DOUBLE), MPI_UNDEFINED);
        mpi!(Status_set_elements, &mut told, pair, 7);
        assert_eq!((told.bytes(), get!(Get_count, &told, pair)), (28, MPI_UNDEFINED));
        let nothing = get_handle!(Type_contiguous, 0, MPI_INT);
        assert_eq!(get!(Get_count, &told, nothing), MPI_UNDEFINED);
        told.set_bytes(0);
        assert_eq!(get!(Get_count, &told, nothing), 0);
    });
}

/// Accesses to a dynamic window are where their datatypes say: before or behind the address that is named.
#[test]
fn places_in_dynamic_windows() {
    run(1, |_| {
        let mut win = get_handle!(Win_create_dynamic, MPI_INFO_NULL, WORLD);
        mpi!(Win_set_errhandler, win, MPI_ERRORS_RETURN);
        let mut memory = [0_i64; 6];
        let base = (&mut memory).word();
        // Longs 2 and 3 only.
        mpi!(Win_attach, win, base + 16, 16);
        mpi!(Win_lock, MPI_LOCK_SHARED, 0, 0, win);
        for (displacement, at, is_inside) in [
            (16, 0, true),
            (8, 8, true),
            (0, 8, false),
            (-8, 24, true),
            (-8, 16, false),
            (16, 8, true),
            (24, 8, false),
            (8, 24, false),
        ] {
            let mut shifted = 0_usize;
            mpi!(Type_create_hindexed, 1, &[1], &[displacement as isize], MPI_LONG, &mut shifted);
            mpi!(Type_commit, &mut shifted);
            mpi!(Put, &7_i64, 1, MPI_LONG, 0, base + at, 1, shifted, win);
            let expected = if is_inside { MPI_SUCCESS } else { MPI_ERR_RMA_RANGE };
            assert_eq!(code!(Win_flush, 0, win), expected, "{displacement} from {at}");
            let place = (at as i64 + displacement) as usize / 8;
            let now = std::mem::take(&mut memory[place.min(5)]);
            assert_eq!(now, if is_inside { 7 } else { 0 }, "{displacement} from {at}");
        }
        mpi!(Win_unlock, 0, win);
        mpi!(Win_free, &mut win);
    });
}

/// The null pointer is the address of no data, unless the datatype holds addresses (`MPI_BOTTOM`).
#[test]
fn null_pointers_hold_nothing() {
    run(1, |_| {
        let spread = committed(get_handle!(Type_vector, 2, 1, 2, MPI_INT));
        let refused = |count: i32, datatype: usize| {
            [
                code!(Sendrecv, NULL, count, datatype, 0, 0, &mut [0; 4], 4, MPI_INT, 0, 0, WORLD, NULL),
                code!(Bcast, NULL, count, datatype, 0, WORLD),
                code!(Recv, NULL, count, datatype, MPI_PROC_NULL, 0, WORLD, NULL),
            ]
        };
        assert_eq!(refused(1, MPI_BYTE), [MPI_ERR_BUFFER; 3]);
        assert_eq!(refused(1, spread), [MPI_ERR_BUFFER; 3]);
        assert_eq!(refused(0, MPI_BYTE), [MPI_SUCCESS; 3]);
        assert_eq!(refused(0, spread), [MPI_SUCCESS; 3]);
        let (from, mut into) = ([5_i32, 6], [0_i32; 2]);
        let (mut source, mut place) = (0_usize, 0_usize);
        mpi!(Type_create_hindexed, 1, &[2], &[(&from).word()], MPI_INT, &mut source);
        mpi!(Type_create_hindexed, 1, &[2], &[(&mut into).word()], MPI_INT, &mut place);
        mpi!(Type_commit, &mut source);
        mpi!(Type_commit, &mut place);
        mpi!(Sendrecv, NULL, 1, source, 0, 0, NULL, 1, place, 0, 0, WORLD, NULL);
        assert_eq!(into, [5, 6]);
    });
}

/// `MPI_IN_PLACE` is not for intercommunicators, with any collective (MPI 5.0, section 6.2.3).
#[test]
fn nothing_is_in_place_between_groups() {
    run(2, |rank| {
        let local = get_handle!(Comm_split, WORLD, rank, 0);
        let both = get_handle!(Intercomm_create, local, 0, WORLD, 1 - rank, 9);
        errors_return(both);
        let mut data = [0_i32; 8];
        let (here, into) = (MPI_IN_PLACE, (&mut data).word());
        let (ones, zero) = ([1_i32], [0_i32]);
        let (o, z, int, sum) = ((&ones).word(), (&zero).word(), MPI_INT, MPI_SUM);
        let types = [MPI_INT];
        let t = (&types).word();
        let root = if rank == 0 { MPI_ROOT as usize } else { 0 };
        // What the root gets, or gives, and what the others do.
        let gets = |words: [usize; 2]| if rank == 0 { words[0] } else { words[1] };
        let calls: [(&str, Vec<usize>); 14] = [
            ("Alltoallv", vec![here, z, z, int, into, z, z, int, both]),
            ("Alltoallv", vec![into, z, z, int, here, z, z, int, both]),
            ("Alltoallw", vec![here, z, z, t, into, z, z, t, both]),
            ("Alltoallw", vec![into, z, z, t, here, z, z, t, both]),
            ("Allreduce", vec![here, into, 1, int, sum, both]),
            ("Allgather", vec![here, 1, int, into, 1, int, both]),
            ("Allgatherv", vec![here, 1, int, into, o, z, int, both]),
            ("Alltoall", vec![here, 1, int, into, 1, int, both]),
            ("Alltoallv", vec![here, o, z, int, into, o, z, int, both]),
            ("Alltoallw", vec![here, o, z, t, into, o, z, t, both]),
            ("Reduce_scatter_block", vec![here, into, 1, int, sum, both]),
            ("Reduce_scatter", vec![here, into, o, int, sum, both]),
            ("Bcast", vec![here, 1, int, root, both]),
            ("Gather", vec![gets([into, here]), 1, int, gets([here, into]), 1, int, root, both]),
        ];
        for (name, words) in calls {
            assert_eq!(call(&format!("MPI_{name}"), &words), MPI_ERR_BUFFER, "{name}");
        }
    });
}

/// Mistakes of files that no test can make have their classes, too.
#[test]
fn mistakes_of_files_have_classes() {
    let of_files = [
        (FileMistake::Access, MPI_ERR_ACCESS),
        (FileMistake::AccessMode, MPI_ERR_AMODE),
        (FileMistake::Name, MPI_ERR_BAD_FILE),
        (FileMistake::Conversion, MPI_ERR_CONVERSION),
        (FileMistake::KnownRepresentation, MPI_ERR_DUP_DATAREP),
        (FileMistake::Exists, MPI_ERR_FILE_EXISTS),
        (FileMistake::InUse, MPI_ERR_FILE_IN_USE),
        (FileMistake::Handle, MPI_ERR_FILE),
        (FileMistake::NotSame, MPI_ERR_NOT_SAME),
        (FileMistake::NoSpace, MPI_ERR_NO_SPACE),
        (FileMistake::NoSuchFile, MPI_ERR_NO_SUCH_FILE),
        (FileMistake::Quota, MPI_ERR_QUOTA),
        (FileMistake::ReadOnly, MPI_ERR_READ_ONLY),
        (FileMistake::Representation, MPI_ERR_UNSUPPORTED_DATAREP),
        (FileMistake::Operation, MPI_ERR_UNSUPPORTED_OPERATION),
    ];
    for (mistake, class) in of_files {
        assert_eq!(error_code(&MpiError::OfFile { mistake, what: "what".into() }), class, "{mistake:?}");
    }
}
