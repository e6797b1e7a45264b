//! Kinds of machines beyond torus, mesh and the three-stage tree: what their keys mean.

use crate::{TORUS, load};
use weir_experiment::{Problems, Scenario};

/// The experiment with this `[topology]`.
fn load_topology(text: &str) -> Result<Scenario, Problems> {
    let rest = &TORUS[TORUS.find("[engine]").unwrap()..];
    load(&format!("[topology]\n{text}\n{rest}"))
}

fn dragonfly(rest: &str) -> String {
    format!("kind = 'dragonfly'\nnodes_per_router = 2\nrouters_per_group = 4\nglobal_links = 2\n{rest}")
}

/// Nodes, routers and links of a machine.
#[track_caller]
fn check_counts(text: &str, expected: (usize, usize, usize)) {
    let machine = load_topology(text).unwrap().topology().unwrap();
    assert_eq!((machine.nodes(), machine.routers(), machine.links()), expected, "{text}");
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

/// Links of nodes and between routers, two per cable: 3 of a router within its group, and one between any two groups; in a HyperX of 4 x 3
/// routers 5 of each, in a full mesh of 5 routers 4.
#[test]
fn networks_with_a_choice_of_ways() {
    let rate = "bandwidth = '1 GB/s'\n";
    check_counts(&dragonfly(rate), (72, 36, 2 * 72 + 3 * 36 + 9 * 8));
    check_counts(&dragonfly(&format!("{rate}groups = 3")), (24, 12, 2 * 24 + 3 * 12 + 4 * 3 * 2));
    check_counts(
        &dragonfly(&format!("{rate}groups = 3\nlinks_per_pair = 1")),
        (24, 12, 2 * 24 + 3 * 12 + 3 * 2),
    );
    let lines = format!("nodes_per_router = 3\nlinks_per_pair = 2\n{rate}");
    check_counts(&format!("kind = 'hyperx'\nshape = [4, 3]\n{lines}"), (36, 12, 2 * 36 + 12 * 5 * 2));
    check_counts(&format!("kind = 'full-mesh'\nrouters = 5\n{lines}"), (15, 5, 2 * 15 + 5 * 4 * 2));
    // Of 3 groups with 2 leaves and 2 spines: 4 cables within each, and each spine one to each other group.
    let plus = format!(
        "kind = 'dragonfly-plus'\nnodes_per_leaf = 3\nleaves = 2\nspines = 2\nglobal_links = 2\ngroups = 3\n{rate}"
    );
    check_counts(&plus, (18, 12, 2 * 18 + 3 * 8 + 3 * 4));
    // Routers of a Slim Fly of 5 have 7 cables; those of a PolarFly of 3 have 4, but for 4 of them 3.
    let of_field = |kind: &str, q: u32| format!("kind = '{kind}'\nq = {q}\nnodes_per_router = 2\n{rate}");
    check_counts(&of_field("slim-fly", 5), (100, 50, 2 * 100 + 50 * 7));
    check_counts(&of_field("polar-fly", 3), (26, 13, 2 * 26 + 13 * 4 - 4));
    let two = dragonfly("bandwidth = ['1 GB/s', '2 GB/s']\nlatency = ['5 ns', '100 ns']");
    let two = load_topology(&two).unwrap();
    let (resolved, machine) = (two.resolved(), two.topology().unwrap());
    assert_eq!(resolved["node"]["nic_bandwidth"], "2 GB/s");
    assert_eq!(resolved["node"]["link_latency"], "5 ns");
    let links = (0..machine.links()).map(|link| machine.link(weir_units::LinkId::new(link)));
    let global = links.filter(|link| link.latency.as_ps() == 100_000).collect::<Vec<_>>();
    assert!(global.len() == 72 && global.iter().all(|link| link.capacity.bytes_per_second() == 2e9));
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

/// Where a run cannot have the rule of its kind it has shortest ways, and a warning says why; a rule that is written is refused.
#[test]
fn the_rule_of_a_kind_gives_way() {
    let failed = "[[faults]]\nrandom_cables = 1\n";
    let slow = "[[faults]]\nrandom_cables = 1\nspeed = 0.5\n";
    let experiment = |rule: &str, rest: &str| {
        load(&format!(
            "{rest}[topology]\n{}\n[workload]\nkind = 'ring'\nmessage_size = '1 kB'\n",
            dragonfly(&format!("{rule}bandwidth = '1 GB/s'"))
        ))
    };
    for (rest, rule, why) in [
        ("", "ugal-l", None),
        (failed, "ugal-l", None),
        ("engine = { kind = 'packet' }\n", "ugal-l", None),
        (&format!("engine = {{ kind = 'packet' }}\n{slow}"), "ugal-l", None),
        (&format!("engine = {{ kind = 'packet' }}\n{failed}"), "minimal", Some("links fail")),
        ("engine = { kind = 'flow', sharing = 'iterative' }\n", "minimal", Some("engine.sharing")),
    ] {
        let made = experiment("", rest).unwrap();
        let resolved = made.resolved();
        assert_eq!(resolved["topology"]["routing"], rule, "{rest}");
        assert_eq!(resolved["topology"].get("adaptive").is_some(), rule == "ugal-l", "{rest}");
        assert_eq!(made.topology().unwrap().rule().unwrap().name(), rule);
        let said: Vec<String> = made.warnings();
        assert!(
            why.map_or(said.is_empty(), |why| said.iter().any(|one| one.contains(why))),
            "{rest}: {said:?}"
        );
        assert_eq!(experiment("routing = 'ugal-l'\n", rest).is_err(), why.is_some(), "{rest}");
    }
}
