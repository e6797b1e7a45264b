//! Programs become profiles, and profiles run as the programs did.

use crate::command::{check_all, compile, compile_text, compiled, files, root, run, scratch, weir};
use std::path::{Path, PathBuf};
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
        for (number, network) in networks().iter().enumerate() {
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

/// What a program chooses by the functions of `weir.h` is in the profile, and the replay takes as long as the run.
#[test]
fn choices_of_a_program_are_replayed() {
    let text = include_str!("../programs/profiles_chooses.c");
    let scratch = scratch();
    let program = compile_text(text, "chooses", scratch.path());
    let machine = root().join("examples/torus.toml");
    let mut simulated = Vec::new();
    for (engine, nics, ending) in
        [("ideal", 1, "profile"), ("flow", 1, "parquet"), ("packet", 1, "profile"), ("packet", 2, "parquet")]
    {
        let to = scratch.path().join(format!("{engine}{nics}.{ending}"));
        let setting = format!("node.nics={nics}");
        let options = ["--json", "--engine", engine, "--set", &setting, "--machine"];
        let run_it = |command: &mut std::process::Command| {
            let ended = run(command.current_dir(scratch.path())).expect(0);
            ended.summary()["simulated_ps"].as_u64().unwrap()
        };
        let logged =
            run_it(weir(["log", "-n", "8"]).args(options).arg(&machine).arg("-o").arg(&to).arg(&program));
        let replayed = run_it(weir(["replay"]).args(options).arg(&machine).arg(&to));
        assert_eq!(logged, replayed, "{engine} {nics}");
        simulated.push(logged);
    }
    assert!(simulated[2] != simulated[3], "the second interface has an effect: {simulated:?}");
    // What the machine has not, it chooses itself.
    let there = scratch.path().join("packet2.parquet");
    run(weir(["replay", "--json", "--engine", "flow", "--machine"]).arg(&machine).arg(&there)).expect(0);
}

/// A program of 64 ranks on a computer with two processors, logged and predicted on two engines.
#[test]
fn a_profile_runs_on_every_engine() {
    let scratch = scratch();
    let program = compile(&root().join("tests/profiles/random_traffic.c"), scratch.path());
    let to = scratch.path().join("p.parquet");
    log(&program, &["3", "4"], 16, &networks()[0], &to, scratch.path()).expect("it is logged");
    let machine = root().join("benches/mpi/torus.toml");
    let mut simulated = Vec::new();
    for engine in ["ideal", "flow", "packet"] {
        let mut command =
            weir(["replay", "--json", "--engine", engine, "--set", "topology.shape=[4,4]", "--machine"]);
        let ended = run(command.arg(&machine).arg(&to)).expect(0);
        let summary = ended.summary();
        assert_eq!((&summary["ranks"], &summary["outcome"]), (&16.into(), &"finished".into()));
        simulated.push(summary["simulated_ps"].as_u64().unwrap());
    }
    assert!(simulated[0] < simulated[1] && simulated[0] < simulated[2], "{simulated:?}");
}

#[track_caller]
fn replay(text: &str, code: i32, expected: &[&str]) {
    let scratch = scratch();
    let path: PathBuf = scratch.path().join("p.profile");
    std::fs::write(&path, text).unwrap();
    let ended = run(weir(["replay"]).arg(&path)).expect(code);
    for words in expected {
        ended.says(&[words]);
    }
}

#[test]
fn a_receive_without_a_send_is_a_deadlock_that_names_both_sides() {
    let text =
        "weir-profile 1\nranks 2\n0 send 1 8 tag 4\n0 end\n1 recv 0 8 tag 4\n1 recv 0 8 tag 4\n1 end\n";
    let both = "rank 0 sends 1 such messages to rank 1, which receives 2 of them by name";
    replay(text, 3, &["deadlock", "recv (event 1)", "rank 0", both]);
    let text = "weir-profile 1\nranks 2\n0 ssend 1 8\n0 end\n1 compute 1 ms\n1 end\n";
    replay(
        text,
        3,
        &["deadlock", "ssend (event 0)", "rank 0 sends 1 such messages to rank 1, which receives 0"],
    );
}

#[test]
fn who_waits_at_a_window_is_named() {
    let open = |rank: u32| format!("{rank} win-open comm 2\n{rank} barrier comm 2\n");
    let head = "weir-profile 1\nranks 3\ncommunicator 2: 0-2\n";
    let all = format!("{head}{}{}{}", open(0), open(1), open(2));
    // Rank 0 never gives the lock back.
    let locks = "0 win-lock 1 exclusive comm 2\n0 end\n1 end\n2 compute 1 ms\n2 win-lock 1 comm 2\n2 end\n";
    replay(&format!("{all}{locks}"), 3, &["deadlock", "2     win-lock (event 2)  rank 1  the lock"]);
    let start = "0 win-start ranks 1 comm 2\n0 end\n1 end\n2 end\n";
    replay(&format!("{all}{start}"), 3, &["deadlock", "win-start (event 2)", "MPI_Win_post"]);
    let outside = "0 put 1 8 comm 2\n0 end\n1 end\n2 end\n";
    replay(&format!("{all}{outside}"), 1, &["rank 0: event 2 of its profile, put: MPI_ERR_RMA_SYNC"]);
    let never = "0 mprobe 1 request 0\n0 mrecv 0 8\n0 end\n1 end\n2 end\n";
    replay(&format!("{head}{never}"), 3, &["deadlock", "mprobe (event 0)", "rank 1"]);
}

#[test]
fn mistakes_in_a_profile_are_reported_with_their_lines() {
    let text = "weir-profile 1\nranks 2\n0 send 7 8 tag 4\n0 wait 3\n";
    let lines = [
        "p.profile:3",
        "there is no rank 7",
        "p.profile:4",
        "request 3 is not under way",
        "rank 1 is missing",
    ];
    replay(text, 2, &lines);
    replay("weir-profile 5\nranks 2\n", 2, &["weir knows no other version"]);
    let text = "weir-profile 1\nranks 2\n0 send 1 80\n0 end\n1 recv 0 8\n1 end\n";
    replay(text, 1, &["rank 1: event 0 of its profile, recv: MPI_ERR_TRUNCATE"]);
}

#[test]
fn what_cannot_be_logged_is_refused() {
    let scratch = scratch();
    let text =
        "#include <mpi.h>\nint main(int c, char **v) { MPI_Init(&c, &v); MPI_Finalize(); return 0; }\n";
    let program = compile_text(text, "empty", scratch.path());
    let log = |name: &str| {
        let path = scratch.path().join(name);
        run(weir(["log", "-n", "2", "-o"]).arg(path).arg(&program))
    };
    log("p.txt").expect(2).says(&["ends in .profile (text) or .parquet"]);
    log("no/p.profile").expect(1).says(&["No such file"]);
    log("p.profile").expect(0).says(&["2 events of 2 ranks"]);
    assert_eq!(std::fs::read_to_string(scratch.path().join("p.profile")).unwrap().lines().count(), 5);
}

#[test]
fn a_profile_is_summarized_and_translated() {
    let scratch = scratch();
    let path = scratch.path().join("p.profile");
    let text = "weir-profile 1\ntitle two\nranks 2\n0 compute 3 us\n0 send 1 20 kB\n0 end\n1 recv any 20 kB\n1 end\n";
    std::fs::write(&path, text).unwrap();
    let table = scratch.path().join("p.parquet");
    run(weir(["profile"]).arg(&path).arg("--out").arg(&table))
        .expect(0)
        .prints(&["messages         1, 20000 bytes", "not logged"]);
    let ended = run(weir(["profile", "--json"]).arg(&table)).expect(0);
    let summary = ended.summary();
    assert_eq!((&summary["ranks"], &summary["events"]), (&2.into(), &4.into()));
    assert_eq!((&summary["compute_ps"], &summary["title"]), (&3_000_000.into(), &"two".into()));
    std::fs::write(&path, "weir-profile 1\nranks 1\n0 send 4 8\n").unwrap();
    run(weir(["profile"]).arg(&path)).expect(2).says(&["line 3: 0 send 4 8: there is no rank 4"]);
}
