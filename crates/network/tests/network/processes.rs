//! The ideal engine on several processes, for each of which a thread stands that shares no memory with the others: all that is
//! said of a run is what one process says.

use proptest::prelude::*;
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use weir_network::causes::{Cause, Ledger, Sending};
use weir_network::harness::Recorded;
use weir_network::ideal::homes;
use weir_network::record::{Keep, MessageTimes, Pairs, Requested};
use weir_network::{
    Actions, Class, Console, Copying, Ended, Event, Ideal, Limits, Notice, Outcome, Peer, Placement, Print,
    Program, Progress, RunContext, Send, Waiting, WithinNode,
};
use weir_pdes::{OneProcess, ThreadAsProcess, Transport};
use weir_units::{Bandwidth, Bytes, Duration, NodeId, Rank, Time, mix};
use weir_workload::{Permutation, Queue, Steps};

/// What the ranks of a process have printed, and what it has shown.
#[derive(Default)]
pub(crate) struct Screen {
    prints: RefCell<Vec<Print>>,
    pub(crate) shown: RefCell<String>,
}

impl Console for Screen {
    fn take(&self) -> Vec<Print> {
        self.prints.take()
    }

    fn rest(&self) -> Vec<Print> {
        self.prints.take()
    }

    fn show(&self, text: &[u8]) {
        self.shown.borrow_mut().push_str(std::str::from_utf8(text).expect("it is text"));
    }
}

/// What ranks do that do something else at every event, as numbers say that follow from a seed, their events and their order.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Habits {
    pub(crate) seed: u64,
    pub(crate) ranks: u32,
    /// A rank does nothing more after so many events.
    pub(crate) most: u64,
    /// A rank that has had fewer in the end waits.
    pub(crate) least: u64,
    /// A rank ends the run at its event with this number, if it is one of those that do.
    pub(crate) stops: Option<u64>,
    /// Whether ranks keep account of their time.
    pub(crate) causes: Keep,
}

/// More calls than a path has names.
const CALLS: [&str; 9] = ["a", "b", "c", "d", "e", "f", "g", "h", "i"];

pub(crate) struct Chatter {
    rank: Rank,
    habits: Habits,
    events: u64,
    /// What it has seen so far.
    memory: u64,
    kept: Vec<(Rank, u64)>,
    screen: Rc<Screen>,
    ledger: Option<Box<Ledger>>,
}

impl Chatter {
    pub(crate) fn new(rank: Rank, habits: Habits, screen: &Rc<Screen>) -> Self {
        let memory = mix(habits.seed ^ u64::from(rank.0));
        Self { rank, habits, events: 0, memory, kept: Vec::new(), screen: Rc::clone(screen), ledger: None }
    }

    /// The time up to this event has gone into something; from now on the rank is in another call, and perhaps in another phase.
    fn accounts(&mut self, actions: &mut Actions<u64>) {
        let [call, site, phase, waits] =
            [CALLS.len() as u64, CALLS.len() as u64, 12, 3].map(|below| self.draw(below));
        if !actions.keeps_causes() {
            return;
        }
        let rank = self.rank;
        let ledger = self.ledger.get_or_insert_with(|| Box::new(Ledger::new(rank)));
        ledger.begin_event(actions.take_trail());
        if waits > 0 {
            ledger.wait(actions.now(), Cause::Other);
        }
        ledger.spend(actions.now(), Cause::Compute);
        ledger.enter(CALLS[call as usize], CALLS[site as usize]);
        if let Some(phase) = ["", "solve", "output"].get(phase as usize) {
            ledger.enter_phase(phase);
        }
    }

    fn draw(&mut self, below: u64) -> u64 {
        self.memory = mix(self.memory);
        self.memory % below
    }

