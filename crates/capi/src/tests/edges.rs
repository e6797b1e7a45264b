//! Arguments at an edge: the largest words, the shortest elements, nobody, nothing.

use super::forms::{Width, array};
use crate::harness::*;
use std::cell::Cell;
use std::ffi::{CStr, c_char};

const WORLD: usize = MPI_COMM_WORLD;

/// Colours, keys and weights are whole ints.
#[test]
fn ints_are_whole() {
    run(5, |rank| {
        // Each differs from 0 in another byte.
        let colour = [0, 1, 1 << 8, 1 << 16, 1 << 24][rank];
        assert_eq!(size_of(get_handle!(Comm_split, WORLD, colour, 0)), 1);
        let key = [1 << 24, 1 << 16, 1 << 8, -1, 0][rank];
        let part = get_handle!(Comm_split, WORLD, 0, key);
        assert_eq!(rank_in(part), [4, 3, 2, 0, 1][rank]);
        let weight = 0x0102_0304 * (rank as i32 + 1);
        let (next, one, info) = ([(rank as i32 + 1) % 5], [1], MPI_INFO_NULL);
        let made = get_handle!(Dist_graph_create, WORLD, 1, &[rank as i32], &one, &next, &[weight], info, 0);
        let (mut from, mut to, mut came, mut goes) = ([-1], [-1], [-1], [-1]);
        mpi!(Dist_graph_neighbors, made, 1, &mut from, &mut came, 1, &mut to, &mut goes);
        let before = (rank + 4) % 5;
        assert_eq!((from, came), ([before as i32], [0x0102_0304 * (before as i32 + 1)]));
        assert_eq!((to, goes), (next, [weight]));
    });
}

/// Ranks in ranges, up and down, alone and with others between; and none where a range ends before it begins.
#[test]
fn ranges_of_ranks() {
    run(6, |_| {
        let world = get_handle!(Comm_group, WORLD);
        let cases: [([i32; 3], &[i32]); 9] = [
            ([1, 3, 1], &[1, 2, 3]),
            ([3, 1, -1], &[3, 2, 1]),
            ([0, 5, 2], &[0, 2, 4]),
            ([5, 0, -2], &[5, 3, 1]),
            ([2, 2, 1], &[2]),
            ([2, 2, -1], &[2]),
            ([2, 2, 7], &[2]),
            ([3, 1, 1], &[]),
            ([1, 3, -1], &[]),
        ];
        for (range, expected) in cases {
            let mut group = get_handle!(Group_range_incl, world, 1, &range);
            let size = get!(Group_size, group);
            let own: Vec<i32> = (0..size).collect();
            let mut there = vec![-1; own.len()];
            mpi!(Group_translate_ranks, group, size, &own[..], world, &mut there[..]);
            assert_eq!(there, expected, "{range:?}");
            mpi!(Group_free, &mut group);
            let mut others = get_handle!(Group_range_excl, world, 1, &range);
            assert_eq!(get!(Group_size, others), 6 - expected.len() as i32);
            if others != MPI_GROUP_EMPTY {
                mpi!(Group_free, &mut others);
            }
        }
        for name in ["MPI_Group_range_incl", "MPI_Group_range_excl"] {
            let mut made = 0_usize;
            let range = [1, 3, 0];
            assert_eq!(call(name, &[world, 1, (&range).word(), (&mut made).word()]), MPI_ERR_ARG);
        }
    });
}

/// Beyond an open end nobody is written to, not even a byte; and who has no neighbours needs no arrays.
#[test]
fn nobody_beyond_an_open_end() {
    run(2, |rank| {
        let line = get_handle!(Cart_create, WORLD, 1, &[2], &[0], 0);
        let (given, mut got) = ([rank as u8 + 1; 2], [90_u8; 2]);
        let (ones, places) = (array(&[1, 1], Width::Int), array(&[0, 1], Width::Int));
        let (o, p, types) = (ones.word(), places.word(), [MPI_BYTE; 2]);
        let expected = if rank == 0 { [90, 2] } else { [1, 90] };
        mpi!(Neighbor_alltoallv, &given, o, p, MPI_BYTE, &mut got, o, p, MPI_BYTE, line);
        assert_eq!(got, expected);
        got = [90; 2];
        mpi!(Neighbor_allgatherv, &given, 1, MPI_BYTE, &mut got, o, p, MPI_BYTE, line);
        assert_eq!(got, expected);
        got = [90; 2];
        mpi!(Neighbor_alltoall, &given, 1, MPI_BYTE, &mut got, 1, MPI_BYTE, line);
        assert_eq!(got, expected);
        got = [90; 2];
        mpi!(Neighbor_allgather, &given, 1, MPI_BYTE, &mut got, 1, MPI_BYTE, line);
        assert_eq!(got, expected);
        let bytes = [0_i64, 1];
        let (b, t) = ((&bytes).word(), (&types).word());
        got = [90; 2];
        mpi!(Neighbor_alltoallw, &given, o, b, t, &mut got, o, b, t, line);
        assert_eq!(got, expected);
        let info = MPI_INFO_NULL;
        let alone = get_handle!(Dist_graph_create_adjacent, WORLD, 0, NULL, NULL, 0, NULL, NULL, info, 0);
        let n = NULL;
        mpi!(Neighbor_alltoallw, n, n, n, n, n, n, n, n, alone);
        mpi!(Neighbor_alltoallv, n, n, n, MPI_INT, n, n, n, MPI_INT, alone);
        mpi!(Neighbor_alltoall, n, 0, MPI_INT, n, 0, MPI_INT, alone);
        mpi!(Neighbor_allgather, n, 0, MPI_INT, n, 0, MPI_INT, alone);
    });
}

