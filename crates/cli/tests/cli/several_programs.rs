//! Several programs that run as one job (MPMD).

use crate::command::{Ended, compile, compile_for_mpich, run, scratch, weir};
use std::path::Path;

/// Says who it is, with how many others of its program; its globals are its own.
const PROGRAM: &str = include_str!("../programs/several_programs.c");

/// The programs a and b, b with so many globals that its ranks have an instance each.
fn sources(folder: &Path) -> [std::path::PathBuf; 2] {
    ["a", "b"].map(|name| {
        let source = folder.join(format!("{name}.c"));
        let size = if name == "a" { 10 } else { 100_000 };
        std::fs::write(&source, format!("#define NAME \"{name}\"\n#define SIZE {size}\n{PROGRAM}")).unwrap();
        source
    })
}

/// The same for MPICH, under the same name.
fn for_mpich(source: &Path, folder: &Path) {
    std::fs::rename(compile_for_mpich(source, folder), source.with_extension("")).unwrap();
}

/// What `-n 2 ./a : -n 3 ./b -x y` prints.
fn expected() -> Vec<String> {
    let of_a = (0..2).map(|rank| format!("a {rank} of 5: 0 with 2 (2), 0 arguments, none, sum 30, 3 calls"));
    let of_b = (2..5).map(|rank| format!("b {rank} of 5: 1 with 3 (3), 2 arguments, -x, sum 30, 3 calls"));
    of_a.chain(of_b).collect()
}

/// `weir COMMAND -n 2 ./a : -n 3 ./b -x y` with options.
fn both(command: &str, options: &[&str], folder: &Path) -> Ended {
    let mut command = weir([command]);
    command.args(["--json", "-np", "2"]).args(options);
    command.args(["./a", ":", "-n", "3", "./b", "-x", "y"]).current_dir(folder);
    run(&mut command)
}

fn printed(ended: &Ended) -> Vec<String> {
    let mut lines: Vec<String> =
        ended.stderr.lines().filter(|line| line.contains(" of 5: ")).map(str::to_owned).collect();
    lines.sort();
    lines
}

/// They are one world, on every engine, also where several processes divide it; a profile of the run replays as it was.
#[test]
fn several_programs_are_one_job() {
    let folder = scratch();
    let folder = folder.path();
    for source in sources(folder) {
        compile(&source, folder);
    }
    let machine =
        ["topology.kind=torus", "topology.shape=[5]", "topology.bandwidth=1 GB/s", "topology.latency=1 us"];
    let sets: Vec<&str> = machine.into_iter().flat_map(|set| ["--set", set]).collect();
    let by_flow = both("mpirun", &sets, folder).expect(0);
    assert_eq!(printed(&by_flow), expected());
    let packets = [&sets[..], &["--engine", "packet"]].concat();
    let by_packets = both("mpirun", &packets, folder).expect(0);
    assert_eq!(printed(&by_packets), expected());
    let divided = both("mpirun", &[&packets[..], &["--processes", "2"]].concat(), folder).expect(0);
    assert_eq!(printed(&divided), expected());
    assert_eq!(divided.summary()["digest"], by_packets.summary()["digest"]);
    // The same as an experiment.
    let text = "[workload]\nkind = 'program'\nprogram = './a'\nranks = 5\nfurther = [{program = './b', ranks = 3, args = ['-x', 'y']}]\n";
    std::fs::write(folder.join("job.toml"), text).unwrap();
    let mut command = weir(["run", "job.toml", "--json"]);
    let experiment = run(command.args(&sets).current_dir(folder)).expect(0);
    assert_eq!(
        (printed(&experiment), &experiment.summary()["digest"]),
        (expected(), &by_flow.summary()["digest"])
    );
    let logged = both("log", &[&sets[..], &["-o", "job.profile"]].concat(), folder).expect(0);
    assert_eq!(logged.summary()["simulated_ps"], by_flow.summary()["simulated_ps"]);
    let mut replay = weir(["replay", "job.profile", "--json"]);
    let replayed = run(replay.args(&sets).current_dir(folder)).expect(0);
    assert_eq!(replayed.summary()["simulated_ps"], by_flow.summary()["simulated_ps"]);
    // A program of the command line replaces all of them.
    let mut alone = weir(["run", "job.toml", "--set", "workload.ranks=2"]);
    run(alone.args(["--", "./a"]).current_dir(folder)).expect(0).prints(&["a 1 of 2: 0 with 2 (2)"]);
}

#[test]
fn several_programs_run_in_processes_of_their_own() {
    let folder = scratch();
    let folder = folder.path();
    for source in sources(folder) {
        for_mpich(&source, folder);
    }
    assert_eq!(printed(&both("mpirun", &[], folder).expect(0)), expected());
}

/// What cannot be run is refused, all at once.
#[test]
fn programs_that_do_not_fit_together_are_refused() {
    let folder = scratch();
    let folder = folder.path();
    let [a, b] = sources(folder);
    compile(&a, folder);
    for_mpich(&b, folder);
    both("mpirun", &[], folder).expect(2).says(&["runs beside a program of another kind"]);
    let mut without = weir(["mpirun", "-n", "2", "./a", ":", "./b"]);
    run(without.current_dir(folder)).expect(2).says(&["behind a : -n RANKS PROGRAM is expected, not ./b"]);
    let text = "[workload]\nkind = 'program'\nprogram = './a'\nranks = 3\nfurther = [{program = './c', ranks = 3}, {ranks = 1, args = 5, x = 1}]\n";
    std::fs::write(folder.join("job.toml"), text).unwrap();
    run(weir(["run", "job.toml"]).current_dir(folder)).expect(2).says(&[
        "is not there: ./c",
        "workload.further.program",
        "workload.further.args",
        "workload.further.x",
        "leaves no rank",
    ]);
}
