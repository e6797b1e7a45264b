//! Skeletons: clock calls, sampled blocks, times from iterations and instructions, and the check against the program.

use crate::command::{Ended, check_all, compile_text, mpirun, root, run, scratch, weir};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// Compiles an example with a macro defined.
fn example(name: &str, define: &str, folder: &Path) -> PathBuf {
    let program = folder.join(format!("{name}{}", define.replace('=', "-").to_lowercase()));
    let mut command = weir(["cc", "-O1"]);
    if define.is_empty() {
        command.args(["-Wall", "-Wextra", "-Werror"]);
    } else {
        // What a skeleton leaves out makes other parts needless.
        command.arg(format!("-D{define}"));
    }
    let source = root().join("examples/skeletons").join(name).with_extension("c");
    run(command.arg(source).arg("-o").arg(&program).arg("-lm")).expect(0);
    program
}

/// A program whose `main` holds this between beginning and end.
fn program(body: &str, name: &str, folder: &Path) -> PathBuf {
    let text = format!(
        "#include <mpi.h>\n#include <weir.h>\n#include <stdio.h>\n#include <stdlib.h>\n\
         int main(int argc, char **argv)\n{{\n    int rank, ranks;\n    MPI_Init(&argc, &argv);\n    \
         MPI_Comm_rank(MPI_COMM_WORLD, &rank);\n    MPI_Comm_size(MPI_COMM_WORLD, &ranks);\n    {body}\n    \
         MPI_Finalize();\n    return 0;\n}}\n"
    );
    compile_text(&text, name, folder)
}

fn summary(program: &Path, ranks: usize, more: &[&str]) -> Value {
    let ranks = ranks.to_string();
    run(weir(["mpirun", "--json", "-n", &ranks]).args(more).arg(program)).expect(0).summary()
}

/// 3 calls of 1 us, 1000 iterations of 2 ns, 500 instructions of 2 cycles at 2 GHz: 3 + 2 + 0.5 us.
#[test]
fn clock_calls_charge_seconds_iterations_and_instructions() {
    let folder = scratch();
    let body = "BSIM_ADD_TIME(1e-6); weir_compute(1e-6); weir_compute_block(\"block\", 4, 1e-6);
        weir_compute_iterations(2e-9, 1000);
        weir_compute_instructions(200); weir_compute_instructions(299); weir_compute_instructions(0.5);
        weir_compute_instructions(0.5);";
    let program = program(body, "charges", folder.path());
    let summary = summary(&program, 2, &["--set", "node.cpi=2", "--set", "node.clock=2 GHz"]);
    assert_eq!(summary["simulated_ps"], 5_500_000);
    let skeleton = &summary["skeleton"];
    assert_eq!((&skeleton["clock_calls"], &skeleton["instructions"]), (&16.into(), &1000.0.into()));
    assert!((skeleton["charged_s"].as_f64().unwrap() - 11e-6).abs() < 1e-15);
    assert_eq!(skeleton["blocks"][0]["name"], "block");
    assert_eq!(
        (&skeleton["blocks"][0]["level"], &skeleton["blocks"][0]["executions"]),
        (&4.into(), &2.into())
    );
    // Clock calls are no calls of MPI.
    assert_eq!(summary["mpi_calls"], 8);
    assert_eq!(summary["experiment"]["node"]["cpi"], 2);
    assert_eq!(summary["experiment"]["node"]["clock"], "2000000000 Hz");
}

