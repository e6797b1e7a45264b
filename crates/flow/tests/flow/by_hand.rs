//! Small machines, computed by hand. Unless a test says otherwise: links of 1 B/s without latency, times in seconds.

use crate::changes::{run_kept, sends};
use crate::common::{RULES, UNIT, fat_tree, run, seconds, torus};
use std::sync::Arc;
use weir_flow::{Compare, Cycle, Deviation, Flow, FlowEnded, KeepCycles, NodeModel, Sharing, Ties};
use weir_network::harness::Recorded;
use weir_network::record::{Keep, Requested};
use weir_network::{
    Actions, Class, Event, Limits, Notice, Outcome, Placement, Program, RunContext, Send, WithinNode,
};
use weir_topology::{Topology, Wrap};
use weir_units::{Bandwidth, Bytes, Duration, NodeId, Rank, Time};
use weir_workload::{Algorithm, AllToAll, Entry, Queue, Script, Steps};

/// Hands all its messages to the interface at the start and notes its events.
#[derive(Default)]
struct Notes {
    sends: Vec<(u64, u32, u64)>,
    seen: Vec<(u64, String)>,
}

impl Program for Notes {
    type Body = ();

    fn react(&mut self, event: Event<()>, actions: &mut Actions<()>) {
        let what = match event {
            Event::Start => {
                for &(at, to, bytes) in &self.sends {
                    let (class, notice) = (Class::Data, Notice::Departed);
                    let at = Time::from_ps(at * UNIT);
                    actions.send(Send { at, to: Rank(to), bytes: Bytes(bytes), class, notice, body: () });
                }
                return;
            }
            Event::Departed { sequence } => format!("departed {sequence}"),
            Event::Arrived(message) => format!("arrived {} of {}", message.sequence, message.from),
            Event::Timer { .. } => unreachable!("no timer is set"),
        };
        self.seen.push((actions.now().as_ps(), what));
    }
}

/// A line of three nodes: 0 - 1 - 2.
pub(crate) fn line(latency: Duration) -> Topology {
    torus(&[3], Wrap::Mesh, latency)
}

/// The events of each rank if rank `r` sends `sends[r]` = (at, to, bytes), in seconds.
pub(crate) fn delivered(
    flow: Flow,
    topology: &Topology,
    placement: &Placement,
    node: NodeModel,
    sends: &[&[(u64, u32, u64)]],
) -> Vec<Vec<(u64, String)>> {
    let program = |sends: &&[(u64, u32, u64)]| Notes { sends: sends.to_vec(), seen: Vec::new() };
    let mut programs: Vec<Notes> = sends.iter().map(program).collect();
    flow.run(topology, &[], &mut programs, &node, RunContext::new(placement));
    programs.into_iter().map(|program| program.seen).collect()
}

#[track_caller]
pub(crate) fn check(delivered: &[Vec<(u64, String)>], rank: usize, expected: &[(f64, &str)]) {
    let expected: Vec<_> =
        expected.iter().map(|&(at, what)| ((at * UNIT as f64).round() as u64, what.to_string())).collect();
    assert_eq!(delivered[rank], expected);
}

pub(crate) fn each_rule() -> impl Iterator<Item = Flow> {
    RULES.into_iter().map(|sharing| Flow { sharing, ..Flow::default() })
}

/// What ranks hand over: when, to whom, bytes.
pub(crate) type Sends<'a> = &'a [(u64, u32, u64)];

