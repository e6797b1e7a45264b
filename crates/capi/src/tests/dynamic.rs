//! Groups of ranks that meet at ports, and processes that cannot be started.

use super::apart::apart;
use super::processes::{run_processes, start};
use crate::harness::*;
use crate::process::signals::dies_with_us;
use std::ffi::c_char;
use std::fs::File;
use std::net::{TcpListener, TcpStream};
use std::os::fd::AsRawFd;
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use weir_network::{Limits, Outcome, RunContext};
use weir_units::Rank;

#[test]
fn no_process_is_started() {
    run(2, |_| {
        let (mut made, command) = (7_usize, c"program");
        let code = code!(Comm_spawn, command, NULL, 1, MPI_INFO_NULL, 0, WORLD, &mut made, NULL);
        assert_eq!((code, made), (MPI_ERR_SPAWN, MPI_COMM_NULL));
        made = 7;
        let (commands, most, infos) = ([command.as_ptr()], [1], [MPI_INFO_NULL]);
        let code = code!(Comm_spawn_multiple, 1, &commands, NULL, &most, &infos, 0, WORLD, &mut made, NULL);
        assert_eq!((code, made), (MPI_ERR_SPAWN, MPI_COMM_NULL));
        let code = code!(Comm_spawn, command, NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_NULL, &mut made, NULL);
        assert_eq!(code, MPI_ERR_COMM);
    });
}

/// Two pairs of ranks join by two connections, and come to them in different orders; what is no connection is refused.
#[test]
fn ranks_join_by_a_connection() {
    let connections = [0, 1].map(|_| {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port of this computer");
        let client = TcpStream::connect(listener.local_addr().expect("it has one")).expect("it listens");
        (client, listener.accept().expect("it has connected").0)
    });
    let sockets = [0, 1].map(|pair: usize| {
        let (client, server) = &connections[pair];
        [client.as_raw_fd(), server.as_raw_fd()]
    });
    run(4, move |rank| {
        let (pair, side) = (rank / 2, rank % 2);
        work([0, 30, 50, 10][rank]);
        let mut both = MPI_COMM_NULL;
        mpi!(Comm_join, sockets[pair][side], &mut both);
        let (world, other) = (get_handle!(Comm_group, WORLD), get_handle!(Comm_remote_group, both));
        let mut found = -1;
        mpi!(Group_translate_ranks, other, 1, &[0], world, &mut found);
        assert_eq!(found, (2 * pair + 1 - side) as i32);
        mpi!(Comm_disconnect, &mut both);
        errors_return(MPI_COMM_SELF);
        let nothing = std::fs::File::open("/dev/null").expect("it is there");
        for fd in [-1, nothing.as_raw_fd()] {
            assert_eq!((code!(Comm_join, fd, &mut both), both), (MPI_ERR_ARG, MPI_COMM_NULL));
        }
    });
}

/// A communicator is let go when the messages on it are through.
#[test]
fn disconnecting_waits() {
    timed(2, |rank| {
        let mut copy = get_handle!(Comm_dup, WORLD);
        mpi!(Barrier, WORLD);
        let begin = now();
        let mut got = Box::new([0_u8; 100]);
        if rank == 0 {
            let mut request = get_handle!(Isend, &*got, 100, MPI_BYTE, 1, 0, copy);
            mpi!(Request_free, &mut request);
        } else {
            mpi!(Recv, &mut *got, 100, MPI_BYTE, 0, 0, copy, NULL);
        }
        mpi!(Comm_disconnect, &mut copy);
        // It asks (10 and 1000), is answered (1000), and sends 100 bytes.
        assert!(rank == 1 || now() - begin == 10 + 2000 + 100, "{}", now() - begin);
    });
}

/// Two ranks that connect to ports of each other wait for ever: none accepts, and no message to one port is one of another.
#[test]
fn ports_are_apart() {
    for (mine, theirs) in (0..16).map(|pair| (pair / 4, pair % 4)) {
        let ran = Machine::free(2).run_mpi(move |rank| {
            let mut ports = [[[0 as c_char; 1024]; 4]; 2];
            for port in &mut ports[rank] {
                mpi!(Open_port, MPI_INFO_NULL, port);
            }
            let here = ports[rank];
            mpi!(Allgather, &here, 4096, MPI_CHAR, &mut ports, 4096, MPI_CHAR, WORLD);
            let to = if rank == 0 { mine } else { theirs };
            let mut both = MPI_COMM_NULL;
            code!(Comm_connect, &ports[1 - rank][to], MPI_INFO_NULL, 0, MPI_COMM_SELF, &mut both);
            panic!("nobody accepts at {mine} and {theirs}");
        });
        assert_eq!(ran.deadlock().len(), 2);
    }
}

