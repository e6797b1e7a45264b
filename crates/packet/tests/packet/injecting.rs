//! Interfaces that decide between a shortest way and one around by what routers have announced.

use crate::caminos::dragonfly;
use crate::flit::Message;
use crate::invariance::shown;
use crate::machines::{node_link, with_routers};
use crate::recorder::{Handing, play};
use crate::zoo::pairs;
use weir_packet::{PacketNetwork, RouterModel};
use weir_topology::{Adaptive, Decide, HyperX, Rule, Switched, Topology, Wiring};
use weir_units::{RouterId, Time};

/// A full mesh of four routers with four nodes each.
fn mesh(rule: Rule) -> Topology {
    let wiring = Wiring::HyperX(HyperX::new(&[4], 1).expect("small"));
    let cable = node_link((8, 100));
    Topology::Switched(Switched::new(wiring, 4, vec![cable], cable, rule).expect("it has the rule"))
}

fn network(topology: &Topology, virtual_channels: u32) -> PacketNetwork {
    with_routers(&RouterModel { virtual_channels, input_buffer: 8, ..RouterModel::default() }, topology)
}

/// So many packets from each node of router 0 to one of router 1, all at once: how many of them take the cable between both, and when all
/// have arrived.
fn burst(decide: Decide, packets: u64) -> (u64, Time) {
    let topology = mesh(Rule::UgalL(Adaptive { decide, ..Adaptive::DEFAULT }));
    let network = network(&topology, 2);
    let message = |from| Message { at: 0, from, to: 4 + from, bytes: 256 * packets };
    let messages: Vec<_> = (0..4).map(message).collect();
    let (ended, _) = play(&network, topology.nodes(), &messages, Handing::AtTheStart, 1);
    let Topology::Switched(mesh) = &topology else { unreachable!("it is one") };
    let direct = mesh.link_at(RouterId(0), 0);
    (ended.counts.links[direct.index()].packets, ended.until)
}

/// Packets that leave before anything is announced take the shortest way, whatever waits there, of which the router would have sent some
/// around. Later all go around, or none does, for as long as an announcement says so; so a burst ends later, and a long one too.
#[test]
fn what_interfaces_do_not_know() {
    let interval = network(&mesh(Rule::MinimalAdaptive), 2).window().as_ps();
    // A packet of 256 bytes takes 32 ns.
    let before_any = 2 * interval / 32_000;
    for packets in [before_any, 20, 100, 400] {
        let [late, at_once] = [Decide::Injection, Decide::SourceRouter].map(|decide| burst(decide, packets));
        assert!(late.0 > at_once.0 && late.1 > at_once.1, "{packets}: {late:?}, {at_once:?}");
        assert!(packets > before_any || late.0 == 4 * packets, "{late:?}");
    }
}

/// Where the threshold forbids detours it does not matter who decides, and each link carries what shortest ways do.
#[test]
fn interfaces_that_never_take_a_detour() {
    let run = |rule: Rule| {
        let topology = dragonfly(2, [1, 1], rule);
        let messages = pairs(topology.nodes()).map(|(from, to)| (from.0, to.0));
        let messages: Vec<_> = messages.map(|(from, to)| Message { at: 0, from, to, bytes: 700 }).collect();
        play(&network(&topology, 6), topology.nodes(), &messages, Handing::AtTheStart, 2).0
    };
    let weights = Adaptive { threshold: u64::MAX, ..Adaptive::DEFAULT };
    let minimal: Vec<_> = run(Rule::Minimal).counts.links.iter().map(|link| link.bytes).collect();
    for rule in [Rule::UgalL, Rule::UgalG] {
        let [at_injection, at_router] =
            [Decide::Injection, Decide::SourceRouter].map(|decide| run(rule(Adaptive { decide, ..weights })));
        assert_eq!(shown(&at_injection), shown(&at_router));
        let carried: Vec<_> = at_injection.counts.links.iter().map(|link| link.bytes).collect();
        assert_eq!(carried, minimal);
    }
}
