//! What MPI lacks: `weir.h`, `mgen-mpi.h` and runs without data. What messages take by hand is in `cases/programs.toml`.

use crate::command::{Ended, check_all, compile, compile_text, root, run, scratch, weir};
use std::path::Path;

/// Messages of all kinds whose lengths hang on nothing but the ranks.
const TRAFFIC: &str = include_str!("../programs/extensions_traffic.c");

#[test]
fn without_data_everything_takes_as_long() {
    let folder = scratch();
    let program = compile_text(TRAFFIC, "traffic", folder.path());
    let engines: [&[&str]; 3] = [
        &["--set", "engine.latency=1 us", "--set", "engine.bandwidth=1 GB/s"],
        &["--machine", "examples/torus.toml"],
        &["--machine", "examples/torus.toml", "--engine", "packet"],
    ];
    check_all(&engines, |options| {
        let start = |more: &[&str]| -> Ended {
            run(weir(["mpirun", "-n", "8", "--json"]).args(*options).args(more).arg(&program)).expect(0)
        };
        let (with, without) = (start(&[]), start(&["--no-data"]));
        let (one, other) = (with.summary(), without.summary());
        for key in ["simulated_ps", "digest", "messages", "bytes", "control_messages"] {
            if one[key] != other[key] {
                return Err(format!("{options:?}: {key} is {} and {}", one[key], other[key]));
            }
        }
        // Under --json the program prints to standard error.
        let lines =
            |ended: &Ended, end: &str| ended.stderr.lines().filter(|line| line.ends_with(end)).count();
        let facts = ["100 of 0", "20000 of 7", "half 4"];
        let same =
            facts.iter().all(|fact| lines(&with, fact) > 0 && lines(&with, fact) == lines(&without, fact));
        if !same || lines(&with, "into o sum 56") != 8 || lines(&without, "into i sum -1") != 8 {
            return Err(format!("{options:?}:\n{}\n{}", with.stderr, without.stderr));
        }
        Ok(())
    });
}

/// The program of paper 003, figure 3, is the same under both headers, and so is one that uses the names of MGEN.
#[test]
fn programs_for_nsim_run() {
    let folder = scratch();
    let source = root().join("examples/mgen-ring.c");
    let text = std::fs::read_to_string(&source).unwrap();
    let of_mpi = compile_text(&format!("#define USE_MPI_H\n{text}"), "of_mpi", folder.path());
    let renamed =
        text.replace("MPI_", "MGEN_").replace("MGEN_Finalize", "MGEN_Key(1, 2);\n    MGEN_Finalize");
    let renamed = compile_text(&renamed, "renamed", folder.path());
    let digest = |program: &Path| {
        let start = ["mpirun", "-n", "8", "--json", "--no-data", "--machine", "examples/torus.toml"];
        let ended = run(weir(start).arg(program)).expect(0);
        // Each rank sends 2 messages, and passes 8 on.
        assert_eq!(ended.summary()["messages"], 80);
        ended.summary()["digest"].clone()
    };
    let of_mgen = digest(&compile(&source, folder.path()));
    assert_eq!(digest(&of_mpi), of_mgen);
    assert_eq!(digest(&renamed), of_mgen);
}

/// One source is for weir and for another MPI library, and for C++.
#[test]
fn other_libraries_need_nothing_of_weir() {
    let folder = scratch();
    let source = root().join("crates/cli/tests/programs/extensions_ways.c");
    // The header alone, so that mpi.h is the other library's.
    std::fs::copy(root().join("include/weir.h"), folder.path().join("weir.h")).unwrap();
    let program = folder.path().join("absent");
    let mut compiler = crate::command::of_open_mpi("mpicc");
    compiler.args(["-DWEIR_ABSENT", "-Wall", "-Werror", "-I"]).arg(folder.path());
    run(compiler.arg(&source).arg("-o").arg(&program)).expect(0);
    let ended = run(crate::command::open_mpi(2).arg(&program).args(["10", "0", "0", "-1", "-1"])).expect(0);
    assert_eq!(ended.stdout.lines().count(), 2, "{}", ended.stdout);
}
