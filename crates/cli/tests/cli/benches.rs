//! The experiments that `make bench` measures run, on machines of a few nodes.

use crate::command::{check_all, files, root, run, weir};

/// The setting that makes the machine of an experiment tiny.
fn tiny(text: &str) -> &'static str {
    if text.contains("kind = \"fat-tree\"") { "topology.radix=4" } else { "topology.shape=[4,4]" }
}

#[test]
fn the_experiments_of_the_benches_run() {
    let folders = ["flow", "packet"].map(|engine| files(&root().join("benches").join(engine), "toml"));
    let experiments = folders.concat();
    assert!(experiments.len() >= 8, "{experiments:?}");
    check_all(&experiments, |path| {
        let setting = tiny(&std::fs::read_to_string(path).unwrap());
        let ended = run(weir(["run", "--json", "--set", setting]).arg(path));
        let nodes = if ended.code == 0 { ended.summary()["nodes"].as_u64() } else { None };
        match nodes {
            Some(16) => Ok(()),
            _ => Err(format!("{}: exit status {}\n{}", path.display(), ended.code, ended.stderr)),
        }
    });
}
