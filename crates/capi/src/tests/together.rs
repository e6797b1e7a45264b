//! What ranks see of each other: files, names and pointers that they share, at their own instants; groups of any members that
//! meet; and mistakes that are found before anybody is asked to take part.

use crate::harness::*;
use std::ffi::c_char;

/// What a function says of a file.
fn asked(name: &str, file: usize) -> i64 {
    let mut said = -1_i64;
    assert_eq!(call(&format!("MPI_File_{name}"), words![file, &mut said]), MPI_SUCCESS, "{name}");
    said
}

/// Rank 1 changes something at 1000 ns. Rank 0, which got no message about it, sees it at 1500 and not at 500.
#[test]
fn changes_are_seen_from_their_instant_on() {
    type Change = fn(usize);
    type Look = fn(usize) -> i64;
    let write: Change = |file| mpi!(File_write_at, file, 0, &[7_u8; 8], 8, MPI_BYTE, NULL);
    let pointed: Change = |file| mpi!(File_write_shared, file, &[0_u8; 8], 8, MPI_BYTE, NULL);
    let end: Look = |file| {
        mpi!(File_seek, file, 0, MPI_SEEK_END);
        asked("get_position", file)
    };
    let contents: Look = |file| {
        let (mut got, mut told) = ([0_u8; 8], status());
        mpi!(File_read_at, file, 0, &mut got, 8, MPI_BYTE, &mut told);
        assert_eq!(got[0] == 7, told.bytes() == 8);
        told.bytes() as i64
    };
    let publish: Change = |_| mpi!(Publish_name, c"service", MPI_INFO_NULL, c"port");
    let unpublish: Change = |_| mpi!(Unpublish_name, c"service", MPI_INFO_NULL, c"port");
    let lookup: Look = |_| i64::from(code!(Lookup_name, c"service", MPI_INFO_NULL, &mut [0 as c_char; 1024]));
    let cases: [(&str, Change, Look, [i32; 2]); 6] = [
        ("shared-pointer", pointed, |file| asked("get_position_shared", file), [0, 8]),
        ("size", write, |file| asked("get_size", file), [0, 8]),
        ("end", write, end, [0, 8]),
        ("contents", write, contents, [0, 8]),
        ("names", publish, lookup, [MPI_ERR_NAME, MPI_SUCCESS]),
        ("names-that-go", unpublish, lookup, [MPI_SUCCESS, MPI_ERR_NAME]),
    ];
    for (name, change, look, expected) in cases {
        run(2, move |rank| {
            if rank == 1 && name == "names-that-go" {
                publish(0);
            }
            let mut file = file(WORLD, name);
            if rank == 1 {
                work(1000);
                change(file);
            } else {
                for expected in expected {
                    work(if now() == 0 { 500 } else { 1000 });
                    assert_eq!(look(file), i64::from(expected), "{name} at {}", now());
                }
            }
            mpi!(File_close, &mut file);
        });
    }
}

/// Two groups whose ranks have no pattern meet: by their leaders, by a port, and as one in either order.
#[test]
fn groups_without_a_pattern_meet() {
    const LEFT: [i32; 3] = [4, 0, 1];
    const RIGHT: [i32; 4] = [6, 2, 3, 5];
    run(7, |rank| {
        let is_left = LEFT.contains(&(rank as i32));
        let (own, other): (&[i32], &[i32]) = if is_left { (&LEFT, &RIGHT) } else { (&RIGHT, &LEFT) };
        let key = own.iter().position(|&member| member == rank as i32).unwrap();
        let local = get_handle!(Comm_split, WORLD, usize::from(is_left), key);
        // The leaders are ranks 1 and 3 of theirs.
        let (leader, theirs) = if is_left { (1, RIGHT[3]) } else { (3, LEFT[1]) };
        let both = get_handle!(Intercomm_create, local, leader, WORLD, theirs, 5);
        assert_eq!(members(get_handle!(Comm_remote_group, both)), other);
        assert_eq!(members(get_handle!(Comm_group, both)), own);
        let (mine, mut sum) = (1 << rank, 0);
        mpi!(Allreduce, &mine, &mut sum, 1, MPI_INT, MPI_SUM, both);
        assert_eq!(sum, other.iter().map(|&member| 1 << member).sum::<i32>());
        let alike = |other: usize| get!(Comm_compare, both, other);
        assert_eq!(alike(get_handle!(Comm_dup, both)), MPI_CONGRUENT);
        assert_eq!([both, local, WORLD].map(alike), [MPI_IDENT, MPI_UNEQUAL, MPI_UNEQUAL]);
        assert_eq!(code!(Scan, &mine, &mut sum, 1, MPI_INT, MPI_SUM, both), MPI_ERR_COMM);
        assert_eq!(code!(Bcast, &mut sum, 1, MPI_INT, 7, both), MPI_ERR_ROOT);
        let high = usize::from(is_left);
        let merged = get_handle!(Intercomm_merge, both, high);
        assert_eq!(members(get_handle!(Comm_group, merged)), [&RIGHT[..], &LEFT[..]].concat());
        assert_eq!(get!(Comm_compare, merged, WORLD), MPI_SIMILAR);
        let mut port = [0 as c_char; 1024];
        if rank as i32 == LEFT[1] {
            mpi!(Open_port, MPI_INFO_NULL, &mut port);
        }
        mpi!(Bcast, &mut port, 1024, MPI_CHAR, LEFT[1], WORLD);
        let mut met = MPI_COMM_NULL;
        let words = [(&port).word(), MPI_INFO_NULL, leader as usize, local, (&mut met).word()];
        let name = if is_left { "MPI_Comm_accept" } else { "MPI_Comm_connect" };
        assert_eq!(call(name, &words), MPI_SUCCESS);
        assert_eq!(members(get_handle!(Comm_remote_group, met)), other);
    });
}

