//! Beginnings and ends, clocks, info objects, sessions, and what weir has beyond MPI.

use crate::harness::*;
use crate::skeleton::counts::InstructionTime;
use crate::table;
use crate::world::Verify;
use std::ffi::{CStr, c_char, c_void};
use std::mem::transmute;
use std::time::Duration;
use weir_message::{Gaps, Interfaces};
use weir_network::Outcome;

/// The ranks that ended with something other than 0.
fn codes(world: &crate::world::World) -> Vec<(weir_units::Rank, i32)> {
    world.exit_codes().into_iter().map(|(_, rank, code)| (rank, code)).collect()
}

#[test]
fn the_beginning_and_the_end() {
    let ran = Machine::free(1).run(|_| {
        let mut flag = -1;
        let flags = |flag: &mut i32| {
            mpi!(Initialized, &mut *flag);
            let initialized = *flag;
            mpi!(Finalized, &mut *flag);
            (initialized, *flag)
        };
        assert_eq!(flags(&mut flag), (0, 0));
        assert_eq!((get!(Get_version, &mut 0), get!(Is_thread_main)), (0, 1));
        let mut provided = -1;
        mpi!(Init_thread, 0, 0, 1026, &mut provided);
        assert_eq!((provided, get!(Query_thread)), (1024, 1024));
        assert_eq!(flags(&mut flag), (1, 0));
        errors_return(MPI_COMM_SELF);
        errors_return(WORLD);
        assert_eq!(code!(Init, 0, 0), MPI_ERR_OTHER);
        mpi!(Finalize);
        assert_eq!(flags(&mut flag), (1, 1));
        assert_eq!(code!(Barrier, WORLD), MPI_ERR_OTHER);
        assert_eq!(code!(Finalize), MPI_ERR_OTHER);
        3
    });
    assert_eq!(
        (ran.ended.outcome.clone(), codes(&ran.world)),
        (Outcome::Finished, vec![(weir_units::Rank(0), 3)])
    );
    let ran = Machine::free(1).run(|_| {
        mpi!(Init_thread, 0, 0, 0, &mut -1);
        mpi!(Finalize);
        0
    });
    assert_eq!(ran.finished().world.exit_codes(), []);
}

/// How runs end whose ranks do not end as they should.
#[test]
fn odd_ends() {
    /// Rank 1 ends so, while the other waits for it.
    fn of_rank_1(rank: usize, end: fn() -> i32) -> i32 {
        mpi!(Init, 0, 0);
        if rank == 1 {
            return end();
        }
        mpi!(Barrier, WORLD);
        0
    }
    fn wrapped(name: &str, words: &[usize]) -> i32 {
        call_unchecked(&format!("__wrap_{name}"), words) as i32
    }
    type Body = fn(usize) -> i32;
    let nothing: Body = |_| 0;
    assert_eq!(Machine::free(2).run(nothing).finished().world.without_mpi(), 2);
    let too_early: Body = |_| {
        mpi!(Barrier, WORLD);
        0
    };
    let session: Body = |_| {
        get_handle!(Session_init, MPI_INFO_NULL, MPI_ERRORS_RETURN);
        0
    };
    let cases: [(Body, usize, &str); 7] = [
        (|rank| of_rank_1(rank, || 5), 1, "its main returned 5 before MPI_Finalize"),
        (|rank| of_rank_1(rank, || wrapped("exit", &[4])), 1, "it called exit(4) before MPI_Finalize"),
        (|rank| of_rank_1(rank, || code!(Abort, WORLD, 9)), 1, "it called MPI_Abort with error code 9"),
        (too_early, 0, "MPI_Barrier failed: MPI_ERR_OTHER: called before MPI_Init"),
        (session, 0, "its main returned 0 before MPI_Session_finalize"),
        (
            |_| wrapped("execv", words![c"/bin/false", NULL]),
            0,
            "it called execv(\"/bin/false\"): the process that would be replaced",
        ),
        (
            |_| wrapped("daemon", &[0, 0]),
            0,
            "it called daemon: the process that would end is that of all ranks",
        ),
    ];
    for (body, rank, words) in cases {
        let ran = Machine::free(2).run(body);
        let (who, why) = ran.aborted();
        assert!(who == rank && why.starts_with(words), "{who}: {why}");
    }
    for (name, code) in [("__wrap__exit", 6), ("__wrap__Exit", 7), ("weir_quick_exit", 8), ("__wrap_exit", 9)]
    {
        let ran = Machine::free(1).run(move |_| {
            mpi!(Init, 0, 0);
            mpi!(Finalize);
            call_unchecked(name, &[code]);
            unreachable!("it has left")
        });
        assert_eq!(codes(&ran.finished().world), [(weir_units::Rank(0), code as i32)]);
    }
}

