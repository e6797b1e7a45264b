//! Machines with failed and slow links, and such as change while a run goes on.

use crate::common::{RULES, UNIT, fat_tree, play, play_placed, torus};
use crate::detours::{ruled, sharings};
use crate::laws::machines;
use proptest::prelude::*;
use std::sync::Arc;
use weir_flow::{Change, Compare, Flow, FlowEnded, NodeModel, Sharing};
use weir_network::harness::Recorded;
use weir_network::record::{Keep, Requested};
use weir_network::{Outcome, Placement, RunContext};
use weir_topology::{Degraded, Part, Topology, Wrap};
use weir_units::{Bytes, Duration, LinkId, NodeId, Rank, Time};
use weir_workload::{Entry, Queue, Script};

fn part(machine: &Topology, name: &str) -> Vec<LinkId> {
    match machine.parts_named(&[name])[0] {
        Some(Part::Link(link)) => vec![link],
        Some(Part::Cable(links)) => links.to_vec(),
        Some(Part::Router(router)) => machine.links_at(router),
        None => panic!("{name} is no part"),
    }
}

/// The machine with a part at a part of its speed.
fn with(machine: &Topology, name: &str, speed: f64) -> Topology {
    let speeds = part(machine, name).into_iter().map(|link| (link, speed)).collect();
    Topology::Degraded(Degraded::new(machine.clone(), speeds))
}

/// Each message: from, to, bytes, and how many seconds the sender waits after it.
pub(crate) fn sends(ranks: usize, messages: &[(usize, usize, u64, u64)]) -> Script {
    let of = |rank| {
        let own = messages.iter().filter(move |(from, ..)| *from == rank);
        let entry = |&(_, to, bytes, wait): &(usize, usize, u64, u64)| Entry::Send {
            to: Rank::new(to),
            bytes: Bytes(bytes),
            wait: Duration::from_ps(wait * UNIT),
        };
        own.map(entry).collect()
    };
    Script::new((0..ranks).map(of).collect()).expect("all ranks exist")
}

fn run(flow: Flow, machine: &Topology, changes: &[(u64, &Topology)], script: Script) -> FlowEnded {
    run_kept(flow, machine, changes, script, &mut Recorded::default())
}

pub(crate) fn run_kept(
    flow: Flow,
    machine: &Topology,
    changes: &[(u64, &Topology)],
    script: Script,
    kept: &mut Recorded,
) -> FlowEnded {
    let placement = Placement::one_per_node(machine.nodes());
    let change = |&(seconds, topology): &(u64, _)| Change { at: Time::from_ps(seconds * UNIT), topology };
    let changes: Vec<_> = changes.iter().map(change).collect();
    let mut programs = Queue::all(Arc::new(script));
    let context = RunContext::new(&placement).recorder(Some(kept));
    flow.run(machine, &changes, &mut programs, &NodeModel::default(), context)
}

/// When it ends, in seconds, and what a link has carried.
#[track_caller]
fn check(
    machine: &Topology,
    changes: &[(u64, &Topology)],
    script: &[(usize, usize, u64, u64)],
    end: u64,
    carried: &[(&str, f64)],
) {
    for sharing in RULES {
        let ended =
            run(Flow { sharing, ..Flow::default() }, machine, changes, sends(machine.nodes(), script));
        assert_eq!(ended.ended.outcome, Outcome::Finished);
        assert_eq!(ended.ended.at.as_ps(), end * UNIT, "{sharing:?}");
        for &(name, bytes) in carried {
            assert_eq!(ended.link_bytes[part(machine, name)[0].index()], bytes, "{name}, {sharing:?}");
        }
    }
}

/// A ring of four with links of 1 B/s. From 0 to 1 go 10 B; after 4 s the cable between them fails, and the rest goes round: no
/// slower, for it is a fluid. With a slow cable it stays, and the rest takes twice as long; repaired after 8 s, when 4 + 2 B are
/// there, the last 4 B take 4 s.
#[test]
fn a_cable_fails_and_is_repaired() {
    let ring = torus(&[4], Wrap::Torus, Duration::ZERO);
    let cut = with(&ring, "router (0) - router (1)", 0.0);
    let slow = with(&ring, "router (0) - router (1)", 0.5);
    let direct = "router (0) -> router (1)";
    let around = "router (3) -> router (2)";
    let one = [(0, 1, 10, 0)];
    check(&ring, &[], &one, 10, &[(direct, 10.0), (around, 0.0)]);
    check(&ring, &[(4, &cut)], &one, 10, &[(direct, 4.0), (around, 6.0), ("node 0 -> router (0)", 10.0)]);
    check(&ring, &[(4, &slow)], &one, 16, &[(direct, 10.0), (around, 0.0)]);
    check(&ring, &[(4, &slow), (8, &ring)], &one, 12, &[(direct, 10.0)]);
    check(&ring, &[(4, &cut), (7, &ring)], &one, 10, &[(direct, 7.0), (around, 3.0)]);
    // From 3 to 2 go 10 B as well: from 4 s on they share that link, and the other has the rest of it.
    let two = [(0, 1, 10, 0), (3, 2, 10, 0)];
    check(&ring, &[(4, &cut)], &two, 16, &[(direct, 4.0), (around, 16.0)]);
    // A change when nothing is left to do is none.
    check(&ring, &[(4, &cut), (11, &slow), (99, &ring)], &one, 10, &[]);
    check(&ring, &[(10, &cut)], &one, 10, &[(direct, 10.0)]);
    // One that is there before anybody sends.
    check(&ring, &[(3, &cut)], &[(0, 0, 1, 5), (0, 1, 10, 0)], 15, &[(direct, 0.0), (around, 10.0)]);
}

