//! The result of a run does not depend on threads or processes, nor on how wide windows are; a limit of simulated time cuts it at that
//! instant and changes nothing before.

use crate::flat::host;
use crate::flit::Message;
use crate::machines::{bandwidth, uniform};
use crate::processes::{Within, on_each, run_together};
use crate::recorder::{Handing, Recorder};
use crate::zoo::{self, changes, changing, deciding, graph, network, routers, several_cables, topologies};
use proptest::prelude::*;
use proptest::sample::Index;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::sync::Arc;
use weir_network::record::Keep;
use weir_network::{
    Checkpoints, Choose, Copying, Limits, Outcome, Placement, Program, RunContext, Serving, Striping,
    WithinNode,
};
use weir_packet::{
    Counts, Nics, NodeModel, PacketEnded, PacketNetwork, RouterModel, SelfTraffic, Synthetic, SyntheticEnded,
    TrafficPattern,
};
use weir_topology::Topology;
use weir_units::{Bandwidth, Bytes, Duration, NodeId, Time};
use weir_workload::{Algorithm, AllToAll, Permutation, Queue, RandomSizes, Steps};

/// A machine, where its ranks are, and what they do.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    network: PacketNetwork,
    placement: Placement,
    work: Work,
    /// Whether causes are kept.
    causes: Keep,
}

#[derive(Clone, Debug)]
pub(crate) enum Work {
    AllToAll(Bytes, Steps),
    RandomSizes(Bytes, u64),
    Ring(Bytes, Steps),
    /// Also between ranks of one node.
    Messages(Vec<Message>, Handing),
}

/// How it is run.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Way {
    /// All in so many threads.
    Threads(usize),
    /// Programs in one of so many threads.
    Here(usize),
    /// In one thread, with windows of this part of their greatest width.
    Narrow(u64),
    /// In so many processes of so many threads each.
    Processes(usize, usize, Within),
    /// With routers that are run by code for another processor, and programs on so many threads.
    Remote(host::Threads, usize),
}

pub(crate) fn limited(at: Time) -> Limits {
    Limits { simulated: at, ..Limits::default() }
}

impl Case {
    /// The same, without causes, if code for another processor can run its routers.
    pub(crate) fn remote(mut self) -> Option<Self> {
        self.causes = Keep::No;
        self.network.flat_messages(Limits::default()).is_ok().then_some(self)
    }

    pub(crate) fn run(&self, way: Way, limits: Limits) -> PacketEnded {
        self.run_kept(way, limits, None)
    }

    /// What it reaches is kept, or it goes on from what was.
    pub(crate) fn run_kept(
        &self,
        way: Way,
        limits: Limits,
        checkpoints: Option<&mut dyn Checkpoints>,
    ) -> PacketEnded {
        let ranks = self.placement.ranks();
        let spread = |bytes, steps| {
            AllToAll::new(ranks, bytes, Algorithm::SimpleSpread, steps).expect("any number of ranks will do")
        };
        match &self.work {
            &Work::AllToAll(bytes, steps) => {
                self.play(&mut Queue::all(Arc::new(spread(bytes, steps))), way, limits, checkpoints)
            }
            &Work::RandomSizes(bytes, seed) => {
                let order = RandomSizes::new(spread(bytes, Steps::FreeRunning), 0.9, seed);
                self.play(&mut Queue::all(Arc::new(order)), way, limits, checkpoints)
            }
            &Work::Ring(bytes, steps) => self.play(
                &mut Queue::all(Arc::new(Permutation::ring(ranks, bytes, 3, steps))),
                way,
                limits,
                checkpoints,
            ),
            Work::Messages(..) => self.play(&mut self.recorders(), way, limits, checkpoints),
        }
    }

    fn recorders(&self) -> Vec<Recorder> {
        match &self.work {
            Work::Messages(messages, handing) => Recorder::all(self.placement.ranks(), messages, *handing),
            _ => Vec::new(),
        }
    }

