//! Logging a program and replaying its profile.

use std::cell::RefCell;
use std::io::{self, Write};
use std::rc::Rc;
use std::sync::{Arc, Mutex};
use weir_capi::Observer;
use weir_capi::harness::Machine;
use weir_network::{Ended, Limits, Outcome};
use weir_replay::{Logger, Replay, Setting, Times};
use weir_trace::profile::{Act, Format, Profile, read_text};
use weir_units::Rank;

/// A file in memory.
#[derive(Clone, Default)]
struct Memory(Arc<Mutex<Vec<u8>>>);

impl Write for Memory {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
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
}

/// Runs a program on a machine and logs it; the logger's word if it cannot.
pub(crate) fn try_log(mut machine: Machine, body: impl Fn(usize) + 'static) -> Result<Logged, String> {
    let file = Memory::default();
    let ranks = machine.options.ranks;
    let logger = Logger::new(Format::Text, ranks, "a test", file.clone()).unwrap();
    let logger = Rc::new(RefCell::new(logger));
    machine.options.observer = Some(Observer(logger.clone()));
    let ended = machine.run_mpi(body).ended;
    let logger = Rc::into_inner(logger).expect("the run is over").into_inner();
    let finished = logger.finish().map_err(|error| error.to_string());
    if let Outcome::Aborted { why, .. } = &ended.outcome {
        return Err(why.clone());
    }
    assert_eq!(ended.outcome, Outcome::Finished);
    finished?;
    let profile = read_text(&file.0.lock().unwrap()[..]).unwrap();
    Ok(Logged { ended, profile: Arc::new(profile) })
}

pub(crate) fn log(machine: Machine, body: impl Fn(usize) + 'static) -> Logged {
    try_log(machine, body).unwrap()
}

/// The settings of a replay on a machine, with the times of the events.
pub(crate) fn setting(machine: &Machine) -> Setting {
    Setting {
        costs: machine.options.costs,
        choice: machine.options.choice,
        times: Times::Kept,
        interfaces: machine.options.interfaces,
        ..Setting::default()
    }
}

/// Replays a profile on a machine.
pub(crate) fn replay(profile: &Arc<Profile>, machine: &Machine, setting: Setting) -> (Ended, Vec<Replay>) {
    let mut ranks = Replay::all(Arc::clone(profile), setting);
    let ended = machine.network.run(&machine.placement, &mut ranks, Limits::default(), &mut |_| {});
    (ended, ranks)
}

/// Logs a program and replays it on the same machine: the same messages at the same times, event by event. The names of all
/// events, each once, in alphabetical order.
pub(crate) fn check(machine: fn() -> Machine, body: impl Fn(usize) + 'static) -> Vec<&'static str> {
    let Logged { ended: program, profile } = log(machine(), body);
    let (ended, ranks) = replay(&profile, &machine(), setting(&machine()));
    assert_eq!(ended.outcome, Outcome::Finished);
    assert_eq!(ended.at, program.at, "the end");
    let counts = |of: &Ended| (of.traffic.messages, of.traffic.bytes, of.traffic.control_messages);
    assert_eq!(counts(&ended), counts(&program));
    let mut names = Vec::new();
    for (number, rank) in ranks.iter().enumerate() {
        let events = profile.events(Rank::new(number));
        assert_eq!(rank.done(), events.len());
        let recorded: Vec<_> = profile.times(Rank::new(number)).collect();
        for (place, (&(begin, end), (was, until, event))) in rank.times().iter().zip(recorded).enumerate() {
            assert_eq!((begin, end), (was, until), "rank {number}, event {place}: {event:?}");
        }
        names.extend(events.iter().map(|event| event.act.name()));
        assert!(matches!(events.last().map(|event| &event.act), Some(Act::End)));
    }
    // Written and read again, and replayed again, it is the same.
    let (again, _) = replay(&profile, &machine(), setting(&machine()));
    assert_eq!(again, ended);
    names.sort_unstable();
    names.dedup();
    names
}
