//! The joint and the ideal engine, with times worked out by hand. 1 ns per byte (1 GB/s) unless said otherwise.

use proptest::prelude::*;
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use weir_network::causes::Cause;
use weir_network::harness::{Answerer, First};
use weir_network::record::Keep;
use weir_network::{
    Actions, Class, Digest, Ended, Event, Ideal, Limits, Notice, Outcome, Placement, Program, Progress,
    RunContext, Send, WithinNode,
};
use weir_units::{Bandwidth, Bytes, Duration, NodeId, Rank, Time};
use weir_workload::{Entry, Permutation, Queue, Script, Steps};

/// Delivered events, in order: when (ns), to which rank, what.
type Log = Vec<(u64, u32, String)>;

/// What a rank does; times in ns from now.
#[derive(Clone)]
enum Do {
    Send { after: u64, to: u32, bytes: u64, class: Class, notice: Notice },
    Timer { after: u64, token: u64 },
    Poll { after: u64, token: u64 },
    Stop(&'static str),
}

fn send(to: u32, bytes: u64) -> Do {
    Do::Send { after: 0, to, bytes, class: Class::Data, notice: Notice::Departed }
}

fn send_after(after: u64, to: u32, bytes: u64) -> Do {
    Do::Send { after, to, bytes, class: Class::Data, notice: Notice::None }
}

/// A rank that does the same things at every event of a kind.
#[derive(Clone, Default)]
struct Plan {
    start: Vec<Do>,
    arrived: Vec<Do>,
    log: Rc<RefCell<Log>>,
}

impl Program for Plan {
    type Body = u64;