    fn play<P: Program + Send>(
        &self,
        programs: &mut [P],
        way: Way,
        limits: Limits,
        checkpoints: Option<&mut dyn Checkpoints>,
    ) -> PacketEnded
    where
        P::Body: Send + Serialize + DeserializeOwned,
    {
        let (network, placement, causes) = (&self.network, &self.placement, self.causes);
        let context = |threads| RunContext::new(placement).limits(limits).threads(threads).causes(causes);
        match way {
            Way::Threads(threads) => network.run(programs, context(threads).checkpoints(checkpoints)),
            Way::Here(threads) => network.run_here(programs, context(threads).checkpoints(checkpoints)),
            Way::Narrow(parts) => {
                let width = Duration::from_ps((network.window().as_ps() / parts).max(1));
                network.clone().with_window(width).run(programs, context(1).checkpoints(checkpoints))
            }
            Way::Remote(kernels, threads) => {
                network.run_remote(programs, context(threads), &mut host::routers(network, limits, kernels))
            }
            Way::Processes(processes, threads, within) => {
                let context = (limits, causes);
                run_together(network, placement, programs, context, (processes, threads), within, checkpoints)
            }
        }
    }
}

/// In how many windows something moved, which depends on nothing but their width.
pub(crate) fn windows(way: Way, ended: &PacketEnded) -> Option<u64> {
    match way {
        Way::Narrow(_) => None,
        Way::Threads(_) | Way::Here(_) | Way::Remote(..) | Way::Processes(..) => Some(ended.counts.windows),
    }
}

/// All of a result but how many windows and threads it took.
pub(crate) fn shown(ended: &PacketEnded) -> String {
    let PacketEnded { ended, until, counts, stuck, .. } = ended;
    let counts = (counts.packets, counts.packet_hops, &counts.latency, &counts.links);
    format!("{ended:?} {until:?} {counts:?} {stuck:?}")
}

/// All of a result of synthetic traffic but how it was run, how many windows there were, and how wide.
pub(crate) fn shown_synthetic(ended: &SyntheticEnded) -> (String, u64) {
    let windows = ended.counts.windows;
    let counts = Counts { windows: 0, window: Duration::ZERO, threads: 0, ..ended.counts.clone() };
    let processes = Default::default();
    (format!("{:?}", SyntheticEnded { counts, processes, ..ended.clone() }), windows)
}

fn steps() -> impl Strategy<Value = Steps> {
    prop_oneof![Just(Steps::Synchronised), Just(Steps::FreeRunning)]
}

fn messages(ranks: u32) -> impl Strategy<Value = Work> {
    let handings = prop::sample::select(&Handing::ALL);
    (zoo::messages(ranks as usize), handings)
        .prop_map(|(messages, handing)| Work::Messages(messages, handing))
}

pub(crate) fn work(ranks: u32) -> impl Strategy<Value = Work> {
    let bytes = || prop_oneof![Just(0_u64), 0..400_u64].prop_map(Bytes);
    prop_oneof![
        2 => (bytes(), steps()).prop_map(|(bytes, steps)| Work::AllToAll(bytes, steps)),
        1 => (bytes(), any::<u64>()).prop_map(|(bytes, seed)| Work::RandomSizes(bytes, seed)),
        1 => (bytes(), steps()).prop_map(|(bytes, steps)| Work::Ring(bytes, steps)),
        2 => messages(ranks),
    ]
}

prop_compose! {
    /// Nodes with one interface or several.
    pub(crate) fn nodes()(
        speed in prop_oneof![Just(None), (1..20_u64).prop_map(|speed| Some(bandwidth(speed)))],
        copying in prop_oneof![Just(Copying::Apart), Just(Copying::InTurn)],
        latency in prop_oneof![Just(Duration::ZERO), (1..900_u64).prop_map(Duration::from_ns)],
        memory_limit in prop_oneof![2 => Just(None), 1 => (1..20_u64).prop_map(|speed| Some(bandwidth(speed)))],
        limits in [limit(), limit()],
        nics in 1..=3_u32,
        serving in prop_oneof![
            1 => Just(Serving::InOrder),
            2 => prop_oneof![1..4_u32, Just(u32::MAX)].prop_map(|at_once| Serving::Shared { at_once }),
        ],
        over in prop_oneof![Just(1), 2..=3_u32],
        from in prop_oneof![Just(Bytes::ZERO), (0..300_u64).prop_map(Bytes)],
        packet_gap in prop_oneof![Just(0.0), Just(0.3), Just(1.0)],
        choose in choices(),
    ) -> NodeModel {
        let within = WithinNode { bandwidth: speed, copying, latency, memory_limit };
        let striping = Striping { over: over.min(nics), from };
        let nics = Nics::Several(nics);
        let [injection_limit, ejection_limit] = limits;
        let limited = NodeModel { injection_limit, ejection_limit, ..NodeModel::default() };
        NodeModel { within, nics, choose, serving, striping, packet_gap, injection_channels: None, ..limited }
    }
}

