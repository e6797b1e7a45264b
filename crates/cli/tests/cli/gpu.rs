//! `--gpu`, on a driver that is this processor ([`gpu/driver.cpp`](gpu/driver.cpp)): what a GPU would carry out. The table `cases/gpu.toml` has what is refused.

use crate::command::{Ended, contents, root, run, scratch, weir};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

/// Machines of each kind of routes, with their traffic.
const MACHINES: [(&str, &str); 4] = [
    ("a torus", "topology = { kind = 'torus', shape = [4, 3], bandwidth = '1 GB/s', latency = '100 ns' }"),
    ("a mesh", "topology = { kind = 'mesh', shape = [4, 4], bandwidth = '2 GB/s', latency = '50 ns' }"),
    (
        "a fat tree",
        "topology = { kind = 'fat-tree', radix = 4, stages = 3, bandwidth = '1 GB/s', latency = '100 ns' }",
    ),
    (
        "a dragonfly",
        "topology = { kind = 'dragonfly', routers_per_group = 4, global_links = 2, nodes_per_router = 2, bandwidth = '1 GB/s', latency = '100 ns', \
         routing = 'ugal-l' }",
    ),
];
const TRAFFIC: &str = "\nengine = { kind = 'packet' }\npacket = { mtu = '256 B' }\n\
                       workload = { kind = 'synthetic', offered_load = 0.3, duration = '20 us' }\n";
/// Patterns of ranks, several of them on a node in one of these.
const PATTERNS: [&str; 3] = [
    "workload = { kind = 'all-to-all', algorithm = 'bruck', message_size = '700 B' }",
    "workload = { kind = 'random-ring', message_size = '3 kB' }\nmapping = { ranks_per_node = 2 }",
    "workload = { kind = 'incast', message_size = '5 kB' }",
];
/// Fields of a summary that change from run to run, or say how it was run.
const OF_RUN: [&str; 6] =
    ["wall_s", "peak_memory_bytes", "packet_hops_per_s", "threads", "gpu", "experiment"];

/// A folder with the driver.
fn driver() -> TempDir {
    let folder = scratch();
    let mut compiler = Command::new("c++");
    compiler.args(["-O2", "-std=c++17", "-ffp-contract=off", "-shared", "-fPIC", "-w"]);
    compiler.arg("-I").arg(root().join("crates/gpu/kernels"));
    compiler.arg(root().join("crates/cli/tests/cli/gpu/driver.cpp"));
    compiler.arg("-o").arg(folder.path().join("libcuda.so.1"));
    run(&mut compiler).expect(0);
    folder
}

fn on_gpu(driver: &TempDir, args: &[&str], file: &Path) -> Command {
    let mut command = weir(args);
    command.arg(file).env("LD_LIBRARY_PATH", driver.path());
    command
}

fn without_times(ended: &Ended) -> Value {
    let mut summary = ended.summary();
    summary.as_object_mut().unwrap().retain(|name, _| !OF_RUN.contains(&name.as_str()));
    summary
}

/// The experiment on one of the machines.
fn traffic(folder: &TempDir, number: usize) -> PathBuf {
    let file = folder.path().join(format!("traffic-{number}.toml"));
    fs::write(&file, format!("{}{TRAFFIC}", MACHINES[number].1)).unwrap();
    file
}

