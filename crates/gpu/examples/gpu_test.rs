//! Runs synthetic traffic on the GPU of this computer, checks that its results are those of the engine on the processor, and prints
//! what both take: `make gpu-test`. `CASE=saturated` runs the cases with this in their names only.
#![expect(clippy::print_stdout, reason = "it prints a table")]

use anyhow::{Result, anyhow, ensure};
use std::sync::Arc;
use std::time::Instant;
use weir_gpu::{GpuPrograms, GpuRuns, PacketGpu};
use weir_network::harness::Recorded;
use weir_network::record::Requested;
use weir_network::{Limits, Placement, RunContext};
use weir_packet::{
    Injection, NodeModel, PacketEnded, PacketNetwork, RouterModel, SelfTraffic, Synthetic, SyntheticEnded,
    TrafficPattern, channels_of,
};
use weir_topology::{
    Adaptive, Arrangement, Dimension, Dragonfly, FatTree, FatTreeRouting, NodeLink, Rule, Stage, Switched,
    Switches, Tie, Topology, Torus, Wiring, Wrap,
};
use weir_units::{Bandwidth, Bytes, Duration, NodeId};
use weir_workload::{Bruck, Queue};

/// A machine, its load, and microseconds of it: those in which it is compared, and those in which it is timed.
struct Case {
    name: &'static str,
    machine: fn() -> Result<Topology>,
    load: f64,
    compared: u64,
    timed: u64,
}

const CASES: [Case; 11] = [
    case("torus of 8 x 8 x 8", || torus([8, 8, 8]), 0.3, (50, 200)),
    case("torus of 16 x 16 x 16", || torus([16, 16, 16]), 0.15, (20, 200)),
    case("torus of 16 x 16 x 16, saturated", || torus([16, 16, 16]), 0.6, (20, 100)),
    case("torus of 64 x 32 x 32", || torus([64, 32, 32]), 0.0375, (8, 100)),
    case("torus of 64 x 32 x 32, saturated", || torus([64, 32, 32]), 0.15, (8, 100)),
    case("fat tree of 1,024 nodes", || fat_tree(16), 0.3, (20, 100)),
    case("dragonfly of 1,056 nodes, shortest ways", || dragonfly(4, Rule::Minimal), 0.3, (20, 100)),
    case("dragonfly of 1,056 nodes, valiant", || dragonfly(4, Rule::Valiant), 0.3, (20, 100)),
    case("dragonfly of 1,056 nodes, ugal-l", || dragonfly(4, UGAL), 0.3, (20, 100)),
    case("dragonfly of 16,512 nodes, shortest ways", || dragonfly(8, Rule::Minimal), 0.3, (3, 40)),
    case("dragonfly of 16,512 nodes, ugal-l", || dragonfly(8, UGAL), 0.3, (3, 40)),
];

const UGAL: Rule = Rule::UgalL(Adaptive::DEFAULT);

/// Runs side by side in the sweep.
const POINTS: u64 = 64;

const fn case(
    name: &'static str,
    machine: fn() -> Result<Topology>,
    load: f64,
    (compared, timed): (u64, u64),
) -> Case {
    Case { name, machine, load, compared, timed }
}

fn cable(ns: u64) -> Result<NodeLink> {
    Ok(NodeLink {
        bandwidth: Bandwidth::new(8e9).ok_or_else(|| anyhow!("positive"))?,
        latency: Duration::from_ns(ns),
    })
}

fn torus(shape: [u32; 3]) -> Result<Topology> {
    let NodeLink { bandwidth, latency } = cable(100)?;
    let dimension = |size| Dimension { size, wrap: Wrap::Torus, bandwidth, latency };
    let torus = Torus::new(shape.map(dimension).into(), Tie::Parity, cable(100)?);
    Ok(Topology::Torus(torus.map_err(|mistakes| anyhow!("{mistakes:?}"))?))
}

fn fat_tree(radix: u32) -> Result<Topology> {
    let NodeLink { bandwidth, latency } = cable(100)?;
    let switches = Switches::full(radix, 3).map_err(|mistakes| anyhow!("{mistakes:?}"))?;
    let stages = [Stage { bandwidth, latency }; 2];
    let tree = FatTree::new(&switches, &stages, FatTreeRouting::DestinationMod, cable(100)?);
    Ok(Topology::FatTree(tree.map_err(|mistakes| anyhow!("{mistakes:?}"))?))
}

