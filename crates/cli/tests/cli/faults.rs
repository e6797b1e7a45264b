//! Machines with faults on the command line.

use crate::command::{root, run, scratch, weir};
use serde_json::{Value, json};
use std::fs;

const FAULTS: &str = "examples/faults.toml";

#[test]
fn topology_and_routes_show_faults() {
    let folder = scratch();
    let file = folder.path().join("m.toml");
    let text = "[topology]\nkind = 'torus'\nshape = [8]\nbandwidth = '1 GB/s'\n[[faults]]\ncable = 'router (1) - router (2)'\n\
                [[faults]]\nrouter = 'router (5)'\nspeed = 0.5\n";
    fs::write(&file, text).unwrap();
    let file = file.to_str().unwrap();
    let look = run(&mut weir(["topology", file])).expect(0).stdout;
    for line in
        ["faults               2 links failed: router (1) - router (2)", "6 links slow: router (5) at 0.5"]
    {
        assert!(look.contains(line), "{line}\n{look}");
    }
    assert!(look.contains("diameter             7 links between routers, over all pairs"), "{look}");
    let facts = run(&mut weir(["topology", file, "--json"])).expect(0).summary();
    let expected = json!({
        "failed_links": 2, "slow_links": 6, "failed": ["router (1) - router (2)"],
        "slow": [{ "name": "router (5)", "speed": 0.5 }],
    });
    assert_eq!(facts["faults"], expected);
    let route = run(&mut weir(["routes", file, "1", "2"])).expect(0).stdout;
    assert!(route.contains("links              9, 7 of them between routers"), "{route}");
    assert!(route.contains("router (6) -> router (5)  500 MB/s"), "{route}");
    // What has no way is an error for one pair, and left out for all.
    let set = ["--set", "faults.2.cable=router (5) - router (6)"];
    run(weir(["routes", file, "1", "2"]).args(set))
        .expect(2)
        .says(&["there is no way from node 1 to node 2"]);
    let some = run(weir(["routes", file, "1"]).args(set)).expect(0).stdout;
    assert_eq!(some.lines().count(), 3, "{some}");
    let none =
        run(weir(["topology", "examples/torus.toml", "--json"]).current_dir(root())).expect(0).summary();
    assert_eq!(none["faults"], Value::Null);
}

/// A study of random faults: each seed draws other cables, the same on every run; none makes it faster, and both engines say what
/// failed.
#[test]
fn a_sweep_over_random_faults() {
    let sweep = |more: &[&str]| {
        let args = [
            "sweep",
            FAULTS,
            "--json",
            "--vary",
            "faults.0.seed=1:6:1",
            "--set",
            "workload.message_size=4 KiB",
        ];
        let points = run(weir(args).args(more).current_dir(root())).expect(0).summary()["points"].clone();
        let points: Vec<Value> = points.as_array().unwrap().clone();
        points.iter().map(|point| point["simulated_ps"].as_u64().unwrap()).collect::<Vec<_>>()
    };
    let once = |set: &[&str]| {
        let args = ["run", FAULTS, "--json", "--set", "workload.message_size=4 KiB"];
        run(weir(args).args(set).current_dir(root())).expect(0).summary()
    };
    for engine in [&[][..], &["--set", "engine.kind=packet"]] {
        let times = sweep(engine);
        assert_eq!(times, sweep(engine));
        let whole = once(&[engine, &["--set", "faults=[]"]].concat());
        assert_eq!((times.len(), &whole["faults"]), (6, &Value::Null));
        let second = once(&[engine, &["--set", "faults.0.seed=2"]].concat());
        assert_eq!(second["simulated_ps"], times[1]);
        assert_eq!(second["faults"]["failed_links"], 4);
        assert!(times.iter().any(|&time| time != times[0]), "{times:?}");
    }
    let whole = once(&["--set", "faults=[]"])["simulated_ps"].as_u64().unwrap();
    assert!(sweep(&[]).iter().all(|&time| time > whole));
}

/// A point that cannot be run stops the sweep, and names the pair.
#[test]
fn a_draw_that_disconnects() {
    let args = ["sweep", FAULTS, "--vary", "faults.0.random_cables=1;120"];
    let ended = run(weir(args).current_dir(root())).expect(2);
    let said = ["faults", "there is no way from node 0 to node"];
    assert!(said.iter().all(|part| ended.stderr.contains(part)), "{}", ended.stderr);
}

/// Shells complete the keys of the first fault.
#[test]
fn keys_of_faults() {
    let completion = run(&mut weir(["completion", "bash"])).expect(0).stdout;
    assert!(completion.contains("faults.0.random_cables=") && !completion.contains("faults.random_cables="));
    assert!(run(&mut weir(["keys", "faults.0.seed"])).expect(0).stdout.starts_with("faults.seed\n"));
    let schema = run(&mut weir(["schema"])).expect(0).summary();
    assert_eq!(schema["properties"]["faults"]["items"]["properties"]["speed"]["exclusiveMaximum"], 1.0);
}
