//! Kinds of machines beyond torus, mesh and the three-stage tree: what their keys mean.

use crate::{TORUS, load};
use weir_experiment::{Problems, Scenario};
use weir_topology::Rule;

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
        "routing": "minimal", "bandwidth": "1 GB/s", "latency": "0 ps",
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

/// Each port up has so many cables to the same switch; the table of a stage is stronger than the key for all.
#[test]
fn parallel_cables_of_fat_trees() {
    let tree = |text: &str| format!("kind = 'fat-tree'\nbandwidth = '1 GB/s'\n{text}");
    check_counts(&tree("radix = 8\nstages = 2\nparallel = 3"), (32, 8 + 4, 2 * (32 + 3 * 32)));
    check_counts(&tree("radix = 8\nparallel = [1, 2]"), (128, 80, 2 * (128 + 128 + 256)));
    check_counts(&tree("radix = 8\nstages = 1\nparallel = 3"), (8, 1, 16));
    let tables = "stages = [{down = 6, up = 2, parallel = 3}, {down = 2, up = 2}, {down = 2}]\nparallel = 2";
    check_counts(&tree(tables), (24, 4 + 4 + 4, 2 * (24 + 24 + 16)));
    let resolved = load_topology(&tree(tables)).unwrap().resolved();
    assert_eq!(resolved["topology"]["parallel"], serde_json::json!([3, 2]));
    assert!(resolved["topology"]["stages"][0].get("parallel").is_none());
}

/// Rules of machines whose routes are fixed unless one is written.
#[test]
fn rules_of_trees_and_grids() {
    let rule = |text: &str| load_topology(text).unwrap().topology().unwrap().rules().first().copied();
    let tree =
        |routing: &str| format!("kind = 'fat-tree'\nradix = 4\nbandwidth = '1 GB/s'\nrouting = '{routing}'");
    assert_eq!(
        [rule(&tree("random-up")), rule(&tree("adaptive-up"))],
        [Some(Rule::RandomUp), Some(Rule::AdaptiveUp)]
    );
    assert_eq!([rule(&tree("source-mod")), rule(&tree("destination-mod"))], [None; 2]);
    for (kind, sizes) in [("torus", "[4, 4]"), ("mesh", "[3, 2]"), ("tofu", "[2, 1, 1]")] {
        let grid = format!("kind = '{kind}'\nshape = {sizes}\nbandwidth = '1 GB/s'");
        assert_eq!(rule(&grid), None);
        let chosen = format!("{grid}\nrouting = 'minimal-adaptive'");
        assert_eq!(rule(&chosen), Some(Rule::MinimalAdaptive));
        let resolved = load_topology(&chosen).unwrap().resolved();
        assert_eq!(resolved["topology"]["routing"], "minimal-adaptive");
        assert!(resolved["topology"].get("tie").is_none(), "both ways are taken");
    }
}

/// Two servers of four GPUs with a switch each, and rails between them: a leaf for each number.
const SERVERS: &str = "kind = 'rails'
[[topology.networks]]
kind = 'fat-tree'
stages = [{down = 4}]
domain = 4
bandwidth = '9 GB/s'
latency = '3 ns'
[[topology.networks]]
kind = 'fat-tree'
stages = [{down = 2, up = 2}, {down = 4}]
stride = 4
bandwidth = '2 GB/s'
nic_bandwidth = '1.5 GB/s'
latency = '5 ns'
link_latency = '7 ns'
";

#[test]
fn several_networks() {
    // 8 cables of nodes in each network, 8 between leaves and spines.
    check_counts(SERVERS, (8, 2 + 6, 2 * (8 + 8 + 8)));
    let s = load_topology(SERVERS).unwrap();
    let expected = serde_json::json!({ "kind": "rails", "networks": [
        {
            "domain": 4, "stride": 1, "kind": "fat-tree", "radix": 4, "stages": 1, "taper": 1, "parallel": 1, "routing": "destination-mod",
            "bandwidth": "9 GB/s", "latency": "3 ns",
        },
        {
            "stride": 4, "nic_bandwidth": "1.5 GB/s", "link_latency": "7 ns", "kind": "fat-tree", "radix": 4,
            "stages": 2, "taper": 1, "parallel": 1, "routing": "destination-mod", "bandwidth": "2 GB/s", "latency": "5 ns",
        },
    ]});
    assert_eq!(s.resolved()["topology"], expected);
    let machine = s.topology().unwrap();
    let cable = |interface| {
        let link = machine.link(machine.injection_by(weir_units::NodeId(1), interface));
        (link.capacity.bytes_per_second(), link.latency.as_ps())
    };
    assert_eq!([cable(0), cable(1)], [(9e9, 3000), (1.5e9, 7000)]);
    // What the node says holds for all cables but those of a network with its own; none is faster than the memory.
    let with = |node: &str| load_topology(&format!("{SERVERS}\n[node]\n{node}")).unwrap().topology().unwrap();
    let machine = with("nic_bandwidth = '4 GB/s'\nlink_latency = '1 ns'\ndma_bandwidth = '1 GB/s'");
    let cable = |interface| {
        let link = machine.link(machine.injection_by(weir_units::NodeId(1), interface));
        (link.capacity.bytes_per_second(), link.latency.as_ps())
    };
    assert_eq!([cable(0), cable(1)], [(1e9, 1000), (1e9, 7000)]);
    assert_eq!(
        s.topology.as_ref().unwrap().in_words(),
        "rails, 2 networks: fat tree, 1 stage of switches: 4 down; up by destination, for each 4 nodes; fat tree, 2 stages of switches: 2 down 2 up, \
         4 down; up by destination, nodes 4 apart"
    );
}

