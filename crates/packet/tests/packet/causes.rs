//! What time goes into where packets meet, on machines of every kind.

use crate::machines::grid;
use crate::zoo::{changing, network, routers, topologies};
use proptest::prelude::*;
use std::sync::Arc;
use weir_network::causes::{Accounts, ByClass, Cause, DrawnPath, contradiction};
use weir_network::record::Keep;
use weir_network::{Digest, JobRanks, Outcome, Placement, RunContext};
use weir_packet::{NodeModel, PacketNetwork, RouterModel};
use weir_topology::{Degraded, LinkClasses, Tie, Topology, Wrap};
use weir_units::{Bytes, Duration, LinkId, NodeId, Rank, Time};
use weir_workload::{Entry, Queue, Script};

fn account(
    network: &PacketNetwork,
    placement: &Placement,
    entries: &[Vec<Entry>],
    threads: usize,
    causes: Keep,
) -> ((Outcome, Time, Digest), Option<(Accounts, DrawnPath)>) {
    let mut programs = Queue::all(Arc::new(Script::new(entries.to_vec()).expect("ranks exist")));
    let context = RunContext { causes, threads, path_steps: 1000, ..RunContext::new(placement) };
    let ended = network.run(&mut programs, context).ended;
    let accounts = ended.causes.map(|mut accounts| {
        let drawn = accounts.take_path(ended.at, usize::MAX).expect("it was asked for");
        assert_eq!(drawn.from, Time::ZERO, "{drawn:?}");
        assert_eq!(contradiction(&drawn, &accounts.critical().path), None, "{drawn:?}");
        (accounts.closed(ended.at), drawn)
    });
    ((ended.outcome, ended.at, ended.digest), accounts)
}

/// 256 bytes from rank 0 to rank 1 at 8 bytes per ns, and the same when the cable between them has half its speed: 32 and 64 ns, of
/// which the pipeline of 6 ns of the router behind it passes while they come in.
#[test]
fn a_way_is_that_of_the_machine_as_it_is() {
    let machine = grid(&[2], Wrap::Mesh, &[(8, 10)], (8, 10), Tie::Plus);
    let cables = machine.router_cables().into_iter().flatten().map(|link| (link, 0.5)).collect();
    let slow = Topology::Degraded(Degraded::new(machine.clone(), cables));
    let later = Duration::from_ns(1000);
    let network =
        changing(&RouterModel::default(), &NodeModel::default(), &machine, &[(Time::ZERO + later, slow)]);
    let send = |wait| Entry::Send { to: Rank(1), bytes: Bytes(256), wait };
    let awaited = Entry::Await { from: Rank(0) };
    let entries = [vec![send(Duration::ZERO), send(later)], vec![awaited, awaited]];
    let (_, accounts) = account(&network, &Placement::one_per_node(2), &entries, 1, Keep::Yes);
    let causes = accounts.expect("it was asked for").0.ranks()[1].causes;
    assert_eq!(causes.of(Cause::Serialization), Duration::from_ns(32 + 64 - 6));
}

/// On a line of three routers with one virtual channel and room for so many packets of 256 bytes, at 8 bytes per ns: the nanoseconds of a
/// rank that wait for credits, are contention, and are serialization.
fn on_a_line(input_buffer: u32, entries: &[Vec<Entry>], rank: usize) -> [u64; 3] {
    let machine = grid(&[3], Wrap::Mesh, &[(8, 10)], (8, 10), Tie::Plus);
    let (virtual_channels, switch_delay) = (1, vec![Duration::ZERO]);
    let routers = RouterModel { input_buffer, virtual_channels, switch_delay, ..RouterModel::default() };
    let network = network(&routers, &NodeModel::default(), &machine);
    let (_, accounts) = account(&network, &Placement::one_per_node(3), entries, 1, Keep::Yes);
    let causes = accounts.expect("it was asked for").0.ranks()[rank].causes;
    [Cause::Credits, Cause::Contention, Cause::Serialization].map(|cause| causes.of(cause).as_ps() / 1000)
}

/// 2 kB in packets of 256 bytes, 32 ns each, to the next router, where buffers have room for one. A packet is at the first router after
/// 10 ns, behind its pipeline after 6 more, leaves it in 32, and its credit is back after 10: 58 ns, of which the interface stalls 26
/// before each of seven packets. The second router is as far from the first one, so there is no other wait, and all else is bytes and latency.
/// A second message later, of one packet, does not wait for credits, but behind one from the other side, which is 8 ns before it at the link to
/// the node. With room for two packets none waits for credits.
#[test]
fn a_round_trip_for_each_packet() {
    let send = |bytes, wait| Entry::Send { to: Rank(1), bytes: Bytes(bytes), wait: Duration::from_ns(wait) };
    let entries = |first: u64| {
        let entries = [vec![send(2048, 0), send(256, 5000)], vec![Entry::Await { from: Rank(0) }; 2]];
        entries.into_iter().chain([vec![send(256, first + 5000 - 8)]]).collect::<Vec<_>>()
    };
    assert_eq!(on_a_line(1, &entries(7 * 58 + 32), 1), [7 * 26, 24, 9 * 32]);
    assert_eq!(on_a_line(2, &entries(8 * 32), 1), [0, 24, 9 * 32]);
}