/// What ranks on these nodes see if rank `r` sends `sends[r]`, by every rule.
#[track_caller]
pub(crate) fn check_all(
    (topology, homes): (&Topology, &[u32]),
    node: NodeModel,
    sends: &[Sends<'_>],
    expected: &[(usize, &[(f64, &str)])],
) {
    let placement = Placement::new(homes.iter().map(|&home| NodeId(home)).collect::<Vec<_>>());
    for flow in each_rule() {
        let delivered = delivered(flow, topology, &placement, node, sends);
        expected.iter().for_each(|(rank, seen)| check(&delivered, *rank, seen));
    }
}

/// Ranks 0 and 1 share node 0. Memory moves 2 B/s: 4 B take 2 s, shared with no other, beside the interface. A small
/// message does not overtake the large one before it.
#[test]
fn ranks_of_one_node_do_not_need_the_network() {
    let topology = line(Duration::from_ns(100));
    let sends: [Sends<'_>; 3] = [&[(0, 2, 1), (0, 1, 4), (0, 1, 2)], &[(0, 0, 4)], &[]];
    let memory = NodeModel { within: WithinNode::apart(Bandwidth::new(2.0)), ..NodeModel::default() };
    check_all(
        (&topology, &[0, 0, 1]),
        memory,
        &sends,
        &[
            (0, &[(1.0, "departed 0"), (1.0, "departed 2"), (2.0, "departed 1"), (2.0, "arrived 0 of 1")]),
            (1, &[(2.0, "departed 0"), (2.0, "arrived 1 of 0"), (2.0, "arrived 2 of 0")]),
            (2, &[(1.000_000_3, "arrived 0 of 0")]),
        ],
    );
    let expected = [(0.0, "departed 0"), (0.0, "arrived 1 of 0"), (0.0, "arrived 2 of 0")];
    check_all((&topology, &[0, 0, 1]), NodeModel::default(), &sends, &[(1, &expected)]);
}

/// Runs the entries of ranks on nodes of their own.
fn run_script(flow: Flow, topology: &Topology, entries: Vec<Vec<Entry>>) -> FlowEnded {
    let mut programs = Queue::all(Arc::new(Script::new(entries).expect("all ranks exist")));
    run(flow, topology, &Placement::one_per_node(topology.nodes()), &mut programs)
}

/// Resolution 0.4. Node 0 sends 1 B twice, node 2 waits 0.9 and sends 1 B to node 0. Instants: 0; 0.9 (node 2 starts);
/// node 0 would be done at 1.0, but the next instant is not before 1.3: its second message starts then and needs until
/// 2.3. Node 2 is done at 1.9, which is an instant, and 2.3 is just one more.
#[test]
fn resolution() {
    let topology = line(Duration::ZERO);
    for sharing in RULES {
        let flow = Flow { sharing, resolution: Duration::from_ps(4 * UNIT / 10), ..Flow::default() };
        let wait = |tenths: u64| Duration::from_ps(tenths * UNIT / 10);
        let send = |to, tenths| Entry::Send { to: Rank(to), bytes: Bytes(1), wait: wait(tenths) };
        let entries = vec![vec![send(1, 0), send(1, 0)], vec![], vec![send(0, 9)]];
        let ended = run_script(flow, &topology, entries);
        assert_eq!(ended.ended.outcome, Outcome::Finished);
        assert_eq!(ended.ended.at, Time::from_ps(23 * UNIT / 10));
        assert_eq!(ended.cycles, 4);
    }
}

/// At 1 s the byte of node 1 has left for node 2, and that of node 2 for node 0. Node 1 sends nothing to node 0 then, which is there after
/// all that has come meanwhile.
#[test]
fn a_departure_brings_about_what_comes_in_the_next_round() {
    let requested = Requested { messages: Keep::Yes, ..Requested::default() };
    let mut kept = Recorded { requested, ..Recorded::default() };
    let script = sends(3, &[(1, 2, 1, 0), (1, 0, 0, 0), (2, 0, 1, 0)]);
    run_kept(Flow::default(), &line(Duration::ZERO), &[], script, &mut kept);
    let order: Vec<_> = kept.messages.iter().map(|message| (message.from.0, message.to.0)).collect();
    assert_eq!(order, [(2, 0), (1, 2), (1, 0)]);
}

/// A run that stops in the middle has carried what it has carried. Node 0 sends 4 B and node 2 sends 8 B to node 1, each at
/// 1/2. At 6, each has sent 3 B.
#[test]
fn bytes_of_unfinished_messages_count() {
    let send = |bytes| vec![Entry::send(Rank(1), Bytes(bytes))];
    for sharing in RULES {
        let script = Script::new(vec![send(4), vec![], send(8)]).unwrap();
        let limits = Limits { simulated: seconds(6), ..Limits::default() };
        let flow = Flow { sharing, ..Flow::default() };
        let mut programs = Queue::all(Arc::new(script));
        let (placement, node) = (Placement::one_per_node(3), NodeModel::default());
        let ended = flow.run(
            &line(Duration::ZERO),
            &[],
            &mut programs,
            &node,
            RunContext::new(&placement).limits(limits),
        );
        assert!(matches!(ended.ended.outcome, Outcome::Limit(_)));
        assert_eq!(ended.until, seconds(6));
        assert_eq!((ended.link_bytes[0], ended.link_bytes[2], ended.link_bytes[4]), (3.0, 3.0, 6.0));
        assert_eq!((ended.max_link_share, ended.link_share[4]), (2, 2));
    }
}

/// Simulated time cannot exceed 2^64 ps: a message that needs longer ends the run with a limit.
#[test]
fn beyond_representable_time() {
    let entries = vec![vec![Entry::send(Rank(1), Bytes(1 << 40))], vec![], vec![]];
    let ended = run_script(Flow::default(), &line(Duration::ZERO), entries);
    assert!(matches!(ended.ended.outcome, Outcome::Limit(_)));
}

/// Rank 0 sends a message to rank 1, which looks every second for it or, where it forgets, sets a timer for later that means
/// nothing any more when it fires.
struct Poller {
    forgets: bool,
    arrived: bool,
}

impl Program for Poller {
    type Body = ();

    fn react(&mut self, event: Event<()>, actions: &mut Actions<()>) {
        let (now, second) = (actions.now(), Duration::from_ps(UNIT));
        match event {
            Event::Start if actions.rank() == Rank(0) => {
                let (to, bytes, class) = (Rank(1), Bytes(500), Class::Data);
                actions.send(Send { at: now, to, bytes, class, notice: Notice::None, body: () });
            }
            Event::Start if self.forgets => actions.set_poll_timer(now + second * 1000, 0),
            Event::Timer { .. } if self.forgets => actions.ignore(),
            Event::Start | Event::Timer { .. } if !self.arrived => actions.set_poll_timer(now + second, 0),
            Event::Arrived(_) => self.arrived = true,
            _ => {}
        }
    }
}

/// 500 B at 1 B/s. A program that polls while a long message is on its way is not stuck, and a forgotten timer does not make the run
/// longer: the three links of the route have carried 500 B each, that is, were in use all the time.
#[test]
fn polls_while_something_flows() {
    for forgets in [false, true] {
        let mut programs = [false; 2].map(|arrived| Poller { forgets, arrived });
        let placement = Placement::one_per_node(3);
        let run = run(Flow::default(), &line(Duration::ZERO), &placement, &mut programs);
        assert_eq!(
            (run.ended.outcome, run.until, run.ended.at),
            (Outcome::Finished, seconds(500), seconds(500))
        );
        assert!(programs[1].arrived);
        assert_eq!(run.link_bytes.iter().filter(|&&bytes| bytes == 500.0).count(), 3);
    }
}

/// The example of paper 000, Step 5, as messages on a line of four nodes with one narrow end: two flows share the link
/// 1 -> 2; one of them is held to 1/3 at an ejection link that three flows share.
///
/// Single-pass gives f0 1/2 where max-min gives 2/3: 0.75 of it; f1 gets its 1/3 in both. Max-min against itself is 1.
#[test]
fn the_deviation_from_max_min() {
    let topology = torus(&[5], Wrap::Mesh, Duration::ZERO);
    // f0: 1 -> 3, f1: 0 -> 2 over link 1 -> 2; f2: 3 -> 2 and f3: 4 -> 2 come from the other side.
    let send = |to: u32, bytes| vec![Entry::send(Rank(to), Bytes(bytes))];
    let entries = || vec![send(2, 1), send(3, 2), vec![], send(2, 1), send(2, 1)];
    let deviation = |sharing| {
        let flow = Flow { sharing, compare: Compare::WithMaxMin, ..Flow::default() };
        run_script(flow, &topology, entries()).deviation.unwrap()
    };
    assert_eq!(deviation(Sharing::MaxMin), Deviation { least: 1.0, most: 1.0, throughput: 1.0 });
    // Three seconds at 3/2 of 5/3; f0 has 1.5 B behind it then, and the last half alone at full rate in both.
    let Deviation { least, most, throughput } = deviation(Sharing::SinglePass);
    let near = |a: f64, b: f64| assert!((a - b).abs() < 1e-12, "{a}, not {b}");
    near(least, 0.75);
    near(most, 1.0);
    near(throughput, (3.0 * 1.5 + 0.5) / (3.0 * 5.0 / 3.0 + 0.5));

    // What a limit cuts counts until the limit: 3/2 of 5/3.
    let limits = Limits { simulated: Time::from_ps(UNIT * 3 / 2), ..Limits::default() };
    let flow = Flow { sharing: Sharing::SinglePass, compare: Compare::WithMaxMin, ..Flow::default() };
    let mut queues = Queue::all(Arc::new(Script::new(entries()).unwrap()));
    let (placement, node) = (Placement::one_per_node(5), NodeModel::default());
    let ended = flow.run(&topology, &[], &mut queues, &node, RunContext::new(&placement).limits(limits));
    near(ended.deviation.unwrap().throughput, 0.9);
}

/// Perturbed ties change a run without contention by no more than the jitter for each of its 53 steps (a node that is
/// late overlaps that much with the next step of others), and one that hangs on ties by much more.
#[test]
fn perturbed_ties() {
    let simulated = |order: Arc<AllToAll>, topology: &Topology, ties| {
        let flow = Flow { ties, ..Flow::default() };
        let mut queues = Queue::all(order);
        let ended = run(flow, topology, &Placement::one_per_node(topology.nodes()), &mut queues);
        ended.ended.at.as_secs_f64()
    };
    let spread = |topology: &Topology, algorithm| {
        let ranks = topology.nodes();
        let order = Arc::new(AllToAll::new(ranks, Bytes(1), algorithm, Steps::FreeRunning).unwrap());
        let kept = simulated(Arc::clone(&order), topology, Ties::Kept);
        let runs = (0..4).map(|seed| simulated(Arc::clone(&order), topology, Ties::Perturbed { seed }));
        runs.map(|run| (run / kept - 1.0).abs()).fold(0.0, f64::max)
    };
    let regular = spread(&fat_tree(3), Algorithm::SimpleSpread);
    assert!(regular > 0.0 && regular < 2.0 * 53.0 * Ties::JITTER, "{regular}");
    let chaotic = spread(&torus(&[10, 10], Wrap::Torus, Duration::ZERO), Algorithm::SimpleSpread);
    assert!(chaotic > 1e-4, "{chaotic}");
}

/// The cycles of three messages on a line of three nodes: 0 -> 2 (2 B) and 1 -> 2 (1 B) share the last link, 1 goes on
/// with 1 B to 0 after a wait of 2 s.
///
/// 0 to 2 s: both at 1/2. At 2 s 1 has sent its byte and waits; 0 has 1 B left and the link alone until 3 s. From 3 to
/// 4 s nothing flows. At 4 s 1 sends, until 5 s.
#[test]
fn the_sequence_of_cycles() {
    let later = Entry::Send { to: Rank(0), bytes: Bytes(1), wait: Duration::from_ps(2 * UNIT) };
    let send = |bytes| Entry::send(Rank(2), Bytes(bytes));
    let entries = [vec![send(2)], vec![send(1), later], vec![]];
    for sharing in RULES {
        let flow = Flow { sharing, keep: KeepCycles::Yes, ..Flow::default() };
        let ended = run_script(flow, &line(Duration::ZERO), entries.to_vec());
        let cycle = |at, dt, flows| Cycle { at: seconds(at), dt: Duration::from_ps(dt * UNIT), flows };
        assert_eq!(ended.kept, [cycle(0, 2, 2), cycle(2, 1, 1), cycle(4, 1, 1)], "{sharing:?}");
        assert_eq!(ended.cycles, 3);
    }
}

/// What fell due within a cycle acts at its end in the order in which it fell due: node 0's 2 B have left at 2 s and
/// arrive a little later; with a resolution of 2 s the next instant is at 4 s, when node 1's own 3 B have left, too.
#[test]
fn an_arrival_of_the_last_cycle_comes_before_a_departure() {
    for sharing in RULES {
        let flow = Flow { sharing, resolution: Duration::from_ps(2 * UNIT), ..Flow::default() };
        let placement = Placement::one_per_node(3);
        let topology = line(Duration::from_ps(1000));
        let sends: [&[(u64, u32, u64)]; 3] = [&[(0, 1, 2)], &[(0, 2, 3)], &[]];
        let delivered = delivered(flow, &topology, &placement, NodeModel::default(), &sends);
        let expected = ["arrived 0 of 0", "departed 0"].map(|what| (4 * UNIT, what.to_owned()));
        assert_eq!(delivered[1], expected, "{sharing:?}");
    }
}