/// A limit of the clock on the wall ends a rank that calls MPI again and again and never waits.
#[test]
fn a_limit_ends_who_never_waits() {
    let mut machine = Machine::free(1);
    machine.limits.wall = Duration::from_millis(100);
    let ran = machine.run_mpi(|_| {
        loop {
            mpi!(Initialized, &mut 0);
        }
    });
    assert!(matches!(ran.ended.outcome, Outcome::Limit(_)), "{:?}", ran.ended.outcome);
}

#[test]
fn time_for_code_that_is_left_out() {
    let mut machine = Machine::free(1);
    machine.options.instruction_time = Some(InstructionTime { cpi: 1.5, clock_hz: 3e9 });
    let ran = machine.run_mpi(|_| {
        assert_eq!((given("weir_compute", 2e-6), now()), (0, 2000));
        assert_eq!((given("weir_compute_at_once", 1e-6), now()), (0, 3000));
        assert_eq!((given("weir_compute_instructions_at_once", 1000.0), now()), (0, 3500));
        assert_eq!(given("weir_compute", -1.0), MPI_ERR_ARG);
        assert_eq!(given("weir_compute", f64::NAN), MPI_ERR_ARG);
        assert_eq!(given("weir_compute_instructions_at_once", -1.0), MPI_ERR_ARG);
        let function = table::function("weir_compute_block").unwrap();
        // SAFETY: its signature.
        let block =
            unsafe { transmute::<*const c_void, extern "C" fn(*const c_char, i32, f64) -> i32>(function) };
        for (name, level, seconds, code) in [
            (c"b".as_ptr(), 3, 1e-6, 0),
            (c"b".as_ptr(), 3, 2e-6, 0),
            (c"b".as_ptr(), 0, 1e-6, MPI_ERR_ARG),
            (c"b".as_ptr(), 6, 1e-6, MPI_ERR_ARG),
            (c"b".as_ptr(), 3, -1e-6, MPI_ERR_ARG),
            (std::ptr::null(), 3, 1e-6, MPI_ERR_ARG),
        ] {
            assert_eq!(block(name, level, seconds), code);
        }
        assert_eq!(now(), 6500);
    });
    let counts = ran.finished().world.skeleton().expect("there were clock calls");
    assert_eq!(counts.blocks.len(), 1);
    assert_eq!((counts.blocks[0].name.as_str(), counts.blocks[0].executions), ("b", 2));
    run(1, |_| {
        assert_eq!(
            given("weir_compute_instructions_at_once", 5.0),
            MPI_ERR_ARG,
            "it is not said how long one takes"
        );
    });
}

#[test]
fn choices_for_messages() {
    let refused = |name: &str, choice: i64| call_unchecked(name, &[choice as usize]) as i32;
    run(1, move |_| {
        assert_eq!((call_unchecked("weir_nics", &[]), call_unchecked("weir_has_send_gap", &[])), (1, 0));
        for (name, good, bad) in [
            ("weir_send_protocol", &[0, 1, 2][..], &[3, -1][..]),
            ("weir_send_copy", &[0, 11, 12], &[1, 13]),
            ("weir_send_nic", &[-1, 0], &[1, -2]),
        ] {
            assert!(good.iter().all(|&choice| refused(name, choice) == 0), "{name}");
            assert!(bad.iter().all(|&choice| refused(name, choice) == MPI_ERR_ARG), "{name}");
        }
        assert_eq!(given("weir_send_gap", -1.0), 0);
        assert_eq!(given("weir_send_gap", 1.0), MPI_ERR_ARG);
    });
    let mut machine = Machine::free(1);
    machine.options.interfaces = Interfaces { count: 3, gaps: Gaps::PerMessage };
    machine.finishes(move |_| {
        assert_eq!((call_unchecked("weir_nics", &[]), call_unchecked("weir_has_send_gap", &[])), (3, 1));
        assert_eq!((refused("weir_send_nic", 2), refused("weir_send_nic", 3)), (0, MPI_ERR_ARG));
        assert_eq!(
            [0.0, 1e6, 1.1e6, -0.5].map(|gap| given("weir_send_gap", gap)),
            [0, 0, MPI_ERR_ARG, MPI_ERR_ARG]
        );
    });
    // Without a copy a short message costs 10 ns, and is over when it has left; by rendezvous it asks first.
    timed(2, |rank| {
        let mut data = [0_u8; 64];
        for (name, choice, sender) in [
            ("weir_send_copy", 11, 10 + 64),
            ("weir_send_copy", 0, 42),
            ("weir_send_protocol", 2, 10 + 2000 + 64),
        ] {
            mpi!(Barrier, WORLD);
            let begin = now();
            call_unchecked(name, &[choice]);
            match rank {
                0 => mpi!(Send, &data, 64, MPI_BYTE, 1, 0, WORLD),
                _ => mpi!(Recv, &mut data, 64, MPI_BYTE, 0, 0, WORLD, NULL),
            }
            assert!(rank == 1 || now() - begin == sender, "{name} {choice}: {}", now() - begin);
        }
    });
}

