//! `kind = "collective"`: one collective, as a benchmark of MPI measures it.

use crate::command::{check_all, compile_text, mpirun, run, scratch, weir};
use serde_json::Value;
use std::fs;
use weir_collectives::choice::CATALOG;
use weir_units::mix;

/// Does what the workload does, and prints how long each rank took for each repetition, in picoseconds.
const PROGRAM: &str = include_str!("../programs/collective.c");

const MACHINES: [&str; 4] = [
    "topology = { kind = 'torus', shape = [4, 4], bandwidth = '1 GB/s', latency = '100 ns' }\nengine = { kind = 'flow' }\nnode = { hardware_overhead = '1 us' }\n",
    "topology = { kind = 'fat-tree', radix = 4, bandwidth = '2 GB/s', latency = '1 us' }\nengine = { kind = 'packet' }\nnode = { hardware_overhead = '1 us' }\n",
    "engine = { kind = 'ideal', latency = '1 us', bandwidth = '1 GB/s' }\nnode = { hardware_overhead = '1 us' }\n",
    "topology = { kind = 'mesh', shape = [5, 3], bandwidth = '1 GB/s' }\nengine = { kind = 'flow' }\n\
     node = { mpi_overhead = '300 ns', memory_bandwidth = '5 GB/s', eager_limit = '2 kB', hardware_overhead = '1 us' }\n\
     mapping = { kind = 'random' }\n",
];

const OPERATIONS: [&str; 9] = [
    "barrier",
    "bcast",
    "reduce",
    "allreduce",
    "gather",
    "scatter",
    "allgather",
    "alltoall",
    "reduce_scatter",
];

fn repetitions(summary: &Value) -> Vec<u64> {
    let times = summary["repetitions_ps"].as_array().unwrap_or_else(|| panic!("{summary}"));
    times.iter().map(|time| time.as_u64().unwrap()).collect()
}

/// Every operation with every algorithm takes as long as in a program that calls it: the whole run, and each repetition the
/// longest time of a rank.
#[test]
fn a_collective_takes_as_long_as_in_a_program() {
    let folder = scratch();
    let program = compile_text(PROGRAM, "collective", folder.path());
    let mut all = Vec::new();
    for operation in OPERATIONS {
        let (_, names) = CATALOG.iter().find(|(key, _)| *key == operation).unwrap();
        all.extend(names.iter().map(|algorithm| (operation, *algorithm)));
    }
    let numbered: Vec<_> = all.into_iter().enumerate().collect();
    check_all(&numbered, |&(number, (operation, algorithm))| {
        let random = |below: u64, what: u64| mix(10 * number as u64 + what) % below;
        // Pairs of ranks need a power of two.
        let ranks = if algorithm == "pairwise" { 8 } else { [8, 12, 15][random(3, 1) as usize] };
        let bytes = if operation == "barrier" { 0 } else { 4 * ranks * (1 + random(2000, 2)) };
        let root =
            if ["bcast", "reduce", "gather", "scatter"].contains(&operation) { random(ranks, 3) } else { 0 };
        let count = 1 + random(3, 4);
        let machine = MACHINES[random(4, 5) as usize];
        let grid = match ranks {
            8 => [4, 2],
            12 => [4, 3],
            _ => [5, 3],
        };
        let path = folder.path().join(format!("{number}.toml"));
        let with_root = if root > 0 { format!("root = {root}, ") } else { String::new() };
        let text = format!(
            "{machine}workload = {{ kind = 'collective', ranks = {ranks}, operation = '{operation}', algorithm = '{algorithm}', \
             message_size = '{bytes} B', {with_root}repetitions = {count} }}\ncollectives = {{ grid = {grid:?} }}\n"
        );
        fs::write(&path, &text).unwrap();
        let found = run(weir(["run", "-q", "--json"]).arg(&path)).expect(0).summary();
        let machine_path = folder.path().join(format!("{number}-machine.toml"));
        fs::write(
            &machine_path,
            format!("{machine}collectives = {{ {operation} = '{algorithm}', grid = {grid:?} }}\n"),
        )
        .unwrap();
        let mut command = mpirun(ranks as usize);
        command.args(["--machine"]).arg(&machine_path).args(["--out"]);
        let out = folder.path().join(format!("{number}-out"));
        command.arg(&out).arg(&program).arg(operation);
        let expected = run(command.args([bytes, root, count].map(|number| number.to_string()))).expect(0);
        let summary: Value = serde_json::from_slice(&fs::read(out.join("summary.json")).unwrap()).unwrap();
        let mut longest = vec![0_u64; count as usize];
        for line in expected.stdout.lines().filter(|line| !line.starts_with('{')) {
            let (repetition, time) = line.split_once(' ').unwrap();
            let place = &mut longest[repetition.parse::<usize>().unwrap()];
            *place = time.parse::<u64>().unwrap().max(*place);
        }
        let found_times = repetitions(&found);
        // The program's clock has 64 bits for the seconds: half a picosecond is lost beyond 0.001 s.
        let close = found_times.iter().zip(&longest).all(|(one, other)| one.abs_diff(*other) <= 1);
        if found["simulated_ps"] != summary["simulated_ps"] || found_times.len() != longest.len() || !close {
            return Err(format!(
                "{text}{found_times:?} for {longest:?}, {} for {}",
                found["simulated_ps"], summary["simulated_ps"]
            ));
        }
        Ok(())
    });
}