    fn react(&mut self, event: Event<u64>, actions: &mut Actions<u64>) {
        let (todo, words) = match event {
            Event::Start => (&self.start[..], "start".to_string()),
            Event::Arrived(m) => {
                assert_eq!(
                    (m.to, m.body),
                    (actions.rank(), m.bytes.0),
                    "the message is the one that was sent"
                );
                (&self.arrived[..], format!("{} B from {} as number {}", m.bytes.0, m.from, m.sequence))
            }
            Event::Departed { sequence } => (&[][..], format!("departed {sequence}")),
            Event::Timer { token } => (&[][..], format!("timer {token}")),
        };
        let now = actions.now();
        self.log.borrow_mut().push((now.as_ps() / 1000, actions.rank().0, words));
        let at = |after| now + Duration::from_ns(after);
        for what in todo.iter().cloned() {
            match what {
                Do::Send { after, to, bytes, class, notice } => {
                    let (at, to) = (at(after), Rank(to));
                    actions.send(Send { at, to, bytes: Bytes(bytes), class, notice, body: bytes });
                }
                Do::Timer { after, token } => actions.set_timer(at(after), token),
                Do::Poll { after, token } => actions.set_poll_timer(at(after), token),
                Do::Stop(why) => actions.stop(why.into()),
            }
        }
    }
}

fn start(todo: &[Do]) -> Plan {
    Plan { start: todo.to_vec(), ..Plan::default() }
}

fn placement(nodes: &[u32]) -> Placement {
    Placement::new(nodes.iter().copied().map(NodeId).collect())
}

fn loggp(latency: u64, message_gap: u64) -> Ideal {
    let (latency, message_gap) = (Duration::from_ns(latency), Duration::from_ns(message_gap));
    Ideal { latency, message_gap, bandwidth: Bandwidth::new(1e9), ..Ideal::default() }
}

fn ns(n: u64) -> Time {
    Time::from_ps(n * 1000)
}

/// Runs the plans and returns all events delivered but the starts.
fn run(engine: &Ideal, nodes: &[u32], plans: &[Plan], limits: Limits) -> (Ended, Log) {
    let log = Rc::new(RefCell::new(Log::new()));
    let mut plans: Vec<_> = plans.iter().map(|plan| Plan { log: Rc::clone(&log), ..plan.clone() }).collect();
    let ended = engine.run(&mut plans, RunContext::new(&placement(nodes)).limits(limits));
    let delivered = log.borrow().iter().filter(|(_, _, words)| words != "start").cloned().collect();
    (ended, delivered)
}

#[track_caller]
fn check(engine: &Ideal, nodes: &[u32], plans: &[Plan], expected: &[(u64, u32, &str)]) -> Ended {
    let (ended, delivered) = run(engine, nodes, plans, Limits::default());
    let delivered: Vec<_> = delivered.iter().map(|(at, rank, words)| (*at, *rank, &words[..])).collect();
    assert_eq!(delivered, expected);
    assert_eq!(ended.at, ns(expected.last().map_or(0, |last| last.0)));
    ended
}

/// L = 10, g = 4, G = 1 ns. Messages of 1, 10 and 1 bytes, all at 0: they get the interface at 0, at max(4, 1) = 4
/// and at 4 + max(4, 10) = 14, leave at 1, 14, 15 and arrive at 11, 24, 25.
#[test]
fn log_gp_numbers() {
    let ended = check(
        &loggp(10, 4),
        &[0, 1],
        &[start(&[send(1, 1), send(1, 10), send(1, 1)]), start(&[])],
        &[
            (1, 0, "departed 0"),
            (11, 1, "1 B from 0 as number 0"),
            (14, 0, "departed 1"),
            (15, 0, "departed 2"),
            (24, 1, "10 B from 0 as number 1"),
            (25, 1, "1 B from 0 as number 2"),
        ],
    );
    assert_eq!(ended.outcome, Outcome::Finished);
    assert_eq!((ended.traffic.messages, ended.traffic.bytes), (3, Bytes(12)));
    // Two starts, three departures, three arrivals.
    assert_eq!(ended.traffic.events, 8);
}

/// L = 7 and nothing else. What leaves at 1000 holds up neither what another rank of the node sends at 10 nor what its own rank sends at 20,
/// which come to be carried after it.
#[test]
fn what_leaves_later_holds_up_nothing() {
    check(
        &Ideal { latency: Duration::from_ns(7), ..Ideal::default() },
        &[0, 0, 1],
        &[start(&[send_after(1000, 2, 3), send_after(20, 2, 2)]), start(&[send_after(10, 2, 1)]), start(&[])],
        &[
            (17, 2, "1 B from 1 as number 0"),
            (27, 2, "2 B from 0 as number 1"),
            (1007, 2, "3 B from 0 as number 0"),
        ],
    );
}

/// L = 1. Ranks 0 and 1 share a node and send 5 B each to rank 2: the interface serves rank 0 (0..5), then rank 1
/// (5..10). The 7 B from rank 0 to rank 1 need neither latency nor the interface.
#[test]
fn ranks_of_a_node_share_its_interface() {
    check(
        &loggp(1, 0),
        &[0, 0, 1],
        &[start(&[send(2, 5), send(1, 7)]), start(&[send(2, 5)]), start(&[])],
        &[
            (0, 0, "departed 1"),
            (0, 1, "7 B from 0 as number 1"),
            (5, 0, "departed 0"),
            (6, 2, "5 B from 0 as number 0"),
            (10, 1, "departed 0"),
            (11, 2, "5 B from 1 as number 0"),
        ],
    );
}

/// L = 10, g = 4, G = 1 ns. Rank 0 works for 5 ns and posts these bytes to rank 1, which waits for them: the end, the causes of the critical path
/// in ns, and its links. The second message waits for the byte of the first and for the gap behind it.
#[test]
fn causes_of_messages() {
    use Cause::{Compute, Latency, Serialization, StartUp};
    let (bandwidth, latency) = (Bandwidth::new(1e9), Duration::from_ns(3));
    let engine = Ideal { within: WithinNode { latency, ..WithinNode::apart(bandwidth) }, ..loggp(10, 4) };
    let one = |latency| vec![(Compute, 5), (Latency, latency), (Serialization, 6)];
    let two = vec![(Compute, 5), (StartUp, 3), (Latency, 10), (Serialization, 7)];
    for (home, posts, end, causes, links) in
        [(1, &[6][..], 21, one(10), 1), (0, &[6], 14, one(3), 0), (1, &[1, 6], 25, two, 1)]
    {
        let post = |&bytes: &u64| Entry::Post { to: Rank(1), bytes: Bytes(bytes), wait: Duration::ZERO };
        let work = Entry::Pause { time: Duration::from_ns(5) };
        let own = [work].into_iter().chain(posts.iter().map(post)).collect();
        let script = Script::new(vec![own, vec![Entry::Await { from: Rank(0) }; posts.len()]]);
        let mut programs = Queue::all(Arc::new(script.expect("two ranks")));
        let placement = placement(&[0, home]);
        let ended = engine.run(&mut programs, RunContext::new(&placement).causes(Keep::Yes));
        let accounts = ended.causes.expect("it was asked for").closed(ended.at);
        let path = &accounts.critical().path;
        let times = Cause::ALL.map(|cause| (cause, path.causes.of(cause).as_ps() / 1000));
        assert_eq!(times.into_iter().filter(|(_, time)| *time > 0).collect::<Vec<_>>(), causes);
        assert_eq!((ended.at, path.messages, path.links), (ns(end), 1, links));
    }
}

/// At 5 ns all of it happens at once to ranks 1 and 2: departures first, then arrivals by receiver, sender and
/// number, then timers in the order of setting, then polls; and in the next round what is only sent at that instant.
#[test]
fn events_of_one_instant_have_an_order() {
    check(
        &loggp(0, 0),
        &[0, 1, 2],
        &[
            start(&[send_after(3, 2, 2)]),
            start(&[
                Do::Poll { after: 5, token: 3 },
                Do::Timer { after: 5, token: 2 },
                Do::Timer { after: 5, token: 1 },
                send(2, 5),
            ]),
            start(&[Do::Timer { after: 5, token: 0 }, send(1, 5), send_after(5, 1, 0)]),
        ],
        &[
            (5, 1, "departed 0"),
            (5, 2, "departed 0"),
            (5, 1, "5 B from 2 as number 0"),
            (5, 2, "2 B from 0 as number 0"),
            (5, 2, "5 B from 1 as number 0"),
            (5, 1, "timer 2"),
            (5, 1, "timer 1"),
            (5, 2, "timer 0"),
            (5, 1, "timer 3"),
            (5, 1, "0 B from 2 as number 1"),
        ],
    );
}

/// Rank 1 stops the run at its first message, at 1 ns; the second message, at 2 ns, is not delivered.
#[test]
fn a_program_can_stop_the_run() {
    let stop = Plan { arrived: vec![Do::Stop("no"), Do::Stop("again")], ..Plan::default() };
    let expected = [(1, 1, "1 B from 0 as number 0")];
    let sends = start(&[send_after(0, 1, 1), send_after(0, 1, 1)]);
    let ended = check(&loggp(0, 0), &[0, 1], &[sends, stop], &expected);
    assert_eq!(ended.outcome, Outcome::Aborted { rank: Rank(1), why: "no".into() });

    // The first to stop ends the run; the other rank is not even started.
    let (ended, _) =
        run(&loggp(0, 0), &[0, 1], &[start(&[Do::Stop("a")]), start(&[Do::Stop("b")])], Limits::default());
    assert_eq!(ended.outcome, Outcome::Aborted { rank: Rank(0), why: "a".into() });
    assert_eq!(ended.traffic.events, 1);
}

/// The message arrives at 7 ns: within a limit of 7 ns, but not within one of 1 ps less.
#[test]
fn the_limit_of_simulated_time_includes_its_instant() {
    let check = |simulated, outcome, messages| {
        let limits = Limits { simulated, ..Limits::default() };
        let (ended, _) = run(&loggp(0, 0), &[0, 1], &[start(&[send_after(0, 1, 7)]), start(&[])], limits);
        // A run that its limit ends took as long as the limit, however far away the next event is.
        assert_eq!((ended.outcome, ended.traffic.messages, ended.at), (outcome, messages, simulated));
    };
    check(ns(7), Outcome::Finished, 1);
    let limit = Outcome::Limit("limits.simulated_time = 6.999 ns is over".into());
    check(Time::from_ps(6999), limit, 0);
}

/// Two ranks in a ring of 10,000 messages each: 2 starts, 20,000 departures, 20,000 arrivals.
fn long_ring() -> (Ended, Vec<Progress>) {
    let mut queues = Queue::all(Arc::new(Permutation::ring(2, Bytes(1), 10_000, Steps::FreeRunning)));
    let mut seen = Vec::new();
    let ended = loggp(0, 0)
        .run(&mut queues, RunContext::new(&placement(&[0, 1])).watch(&mut |progress| seen.push(progress)));
    (ended, seen)
}

/// Before the first event, behind it, and then after ever more, up to 4096; where these take long after fewer.
#[test]
fn the_watch_is_shown_how_far_the_run_is() {
    let (ended, seen) = long_ring();
    assert_eq!((ended.outcome, ended.traffic.events, ended.at), (Outcome::Finished, 40_002, ns(10_000)));
    let events: Vec<_> = seen.iter().map(|progress| progress.events).collect();
    assert_eq!(events[..2], [0, 1]);
    assert!(events.windows(2).all(|pair| (1..=4096).contains(&(pair[1] - pair[0]))), "{events:?}");
    assert!(*events.last().unwrap() > 40_002 - 4096, "{events:?}");
    assert!(seen.windows(2).all(|pair| pair[0].now <= pair[1].now && pair[0].messages <= pair[1].messages));
    assert!(seen.iter().all(|progress| progress.bytes == Bytes(progress.messages)));
}

/// A rank that comes back at 5 ns and says that it was interrupted: whoever interrupted it has a clock, so the run ends
/// with a limit there, though by its own clock there is time left.
#[test]
fn an_interrupted_rank_ends_the_run() {
    struct Interrupted;
    impl Program for Interrupted {
        type Body = ();
        fn react(&mut self, event: Event<()>, actions: &mut Actions<()>) {
            match event {
                Event::Start => actions.set_timer(ns(5), 0),
                _ => actions.note_limit(),
            }
            actions.set_timer(ns(9), 1);
        }
    }
    let limits = Limits { wall: std::time::Duration::from_secs(1000), ..Limits::default() };
    let ended = Ideal::default().run(&mut [Interrupted], RunContext::new(&placement(&[0])).limits(limits));
    assert_eq!(ended.outcome, Outcome::Limit("limits.wall_time = 1000 s is over".into()));
    assert_eq!((ended.at, ended.traffic.events), (ns(5), 2));
}

#[test]
fn no_ranks_finish_at_once() {
    let (ended, _) = run(&Ideal::default(), &[], &[], Limits::default());
    assert_eq!((ended.outcome, ended.at, ended.digest), (Outcome::Finished, Time::ZERO, Digest(0)));
}

/// A rank that acts before the instant of the event it gets.
struct Late;

impl Program for Late {
    type Body = ();