/// Who connects comes to the port it names, in whatever order they are accepted.
#[test]
fn each_port_has_its_own_visitors() {
    run(3, |rank| {
        let mut ports = [[0 as c_char; 1024]; 2];
        if rank == 0 {
            ports.iter_mut().for_each(|port| mpi!(Open_port, MPI_INFO_NULL, port));
        }
        mpi!(Bcast, &mut ports, 2048, MPI_CHAR, 0, WORLD);
        let (mut both, mut sum, alone) = (MPI_COMM_NULL, 0, MPI_COMM_SELF);
        let own = 10 + rank as i32;
        if rank > 0 {
            mpi!(Comm_connect, &ports[rank - 1], MPI_INFO_NULL, 0, alone, &mut both);
            mpi!(Allreduce, &own, &mut sum, 1, MPI_INT, MPI_SUM, both);
            return assert_eq!(sum, 10);
        }
        mpi!(Barrier, alone);
        for (port, visitor) in [(1, 12), (0, 11)] {
            mpi!(Comm_accept, &ports[port], MPI_INFO_NULL, 0, alone, &mut both);
            mpi!(Allreduce, &own, &mut sum, 1, MPI_INT, MPI_SUM, both);
            assert_eq!(sum, visitor, "at port {port}");
        }
    });
}

/// Of the meeting of two groups nothing is left: no request, no message, and of objects those that they have made.
#[test]
fn meetings_leave_nothing() {
    let mut machine = Machine::timed(2);
    machine.options.verify = crate::world::Verify::Yes;
    let ran = machine.run_mpi(|rank| {
        let mut port = [0 as c_char; 1024];
        if rank == 0 {
            mpi!(Open_port, MPI_INFO_NULL, &mut port);
        }
        mpi!(Bcast, &mut port, 1024, MPI_CHAR, 0, WORLD);
        let (mut both, alone) = (MPI_COMM_NULL, MPI_COMM_SELF);
        let beyond = code!(Comm_connect, &port, MPI_INFO_NULL, 1, alone, &mut both);
        assert_eq!(beyond, MPI_ERR_RANK, "there is no such leader");
        assert_eq!(code!(Intercomm_create, alone, 1, WORLD, 1 - rank, 3, &mut both), MPI_ERR_RANK);
        match rank {
            0 => mpi!(Comm_accept, &port, MPI_INFO_NULL, 0, alone, &mut both),
            _ => mpi!(Comm_connect, &port, MPI_INFO_NULL, 0, alone, &mut both),
        }
        let mut again = get_handle!(Intercomm_create, alone, 0, WORLD, 1 - rank, 3);
        let none = code!(Neighbor_allgather, &1, 1, MPI_INT, &mut 0, 1, MPI_INT, again);
        assert_ne!(none, MPI_SUCCESS, "two groups have no neighbors");
        mpi!(Comm_free, &mut again);
        mpi!(Comm_disconnect, &mut both);
    });
    let ran = ran.finished();
    for rank in 0..2 {
        assert_eq!(ran.remnants(rank), [], "of rank {rank}");
    }
}

/// Has this file stand for standard input, and SIGINT mean what it means at first: who started the tests may ignore it.
fn read_from(file: i32) {
    // SAFETY: the test has this process to itself.
    unsafe {
        assert_eq!(libc::dup2(file, 0), 0);
        libc::signal(libc::SIGINT, libc::SIG_DFL);
    }
}

/// Standard input is rank 0's: the others have none. Without a terminal each is the first of a group of its own.
#[test]
fn rank_0_reads_standard_input() {
    apart("dynamic::rank_0_reads_standard_input", |folder| {
        std::fs::write(folder.join("input"), "12 words").unwrap();
        read_from(File::open(folder.join("input")).unwrap().as_raw_fd());
        let (ended, processes) = run_processes(2, "reads");
        assert_eq!((ended.outcome, processes.exit_codes()), (Outcome::Finished, vec![(Rank(0), 12)]));
        let (ended, processes) = run_processes(2, "is in a group");
        assert_eq!((ended.outcome, processes.exit_codes()), (Outcome::Finished, vec![]));
    });
}