fn dragonfly(nodes_of_router: u32, rule: Rule) -> Result<Topology> {
    let groups = 2 * nodes_of_router * nodes_of_router + 1;
    let wiring = Dragonfly::new((2 * nodes_of_router, nodes_of_router), (groups, 1), Arrangement::PalmTree);
    let wiring = Wiring::Dragonfly(wiring.map_err(|mistakes| anyhow!("{mistakes:?}"))?);
    let network = Switched::new(wiring, nodes_of_router, vec![cable(100)?; 2], cable(100)?, rule);
    Ok(Topology::Switched(network.map_err(|mistakes| anyhow!("{mistakes:?}"))?))
}

fn network(topology: &Topology, packet: Bytes) -> Result<PacketNetwork> {
    let model = RouterModel::default();
    let virtual_channels = channels_of(topology).max(model.virtual_channels);
    let network =
        PacketNetwork::new(&RouterModel { virtual_channels, ..model }, &NodeModel::default(), topology);
    Ok(network.map_err(|refusals| anyhow!("{refusals:?}"))?.for_packets_of(packet))
}

fn traffic(load: f64, microseconds: u64) -> Synthetic {
    Synthetic {
        pattern: TrafficPattern::Uniform,
        offered_load: load,
        injection: Injection::Bernoulli { slot: None },
        self_traffic: SelfTraffic::Skipped,
        packet: Bytes(256),
        warmup: Duration::from_ns(1_000),
        duration: Duration::from_ns(1_000 * microseconds),
        seed: 1,
    }
}

/// Runs all of these side by side.
fn run(gpu: &PacketGpu, network: &PacketNetwork, all: &[Synthetic], threads: Option<u32>) -> Result<GpuRuns> {
    let runs = all.iter().map(|traffic| network.flat(traffic, Limits::default()));
    let runs = runs.collect::<Result<Vec<_>, _>>().map_err(|refusals| anyhow!("{refusals:?}"))?;
    Ok(gpu.run(runs, threads, None, &mut |_| Vec::new())?)
}

/// Compares samples at intervals.
fn compare_samples(gpu: &PacketGpu, network: PacketNetwork, traffic: &Synthetic) -> Result<()> {
    let interval = network.window() * 8;
    let network = network.for_intervals(interval).map_err(|_| anyhow!("windows that fit"))?;
    let requested = Requested { interval: Some(interval), ..Requested::default() };
    let [mut expected, mut found] =
        [(); 2].map(|()| Recorded { requested: requested.clone(), ..Recorded::default() });
    network.run_synthetic(traffic, RunContext::without_ranks().recorder(Some(&mut expected)));
    let run = network.flat(traffic, Limits::default()).map_err(|refusals| anyhow!("{refusals:?}"))?;
    gpu.run(vec![run.sampled(interval)], None, Some(&mut found), &mut |_| Vec::new())?;
    let [expected, found] = [expected, found].map(|recorded| Recorded { intervals: 0, ..recorded });
    ensure!(found == expected, "other samples");
    Ok(())
}

/// Millions of packet-hops per second of the GPU.
fn rate(runs: &GpuRuns) -> f64 {
    let hops: u64 = runs.ended.iter().map(|ended| ended.counts.packet_hops).sum();
    hops as f64 / runs.running.as_secs_f64() / 1e6
}

/// Milliseconds of placing, running and reading.
fn times(runs: &GpuRuns) -> String {
    let [placing, running, reading] =
        [runs.placing, runs.running, runs.reading].map(|time| time.as_secs_f64() * 1e3);
    format!("{placing:.0} + {running:.0} + {reading:.0} ms")
}

/// All of a result but how it was run.
fn shown(ended: &SyntheticEnded) -> String {
    let mut ended = ended.clone();
    (ended.counts.threads, ended.processes) = (0, Default::default());
    format!("{ended:?}")
}

