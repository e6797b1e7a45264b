//! What an engine cannot see of a run is said, and only there.

use crate::command::{compiled, root, run, scratch, weir};
use serde_json::Value;

/// The summary of the victim beside streams of so many messages each, on a machine of 16 nodes and an engine.
fn summary(topology: &str, kind: &str, messages: &str) -> Value {
    let folder = scratch();
    let machine = folder.path().join("machine.toml");
    std::fs::write(
        &machine,
        format!("[topology]\n{topology}\nbandwidth = '12.5 GB/s'\nlatency = '200 ns'\n"),
    )
    .unwrap();
    let program = compiled(&root().join("tests/mpi/traffic/victim.c"));
    let mut command = weir(["mpirun", "-n", "16", "--json", "--machine"]);
    command.arg(machine).args(["--set", &format!("engine.kind={kind}")]).arg(program).arg(messages);
    serde_json::from_str(&run(&mut command).expect(0).stdout).unwrap()
}

fn warnings(summary: &Value) -> Vec<&str> {
    summary["warnings"].as_array().into_iter().flatten().filter_map(Value::as_str).collect()
}

/// On a line of routers all messages from 0 to 9 and back are on links with streams into rank 8, half of those of a tree with half the cables,
/// and none of a full tree. Packets see what they wait for, and nothing is to be said; nor is it without streams.
#[test]
fn victims_of_streams_are_counted_by_flow() {
    let line = "kind = 'mesh'\nshape = [16]";
    let thin = "kind = 'fat-tree'\nradix = 4\ntaper = 0.5";
    let full = "kind = 'fat-tree'\nradix = 4";
    for (topology, share) in [(line, Some(100)), (thin, Some(50)), (full, None)] {
        let by_flow = summary(topology, "flow", "5");
        let found = warnings(&by_flow);
        match share {
            Some(share) => {
                assert_eq!(found.len(), 1, "{topology}: {found:?}");
                let words = [
                    &format!("of 400 messages of up to 4 KiB ({share} %)"),
                    "64 KiB and more",
                    "engine.kind = \"packet\"",
                ];
                for word in words {
                    assert!(found[0].contains(word), "{topology}: {found:?}");
                }
            }
            None => assert_eq!(found, Vec::<&str>::new(), "{topology}"),
        }
        assert_eq!(warnings(&summary(topology, "packet", "5")), Vec::<&str>::new(), "{topology}");
        assert_eq!(warnings(&summary(topology, "flow", "0")), Vec::<&str>::new(), "{topology}");
    }
}
