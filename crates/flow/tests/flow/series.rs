//! What is recorded of a run while it goes on: what links carry in each interval adds up to what they have carried.

use crate::common::{RULES, UNIT, torus};
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::sync::Arc;
use weir_flow::{Change, Flow, FlowEnded, NodeModel, Sharing};
use weir_network::record::{
    BufferSample, Keep, LatencySample, LinkSample, MessageTimes, PacketStay, Pairs, Recorder, Requested,
};
use weir_network::{LatencyKind, Limits, Outcome, Placement, RunContext};
use weir_topology::{Degraded, Topology, Wrap};
use weir_units::{Bytes, Duration, LinkId, Rank, Time};
use weir_workload::{Entry, Queue, Script};

/// Everything that was recorded.
#[derive(Default)]
struct Recorded {
    requested: Requested,
    links: Vec<(Time, LinkSample)>,
    /// How often links were reported, of intervals without anything too.
    intervals: usize,
    latencies: Vec<(Time, LatencySample)>,
    messages: Vec<MessageTimes>,
    pairs: Option<Pairs>,
}

impl Recorder for Recorded {
    fn requested(&self) -> &Requested {
        &self.requested
    }

    fn links(&mut self, start: Time, samples: &[LinkSample]) {
        self.intervals += 1;
        self.links.extend(samples.iter().map(|&sample| (start, sample)));
    }

    fn buffers(&mut self, _: Time, _: &[BufferSample]) {
        unreachable!("there are no buffers");
    }

    fn latencies(&mut self, start: Time, kind: LatencyKind, sample: LatencySample) {
        assert_eq!(kind, LatencyKind::Message);
        self.latencies.push((start, sample));
    }

    fn messages(&mut self, messages: &[MessageTimes]) {
        self.messages.extend_from_slice(messages);
    }

    fn stays(&mut self, _: &[PacketStay]) {
        unreachable!("there are no packets");
    }

    fn pairs(&mut self, pairs: &Pairs) {
        self.pairs = Some(pairs.clone());
    }
}

/// Each rank sends these bytes to these ranks, one after the other.
fn run(
    sharing: Sharing,
    machine: &Topology,
    sends: &[Vec<(usize, u64)>],
    interval: Duration,
) -> (FlowEnded, Recorded) {
    run_limited(sharing, machine, sends, interval, Limits::default())
}

fn run_limited(
    sharing: Sharing,
    machine: &Topology,
    sends: &[Vec<(usize, u64)>],
    interval: Duration,
    limits: Limits,
) -> (FlowEnded, Recorded) {
    let entry = |&(to, bytes): &(usize, u64)| Entry::Send {
        to: Rank::new(to),
        bytes: Bytes(bytes),
        wait: Duration::ZERO,
    };
    run_script(
        sharing,
        machine,
        sends.iter().map(|list| list.iter().map(entry).collect()).collect(),
        interval,
        limits,
    )
}

fn run_script(
    sharing: Sharing,
    machine: &Topology,
    entries: Vec<Vec<Entry>>,
    interval: Duration,
    limits: Limits,
) -> (FlowEnded, Recorded) {
    run_changing(sharing, machine, &[], entries, interval, limits)
}

