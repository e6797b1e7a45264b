//! A single message passes the links of the topology's route and no others, on machines of every kind, and arrives after
//! the time of an idle machine.

use crate::flit::Message;
use crate::recorder::{Handing, play};
use crate::zoo::{network, routers, topologies};
use proptest::prelude::*;
use weir_packet::{NodeModel, RouterModel};
use weir_topology::Topology;
use weir_units::{Bandwidth, Bytes, LinkId, NodeId};

/// When a packet that is handed over at 0 arrives, if nothing is in its way: head and tail from link to link (the model's
/// formulas without any waiting).
fn idle(topology: &Topology, routers: &RouterModel, route: &[LinkId], bytes: u64) -> u64 {
    let time = |bandwidth: Bandwidth| bandwidth.serialization_time(Bytes(bytes.max(1))).as_ps();
    let fastest = (0..topology.links()).map(|id| topology.link(LinkId::new(id)).capacity);
    let switch =
        routers.switch_bandwidth.or_else(|| fastest.reduce(Bandwidth::max)).expect("there are links");
    let pipeline =
        (routers.route_delay + routers.vc_allocation_delay + routers.switch_allocation_delay).as_ps();
    let delay = routers.switch_delay.as_ps();
    let injection = topology.link(route[0]);
    let mut head = injection.latency.as_ps();
    let mut tail = head + time(injection.capacity);
    for &id in &route[1..] {
        let link = topology.link(id);
        let granted = head + pipeline;
        let crossed = tail.max(granted + time(switch));
        head = granted + delay;
        tail = (crossed + delay).max(head + time(link.capacity));
        head += link.latency.as_ps();
        tail += link.latency.as_ps();
    }
    tail
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn a_message_takes_its_route(
        topology in topologies(),
        routers in routers(),
        pairs in prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>(), 0..3_u64, 0..=64_u64), 1..=4),
    ) {
        let nodes = topology.nodes();
        let network = network(&routers, &NodeModel::default(), &topology);
        let mut route = Vec::new();
        for (from, to, full, rest) in pairs {
            let (from, to) = (from.index(nodes) as u32, to.index(nodes) as u32);
            if from == to {
                continue;
            }
            let bytes = full * routers.mtu.0 + rest.min(routers.mtu.0);
            topology.route(NodeId(from), NodeId(to), &mut route);
            let message = Message { at: 0, from, to, bytes };
            let (ended, programs) = play(&network, nodes, &[message], Handing::AtTheStart, 1);
            let packets = bytes.div_ceil(routers.mtu.0).max(1);
            for (id, link) in ended.counts.links.iter().enumerate() {
                let on_it = route.contains(&LinkId::new(id));
                let expected = if on_it { (packets, bytes) } else { (0, 0) };
                prop_assert_eq!((link.packets, link.bytes), expected, "link {} from {} to {}", id, from, to);
            }
            prop_assert_eq!(ended.counts.packet_hops, packets * (route.len() as u64 - 1));
            prop_assert_eq!(programs[to as usize].arrivals.len(), 1);
            if packets == 1 {
                let arrived = programs[to as usize].arrivals[0].2;
                prop_assert_eq!(arrived, idle(&topology, &routers, &route, bytes), "from {} to {}", from, to);
                prop_assert_eq!(ended.counts.latency.most().as_ps(), arrived);
            }
        }
    }
}
