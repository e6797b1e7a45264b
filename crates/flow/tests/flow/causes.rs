//! What time goes into on shared links, by hand and as laws.

use crate::common::{RULES, in_order, seconds, torus};
use crate::detours::{ruled, sharings};
use Cause::{Compute, Contention, Finished, LateSender, Latency, Serialization};
use proptest::prelude::*;
use std::sync::Arc;
use weir_flow::{Flow, NodeModel};
use weir_network::causes::{Accounts, ByClass, Cause, Share, contradiction};
use weir_network::record::Keep;
use weir_network::{JobRanks, Outcome, Placement, RunContext};
use weir_topology::{Topology, Wrap};
use weir_units::{Bytes, Duration, NodeId, Rank, Time};
use weir_workload::{Entry, Queue, Script};

const SECOND: u64 = 1_000_000_000_000;

fn account(
    node: &NodeModel,
    flow: Flow,
    topology: &Topology,
    placement: &Placement,
    entries: Vec<Vec<Entry>>,
) -> (Outcome, Time, Accounts) {
    let mut programs = Queue::all(Arc::new(Script::new(entries).expect("ranks exist")));
    let context = RunContext { causes: Keep::Yes, path_steps: 1000, ..RunContext::new(placement) };
    let ended = flow.run(topology, &[], &mut programs, node, context).ended;
    let mut accounts = ended.causes.expect("it was asked for");
    let drawn = accounts.take_path(ended.at, usize::MAX).expect("so was this");
    assert_eq!(drawn.from, Time::ZERO, "{drawn:?}");
    assert_eq!(contradiction(&drawn, &accounts.critical().path), None, "{drawn:?}");
    (ended.outcome, ended.at, accounts.closed(ended.at))
}

/// Causes in seconds.
fn of(causes: &weir_network::causes::Causes) -> Vec<(Cause, f64)> {
    let all = Cause::ALL.into_iter().map(|cause| (cause, causes.of(cause).as_secs_f64()));
    all.filter(|&(_, time)| time > 0.0).collect()
}

/// A ring of four at 1 B/s, 1 s for each link. Rank 0 works for 5 s and sends 6 bytes to rank 1, and rank 3 sends 8 bytes to rank 1 through
/// rank 0's router at 5 s, too: both share the link to rank 1 until the shorter is through at 17 s, there at 20; the longer goes
/// on alone, is through at 19 and there at 23.
#[test]
fn two_messages_share_a_link() {
    let topology = torus(&[4], Wrap::Torus, Duration::from_ps(seconds(1).as_ps()));
    let pause = Entry::Pause { time: seconds(5).since(Time::ZERO) };
    let entries = vec![
        vec![pause, Entry::send(Rank(1), Bytes(6))],
        vec![Entry::Await { from: Rank(3) }],
        vec![],
        vec![pause, Entry::send(Rank(1), Bytes(8))],
    ];
    let placement = Placement::one_per_node(4);
    for sharing in RULES {
        let flow = Flow { sharing, ..Flow::default() };
        let (outcome, end, accounts) =
            account(&NodeModel::default(), flow, &topology, &placement, entries.clone());
        assert_eq!((outcome, end), (Outcome::Finished, seconds(23)), "{sharing:?}");
        let rank = |rank: usize| of(&accounts.ranks()[rank].causes);
        let sender = [(Compute, 5.0), (Serialization, 6.0), (Contention, 6.0), (Finished, 6.0)];
        assert_eq!(rank(0), sender);
        assert_eq!(rank(1), [(LateSender, 5.0), (Latency, 4.0), (Serialization, 8.0), (Contention, 6.0)]);
        assert_eq!(rank(2), [(Finished, 23.0)]);
        let path = &accounts.critical().path;
        assert_eq!(
            of(&path.causes),
            [(Compute, 5.0), (Latency, 4.0), (Serialization, 8.0), (Contention, 6.0)]
        );
        assert_eq!((path.messages, path.links, accounts.critical().rank), (1, 4, Rank(1)));
        // The link along x and the last one hold it up alike.
        assert_eq!((of_class(&path.wires.bytes), path.wires.links.shares()), ([0; 8], vec![]));
    }
}

fn of_class(times: &ByClass) -> [u64; 8] {
    times.map(|time| time.as_ps() / SECOND)
}

