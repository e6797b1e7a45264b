//! `assumed`: the defaults on which a result hangs, and which the input did not say.

use crate::{Folder, load};
use weir_experiment::{MachineDescription, SHIPPED, Scenario, ShippedKind, Source};

const TREE: &str =
    "[topology]\nkind = 'fat-tree'\nradix = 4\nstages = 2\nbandwidth = '10 GB/s'\nlatency = '100 ns'\n";

const RING: &str = "[topology]\nkind = 'torus'\nshape = [3, 3]\nbandwidth = '10 GB/s'\n";

const MESH: &str =
    "[topology]\nkind = 'full-mesh'\nrouters = 4\nnodes_per_router = 2\nbandwidth = '10 GB/s'\n";

const SHIFT: &str =
    "[workload]\nkind = 'permutation'\npermutation = 'shift'\ndistance = 1\nmessage_size = '1 MB'\n";

const ALLREDUCE: &str = "[workload]\nkind = 'collective'\noperation = 'allreduce'\nmessage_size = '64 KiB'\n";

const PACKET: &str = "[engine]\nkind = 'packet'\n";

fn keys(scenario: &Scenario) -> Vec<&str> {
    scenario.assumed().iter().map(|one| one.key.as_str()).collect()
}

const LONG: &str = "[packet]\nmtu = '2 KiB'\n";

const BCAST: &str = "[collectives]\nbcast = 'binomial'\n";

const MANY: &str = "ranks = 72\n[mapping]\nranks_per_node = 8\n[collectives]\npreset = 'open-mpi'\n";

/// Only what the engine and the workload at hand use, and only what nobody has said.
#[test]
fn what_nobody_has_said_is_listed_where_it_matters() {
    let cases: &[(&[&str], &str)] = &[
        (&[TREE, SHIFT], "topology.routing node.interface"),
        (&[TREE, "routing = 'source-mod'\n", SHIFT], "node.interface"),
        // One stage has no way up, and in rings of three nothing is half way round.
        (&["[topology]\nkind = 'fat-tree'\nstages = [4]\nbandwidth = '1 GB/s'\n", SHIFT], "node.interface"),
        (&[MESH, SHIFT], "topology.routing node.interface"),
        (&[MESH, "routing = 'minimal'\n", SHIFT], "node.interface"),
        (&[RING, SHIFT], "node.interface"),
        (&[RING, SHIFT, "[node]\ninterface = 'in-order'\n"], ""),
        (&[&RING.replace("3, 3", "3, 4"), SHIFT], "topology.tie node.interface"),
        (&[&RING.replace("torus", "mesh"), SHIFT], "node.interface"),
        (&[&RING.replace("3, 3", "9"), SHIFT, "[engine]\nmethod = 'quotient'\n"], ""),
        (&[RING, SHIFT, PACKET], "node.interface packet.mtu packet.input_buffer packet.switch_bandwidth"),
        (&[RING, SHIFT, PACKET, LONG], "node.interface packet.input_buffer packet.switch_bandwidth"),
        // A preset says them all; with the ideal engine none of them matters.
        (&[RING, SHIFT, PACKET, "[packet]\npreset = 'nsim-torus'\n"], ""),
        (&[RING, SHIFT, "[engine]\nkind = 'ideal'\n"], ""),
        (&[RING, ALLREDUCE], "node.interface node.eager_limit collectives.preset"),
        (&[RING, ALLREDUCE, "algorithm = 'ring'\n"], "node.interface node.eager_limit"),
        (&[RING, ALLREDUCE, "[collectives]\nallreduce = 'ring'\n"], "node.interface node.eager_limit"),
        (&[RING, ALLREDUCE, BCAST], "node.interface node.eager_limit collectives.preset"),
        (
            &[RING, ALLREDUCE, "[engine]\nkind = 'ideal'\n[node]\neager_limit = '4 KiB'\n"],
            "collectives.preset",
        ),
        // 8 ranks of a node and 71 others: more than 64 at once.
        (&[RING, ALLREDUCE, MANY], "node.interface node.messages_at_once node.eager_limit"),
    ];
    for (parts, expected) in cases {
        let text = parts.concat();
        assert_eq!(keys(&load(&text).unwrap()).join(" "), *expected, "{text}");
    }
}

/// Each has the value that the resolved experiment has, and a sentence.
#[test]
fn values_are_those_of_the_experiment() {
    let scenario = load(&[TREE, ALLREDUCE, PACKET].concat()).unwrap();
    let resolved = scenario.resolved();
    let mut in_words = Vec::new();
    for one in scenario.assumed() {
        let (table, key) = one.key.split_once('.').unwrap();
        match resolved[table].get(key) {
            Some(value) => assert_eq!(&one.value, value, "{}", one.key),
            None => in_words.push(one.value.clone()),
        }
        assert!(one.why.ends_with('.') && one.why.starts_with(char::is_uppercase), "{}", one.why);
    }
    assert_eq!(in_words, ["a round trip of its link", "twice the fastest link"]);
}

/// Of a machine alone, whatever may run on it, and on the engine that it names if it names one.
#[test]
fn a_machine_alone() {
    let keys = |text: &str| {
        let folder = Folder::with(&[("machine.toml", text)]);
        let machine = MachineDescription::load(&folder.source("machine.toml")).unwrap();
        machine.assumed().iter().map(|one| one.key.clone()).collect::<Vec<_>>()
    };
    let all = [
        "topology.routing",
        "node.interface",
        "node.messages_at_once",
        "node.eager_limit",
        "packet.mtu",
        "packet.input_buffer",
        "packet.switch_bandwidth",
        "collectives.preset",
    ];
    assert_eq!(keys(TREE), all);
    let of_flow = keys(&format!("{TREE}[engine]\nkind = 'flow'\n"));
    assert!(of_flow.iter().all(|key| !key.starts_with("packet.")) && of_flow.len() == 5, "{of_flow:?}");
}

/// What a shipped machine says is not assumed.
#[test]
fn shipped_machines_say_what_they_are() {
    for machine in SHIPPED.iter().filter(|shipped| shipped.kind() == ShippedKind::Machine) {
        let folder = Folder::with(&[("experiment.toml", SHIFT)]);
        let (experiment, machine_path) = (folder.file("experiment.toml"), Some(machine.name().into()));
        let scenario =
            Scenario::load(&Source { experiment, machine: machine_path, ..Source::default() }).unwrap();
        let tree: toml::Table = machine.text.parse().unwrap();
        for key in keys(&scenario) {
            let (table, key) = key.split_once('.').unwrap();
            assert!(
                tree.get(table).is_none_or(|table| table.get(key).is_none()),
                "{}: {table}.{key}",
                machine.path
            );
        }
    }
}
