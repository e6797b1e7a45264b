//! Ends that are not planned: signals, ranks that compute for ever, closed pipes.

use crate::command::{compile_for_mpich, compile_text, mpirun, run, scratch, weir};
use serde_json::Value;
use std::fs;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Rank 0 computes for ever: the last of what it does is in the C library now and then.
const COMPUTES: &str = include_str!("../programs/endings_computes.c");

/// Sends for ever.
const SENDS: &str = include_str!("../programs/endings_sends.c");

fn signal(child: &Child, name: &str) {
    run(Command::new("kill").args([&format!("-{name}"), &child.id().to_string()])).expect(0);
}

fn begun(command: &mut Command) -> Child {
    let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    std::thread::sleep(Duration::from_millis(1500));
    child
}

/// Processes that have this text among their arguments.
fn alive(text: &str) -> usize {
    let entries = fs::read_dir("/proc").unwrap().flatten();
    let lines = entries.filter_map(|entry| fs::read(entry.path().join("cmdline")).ok());
    lines.filter(|line| String::from_utf8_lossy(line).contains(text)).count()
}

/// The first signal is a limit, whether ranks call MPI or compute for ever, in coroutines or in processes of their own.
#[test]
fn a_signal_ends_a_run_with_its_summary() {
    let folder = scratch();
    let [computes, sends] = [(COMPUTES, "computes"), (SENDS, "sends")]
        .map(|(text, name)| compile_text(text, name, folder.path()));
    let apart = compile_for_mpich(&computes.with_extension("c"), folder.path());
    let cases =
        [(&computes, "INT", 130, "SIGINT"), (&sends, "TERM", 143, "SIGTERM"), (&apart, "INT", 130, "SIGINT")];
    for (program, name, status, word) in cases {
        let out = folder.path().join(format!("out-{name}"));
        let machine = ["--machine", "examples/torus.toml", "--engine", "flow", "--json", "--out"];
        let child = begun(mpirun(4).args(machine).arg(&out).arg(program));
        signal(&child, name);
        let ended = child.wait_with_output().unwrap();
        let stderr = String::from_utf8_lossy(&ended.stderr).into_owned();
        assert_eq!(ended.status.code(), Some(status), "{program:?}: {stderr}");
        assert!(stderr.contains(&format!("limit: interrupted by {word}")), "{program:?}: {stderr}");
        let printed: Value = serde_json::from_slice(&ended.stdout).unwrap();
        assert_eq!((&printed["outcome"], &printed["ranks"]), (&"limit".into(), &4.into()));
        let kept: Value = serde_json::from_slice(&fs::read(out.join("summary.json")).unwrap()).unwrap();
        assert_eq!(kept["explanation"]["limit"], format!("interrupted by {word}"));
        for table in kept["tables"].as_array().unwrap() {
            let table = table.as_str().unwrap();
            assert!(out.join(format!("{table}.parquet")).is_file() || out.join(table).exists(), "{table}");
        }
        assert_eq!(alive(&program.to_string_lossy()), 0, "{program:?}");
    }
}

#[test]
fn a_second_signal_ends_at_once() {
    let folder = scratch();
    let program = compile_text(COMPUTES, "computes-twice", folder.path());
    let child = begun(mpirun(2).arg(&program));
    signal(&child, "TERM");
    signal(&child, "INT");
    let ended = child.wait_with_output().unwrap();
    assert!([Some(130), Some(143)].contains(&ended.status.code()), "{:?}", ended.status);
}

/// The limit of wall-clock time holds also where no rank calls MPI.
#[test]
fn the_limit_of_wall_time_ends_ranks_that_compute() {
    let folder = scratch();
    let program = compile_text(COMPUTES, "computes-long", folder.path());
    let start = Instant::now();
    for engine in ["ideal", "packet"] {
        let machine = ["--machine", "examples/torus.toml", "--engine", engine];
        run(mpirun(4).args(machine).args(["--set", "limits.wall_time=1 s"]).arg(&program))
            .expect(4)
            .says(&["limit: limits.wall_time = 1 s is over"]);
    }
    assert!(start.elapsed() < Duration::from_secs(60), "{:?}", start.elapsed());
}

/// Once, with its number; coroutine and process. It sleeps in the kernel, where weir does not look, to leave the processors to
/// other tests.
#[test]
fn a_rank_that_computes_for_ever_is_named() {
    let folder = scratch();
    let sleeps = COMPUTES.replace("sum += sin(sum + (some != 0));", "poll(0, 0, 100);");
    let text = format!("#include <poll.h>\n{sleeps}");
    let program = compile_text(&text, "computes-named", folder.path());
    let apart = compile_for_mpich(&program.with_extension("c"), folder.path());
    std::thread::scope(|scope| {
        for program in [&program, &apart] {
            scope.spawn(move || {
                let ended = run(mpirun(2).args(["--set", "limits.wall_time=12 s"]).arg(program)).expect(4);
                let words = ended.stderr.matches("rank 0 has computed for 10 s without calling MPI").count();
                assert_eq!(words, 1, "{}", ended.stderr);
            });
        }
    });
}