/// Likewise in a ring of five, to two ranks: 8 bytes from rank 4 to rank 1, and 6 bytes from rank 0 to rank 2. Only the link from router 0 to
/// router 1 carries both.
#[test]
fn the_link_that_two_messages_share() {
    let topology = torus(&[5], Wrap::Torus, seconds(1).since(Time::ZERO));
    let pause = Entry::Pause { time: seconds(5).since(Time::ZERO) };
    let entries = vec![
        vec![pause, Entry::send(Rank(2), Bytes(6))],
        vec![Entry::Await { from: Rank(4) }],
        vec![],
        vec![],
        vec![pause, Entry::send(Rank(1), Bytes(8))],
    ];
    let (_, end, accounts) =
        account(&NodeModel::default(), Flow::default(), &topology, &Placement::one_per_node(5), entries);
    let path = &accounts.critical().path;
    assert_eq!((end, accounts.critical().rank), (seconds(23), Rank(1)));
    assert_eq!(path.work.shares(), [Share { of: Rank(4), time: pause_of(5) }]);
    // One injection link, two along x, one ejection link.
    assert_eq!(of_class(&path.wires.latency), [1, 1, 2, 0, 0, 0, 0, 0]);
    assert_eq!(of_class(&path.wires.bytes), [0, 0, 14, 0, 0, 0, 0, 0]);
    let [narrowest] = path.wires.links.shares()[..] else { panic!("one link") };
    assert_eq!(
        (narrowest.time, topology.link_name(narrowest.of).as_str()),
        (pause_of(14), "router (0) -> router (1)")
    );
}

fn pause_of(time: u64) -> Duration {
    seconds(time).since(Time::ZERO)
}

/// A rank that only sends: the path goes through all its messages if they leave one after the other, and ends with the last one, for which
/// nobody waits. Where all three share the interface, each has a third of it, and two thirds of its time are because of the others.
#[test]
fn messages_behind_each_other() {
    let topology = torus(&[4], Wrap::Torus, Duration::ZERO);
    let post = |to| Entry::Post { to: Rank(to), bytes: Bytes(3), wait: Duration::ZERO };
    let entries = vec![vec![post(1), post(2), post(3)], vec![], vec![], vec![]];
    for (node, expected) in [
        (in_order(), vec![(Serialization, 9.0)]),
        (NodeModel::default(), vec![(Serialization, 3.0), (Contention, 6.0)]),
    ] {
        let placement = Placement::one_per_node(4);
        let (_, end, accounts) = account(&node, Flow::default(), &topology, &placement, entries.clone());
        assert_eq!(end, seconds(9));
        assert_eq!(of(&accounts.critical().path.causes), expected);
    }
}

fn entry() -> impl Strategy<Value = Entry> {
    let to = || (0..6_u32).prop_map(Rank);
    let time = || (0..200_000_u64).prop_map(Duration::from_ps);
    let sent = || (to(), prop_oneof![Just(0), 1..4000_u64].prop_map(Bytes), time());
    prop_oneof![
        sent().prop_map(|(to, bytes, wait)| Entry::Send { to, bytes, wait }),
        sent().prop_map(|(to, bytes, wait)| Entry::Post { to, bytes, wait }),
        to().prop_map(|from| Entry::Await { from }),
        time().prop_map(|time| Entry::Pause { time }),
    ]
}