/// What the interfaces of a node send or receive together.
fn limit() -> impl Strategy<Value = Option<Bandwidth>> {
    prop_oneof![2 => Just(None), 1 => (1..20_u64).prop_map(|speed| Some(bandwidth(speed)))]
}

/// Which interface a message takes.
pub(crate) fn choices() -> impl Strategy<Value = Choose> {
    let rules = [Choose::RoundRobin, Choose::Hash, Choose::ByDestination, Choose::LeastLoaded];
    prop::sample::select(rules.to_vec())
}

/// 2 to 12 ranks somewhere on a machine of any kind, often several on a node.
pub(crate) fn cases<W: Strategy<Value = Work>>(work: fn(u32) -> W) -> impl Strategy<Value = Case> {
    let homes = prop::collection::vec(any::<Index>(), 2..=12);
    let causes = prop_oneof![Just(Keep::Yes), Just(Keep::No)];
    let topologies = prop_oneof![3 => topologies(), 1 => several_cables(), 2 => deciding()];
    let parts = (topologies, routers(), nodes(), homes, causes);
    parts.prop_flat_map(move |(topology, routers, node, homes, causes)| {
        // Where nodes have several cables each is an interface, and there is no router at which all could have a limit.
        let own = NodeModel { nics: Nics::Several(1), injection_limit: None, ejection_limit: None, ..node };
        let node = if topology.most_cables() > 1 { own } else { node };
        let work = work(homes.len() as u32);
        let changes = prop_oneof![Just(Vec::new()), changes(&topology)];
        let placement = homes.iter().map(|home| NodeId::new(home.index(topology.nodes()))).collect();
        let placement = Placement::new(placement);
        (changes, work).prop_map(move |(changes, work)| {
            let network = changing(&routers, &node, &topology, &changes);
            Case { network, placement: placement.clone(), work, causes }
        })
    })
}

