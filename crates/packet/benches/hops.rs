//! Packet-hops per second of the engine with synthetic traffic: `cargo bench -p weir-packet --bench hops [-- THREADS]`.
#![expect(clippy::print_stdout, clippy::unwrap_used, reason = "a bench prints its table and may fail")]

use std::time::Instant;
use weir_network::RunContext;
use weir_packet::{Injection, NodeModel, PacketNetwork, RouterModel, SelfTraffic, Synthetic, TrafficPattern};
use weir_topology::{Dimension, NodeLink, Tie, Topology, Torus, Wrap};
use weir_units::{Bandwidth, Bytes, Duration};

fn torus(shape: [u32; 3]) -> Topology {
    let (bandwidth, latency) = (Bandwidth::new(8e9).unwrap(), Duration::from_ns(100));
    let dimension = |size| Dimension { size, wrap: Wrap::Torus, bandwidth, latency };
    let torus = Torus::new(shape.map(dimension).into(), Tie::Parity, NodeLink { bandwidth, latency });
    Topology::Torus(torus.unwrap())
}

fn main() {
    let threads = std::env::args().skip(1).find_map(|word| word.parse().ok()).unwrap_or(1);
    // Under `cargo test` there is no --bench: one short run to see that it works.
    let short = !std::env::args().any(|word| word == "--bench");
    let only = std::env::var("CASE").unwrap_or_default();
    let cases = [
        ("8x8x8", [8, 8, 8], 0.3, 100),
        ("16x16x16", [16, 16, 16], 0.15, 20),
        ("64x32x32", [64, 32, 32], 0.0375, 8),
        ("16x16x16-sat", [16, 16, 16], 0.45, 10),
        ("64x32x32-idle", [64, 32, 32], 0.0001, 400),
        ("64x32x32-0.001", [64, 32, 32], 0.001, 100),
    ];
    for (name, shape, load, duration) in cases {
        if !only.is_empty() && only != name {
            continue;
        }
        let topology = torus(shape);
        let network = PacketNetwork::new(&RouterModel::default(), &NodeModel::default(), &topology).unwrap();
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
        let start = Instant::now();
        let ended = network.run_synthetic(&traffic, RunContext::without_ranks().threads(threads));
        let wall = start.elapsed().as_secs_f64();
        println!(
            "{name:16} {:8.2} M hops/s  {wall:6.2} s  {:.3e} hops  accepted {:.4}  latency {:.1} ns  windows {} of {}  {} {}",
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
