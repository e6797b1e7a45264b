//! A logger that gets by hand what a rank does: what it writes, what it cannot, and how it says so.

use crate::logged::Disk;
use weir_formats::profile::Format;
use weir_message::{
    BufferOf, CommunicatorId, Copying, Costs, Observation, Observer, Process, Protocol, RequestId, Status,
};
use weir_operations::{Choices, Gap, Operation};
use weir_replay::{LogError, Logger};
use weir_units::{Rank, Time};

fn ns(ns: u64) -> Time {
    Time::from_ps(1000 * ns)
}

/// What a logger gets within a call.
enum Got<'a> {
    Does(Operation),
    Notices(Observation<'a>),
}

/// A logger gets this from a rank whose clock stands at `at`.
fn give(logger: &mut Logger<Disk>, rank: Rank, at: Time, got: &Got<'_>) {
    let mut process = Process::new(rank, 2, Costs::default());
    process.compute(at.since(Time::ZERO));
    match got {
        Got::Does(operation) => logger.does(&process, operation),
        Got::Notices(observation) => logger.notices(&process, *observation),
    }
}

fn chooses(choices: Choices) -> Got<'static> {
    Got::Does(Operation::Choose(Box::new(choices)))
}

fn looks() -> Got<'static> {
    Got::Notices(Observation::Looks(0))
}

/// Rank 1 of two does these in calls of 10 ns, 5 ns apart; the profile, or why there is none, and what the call said.
fn logged(call: &'static str, all: &[Got<'_>]) -> (Result<String, String>, Vec<Result<(), String>>) {
    let disk = Disk::new(usize::MAX);
    let mut logger = Logger::new(Format::Text, 2, "a test", disk.clone()).unwrap();
    let (rank, mut at, mut said) = (Rank(1), 0, Vec::new());
    for got in all {
        said.push(logger.begins(rank, call, ns(at + 5)));
        give(&mut logger, rank, ns(at + 12), got);
        said.push(logger.ends(rank, ns(at + 15)));
        at += 15;
    }
    logger.over(rank, ns(at + 3));
    let finished = logger.finish().map_err(|error| error.to_string());
    let text = disk.text();
    (finished.map(|_| text), said)
}

/// Choices have a line each: what is not left to the machine. The call has begun 5 ns after the last, and took 10.
#[test]
fn choices() {
    let (protocol, copying) = (Protocol::Eager, Copying::ZeroCopy);
    let choices = [
        Choices::default(),
        Choices { protocol, copying, ..Choices::default() },
        Choices { protocol: Protocol::Rendezvous, copying: Copying::OneCopy, ..Choices::default() },
        Choices { nic: Some(3), gap: Gap::new(2.5), ..Choices::default() },
    ];
    let lines = ["", " protocol eager copy zero", " protocol rendezvous copy one", " nic 3 gap 2.5"];
    let (text, said) = logged("weir_send_protocol", &choices.map(chooses));
    let line = |words: &str| format!("1 compute 5 ns\n1 choose{words} took 10 ns\n");
    let expected = format!(
        "weir-profile 4\ntitle a test\nranks 2\n{}1 compute 3 ns\n1 end took 0 ps\n",
        lines.map(line).concat()
    );
    assert_eq!(text, Ok(expected));
    assert!(said.iter().all(Result::is_ok));
}

/// A call that has looked at something else before, as at a file, and then does something: the look is in vain, until its
/// clock has come up.
#[test]
fn a_look_before_something_else() {
    let disk = Disk::new(usize::MAX);
    let mut logger = Logger::new(Format::Text, 1, "", disk.clone()).unwrap();
    let rank = Rank(0);
    logger.begins(rank, "MPI_File_sync", ns(5)).unwrap();
    give(&mut logger, rank, ns(5), &Got::Notices(Observation::Looks(3)));
    give(&mut logger, rank, ns(9), &Got::Notices(Observation::CaughtUp));
    give(&mut logger, rank, ns(12), &chooses(Choices::default()));
    logger.ends(rank, ns(15)).unwrap();
    logger.over(rank, ns(15));
    logger.finish().unwrap();
    let text = disk.text();
    let lines = "0 compute 5 ns\n0 poll 0 ps took 4 ns\n0 choose took 6 ns\n0 end took 0 ps\n";
    assert_eq!(text, format!("weir-profile 4\nranks 1\n{lines}"));
}

/// What a profile cannot hold: the call in which it was done says so, and so does the profile.
#[test]
fn what_cannot_be_logged() {
    let status = Status::empty();
    let buffer = |of| Observation::Flushes(of, RequestId(0));
    let send_buffer = "a send buffer of a communicator or a session";
    let cases = [
        ("MPI_Comm_flush_buffer", buffer(BufferOf::Communicator(CommunicatorId(0))), send_buffer),
        ("MPI_Session_flush_buffer", buffer(BufferOf::Session(0)), send_buffer),
        (
            "MPI_Wait",
            Observation::Finished(RequestId(7), &status),
            "the end of something other than a message or a collective",
        ),
    ];
    for (call, observation, what) in cases {
        let why = format!("{call}: {what}, which a profile cannot hold (rank 1)");
        let (text, said) = logged(call, &[Got::Notices(observation), looks()]);
        assert_eq!(text, Err(why.clone()));
        assert_eq!(
            said,
            [Ok(()), Err(why.clone()), Err(why.clone()), Err(why)],
            "and nothing is done any more"
        );
    }
    for call in [
        "MPI_Buffer_iflush",
        "MPI_Comm_iflush_buffer",
        "MPI_Session_iflush_buffer",
        "MPI_Comm_attach_buffer",
        "MPI_Comm_attach_buffer_c",
        "MPI_Session_attach_buffer",
    ] {
        let why = format!("{call}: this was called, which a profile cannot hold (rank 1)");
        assert_eq!(logged(call, &[looks()]).1, [Err(why.clone()), Err(why)]);
    }
}

/// A full disk is known at the end, or before if there is much to write: then the run ends.
#[test]
fn a_full_disk() {
    let logger = Logger::new(Format::Text, 1, "a test", Disk::new(10)).unwrap();
    let error = logger.finish().expect_err("there is no room");
    assert!(matches!(error, LogError::Write(_)));
    assert_eq!(error.to_string(), "the profile cannot be written: the disk is full");
    let mut logger = Logger::new(Format::Text, 1, "a test", Disk::new(10)).unwrap();
    let rank = Rank(0);
    let said = (0..100_000).find_map(|call| {
        logger.begins(rank, "weir_send_copy", ns(call)).ok()?;
        give(&mut logger, rank, ns(call), &chooses(Choices::default()));
        logger.ends(rank, ns(call)).err()
    });
    assert_eq!(said.as_deref(), Some("the profile cannot be written: the disk is full"));
    assert!(logger.finish().is_err());
}