/// The summary, with digest, latencies and loads, and all tables of a results folder are those of a run on cores, with samples at intervals or without;
/// the summary names the GPU.
#[test]
fn results_are_those_of_cores() {
    let driver = driver();
    let limits = ["limits.simulated_time=15 us", "limits.simulated_time=1 s"];
    let samples = ["seed=1", "output.sample_interval=2 us"];
    for (number, (name, _)) in MACHINES.into_iter().enumerate() {
        let file = traffic(&driver, number);
        for (limit, samples) in limits.into_iter().flat_map(|limit| samples.map(|samples| (limit, samples))) {
            let outs = ["cores", "gpu"].map(|name| driver.path().join(name));
            let sets = ["--json", "-q", "--set", limit, "--set", samples, "--out"];
            let status = if limit.ends_with("15 us") { 4 } else { 0 };
            let cores = run(weir(["run"]).args(sets).arg(&outs[0]).arg(&file)).expect(status);
            let gpu = run(on_gpu(&driver, &[&["run", "--gpu"], &sets[..]].concat(), &outs[1]).arg(&file));
            let gpu = gpu.expect(status);
            assert_eq!(without_times(&cores), without_times(&gpu), "{name}");
            let used = &gpu.summary()["gpu"];
            assert_eq!(
                (&used["name"], &used["runs"]),
                (&Value::from("a processor"), &Value::from(1)),
                "{name}"
            );
            assert_eq!(contents(&outs[0]), contents(&outs[1]), "{name}");
        }
    }
}

/// Patterns, whose ranks and interfaces stay here, on several threads: whole, and up to a limit.
#[test]
fn patterns_have_the_results_of_cores() {
    let driver = driver();
    for (name, machine) in MACHINES {
        for pattern in PATTERNS {
            let file = driver.path().join("pattern.toml");
            let rest = "engine = { kind = 'packet', threads = 3 }\npacket = { mtu = '256 B' }";
            fs::write(&file, format!("{machine}\n{rest}\n{pattern}\n")).unwrap();
            for (limit, status) in [("limits.simulated_time=6 us", 4), ("limits.simulated_time=1 s", 0)] {
                let outs = ["cores", "gpu"].map(|name| driver.path().join(name));
                let args = ["run", "--json", "-q", "--set", limit, "--out"];
                let cores = run(weir(args).arg(&outs[0]).arg(&file)).expect(status);
                let args = ["run", "--gpu", "--json", "-q", "--set", limit, "--out"];
                let gpu = run(on_gpu(&driver, &args, &outs[1]).arg(&file)).expect(status);
                assert_eq!(without_times(&cores), without_times(&gpu), "{name}: {pattern}");
                assert_eq!(gpu.summary()["gpu"]["name"], "a processor", "{name}: {pattern}");
                assert_eq!(contents(&outs[0]), contents(&outs[1]), "{name}: {pattern}");
            }
        }
    }
    let fails = run(on_gpu(&driver, &["run", "--gpu"], &driver.path().join("pattern.toml"))
        .env("WEIR_TEST_GPU_FAILS", "1"));
    fails.expect(1).says(&["error: the CUDA driver cannot", "words of a test"]);
    let dry = ["run", "--gpu", "--dry-run"];
    let dry = run(&mut on_gpu(&driver, &dry, &driver.path().join("pattern.toml"))).expect(0);
    dry.prints(&["a processor; the run fits one, and takes about"]);
}

/// The rows of a sweep are those on cores: points of one machine, of more networks than the kernels have room for, of rules that decide for each packet and
/// of others in turn; and more of them than fit at a time.
#[test]
fn a_sweep_has_the_same_rows() {
    let driver = driver();
    let [torus, dragonfly] = [0, 3].map(|number| traffic(&driver, number));
    let vary = [
        (&torus, ["workload.offered_load=0.1:0.9:0.4", "workload.pattern=uniform; tornado"]),
        (&torus, ["topology.shape=[4]; [3, 3]", "workload.packet_size=64 B; 256 B"]),
        (&torus, ["seed=1:2:1", "packet.input_buffer=1:20:1"]),
        (&dragonfly, ["workload.seed=1:2:1", "topology.routing=minimal; ugal-l"]),
    ];
    for (file, [one, other]) in vary {
        let args = ["--vary", one, "--vary", other];
        let cores = run(weir(["sweep", "-q", "--csv"]).arg(file).args(args)).expect(0).stdout;
        let on_gpu = || on_gpu(&driver, &["sweep", "--gpu", "-q", "--csv"], file);
        assert_eq!(cores, run(on_gpu().args(args)).expect(0).stdout);
        // There is room for two runs.
        let few = run(on_gpu().args(args).env("WEIR_TEST_GPU_MEMORY", "3500000")).expect(0).stdout;
        assert_eq!(cores, few);
    }
    let load = ["sweep", "--load", "-q", "--csv"];
    let cores = run(weir(load).arg(&torus)).expect(0).stdout;
    let gpu =
        run(&mut on_gpu(&driver, &["sweep", "--gpu", "--load", "-q", "--csv"], &torus)).expect(0).stdout;
    assert_eq!(cores, gpu);
}