/// On a line of two there is no way round: the message waits from 4 s to 7 s. So do one that begins meanwhile, and one of no bytes.
#[test]
fn messages_wait_for_a_way() {
    let line = torus(&[2], Wrap::Mesh, Duration::ZERO);
    let cut = with(&line, "router (0) - router (1)", 0.0);
    check(&line, &[(4, &cut), (7, &line)], &[(0, 1, 10, 0)], 13, &[("router (0) -> router (1)", 10.0)]);
    check(&line, &[(4, &cut), (7, &line)], &[(0, 0, 1, 5), (0, 1, 10, 0)], 17, &[]);
    check(&line, &[(4, &cut), (7, &line)], &[(0, 0, 1, 5), (0, 1, 0, 0)], 7, &[]);
    check(&line, &[(4, &cut), (7, &line), (8, &cut), (20, &line)], &[(0, 1, 10, 0), (1, 0, 2, 0)], 25, &[]);
    check(&cut, &[(6, &line)], &[(0, 1, 10, 0)], 16, &[]);
    // For ever: the run says so.
    let ended = run(Flow::default(), &line, &[(4, &cut)], sends(2, &[(0, 1, 10, 0)]));
    assert!(!matches!(ended.ended.outcome, Outcome::Finished), "{:?}", ended.ended.outcome);
    assert_eq!(ended.link_bytes[part(&line, "router (0) -> router (1)")[0].index()], 4.0);
}

/// Many messages to one node are a crowd, which becomes others when its link slows down and when routes change. 80 nodes send 1 B
/// each to node 0, over one link of 1 B/s: 80 s; at half speed from 40 s on, 120 s.
#[test]
fn a_crowd() {
    let torus = torus(&[9, 9], Wrap::Torus, Duration::ZERO);
    let slow = with(&torus, "router (0,0) -> node 0", 0.5);
    let cut = with(&torus, "router (1,0) - router (0,0)", 0.0);
    let all: Vec<_> = (1..81).map(|from| (from, 0, 1, 0)).collect();
    for (changes, end) in [(vec![], 80), (vec![(40, &slow)], 120), (vec![(30, &cut), (50, &torus)], 80)] {
        let ended = run(Flow::default(), &torus, &changes, sends(81, &all));
        let error = ended.ended.at.as_secs_f64() / end as f64 - 1.0;
        assert!((-1e-9..1e-9).contains(&error), "{end} s: {}", ended.ended.at);
        let last = part(&torus, "router (0,0) -> node 0")[0];
        assert!((ended.link_bytes[last.index()] - 80.0).abs() < 1e-6);
    }
}

/// Links of 1 s, five of them between routers on the long way. 10 B depart at 10 s on that way and arrive at 17 s. 2 B behind them
/// are half gone when the cable is repaired at 11 s, depart at 12 s and could be there at 15 s: they arrive at 17 s, too. 6 B
/// depart at 16 s and arrive at 19 s.
#[test]
fn a_repair_overtakes_nobody() {
    let ring = torus(&[6], Wrap::Torus, Duration::from_ps(UNIT));
    let cut = with(&ring, "router (0) - router (1)", 0.0);
    let arrivals = |changes: &[(u64, &Topology)], script: &[_]| -> Vec<u64> {
        let requested = Requested { messages: Keep::Yes, ..Requested::default() };
        let mut kept = Recorded { requested, ..Recorded::default() };
        run_kept(Flow::default(), &cut, changes, sends(6, script), &mut kept);
        kept.messages.iter().map(|message| message.arrived.as_ps() / UNIT).collect()
    };
    assert_eq!(arrivals(&[], &[(0, 1, 10, 0)]), [17], "10 s, and seven links");
    assert_eq!(arrivals(&[(11, &ring)], &[(0, 1, 10, 0), (0, 1, 2, 0)]), [17, 17], "not at 15 s");
    assert_eq!(arrivals(&[(11, &ring)], &[(0, 1, 10, 0), (0, 1, 6, 0)]), [17, 19], "nothing to wait for");
}

