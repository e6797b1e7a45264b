//! Packet-hops per second of the engine with synthetic traffic: `cargo bench -p weir-packet --bench hops [-- THREADS]`.
#![expect(clippy::print_stdout, clippy::unwrap_used, reason = "a bench prints its table and may fail")]

use std::time::Instant;
use weir_network::RunContext;
use weir_packet::{
    Injection, NodeModel, PacketNetwork, RouterModel, SelfTraffic, Synthetic, TrafficPattern, channels_of,
};
use weir_topology::{
    Adaptive, Arrangement, Dimension, Dragonfly, NodeLink, Rule, Switched, Tie, Topology, Torus, Wiring, Wrap,
};
use weir_units::{Bandwidth, Bytes, Duration};

fn torus(shape: [u32; 3]) -> Topology {
    let (bandwidth, latency) = (Bandwidth::new(8e9).unwrap(), Duration::from_ns(100));
    let dimension = |size| Dimension { size, wrap: Wrap::Torus, bandwidth, latency };
    let torus = Torus::new(shape.map(dimension).into(), Tie::Parity, NodeLink { bandwidth, latency });
    Topology::Torus(torus.unwrap())
}

/// A dragonfly of groups of twice as many routers as a router has nodes, with as many cables of a router to other groups.
fn dragonfly(nodes_per_router: u32, rule: Rule) -> Topology {
    let cable =
        |latency| NodeLink { bandwidth: Bandwidth::new(8e9).unwrap(), latency: Duration::from_ns(latency) };
    let (routers, groups) = (2 * nodes_per_router, 2 * nodes_per_router * nodes_per_router + 1);
    let wiring = Dragonfly::new((routers, nodes_per_router), (groups, 1), Arrangement::PalmTree).unwrap();
    let cables = vec![cable(100), cable(100)];
    let network = Switched::new(Wiring::Dragonfly(wiring), nodes_per_router, cables, cable(100), rule);
    Topology::Switched(network.unwrap())
}

fn main() {
    let threads = std::env::args().skip(1).find_map(|word| word.parse().ok()).unwrap_or(1);
    // Under `cargo test` there is no --bench: one short run to see that it works.
    let short = !std::env::args().any(|word| word == "--bench");
    let only = std::env::var("CASE").unwrap_or_default();
    let ugal = Rule::UgalL(Adaptive::default());
    let cases: [(&str, &dyn Fn() -> Topology, f64, u64); 10] = [
        ("8x8x8", &|| torus([8, 8, 8]), 0.3, 100),
        ("16x16x16", &|| torus([16, 16, 16]), 0.15, 20),
        ("64x32x32", &|| torus([64, 32, 32]), 0.0375, 8),
        ("16x16x16-sat", &|| torus([16, 16, 16]), 0.45, 10),
        ("64x32x32-idle", &|| torus([64, 32, 32]), 0.0001, 400),
        ("64x32x32-0.001", &|| torus([64, 32, 32]), 0.001, 100),
        ("dragonfly-1056-minimal", &|| dragonfly(4, Rule::Minimal), 0.3, 200),
        ("dragonfly-1056", &|| dragonfly(4, ugal), 0.3, 200),
        ("dragonfly-16512-minimal", &|| dragonfly(8, Rule::Minimal), 0.3, 15),
        ("dragonfly-16512", &|| dragonfly(8, ugal), 0.3, 15),
    ];
    for (name, topology, load, duration) in cases {
        if !only.is_empty() && only != name {
            continue;
        }
        let topology = topology();
        let model = RouterModel::default();
        let model =
            RouterModel { virtual_channels: channels_of(&topology).max(model.virtual_channels), ..model };
        let network = PacketNetwork::new(&model, &NodeModel::default(), &topology).unwrap();
        let traffic = Synthetic {
            pattern: TrafficPattern::Uniform,
            offered_load: load,
            injection: Injection::Bernoulli { slot: None },
            self_traffic: SelfTraffic::Skipped,
            packet: Bytes(256),
            warmup: Duration::from_ns(10_000),
            duration: Duration::from_ns(if short { 1_000 } else { 2_000 * duration }),
            seed: 1,
        };
        let network = network.for_packets_of(traffic.packet);
        let start = Instant::now();
        let ended = network.run_synthetic(&traffic, RunContext::without_ranks().threads(threads));
        let wall = start.elapsed().as_secs_f64();
        println!(
            "{name:24} {:8.2} M hops/s  {wall:6.2} s  {:.3e} hops  accepted {:.4}  latency {:.1} ns  windows {} of {}  {} {}",
            ended.counts.packet_hops as f64 / wall / 1e6,
            ended.counts.packet_hops as f64,
            ended.accepted_load,
            ended.counts.latency.mean() * 1e9,
            ended.counts.windows,
            ended.counts.window,
            ended.digest,
            ended.outcome == weir_network::Outcome::Finished,
        );
    }
}