/// A folder has the points of a sweep on cores and on a GPU alike: the other one finds them.
#[test]
fn a_folder_takes_points_of_both() {
    let driver = driver();
    let file = traffic(&driver, 0);
    let out = driver.path().join("points");
    let vary = ["--vary", "workload.offered_load=0.1:0.4:0.1", "--out"];
    run(on_gpu(&driver, &["sweep", "--gpu", "-q"], &file).args(vary).arg(&out)).expect(0);
    let again = run(weir(["sweep"]).arg(&file).args(vary).arg(&out)).expect(0);
    again.says(&["4 of 4 points are in the folder"]);
}

/// A limit of the clock on the wall ends a run with the instant it got to, and what it had counted.
#[test]
fn the_clock_ends_a_run() {
    let driver = driver();
    let file = traffic(&driver, 0);
    let long = ["workload.duration=10 s", "workload.warmup=1 us", "limits.wall_time=0.5 s"];
    let long = long.iter().flat_map(|set| ["--set", set]);
    let ended = run(on_gpu(&driver, &["run", "--gpu", "--json"], &file).args(long)).expect(4);
    let summary = ended.summary();
    assert_eq!(summary["outcome"], "limit");
    assert!(summary["simulated_ps"].as_u64().unwrap() > 0, "{summary}");
    let accepted = summary["accepted_load"].as_f64().unwrap();
    assert!((accepted - 0.3).abs() < 0.03, "{summary}");
    ended.says(&["limits.wall_time = 0.5 s is over"]);
    // Only the point whose time is over.
    let vary = ["--vary", "workload.duration=20 us; 10 s", "--set", "limits.wall_time=2 s"];
    let ended = run(on_gpu(&driver, &["sweep", "--gpu", "--csv", "-q"], &file).args(vary)).expect(1);
    let outcomes: Vec<bool> = ended.stdout.lines().skip(1).map(|row| row.contains("finished")).collect();
    assert_eq!(outcomes, [true, false], "{}", ended.stdout);
}

/// A run says what a GPU lacks, and where it fails.
#[test]
fn a_gpu_may_be_too_small_or_fail() {
    let driver = driver();
    let file = traffic(&driver, 0);
    let with = |name: &str, value: &str, args: &[&str]| run(on_gpu(&driver, args, &file).env(name, value));
    let small = with("WEIR_TEST_GPU_MEMORY", "1000", &["run", "--gpu"]).expect(2);
    small.says(&["--gpu: topology: is a machine that takes", "and a processor has 1 kB"]);
    let none = with("WEIR_TEST_NO_DEVICE", "1", &["run", "--gpu"]).expect(2);
    none.says(&["finds no GPU that this process may use", "CUDA_VISIBLE_DEVICES"]);
    let failed = with("WEIR_TEST_GPU_FAILS", "1", &["run", "--gpu"]).expect(1);
    failed.says(&["error: the CUDA driver cannot", "words of a test"]);
    let shown = with("WEIR_TEST_OTHER", "1", &["run", "--gpu", "-v"]).expect(0);
    shown.prints(&["GPU", "a processor: "]);
    let dry = with("WEIR_TEST_OTHER", "1", &["run", "--gpu", "--dry-run"]).expect(0);
    dry.prints(&["a processor; the run fits one, and takes about", "it has been run"]);
}
