//! Memory that is not there is an error with its size and exit status 2, wherever it is asked for; and time that is not
//! there ends the building of a machine.

use crate::command::{Ended, compile_text, mpirun, run, scratch, weir};
use std::process::Command;

/// A command that may have so many MiB of address space.
fn limited(mib: u32, command: &Command) -> Command {
    let mut limited = Command::new("sh");
    limited.args(["-c", "ulimit -v \"$0\" && exec \"$@\"", &(mib * 1024).to_string()]);
    limited.arg(command.get_program()).args(command.get_args());
    limited.current_dir(command.get_current_dir().unwrap());
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => limited.env(name, value),
            None => limited.env_remove(name),
        };
    }
    limited
}

/// Runs an experiment with so many MiB; it must end by itself.
fn run_with(mib: u32, experiment: &str) -> Ended {
    let folder = scratch();
    let path = folder.path().join("large.toml");
    std::fs::write(&path, experiment).unwrap();
    let path = path.to_str().unwrap();
    run(&mut limited(mib, &weir(["run", "--quiet", path])))
}

#[track_caller]
fn refused(mib: u32, experiment: &str, words: &[&str]) {
    let ended = run_with(mib, experiment).expect(2);
    let said = words.iter().all(|word| ended.stderr.contains(word));
    assert!(said && ended.stderr.starts_with("error: "), "{}", ended.stderr);
}

const CABLES: &str = "bandwidth = '1 GB/s', latency = '1 us'";
const RING: &str = "workload = { kind = 'ring', message_size = '1 kB' }\n";

#[test]
fn what_surely_does_not_fit_is_refused_before_it_is_built() {
    let two = "workload = { kind = 'ring', message_size = '1 kB', ranks = 2 }\n";
    let ranks = "workload = { kind = 'ring', message_size = '1 kB', ranks = 2147483648 }\n";
    refused(4000, &format!("engine = {{ kind = 'ideal' }}\n{ranks}"), &["2147483648 ranks", "of memory"]);
    let kinds = ["kind = 'random-ring'", "kind = 'permutation', permutation = 'random'"];
    for kind in kinds {
        let random = format!(
            "engine = {{ kind = 'ideal' }}\nworkload = {{ {kind}, message_size = 1, ranks = 4294967295 }}\n"
        );
        refused(4000, &random, &["workload.ranks", "no memory for a random order of 4294967295 ranks"]);
    }
    let machine = |engine: &str, topology: &str, workload: &str| {
        format!("topology = {{ {topology}, {CABLES} }}\nengine = {{ kind = '{engine}' }}\n{workload}")
    };
    let tree = "kind = 'fat-tree', radix = 1000";
    refused(4000, &machine("flow", tree, RING), &["250000000 nodes", "GB of memory"]);
    let torus = "kind = 'torus', shape = [512, 512, 512]";
    refused(4000, &machine("flow", torus, two), &["134217728 nodes", "GB of memory"]);
    let torus = "kind = 'torus', shape = [160, 160, 160]";
    refused(2000, &machine("packet", torus, two), &["topology.kind", "4096000 nodes", "GB of memory"]);
}

/// The time of the clock on the wall counts while a machine is built, too: here it is over before anything begins.
#[test]
fn building_ends_with_the_wall_time() {
    let folder = scratch();
    let path = folder.path().join("large.toml");
    for (engine, shape) in [("packet", "[40, 40, 40]"), ("flow", "[64, 64, 32]")] {
        let text = format!(
            "topology = {{ kind = 'torus', shape = {shape}, {CABLES} }}\nengine = {{ kind = '{engine}' }}\n\
             limits = {{ wall_time = '1 ms' }}\n{RING}"
        );
        std::fs::write(&path, text).unwrap();
        let ended = run(&mut weir(["run", "--json", path.to_str().unwrap()])).expect(4);
        assert_eq!(ended.summary()["outcome"], "limit", "{engine}");
        ended.says(&["limits.wall_time = 0.001 s is over"]);
        assert_eq!(ended.summary()["messages"], 0, "{engine}");
    }
}

/// What only turns out on the way, at one allocation or another.
#[test]
fn what_turns_out_not_to_fit_is_an_error_as_well() {
    let torus = format!("topology = {{ kind = 'torus', shape = [16, 16, 16], {CABLES} }}\n");
    let packets = format!("{torus}engine = {{ kind = 'packet', threads = 2 }}\n{RING}");
    refused(80, &packets, &["memory"]);
    let ranks = "workload = { kind = 'ring', message_size = '1 kB', ranks = 300000 }\n";
    let ideal = format!("engine = {{ kind = 'ideal' }}\n{ranks}");
    refused(90, &ideal, &["no memory for", "bytes"]);
    let mut finished = 0;
    for mib in (60..=300).step_by(4) {
        let ended = run_with(mib, &packets);
        assert!([0, 2].contains(&ended.code), "{mib} MiB: {} {}", ended.code, ended.stderr);
        assert_eq!(ended.code == 2, ended.stderr.contains("memory"), "{mib} MiB: {}", ended.stderr);
        finished += usize::from(ended.code == 0);
    }
    assert!(finished > 0);
}

/// The memory of programs is the C library's: it says no, and they go on.
#[test]
fn programs_get_a_null_pointer() {
    let text = "#include <mpi.h>\n#include <stdio.h>\n#include <stdlib.h>\n\
                int main(int argc, char **argv) { MPI_Init(&argc, &argv); void *volatile m = malloc((size_t)1 << 34);\n\
                printf(\"%s\\n\", m ? \"memory\" : \"none\"); MPI_Finalize(); return 0; }\n";
    let folder = scratch();
    let program = compile_text(text, "asks", folder.path());
    let ended = run(&mut limited(4000, mpirun(2).arg(program))).expect(0);
    assert_eq!(ended.sorted_lines(), ["none", "none"]);
}