/// Ranks 0 and 1 of a line send 32 packets each to rank 2 behind them, over one link that they share. A packet of rank 0 gets on in 64 ns
/// instead of 32. What it does not wait for its turn at the router before that link it waits for room there, or in the router before: a
/// place more in both buffers makes 64 ns each of the one into the other. How long all of it takes does not change.
#[test]
fn where_packets_wait_for_a_link() {
    let send = Entry::Send { to: Rank(2), bytes: Bytes(32 * 256), wait: Duration::ZERO };
    let entries = [vec![send], vec![send], [0, 1].map(|from| Entry::Await { from: Rank(from) }).to_vec()];
    for (buffer, credits) in [(2, 900), (4, 900 - 2 * 128), (8, 900 - 6 * 128), (32, 0)] {
        assert_eq!(on_a_line(buffer, &entries, 2)[..2], [credits, 1008 - credits], "{buffer}");
    }
}

fn entry() -> impl Strategy<Value = Entry> {
    let to = || (0..6_u32).prop_map(Rank);
    let time = || (0..2_000_000_u64).prop_map(Duration::from_ps);
    let sent = || (to(), prop_oneof![Just(0), 1..4000_u64].prop_map(Bytes), time());
    prop_oneof![
        sent().prop_map(|(to, bytes, wait)| Entry::Send { to, bytes, wait }),
        sent().prop_map(|(to, bytes, wait)| Entry::Post { to, bytes, wait }),
        to().prop_map(|from| Entry::Await { from }),
        time().prop_map(|time| Entry::Pause { time }),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// The causes of each rank add up to the run, and so does the path, step by step, too. All of it, and the run, is the same on several threads; and the run without an
    /// account, too.
    #[test]
    fn all_adds_up(
        topology in topologies(),
        routers in routers(),
        entries in prop::collection::vec(prop::collection::vec(entry(), 0..10), 6),
        homes in prop::collection::vec(any::<prop::sample::Index>(), 6),
    ) {
        let network = network(&routers, &NodeModel::default(), &topology);
        let homes = homes.iter().map(|home| NodeId::new(home.index(topology.nodes()))).collect();
        let placement = Placement::new(homes);
        let (run, accounts) = account(&network, &placement, &entries, 1, Keep::Yes);
        let (closed, drawn) = accounts.clone().expect("it was asked for");
        for account in closed.ranks() {
            prop_assert_eq!(account.causes.total().as_ps(), run.1.as_ps());
        }
        let path = &closed.critical().path;
        prop_assert_eq!(path.causes.total().as_ps(), run.1.as_ps());
        prop_assert_eq!(path.calls().iter().map(|share| share.time.as_ps()).sum::<u64>(), run.1.as_ps());
        prop_assert_eq!(account(&network, &placement, &entries, 3, Keep::Yes), (run.clone(), accounts.clone()));
        // Ranks that stay on this thread.
        let mut programs = Queue::all(Arc::new(Script::new(entries.clone()).expect("ranks exist")));
        let context = RunContext { causes: Keep::Yes, path_steps: 1000, ..RunContext::new(&placement) };
        let here = network.run_here(&mut programs, context).ended;
        let mut causes = here.causes.expect("it was asked for");
        prop_assert_eq!(causes.take_path(here.at, usize::MAX), Some(drawn));
        prop_assert_eq!((here.digest, causes.closed(here.at)), (run.2, closed));
        prop_assert_eq!(account(&network, &placement, &entries, 1, Keep::No), (run, None));
        // Where every buffer has room for all packets there are no waits for credits.
        let input_buffer = 6 * 10 * 4000_u32.div_ceil(256);
        let routers = RouterModel { mtu: Bytes(256), input_buffer, ..routers };
        let network = crate::zoo::network(&routers, &NodeModel::default(), &topology);
        let (_, accounts) = account(&network, &placement, &entries, 1, Keep::Yes);
        for rank in accounts.expect("it was asked for").0.ranks() {
            prop_assert_eq!(rank.causes.of(Cause::Credits), Duration::ZERO);
        }
    }

    /// What links count as waiting is divided among jobs without a rest, whatever the routers are like, and alike on several threads.
    #[test]
    fn waiting_is_divided_among_jobs(
        topology in topologies(),
        routers in routers(),
        entries in prop::collection::vec(prop::collection::vec(entry(), 0..10), 6),
    ) {
        let network = network(&routers, &NodeModel::default(), &topology);
        let placement = Placement::new((0..6).map(|rank| NodeId::new(rank % topology.nodes())).collect());
        let jobs = Arc::new(JobRanks::new([0, 1, 4]));
        let counts = |threads: usize| {
            let mut programs = Queue::all(Arc::new(Script::new(entries.clone()).expect("ranks exist")));
            let context = RunContext { threads, jobs: Some(Arc::clone(&jobs)), ..RunContext::new(&placement) };
            network.run(&mut programs, context).counts
        };
        let counted = counts(1);
        let mut waited = vec![Duration::ZERO; counted.links.len()];
        for (link, by_job) in (0..3).flat_map(|job| counted.waits.of_job(job)) {
            by_job.values().for_each(|&time| waited[link.index()] += time);
        }
        prop_assert_eq!(waited, counted.links.iter().map(|link| link.waited).collect::<Vec<_>>());
        prop_assert_eq!(counts(3).waits, counted.waits);
    }

    /// A message that meets no other, of one packet: the latencies of its route, router by router, and its bytes at the slowest
    /// place, or a little less: a router's pipeline passes while a packet that was stretched still comes in. Where all is as fast nothing is left.
    #[test]
    fn a_message_alone(
        topology in topologies(),
        routers in routers(),
        pair in (any::<prop::sample::Index>(), any::<prop::sample::Index>()),
        bytes in 1..5000_u64,
    ) {
        let nodes = topology.nodes();
        let [from, to] = [pair.0, pair.1].map(|index| index.index(nodes));
        prop_assume!(from != to);
        let network = network(&routers, &NodeModel::default(), &topology);
        let mut entries = vec![vec![]; nodes];
        entries[from] = vec![Entry::Post { to: Rank::new(to), bytes: Bytes(bytes), wait: Duration::ZERO }];
        entries[to] = vec![Entry::Await { from: Rank::new(from) }];
        let (_, accounts) = account(&network, &Placement::one_per_node(nodes), &entries, 1, Keep::Yes);
        let (accounts, _) = accounts.expect("it was asked for");
        let causes = accounts.ranks()[to].causes;
        let mut route = Vec::new();
        topology.route(NodeId::new(from), NodeId::new(to), &mut route);
        let pipeline = routers.route_delay + routers.vc_allocation_delay + routers.switch_allocation_delay;
        let hop = (pipeline + routers.switch_delay[0]) * (route.len() as u64 - 1);
        let wires = route.iter().fold(hop, |sum, &link: &LinkId| sum + topology.link(link).latency);
        prop_assert_eq!(causes.of(Cause::Latency), wires);
        prop_assert_eq!(accounts.critical().path.links, route.len() as u64);
        let fastest = (0..topology.links()).map(|id| topology.link(LinkId::new(id)).capacity);
        let switch = routers.switch_bandwidth.first().copied().or_else(|| fastest.reduce(weir_units::Bandwidth::max));
        let slowest = route.iter().map(|&link| topology.link(link).capacity).chain(switch);
        let slowest = slowest.min_by(|a, b| a.bytes_per_second().total_cmp(&b.bytes_per_second()));
        let alone = slowest.expect("there are links").serialization_time(Bytes(bytes));
        let packets = bytes.div_ceil(routers.mtu.0);
        let found = causes.of(Cause::Serialization);
        prop_assert!(found > Duration::ZERO && found.as_ps() <= alone.as_ps() + packets, "{found:?} {alone:?}");
        // Latencies by class of link, and the bytes at the slowest links if they are of one class.
        let classes = LinkClasses::of(&topology);
        let class = |link: &LinkId| classes.class(&topology, *link);
        let wires = &accounts.critical().path.wires;
        let mut latencies = ByClass::default();
        route.iter().for_each(|link| latencies[class(link)] += topology.link(*link).latency);
        prop_assert_eq!(&wires.latency, &latencies);
        let capacity = |link: &LinkId| topology.link(*link).capacity;
        let least = route.iter().map(capacity).reduce(weir_units::Bandwidth::min).expect("there are links");
        let narrowest: Vec<_> = route.iter().filter(|link| capacity(link) == least).collect();
        let is_of_links = switch.is_none_or(|switch| switch.min(least) == least);
        let of_one_class = narrowest.windows(2).all(|pair| class(pair[0]) == class(pair[1]));
        let mut bytes_by_class = ByClass::default();
        if is_of_links && of_one_class {
            bytes_by_class[class(narrowest[0])] = found;
        }
        prop_assert_eq!(&wires.bytes, &bytes_by_class);
        let links = wires.links.shares();
        prop_assert_eq!(links.len(), usize::from(is_of_links && narrowest.len() == 1));
        prop_assert!(links.iter().all(|share| share.of == *narrowest[0] && share.time == found));
        let capacities = route.iter().map(|&link| topology.link(link).capacity).chain(switch);
        if packets == 1 && capacities.collect::<Vec<_>>().windows(2).all(|pair| pair[0] == pair[1]) {
            prop_assert_eq!((found, causes.of(Cause::Contention)), (alone, Duration::ZERO));
        }
    }
}
