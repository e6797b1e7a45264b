//! Programs become profiles, and profiles run as the programs did.

use crate::command::{check_all, compile, compiled, files, is_long, root, run, scratch, weir};
use std::path::Path;
use std::sync::Arc;
use weir_formats::profile::{self, Profile};
use weir_message::Costs;
use weir_network::{Ideal, Limits, Outcome, Placement, RunContext};
use weir_replay::{Replay, Setting, Times};
use weir_units::{Bandwidth, Duration, Rank, Time};

/// A network as `weir log` gets it, and as the test builds it.
struct Network {
    settings: &'static [&'static str],
    engine: Ideal,
    costs: Costs,
}

fn networks() -> [Network; 2] {
    let gigabytes = |number: f64| Bandwidth::new(number * 1e9).expect("it is a bandwidth");
    let loggp = Network {
        settings: &[
            "engine.latency=5 us",
            "engine.message_gap=200 ns",
            "engine.bandwidth=1 GB/s",
            "node.mpi_overhead=1 us",
            "node.memory_bandwidth=4 GB/s",
            "node.eager_messages=3",
        ],
        engine: Ideal {
            latency: Duration::from_ns(5_000),
            message_gap: Duration::from_ns(200),
            bandwidth: Some(gigabytes(1.0)),
            ..Ideal::default()
        },
        costs: Costs {
            memory_bandwidth: Some(gigabytes(4.0)),
            eager_messages: 3,
            ..Costs::of_overhead(Duration::from_ns(1_000))
        },
    };
    [Network { settings: &[], engine: Ideal::default(), costs: Costs::default() }, loggp]
}

/// Logs a program; returns the profile and the simulated time in picoseconds.
fn log(
    program: &Path,
    args: &[&str],
    ranks: usize,
    network: &Network,
    to: &Path,
    folder: &Path,
) -> Result<(Profile, u64), String> {
    let mut command = weir(["log", "-n", &ranks.to_string(), "--json", "-o"]);
    command.arg(to);
    network.settings.iter().for_each(|setting| _ = command.args(["--set", setting]));
    let ended = run(command.arg(program).args(args).current_dir(folder));
    if ended.code != 0 {
        return Err(format!("{}: exit status {}\n{}", program.display(), ended.code, ended.stderr));
    }
    let simulated = ended.summary()["simulated_ps"].as_u64().expect("a summary says how long it took");
    let profile = profile::read(to).map_err(|error| format!("{}: {error}", program.display()))?;
    Ok((profile, simulated))
}

/// Every call of the replay begins and ends when it did, and the run takes as long.
fn replays_exactly(profile: &Arc<Profile>, simulated: u64, network: &Network) -> Result<(), String> {
    let setting = Setting { costs: network.costs.clone().into(), times: Times::Kept, ..Setting::default() };
    let mut ranks = Replay::all(Arc::clone(profile), setting);
    let placement = Placement::one_per_node(profile.ranks());
    let limits = Limits::default();
    let ended = network.engine.run(&mut ranks, RunContext::new(&placement).limits(limits));
    if ended.outcome != Outcome::Finished {
        return Err(format!("{}: {:?}", profile.title, ended.outcome));
    }
    let mut first: Option<(Time, String)> = None;
    for (rank, replay) in ranks.iter().enumerate() {
        let logged = profile.times(Rank::new(rank)).map(|(begin, end, event)| ((begin, end), event));
        let found = replay.times();
        let differs = logged.zip(found).enumerate().find(|(_, ((times, _), found))| times != *found);
        if let Some((number, (((begin, end), event), found))) = differs
            && first.as_ref().is_none_or(|(before, _)| *before > end.min(found.1))
        {
            let what = format!("rank {rank}, event {number} {event:?}: {begin:?} to {end:?}, not {found:?}");
            first = Some((end.min(found.1), what));
        }
        if found.len() != profile.events(Rank::new(rank)).len() {
            return Err(format!("{}: rank {rank} has done only {} events", profile.title, found.len()));
        }
    }
    match first {
        Some((_, what)) => Err(format!("{}: {what}", profile.title)),
        None if ended.at.as_ps() == simulated => Ok(()),
        None => Err(format!("{}: {} ps instead of {simulated}", profile.title, ended.at.as_ps())),
    }
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
        // With times of messages every third one; where there is time all. That is what the tests of `weir-replay` have.
        let with_times = is_long() || source.as_os_str().len() % 3 == 0;
        for (number, network) in networks()[..1 + usize::from(with_times)].iter().enumerate() {
            // Programs that write files do so in a folder of their own.
            let folder = scratch.path().join(format!("{name}-{number}-run"));
            std::fs::create_dir(&folder).unwrap();
            let to = scratch.path().join(format!("{name}-{number}.parquet"));
            match (log(&program, &[], 4, network, &to, &folder), cannot) {
                (Ok((profile, simulated)), None) => replays_exactly(&Arc::new(profile), simulated, network)?,
                (Ok(_), Some(_)) => return Err(format!("{name}: logged")),
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
        for (number, network) in networks().iter().enumerate() {
            let ending = ["parquet", "profile"][number];
            let to = scratch.path().join(format!("{seed}-{number}.{ending}"));
            let (profile, simulated) =
                log(&program, &[&seed.to_string(), "30"], ranks, network, &to, scratch.path())?;
            replays_exactly(&Arc::new(profile), simulated, network)
                .map_err(|error| format!("seed {seed}: {error}"))?;
        }
        Ok(())
    });
}