    fn sees(&mut self, event: &Event<u64>, actions: &mut Actions<u64>) -> String {
        let (word, words) = match event {
            Event::Start => (0, "start".to_owned()),
            Event::Arrived(message) => {
                let (from, sequence) = (message.from, message.sequence);
                assert_eq!((message.to, message.body), (actions.rank(), message.bytes.0));
                match self.draw(3) {
                    0 => {
                        actions.note_kept(from, sequence);
                        self.kept.push((from, sequence));
                    }
                    1 => actions.note_waited(Duration::from_ns(self.draw(5))),
                    _ => actions.note_taken(from, sequence, actions.now()),
                }
                (sequence << 8 | u64::from(from.0), format!("{from} {sequence}"))
            }
            Event::Departed { sequence } => (sequence << 40, format!("departed {sequence}")),
            Event::Timer { token } => (token << 50 | 1, format!("timer {token}")),
        };
        if self.draw(4) == 0
            && let Some((from, sequence)) = self.kept.pop()
        {
            actions.note_taken(from, sequence, actions.now());
        }
        self.memory ^= mix(word);
        words
    }

    /// Sends a message, or replies to the one that has come.
    fn sends(&mut self, replies_to: Option<(Rank, u64)>, actions: &mut Actions<u64>) {
        let at = actions.now() + Duration::from_ns([0, 0, 0, 5, 20][self.draw(5) as usize]);
        let bytes = 5 * self.draw(8);
        let class = if self.draw(3) == 0 { Class::Control } else { Class::Data };
        let notice = if self.draw(2) == 0 { Notice::Departed } else { Notice::None };
        let send = |to| Send { at, to, bytes: Bytes(bytes), class, notice, body: bytes };
        let sending = if let Some((to, sequence)) = replies_to {
            actions.reply(send(to), None, sequence);
            Sending::Reply(None)
        } else {
            let to = Rank(self.draw(u64::from(self.habits.ranks)) as u32);
            actions.send(send(to));
            Sending::Own(Cause::StartUp)
        };
        if let Some(ledger) = &mut self.ledger {
            actions.attach(|at| ledger.send(at, sending));
        }
    }
}

impl Program for Chatter {
    type Body = u64;

    fn react(&mut self, event: Event<u64>, actions: &mut Actions<u64>) {
        let words = self.sees(&event, actions);
        self.accounts(actions);
        self.events += 1;
        let (now, rank) = (actions.now(), actions.rank());
        let text = format!("{now} {rank} {words}\n").into_bytes();
        self.screen.prints.borrow_mut().push(Print { moment: actions.moment(), text });
        let Habits { most, stops, .. } = self.habits;
        if stops == Some(self.events) && self.draw(3) == 0 {
            return actions.stop(format!("{rank} at {words}"));
        }
        if self.events > most {
            return;
        }
        if matches!(event, Event::Timer { .. }) && self.draw(5) == 0 {
            return actions.ignore();
        }
        let mut replies_to = match event {
            Event::Arrived(message) if self.draw(3) == 0 => Some((message.from, message.sequence)),
            _ => None,
        };
        for _ in 0..=self.draw(2) {
            match self.draw(4) {
                0 => actions.set_timer(now + Duration::from_ns(5 * self.draw(6)), self.events),
                1 => actions.set_poll_timer(now + Duration::from_ns(5 * (1 + self.draw(6))), self.events),
                _ => self.sends(replies_to.take(), actions),
            }
        }
    }

    fn ledger(&mut self) -> Option<&mut Option<Box<Ledger>>> {
        Some(&mut self.ledger)
    }

    fn waiting(&self) -> Option<Waiting> {
        let rank = self.rank;
        (self.events < self.habits.least).then(|| Waiting {
            rank,
            call: format!("{} events", self.events),
            peer: Peer::Any,
            details: vec![("kept", self.kept.len().to_string())],
        })
    }
}

/// All that is said of a run.
#[derive(Debug, PartialEq)]
struct Said {
    ended: Ended,
    messages: Vec<MessageTimes>,
    pairs: Option<Pairs>,
    shown: String,
}

/// The ranks of one of so many processes.
fn ranks_of(placement: &Placement, process: usize, processes: usize) -> Vec<Rank> {
    let homes = homes(placement, processes);
    let is_here = |rank: &Rank| homes[placement.node(*rank).index()] as usize == process;
    (0..placement.ranks()).map(Rank::new).filter(is_here).collect()
}

