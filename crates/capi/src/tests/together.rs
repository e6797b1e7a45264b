//! What ranks see of each other: files, names and pointers that they share, at their own instants; groups of any members that
//! meet; and mistakes that are found before anybody is asked to take part.

use crate::harness::*;
use std::ffi::{CStr, c_char};

/// Rank 1 changes something at 1000 ns. Rank 0, which got no message about it, sees it at 1500 and not at 500.
#[test]
fn changes_are_seen_from_their_instant_on() {
    type Change = fn(usize);
    type Look = fn(usize) -> bool;
    let cases: [(&str, Change, Look); 5] = [
        (
            "shared-pointer",
            |file| mpi!(File_write_shared, file, &[0_u8; 8], 8, MPI_BYTE, NULL),
            |file| {
                let mut position = -1_i64;
                mpi!(File_get_position_shared, file, &mut position);
                assert!([0, 8].contains(&position));
                position == 8
            },
        ),
        (
            "size",
            |file| mpi!(File_write_at, file, 0, &[0_u8; 8], 8, MPI_BYTE, NULL),
            |file| {
                let mut size = -1_i64;
                mpi!(File_get_size, file, &mut size);
                assert!([0, 8].contains(&size));
                size == 8
            },
        ),
        (
            "end",
            |file| mpi!(File_write_at, file, 0, &[0_u8; 8], 8, MPI_BYTE, NULL),
            |file| {
                let mut position = -1_i64;
                mpi!(File_seek, file, 0, MPI_SEEK_END);
                mpi!(File_get_position, file, &mut position);
                assert!([0, 8].contains(&position));
                position == 8
            },
        ),
        (
            "contents",
            |file| mpi!(File_write_at, file, 0, &[7_u8; 8], 8, MPI_BYTE, NULL),
            |file| {
                let (mut got, mut told) = ([0_u8; 8], status());
                mpi!(File_read_at, file, 0, &mut got, 8, MPI_BYTE, &mut told);
                assert_eq!(got[0] == 7, told.bytes() == 8);
                got[0] == 7
            },
        ),
        (
            "names",
            |_| mpi!(Publish_name, c"service", MPI_INFO_NULL, c"port"),
            |_| {
                let code = code!(Lookup_name, c"service", MPI_INFO_NULL, &mut [0 as c_char; 1024]);
                assert!([MPI_SUCCESS, MPI_ERR_NAME].contains(&code));
                code == MPI_SUCCESS
            },
        ),
    ];
    for (name, change, look) in cases {
        run(2, move |rank| {
            let mut file = file(WORLD, name);
            if rank == 1 {
                work(1000);
                change(file);
            } else {
                work(500);
                assert!(!look(file), "{name}: it has not happened yet");
                work(1000);
                assert!(look(file), "{name}");
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
        let high = usize::from(is_left);
        let merged = get_handle!(Intercomm_merge, both, high);
        assert_eq!(members(get_handle!(Comm_group, merged)), [&RIGHT[..], &LEFT[..]].concat());
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

/// Where there is no place for the handle, a communicator or window is not made, and no message is sent.
#[test]
fn nothing_is_sent_for_a_handle_without_a_place() {
    let calls = [
        "Comm_dup",
        "Comm_dup_with_info",
        "Comm_idup",
        "Comm_split",
        "Comm_split_type",
        "Comm_create",
        "Comm_create_group",
        "Intercomm_create",
        "Intercomm_merge",
        "Cart_create",
        "Graph_create",
        "Dist_graph_create",
        "Dist_graph_create_adjacent",
        "Win_create",
        "Win_allocate",
        "Win_create_dynamic",
        "Comm_accept",
        "Comm_connect",
    ];
    for name in calls {
        let messages = |with_call: bool| {
            let ran = run(2, move |rank| {
                let (group, none) = (get_handle!(Comm_group, WORLD), MPI_INFO_NULL);
                let local = get_handle!(Comm_split, WORLD, rank, 0);
                errors_return(local);
                let both = get_handle!(Intercomm_create, local, 0, WORLD, 1 - rank, 9);
                let (mut base, one) = (0_usize, [1]);
                let port = c"weir-port:0:0".as_ptr() as usize;
                let words = match name {
                    "Comm_dup" => vec![WORLD, NULL],
                    "Comm_dup_with_info" => vec![WORLD, none, NULL],
                    "Comm_idup" => vec![WORLD, NULL, (&mut base).word()],
                    "Comm_split" => vec![WORLD, 0, 0, NULL],
                    "Comm_split_type" => vec![WORLD, MPI_COMM_TYPE_SHARED as usize, 0, none, NULL],
                    "Comm_create" => vec![WORLD, group, NULL],
                    "Comm_create_group" => vec![WORLD, group, 3, NULL],
                    "Intercomm_create" => vec![local, 0, WORLD, 1 - rank, 8, NULL],
                    "Intercomm_merge" => vec![both, rank, NULL],
                    "Cart_create" => vec![WORLD, 1, (&[2]).word(), (&[0]).word(), 0, NULL],
                    "Graph_create" => vec![WORLD, 2, (&[1, 2]).word(), (&[1, 0]).word(), 0, NULL],
                    "Dist_graph_create" => {
                        let (rank, all) = ([rank as i32], [0]);
                        vec![WORLD, 1, (&rank).word(), (&one).word(), (&all).word(), NULL, none, 0, NULL]
                    }
                    "Dist_graph_create_adjacent" => vec![WORLD, 0, NULL, NULL, 0, NULL, NULL, none, 0, NULL],
                    "Win_create" => vec![NULL, 0, 1, none, WORLD, NULL],
                    "Win_allocate" => vec![8, 4, none, WORLD, (&mut base).word(), NULL],
                    "Win_create_dynamic" => vec![none, WORLD, NULL],
                    _ => vec![port, none, 0, local, NULL],
                };
                if with_call {
                    let code = call(&format!("MPI_{name}"), &words);
                    assert_eq!(code, MPI_ERR_ARG, "{name}");
                }
            });
            ran.ended.traffic.messages
        };
        assert_eq!(messages(true), messages(false), "{name}");
    }
}

/// What a program can know of how it was started, from its own words.
#[test]
fn words_of_the_start() {
    run(1, |_| {
        let of = |info: usize, key: &CStr| {
            let (mut value, mut flag) = ([0 as c_char; 64], 0);
            mpi!(Info_get, info, key, 63, &mut value, &mut flag);
            (flag != 0).then(|| text(&value))
        };
        let words = [c"prog".as_ptr(), c"one".as_ptr(), c"two".as_ptr()];
        for (count, command, arguments) in
            [(3, "prog", Some("one two")), (2, "prog", Some("one")), (1, "prog", None), (0, "", None)]
        {
            let info = get_handle!(Info_create_env, count, &words);
            assert_eq!(of(info, c"command").as_deref(), Some(command), "{count}");
            assert_eq!(of(info, c"argv").as_deref(), arguments, "{count}");
            assert_eq!(of(info, c"maxprocs").as_deref(), Some("1"));
            // Cut to the room that there is here.
            let folder = std::env::current_dir().unwrap();
            let folder: String = folder.to_str().unwrap().chars().take(63).collect();
            assert_eq!(of(info, c"wdir"), Some(folder));
            assert_eq!(of(info, c"thread_level").as_deref(), Some("MPI_THREAD_FUNNELED"));
        }
        let unknown = get_handle!(Info_create_env, 2, NULL);
        assert_eq!((of(unknown, c"command").as_deref(), of(unknown, c"argv")), (Some(""), None));
        assert_eq!(of(MPI_INFO_ENV, c"command").as_deref(), Some("a test"));
        assert_eq!(of(MPI_INFO_ENV, c"argv"), None);
        // A session returns the hints that it was made with, and what the library adds.
        let hints = get_handle!(Info_create);
        mpi!(Info_set, hints, c"mpi_own", c"5");
        let mut session = get_handle!(Session_init, hints, MPI_ERRORS_RETURN);
        let told = get_handle!(Session_get_info, session);
        assert_eq!(of(told, c"mpi_own").as_deref(), Some("5"));
        assert_eq!(of(told, c"thread_level").as_deref(), Some("MPI_THREAD_FUNNELED"));
        assert_eq!(of(told, c"mpi_memory_alloc_kinds").as_deref(), Some("mpi,system"));
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

/// Hints that are none are found before anybody is asked.
#[test]
fn hints_are_looked_at_first() {
    let ran = run(2, |_| {
        let (stale, mut made) = (0x1_0000 + 999_usize, 0_usize);
        let to = (&mut made).word();
        let nobody = [NULL; 3];
        let calls: [(&str, Vec<usize>); 6] = [
            ("Comm_dup_with_info", vec![WORLD, stale, to]),
            ("Comm_split_type", vec![WORLD, MPI_COMM_TYPE_SHARED as usize, 0, stale, to]),
            ("Dist_graph_create", [&[WORLD, 0], &nobody[..], &[NULL, stale, 0, to]].concat()),
            ("Dist_graph_create_adjacent", vec![WORLD, 0, NULL, NULL, 0, NULL, NULL, stale, 0, to]),
            ("Win_create", vec![NULL, 0, 1, stale, WORLD, to]),
            ("Win_create_dynamic", vec![stale, WORLD, to]),
        ];
        for (name, words) in calls {
            assert_eq!(call(&format!("MPI_{name}"), &words), MPI_ERR_INFO, "{name}");
        }
        assert_eq!(made, 0);
    });
    assert_eq!(ran.ended.traffic.messages, 0);
}

/// Leaders are ranks of their groups: the first beyond is none, and is found before anybody is asked.
#[test]
fn leaders_are_members() {
    let ran = run(2, |_| {
        let mut made = MPI_COMM_NULL;
        let alone = MPI_COMM_SELF;
        for leader in [-1, 1, 2] {
            let code = code!(Intercomm_create, alone, leader, WORLD, 0, 5, &mut made);
            assert_eq!((code, made), (MPI_ERR_RANK, MPI_COMM_NULL), "{leader}");
            let port = c"weir-port:0:0";
            assert_eq!(code!(Comm_accept, port, MPI_INFO_NULL, leader, alone, &mut made), MPI_ERR_RANK);
            assert_eq!(code!(Comm_connect, port, MPI_INFO_NULL, leader, alone, &mut made), MPI_ERR_RANK);
        }
        assert_eq!(code!(Intercomm_create, alone, 0, WORLD, -1, 5, &mut made), MPI_ERR_RANK);
        assert_eq!(code!(Comm_connect, c"weir-port:2:0", MPI_INFO_NULL, 0, alone, &mut made), MPI_ERR_PORT);
    });
    assert_eq!(ran.ended.traffic.messages, 0);
}
