//! What is recorded of a run while it goes on: what links carry in each interval adds up to what they have carried.

use crate::common::{RULES, UNIT, torus};
use crate::detours::{ruled, sharings};
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::sync::Arc;
use weir_flow::{Change, Flow, FlowEnded, NodeModel, Sharing};
use weir_network::harness::Recorded;
use weir_network::record::{Keep, LatencySample, Requested};
use weir_network::{LatencyKind, Limits, Outcome, Placement, RunContext};
use weir_topology::{Degraded, Topology, Wrap};
use weir_units::{Bytes, Duration, LinkId, Rank, Time};
use weir_workload::{Entry, Queue, Script};

/// A run whose messages, pairs and samples of intervals are recorded.
struct Run<'a> {
    sharing: Sharing,
    machine: &'a Topology,
    changes: &'a [Change<'a>],
    interval: Duration,
    limits: Limits,
}

impl<'a> Run<'a> {
    fn new(machine: &'a Topology, interval: Duration) -> Self {
        Self { sharing: Sharing::MaxMin, machine, changes: &[], interval, limits: Limits::default() }
    }

    /// Each rank sends these bytes to these ranks, one after the other.
    fn sends(&self, sends: &[Vec<(usize, u64)>]) -> (FlowEnded, Recorded) {
        let entry = |&(to, bytes): &(usize, u64)| Entry::send(Rank::new(to), Bytes(bytes));
        self.script(sends.iter().map(|list| list.iter().map(entry).collect()).collect())
    }

    fn script(&self, entries: Vec<Vec<Entry>>) -> (FlowEnded, Recorded) {
        let &Self { sharing, machine, changes, interval, limits } = self;
        let mut programs = Queue::all(Arc::new(Script::new(entries).expect("all ranks exist")));
        let interval = Some(interval);
        let requested = Requested { interval, messages: Keep::Yes, pairs: Keep::Yes, ..Requested::default() };
        let mut recorded = Recorded { requested, ..Recorded::default() };
        let placement = Placement::one_per_node(machine.nodes());
        let context = RunContext::new(&placement).limits(limits).recorder(Some(&mut recorded));
        let flow = Flow { sharing, ..Flow::default() };
        let ended = flow.run(machine, changes, &mut programs, &NodeModel::default(), context);
        assert!(recorded.buffers.is_empty() && recorded.stays.is_empty(), "there are no packets");
        (ended, recorded)
    }
}

#[track_caller]
fn check_sums(ended: &FlowEnded, recorded: &Recorded) {
    let mut sums: BTreeMap<LinkId, f64> = BTreeMap::new();
    assert!(recorded.links.is_sorted_by_key(|(start, sample)| (*start, sample.link)));
    for (_, sample) in &recorded.links {
        assert!(sample.bytes > 0.0 && sample.packets.is_none());
        *sums.entry(sample.link).or_default() += sample.bytes;
    }
    for (number, &bytes) in ended.link_bytes.iter().enumerate() {
        let sum = sums.get(&LinkId::new(number)).copied().unwrap_or(0.0);
        assert!((sum - bytes).abs() <= 1e-9 * bytes.max(1.0), "link {number}: {sum} of {bytes}");
    }
    let mut all = LatencySample::default();
    recorded.latencies.iter().for_each(|(.., sample)| all.join(sample));
    assert_eq!((all.count, all.most), (ended.ended.latency.count(), ended.ended.latency.most()));
    assert_eq!(recorded.messages.len() as u64, ended.ended.traffic.messages);
    let pairs = recorded.pairs.as_ref().expect("they were requested");
    assert_eq!(pairs.cells().map(|(.., cell)| cell.messages).sum::<u64>(), ended.ended.traffic.messages);
}

/// Links of 1 B/s without latency. Node 0 sends 4 B to node 1, for 4 s, and then 1 B. Intervals of 1.5 s: 1.5, 1.5, 1.5 and 0.5 B.
#[test]
fn bytes_of_intervals_by_hand() {
    let machine = torus(&[2], Wrap::Mesh, Duration::ZERO);
    let interval = Duration::from_ps(UNIT * 3 / 2);
    let (ended, recorded) = Run::new(&machine, interval).sends(&[vec![(1, 4), (1, 1)], vec![]]);
    check_sums(&ended, &recorded);
    let injection: Vec<_> = recorded.links.iter().filter(|(_, sample)| sample.link == LinkId(0)).collect();
    let found: Vec<_> =
        injection.iter().map(|(start, sample)| (start.as_ps() / (UNIT / 2), sample.bytes)).collect();
    assert_eq!(found, [(0, 1.5), (3, 1.5), (6, 1.5), (9, 0.5)]);
    let times: Vec<_> = recorded
        .messages
        .iter()
        .map(|m| [m.posted, m.started, m.arrived].map(|at| at.as_ps() / UNIT))
        .collect();
    assert_eq!(times, [[0, 0, 4], [4, 4, 5]]);
    let sample = |count, seconds| LatencySample {
        count,
        sum: seconds * UNIT,
        most: Duration::from_ps(seconds * UNIT),
    };
    let at = |halves| Time::from_ps(halves * UNIT / 2);
    let kind = LatencyKind::Message;
    assert_eq!(recorded.latencies, [(at(6), kind, sample(1, 4)), (at(9), kind, sample(1, 1))]);
}

