//! The experiments that `make bench` measures run, on machines of a few nodes.

use crate::command::{check_all, compile, files, mpirun, root, run, scratch, weir};
use crate::digests;

/// The setting that makes the machine of an experiment tiny.
fn tiny(text: &str) -> &'static str {
    if text.contains("kind = \"fat-tree\"") { "topology.radix=4" } else { "topology.shape=[4,4]" }
}

#[test]
fn the_experiments_of_the_benches_run() {
    let folders =
        ["causes", "flow", "packet"].map(|engine| files(&root().join("benches").join(engine), "toml"));
    let experiments = folders.concat();
    assert!(experiments.len() >= 9, "{experiments:?}");
    check_all(&experiments, |path| {
        let setting = tiny(&std::fs::read_to_string(path).unwrap());
        let ended = run(weir(["run", "--json", "--set", setting]).arg(path));
        let nodes = if ended.code == 0 { ended.summary()["nodes"].as_u64() } else { None };
        match nodes {
            Some(16) => digests::check(&digests::name(path), &ended.summary()),
            _ => Err(format!("{}: exit status {}\n{}", path.display(), ended.code, ended.stderr)),
        }
    });
}

/// The programs check their own results, so an exit status of 0 says that they are right.
#[test]
fn the_programs_of_the_benches_run() {
    let folder = root().join("benches/mpi");
    let scratch = scratch();
    let programs: [(&str, &[&str], usize); 6] = [
        ("pair", &["10"], 2),
        ("calls", &["1"], 2),
        ("collective", &["allreduce", "3"], 16),
        ("collective", &["alltoall", "3"], 16),
        ("token", &[], 16),
        ("halo", &[], 16),
    ];
    for (name, args, ranks) in programs {
        let program = compile(&folder.join(name).with_extension("c"), scratch.path());
        for engine in ["ideal", "flow"] {
            let mut command = mpirun(ranks);
            command.arg("--machine").arg(folder.join("torus.toml")).args(["--engine", engine]);
            run(command.arg(&program).args(args)).expect(0);
        }
    }
}