#[test]
fn pairs_of_info_objects() {
    let ran = run(1, |_| {
        let mut info = get_handle!(Info_create);
        let set = |key: &CStr, value: &CStr| code!(Info_set, info, key, value);
        assert_eq!((set(c"a", c"22"), set(c"b", c"333")), (0, 0));
        let copy = get_handle!(Info_dup, info);
        let long = |length: usize| std::ffi::CString::new("k".repeat(length)).unwrap();
        assert_eq!((set(&long(255), c"v"), set(&long(256), c"v")), (0, 31));
        assert_eq!((set(c"k", &long(1023)), set(c"k", &long(1024))), (0, 33));
        let stale = info;
        mpi!(Info_free, &mut info);
        assert_eq!((info, code!(Info_free, &mut { stale })), (MPI_INFO_NULL, MPI_ERR_INFO));
        // Fewer words than none are none.
        let none = get_handle!(Info_create_env, -1, &[c"word".as_ptr()]);
        assert_eq!(hint(none, c"command").as_deref(), Some(""));
        // Communicators keep hints.
        let comm = get_handle!(Comm_dup_with_info, WORLD, copy);
        let told = get_handle!(Comm_get_info, comm);
        assert!(hint(told, c"b").is_none_or(|value| value == "333"));
        assert_eq!(hint(MPI_INFO_ENV, c"maxprocs").as_deref(), Some("1"));
    });
    let left = ran.remnants(0);
    assert!(left.iter().any(|left| left.details[0].1 == "info objects"));
}

#[test]
fn sessions_stand_alone() {
    let ran = Machine::free(2).run(|rank| {
        let (mut session, mut name, mut length) = (MPI_SESSION_NULL, [1 as c_char; 64], 64);
        mpi!(Session_init, MPI_INFO_NULL, MPI_ERRORS_RETURN, &mut session);
        mpi!(Session_get_nth_pset, session, MPI_INFO_NULL, 0, &mut length, &mut name);
        assert_eq!((text(&name), length), ("mpi://WORLD".to_owned(), 12));
        length = 0;
        mpi!(Session_get_nth_pset, session, MPI_INFO_NULL, 1, &mut length, NULL);
        assert_eq!(length, 11);
        length = 5;
        mpi!(Session_get_nth_pset, session, MPI_INFO_NULL, 1, &mut length, &mut name);
        assert_eq!((text(&name), length), ("mpi:".to_owned(), 11));
        assert_eq!(
            code!(Session_get_nth_pset, session, MPI_INFO_NULL, 2, &mut length, &mut name),
            MPI_ERR_ARG
        );
        let group = get_handle!(Group_from_session_pset, session, c"MPI://world");
        assert_eq!((get!(Group_size, group), get!(Group_rank, group)), (2, rank as i32));
        assert_eq!(code!(Group_from_session_pset, session, c"mpi://x", &mut 0_usize), MPI_ERR_ARG);
        let mut comm = MPI_COMM_NULL;
        mpi!(Comm_create_from_group, group, c"tag", MPI_INFO_NULL, MPI_ERRORS_RETURN, &mut comm);
        assert_eq!(code!(Send, &1, 1, MPI_INT, 5, 0, comm), MPI_ERR_RANK);
        let (mut address, mut size) = (0_usize, 0);
        mpi!(Session_attach_buffer, session, MPI_BUFFER_AUTOMATIC, 0);
        mpi!(Session_flush_buffer, session);
        mpi!(Session_detach_buffer, session, &mut address, &mut size);
        assert_eq!(address, MPI_BUFFER_AUTOMATIC);
        mpi!(Comm_free, &mut comm);
        let stale = session;
        mpi!(Session_finalize, &mut session);
        assert_eq!(
            (session, code!(Session_get_num_psets, stale, MPI_INFO_NULL, &mut 0)),
            (MPI_SESSION_NULL, MPI_ERR_SESSION)
        );
        0
    });
    // The last call was on no session, whose errors end the run.
    assert!(matches!(ran.ended.outcome, Outcome::Aborted { .. }));
}