/// A clock call shifts all later events of its rank (paper 001, section 3.1), in any place of the program.
#[test]
fn time_charged_is_there_for_every_clock() {
    let folder = scratch();
    let body = "weir_compute(1e-3); printf(\"%.0f\", MPI_Wtime() * 1e6);
        weir_compute(1e-3); printf(\" %.0f\", weir_now() * 1e6);
        weir_compute(1e-3); WEIR_SAMPLE(\"a\", 1) { weir_compute(1e-3); }
        for (int k = 0; k < 3; k++) WEIR_SAMPLE(\"b\", 1) { weir_compute(2e-3); }
        printf(\" %.0f\\n\", weir_now() * 1e3);";
    let program = program(body, "clocks", folder.path());
    let ended = run(mpirun(1).arg(&program)).expect(0);
    assert_eq!(ended.stdout, "1000 2000 10\n");
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

/// Without weir everything runs.
#[test]
fn other_libraries_execute_all_blocks() {
    let folder = scratch();
    let body = format!(
        "(void)ranks; {SAMPLED} weir_compute(1); weir_compute_block(\"b\", 1, 1); \
        weir_compute_iterations(1, 2); weir_compute_instructions(3);"
    );
    let source = folder.path().join("absent.c");
    program(&body, "absent", folder.path());
    std::fs::copy(root().join("include/weir.h"), folder.path().join("weir.h")).unwrap();
    let program = folder.path().join("absent-openmpi");
    let mut compiler = crate::command::of_open_mpi("mpicc");
    compiler.args(["-DWEIR_ABSENT", "-Wall", "-Werror", "-I"]).arg(folder.path());
    run(compiler.arg(&source).arg("-o").arg(&program)).expect(0);
    let ended = run(crate::command::open_mpi(1).arg(&program)).expect(0);
    let counts = ["own", "all", "loop", "every", "ended"].map(|line| count(&ended, line));
    assert_eq!(counts, [10, 10, 10, 10, 6]);
}

#[test]
fn mistakes_with_clock_calls_and_blocks_are_reported() {
    let cases = [
        ("weir_compute(-1);", "-1 seconds are no time that can pass"),
        ("weir_compute(1); weir_compute(-1);", "-1 seconds are no time that can pass"),
        ("weir_compute_iterations(-1e-9, 10);", "are no time that can pass"),
        ("weir_compute_iterations(1e-9, -10);", "are no time that can pass"),
        ("weir_compute_instructions(10);", "set node.cpi (mean cycles per instruction) and node.clock"),
        ("weir_compute_block(\"x\", 6, 1);", "6 is no level of abstraction"),
        ("weir_compute_block(NULL, 1, 1);", "the name of the block is a null pointer"),
        ("WEIR_SAMPLE(\"x\", 0) { }", "0 is no number of executions to measure"),
        ("WEIR_SAMPLE(\"x\", 1.5) { }", "1.5 is no number of executions to measure"),
        ("WEIR_SAMPLE_LOOP(\"x\", 1, -3) { }", "-3 is no number of iterations"),
        (
            "WEIR_SAMPLE(\"x\", 1) { WEIR_SAMPLE(\"y\", 1) { } }",
            "the block \"y\" begins within the block \"x\"",
        ),
        (
            "for (int k = 0; k < 2; k++) WEIR_SAMPLE(\"x\", 5) { break; }",
            "are not left by break, return or goto",
        ),
        (
            "WEIR_SAMPLE(\"x\", 1) { MPI_Barrier(MPI_COMM_WORLD); }",
            "MPI was called within the sampled block \"x\"",
        ),
        ("weir_sample_end();", "no sampled block has begun"),
        ("weir_sample_begin(\"x\", 7, 1, 1);", "7 is no scope"),
    ];
    let folder = scratch();
    let numbered: Vec<(usize, (&str, &str))> = cases.into_iter().enumerate().collect();
    check_all(&numbered, |(number, (body, hint))| {
        let program = program(body, &format!("case{number}"), folder.path());
        let ended = run(mpirun(1).arg(&program));
        match ended.stderr.contains(hint) && ended.code == 1 {
            true => Ok(()),
            false => Err(format!("{body}: {} {}", ended.code, ended.stderr)),
        }
    });
    let program = program("", "empty", folder.path());
    for (set, hint) in [("node.cpi=0", "must be a number above 0"), ("node.clock=3", "the unit is missing")] {
        run(weir(["mpirun", "-n", "1", "--set", set]).arg(&program)).expect(2).says(&[hint]);
    }
}

#[test]
fn clock_calls_that_cost_more_than_they_save_are_warned_of() {
    let folder = scratch();
    let body = |seconds: &str| format!("for (int k = 0; k < 100000; k++) BSIM_ADD_TIME({seconds});");
    for (seconds, warned) in [("1e-12", true), ("1e-6", false)] {
        let program = program(&body(seconds), "many", folder.path());
        let ended = run(weir(["mpirun", "-n", "2"]).arg(&program)).expect(0);
        assert_eq!(ended.stderr.contains("are called too finely"), warned, "{}", ended.stderr);
        ended.says(&["200000 for"]);
    }
}

fn check(program: &str, skeleton: &str, ranks: &str, more: &[&str]) -> Ended {
    run(weir(["skeleton", "check", program, skeleton, "-n", ranks]).args(more))
}

/// Blocks of every level in one program.
#[test]
fn a_skeleton_sends_what_its_program_sends_up_to_level_4() {
    let folder = scratch();
    let [program, level_4, level_5] = ["", "SKELETON=4", "SKELETON=5"]
        .map(|define| example("levels", define, folder.path()).display().to_string());
    let ended = check(&program, &level_4, "4", &[]).expect(0);
    ended.prints(&["the same on every rank"]);
    // What the program prints is no result here.
    assert!(!ended.stdout.contains("change"), "{}", ended.stdout);
    let ended = check(&program, &level_5, "4", &["--json"]).expect(1);
    let found = ended.summary();
    assert_eq!((&found["same_messages"], found["differences"].as_array().unwrap().len()), (&false.into(), 4));
    let difference = &found["differences"][2];
    assert_eq!((&difference["rank"], &difference["step"]), (&2.into(), &4.into()));
    let step = "MPI_Allreduce, 1 elements of 8 bytes, on MPI_COMM_WORLD (4 ranks)";
    assert_eq!(difference["program"], step);
    let step = difference["skeleton"].as_str().unwrap();
    assert!(step.starts_with("MPI_Sendrecv, a "), "{step}");
    let levels: Vec<u64> = found["skeleton"]["summary"]["skeleton"]["blocks"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|block| block["level"].as_u64())
        .collect();
    assert_eq!(levels, [4, 1, 2, 5]);
    assert!(found["time_error"].is_f64() && found["rank_time_error_max"].is_f64(), "{found}");
}

#[test]
fn the_first_difference_is_named_with_call_peer_size_and_tag() {
    let exchange = |size: &str, tag: &str, call: &str| {
        format!(
            "static char data[100]; MPI_Barrier(MPI_COMM_WORLD);
             if (rank == 0) {call}(data, {size}, MPI_CHAR, 1, {tag}, MPI_COMM_WORLD);
             if (rank == 1) MPI_Recv(data, 100, MPI_CHAR, 0, {tag}, MPI_COMM_WORLD, MPI_STATUS_IGNORE);"
        )
    };
    let folder = scratch();
    let original = program(&exchange("10", "3", "MPI_Send"), "original", folder.path()).display().to_string();
    let shown = |skeleton: &str, name: &str| {
        let skeleton = program(skeleton, name, folder.path()).display().to_string();
        check(&original, &skeleton, "2", &["-q"]).expect(1).stdout
    };
    let first = "rank 0, step 1:\n  program:  MPI_Send, a send to rank 1, tag 3, 10 bytes, on MPI_COMM_WORLD (2 ranks)\n";
    let on = "on MPI_COMM_WORLD (2 ranks)\n";
    let cases = [
        (exchange("11", "3", "MPI_Send"), format!("MPI_Send, a send to rank 1, tag 3, 11 bytes, {on}")),
        (exchange("10", "4", "MPI_Send"), format!("MPI_Send, a send to rank 1, tag 4, 10 bytes, {on}")),
        (exchange("10", "3", "MPI_Ssend"), format!("MPI_Ssend, a send to rank 1, tag 3, 10 bytes, {on}")),
        ("MPI_Barrier(MPI_COMM_WORLD);".to_owned(), "nothing more\n".to_owned()),
    ];
    for (number, (skeleton, step)) in cases.iter().enumerate() {
        let text = shown(skeleton, &format!("other{number}"));
        assert!(text.contains(&format!("{first}  skeleton: {step}")), "{text}");
    }
    let text = shown(&exchange("10", "4", "MPI_Send"), "tag");
    let received = "rank 1, step 1:\n  program:  MPI_Recv, a receive from rank 0, tag 3, on";
    assert!(text.contains(received), "{text}");
}

#[test]
fn times_that_are_too_far_off_and_bad_input_have_their_status() {
    let folder = scratch();
    let short = program("weir_compute(1e-3);", "short", folder.path()).display().to_string();
    let long = program("weir_compute(1.1e-3);", "long", folder.path()).display().to_string();
    let stuck = program(
        "MPI_Recv(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);",
        "stuck",
        folder.path(),
    );
    let stuck = stuck.display().to_string();
    let none = ["--compute", "none"];
    check(&short, &long, "2", &none).expect(0).prints(&["+10.00 %"]);
    check(&short, &long, "2", &["--compute", "none", "--max-error", "10.1"]).expect(0);
    check(&short, &long, "2", &["--compute", "none", "--max-error", "9.9%"]).expect(1);
    let ended = check(&short, &stuck, "2", &none).expect(3);
    ended.says(&["skeleton: deadlock"]);
    ended.prints(&["nothing more"]);
    check("not-there", "neither", "2", &none).expect(2).says(&["not-there", "neither"]);
    check(&short, &long, "2", &["--max-error", "much"]).expect(2);
    check(&short, &long, "2", &["--skeleton-compute", "fast"]).expect(2);
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

/// The programs of paper 001 verify themselves, and their skeletons send the same.
#[test]
fn the_programs_of_paper_001_have_right_results_and_like_skeletons() {
    let folder = scratch();
    let cases = [
        ("eri", "", "SKELETON=4", &["-t 1e-6,1e-7"][..]),
        ("eri", "", "SAMPLE=20", &[""]),
        ("ft", "-n 32,16,64", "SKELETON=3", &["-t 1e-8,1e-9,1e-9,1e-9,1e-9,1e-9"]),
        ("ft", "-n 32,16,64", "SKELETON=1", &[""]),
    ];
    for (name, args, define, more) in cases {
        let program = format!("{} {args}", example(name, "", folder.path()).display());
        let skeleton = format!("{} {args} {}", example(name, define, folder.path()).display(), more[0]);
        let set = ["--set", "node.cpi=1", "--set", "node.clock=3 GHz"];
        let ended = check(&program, &skeleton, "4", &set).expect(0);
        ended.prints(&["the same on every rank"]);
        ended.says(&["right"]);
    }
}
