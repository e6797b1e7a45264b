//! Programs become profiles, and profiles run as the programs did.

use crate::command::{check_all, compile, compiled, files, is_long, root, run, scratch, weir};
use std::path::Path;

/// Networks: without costs, and with all of them.
const NETWORKS: [&[&str]; 2] = [
    &[],
    &[
        "engine.latency=5 us",
        "engine.message_gap=200 ns",
        "engine.bandwidth=1 GB/s",
        "node.mpi_overhead=1 us",
        "node.memory_bandwidth=4 GB/s",
        "node.eager_messages=3",
    ],
];

/// Logs a program on a network and replays it there: the run takes as long. That every call does is a test of `weir-replay`.
fn replays_exactly(
    (program, args, ranks): (&Path, &[&str], usize),
    network: &[&str],
    profile: &Path,
    folder: &Path,
) -> Result<(), String> {
    let sets = network.iter().flat_map(|setting| ["--set", *setting]);
    let mut log = weir(["log", "-q", "-n", &ranks.to_string(), "--json", "-o"]);
    let logged = run(log.arg(profile).args(sets.clone()).arg(program).args(args).current_dir(folder));
    if logged.code != 0 {
        return Err(format!("{}: exit status {}\n{}", program.display(), logged.code, logged.stderr));
    }
    let replayed = run(weir(["replay", "-q", "--json", "--engine", "ideal"]).args(sets).arg(profile));
    let replayed = replayed.expect(0).summary();
    for key in ["simulated_ps", "messages", "bytes"] {
        if logged.summary()[key] != replayed[key] {
            let [logged, replayed] = [&logged.summary()[key], &replayed[key]];
            return Err(format!("{}: {key}: {replayed} instead of {logged}", program.display()));
        }
    }
    Ok(())
}

/// Programs that come to no end, or do what a profile cannot hold, and what says so.
const CANNOT: [(&str, &str); 4] = [
    ("attached_buffers", "MPI_Comm_attach_buffer"),
    ("errors_of_no_object", "MPI_Session_attach_buffer"),
    ("request_errors", "deadlock"),
    ("sessions", "MPI_Session_attach_buffer"),
];

#[test]
fn programs_replay_exactly_as_they_were_logged() {
    let scratch = scratch();
    let mut programs = files(&root().join("tests/mpi"), "c");
    programs.extend(files(&root().join("tests/mpi/mpich"), "c"));
    assert!(programs.len() > 75, "{}", programs.len());
    check_all(&programs, |source| {
        let program = compiled(source);
        let name = source.file_stem().unwrap().to_string_lossy().into_owned();
        let cannot = CANNOT.iter().find(|(known, _)| *known == name);
        // With times of messages every third one; where there is time all.
        let with_times = is_long() || source.as_os_str().len() % 3 == 0;
        for (number, network) in NETWORKS[..1 + usize::from(with_times)].iter().enumerate() {
            // Programs that write files do so in a folder of their own.
            let folder = scratch.path().join(format!("{name}-{number}-run"));
            std::fs::create_dir(&folder).unwrap();
            let to = scratch.path().join(format!("{name}-{number}.parquet"));
            match (replays_exactly((&program, &[], 4), network, &to, &folder), cannot) {
                (Ok(()), None) => {}
                (Ok(()), Some(_)) => return Err(format!("{name}: logged")),
                (Err(_), Some(_)) if to.exists() => return Err(format!("{name}: a profile is left")),
                (Err(error), Some((_, call))) if error.contains(call) => {}
                (Err(error), _) => return Err(error),
            }
        }
        Ok(())
    });
}

#[test]
fn random_programs_replay_exactly_as_they_were_logged() {
    let scratch = scratch();
    let program = compile(&root().join("tests/profiles/random_traffic.c"), scratch.path());
    let runs: Vec<(u32, usize)> = (1..=12).map(|seed| (seed, [2, 3, 5, 8][seed as usize % 4])).collect();
    check_all(&runs, |&(seed, ranks)| {
        for (number, network) in NETWORKS.iter().enumerate() {
            let ending = ["parquet", "profile"][number];
            let to = scratch.path().join(format!("{seed}-{number}.{ending}"));
            let seed = seed.to_string();
            replays_exactly((&program, &[&seed, "30"], ranks), network, &to, scratch.path())
                .map_err(|error| format!("seed {seed}: {error}"))?;
        }
        Ok(())
    });
}