/// Returns whether flows may change their links for others.
fn weighs(network: &Topology) -> bool {
    network.rules().iter().any(|rule| rule.weighs())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// Ranks that send one message after the other lose at links what their accounts call contention, and jobs lose what their ranks do: by whatever
    /// rule links are shared. Where a flow changes its links while it is on its way, the account looks at the last ones only.
    #[test]
    fn waiting_at_links_is_contention(
        messages in prop::collection::vec(prop::collection::vec((0..7_u32, 1..4000_u64, 0..3000_u64), 0..10), 8),
        sharing in any::<prop::sample::Index>(),
        network in prop::option::of(ruled()),
    ) {
        let ring = || crate::common::torus_of(1e9, &[8], Wrap::Torus, Duration::from_ns(10));
        let topology = network.filter(|network| network.nodes() >= 8 && !weighs(network)).unwrap_or_else(ring);
        let flow = Flow { sharing: *sharing.get(sharings(&topology)), ..Flow::default() };
        let entries = messages.iter().zip(0..).map(|(messages, from)| {
            let send = |&(to, bytes, pause): &(u32, u64, u64)| {
                let to = Rank((from + 1 + to) % 8);
                [Entry::Pause { time: Duration::from_ns(pause) }, Entry::send(to, Bytes(bytes))]
            };
            messages.iter().flat_map(send).collect()
        });
        let mut programs = Queue::all(Arc::new(Script::new(entries.collect()).expect("ranks exist")));
        let placement = Placement::one_per_node(8);
        let jobs = Some(Arc::new(JobRanks::new([0, 2, 5])));
        let context = RunContext { causes: Keep::Yes, jobs, ..RunContext::new(&placement) };
        let run = flow.run(&topology, &[], &mut programs, &NodeModel::default(), context);
        let accounts = run.ended.causes.expect("it was asked for").closed(run.ended.at);
        for (job, ranks) in [0..2, 2..5, 5..8].into_iter().enumerate() {
            let contention = |rank: usize| accounts.ranks()[rank].causes.of(Contention).as_ps();
            let of_ranks: u64 = ranks.clone().map(contention).sum();
            let waits = run.waits.of_job(job as u32).flat_map(|(_, by_job)| by_job.values());
            let of_links: u64 = waits.map(|time| time.as_ps()).sum();
            // Times of flows are whole picoseconds, and so is each sum by link and job. A flow ends when at most 1e-9 of its bytes are left,
            // and that early its rank's loss ends.
            let early = messages[ranks].iter().map(|messages| messages.len() as u64).sum::<u64>() * (run.ended.at.as_ps() / 1_000_000_000);
            prop_assert!(of_links.abs_diff(of_ranks) < 1000 + early, "job {}: {} at links, {}", job, of_links, of_ranks);
        }
    }

    /// Whatever ranks do, and however the run ends, the causes of each add up to the run, and so does the path, step by step, too; and the run is the same as without an
    /// account.
    #[test]
    fn all_adds_up(
        entries in prop::collection::vec(prop::collection::vec(entry(), 0..12), 6),
        sharing in any::<prop::sample::Index>(),
        network in prop::option::of(ruled()),
        resolution in prop_oneof![Just(0), 1..100_000_u64],
        latency in 0..50_u64,
        homes in prop::collection::vec(0..4_usize, 6),
    ) {
        let ring = || crate::common::torus_of(1e9, &[4], Wrap::Torus, Duration::from_ns(latency));
        let topology = network.unwrap_or_else(ring);
        let sharing = *sharing.get(sharings(&topology));
        let placement = Placement::new(homes.into_iter().map(|home| NodeId::new(home % topology.nodes())).collect::<Vec<_>>());
        let flow = Flow { sharing, resolution: Duration::from_ps(resolution), ..Flow::default() };
        let (outcome, end, accounts) = account(&NodeModel::default(), flow, &topology, &placement, entries.clone());
        for account in accounts.ranks() {
            prop_assert_eq!(account.causes.total().as_ps(), end.as_ps());
            if outcome == Outcome::Finished {
                prop_assert_eq!(account.causes.of(Cause::Other), Duration::ZERO);
            }
        }
        let path = &accounts.critical().path;
        prop_assert_eq!(path.causes.total().as_ps(), end.as_ps());
        let sum = |times: &ByClass| times.iter().map(|time| time.as_ps()).sum::<u64>();
        let of = |cause| path.causes.of(cause).as_ps();
        // Messages within a node have a latency of none here.
        let latency = sum(&path.wires.latency);
        prop_assert_eq!(latency, of(Latency), "{:?}", path);
        prop_assert!(sum(&path.wires.bytes) <= of(Serialization) + of(Contention) || outcome != Outcome::Finished);
        prop_assert!(path.wires.links.total().as_ps() <= sum(&path.wires.bytes));
        prop_assert!(path.work.total() == path.causes.of(Compute));
        prop_assert_eq!(path.calls().iter().map(|share| share.time.as_ps()).sum::<u64>(), end.as_ps());
        let mut programs = Queue::all(Arc::new(Script::new(entries).expect("ranks exist")));
        let plain = flow.run(&topology, &[], &mut programs, &NodeModel::default(), RunContext::new(&placement)).ended;
        prop_assert_eq!((plain.outcome, plain.at, plain.causes), (outcome, end, None));
    }
}
