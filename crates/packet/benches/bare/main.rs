//! The packet engine beside a bare experiment with the same model: `cargo bench -p weir-packet --bench bare [-- THREADS]`.
//!
//! The bare experiment is a torus and nothing else: virtual cut-through, two virtual channels with a dateline, dimension order,
//! windows, uniform traffic of one size. It has no programs, tables, messages, meters or other topologies, and instants are 32 bits
//! wide. So the ratio says what everything else costs that the engine does for a packet, and on several cores how much better the
//! engine could share its work.
//!
//! Its packets, times and fingerprints are those of a first version, written by hand for AVX-512 in raw memory, which is not in this
//! repository. This one is safe code for every x86-64 processor. On one core (AMD EPYC, Zen 4) it makes 0.96, 1.00, 0.99 and 1.09 of the
//! hops per second of the first: 8x8x8 at 0.3, 16x16x16 at 0.15 and at 0.6, and 64x32x32 at 0.0375.
//!
//! The clock of the bare experiment starts when its memory is filled; that of the engine starts before. `CASE=64x32x32-0.15` runs the cases
//! with this in their names only.
#![expect(clippy::print_stdout, clippy::unwrap_used, reason = "a bench prints its table and may fail")]

mod lanes;
mod router;
mod share;
mod slots;
mod torus;

use std::time::Instant;
use weir_network::RunContext;
use weir_packet::{Injection, NodeModel, PacketNetwork, RouterModel, SelfTraffic, Synthetic, TrafficPattern};
use weir_topology::{Dimension, NodeLink, Tie, Topology, Torus, Wrap};
use weir_units::{Bandwidth, Bytes, Duration};

/// An instant since the beginning, or a time.
type Nanoseconds = i32;

/// The serialization time of a packet: 256 B at 8 GB/s.
const SERIALIZATION: Nanoseconds = 32;
/// From the grant of a packet until it is eligible at the next router.
const HOP: Nanoseconds = 246;
/// From when the tail of a packet has left a buffer until the sender knows.
const CREDIT: Nanoseconds = 100;
/// The width of a window: nothing that a router does is known at another one sooner.
const WINDOW: Nanoseconds = SERIALIZATION + CREDIT;

/// A torus with uniform traffic.
#[derive(Clone, Copy)]
struct Case {
    shape: [u32; 3],
    load: f64,
    until: Nanoseconds,
    /// The fingerprint of all packets of the bare experiment.
    hash: u64,
}

const fn case(shape: [u32; 3], load: f64, until: Nanoseconds, hash: u64) -> Case {
    Case { shape, load, until, hash }
}

impl Case {
    fn name(self) -> String {
        let [x, y, z] = self.shape;
        format!("{x}x{y}x{z}-{}", self.load)
    }
}

/// What the table has.
const MEASURED: [Case; 4] = [
    case([8, 8, 8], 0.3, 500_000, 0xdbb5_74f9_a48c_8dc1),
    case([16, 16, 16], 0.15, 100_000, 0x51bc_2696_1348_a382),
    case([64, 32, 32], 0.0375, 20_000, 0xae34_9112_3131_9eb0),
    case([64, 32, 32], 0.15, 10_000, 0xa9ee_3243_ea99_e011),
];

/// Short runs with so many threads, the last of them with more load than the machine can carry.
const TRIED: [(Case, usize); 3] = [
    (case([8, 8, 8], 0.3, 100_000, 0x6e02_00c1_f15a_7bcd), 1),
    (case([16, 16, 16], 0.15, 20_000, 0xdb92_64b1_1e24_3c6a), 3),
    (case([16, 16, 16], 0.6, 20_000, 0xcd14_8c97_43e5_525b), 2),
];

/// The packet engine with the machine and the load of a case.
fn engine(case: Case) -> (PacketNetwork, Synthetic) {
    let (bandwidth, latency) = (Bandwidth::new(8e9).unwrap(), Duration::from_ns(100));
    let dimension = |size| Dimension { size, wrap: Wrap::Torus, bandwidth, latency };
    let node_link = NodeLink { bandwidth, latency };
    let torus = Torus::new(case.shape.map(dimension).into(), Tie::Parity, node_link);
    let topology = Topology::Torus(torus.unwrap());
    let network = PacketNetwork::new(&RouterModel::default(), &NodeModel::default(), &topology).unwrap();
    let traffic = Synthetic {
        pattern: TrafficPattern::Uniform,
        offered_load: case.load,
        injection: Injection::Exponential,
        self_traffic: SelfTraffic::Skipped,
        packet: Bytes(256),
        warmup: Duration::ZERO,
        duration: Duration::from_ns(case.until as u64),
        seed: 1,
    };
    (network.for_packets_of(traffic.packet), traffic)
}

/// Both take turns, so that what else the computer does slows both.
const TURNS: usize = 3;

fn median(mut values: [f64; TURNS]) -> f64 {
    values.sort_by(f64::total_cmp);
    values[TURNS / 2]
}

/// Prints a row of the table. Rates are millions of packet-hops per second on the wall.
fn measure(case: Case, threads: usize) {
    let (mut rates, mut hops) = ([[0.0; TURNS]; 2], [0; 2]);
    let (network, traffic) = engine(case);
    for turn in 0..TURNS {
        let start = Instant::now();
        let ended = network.run_synthetic(&traffic, RunContext::without_ranks().threads(threads));
        let wall = start.elapsed().as_secs_f64();
        let (tally, bare_wall) = torus::run(case, threads);
        assert_eq!(tally.hash, case.hash, "{}: {:016x}", case.name(), tally.hash);
        hops = [ended.counts.packet_hops, tally.hops];
        for ((rates, hops), wall) in rates.iter_mut().zip(hops).zip([wall, bare_wall]) {
            rates[turn] = hops as f64 / wall / 1e6;
        }
    }
    let ([x, y, z], [engine, bare]) = (case.shape, rates.map(median));
    let [hops, bare_hops] = hops.map(|hops| hops as f64 / 1e6);
    println!(
        "| {x} x {y} x {z}, load {} | {threads} | {hops:.1} | {bare_hops:.1} | {engine:.1} | {bare:.1} | {:.2} |",
        case.load,
        engine / bare,
    );
}

fn main() {
    let threads = std::env::args().skip(1).find_map(|word| word.parse().ok()).unwrap_or(1);
    // Under `cargo test` there is no --bench.
    if !std::env::args().any(|word| word == "--bench") {
        for (case, threads) in TRIED {
            let (tally, _) = torus::run(case, threads);
            assert_eq!(tally.hash, case.hash, "{}: {:016x}", case.name(), tally.hash);
        }
        return;
    }
    println!(
        "| case | threads | M hops of the engine | of the bare experiment | M hops/s of the engine | of the bare experiment | ratio |"
    );
    println!("| --- | ---: | ---: | ---: | ---: | ---: | ---: |");
    let only = std::env::var("CASE").unwrap_or_default();
    MEASURED.into_iter().filter(|case| case.name().contains(&only)).for_each(|case| measure(case, threads));
}
