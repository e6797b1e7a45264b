//! `weir record`: what programs do under real MPIs is what `weir log` writes of them, event by event, but for times.
//!
//! Programs whose messages come in any order are not compared; nor are those with calls that return errors, which are not recorded, or in
//! which weir's own ranks say something to each other that others do in their own way (`MPI_Comm_split_type`,
//! `MPI_Dist_graph_create`, shared windows, file handles that cannot be opened).

use crate::command::{
    Ended, check_all, compile_for_mpich, compile_for_open_mpi, compiled, mpich, open_mpi, root, run, scratch,
    weir,
};
use crate::dual_run::{enough, ranks};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

/// The events of each rank, as lines of text. Times are left out, and looks in vain, which are times. Communicators are named by their
/// members and their place among those of the same members, in the order in which the rank uses them.
fn events(profile: &str) -> BTreeMap<u32, Vec<String>> {
    let mut members: BTreeMap<&str, &str> = BTreeMap::new();
    let mut seen: BTreeMap<u32, Vec<&str>> = BTreeMap::new();
    let mut events: BTreeMap<u32, Vec<String>> = BTreeMap::new();
    for line in profile.lines() {
        if let Some((number, ranks)) =
            line.strip_prefix("communicator ").and_then(|rest| rest.split_once(": "))
        {
            members.insert(number, ranks);
            continue;
        }
        let Some((Ok(rank), rest)) = line.split_once(' ').map(|(rank, rest)| (rank.parse(), rest)) else {
            continue;
        };
        let rest = rest.split(" took ").next().unwrap();
        let rest = rest.split(" lasts ").next().unwrap();
        if rest.starts_with("compute") || rest.starts_with("poll") {
            continue;
        }
        let words: Vec<&str> = rest.split(' ').collect();
        let mut named: Vec<String> = words.iter().map(|&word| word.to_owned()).collect();
        if let Some(place) = words.iter().position(|&word| word == "comm")
            && let Some(of) = members.get(words[place + 1])
        {
            let seen = seen.entry(rank).or_default();
            if !seen.contains(&words[place + 1]) {
                seen.push(words[place + 1]);
            }
            let same = seen
                .iter()
                .filter(|other| members.get(*other).is_some_and(|other| groups(other) == groups(of)));
            let before = same.take_while(|&&other| other != words[place + 1]).count();
            named[place + 1] = format!("{:?} {before}", groups(of));
        }
        events.entry(rank).or_default().push(named.join(" "));
    }
    events
}

/// The groups of a communicator, of which either may be the first.
fn groups(members: &str) -> Vec<&str> {
    let mut groups: Vec<&str> = members.split('|').map(str::trim).collect();
    groups.sort_unstable();
    groups
}

/// What is different first.
fn compare(logged: &str, recorded: &str) -> Result<(), String> {
    let (logged, recorded) = (events(logged), events(recorded));
    for (rank, expected) in &logged {
        let found = recorded.get(rank).map_or(&[][..], Vec::as_slice);
        let same = expected.iter().zip(found).take_while(|(expected, found)| expected == found).count();
        if same < expected.len().max(found.len()) {
            let at = |events: &[String]| events.get(same).cloned().unwrap_or_default();
            return Err(format!("rank {rank}, event {same}: {} instead of {}", at(found), at(expected)));
        }
    }
    Ok(())
}

