//! Skeletons: what is measured of computation. Clock calls, and the check against the program, are in `cases/skeletons.toml`.

use crate::command::{Ended, compile_text, root, run, scratch, weir, with_body};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// A program whose `main` holds this between beginning and end.
fn program(body: &str, name: &str, folder: &Path) -> PathBuf {
    compile_text(&with_body(body), name, folder)
}

fn summary(program: &Path, ranks: usize, more: &[&str]) -> Value {
    let ranks = ranks.to_string();
    run(weir(["mpirun", "--json", "-n", &ranks]).args(more).arg(program)).expect(0).summary()
}

/// A rank that a skeleton charges, or whose own work is measured, computes: where the library answers in calls alone, a
/// rendezvous that comes after 2 ms waits for its end. 1 MiB at 50 MB/s takes 20.97 ms; what is computed, 10 ms or some tens, is printed.
#[test]
fn computing_by_clock_calls_and_measured_work_hold_up_a_rendezvous() {
    let folder = scratch();
    let around = |work: &str, name: &str| {
        let body = format!(
            "static char data[1 << 20]; MPI_Request request;
            if (rank == 0) {{
                MPI_Irecv(data, 1 << 20, MPI_CHAR, 1, 0, MPI_COMM_WORLD, &request);
                double start = MPI_Wtime(); {work}
                printf(\"%.9f\\n\", MPI_Wtime() - start);
                MPI_Wait(&request, MPI_STATUS_IGNORE);
            }} else {{
                weir_compute(2e-3);
                MPI_Send(data, 1 << 20, MPI_CHAR, 0, 0, MPI_COMM_WORLD);
            }}"
        );
        program(&body, name, folder.path())
    };
    let charged = around("weir_compute(10e-3);", "charged");
    let measured =
        around("static volatile double sink; for (int k = 0; k < 9999999; k++) sink += k;", "measured");
    let end = |program: &Path, compute: &str, progress: &str| {
        let sets = ["engine.kind=ideal", "engine.bandwidth=50 MB/s", progress];
        let sets = sets.iter().flat_map(|set| ["--set", set]);
        let ended = run(weir(["mpirun", "--json", "-n", "2", "--compute", compute]).args(sets).arg(program))
            .expect(0);
        let computed: f64 = ended.stderr.lines().find_map(|line| line.parse().ok()).unwrap();
        (computed, ended.summary()["simulated_ps"].as_u64().unwrap() as f64 * 1e-12)
    };
    let transfer = (1 << 20) as f64 / 50e6;
    for (program, compute) in [(&charged, "none"), (&measured, "measured")] {
        let (computed, both) = end(program, compute, "node.progress=always");
        assert!(computed > 4e-3 && both < transfer + computed - 1e-3, "{computed} {both}");
        let (computed, one_by_one) = end(program, compute, "node.progress=calls");
        assert!(computed > 4e-3 && one_by_one > transfer + computed - 1e-6, "{computed} {one_by_one}");
    }
}

const SAMPLED: &str = "
    static double sink;
    for (int k = 0; k < 10; k++) {
        WEIR_SAMPLE(\"own\", 3) { for (int i = 0; i < 20000; i++) sink += 1.0 / (i + 1); printf(\"own\\n\"); }
        WEIR_SAMPLE_GLOBAL(\"all\", 3) { printf(\"all\\n\"); }
        WEIR_SAMPLE_LOOP(\"loop\", 1, 100 * (k + 1)) { for (int i = 0; i < 100 * (k + 1); i++) sink += i; printf(\"loop\\n\"); }
        WEIR_MEASURE(\"every\", 2) { printf(\"every\\n\"); }
        WEIR_SAMPLE(\"ended\", 100) { if (k > 5) continue; printf(\"ended\\n\"); }
    }";

/// How often a line was printed.
fn count(ended: &Ended, line: &str) -> usize {
    ended.stdout.lines().filter(|found| *found == line).count()
}

#[test]
fn the_first_executions_of_a_block_run_and_the_others_are_charged_the_mean() {
    let folder = scratch();
    let program = program(SAMPLED, "sampled", folder.path());
    for compute in ["none", "measured", "2.5"] {
        let ended = run(weir(["mpirun", "-q", "-n", "4", "--compute", compute]).arg(&program)).expect(0);
        let expected = [("own", 12), ("all", 3), ("loop", 4), ("every", 40), ("ended", 24)];
        for (line, times) in expected {
            assert_eq!(count(&ended, line), times, "{line}, {compute}");
        }
        let summary = summary(&program, 4, &["--compute", compute]);
        let blocks = summary["skeleton"]["blocks"].as_array().unwrap();
        let block = |name: &str| blocks.iter().find(|block| block["name"] == name).unwrap();
        let number = |block: &Value, key: &str| block[key].as_f64().unwrap();
        assert_eq!((&block("own")["executions"], &block("own")["measured"]), (&40.into(), &12.into()));
        assert_eq!((&block("all")["executions"], &block("all")["measured"]), (&40.into(), &3.into()));
        assert_eq!(number(block("loop"), "iterations"), 4.0 * 5500.0);
        assert_eq!((&block("every")["executions"], &block("every")["measured"]), (&40.into(), &40.into()));
        // 3 of 10 of "own" are measured; all together take about what the mean says, to rounding where each rank has its own.
        let own = block("own");
        let (mean, charged) = (number(own, "mean_s"), number(own, "charged_s"));
        assert!((charged / (40.0 * mean) - 1.0).abs() < 1e-6, "{own}");
        assert!(mean > 5e-6, "20,000 divisions in {mean} s");
        // Skipped: 7 x 4, 37, 9 x 4.
        assert_eq!(summary["skeleton"]["clock_calls"], 28 + 37 + 36);
    }
}

/// A program in C of another MPI library, with weir's header alone, so that `mpi.h` is the other library's; what it prints on so many ranks.
fn elsewhere(source: &Path, folder: &Path, (ranks, args): (usize, &[&str])) -> Ended {
    std::fs::copy(root().join("include/weir.h"), folder.join("weir.h")).unwrap();
    let program = folder.join("elsewhere");
    let mut compiler = crate::command::of_open_mpi("mpicc");
    compiler.args(["-DWEIR_ABSENT", "-Wall", "-Werror", "-I"]).arg(folder);
    run(compiler.arg(source).arg("-o").arg(&program)).expect(0);
    run(crate::command::open_mpi(ranks).arg(&program).args(args)).expect(0)
}

/// Without weir everything runs.
#[test]
fn other_libraries_execute_all_blocks() {
    let folder = scratch();
    let body = format!(
        "{SAMPLED} weir_compute(1); weir_compute_block(\"b\", 1, 1); \
        weir_compute_iterations(1, 2); weir_compute_instructions(3);"
    );
    program(&body, "absent", folder.path());
    let ended = elsewhere(&folder.path().join("absent.c"), folder.path(), (1, &[]));
    let counts = ["own", "all", "loop", "every", "ended"].map(|line| count(&ended, line));
    assert_eq!(counts, [10, 10, 10, 10, 6]);
    let ways = root().join("crates/cli/tests/programs/extensions_ways.c");
    let ended = elsewhere(&ways, folder.path(), (2, &["10", "0", "0", "-1", "-1"]));
    assert_eq!(ended.stdout.lines().count(), 2, "{}", ended.stdout);
}

fn estimate(program: &str, more: &[&str]) -> Ended {
    run(weir(["skeleton", "estimate", program, "--runs", "1", "-q"]).args(more))
}

/// Executions and iterations as the program has them, macros for C, and what there is to do where nothing is measured.
#[test]
fn times_of_iterations_are_estimated_from_measured_blocks() {
    let folder = scratch();
    let measured = "static double sink; for (int k = 0; k < 10; k++)
        WEIR_MEASURE(\"inner loop\", 1000) for (int i = 0; i < 1000; i++) sink += 1.0 / (i + 1);";
    let measured = program(measured, "measured", folder.path()).display().to_string();
    let header = folder.path().join("estimates.h").display().to_string();
    let found = estimate(&measured, &["-n", "2", "--json", "-o", &header]).expect(0).summary();
    let block = &found["blocks"][0];
    assert_eq!((&block["executions"], &block["iterations"]), (&20.into(), &20_000.0.into()));
    let mean = block["mean_s"].as_f64().unwrap();
    assert!(mean > 1e-11 && mean < 1e-6, "{mean}");
    let header = std::fs::read_to_string(header).unwrap();
    assert!(header.contains(&format!("#define WEIR_SECONDS_INNER_LOOP {mean:e}\n")), "{header}");
    estimate(&measured, &[]).expect(0).prints(&["inner loop"]);
    let nothing = program("", "nothing", folder.path()).display().to_string();
    estimate(&nothing, &[]).expect(1).says(&["hint: put WEIR_MEASURE"]);
    estimate("not-there", &[]).expect(2);
}

/// T = IC x CPI x CCT: what the estimate says of instructions gives back the time of the program.
#[test]
fn cycles_per_instruction_are_estimated_from_a_skeleton_that_counts() {
    let folder = scratch();
    let original = "static double sink; for (int i = 0; i < 100000; i++) sink += 1.0 / (i + 1);";
    let original = program(original, "original", folder.path()).display().to_string();
    let counting =
        "for (int i = 0; i < 100000; i++) weir_compute_instructions(6); weir_compute_instructions(0.5);";
    let counting = program(counting, "counting", folder.path()).display().to_string();
    let cpi = ["--method", "cpi", "--counting", &counting, "--clock", "2 GHz"];
    let machine = folder.path().join("node.toml").display().to_string();
    let found = estimate(&original, &[&cpi[..], &["--json", "-o", &machine]].concat()).expect(0).summary();
    let number = |key: &str| found[key].as_f64().unwrap();
    assert_eq!(number("instructions"), 600_000.5);
    assert!((number("cpi") / (number("seconds") * 2e9 / 600_000.5) - 1.0).abs() < 1e-9, "{found}");
    let machine = std::fs::read_to_string(machine).unwrap();
    assert!(machine.ends_with(&format!("[node]\ncpi = {}\nclock = \"2 GHz\"\n", number("cpi"))), "{machine}");
    estimate(&original, &["--method", "cpi", "--counting", &original])
        .expect(1)
        .says(&["counts no instructions"]);
    estimate(&original, &["--method", "cpi", "--counting", &counting, "--clock", "3"])
        .expect(2)
        .says(&["--clock \"3\""]);
    estimate(&original, &["--method", "cpi"]).expect(2);
    // Where blocks are measured, what counts is their time, and not the second for which rank 1 waits.
    let waiting = "static double sink;
        if (rank == 0) weir_compute(1.0);
        MPI_Barrier(MPI_COMM_WORLD);
        WEIR_MEASURE(\"loop\", 1000) for (int i = 0; i < 1000; i++) sink += 1.0 / (i + 1);";
    let waiting = program(waiting, "waiting", folder.path()).display().to_string();
    let found = estimate(&waiting, &[&cpi[..], &["--json", "-n", "2"]].concat()).expect(0).summary();
    assert!(found["seconds"].as_f64().unwrap() < 0.5, "{found}");
}
