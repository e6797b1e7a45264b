//! Code for a GPU, compiled for this processor, has the results of the engine.

mod host;

use crate::invariance::{limited, shown_synthetic};
use crate::zoo::{deciding, network, routers, topologies};
use proptest::prelude::*;
use weir_network::{Limits, RunContext};
use weir_packet::{Injection, NodeModel, SelfTraffic, Synthetic, TrafficPattern};
use weir_units::{Duration, LinkId, NodeId, Time};

fn patterns() -> impl Strategy<Value = TrafficPattern> {
    prop_oneof![
        3 => Just(TrafficPattern::Uniform),
        1 => Just(TrafficPattern::Tornado),
        1 => Just(TrafficPattern::Neighbor),
        1 => Just(TrafficPattern::Complement),
        1 => Just(TrafficPattern::RandomPermutation),
        1 => Just(TrafficPattern::GroupShift { group: 1, shift: 1 }),
        1 => Just(TrafficPattern::HotSpot { node: NodeId(0), part: 0.3 }),
    ]
}

proptest! {
    /// On any machine that fits, with any traffic, up to any limit, routers in any order, with windows of any width.
    #[test]
    fn arrays_have_the_results_of_the_engine(
        topology in prop_oneof![topologies(), deciding()],
        routers in routers(),
        load in prop_oneof![Just(1.0), 0.05..0.5],
        pattern in patterns(),
        is_geometric: bool,
        self_traffic in prop_oneof![Just(SelfTraffic::Allowed), Just(SelfTraffic::Skipped)],
        packet_gap in prop_oneof![3 => Just(0.0), 1 => Just(0.5)],
        is_whole: bool,
        is_wide: bool,
        seed: u64,
        order: u64,
    ) {
        let network = network(&routers, &NodeModel { packet_gap, ..NodeModel::default() }, &topology);
        // With the widest windows a packet of a node may come to its router within one.
        let network = if is_wide { network.for_packets_of(routers.mtu) } else { network };
        let packet_time = topology.link(LinkId(0)).capacity.serialization_time(routers.mtu);
        let times = |packets: u64| Duration::from_ps(packet_time.as_ps() * packets);
        let traffic = Synthetic {
            pattern,
            offered_load: load,
            injection: if is_geometric { Injection::Bernoulli { slot: None } } else { Injection::Exponential },
            self_traffic,
            packet: routers.mtu,
            warmup: times(10),
            duration: times(40),
            seed,
        };
        let limits = if is_whole { Limits::default() } else { limited(Time::ZERO + times(35)) };
        let Ok(run) = network.flat(&traffic, limits) else { return Err(TestCaseError::reject("does not fit")) };
        let expected = network.run_synthetic(&traffic, RunContext::without_ranks().limits(limits));
        let found = host::run(vec![run], order);
        prop_assert_eq!(shown_synthetic(&found[0]), shown_synthetic(&expected));
    }

    /// Logarithms have the same bits.
    #[test]
    fn logarithms(number in 1_u64..=1 << 53) {
        let x = number as f64 * 2f64.powi(-53);
        prop_assert!((host::logarithm(x) - x.ln()).abs() <= 3.0 * f64::EPSILON * x.ln().abs());
    }
}