/// One network that joins all nodes in their order is that network.
#[test]
fn one_network_is_the_machine() {
    let ring = "shape = [5]\nbandwidth = '1 GB/s'\n";
    let alone = load_topology(&format!("kind = 'torus'\n{ring}")).unwrap().topology().unwrap();
    let one = format!("kind = 'rails'\n[[topology.networks]]\nkind = 'torus'\n{ring}");
    let machine = load_topology(&one).unwrap().topology().unwrap();
    assert_eq!((machine.links(), machine.most_cables()), (alone.links(), 1));
    let names = |machine: &weir_topology::Topology| -> Vec<String> {
        (0..machine.links()).map(|link| machine.link_name(weir_units::LinkId::new(link))).collect()
    };
    assert_eq!(names(&machine), names(&alone));
}

#[test]
fn networks_that_do_not_fit() {
    let check = |text: &str, expected: &[&str]| {
        let problems = load_topology(text).unwrap_err().to_string();
        for words in expected {
            assert!(problems.contains(words), "{words}: {problems}");
        }
    };
    check("kind = 'rails'", &["topology.networks: is missing", "[[topology.networks]]"]);
    check(
        "kind = 'rails'\nnetworks = []",
        &["topology.networks = []: must be a list of networks, one at least"],
    );
    check("kind = 'rails'\nnetworks = [3]", &["topology.networks = [3]: item 0 must be a table"]);
    let with = |from: &str, to: &str| SERVERS.replacen(from, to, 1);
    check(
        &with("domain = 4", "domain = 8"),
        &["topology.networks.0.domain = 8: is 8, but the network has 4 nodes"],
    );
    check(
        &with("down = 4}]\ndomain = 4", "down = 3}]\ndomain = 3"),
        &["topology.networks.0.domain = 3: is 3, which does not divide the 8"],
    );
    check(
        &with("domain = 4\n", ""),
        &["topology.networks.1.kind = 'fat-tree': has 8 nodes, and networks.0 has 4"],
    );
    check(
        &with("stride = 4", "domain = 8"),
        &["topology.networks.1.domain = 8: leaves rails without a way between them"],
    );
    check(
        &with("stride = 4", "stride = 3"),
        &["topology.networks.1.stride = 3: is 3, which does not divide the 8 nodes"],
    );
    check(
        &with("kind = 'fat-tree'", "kind = 'rails'"),
        &["topology.networks.0.kind = 'rails': cannot be \"rails\""],
    );
    check(
        &with("kind = 'fat-tree'", "kind = 'graph'"),
        &["topology.networks.0.kind = 'graph': cannot be \"graph\""],
    );
    check(
        &with("kind = 'rails'", "kind = 'rails'\nbandwidth = '1 GB/s'"),
        &["topology.bandwidth = '1 GB/s': makes no sense here"],
    );
    check(
        &with("kind = 'rails'", "kind = 'torus'\nshape = [3]\nbandwidth = '1 GB/s'"),
        &["belongs to kind = \"rails\""],
    );
    // All mistakes of all networks at once, each with its place.
    let both = with("domain = 4", "domain = 0").replace("bandwidth = '2 GB/s'", "bandwith = '2 GB/s'");
    check(
        &both,
        &["topology.networks.0.domain = 0", "topology.networks.1.bandwith", "did you mean bandwidth?"],
    );
    let node = |keys: &str| format!("{SERVERS}\n[node]\n{keys}");
    check(&node("nics = 2"), &["node.nics = 2: does not fit a machine in which nodes have several cables"]);
    check(&node("stripe = 3"), &["node.stripe = 3: is 3, but no node has more than 2 cables"]);
    let adaptive = "kind = 'rails'\n[[topology.networks]]\nkind = 'full-mesh'\nrouters = 3\nnodes_per_router = 1\nrouting = 'ugal-l'\nbandwidth = '1 GB/s'\n";
    let weights = format!("{adaptive}[topology.networks.adaptive]\ncandidates = 0\n");
    check(&weights, &["topology.networks.0.adaptive.candidates = 0"]);
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
        (&format!("engine = {{ kind = 'packet' }}\n{failed}"), "ugal-l", None),
        ("engine = { kind = 'flow', sharing = 'iterative' }\n", "minimal", Some("engine.sharing")),
    ] {
        let made = experiment("", rest).unwrap();
        let resolved = made.resolved();
        assert_eq!(resolved["topology"]["routing"], rule, "{rest}");
        assert_eq!(resolved["topology"].get("adaptive").is_some(), rule == "ugal-l", "{rest}");
        assert_eq!(made.topology().unwrap().rules()[0].name(), rule);
        let said: Vec<String> = made.warnings();
        assert!(
            why.map_or(said.is_empty(), |why| said.iter().any(|one| one.contains(why))),
            "{rest}: {said:?}"
        );
        assert_eq!(experiment("routing = 'ugal-l'\n", rest).is_err(), why.is_some(), "{rest}");
    }
}