/// Runs the ranks of one process.
fn run_share(
    engine: &Ideal,
    placement: &Placement,
    limits: Limits,
    transport: &mut dyn Transport,
    habits: Habits,
) -> Said {
    let (process, processes) = (transport.process(), transport.processes());
    let ranks = ranks_of(placement, process, processes);
    let screen = Rc::new(Screen::default());
    let mut programs: Vec<_> = ranks.iter().map(|&rank| Chatter::new(rank, habits, &screen)).collect();
    let requested = Requested { messages: Keep::Yes, pairs: Keep::Yes, ..Requested::default() };
    let mut kept = Recorded { requested, ..Recorded::default() };
    let context = RunContext::new(placement).limits(limits).recorder(Some(&mut kept)).causes(habits.causes);
    let context = context.processes(transport, Some(&ranks)).console(Some(&*screen));
    let (ended, counts) = engine.run_together(&mut programs, context);
    assert_eq!((counts.processes, counts.lost), (processes, None));
    // One process prints at once.
    let unshown = screen.take().into_iter().map(|print| String::from_utf8(print.text).expect("it is text"));
    let shown = screen.shown.take() + &unshown.collect::<String>();
    Said { ended, messages: kept.messages, pairs: kept.pairs, shown }
}

/// What each of so many processes gives.
fn in_processes<T: std::marker::Send>(
    processes: usize,
    run: impl Fn(&mut dyn Transport) -> T + Sync,
) -> Vec<T> {
    let run = &run;
    std::thread::scope(|scope| {
        let all = ThreadAsProcess::several(processes).into_iter();
        let threads: Vec<_> = all.map(|mut transport| scope.spawn(move || run(&mut transport))).collect();
        threads.into_iter().map(|thread| thread.join().expect("no panic")).collect()
    })
}

fn run_in(processes: usize, engine: &Ideal, placement: &Placement, limits: Limits, habits: Habits) -> Said {
    if processes == 1 {
        return run_share(engine, placement, limits, &mut OneProcess, habits);
    }
    let run = |transport: &mut dyn Transport| run_share(engine, placement, limits, transport, habits);
    let mut all = in_processes(processes, run);
    for other in &all[1..] {
        assert_eq!(other.ended.outcome, all[0].ended.outcome, "all know how it ended");
        assert!(other.shown.is_empty() && other.messages.is_empty() && other.pairs.is_none());
        assert_eq!(other.ended.causes, None, "accounts are those of the first process");
    }
    all.swap_remove(0)
}

fn within() -> impl Strategy<Value = WithinNode> {
    let speed = || prop::sample::select(vec![None, Some(2e9), Some(4e8)]);
    let copying = prop::sample::select(vec![Copying::Apart, Copying::InTurn]);
    let latency = prop::sample::select(vec![0, 0, 3, 20]);
    let speeds =
        (speed(), speed()).prop_map(|(one, all)| [one, all].map(|speed| speed.and_then(Bandwidth::new)));
    (speeds, copying, latency).prop_map(|([bandwidth, memory_limit], copying, latency)| WithinNode {
        bandwidth,
        copying,
        latency: Duration::from_ns(latency),
        memory_limit,
    })
}

fn machines() -> impl Strategy<Value = (Ideal, Placement)> {
    let latency = prop::sample::select(vec![5, 10, 35, 1000]);
    let bandwidth = prop::sample::select(vec![None, Some(1e9), Some(2.5e8)]);
    let gap = prop::sample::select(vec![0, 5, 15]);
    // Some nodes have several ranks, some none.
    let nodes = prop::collection::vec(0_u32..9, 4..14);
    (latency, gap, bandwidth, nodes, within()).prop_map(|(latency, gap, bandwidth, nodes, within)| {
        let engine = Ideal {
            latency: Duration::from_ns(latency),
            message_gap: Duration::from_ns(gap),
            bandwidth: bandwidth.and_then(Bandwidth::new),
            within,
        };
        (engine, Placement::new(nodes.into_iter().map(NodeId).collect()))
    })
}