/// A rank that reads from a terminal has to be in our group, and leaves it to us what a signal of the keyboard means.
#[test]
fn a_terminal_is_read_in_our_group() {
    apart("dynamic::a_terminal_is_read_in_our_group", |_| {
        let (mut main, mut of_rank) = (-1, -1);
        let none = std::ptr::null_mut();
        // SAFETY: variables of our own; a new terminal.
        let made = unsafe { libc::openpty(&raw mut main, &raw mut of_rank, none, none.cast(), none.cast()) };
        if made < 0 {
            return; // The system has no terminals.
        }
        read_from(of_rank);
        let (ended, processes) = run_processes(2, "is in a group");
        assert_eq!((ended.outcome, processes.exit_codes()), (Outcome::Finished, vec![(Rank(0), 3)]));
    });
}

/// What a process has printed of a line when the run ends comes out; and one that does not end is ended, with those that it
/// has started.
#[test]
fn processes_end_with_the_run() {
    let ran = apart("dynamic::processes_end_with_the_run", |folder| {
        let (ended, _) = run_processes(1, "prints and waits");
        assert!(matches!(ended.outcome, Outcome::Deadlock(_)));
        std::fs::write(folder.join("note"), "").unwrap();
        let limits = Limits { wall: Duration::from_millis(100), ..Limits::default() };
        let (_, mut programs) = start(1, "starts another", limits).unwrap();
        let Machine { network, placement, .. } = Machine::timed(1);
        let ended = network.run(&mut programs, RunContext::new(&placement).limits(limits));
        assert!(matches!(ended.outcome, Outcome::Limit(_)), "{:?}", ended.outcome);
        let note = std::fs::read_to_string(folder.join("note")).unwrap();
        let stat = format!("/proc/{}/stat", note.trim());
        let begin = Instant::now();
        let lives = || std::fs::read_to_string(&stat).is_ok_and(|stat| !stat.contains(") Z "));
        while lives() {
            assert!(begin.elapsed() < Duration::from_secs(10), "{note} lives on");
            std::thread::sleep(Duration::from_millis(1));
        }
    });
    let Some(ran) = ran else { return };
    assert!(ran.printed.contains("the beginning of a line, held back\n"), "{}", ran.printed);
}

/// A process that is to end with us does so, however we end.
#[test]
fn processes_die_with_us() {
    apart("dynamic::processes_die_with_us", |_| {
        let mut command = Command::new("sleep");
        command.arg("60").stdin(Stdio::null());
        dies_with_us(&mut command);
        // It is the thread that counts.
        let mut child = std::thread::spawn(move || command.spawn().unwrap()).join().unwrap();
        let begin = Instant::now();
        let ended = loop {
            if let Some(ended) = child.try_wait().unwrap() {
                break ended;
            }
            if begin.elapsed() > Duration::from_secs(10) {
                child.kill().unwrap();
                panic!("it lives on");
            }
            std::thread::sleep(Duration::from_millis(1));
        };
        assert_eq!(ended.signal(), Some(libc::SIGKILL));
    });
}

/// A thread that is no rank calls MPI: there is nobody to return an error to.
#[test]
fn calls_without_a_rank() {
    // Nor is one where a rank has run before.
    run(1, |_| ());
    let mut flag = 7;
    mpi!(Is_thread_main, &mut flag);
    assert_eq!((flag, code!(Is_thread_main, NULL)), (0, MPI_ERR_ARG));
    let output = super::apart::one_test("dynamic::a_call_without_a_rank").arg("calls").output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1));
    assert!(
        said.contains("error: MPI_Barrier was called while no rank was running; only the thread"),
        "{said}"
    );
}

/// What a process does that calls MPI without a rank; no test otherwise.
#[test]
fn a_call_without_a_rank() {
    if std::env::args().any(|argument| argument == "calls") {
        mpi!(Barrier, MPI_COMM_WORLD);
    }
}

/// What programs have printed by then stands before a line on standard error.
#[test]
fn lines_on_standard_error_come_in_their_order() {
    let ran = apart("dynamic::lines_on_standard_error_come_in_their_order", |_| {
        // SAFETY: the test has this process to itself.
        unsafe {
            libc::dup2(2, 1);
            libc::puts(c"of a program".as_ptr());
        }
        crate::process::stdio::error_line("of ours");
    });
    assert!(ran.is_none_or(|ran| ran.errors.contains("of a program\nof ours\n")));
}