fn main() -> Result<()> {
    let start = Instant::now();
    let gpu = PacketGpu::open()?;
    let own = gpu.gpu();
    println!(
        "{}, {:.1} GB, {} multiprocessors; opened in {:.2} s\n",
        own.name(),
        own.memory() as f64 / 1e9,
        own.multiprocessors(),
        start.elapsed().as_secs_f64()
    );
    let cores = std::thread::available_parallelism()?.get();
    println!(
        "| machine | load | digest | M hops/s on {cores} cores | on the GPU, a thread for each router | a warp for each | placing, running, reading |"
    );
    println!("| --- | ---: | --- | ---: | ---: | ---: | ---: |");
    let only = std::env::var("CASE").unwrap_or_default();
    for Case { name, machine, load, compared, timed } in
        CASES.into_iter().filter(|case| case.name.contains(&only))
    {
        let topology = machine()?;
        let network = network(&topology, Bytes(256))?;
        let short = traffic(load, compared);
        let begun = Instant::now();
        let expected = network.run_synthetic(&short, RunContext::without_ranks().threads(cores));
        let on_cores = expected.counts.packet_hops as f64 / begun.elapsed().as_secs_f64() / 1e6;
        for threads in [1, 32] {
            let found = run(&gpu, &network, std::slice::from_ref(&short), Some(threads))?;
            ensure!(
                shown(&found.ended[0]) == shown(&expected),
                "{name}: another result by {threads} threads"
            );
        }
        compare_samples(&gpu, network.clone(), &traffic(load, compared.min(10)))?;
        let timed = |threads| run(&gpu, &network, &[traffic(load, timed)], threads);
        let chosen = timed(None)?;
        let mut rates = Vec::new();
        for threads in [1, 32] {
            rates.push(format!("{:.0}", rate(&timed(Some(threads))?)));
        }
        let rates = rates.join(" | ");
        println!("| {name} | {load} | {} | {on_cores:.1} | {rates} | {} |", expected.digest, times(&chosen));
    }
    if "sweep".contains(&only) {
        sweep(&gpu)?;
    }
    if "Bruck".contains(&only) {
        programs(&gpu, [8, 8, 8], Bytes(4_096))?;
        programs(&gpu, [16, 16, 16], Bytes(64))?;
    }
    Ok(())
}

/// An all-to-all by Bruck's algorithm, whose ranks stay on the cores: on one, and on all.
fn programs(gpu: &PacketGpu, shape: [u32; 3], bytes: Bytes) -> Result<()> {
    let topology = torus(shape)?;
    let network = PacketNetwork::new(&RouterModel::default(), &NodeModel::default(), &topology);
    let network = network.map_err(|refusals| anyhow!("{refusals:?}"))?;
    let ranks = topology.nodes();
    let pattern = Arc::new(Bruck::new(ranks, bytes, 1));
    let (placement, begun) = (Placement::new((0..ranks).map(NodeId::new).collect()), Instant::now());
    let context = || RunContext::new(&placement);
    let expected = network.run(&mut Queue::all(Arc::clone(&pattern)), context());
    let on_core = begun.elapsed().as_secs_f64();
    println!(
        "Bruck's all-to-all of {bytes} on {shape:?}: {}, {} hops; on one core {on_core:.2} s",
        expected.ended.digest, expected.counts.packet_hops
    );
    let all = |ended: &PacketEnded| format!("{:?} {:?}", ended.ended, ended.counts.links);
    for threads in [1, std::thread::available_parallelism()?.get()] {
        let flat = network.flat_messages(Limits::default()).map_err(|refusals| anyhow!("{refusals:?}"))?;
        let GpuPrograms { ended, placing, running, .. } =
            gpu.run_programs(flat, &mut Queue::all(Arc::clone(&pattern)), context().threads(threads))?;
        ensure!(all(&ended) == all(&expected), "another result of Bruck's all-to-all on {shape:?}");
        let [placing, running] = [placing, running].map(|time| time.as_secs_f64());
        println!("  routers on the GPU, ranks on {threads} cores: {placing:.2} + {running:.2} s");
    }
    Ok(())
}

/// Points of a sweep side by side.
fn sweep(gpu: &PacketGpu) -> Result<()> {
    let network = network(&torus([8, 8, 8])?, Bytes(256))?;
    let points: Vec<Synthetic> = (1..=POINTS).map(|point| traffic(0.01 * point as f64, 200)).collect();
    let runs = run(gpu, &network, &points, None)?;
    let expected = network.run_synthetic(&points[9], RunContext::without_ranks());
    ensure!(shown(&runs.ended[9]) == shown(&expected), "another result in a sweep");
    println!("\n{POINTS} loads of a torus of 8 x 8 x 8: {:.0} M hops/s; {}", rate(&runs), times(&runs));
    Ok(())
}