thread_local! {
    static LENGTHS: Cell<(i32, u32)> = const { Cell::new((0, 0)) };
}

extern "C" fn adds_bytes(from: *const u8, into: *mut u8, length: *const i32, _: usize) {
    // SAFETY: the library gives so many bytes.
    unsafe {
        let (elements, calls) = LENGTHS.get();
        LENGTHS.set((elements + *length, calls + 1));
        (0..*length as usize).for_each(|place| *into.add(place) += *from.add(place));
    }
}

/// Operations of the program get as many elements as there are in one call, of the shortest type, too.
#[test]
fn operations_on_bytes() {
    run(1, |_| {
        let op = get_handle!(Op_create, adds_bytes as *const (), 1);
        let mut into = [10_u8, 20, 30, 40, 50];
        mpi!(Reduce_local, &[1_u8, 2, 3, 4, 5], &mut into, 5, MPI_BYTE, op);
        assert_eq!((into, LENGTHS.take()), ([11, 22, 33, 44, 55], (5, 1)));
    });
}

/// Pairs end behind their second element, which lies where a C compiler puts it.
#[test]
fn pairs_end_behind_their_second_element() {
    run(1, |_| {
        for (datatype, expected) in [
            (MPI_FLOAT_INT, 8),
            (MPI_DOUBLE_INT, 12),
            (MPI_LONG_INT, 12),
            (MPI_2INT, 8),
            (MPI_SHORT_INT, 8),
            (MPI_LONG_DOUBLE_INT, 20),
            (MPI_2REAL, 8),
            (MPI_2DOUBLE_PRECISION, 16),
            (MPI_2INTEGER, 8),
        ] {
            let (mut lower, mut extent) = (-1_i64, -1_i64);
            mpi!(Type_get_true_extent, datatype, &mut lower, &mut extent);
            assert_eq!((lower, extent), (0, expected), "{datatype:#x}");
        }
    });
}

/// A communicator that is freed is one to nobody either.
#[test]
fn nobody_is_asked_on_a_communicator() {
    run(1, |_| {
        let mut comm = get_handle!(Comm_dup, WORLD);
        let freed = comm;
        mpi!(Comm_free, &mut comm);
        let nobody = MPI_PROC_NULL as usize;
        let (mut flag, mut message, mut request) = (0, MPI_MESSAGE_NULL, MPI_REQUEST_NULL);
        let (flag, message, request) = ((&mut flag).word(), (&mut message).word(), (&mut request).word());
        let mut data = [0; 2];
        let data = (&mut data).word();
        let calls: [(&str, Vec<usize>); 10] = [
            ("Probe", vec![nobody, 0, freed, NULL]),
            ("Iprobe", vec![nobody, 0, freed, flag, NULL]),
            ("Mprobe", vec![nobody, 0, freed, message, NULL]),
            ("Improbe", vec![nobody, 0, freed, flag, message, NULL]),
            ("Send", vec![data, 1, MPI_INT, nobody, 0, freed]),
            ("Recv", vec![data, 1, MPI_INT, nobody, 0, freed, NULL]),
            ("Isend", vec![data, 1, MPI_INT, nobody, 0, freed, request]),
            ("Irecv", vec![data, 1, MPI_INT, nobody, 0, freed, request]),
            ("Send_init", vec![data, 1, MPI_INT, nobody, 0, freed, request]),
            ("Recv_init", vec![data, 1, MPI_INT, nobody, 0, freed, request]),
        ];
        for (name, words) in calls {
            assert_eq!(call(&format!("MPI_{name}"), &words), MPI_ERR_COMM, "{name}");
        }
    });
}

/// Nothing needs no packed buffer.
#[test]
fn nothing_is_packed_nowhere() {
    run(1, |_| {
        let mut position = 0;
        mpi!(Pack, NULL, 0, MPI_INT, NULL, 0, &mut position, WORLD);
        mpi!(Unpack, NULL, 0, &mut position, NULL, 0, MPI_INT, WORLD);
        let mut long = 0_i64;
        mpi!(Pack_external, c"external32", NULL, 0, MPI_INT, NULL, 0, &mut long);
        mpi!(Unpack_external, c"external32", NULL, 0, &mut long, NULL, 0, MPI_INT);
        assert_eq!((position, long), (0, 0));
        assert_eq!(code!(Pack, &1, 1, MPI_INT, NULL, 4, &mut position, WORLD), MPI_ERR_BUFFER);
    });
}

