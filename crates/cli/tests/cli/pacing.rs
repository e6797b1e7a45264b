//! NICAM as a workload and as a program, and `weir advise pacing`.

use crate::command::{compile, mpirun, root, run, scratch, weir};
use std::path::Path;

/// The small model of paper 004, with short messages.
fn small() -> String {
    root().join("papers/004-pacing/small.toml").to_string_lossy().into_owned()
}

const SHORT: &str = "workload.message_size=32 KiB";

/// Simulated picoseconds of the workload, with these keys set.
fn workload(set: &[&str]) -> u64 {
    let mut command = weir(["run", "--json", "-q"]);
    command.arg(small());
    for set in [SHORT].iter().chain(set) {
        command.args(["--set", set]);
    }
    run(&mut command).expect(0).summary()["simulated_ps"].as_u64().unwrap()
}

/// The same of the program.
fn program(program: &Path, machine: &Path, set: &[&str]) -> u64 {
    let mut command = mpirun(40);
    command.args(["--json", "--no-data", "--machine"]).arg(machine);
    for set in ["node.mpi_overhead=0", "node.memory_bandwidth=1e9 GB/s"].iter().chain(set) {
        command.args(["--set", set]);
    }
    let ended = run(command.arg(program).args(["2", "32768"]));
    ended.expect(0).summary()["simulated_ps"].as_u64().unwrap()
}

/// On the packet engine with and without gaps.
#[test]
fn the_program_takes_the_time_of_the_workload() {
    let folder = scratch();
    let built = compile(&root().join("examples/nicam.c"), folder.path());
    let text = std::fs::read_to_string(small()).unwrap();
    let machine = folder.path().join("machine.toml");
    let tables = &text[text.find("[topology]").unwrap()..text.find("[workload]").unwrap()];
    std::fs::write(&machine, tables).unwrap();
    for gap in ["0", "2.125", "3"] {
        let set = format!("node.packet_gap={gap}");
        assert_eq!(program(&built, &machine, &[&set]), workload(&[&set]), "gap {gap}");
    }
}

#[test]
fn advice_is_printed_and_written_and_runs() {
    let folder = scratch();
    let file = folder.path().join("paced.parquet");
    run(weir(["advise", "pacing", &small(), "--set", SHORT, "-o"]).arg(&file)).expect(0).prints(&[
        "sharing flows",
        "2.24",
        "router (",
        "predicted time at these gaps",
        "--set node.packet_gap=2.25",
    ]);
    let text = std::fs::read_to_string(small()).unwrap();
    let paced = format!(
        "{}[workload]\nkind = 'pattern-file'\nfile = 'paced.parquet'\n",
        text.split("[workload]").next().unwrap()
    );
    let path = folder.path().join("paced.toml");
    std::fs::write(&path, paced).unwrap();
    let from_file =
        run(weir(["run", "--json", "-q"]).arg(&path)).expect(0).summary()["simulated_ps"].as_u64();
    let derived = workload(&["node.packet_gap=max-min"]);
    assert_eq!(from_file, Some(derived));
    let searched = ["2", "2.125", "2.25"].map(|gap| workload(&[&format!("node.packet_gap={gap}")]));
    let best = searched.into_iter().min().unwrap();
    // Their margin makes the time between two packets 8 % longer.
    assert!(derived as f64 <= 1.08 * best as f64, "{derived} {best}");
    assert!(1.1 * (derived as f64) < workload(&[]) as f64);
}