pub(crate) fn ways() -> impl Strategy<Value = Way> {
    prop_oneof![
        2 => (2..=4_usize).prop_map(Way::Threads),
        1 => (1..=4_usize).prop_map(Way::Here),
        2 => prop_oneof![Just(2), Just(3), Just(7)].prop_map(Way::Narrow),
        4 => (2..=4_usize, 1..=3_usize, prop_oneof![Just(Within::AnyThread), Just(Within::OneThread)])
            .prop_map(|(processes, threads, within)| Way::Processes(processes, threads, within)),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    /// Whole runs, and runs up to any instant.
    #[test]
    fn threads_processes_and_windows(case in cases(work), ways in [ways(), ways()], parts in 0..=1200_u64) {
        let whole = case.run(Way::Threads(1), Limits::default());
        prop_assert_eq!(&whole.ended.outcome, &Outcome::Finished);
        let end = whole.until.as_ps();
        let limit = limited(Time::from_ps((u128::from(end) * u128::from(parts) / 1000) as u64));
        let cut = case.run(Way::Threads(1), limit);
        if limit.simulated >= whole.until {
            prop_assert_eq!(shown(&cut), shown(&whole), "a limit after the end: {}", limit.simulated);
        }
        for way in ways {
            for (limits, expected) in [(Limits::default(), &whole), (limit, &cut)] {
                let ended = case.run(way, limits);
                prop_assert_eq!(shown(&ended), shown(expected), "{:?} until {}", way, limits.simulated);
                let windows = windows(way, &ended).unwrap_or(expected.counts.windows);
                prop_assert_eq!(windows, expected.counts.windows, "{:?} until {}", way, limits.simulated);
            }
        }
        if limit.simulated >= whole.until {
            prop_assert_eq!(shown(&cut), shown(&whole), "a limit after the end");
        } else {
            prop_assert!(matches!(cut.ended.outcome, Outcome::Limit(_)));
            prop_assert_eq!((cut.ended.at, cut.until), (limit.simulated, limit.simulated));
        }
    }

    /// Up to the limit everything happens as without it, and nothing after it.
    #[test]
    fn a_limit_cuts_at_its_instant(case in cases(messages), which: Index, before: bool) {
        let mut whole = case.recorders();
        case.play(&mut whole, Way::Threads(1), Limits::default(), None);
        let instants: Vec<_> = whole.iter().flat_map(|p| p.arrivals.iter().map(|a| a.2).chain(p.departures.clone())).collect();
        let limit = which.get(&instants).saturating_sub(u64::from(before));
        for way in [Way::Threads(1), Way::Threads(2), Way::Here(2), Way::Narrow(3), Way::Processes(2, 2, Within::AnyThread)] {
            let mut cut = case.recorders();
            let ended = case.play(&mut cut, way, limited(Time::from_ps(limit)), None);
            for (cut, whole) in cut.iter().zip(&whole) {
                let arrivals: Vec<_> = whole.arrivals.iter().copied().filter(|arrival| arrival.2 <= limit).collect();
                prop_assert_eq!(&cut.arrivals, &arrivals);
                let departures: Vec<_> =
                    whole.departures.iter().map(|&at| if at <= limit { at } else { u64::MAX }).collect();
                prop_assert_eq!(&cut.departures, &departures);
            }
            let arrivals = whole.iter().flat_map(|program| &program.arrivals).filter(|arrival| arrival.2 <= limit);
            prop_assert_eq!(ended.ended.traffic.messages, arrivals.count() as u64);
        }
    }

    /// Traffic without programs.
    #[test]
    fn synthetic_traffic(
        (topology, changes) in prop_oneof![topologies(), deciding()].prop_flat_map(|topology| {
            let changes = prop_oneof![Just(Vec::new()), changes(&topology)];
            (Just(topology), changes)
        }),
        routers in routers(),
        load in prop_oneof![Just(1.0), 0.05..0.5],
        pattern in prop_oneof![
            Just(TrafficPattern::Uniform), Just(TrafficPattern::Tornado), Just(TrafficPattern::Neighbor),
            Just(TrafficPattern::HotSpot { node: NodeId(0), part: 0.3 }),
        ],
        self_traffic in prop_oneof![Just(SelfTraffic::Allowed), Just(SelfTraffic::Skipped)],
        seed: u64,
        threads in 2..=4_usize,
        narrow in prop_oneof![Just(2_u64), Just(3), Just(7)],
    ) {
        let network = changing(&routers, &NodeModel::default(), &topology, &changes);
        let packet_time = topology.link(weir_units::LinkId(0)).capacity.serialization_time(routers.mtu);
        let traffic = Synthetic {
            pattern,
            offered_load: load,
            self_traffic,
            packet: routers.mtu,
            warmup: Duration::from_ps(packet_time.as_ps() * 10),
            duration: Duration::from_ps(packet_time.as_ps() * 30),
            seed,
            ..uniform()
        };
        let run = |network: &PacketNetwork, processes, threads, limits| {
            let ended = on_each(network, processes, |transport| {
                network.run_synthetic(&traffic, RunContext::without_ranks().limits(limits).threads(threads).processes(transport, None))
            });
            shown_synthetic(&ended)
        };
        let width = Duration::from_ps((network.window().as_ps() / narrow).max(1));
        let narrow = network.clone().with_window(width);
        let wide = network.clone().for_packets_of(traffic.packet);
        for limits in [Limits::default(), limited(Time::from_ps(packet_time.as_ps() * 25))] {
            let one = run(&network, 1, 1, limits);
            prop_assert_eq!(&run(&network, 1, threads, limits), &one);
            prop_assert_eq!(&run(&network, threads, 1, limits), &one);
            prop_assert_eq!(&run(&network, 2, threads - 1, limits), &one);
            prop_assert_eq!(&run(&narrow, 1, 1, limits).0, &one.0);
            prop_assert_eq!(&run(&wide, 1, 1, limits).0, &one.0);
            prop_assert_eq!(&run(&wide, 2, threads - 1, limits).0, &one.0);
        }
    }
}

/// A packet of a node to itself goes to the router and back, on a graph as well.
#[test]
fn self_traffic_on_a_graph() {
    let cables = [(8, 10)];
    let graph = Topology::Graph(graph(3, &[(0, 1), (1, 2)], &[0, 0, 2], &cables, cables[0]));
    let network = network(&RouterModel::default(), &NodeModel::default(), &graph);
    for node in (0..3).map(NodeId) {
        let traffic = Synthetic {
            pattern: TrafficPattern::HotSpot { node, part: 1.0 },
            self_traffic: SelfTraffic::Allowed,
            duration: Duration::from_ns(50_000),
            ..uniform()
        };
        let ended = network.run_synthetic(&traffic, RunContext::without_ranks());
        let packets = |link: usize| ended.counts.links[link].packets;
        let (sent, arrived) = ((0..3).map(packets).sum::<u64>(), packets(3 + node.index()));
        assert!(sent > 300 && arrived <= sent && arrived + 20 > sent, "to node {node}: {arrived} of {sent}");
        assert_eq!((3..6).map(packets).sum::<u64>(), arrived, "all go to node {node}");
    }
}