/// Rates of other rules are compared with those of max-min on the machine of the moment.
#[test]
fn comparisons_follow() {
    let ring = torus(&[4], Wrap::Torus, Duration::ZERO);
    let slow = with(&ring, "router (0) - router (1)", 0.5);
    let flow = Flow { sharing: Sharing::SinglePass, compare: Compare::WithMaxMin, ..Flow::default() };
    let ended = run(flow, &ring, &[(4, &slow)], sends(4, &[(0, 1, 10, 0), (3, 1, 10, 0)]));
    let deviation = ended.deviation.expect("it was asked for");
    assert!((0.0..=1.0).contains(&deviation.least) && deviation.most >= 1.0, "{deviation:?}");
}

/// A ring of six, links of 1 B/s, latency 1 ns. Everybody sends 60 B to the next: 60 s, all at once. With the cable between 0 and 1
/// cut the message from 0 to 1 goes round over 5, 4, 3, 2 to 1: the other way, in which nobody else sends. It takes 60 s as well,
/// but 4 ns longer; that it is alone on its way shows in the bytes of the links. With a shift by two, 0 and 5 go round by four
/// links each, of which they share those of 5 to 3 with each other: 120 s. The others have 60 s, as without the cut they share
/// links two by two for 120 s.
#[test]
fn a_ring_with_a_cut_by_hand() {
    let ring = torus(&[6], Wrap::Torus, Duration::from_ns(1));
    let cut = with(&ring, "router (0) - router (1)", 0.0);
    let shift = |by: usize| sends(6, &(0..6).map(|from| (from, (from + by) % 6, 60, 0)).collect::<Vec<_>>());
    let end = |machine: &Topology, by| play(Sharing::MaxMin, machine, shift(by)).ended.at.as_ps();
    assert_eq!(end(&ring, 1), 60 * UNIT + 3 * 1000);
    assert_eq!(end(&cut, 1), 60 * UNIT + 7 * 1000);
    let ended = play(Sharing::MaxMin, &cut, shift(1));
    let bytes = |name: &str| {
        let Some(Part::Link(link)) = cut.parts_named(&[name])[0] else { panic!("{name} is no link") };
        ended.link_bytes[link.index()]
    };
    assert_eq!(bytes("router (0) -> router (1)"), 0.0);
    for (from, to) in [(0, 5), (5, 4), (4, 3), (3, 2), (2, 1)] {
        assert_eq!(bytes(&format!("router ({from}) -> router ({to})")), 60.0);
    }
    assert_eq!(bytes("router (1) -> router (0)"), 0.0);
    assert_eq!(end(&ring, 2), 120 * UNIT + 4 * 1000);
    // 0 to 2 over 5, 4, 3; 5 to 1 over 4, 3, 2: together from 5 to 3.
    assert_eq!(end(&cut, 2), 120 * UNIT + 6 * 1000);
}

/// A fat tree of 16 nodes with four ways up. In a shift by half of the nodes each has links of its own. Without one of the four
/// switches above them, two of the four messages of the first subtree share a way: twice the time.
#[test]
fn a_fat_tree_without_a_switch() {
    let tree = fat_tree(2);
    let shift = || sends(16, &(0..16).map(|from| (from, (from + 8) % 16, 10, 0)).collect::<Vec<_>>());
    assert_eq!(play(Sharing::MaxMin, &tree, shift()).ended.at.as_ps(), 10 * UNIT);
    let without = with(&tree, "top 0", 0.0);
    assert_eq!(play(Sharing::MaxMin, &without, shift()).ended.at.as_ps(), 20 * UNIT);
}

type Messages = Vec<(usize, usize, u64, u64)>;
/// When, which cables, and their speed.
type Faults = Vec<(u64, Vec<prop::sample::Index>, f64)>;

