//! The options of launchers: how ranks are placed that somebody has placed elsewhere.

use crate::command::{compiled, root, run, scratch, weir};
use std::fs;

const MACHINE: &str = "[topology]\nkind = 'mesh'\nshape = [4, 2]\nbandwidth = '1 GB/s'\n";

/// The options, and what their keys come to; those behind the program are the program's.
#[test]
fn options_of_mpirun_place_ranks() {
    let folder = scratch();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let (machine, hosts, ranks) = (path("m.toml"), path("my hosts"), path("ranks"));
    fs::write(&machine, MACHINE).unwrap();
    fs::write(&hosts, "node3 slots=2\nnode1 slots=1\n").unwrap();
    fs::write(&ranks, "rank 1=+n0 slot=0\nrank 0=+n1 slot=0\n").unwrap();
    let program = compiled(&root().join("examples/ring.c"));
    let check = |options: &[&str], expected: &[(&str, serde_json::Value)], note: &str| {
        let mut command = weir(["mpirun"]);
        command.args(["--json", "--machine", &machine]).args(options).arg(&program).arg("1");
        let ended = run(&mut command).expect(0);
        let summary = ended.stderr.lines().find(|line| line.starts_with('{')).unwrap_or(&ended.stdout);
        let summary: serde_json::Value = serde_json::from_str(summary).unwrap();
        for (key, value) in expected {
            let found = match *key {
                "ranks" => &summary["ranks"],
                key => &summary["experiment"]["mapping"][key],
            };
            assert_eq!(found, value, "{options:?}: {key}");
        }
        ended.says(&[note]);
    };
    let by_number = "by the numbers in which their names end (node3 is node 3";
    for option in ["--hostfile", "-hostfile", "--machinefile", "-f"] {
        check(&[option, &hosts], &[("ranks", 3.into()), ("file", hosts.as_str().into())], by_number);
    }
    check(
        &["-np", "2", "--hostfile", &hosts],
        &[("ranks", 2.into()), ("ranks_per_node", 2.into())],
        by_number,
    );
    let both = ["-rankfile", &ranks, "-hostfile", &hosts, "-np", "2"];
    check(&both, &[("file", ranks.as_str().into()), ("hosts", hosts.as_str().into())], by_number);
    check(
        &["-n", "8", "--map-by", "node", "-N", "2"],
        &[("kind", "cyclic".into()), ("ranks_per_node", 2.into())],
        "",
    );
    check(
        &["-n", "8", "--map-by", "ppr:4:node"],
        &[("kind", "linear".into()), ("ranks_per_node", 4.into())],
        "",
    );
    let refused = run(weir(["mpirun", "-n", "2", "--map-by", "plane=2"]).arg(&program)).expect(2).stderr;
    assert!(refused.contains("--rankfile"), "{refused}");
    let refused = run(weir(["mpirun"]).arg(&program)).expect(2).stderr;
    assert!(refused.contains("--ranks"), "{refused}");
}

/// `weir run` takes the same options, and names the lines of a file that it cannot read.
#[test]
fn hostfiles_of_runs_are_checked() {
    let folder = scratch();
    let experiment = folder.path().join("e.toml");
    fs::write(&experiment, format!("{MACHINE}[workload]\nkind = 'ring'\nmessage_size = '1 kB'\n")).unwrap();
    let hosts = folder.path().join("hosts");
    fs::write(&hosts, "node[1-3]:2\n").unwrap();
    let ended = run(weir(["run", "--json", "-f"]).arg(&hosts).arg(&experiment)).expect(0);
    assert_eq!(ended.summary()["ranks"], 6);
    fs::write(&hosts, "node1 slots=2\nnode2 slots=\u{1b}[2J\nnode[3-1\n").unwrap();
    let refused = run(weir(["run", "-f"]).arg(&hosts).arg(&experiment)).expect(2).stderr;
    assert!(refused.contains("hosts:2: ") && refused.contains("hosts:3: "), "{refused}");
    assert!(!refused.contains('\u{1b}'), "{refused}");
}