    fn react(&mut self, event: Event<()>, actions: &mut Actions<()>) {
        match event {
            Event::Start => actions.set_timer(ns(5), 0),
            _ => actions.set_timer(ns(4), 0),
        }
    }
}

#[test]
#[should_panic(expected = "rank 0 sets a timer in the past")]
fn no_rank_acts_in_the_past() {
    let _ = Ideal::default().run(&mut [Late], RunContext::new(&placement(&[0])));
}

proptest! {
    /// Every message is there, and is answered as often as it asks for: once with its bytes, and each time with nothing. Of two messages
    /// of a pair, what was sent first and handed to the interface first is delivered first.
    #[test]
    fn messages_of_a_pair_keep_their_order(
        firsts in prop::collection::vec((0..4_u32, 0..5_u64, 0..4_u32, 0..9_u64, 0..4_u8), 1..60),
        (latency, gap) in (0..4_u64, 0..4_u64),
        homes in prop::collection::vec(0..4_u32, 4),
    ) {
        let first = |(from, at, to, bytes, answers)| (from, First { at: 1000 * at, to, bytes, answers });
        let firsts: Vec<_> = firsts.into_iter().map(first).collect();
        let mut ranks = Answerer::all(4, firsts.iter().copied());
        let ended = loggp(latency, gap).run(&mut ranks, RunContext::new(&placement(&homes)));
        let count = firsts.iter().map(|(_, first)| 1 + 2 * u64::from(first.answers)).sum();
        let bytes = firsts.iter().map(|(_, first)| first.bytes * if first.answers > 0 { 2 } else { 1 }).sum();
        prop_assert_eq!((ended.traffic.messages, ended.traffic.bytes), (count, Bytes(bytes)));
        prop_assert!(ranks.iter().all(|rank| rank.overtaken().is_none()));
    }
}
