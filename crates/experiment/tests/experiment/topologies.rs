//! Kinds of machines beyond torus, mesh and the three-stage tree: what their keys mean, and what is refused.

use crate::{TORUS, check_problems, load, table};
use weir_experiment::Problems;
use weir_experiment::Scenario;

/// The experiment with this `[topology]`.
fn load_topology(text: &str) -> Result<Scenario, Problems> {
    let rest = &TORUS[TORUS.find("[engine]").unwrap()..];
    load(&format!("[topology]\n{text}\n{rest}"))
}

/// Nodes, routers and links of a machine.
#[track_caller]
fn check_counts(text: &str, expected: (usize, usize, usize)) {
    let machine = load_topology(text).unwrap().topology().unwrap();
    assert_eq!((machine.nodes(), machine.routers(), machine.links()), expected, "{text}");
}

#[track_caller]
fn check_refused(text: &str, expected: &str) {
    check_problems(load_topology(text), expected);
}

#[test]
fn hypercrossbar() {
    check_counts("kind = 'hypercrossbar'\nshape = [4, 3]\nbandwidth = '1 GB/s'", (12, 19, 72));
    let s = load_topology(
        "kind = 'hypercrossbar'\nshape = [2, 2]\nbandwidth = ['1 GB/s', '2 GB/s']\nlatency = '5 ns'",
    );
    let s = s.unwrap();
    assert_eq!(s.resolved()["node"]["nic_bandwidth"], "2 GB/s");
    assert_eq!(s.resolved()["node"]["link_latency"], "5 ns");
}

/// 2 N links of nodes, 10 N between routers; 2 N less where x has one group, N / 3 where a line of b is open.
#[test]
fn tofu() {
    let tofu = |text: &str| format!("kind = 'tofu'\nbandwidth = '1 GB/s'\n{text}");
    check_counts(&tofu("shape = [4, 3, 2]"), (288, 288, 12 * 288));
    check_counts(&tofu("shape = [4, 3, 2, 2, 3, 2]"), (288, 288, 12 * 288));
    check_counts(&tofu("shape = [1, 2, 2]"), (48, 48, 10 * 48));
    check_counts(
        &tofu("shape = [1, 2, 2]\nwrap = [true, true, true, false, false, false]"),
        (48, 48, 10 * 48 - 2 * 16),
    );
    let rings = |text: &str| load_topology(&tofu(text)).unwrap().resolved()["topology"].clone();
    let expected = serde_json::json!({
        "kind": "tofu", "shape": [4, 3, 2, 2, 3, 2], "wrap": [true, true, true, false, true, false], "tie": "spread",
        "bandwidth": "1 GB/s", "latency": "0 ps",
    });
    assert_eq!(rings("shape = [4, 3, 2]"), expected);
    let open = rings("shape = [4, 3, 2]\nwrap = [false, false, false, false, false, false]");
    assert_eq!((&open["kind"], &open["tie"]), (&"tofu".into(), &serde_json::Value::Null));
    let own = rings(
        "shape = [4, 3, 2]\nlatency = ['6 ns', '5 ns', '4 ns', '3 ns', '2 ns', '1 ns']\ntie = 'parity'",
    );
    assert_eq!((&own["latency"][5], &own["tie"]), (&"1 ns".into(), &"parity".into()));
}

#[test]
fn mistakes_of_tofu() {
    let tofu = |text: &str| format!("kind = 'tofu'\nbandwidth = '1 GB/s'\n{text}");
    let cases = r#"
        => topology.shape: is missing write how many groups of 12 nodes
        shape = [4, 4] => topology.shape: has 2 sizes; a Tofu has three or six
        shape = [4, 4, 0] => topology.shape: at least 1
        shape = [4, 4, 2, 3, 2, 2] => topology.shape: groups of 3 x 2 x 2 nodes; those of a Tofu are 2 x 3 x 2 write [4, 4, 2, 2, 3, 2]
        shape = [5000, 5000, 5000] => topology.shape: more than
        shape = [4, 4]; wrap = [true, true, false]; latency = ['1 ns', '2 ns'] => topology.shape: has 2 sizes && topology.wrap: must have 6 values, one per dimension x, y, z, a, b, c, not 3 && topology.latency: 6, one per dimension x, y, z, a, b, c, not 2
        shape = [4, 4, 2]; wrap = [false, false, false, false, false, false]; tie = 'plus' => topology.tie: no dimension wraps
        shape = [4, 4, 2]; radix = 4 => topology.radix: belongs to kind = "fat-tree"
    "#;
    for (text, expected) in table(cases) {
        check_refused(&tofu(&text), expected);
    }
}