#[test]
fn what_is_left_is_reported_with_its_call() {
    let mut machine = Machine::free(2);
    machine.options.verify = Verify::Yes;
    let ran = machine.run_mpi(|rank| {
        if rank == 0 {
            get_handle!(Irecv, Box::leak(Box::new(0)), 1, MPI_INT, 1, 7, WORLD);
            let mut freed = get_handle!(Irecv, Box::leak(Box::new(0)), 1, MPI_INT, 1, 8, WORLD);
            mpi!(Request_free, &mut freed);
        } else {
            // The number of a request that is over is used again.
            mpi!(Wait, &mut get_handle!(Irecv, &mut 0, 1, MPI_INT, MPI_PROC_NULL, 7, WORLD), NULL);
            let mut first = get_handle!(Irecv, &mut 0, 0, MPI_INT, 1, 3, WORLD);
            mpi!(Send, NULL, 0, MPI_INT, 1, 3, WORLD);
            mpi!(Wait, &mut first, NULL);
            get_handle!(Isend, &1, 1, MPI_INT, 0, 9, WORLD);
        }
    });
    let ran = ran.finished();
    let told = |rank: usize| -> Vec<(String, String)> {
        let of = |left: &crate::rank::program::Remnant, key: &str| {
            left.details
                .iter()
                .find(|(name, _)| *name == key)
                .map_or(String::new(), |(_, words)| words.clone())
        };
        ran.remnants(rank).iter().map(|left| (of(left, "call"), of(left, "state"))).collect()
    };
    let words = |call: &str, state: &str| (call.to_owned(), state.to_owned());
    let zero = told(0);
    assert_eq!(
        zero[..2],
        [words("MPI_Irecv", "never completed"), words("MPI_Irecv", "freed, never completed")]
    );
    assert_eq!(ran.remnants(0)[2].kind, "message");
    assert_eq!(told(1), [words("MPI_Isend", "complete, neither waited for nor freed")]);
}

#[test]
fn memory_names_and_handles() {
    run(1, |_| {
        let mut memory = 0_usize;
        mpi!(Alloc_mem, 100, MPI_INFO_NULL, &mut memory);
        assert_ne!(memory, 0);
        mpi!(Free_mem, memory);
        mpi!(Alloc_mem, 0, MPI_INFO_NULL, &mut memory);
        mpi!(Free_mem, memory);
        assert_eq!(code!(Alloc_mem, i64::MAX, MPI_INFO_NULL, &mut memory), MPI_ERR_OTHER);
        assert_eq!(call_unchecked("MPI_Aint_add", &[5, 7]), 12);
        assert_eq!(call_unchecked("MPI_Aint_diff", &[5, 7]) as isize, -2);
        for kind in "Comm Type Group Op Request Win File Info Errhandler Message Session".split(' ') {
            let there = call_unchecked(&format!("MPI_{kind}_toint"), &[WORLD]);
            assert_eq!(there as i32, 0x101);
            assert_eq!(call_unchecked(&format!("MPI_{kind}_fromint"), &[0x101]), WORLD);
        }
        let (mut words, mut length) = ([0 as c_char; 8192], 0);
        mpi!(Get_library_version, &mut words, &mut length);
        assert!(text(&words).starts_with("weir ") && length as usize == text(&words).len());
        let (mut major, mut minor) = (0, -1);
        mpi!(Get_version, &mut major, &mut minor);
        assert_eq!((major, minor), (5, 0));
        mpi!(Abi_get_version, &mut major, &mut minor);
        assert_eq!((major, minor), (1, 0));
        let mut port = [0 as c_char; 1024];
        mpi!(Open_port, MPI_INFO_NULL, &mut port);
        mpi!(Publish_name, c"service", MPI_INFO_NULL, &port);
        assert_eq!(code!(Publish_name, c"service", MPI_INFO_NULL, &port), MPI_ERR_SERVICE);
        let mut found = [0 as c_char; 1024];
        mpi!(Lookup_name, c"service", MPI_INFO_NULL, &mut found);
        assert_eq!(text(&found), text(&port));
        mpi!(Unpublish_name, c"service", MPI_INFO_NULL, &port);
        assert_eq!(code!(Lookup_name, c"service", MPI_INFO_NULL, &mut found), MPI_ERR_NAME);
        mpi!(Close_port, &port);
        assert_eq!(code!(Close_port, &port), MPI_ERR_PORT);
    });
}