/// In as many processes as there are nodes, up to four.
fn check(
    engine: &Ideal,
    placement: &Placement,
    limits: Limits,
    habits: Habits,
) -> Result<Said, TestCaseError> {
    let whole = run_in(1, engine, placement, limits, habits);
    prop_assert_eq!(whole.ended.causes.is_some(), habits.causes == Keep::Yes);
    for processes in 2..=Ideal::most_processes(placement).min(4) {
        let said = run_in(processes, engine, placement, limits, habits);
        if let Outcome::Aborted { .. } = whole.ended.outcome {
            // Ranks of other processes go on to the end of the window: what is counted is more.
            prop_assert_eq!((&said.ended.outcome, said.ended.at), (&whole.ended.outcome, whole.ended.at));
            prop_assert_eq!(&said.shown, &whole.shown, "{} processes", processes);
        } else {
            prop_assert_eq!(&said, &whole, "{} processes", processes);
        }
    }
    Ok(whole)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(120))]

    /// Digest, counts, outcome, messages, accounts of ranks and what is printed are those of one process: of ranks that send at once and later, set
    /// timers, poll, reply, are told of departures, share nodes, wait in the end, or are cut off by a limit.
    #[test]
    fn all_is_as_in_one_process(
        (engine, placement) in machines(), seed in any::<u64>(), most in 1_u64..40, least in 0_u64..30,
        limit in prop::option::of(0_u64..400), causes in prop::sample::select(vec![Keep::Yes, Keep::No]),
    ) {
        let habits = Habits { seed, ranks: placement.ranks() as u32, most, least, stops: None, causes };
        let simulated = limit.map_or(Time::MAX, |limit| Time::from_ps(1000 * limit));
        check(&engine, &placement, Limits { simulated, ..Limits::default() }, habits)?;
    }

    /// Of several ranks that end the run in one window it is the first one, and what is printed ends there.
    #[test]
    fn the_first_to_end_the_run_does(
        (engine, placement) in machines(), seed in any::<u64>(), stops in 1_u64..20,
    ) {
        let (ranks, stops) = (placement.ranks() as u32, Some(stops));
        let habits = Habits { seed, ranks, most: 40, least: 30, stops, causes: Keep::Yes };
        check(&engine, &placement, Limits::default(), habits)?;
    }
}

const SECOND: u64 = 1_000_000_000;

/// Rank 0 looks for something every so many seconds; the last rank computes for so many seconds, and sends then to the one before.
#[derive(Clone, Copy)]
struct Looking {
    every: u64,
    computes: u64,
    ranks: u32,
}

impl Program for Looking {
    type Body = ();

    fn react(&mut self, event: Event<()>, actions: &mut Actions<()>) {
        let (now, rank) = (actions.now(), actions.rank());
        if rank == Rank(0) {
            actions.set_poll_timer(now + Duration::from_ns(self.every * SECOND), 0);
        } else if rank.0 + 1 == self.ranks {
            match event {
                Event::Start => actions.set_timer(now + Duration::from_ns(self.computes * SECOND), 0),
                _ => {
                    let (to, bytes) = (Rank(rank.0 - 1), Bytes(0));
                    let (class, notice) = (Class::Data, Notice::None);
                    actions.send(Send { at: now, to, bytes, class, notice, body: () });
                }
            }
        }
    }

    fn waiting(&self) -> Option<Waiting> {
        Some(Waiting { rank: Rank(0), call: "look".into(), peer: Peer::Any, details: vec![] })
    }
}

/// What it leaves in the first of so many processes.
fn look(processes: usize, latency: u64, looking: Looking, limits: Limits) -> Ended {
    let engine = Ideal { latency: Duration::from_ns(latency), ..Ideal::default() };
    let placement = Placement::one_per_node(looking.ranks as usize);
    let run = |transport: &mut dyn Transport| {
        let ranks = ranks_of(&placement, transport.process(), processes);
        let mut programs = vec![looking; ranks.len()];
        let context = RunContext::new(&placement).limits(limits);
        engine.run_together(&mut programs, context.processes(transport, Some(&ranks))).0
    };
    in_processes(processes, run).swap_remove(0)
}

/// A run in which nothing but looks happens is stuck after 60 s of them, for all ranks together, however many processes: at the
/// next window behind the look that makes it more. A message is on its way for a latency of a day.
#[test]
fn polls_in_vain_are_a_deadlock() {
    let day = 86_400 * SECOND;
    for (latency, computes, end) in [
        (1_000, 0, 61),
        (SECOND / 2, 0, 61),
        (1_000, 120, 181),
        (7 * SECOND, 0, 69),
        (7 * SECOND, 120, 188),
        (day, 10, 2 * 86_400 - 1),
    ] {
        let ended = [1, 2, 3, 4].map(|processes| {
            look(processes, latency, Looking { every: 1, computes, ranks: 4 }, Limits::default())
        });
        assert!(matches!(ended[0].outcome, Outcome::Deadlock(_)), "{ended:?}");
        assert_eq!(ended[0].at, Time::from_ps(end * 1000 * SECOND), "{latency}, {computes}");
        assert!(ended.iter().all(|other| *other == ended[0]), "{latency}, {computes}: {ended:?}");
    }
}