/// What a program can know of how it was started, from its own words.
#[test]
fn words_of_the_start() {
    run(1, |_| {
        let words = [c"prog".as_ptr(), c"one".as_ptr(), c"two".as_ptr()];
        for (count, command, arguments) in
            [(3, "prog", Some("one two")), (2, "prog", Some("one")), (1, "prog", None), (0, "", None)]
        {
            let info = get_handle!(Info_create_env, count, &words);
            assert_eq!(hint(info, c"command").as_deref(), Some(command), "{count}");
            assert_eq!(hint(info, c"argv").as_deref(), arguments, "{count}");
            assert_eq!(hint(info, c"maxprocs").as_deref(), Some("1"));
            let folder = std::env::current_dir().unwrap();
            assert_eq!(hint(info, c"wdir").as_deref(), folder.to_str());
            assert_eq!(hint(info, c"thread_level").as_deref(), Some("MPI_THREAD_FUNNELED"));
        }
        let unknown = get_handle!(Info_create_env, 2, NULL);
        assert_eq!((hint(unknown, c"command").as_deref(), hint(unknown, c"argv")), (Some(""), None));
        assert_eq!(hint(MPI_INFO_ENV, c"command").as_deref(), Some("a test"));
        assert_eq!(hint(MPI_INFO_ENV, c"argv"), None);
        // A session returns the hints that it was made with, and what the library adds.
        let hints = get_handle!(Info_create);
        mpi!(Info_set, hints, c"mpi_own", c"5");
        let mut session = get_handle!(Session_init, hints, MPI_ERRORS_RETURN);
        let told = get_handle!(Session_get_info, session);
        assert_eq!(hint(told, c"mpi_own").as_deref(), Some("5"));
        assert_eq!(hint(told, c"thread_level").as_deref(), Some("MPI_THREAD_FUNNELED"));
        assert_eq!(hint(told, c"mpi_memory_alloc_kinds").as_deref(), Some("mpi,system"));
        mpi!(Session_finalize, &mut session);
    });
}

/// What ends a run whose errors are fatal says which call failed, and why.
#[test]
fn mistakes_in_words() {
    type Body = fn();
    let cases: [(Body, &str); 9] = [
        (
            || mpi!(Info_set, get_handle!(Info_create), NULL, c"v"),
            "MPI_Info_set failed: MPI_ERR_INFO_KEY: a key of 0 bytes; 1 to 255 are allowed",
        ),
        (
            || mpi!(Info_set, get_handle!(Info_create), c"k", NULL),
            "MPI_Info_set failed: MPI_ERR_INFO_VALUE: a value of 0 bytes; at most 1023 are allowed",
        ),
        (|| mpi!(Send, &1, -2, MPI_INT, 0, 0, WORLD), "MPI_Send failed: MPI_ERR_COUNT: "),
        (|| mpi!(Send, &1, 1, MPI_INT, 7, 0, WORLD), "MPI_Send failed: MPI_ERR_RANK: "),
        (|| mpi!(Send, &1, 1, MPI_INT, 0, -5, WORLD), "MPI_Send failed: MPI_ERR_TAG: "),
        (|| mpi!(Comm_call_errhandler, WORLD, 77), "it called MPI_Comm_call_errhandler with error code 77"),
        (|| mpi!(Bcast, &mut 1, 1, MPI_INT, 3, WORLD), "MPI_Bcast failed: MPI_ERR_ROOT: "),
        (
            || mpi!(Type_contiguous, 2, MPI_DATATYPE_NULL, &mut 0_usize),
            "MPI_Type_contiguous failed: MPI_ERR_TYPE: ",
        ),
        (
            || mpi!(Comm_free, &mut MPI_COMM_WORLD.clone()),
            "MPI_Comm_free failed: MPI_ERR_ARG: a predefined communicator cannot be freed",
        ),
    ];
    for (body, expected) in cases {
        let ran = Machine::free(1).run(move |_| {
            mpi!(Init, 0, 0);
            body();
            0
        });
        let (_, why) = ran.aborted();
        assert!(why.starts_with(expected), "{why}, and not {expected}");
    }
}

/// Communicators are made of groups while MPI may be called: between its beginning and its end, or while a session is open.
#[test]
fn groups_outlive_their_session() {
    let ran = Machine::free(1).run(|_| {
        let mut session = get_handle!(Session_init, MPI_INFO_NULL, MPI_ERRORS_RETURN);
        let group = get_handle!(Group_from_session_pset, session, c"mpi://SELF");
        let make = |made: &mut usize| {
            code!(Comm_create_from_group, group, c"tag", MPI_INFO_NULL, MPI_ERRORS_RETURN, made)
        };
        let between = |made: &mut usize| {
            let (none, errors) = (MPI_INFO_NULL, MPI_ERRORS_RETURN);
            code!(Intercomm_create_from_groups, group, 0, group, 0, c"tag", none, errors, made)
        };
        let mut made = MPI_COMM_NULL;
        assert_eq!(make(&mut made), MPI_SUCCESS);
        mpi!(Comm_free, &mut made);
        mpi!(Session_finalize, &mut session);
        assert_eq!((make(&mut made), between(&mut made)), (MPI_ERR_OTHER, MPI_ERR_OTHER));
        0
    });
    ran.finished();
}