/// `weir record` with the command, and the environment, that a launcher has.
fn record(profile: &Path, launcher: &mut Command, program: &Path, args: &[&str]) -> Ended {
    let mut command = weir(["record", "-o"]);
    command.arg(profile).arg("--").arg(launcher.get_program()).args(launcher.get_args());
    let set = launcher.get_envs().filter_map(|(name, value)| Some((name, value?)));
    run(command.envs(set).arg(program).args(args).current_dir(profile.parent().unwrap()))
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mpi {
    Open,
    /// MPICH with programs of the standard's binary interface.
    Standard,
}

impl Mpi {
    fn record(self, ranks: usize, program: &Path, profile: &Path, args: &[&str]) -> Ended {
        match self {
            Self::Open => record(profile, &mut open_mpi(ranks), program, args),
            Self::Standard => {
                let mut mpiexec = mpich("mpiexec");
                mpiexec.env("MPIEXEC_TIMEOUT", "30").args(["-n", &ranks.to_string()]);
                record(profile, &mut mpiexec, program, args)
            }
        }
    }

    fn compile(self, source: &Path, folder: &Path) -> std::path::PathBuf {
        match self {
            Self::Open => compile_for_open_mpi(source, folder),
            Self::Standard => compile_for_mpich(source, folder),
        }
    }
}

const PROGRAMS: [(Mpi, &str); 21] = [
    (Mpi::Open, "cancel.c"),
    (Mpi::Open, "cartesian.c"),
    (Mpi::Open, "collectives_all.c"),
    (Mpi::Open, "collectives_roots.c"),
    (Mpi::Open, "communicators.c"),
    (Mpi::Open, "conjugate_gradient.c"),
    (Mpi::Open, "datatypes_collectives.c"),
    (Mpi::Open, "matched_probe.c"),
    (Mpi::Open, "nonblocking_collectives.c"),
    (Mpi::Open, "self_messages.c"),
    (Mpi::Open, "transpose.c"),
    (Mpi::Open, "fortran/collectives.f90"),
    (Mpi::Open, "fortran/communicators.f90"),
    (Mpi::Open, "fortran/handles_old.f"),
    (Mpi::Open, "fortran/modern.f90"),
    (Mpi::Standard, "collectives_all.c"),
    (Mpi::Standard, "communicators.c"),
    (Mpi::Standard, "mpich/large_counts_collectives.c"),
    (Mpi::Standard, "mpich/partitioned.c"),
    (Mpi::Standard, "mpich/persistent_collectives.c"),
    (Mpi::Standard, "mpich/windows_post_start.c"),
];

#[test]
fn recorded_programs_are_those_that_weir_logs() {
    check_all(&PROGRAMS, |&(mpi, name)| {
        let scratch = scratch();
        let source = root().join("tests/mpi").join(name);
        let ranks = enough(&ranks(&fs::read_to_string(&source).unwrap())?);
        let logged = scratch.path().join("logged.profile");
        let mut log = weir(["log", "-q", "-n", &ranks.to_string(), "-o"]);
        run(log.arg(&logged).arg(compiled(&source)).current_dir(scratch.path())).expect(0);
        let program = mpi.compile(&source, scratch.path());
        let recorded = scratch.path().join("recorded.profile");
        let ended = mpi.record(ranks, &program, &recorded, &[]);
        let named = |what: String| format!("{name} under {mpi:?}: {what}");
        if ended.code != 0 {
            return Err(named(ended.stderr));
        }
        let text = |path: &Path| fs::read_to_string(path).unwrap();
        compare(&text(&logged), &text(&recorded)).map_err(named)?;
        let replayed = run(weir(["replay", "-q", "--engine", "ideal"]).arg(&recorded));
        if replayed.code == 0 { Ok(()) } else { Err(named(replayed.stderr)) }
    });
}

/// What a rank did until it died is in the profile, and the profile can be read.
#[test]
fn a_program_that_dies_leaves_a_profile() {
    let text = "#include <mpi.h>\n#include <signal.h>\n#include <stdlib.h>\n\
        int main(int argc, char **argv) {\n    int rank, x = 0;\n    MPI_Init(&argc, &argv);\n    \
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);\n    for (int i = 0; i < 100; i++)\n        if (rank == 0)\n            \
        MPI_Send(&x, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);\n        else\n            MPI_Recv(&x, 1, MPI_INT, 0, 0, \
        MPI_COMM_WORLD, MPI_STATUS_IGNORE);\n    if (rank == 1)\n        atoi(argv[1]) ? raise(atoi(argv[1])) : \
        MPI_Abort(MPI_COMM_WORLD, 5);\n    MPI_Barrier(MPI_COMM_WORLD);\n    MPI_Finalize();\n    return 0;\n}\n";
    let scratch = scratch();
    let source = scratch.path().join("dies.c");
    fs::write(&source, text).unwrap();
    let program = compile_for_open_mpi(&source, scratch.path());
    for signal in ["0", "6", "9", "11"] {
        let profile = scratch.path().join(format!("{signal}.parquet"));
        let ended = Mpi::Open.record(2, &program, &profile, &[signal]);
        assert_ne!(ended.code, 0, "{signal}");
        ended.says(&["202 events of 2 ranks", "rank 1 on ", "it ended before MPI_Finalize"]);
        let look = run(weir(["profile", "--json"]).arg(&profile)).expect(0).summary();
        assert_eq!((look["events"].as_u64(), look["messages"].as_u64()), (Some(202), Some(100)), "{signal}");
        assert!(look["title"].as_str().unwrap().ends_with("up to where 2 ranks ended before MPI_Finalize"));
        assert!(!profile.with_extension("parquet.ranks").exists());
    }
}

/// A batch script sets the environment, runs the program, and joins what the ranks have written. The sites of calls are a table.
#[test]
fn recording_in_steps() {
    let scratch = scratch();
    let at = |name: &str| scratch.path().join(name);
    let source = root().join("tests/mpi/barrier.c");
    let program = compile_for_open_mpi(&source, scratch.path());
    let lines = run(weir(["record", "--env", "--folder"]).arg(at("ranks")).arg(&program)).expect(0).stdout;
    let variables: Vec<(&str, &str)> = lines
        .lines()
        .filter_map(|line| line.strip_prefix("export ")?.split_once('='))
        .map(|(name, value)| (name, value.trim_matches('\'')))
        .collect();
    assert_eq!(
        variables.iter().map(|(name, _)| *name).collect::<Vec<_>>(),
        ["WEIR_RECORD_DIR", "LD_PRELOAD"]
    );
    run(open_mpi(3).envs(variables).arg(&program)).expect(0);
    let mut join = weir(["record", "--join"]);
    run(join.arg(at("ranks")).arg("-o").arg(at("a.profile")).arg("--sites").arg(at("sites.csv"))).expect(0);
    let sites = fs::read_to_string(at("sites.csv")).unwrap();
    let lines: Vec<&str> = sites.lines().collect();
    assert_eq!(lines[0], "rank,event,place");
    assert!(lines[1].starts_with("0,0,\"") && lines[1].contains(" of barrier.openmpi"), "{}", lines[1]);
    let again =
        run(weir(["record", "-o", "b.profile", "--folder"]).arg(at("ranks")).args(["--", "true"])).expect(2);
    again.says(&["there are files in it"]);
}

/// What cannot be recorded, and programs that record nothing, are named.
#[test]
fn what_is_not_in_a_profile_is_said() {
    let scratch = scratch();
    let profile = scratch.path().join("a.profile");
    let nothing = run(weir(["record", "-o"]).arg(&profile).args(["--", "true"])).expect(2);
    nothing.says(&["no rank has written anything", "--mpicc"]);
    assert!(!profile.exists());
    let missing =
        run(weir(["record", "-o"]).arg(&profile).args(["--mpicc", "no-such-mpicc", "--", "true"])).expect(2);
    missing.says(&["cannot start \"no-such-mpicc\"", "--mpicc FILE"]);
    let source = root().join("tests/mpi/error_handlers.c");
    let program = compile_for_open_mpi(&source, scratch.path());
    let ended = Mpi::Open.record(2, &program, &profile, &[]).expect(0);
    ended.says(&["not in the profile: 8 calls of MPI_Send that returned an error"]);
}
