//! Keys that are taken back: `--unset`.

use crate::Folder;
use weir_experiment::{Problems, Scenario, option_of, unset};

pub(crate) const MACHINE: &str = "[topology]\nkind = 'torus'\nshape = [4, 4]\nbandwidth = '1 GB/s'\n[node]\nnics = 2\ninjection_limit = '500 MB/s'\n\
                       [[faults]]\nrouter = '1'\nspeed = 0.5\n[[faults]]\nrouter = '2'\nspeed = 0.5\n[[faults]]\nrouter = '3'\nspeed = 0.5\n";
const EXPERIMENT: &str = "machine = 'm.toml'\ntitle = 'own'\n[node]\nsend_overhead = '1 us'\n[limits]\nwall_time = '1 h'\n\
                          [workload]\nkind = 'ring'\nmessage_size = '1 kB'\nmessages = 3\n";

/// The experiment with what is taken back and set, as in `-node.nics` and `node.nics=1`.
fn load(experiment: &str, overrides: &[&str]) -> Result<Scenario, Problems> {
    Folder::with(&[("m.toml", MACHINE), ("e.toml", experiment)]).load_with("e.toml", overrides)
}

/// What is taken back is as if no file had said it: the experiment without these lines of its own and of its machine file is the same.
#[test]
fn what_is_taken_back_was_never_said() {
    let resolved = |overrides: &[&str]| load(EXPERIMENT, overrides).unwrap().resolved();
    for (overrides, lines) in [
        (&["-node.injection_limit"][..], &["injection_limit = '500 MB/s'\n"][..]),
        (&["-node.send_overhead", "-workload.messages"], &["send_overhead = '1 us'\n", "messages = 3\n"]),
        (&["-title"], &["title = 'own'\n"]),
        (
            &["-node"],
            &["[node]\nnics = 2\ninjection_limit = '500 MB/s'\n", "[node]\nsend_overhead = '1 us'\n"],
        ),
        (&["-faults.1"], &["[[faults]]\nrouter = '2'\nspeed = 0.5\n"]),
        // By the numbers that they have in the file, in any order.
        (
            &["-faults.0", "-faults.1"],
            &["[[faults]]\nrouter = '1'\nspeed = 0.5\n", "[[faults]]\nrouter = '2'\nspeed = 0.5\n"],
        ),
        (
            &["-faults", "-limits.wall_time"],
            &[
                "[[faults]]\nrouter = '1'\nspeed = 0.5\n",
                "[[faults]]\nrouter = '2'\nspeed = 0.5\n",
                "[[faults]]\nrouter = '3'\nspeed = 0.5\n",
                "wall_time = '1 h'\n",
            ],
        ),
    ] {
        let without = |text: &str| lines.iter().fold(text.to_owned(), |text, line| text.replace(line, ""));
        let (machine, experiment) = (without(MACHINE), without(EXPERIMENT));
        let left = machine.len() + experiment.len() + lines.iter().map(|line| line.len()).sum::<usize>();
        assert_eq!(left, MACHINE.len() + EXPERIMENT.len(), "each line is there once: {lines:?}");
        let folder = Folder::with(&[("m.toml", &machine), ("e.toml", &experiment)]);
        let expected = folder.load("e.toml").unwrap().resolved();
        assert_eq!(resolved(overrides), expected, "{overrides:?}");
        assert_ne!(resolved(overrides), resolved(&[]));
    }
    // Of a machine file that is taken back nothing is read.
    let alone =
        EXPERIMENT.replace("[node]", "[topology]\nkind = 'mesh'\nshape = [3]\nbandwidth = '1 GB/s'\n[node]");
    let scenario = load(&alone, &["-machine"]).unwrap();
    assert_eq!((scenario.nodes(), scenario.faults.len()), (3, 0));
}

/// What is set comes behind what is taken back, in whatever order they are given.
#[test]
fn what_is_set_comes_behind() {
    for overrides in [["-node", "node.nics=3"], ["node.nics=3", "-node"]] {
        let resolved = load(EXPERIMENT, &overrides).unwrap().resolved();
        assert_eq!(resolved["node"]["nics"], 3);
        assert!(resolved["node"].get("injection_limit").is_none());
    }
}

#[test]
fn overrides_as_options() {
    assert_eq!(option_of(&unset("node.nics")), ["--unset", "node.nics"]);
    assert_eq!(option_of("node.nics=2"), ["--set", "node.nics=2"]);
    assert_eq!(option_of("-x=2"), ["--set", "-x=2"]);
}
