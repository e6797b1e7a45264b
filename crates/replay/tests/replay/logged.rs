//! Logging a program and replaying its profile.

use std::io::{self, Write};
use std::sync::{Arc, Mutex};
use weir_capi::Observer;
use weir_capi::harness::{Machine, Ran};
use weir_formats::profile::{Format, Profile, read_text};
use weir_network::harness::Recorded;
use weir_network::record::{Keep, MessageTimes, Requested};
use weir_network::{Ended, Outcome, RunContext};
use weir_operations::Operation;
use weir_replay::{Logger, Replay, Setting, Times};
use weir_units::Rank;

/// A file in memory that has room for so many bytes.
#[derive(Clone)]
pub(crate) struct Disk {
    room: usize,
    text: Arc<Mutex<Vec<u8>>>,
}

impl Disk {
    pub(crate) fn new(room: usize) -> Self {
        Self { room, text: Arc::default() }
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8(self.text.lock().unwrap().clone()).unwrap()
    }
}

impl Write for Disk {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut text = self.text.lock().unwrap();
        if text.len() + bytes.len() > self.room {
            return Err(io::Error::other("the disk is full"));
        }
        text.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A program with its profile.
pub(crate) struct Logged {
    /// How the program ended.
    pub(crate) ended: Ended,
    pub(crate) profile: Arc<Profile>,
    /// The text that it was written as.
    pub(crate) text: String,
    messages: Vec<MessageTimes>,
}

/// Runs a program on a machine and logs it.
pub(crate) fn log(mut machine: Machine, body: impl Fn(usize) + 'static) -> Logged {
    let file = Disk::new(usize::MAX);
    let ranks = machine.options.ranks;
    let logger = Logger::new(Format::Text, ranks, "a test", file.clone()).unwrap();
    let logger = Arc::new(Mutex::new(logger));
    machine.options.observer = Some(Observer(logger.clone()));
    machine.messages = Keep::Yes;
    let Ran { ended, messages, .. } = machine.run_mpi(body);
    let logger = Arc::into_inner(logger).expect("the run is over").into_inner().unwrap();
    logger.finish().unwrap();
    assert_eq!(ended.outcome, Outcome::Finished);
    let text = file.text();
    let profile = Arc::new(read_text(text.as_bytes()).unwrap());
    Logged { ended, profile, text, messages }
}

/// The settings of a replay on a machine, with the times of the events.
pub(crate) fn setting(machine: &Machine) -> Setting {
    Setting {
        costs: machine.options.costs.clone(),
        choice: machine.options.choice.clone(),
        times: Times::Kept,
        interfaces: machine.options.interfaces,
        ..Setting::default()
    }
}

/// Replays a profile on a machine.
pub(crate) fn replay(profile: &Arc<Profile>, machine: &Machine, setting: Setting) -> (Ended, Vec<Replay>) {
    let mut ranks = Replay::all(Arc::clone(profile), setting);
    let ended = machine.network.run(&mut ranks, RunContext::new(&machine.placement));
    (ended, ranks)
}

/// Logs a program and replays it on the same machine.
pub(crate) fn check(machine: impl Fn() -> Machine, body: impl Fn(usize) + 'static) {
    let logged = log(machine(), body);
    check_replay(machine, &logged);
}

/// Replays a program on its machine: the same messages at the same times, event by event.
pub(crate) fn check_replay(machine: impl Fn() -> Machine, logged: &Logged) {
    let Logged { ended: program, profile, messages, .. } = logged;
    let mut ranks = Replay::all(Arc::clone(profile), setting(&machine()));
    let Machine { network, placement, limits, .. } = machine();
    let requested = Requested { messages: Keep::Yes, ..Requested::default() };
    let mut kept = Recorded { requested, ..Recorded::default() };
    let ended = network.run(&mut ranks, RunContext::new(&placement).limits(limits).recorder(Some(&mut kept)));
    assert_eq!(ended.outcome, Outcome::Finished);
    // The times of messages, and how long each was waited for; a profile does not say what a look in vain was for.
    let polls =
        |rank| profile.steps(rank).iter().any(|event| matches!(event.operation, Operation::Poll { .. }));
    for (replayed, of_program) in kept.messages.iter().zip(messages) {
        let waited = if polls(replayed.to) { of_program.waited } else { replayed.waited };
        assert_eq!(&MessageTimes { waited, ..*replayed }, of_program);
    }
    assert_eq!(kept.messages.len(), messages.len());
    assert_eq!(ended.at, program.at, "the end");
    let counts = |of: &Ended| (of.traffic.messages, of.traffic.bytes, of.traffic.control_messages);
    assert_eq!(counts(&ended), counts(program));
    for (number, rank) in ranks.iter().enumerate() {
        let events = profile.steps(Rank::new(number));
        assert_eq!(rank.done(), events.len());
        let recorded: Vec<_> = profile.times(Rank::new(number)).collect();
        for (place, (&(begin, end), (was, until, event))) in rank.times().iter().zip(recorded).enumerate() {
            assert_eq!((begin, end), (was, until), "rank {number}, event {place}: {event:?}");
        }
        assert!(matches!(events.last().map(|event| &event.operation), Some(Operation::End)));
    }
    // Written and read again, and replayed again, it is the same.
    let (again, _) = replay(profile, &machine(), setting(&machine()));
    assert_eq!(again, ended);
}