/// A limit of simulated time, and the end of time that can be counted, where windows are as narrow and as wide as they can be.
#[test]
fn the_end_of_time_is_a_limit() {
    let seconds = Time::MAX.as_ps() / 1000 / SECOND;
    let looking = Looking { every: seconds / 1000, computes: seconds, ranks: 3 };
    for (latency, simulated) in [(u64::MAX / 1000, Time::MAX), (u64::MAX / 3000, Time::from_ps(5))] {
        let limits = Limits { simulated, ..Limits::default() };
        let ended = [1, 2, 3].map(|processes| look(processes, latency, looking, limits));
        let Outcome::Limit(limit) = &ended[0].outcome else { panic!("{ended:?}") };
        let is_end = limit == "the simulated time exceeds 213 days (2^64 ps)";
        assert_eq!((ended[0].at, is_end), (simulated, simulated == Time::MAX), "{limit}");
        assert!(ended.iter().all(|other| *other == ended[0]), "{latency}: {ended:?}");
    }
}

/// Two ranks of two processes send each other 600 messages of 1 us, one behind the other; windows are as long as 50. Of both processes: how it
/// ended, and what the watch was shown of messages, bytes and events.
fn ring(limits: Limits, fails_after: Option<usize>) -> Vec<(Outcome, Vec<[u64; 3]>)> {
    let (latency, bandwidth) = (Duration::from_ns(50_000), Bandwidth::new(1e9));
    let engine = Ideal { latency, bandwidth, ..Ideal::default() };
    let placement = Placement::one_per_node(2);
    in_processes(2, |transport| {
        let own = transport.process();
        let mut queues = Queue::all(Arc::new(Permutation::ring(2, Bytes(1000), 600, Steps::FreeRunning)));
        let requested = Requested { messages: Keep::Yes, ..Requested::default() };
        let mut kept = Recorded { requested, fails_after, ..Recorded::default() };
        let mut seen = Vec::new();
        let mut watch = |now: Progress| seen.push([now.messages, now.bytes.0, now.events]);
        let ranks = [Rank::new(own)];
        let context = RunContext::new(&placement).limits(limits).watch(&mut watch).recorder(Some(&mut kept));
        let context = context.processes(transport, Some(&ranks));
        let (ended, _) = engine.run_together(&mut queues[own..=own], context);
        (ended.outcome, seen)
    })
}

/// The first process is shown what both do, but for what was done since the last look: no more than 256 steps of each and two windows.
#[test]
fn the_watch_is_shown_what_all_processes_do() {
    let both = ring(Limits::default(), None);
    for ((outcome, seen), shown) in both.iter().zip([800..=1200, 400..=600]) {
        assert_eq!(*outcome, Outcome::Finished);
        assert!(seen.is_sorted() && seen.iter().all(|[messages, bytes, _]| *bytes == 1000 * messages));
        let [messages, _, events] = *seen.last().expect("it is shown something");
        assert!(shown.contains(&messages) && (shown.start() * 2..=1202 * 2).contains(&events), "{seen:?}");
    }
}

/// Time on the wall, and a recorder of the first process that can keep no more.
#[test]
fn a_limit_of_one_process_ends_all() {
    let hurried = Limits { wall: std::time::Duration::ZERO, ..Limits::default() };
    for (limits, fails_after, why) in [
        (hurried, None, "limits.wall_time = 0 s is over"),
        (Limits::default(), Some(100), "the results cannot be written"),
    ] {
        let both = ring(limits, fails_after);
        assert!(both.iter().all(|(outcome, _)| *outcome == Outcome::Limit(why.into())), "{both:?}");
        assert!(both[0].1.last().is_none_or(|[messages, ..]| *messages < 600), "{both:?}");
    }
}
