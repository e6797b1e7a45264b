//! `weir run --band`, and what is said without it.

use crate::command::{compile_text, mpirun, run, scratch, weir};
use serde_json::json;
use std::fs;

/// A message of no bytes takes 1 us, and 200 ns more or 100 ns less by its interval.
const MACHINE: &str = "engine = { kind = 'ideal', latency = '1 us' }\ncalibrated = { 'engine.latency' = ['900 ns', '1.2 us'] }\n";

const WORKLOAD: &str = "workload = { kind = 'collective', operation = 'bcast', algorithm = 'flat', ranks = 2, message_size = '0 B' }\n";

#[test]
fn the_summary_says_how_exactly_the_time_is_known() {
    let folder = scratch();
    let path = folder.path().join("bcast.toml");
    fs::write(&path, format!("{MACHINE}{WORKLOAD}")).unwrap();
    let text = run(weir(["run"]).arg(&path)).expect(0).stdout;
    assert!(text.contains("1 us (1 key of the machine known within intervals: see --band)"), "{text}");
    let text = run(weir(["run", "--band"]).arg(&path)).expect(0).stdout;
    assert!(text.contains("1 us (900 ns to 1.2 us by the intervals of 1 key of the machine)"), "{text}");
    let set = ["--set", "engine.latency=2 us"];
    let refused = run(weir(["run", "--band"]).args(set).arg(&path)).expect(2).stderr;
    assert!(refused.contains("no band: nothing that holds here has an interval"), "{refused}");
}

/// Each run of a program has a process of its own.
#[test]
fn programs_have_bands() {
    let text = "#include <mpi.h>\nint main(int argc, char **argv) { MPI_Init(&argc, &argv); MPI_Bcast(&argc, 0, MPI_INT, 0, MPI_COMM_WORLD); \
                MPI_Finalize(); return 0; }\n";
    let folder = scratch();
    let program = compile_text(text, "bcast", folder.path());
    let machine = folder.path().join("machine.toml");
    fs::write(&machine, MACHINE).unwrap();
    let mut command = mpirun(2);
    command.args(["--json", "--set", "output.band=true", "--machine"]).arg(&machine).arg(&program);
    let summary = run(&mut command).expect(0).summary();
    assert_eq!(summary["band_s"], json!([9e-7, 1.2e-6]), "{summary}");
}