fn case() -> impl Strategy<Value = (Topology, Messages, Faults)> {
    prop_oneof![machines(), ruled()].prop_flat_map(|machine| {
        let nodes = machine.nodes();
        let messages = prop::collection::vec((0..nodes, 0..nodes, 0u64..9, 0u64..3), 1..40);
        let cables = prop::collection::vec(any::<prop::sample::Index>(), 0..4);
        let speed = prop_oneof![Just(0.0), Just(0.5)];
        (Just(machine), messages, prop::collection::vec((1u64..40, cables, speed), 0..5))
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// Whatever fails and is repaired in the end, every message arrives, nodes have sent and got all bytes, links that were never
    /// whole have carried none, and the same input gives the same run.
    #[test]
    fn everything_arrives_in_the_end((machine, messages, mut faults) in case()) {
        faults.sort_by_key(|(at, ..)| *at);
        let cables = machine.router_cables();
        let machines: Vec<_> = faults.iter().filter(|_| !cables.is_empty()).map(|(at, drawn, speed)| {
            let links = drawn.iter().flat_map(|index| cables[index.index(cables.len())]);
            (*at, Topology::Degraded(Degraded::new(machine.clone(), links.map(|link| (link, *speed)).collect())))
        }).chain([(41, machine.clone())]).collect();
        let changes: Vec<_> = machines.iter().map(|(at, machine)| (*at, machine)).collect();
        for &sharing in sharings(&machine) {
            let once = || run(Flow { sharing, ..Flow::default() }, &machine, &changes, sends(machine.nodes(), &messages));
            let ended = once();
            prop_assert_eq!(&ended.ended.outcome, &Outcome::Finished);
            prop_assert_eq!(ended.ended.traffic.messages, messages.len() as u64);
            for node in 0..machine.nodes() {
                let sent: u64 = messages.iter().filter(|m| m.0 == node && m.1 != node).map(|m| m.2).sum();
                prop_assert!((ended.link_bytes[node] - sent as f64).abs() < 1e-6, "{} of {sent}", ended.link_bytes[node]);
            }
            let again = once();
            prop_assert_eq!((ended.ended, ended.link_bytes), (again.ended, again.link_bytes));
        }
    }

    /// A machine that becomes itself is as if it did not, but for rounding; rules that weigh queues look at all flows anew then.
    #[test]
    fn a_change_to_the_same_changes_nothing((machine, messages, faults) in case()) {
        prop_assume!(machine.rules().iter().all(|rule| !rule.weighs()));
        let mut at: Vec<u64> = faults.iter().map(|(at, ..)| *at).collect();
        at.sort_unstable();
        let changes: Vec<_> = at.iter().map(|&at| (at, &machine)).collect();
        for &sharing in sharings(&machine).iter().filter(|sharing| [Sharing::MaxMin, Sharing::SinglePass].contains(sharing)) {
            let end = |changes: &[_]| run(Flow { sharing, ..Flow::default() }, &machine, changes, sends(machine.nodes(), &messages)).ended;
            let (changed, fixed) = (end(&changes), end(&[]));
            prop_assert_eq!(changed.traffic.messages, fixed.traffic.messages);
            let apart = changed.at.as_secs_f64() - fixed.at.as_secs_f64();
            prop_assert!(apart.abs() <= 1e-9, "{} and {}", changed.at, fixed.at);
        }
    }

    /// Bytes pass the links of their routes, none a failed one; what touches nobody's way changes nothing at all.
    #[test]
    fn bytes_take_the_ways_that_are_left(
        machine in machines(),
        faults in prop::collection::vec(any::<prop::sample::Index>(), 1..4),
        messages in prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>(), 0u64..5), 1..20),
    ) {
        let cables = machine.router_cables();
        prop_assume!(!cables.is_empty());
        let speeds = faults.iter().flat_map(|index| cables[index.index(cables.len())]).map(|link| (link, 0.0));
        let cut = Topology::Degraded(Degraded::new(machine.clone(), speeds.collect()));
        let nodes = machine.nodes();
        let mut route = Vec::new();
        let all = messages.iter().map(|(from, to, bytes)| (from.index(nodes), to.index(nodes), *bytes, 0));
        let all: Vec<_> = all.filter(|&(from, to, ..)| cut.find_route(NodeId::new(from), NodeId::new(to), &mut route)).collect();
        let (mut expected, mut untouched) = (vec![0.0; machine.links()], true);
        for &(from, to, bytes, _) in &all {
            cut.route(NodeId::new(from), NodeId::new(to), &mut route);
            route.iter().for_each(|link| expected[link.index()] += bytes as f64);
            let took = std::mem::take(&mut route);
            machine.route(NodeId::new(from), NodeId::new(to), &mut route);
            untouched &= took == route;
        }
        let placement = Placement::one_per_node(nodes);
        for rule in RULES {
            let ended = play_placed(rule, &cut, &placement, sends(nodes, &all));
            prop_assert_eq!(&ended.link_bytes, &expected);
            let failed = cut.degraded().into_iter().flat_map(Degraded::failed);
            prop_assert!(failed.into_iter().all(|LinkId(link)| ended.link_bytes[link as usize] == 0.0));
            if untouched {
                prop_assert_eq!(ended.ended, play_placed(rule, &machine, &placement, sends(nodes, &all)).ended);
            }
        }
    }
}