/// A pipe whose reader has gone.
fn closed() -> Stdio {
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    writer.into()
}

/// Whoever reads has seen enough: nothing is said, and the status is what it would be.
#[test]
fn closed_pipes_are_silent() {
    let folder = scratch();
    let path = folder.path().join("pairwise.toml");
    let machine = "topology = { kind = 'torus', shape = [4, 4], bandwidth = '1 GB/s' }\n";
    let workload = "workload = { kind = 'all-to-all', algorithm = 'pairwise', message_size = '10 kB' }\n";
    fs::write(&path, format!("{machine}engine = {{ kind = 'flow' }}\n{workload}")).unwrap();
    let path = path.to_str().unwrap();
    for (arguments, status) in [
        (vec!["topology", "examples/torus.toml"], 0),
        (vec!["run", "--json", "-q", path], 0),
        (vec!["sweep", "--csv", "-q", path, "--vary", "seed=1:3:1"], 0),
        (vec!["run", "--json", "-q", path, "--set", "limits.simulated_time=1 ns"], 4),
        (vec!["pattern", path, "--out", "-"], 0),
        (vec!["routes", "examples/torus.toml", "0"], 0),
    ] {
        let child = weir(&arguments).stdout(closed()).stderr(Stdio::piped()).spawn().unwrap();
        let ended = child.wait_with_output().unwrap();
        let stderr = String::from_utf8_lossy(&ended.stderr).into_owned();
        assert_eq!(ended.status.code(), Some(status), "{arguments:?}");
        assert!(
            stderr.is_empty() || (status == 4 && stderr.starts_with("limit: ")),
            "{arguments:?}: {stderr}"
        );
    }
    for (arguments, status) in [
        (vec!["run", path], 0),
        (vec!["run", "no-such.toml"], 2),
        (vec!["sweep", path, "--vary", "seed=1:3:1"], 0),
    ] {
        let child = weir(&arguments).stdout(Stdio::piped()).stderr(closed()).spawn().unwrap();
        assert_eq!(child.wait_with_output().unwrap().status.code(), Some(status), "{arguments:?}");
    }
}

/// A file that is never written is read for ever: the last net ends that, and says what was under way.
#[test]
fn reading_a_file_ends_with_signals_and_with_the_wall_time() {
    let folder = scratch();
    let fifo = folder.path().join("machine.csv");
    run(Command::new("mkfifo").arg(&fifo)).expect(0);
    let path = folder.path().join("machine.toml");
    let text = |limits: &str| {
        format!(
            "topology = {{ kind = 'graph', file = '{}' }}\nengine = {{ kind = 'flow' }}\n{limits}\n\
             workload = {{ kind = 'ring', message_size = '1 kB' }}\n",
            fifo.display()
        )
    };
    fs::write(&path, text("")).unwrap();
    for (name, status) in [("INT", 130), ("TERM", 143)] {
        let child = begun(weir(["run", "--quiet", path.to_str().unwrap()]).current_dir(folder.path()));
        signal(&child, name);
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(status), "{output:?}");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(said, format!("limit: interrupted by SIG{name}: the topology is being read\n"));
    }
    fs::write(&path, text("limits = { wall_time = '10 ms' }")).unwrap();
    let ended = run(&mut weir(["run", "--quiet", path.to_str().unwrap()])).expect(4);
    assert_eq!(ended.stderr, "limit: limits.wall_time = 0.01 s is over: the topology is being read\n");
}

/// Routes through a large graph are found as flows begin, all at one instant.
#[test]
fn finding_routes_ends_with_the_wall_time() {
    let folder = scratch();
    let mut cables = String::from("source,target,bandwidth,latency\n");
    const ROUTERS: usize = 30_000;
    for router in 0..ROUTERS {
        for step in [1, 7, 61] {
            cables += &format!("{router},{},1 GB/s,1 us\n", (router + step) % ROUTERS);
        }
    }
    fs::write(folder.path().join("machine.csv"), cables).unwrap();
    let path = folder.path().join("machine.toml");
    let text = "topology = { kind = 'graph', file = 'machine.csv' }\nengine = { kind = 'flow' }\n\
                limits = { wall_time = '2 s' }\nworkload = { kind = 'ring', message_size = '1 kB' }\n";
    fs::write(&path, text).unwrap();
    let own = weir(["run", "--quiet", "--json", path.to_str().unwrap()]);
    // Of a processor, of which a busy computer gives it as little as it likes: with more it dies by a signal.
    let mut command = Command::new("sh");
    command.args(["-c", "ulimit -t 20; exec \"$@\"", "sh"]).arg(own.get_program()).args(own.get_args());
    let ended = run(command.current_dir(folder.path())).expect(4);
    assert_eq!((&ended.summary()["outcome"], &ended.summary()["messages"]), (&"limit".into(), &0.into()));
}
