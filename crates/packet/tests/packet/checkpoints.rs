//! A run that is kept goes on as if nothing had been; and what was kept goes on as the run did, in any other way of running it.

use crate::invariance::{Way, cases, limited, shown, shown_synthetic, ways, windows, work};
use crate::machines::{grid, uniform};
use crate::processes::{Nowhere, on_each};
use crate::zoo::{deciding, network, routers, topologies};
use proptest::prelude::*;
use weir_network::harness::Stops;
use weir_network::{Checkpoints, Limits, Outcome, RunContext};
use weir_packet::{NodeModel, PacketNetwork, Synthetic, SyntheticEnded, TrafficPattern};
use weir_topology::{Tie, Wrap};
use weir_units::{Duration, NodeId, Time};

/// Ways of the same width of windows.
fn alike() -> impl Strategy<Value = Way> {
    ways().prop_filter("windows are as wide", |way| !matches!(way, Way::Narrow(_)))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    /// Programs: kept up to three times in a row, each time in another way, at windows near the beginning of each.
    #[test]
    fn programs_go_on(
        case in cases(work),
        steps in prop::collection::vec((alike(), 0..8_usize), 1..4),
        last in alike(),
        parts in prop_oneof![Just(2000_u64), 1..1000_u64],
    ) {
        let whole = case.run_kept(Way::Threads(1), Limits::default(), None);
        prop_assert_eq!(&whole.ended.outcome, &Outcome::Finished);
        let end = whole.until.as_ps();
        let limits = limited(Time::from_ps((u128::from(end) * u128::from(parts) / 1000) as u64));
        let whole = case.run_kept(Way::Threads(1), limits, None);
        let check = |way: Way, stops: &mut Stops| {
            let ended = case.run_kept(way, limits, Some(stops));
            prop_assert_eq!(shown(&ended), shown(&whole), "{:?}", way);
            prop_assert_eq!(windows(way, &ended), Some(whole.counts.windows), "{:?}", way);
            Ok(())
        };
        let (mut state, mut reached) = (None, Time::ZERO);
        for (way, after) in steps {
            let mut stops = Stops::new(state.as_ref(), after);
            check(way, &mut stops)?;
            let Some((at, kept)) = stops.kept.pop() else { break };
            prop_assert!(at >= reached && stops.kept.is_empty());
            (state, reached) = (Some(kept), at);
        }
        check(last, &mut Stops::at_the_end(state.as_ref()))?;
    }

    /// Traffic without programs.
    #[test]
    fn synthetic_traffic_goes_on(
        topology in prop_oneof![topologies(), deciding()],
        routers in routers(),
        load in prop_oneof![Just(1.0), 0.05..0.5],
        pattern in prop_oneof![
            Just(TrafficPattern::Uniform), Just(TrafficPattern::Tornado),
            Just(TrafficPattern::HotSpot { node: NodeId(0), part: 0.3 }),
        ],
        seed: u64,
        steps in prop::collection::vec((1..=3_usize, 1..=3_usize, 0..8_usize), 1..4),
    ) {
        let network = network(&routers, &NodeModel::default(), &topology);
        let packet_time = topology.link(weir_units::LinkId(0)).capacity.serialization_time(routers.mtu);
        let traffic = Synthetic {
            pattern,
            offered_load: load,
            packet: routers.mtu,
            warmup: Duration::from_ps(packet_time.as_ps() * 10),
            duration: Duration::from_ps(packet_time.as_ps() * 30),
            seed,
            ..uniform()
        };
        let whole = shown_synthetic(&network.run_synthetic(&traffic, RunContext::without_ranks()));
        let mut state: Option<Vec<u8>> = None;
        for (processes, threads, after) in steps {
            let (ended, kept) = run(&network, &traffic, (processes, threads), state.as_ref(), after);
            prop_assert_eq!(shown_synthetic(&ended), whole.clone(), "{} processes, {} threads", processes, threads);
            let Some(kept) = kept else { break };
            state = Some(kept);
        }
        let (ended, _) = run(&network, &traffic, (1, 2), state.as_ref(), usize::MAX - 1);
        prop_assert_eq!(shown_synthetic(&ended), whole);
    }
}

/// Runs traffic from a state or the beginning; what the first process has, with what it has kept.
fn run(
    network: &PacketNetwork,
    traffic: &Synthetic,
    (processes, threads): (usize, usize),
    state: Option<&Vec<u8>>,
    after: usize,
) -> (SyntheticEnded, Option<Vec<u8>>) {
    on_each(network, processes, |transport| {
        let mut stops = Stops::new(state, after);
        let is_first = transport.process() == 0;
        let checkpoints: &mut dyn Checkpoints = if is_first { &mut stops } else { &mut Nowhere };
        let context = RunContext::without_ranks().threads(threads).checkpoints(Some(checkpoints));
        let ended = network.run_synthetic(traffic, context.processes(transport, None));
        (ended, stops.kept.pop().map(|(_, state)| state))
    })
}

/// What is not of this run ends it at once, and says so.
#[test]
fn another_state_is_refused() {
    let topology = grid(&[4], Wrap::Torus, &[(8, 10)], (8, 10), Tie::Plus);
    let network = network(&weir_packet::RouterModel::default(), &NodeModel::default(), &topology);
    let traffic =
        Synthetic { packet: weir_units::Bytes(256), duration: Duration::from_ns(5_000), ..uniform() };
    for state in [vec![], vec![7; 100]] {
        let (ended, _) = run(&network, &traffic, (1, 1), Some(&state), usize::MAX - 1);
        assert_eq!(ended.outcome, Outcome::Limit("the checkpoint is not of this run".into()));
    }
}