#[test]
fn fat_trees() {
    let tree = |text: &str| format!("kind = 'fat-tree'\nbandwidth = '1 GB/s'\n{text}");
    check_counts(&tree("radix = 8"), (128, 80, 768));
    check_counts(&tree("radix = 8\nstages = 4"), (512, 3 * 128 + 64, 8 * 512));
    check_counts(&tree("radix = 8\nstages = 1"), (8, 1, 16));
    check_counts(&tree("radix = 8\ntaper = 0.5"), (128, 32 + 16 + 8, 2 * (128 + 64 + 64)));
    check_counts(&tree("radix = 8\ntaper = [1.0, 0.5]"), (128, 32 + 32 + 8, 2 * (128 + 128 + 64)));
    check_counts(&tree("stages = [8, 8, 16]"), (256, 64 + 64 + 16, 6 * 256));
    check_counts(&tree("stages = [8, 8]\ntaper = 0.25"), (32, 8 + 1, 2 * (32 + 8)));
    check_counts(&tree("stages = [{down = 6, up = 2}, {down = 4}]"), (24, 4 + 2, 2 * (24 + 8)));
    let text = "kind = 'fat-tree'\nstages = [{down = 6, up = 2, bandwidth = '1 GB/s'}, {down = 4}]";
    check_counts(text, (24, 6, 64));
    let s = load_topology(&tree(
        "latency = ['1 ns', '2 ns']\nstages = [{down = 2, up = 1}, {down = 2, up = 1, bandwidth = '5 GB/s'}, {down = 2}]",
    ));
    let resolved = s.unwrap().resolved();
    assert_eq!(resolved["topology"]["bandwidth"], serde_json::json!(["1 GB/s", "5 GB/s"]));
    assert_eq!(resolved["topology"]["latency"], serde_json::json!(["1 ns", "2 ns"]));
}

#[test]
fn more_room() {
    let room = |text: &str, expected: &str| {
        let text = format!(
            "[topology]\nbandwidth = 1\n{text}\n[workload]\nkind = 'ring'\nmessage_size = 1\nranks = 100\n"
        );
        check_problems(load(&text), &format!("workload.ranks: {expected}"));
    };
    let few = "100 ranks do not fit 16 nodes with 1 on each (16 ranks) mapping.ranks_per_node = 7 would do, or topology.radix = 8";
    room("kind = 'fat-tree'\nradix = 4", few);
    room("kind = 'hypercrossbar'\nshape = [4, 3]", "or topology.shape = [4, 25]");
    room("kind = 'tofu'\nshape = [2, 2, 1]", "or topology.shape = [2, 2, 3]");
    room("kind = 'fat-tree'\nradix = 4\nstages = 4", "or topology.radix = 6");
    let said = "or topology.stages = [{down = 2, up = 1}, {down = 2, up = 2}, {down = 25}]";
    room("kind = 'fat-tree'\nradix = 4\ntaper = 0.5", said);
}

#[test]
fn mistakes_of_hypercrossbars() {
    let crossbar = |text: &str| format!("kind = 'hypercrossbar'\nbandwidth = '1 GB/s'\n{text}");
    let cases = r#"
        => topology.shape: is missing
        shape = [3]; wrap = [true] => topology.wrap: belongs to kind = "torus", "mesh" or "tofu"
        shape = [3]; tie = 'plus' => topology.tie: belongs to kind = "torus", "mesh" or "tofu"
        shape = [100000, 100000] => topology.shape: more than
        shape = [3]; latency = ['1 ns', '1 ns'] => topology.latency: 1, one per dimension, not 2
    "#;
    for (text, expected) in table(cases) {
        check_refused(&crossbar(&text), expected);
    }
}

#[test]
fn mistakes_of_fat_trees() {
    let cases = r#"
        radix = 4; stages = 0 => topology.stages: must be a number of stages
        radix = 4; stages = 'three' => topology.stages: must be a number of stages
        stages = [8, 'x'] => topology.stages: must be a number of stages
        stages = [] => topology.stages: must be a number of stages
        stages = [8, {down = 8}] => topology.stages: must be a number of stages
        stages = 4 => topology.radix: is missing
        radix = 100; stages = 8 => topology.radix: the largest possible radix is 20
        radix = 8; stages = [8, 8] => topology.radix: makes no sense where stages has the ports
        stages = [7, 8] => topology.stages: 7 ports, which is odd, in stage 1
        stages = [8, 0] => topology.stages: no ports, in stage 2
        stages = [2000, 2000, 2000] => topology.stages: more than
        radix = 8; taper = 0.6 => topology.taper: 0.5 (2 of 4) and 0.75 (3 of 4)
        radix = 8; taper = 1.5 => topology.taper: above 0 and at most 1
        radix = 8; taper = 0 => topology.taper: above 0 and at most 1
        radix = 8; taper = 'half' => topology.taper: above 0 and at most 1
        radix = 8; taper = [0.5] => topology.taper: 2, one per pair of neighboring stages, not 1
        stages = [{down = 4}, {down = 4}] => topology.stages.up: is missing
        stages = [{up = 4}, {down = 4}] => topology.stages.down: is missing
        stages = [{down = 4, up = 0}, {down = 4}] => topology.stages.up: at least 1
        stages = [{down = 4, up = 4}, {down = 4, up = 4}] => topology.stages.up: top stage
        stages = [{down = 4, up = 4, width = 3}, {down = 4}] => topology.stages.width: unknown key
        stages = [{down = 4, up = 4}, {down = 4}]; taper = 0.5 => topology.taper: each stage says
        stages = [{down = 4, up = 4, bandwidth = '1 GB/s'}, {down = 4}] => topology.bandwidth: makes no sense where each stage has its own
        radix = 4; file = 'x' => topology.file: belongs to kind = "graph"
    "#;
    for (text, expected) in table(cases) {
        check_refused(&format!("kind = 'fat-tree'\nbandwidth = '1 GB/s'\n{text}"), expected);
    }
}