thread_local! {
    static DELETED: Cell<u32> = const { Cell::new(0) };
}

extern "C" fn deletes(_: usize, _: i32, _: usize, _: usize) -> i32 {
    DELETED.set(DELETED.get() + 1);
    MPI_SUCCESS
}

/// What cannot be freed keeps its attributes.
#[test]
fn attributes_stay_with_what_stays() {
    run(1, |_| {
        let mut key = -1;
        mpi!(Comm_create_keyval, 0, deletes as *const (), &mut key, 0);
        mpi!(Comm_set_attr, WORLD, key, 5);
        let mut world = WORLD;
        assert_ne!(code!(Comm_free, &mut world), MPI_SUCCESS);
        assert_ne!(code!(Comm_disconnect, &mut world), MPI_SUCCESS);
        let (mut value, mut flag) = (0_usize, 0);
        mpi!(Comm_get_attr, WORLD, key, &mut value, &mut flag);
        assert_eq!((world, value, flag, DELETED.take()), (WORLD, 5, 1, 0));
        mpi!(Comm_delete_attr, WORLD, key);
        assert_eq!(DELETED.take(), 1);
        // A pointer to the largest error code sees the next one.
        let mut place = std::ptr::null::<i32>();
        mpi!(Comm_get_attr, WORLD, MPI_LASTUSEDCODE, &mut place, &mut flag);
        // SAFETY: the library's variable.
        let last = || unsafe { place.read_volatile() };
        assert_eq!(last(), MPI_ERR_LASTCODE);
        let class = get!(Add_error_class);
        assert_eq!((class, last()), (MPI_ERR_LASTCODE + 1, MPI_ERR_LASTCODE + 1));
        assert_eq!((get!(Add_error_code, class), last()), (MPI_ERR_LASTCODE + 2, MPI_ERR_LASTCODE + 2));
    });
}

/// Values as long as they may be, and one byte longer: the room is for 1024 with the closing zero.
#[test]
fn values_that_are_too_long_are_not_returned() {
    for (length, is_told) in [(1022, true), (1023, true), (1024, false)] {
        let mut machine = Machine::free(1);
        machine.options.programs[0].args = vec!["x".repeat(length).into()];
        let ran = machine.run_mpi(move |_| {
            let (mut value, mut flag) = ([0 as c_char; 1024], 0);
            mpi!(Info_get, MPI_INFO_ENV, c"argv", 1023, &mut value, &mut flag);
            assert_eq!((flag != 0, text(&value).len()), (is_told, if is_told { length } else { 0 }));
        });
        ran.finished();
    }
}

/// Of the kinds of memory that a program promises to use alone it gets the ones that are there (MPI 5.0, section 12.4.3).
#[test]
fn kinds_of_memory_that_are_promised() {
    run(1, |_| {
        let key = c"mpi_assert_memory_alloc_kinds";
        for (promised, expected) in
            [(Some(c"system,cuda"), Some("system")), (Some(c"cuda"), None), (None, None)]
                as [(Option<&CStr>, _); 3]
        {
            let info = get_handle!(Info_create);
            if let Some(promised) = promised {
                mpi!(Info_set, info, key, promised);
            }
            let comm = get_handle!(Comm_dup_with_info, WORLD, info);
            let told = get_handle!(Comm_get_info, comm);
            let (mut value, mut flag) = ([0 as c_char; 64], 0);
            mpi!(Info_get, told, key, 63, &mut value, &mut flag);
            assert_eq!((flag != 0).then(|| text(&value)).as_deref(), expected, "{promised:?}");
            mpi!(Info_get, told, c"mpi_memory_alloc_kinds", 63, &mut value, &mut flag);
            assert_eq!((flag, text(&value).as_str()), (1, "mpi,system"));
        }
    });
}

/// A communicator of nobody is none (MPI 5.0, section 7.4.2).
#[test]
fn communicators_of_nobody() {
    run(1, |_| {
        let (mut made, none, nobody) = (7_usize, MPI_INFO_NULL, MPI_GROUP_EMPTY);
        mpi!(Comm_create_from_group, nobody, c"tag", none, MPI_ERRORS_RETURN, &mut made);
        assert_eq!(made, MPI_COMM_NULL);
        made = 7;
        mpi!(Comm_create_group, WORLD, nobody, 3, &mut made);
        assert_eq!(made, MPI_COMM_NULL);
    });
}

/// Sleeps are over when their time has passed, and nothing of it is left.
#[test]
fn sleeps_leave_nothing() {
    run(1, |_| {
        let int = |name: &str, words: &[usize]| call_unchecked(name, words) as i32;
        assert_eq!((int("__wrap_sleep", &[3]), now()), (0, 3_000_000_000));
        assert_eq!((int("__wrap_usleep", &[5]), now()), (0, 3_000_005_000));
        let mut time = libc::timespec { tv_sec: -5, tv_nsec: -5 };
        assert_eq!(int("__wrap_timespec_get", &[(&mut time).word(), 77]), 0, "there is no such clock");
    });
}