fn run_changing(
    sharing: Sharing,
    machine: &Topology,
    changes: &[Change<'_>],
    entries: Vec<Vec<Entry>>,
    interval: Duration,
    limits: Limits,
) -> (FlowEnded, Recorded) {
    let mut programs = Queue::all(Arc::new(Script::new(entries).expect("all ranks exist")));
    let requested =
        Requested { interval: Some(interval), messages: Keep::Yes, pairs: Keep::Yes, ..Requested::default() };
    let mut recorded = Recorded { requested, ..Recorded::default() };
    let placement = Placement::one_per_node(machine.nodes());
    let node = NodeModel::default();
    let flow = Flow { sharing, ..Flow::default() };
    let ended = flow.run_changing(
        machine,
        changes,
        &mut programs,
        &node,
        RunContext::new(&placement).limits(limits).recorder(Some(&mut recorded)),
    );
    (ended, recorded)
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
    recorded.latencies.iter().for_each(|(_, sample)| all.join(sample));
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
    let (ended, recorded) = run(Sharing::MaxMin, &machine, &[vec![(1, 4), (1, 1)], vec![]], interval);
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
    assert_eq!(recorded.latencies, [(at(6), sample(1, 4)), (at(9), sample(1, 1))]);
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
    let (ended, recorded) = run_script(Sharing::MaxMin, &machine, entries, interval, Limits::default());
    check_sums(&ended, &recorded);
    let injection = recorded.links.iter().filter(|(_, sample)| sample.link == LinkId(0));
    let found: Vec<_> = injection.map(|(start, sample)| (start.as_ps() / UNIT, sample.bytes)).collect();
    assert_eq!(found, [(0, 1.0), (21, 1.5), (22, 1.5)]);
    // These, and the one that begins when the run ends: those between cost nothing.
    assert_eq!(recorded.intervals, 4);
}

/// A crowd that a limit ends while all of its flows are on their way: what they have carried until then is reported.
#[test]
fn bytes_of_an_unfinished_crowd() {
    let machine = torus(&[10, 10], Wrap::Torus, Duration::ZERO);
    let sends: Vec<_> = (0..100).map(|rank| if rank == 7 { vec![] } else { vec![(7, 2)] }).collect();
    let limits = Limits { simulated: Time::from_ps(50 * UNIT), ..Limits::default() };
    let (ended, recorded) =
        run_limited(Sharing::MaxMin, &machine, &sends, Duration::from_ps(UNIT * 7), limits);
    assert_eq!((ended.until, ended.ended.traffic.messages), (limits.simulated, 0));
    check_sums(&ended, &recorded);
    // The ejection link of node 7 has been full all the time.
    let most = ended.link_bytes.iter().copied().fold(0.0, f64::max);
    assert!((most - 50.0).abs() < 1e-9, "{most}");
}

/// 99 nodes send to one: a crowd.
#[test]
fn bytes_of_a_crowd() {
    let machine = torus(&[10, 10], Wrap::Torus, Duration::ZERO);
    let sends: Vec<_> =
        (0..100).map(|rank| if rank == 7 { vec![] } else { vec![(7, 1 + rank % 5)] }).collect();
    let sends: Vec<Vec<(usize, u64)>> = sends
        .into_iter()
        .map(|list| list.into_iter().map(|(to, bytes)| (to, bytes as u64)).collect())
        .collect();
    let (ended, recorded) = run(Sharing::MaxMin, &machine, &sends, Duration::from_ps(UNIT * 7 / 3));
    check_sums(&ended, &recorded);
    let last = machine.links() - 1;
    assert!(
        recorded
            .links
            .iter()
            .all(|(_, sample)| sample.link.index() <= last && sample.bytes <= 7.0 / 3.0 + 1e-9)
    );
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
    let send = Entry::Send { to: Rank(1), bytes: Bytes(4), wait: Duration::ZERO };
    for sharing in RULES {
        let interval = Duration::from_ps(UNIT * 3 / 2);
        let (ended, recorded) =
            run_changing(sharing, &machine, &changes, vec![vec![send], vec![]], interval, Limits::default());
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
        size in 2u32..7, thirds in 1u64..20, limit in 1u64..60,
        sends in prop::collection::vec(prop::collection::vec((0usize..6, 0u64..9), 0..5), 2..7),
    ) {
        let machine = torus(&[size], Wrap::Torus, Duration::from_ns(3));
        let ranks = machine.nodes().min(sends.len());
        let sends: Vec<Vec<_>> = sends[..ranks]
            .iter()
            .map(|list| list.iter().map(|&(to, bytes)| (to % ranks, bytes)).collect())
            .collect();
        for rule in RULES {
            let limits = Limits { simulated: Time::from_ps(limit * UNIT / 2), ..Limits::default() };
            let interval = Duration::from_ps(UNIT * thirds / 3);
            let (ended, recorded) = run_limited(rule, &machine, &sends, interval, limits);
            check_sums(&ended, &recorded);
            if ended.ended.outcome != Outcome::Finished {
                prop_assert_eq!((ended.until, ended.ended.at), (limits.simulated, limits.simulated));
            }
            if rule == Sharing::MaxMin {
                let most = thirds as f64 / 3.0 + 1e-9;
                prop_assert!(recorded.links.iter().all(|(_, sample)| sample.bytes <= most));
            }
        }
    }
}
