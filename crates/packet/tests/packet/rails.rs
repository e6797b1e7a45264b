//! Several networks that share the nodes.

use crate::flit::Message;
use crate::machines::{Cable, node_link};
use crate::recorder::{Handing, Recorder, play};
use crate::zoo::{self, messages, mixed, routers, tree};
use proptest::prelude::*;
use proptest::sample::Index;
use weir_network::{Choose, Outcome, Placement, RunContext, Striping};
use weir_packet::{DeadlockPolicy, NodeModel, PacketNetwork, RouterModel, VcAllocation, channels_of};
use weir_topology::{
    FatTreeRouting, HyperX, NodeLink, Rail, Rails, Rule, Switched, Tie, Topology, Wiring, Within, Wrap,
};
use weir_units::{Bytes, NodeId};

/// A network of so many nodes, of several kinds.
fn network(kind: u8, nodes: u32, cables: &[Cable]) -> Topology {
    let cable = cables[usize::from(kind) % cables.len()];
    match kind % 4 {
        0 => tree(&[(nodes, 0)], &[cable], cable, FatTreeRouting::DestinationMod),
        1 => mixed(&[(nodes, Wrap::Torus)], &[cable], cable, Tie::Spread),
        2 => tree(&[(1, 2), (nodes, 0)], &[cable], cable, FatTreeRouting::SourceMod),
        _ => {
            let wiring = Wiring::HyperX(HyperX::new(&[nodes], 1).expect("a line"));
            let NodeLink { bandwidth, latency } = node_link(cable);
            let cable = NodeLink { bandwidth, latency };
            let made = Switched::new(wiring, 1, vec![cable], cable, Rule::Hashed);
            Topology::Switched(made.expect("a full mesh"))
        }
    }
}

/// Networks with the same nodes, or domains of them, of which the first is any machine.
fn networks(first: impl Strategy<Value = Topology>) -> impl Strategy<Value = Vec<Rail>> {
    let first = first.prop_filter("few nodes", |machine| (2..=24).contains(&machine.nodes()));
    let other = (any::<u8>(), any::<bool>(), any::<Index>(), any::<Index>());
    let others = prop::collection::vec(other, 1..3);
    let cables = prop::collection::vec((1..12_u64, 1..40_u64), 1..3);
    (first, others, cables).prop_map(|(first, others, cables)| {
        let nodes = first.nodes() as u32;
        let divisors: Vec<u32> = (1..=nodes).filter(|divisor| nodes.is_multiple_of(*divisor)).collect();
        let others = others.into_iter().map(|(kind, has_domains, domain, stride)| {
            let domain = has_domains.then(|| divisors[domain.index(divisors.len())]);
            let machine = network(kind, domain.unwrap_or(nodes), &cables);
            Rail { machine, domain, stride: divisors[stride.index(divisors.len())] }
        });
        let first = Rail { machine: first, domain: None, stride: 1 };
        std::iter::once(first).chain(others).collect()
    })
}

fn rails(networks: Vec<Rail>) -> Topology {
    Topology::Rails(Rails::new(networks).expect("networks of as many nodes"))
}

/// Machines of several networks, also such as decide packet by packet.
pub(crate) fn several() -> impl Strategy<Value = Topology> {
    prop_oneof![3 => networks(zoo::formulas()).boxed(), 1 => networks(zoo::deciding()).boxed()]
        .prop_map(rails)
}

/// Sends messages, each over the network that its receiver's number says, of those that lead there.
fn by_destination() -> NodeModel {
    NodeModel { choose: Choose::ByDestination, ..NodeModel::default() }
}

/// A model under which a network behaves in every machine as it does alone.
fn alike(machine: &Topology, model: &RouterModel) -> RouterModel {
    let vc_allocation = if zoo::escapes(machine) { VcAllocation::WithSwitch } else { model.vc_allocation };
    let model = &RouterModel { services: None, vc_allocation, ..model.clone() };
    let virtual_channels = model.virtual_channels.max(channels_of(machine));
    let lenient = RouterModel { deadlock: DeadlockPolicy::Allow, virtual_channels, ..model.clone() };
    let classes = PacketNetwork::new(&lenient, &by_destination(), machine).expect("it is allowed").classes();
    RouterModel { virtual_channels: classes + model.virtual_channels - 1, ..model.clone() }
}