/// Node 0 sends 1 B, computes for 20 s, and sends 3 B from 21 s on, where an interval of 1.5 s begins. Intervals in which
/// nothing flows are not reported.
#[test]
fn intervals_without_anything_are_passed_over() {
    let machine = torus(&[2], Wrap::Mesh, Duration::ZERO);
    let send =
        |bytes, wait| Entry::Send { to: Rank(1), bytes: Bytes(bytes), wait: Duration::from_ps(wait * UNIT) };
    let entries = vec![vec![send(1, 0), send(3, 20)], vec![]];
    let interval = Duration::from_ps(UNIT * 3 / 2);
    let (ended, recorded) = Run::new(&machine, interval).script(entries);
    check_sums(&ended, &recorded);
    let injection = recorded.links.iter().filter(|(_, sample)| sample.link == LinkId(0));
    let found: Vec<_> = injection.map(|(start, sample)| (start.as_ps() / UNIT, sample.bytes)).collect();
    assert_eq!(found, [(0, 1.0), (21, 1.5), (22, 1.5)]);
    // These, and the one that begins when the run ends: those between cost nothing.
    assert_eq!(recorded.intervals, 4);
}

/// 99 nodes send to one: a crowd, at its end and when a limit ends it while all flows are on their way. What they have carried until
/// then is reported.
#[test]
fn bytes_of_a_crowd() {
    let machine = torus(&[10, 10], Wrap::Torus, Duration::ZERO);
    let sends = |bytes: fn(u64) -> u64| -> Vec<_> {
        (0..100).map(|rank| if rank == 7 { vec![] } else { vec![(7, bytes(rank))] }).collect()
    };
    let (ended, recorded) =
        Run::new(&machine, Duration::from_ps(UNIT * 7 / 3)).sends(&sends(|rank| 1 + rank % 5));
    check_sums(&ended, &recorded);
    assert!(recorded.links.iter().all(|(_, sample)| sample.bytes <= 7.0 / 3.0 + 1e-9));
    let limits = Limits { simulated: Time::from_ps(50 * UNIT), ..Limits::default() };
    let run = Run { limits, ..Run::new(&machine, Duration::from_ps(UNIT * 7)) };
    let (ended, recorded) = run.sends(&sends(|_| 2));
    assert_eq!((ended.until, ended.ended.traffic.messages), (limits.simulated, 0));
    check_sums(&ended, &recorded);
    // The ejection link of node 7 has been full all the time.
    let most = ended.link_bytes.iter().copied().fold(0.0, f64::max);
    assert!((most - 50.0).abs() < 1e-9, "{most}");
}

/// The cable of a line of two is cut from 2 s to 5 s. Of 4 B half is there before, half behind: in intervals of 1.5 s there are 1.5, 0.5,
/// none, 1 and 1 B, each in that in which it was carried.
#[test]
fn bytes_of_intervals_of_a_machine_that_changes() {
    let machine = torus(&[2], Wrap::Mesh, Duration::ZERO);
    let cut: BTreeMap<LinkId, f64> = machine.router_cables()[0].map(|link| (link, 0.0)).into();
    let cut = Topology::Degraded(Degraded::new(machine.clone(), cut));
    let at = |seconds: u64, topology| Change { at: Time::from_ps(seconds * UNIT), topology };
    let changes = [at(2, &cut), at(5, &machine)];
    for sharing in RULES {
        let interval = Duration::from_ps(UNIT * 3 / 2);
        let run = Run { sharing, changes: &changes, ..Run::new(&machine, interval) };
        let (ended, recorded) = run.sends(&[vec![(1, 4)], vec![]]);
        check_sums(&ended, &recorded);
        let injection = recorded.links.iter().filter(|(_, sample)| sample.link == LinkId(0));
        let found: Vec<_> =
            injection.map(|(start, sample)| (start.as_ps() / (UNIT / 2), sample.bytes)).collect();
        assert_eq!(found, [(0, 1.5), (3, 0.5), (9, 1.0), (12, 1.0)]);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn bytes_of_intervals_add_up(
        machine in prop_oneof![(2u32..7).prop_map(|size| torus(&[size], Wrap::Torus, Duration::from_ns(3))), ruled()], thirds in 1u64..20, limit in 1u64..60,
        sends in prop::collection::vec(prop::collection::vec((0usize..6, 0u64..9), 0..5), 2..7),
    ) {
        let ranks = machine.nodes().min(sends.len());
        // Some messages share the interface with the next ones.
        let entry = |&(to, bytes): &(usize, u64)| {
            let (to, bytes, wait) = (Rank::new(to % ranks), Bytes(bytes), Duration::ZERO);
            if bytes.0 % 2 == 0 { Entry::Post { to, bytes, wait } } else { Entry::Send { to, bytes, wait } }
        };
        let entries: Vec<Vec<_>> = sends[..ranks].iter().map(|list| list.iter().map(entry).collect()).collect();
        for &sharing in sharings(&machine) {
            let limits = Limits { simulated: Time::from_ps(limit * UNIT / 2), ..Limits::default() };
            let interval = Duration::from_ps(UNIT * thirds / 3);
            let run = Run { sharing, limits, ..Run::new(&machine, interval) };
            let (ended, recorded) = run.script(entries.clone());
            check_sums(&ended, &recorded);
            if ended.ended.outcome != Outcome::Finished {
                prop_assert_eq!((ended.until, ended.ended.at), (limits.simulated, limits.simulated));
            }
            if sharing == Sharing::MaxMin {
                let fastest = (0..machine.links()).map(|link| machine.link(LinkId::new(link)).capacity.bytes_per_second()).fold(0.0, f64::max);
                let most = fastest * thirds as f64 / 3.0 + 1e-9;
                prop_assert!(recorded.links.iter().all(|(_, sample)| sample.bytes <= most));
            }
        }
    }
}
