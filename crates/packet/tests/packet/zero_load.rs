//! Latency of an idle machine: the closed form, for every number of hops and all sizes.

use crate::agreement::network;
use crate::flit::{Message, Precedence, Settings};
use crate::machines::{Cable, bandwidth, fat_tree, grid};
use crate::recorder::{Handing, play};
use weir_topology::{FatTreeRouting, Tie, Topology, Wrap};

const MTU: u64 = 256;
/// Table 3 of paper 003, in picoseconds: 2 + 2 + 2 ns and 140 ns.
const PIPELINE: u64 = 6_000;
const SWITCH: u64 = 140_000;

fn settings(switch_gb_per_s: u64) -> Settings {
    Settings {
        flit: 8,
        mtu: MTU,
        virtual_channels: 2,
        input_buffer: 2,
        round_trips: false,
        output_buffer: 2,
        precedence: Precedence::RoundRobin,
        pipeline: PIPELINE,
        turnaround: 0,
        switch_delay: SWITCH,
        switch_bandwidth: bandwidth(switch_gb_per_s),
        credit_delay: None,
        packet_gap: 0.0,
        at_once: Some(64),
        given_back_behind: None,
        vc_turnaround: None,
        dateline: weir_packet::Dateline::Crossing,
        injection_channels: 2,
    }
}

/// Sends one message through an idle machine, with `k` routers on its way. All cables between routers are `link`, those of
/// nodes `node`; GB/s and ns.
///
/// The head passes both cables of nodes, k routers and k - 1 cables between them. The tail follows by the packet's time at
/// the slowest place. But in each router the head waits for the pipeline and the tail does not, so what a link has
/// stretched is shorter by that in the next router; and the last switch and the last link stretch it to their own time. The
/// packets before the last one delay it by their time at the slowest place.
#[track_caller]
fn check(
    topology: &Topology,
    (from, to, k): (u32, u32, u64),
    link: Cable,
    node: Cable,
    switch: u64,
    bytes: u64,
) {
    let settings = Settings { input_buffer: 64, ..settings(switch) };
    let network = network(topology, &settings);
    let message = Message { at: 5_000, from, to, bytes };
    let (_, programs) = play(&network, topology.nodes(), &[message], Handing::AtTheStart, 1);
    let head = 1000 * (2 * node.1 + (k - 1) * link.1) + k * (PIPELINE + SWITCH);
    let last = if bytes == 0 { 1 } else { (bytes - 1) % MTU + 1 };
    let slowest = [switch, node.0].into_iter().chain((k > 1).then_some(link.0)).min().expect("there are two");
    let before = bytes.saturating_sub(last) * 1000 / slowest;
    let on_link = if k > 1 { (last * 1000 / link.0).saturating_sub(PIPELINE) } else { 0 };
    let behind = (last * 1000 / node.0).max(last * 1000 / switch).max(on_link);
    let arrived = 5_000 + head + before + behind;
    assert_eq!(programs[to as usize].arrivals, [(from, 0, arrived)], "{k} routers, {bytes} bytes");
    assert_eq!(programs[from as usize].departures, [5_000 + bytes.max(1) * 1000 / node.0], "{bytes} bytes");
}

const SIZES: [u64; 10] = [0, 1, 4, 100, 255, 256, 257, 512, 1000, 4096];

#[test]
fn a_line_of_routers() {
    for (link, node, switch) in [
        ((8, 100), (8, 100), 8),
        ((4, 100), (8, 20), 8),
        ((8, 100), (2, 20), 8),
        ((8, 0), (4, 0), 2),
        ((10, 7), (10, 3), 5),
    ] {
        let topology = grid(&[9], Wrap::Mesh, &[link], node, Tie::Plus);
        for to in 1..9 {
            for bytes in SIZES {
                check(&topology, (0, to, u64::from(to) + 1), link, node, switch, bytes);
            }
        }
    }
}

#[test]
fn every_pair_of_a_torus() {
    let (link, node) = ((8, 100), (8, 100));
    let topology = grid(&[4, 3, 2], Wrap::Torus, &[link], node, Tie::Parity);
    let mut route = Vec::new();
    for from in 0..24 {
        for to in (0..24).filter(|&to| to != from) {
            topology.route(weir_units::NodeId(from), weir_units::NodeId(to), &mut route);
            check(&topology, (from, to, route.len() as u64 - 1), link, node, 8, 256);
        }
    }
}

/// One router, three routers, five routers.
#[test]
fn a_fat_tree() {
    for routing in [FatTreeRouting::DestinationMod, FatTreeRouting::SourceMod] {
        let (link, node) = ((4, 200), (2, 200));
        let topology = fat_tree(4, &[link], node, routing);
        for bytes in SIZES {
            for (to, k) in [(1, 1), (2, 3), (15, 5)] {
                check(&topology, (0, to, k), link, node, 4, bytes);
            }
        }
    }
}