/// Arrivals at all ranks of messages by their senders and places in the list.
fn arrivals(network: &PacketNetwork, nodes: usize, messages: &[Message]) -> Vec<Vec<(u32, u64, u64)>> {
    let (_, programs) = play(network, nodes, messages, Handing::AtTheStart, 1);
    programs.into_iter().map(|program: Recorder| program.arrivals).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(80))]

    /// What goes by a network arrives when it does where there is no other network, in each domain.
    #[test]
    fn networks_do_not_know_of_each_other(
        (networks, messages) in networks(zoo::formulas()).prop_flat_map(|networks| {
            let messages = messages(networks[0].machine.nodes());
            (Just(networks), messages)
        }),
        routers in routers(),
    ) {
        let rails = Rails::new(networks.clone()).expect("networks of as many nodes");
        let machine = Topology::Rails(rails.clone());
        let model = zoo::of_kinds(alike(&machine, &routers), &machine);
        let node = by_destination();
        let mut kinds = 0;
        let together = PacketNetwork::new(&model, &node, &machine).expect("enough virtual channels");
        let by = |message: &Message| {
            let cables = machine.cables_to(NodeId(message.from), NodeId(message.to));
            cables[message.to as usize % cables.len()] as usize
        };
        let found = arrivals(&together, machine.nodes(), &messages);
        for (number, (own, domains)) in rails.networks().enumerate() {
            let own_kinds = own.router_kinds().0.len();
            let model = RouterModel {
                switch_delay: model.switch_delay[kinds..][..own_kinds].to_vec(),
                switch_bandwidth: model.switch_bandwidth.iter().copied().skip(kinds).take(own_kinds).collect(),
                ..model.clone()
            };
            kinds += own_kinds;
            let alone = PacketNetwork::new(&model, &node, own).expect("enough virtual channels");
            for domain in 0..domains {
                let place = |node: u32| rails.node_within(number, NodeId(node));
                let is_here = |m: &&Message| by(m) == number && place(m.from).domain == domain;
                let local = |m: &Message| Message { from: place(m.from).id.0, to: place(m.to).id.0, ..*m };
                let here: Vec<_> = messages.iter().filter(is_here).collect();
                let arrived = arrivals(&alone, own.nodes(), &here.iter().map(|m| local(m)).collect::<Vec<_>>());
                for (to, arrived) in (0..).zip(&arrived) {
                    let node = |id| rails.node_at(Within { network: number, domain, id: NodeId(id) });
                    let is_of_network = |(from, _, _): &&(u32, u64, u64)| {
                        let pair = Message { from: *from, to: node(to).0, at: 0, bytes: 0 };
                        by(&pair) == number
                    };
                    let mut times: Vec<_> = arrived.iter().map(|&(from, _, at)| (node(from).0, at)).collect();
                    let there = &found[node(to).index()];
                    let mut expected: Vec<_> = there.iter().filter(is_of_network).filter(|a| place(a.0).domain == domain).map(|&(from, _, at)| (from, at)).collect();
                    times.sort_unstable();
                    expected.sort_unstable();
                    prop_assert_eq!(times, expected, "network {} of {:?}", number, networks);
                }
            }
        }
    }

    /// A machine of one network is that network, to the last byte.
    #[test]
    fn one_network_is_itself(
        (alone, messages) in prop_oneof![zoo::formulas().boxed(), zoo::deciding().boxed()].prop_flat_map(|machine| {
            let messages = messages(machine.nodes());
            (Just(machine), messages)
        }),
        routers in routers(),
        node in crate::invariance::nodes(),
    ) {
        let machine = rails(vec![Rail { machine: alone.clone(), domain: None, stride: 1 }]);
        let run = |machine: &Topology| {
            let network = PacketNetwork::new(&alike(&alone, &routers), &node, machine).expect("enough virtual channels");
            let mut programs = Recorder::all(alone.nodes(), &messages, Handing::ByTimers);
            let placement = Placement::one_per_node(alone.nodes());
            let ended = network.run(&mut programs, RunContext::new(&placement));
            let arrivals: Vec<_> = programs.into_iter().map(|program| (program.arrivals, program.departures)).collect();
            (ended.ended.digest, ended.until, ended.counts.packet_hops, ended.counts.latency, arrivals)
        };
        prop_assert_eq!(run(&machine), run(&alone));
    }
}

/// A message over n equal networks takes as long as a part of it over one of them: 1 MiB in packets of 256 bytes at 8 GB/s.
#[test]
fn striping_over_equal_networks() {
    let cable = (8, 10);
    let leaves = tree(&[(4, 4), (2, 0)], &[cable], cable, FatTreeRouting::DestinationMod);
    let time = |count: u32, bytes: u64| {
        let machine = rails(vec![Rail { machine: leaves.clone(), domain: None, stride: 1 }; count as usize]);
        let striping = Striping { over: count, from: Bytes::ZERO };
        let node = NodeModel { striping, ..NodeModel::default() };
        let network = zoo::network(&RouterModel::default(), &node, &machine);
        let messages = [Message { at: 0, from: 0, to: 5, bytes }];
        let (ended, _) = play(&network, 8, &messages, Handing::AtTheStart, 1);
        assert_eq!(ended.ended.outcome, Outcome::Finished);
        ended.until.as_ps()
    };
    for count in [2, 4, 8] {
        assert_eq!(time(count, (1 << 20) * u64::from(count)), time(1, 1 << 20));
    }
    // Each byte more takes 125 ps on one of them.
    assert_eq!(time(4, 4 << 21) - time(4, 4 << 20), (1 << 20) * 125);
}
