//! What a run has left that was killed by force is the beginning of what the whole run leaves, table by table.

use super::cases::Random;
use super::number_of;
use super::tables::{Row, rows};
use crate::command::{check_all, compile_text, run, scratch, weir};
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

const PROGRAM: &str = include_str!("../../programs/crossed_killed_program.c");

/// Engine, workload and outputs of runs that take a second or more, and fill several parts of their tables.
const RUNS: &str = "\
kind = 'flow' | kind = 'random-ring', messages = 200, message_size = '3 kB' | messages = true, sample_interval = '20 us'
kind = 'flow', sharing = 'single-pass' | kind = 'all-to-all', messages = 4, message_size = '3 kB' | messages = true
kind = 'packet' | kind = 'all-to-all', messages = 4, message_size = '3 kB' | messages = true, sample_interval = '5 us', packets = { routers = [3] }
kind = 'packet' | kind = 'synthetic', pattern = 'uniform', offered_load = 0.4, duration = '1500 us' | sample_interval = '5 us'
kind = 'packet' | kind = 'program', ranks = 64, program = '@/program' | messages = true, calls = true
kind = 'ideal' | kind = 'program', ranks = 64, program = '@/program' | messages = true, calls = true
";

const TABLES: [&str; 6] =
    ["messages", "calls", "packets", "series/links", "series/buffers", "series/latencies"];

#[test]
fn what_a_killed_run_has_left_is_the_beginning() {
    let folder = scratch();
    compile_text(PROGRAM, "program", folder.path());
    let mut random = Random(number_of("WEIR_CROSSED_SEED", 1));
    // When each is killed, in hundredths of the time that the whole run takes.
    let runs: Vec<_> =
        RUNS.lines().enumerate().map(|run| (run, [(); 3].map(|()| random.below(100) as u32))).collect();
    check_all(&runs, |((number, parts_of_run), instants)| {
        let own = folder.path().join(number.to_string());
        fs::create_dir(&own).unwrap();
        let experiment = own.join("experiment.toml");
        let parts: Vec<&str> = parts_of_run.split(" | ").collect();
        let [engine, workload, output] = parts[..] else { panic!("{parts_of_run}") };
        let text = format!(
            "topology = {{ kind = 'torus', shape = [8, 8], bandwidth = '1 GB/s', latency = '50 ns' }}\n\
             engine = {{ {engine} }}\nworkload = {{ {workload} }}\noutput = {{ {output} }}\n"
        );
        fs::write(&experiment, text.replace('@', &folder.path().display().to_string())).unwrap();
        let whole = own.join("whole");
        let start = Instant::now();
        run(weir(["run", "-q", "--out"]).arg(&whole).arg(&experiment)).expect(0);
        let taken = start.elapsed();
        let mut seen = 0;
        for (number, hundredths) in instants.iter().enumerate() {
            let out = own.join(format!("killed-{number}"));
            kill_after(taken * *hundredths / 100, &out, &experiment);
            seen += is_beginning(&out, &whole).map_err(|why| format!("{engine}, {workload}: {why}"))?;
        }
        if seen > 0 { Ok(()) } else { Err(format!("{engine}, {workload}: nothing was ever left")) }
    });
}

/// Starts a run, and kills it when a first part is there and so much time has passed.
fn kill_after(time: Duration, out: &Path, experiment: &Path) {
    let start = Instant::now();
    let mut running = weir(["run", "-q", "--out"]).arg(out).arg(experiment).spawn().unwrap();
    let there = || TABLES.iter().any(|table| out.join(table).join("00000.parquet").exists());
    while running.try_wait().unwrap().is_none() && (start.elapsed() < time || !there()) {
        std::thread::sleep(Duration::from_millis(1));
    }
    _ = running.kill();
    running.wait().unwrap();
}

/// How many rows a killed run has left; each of them is a row of the whole run, in its place.
fn is_beginning(left: &Path, whole: &Path) -> Result<usize, String> {
    let json = |path: &Path| -> Value { serde_json::from_slice(&fs::read(path).unwrap()).unwrap() };
    // One that came to its end before it was killed has a summary.
    let said = ["begun.json", "summary.json"].map(|name| left.join(name));
    let mut begun = json(said.iter().find(|path| path.exists()).unwrap())["experiment"].take();
    let mut summary = json(&whole.join("summary.json"))["experiment"].take();
    for experiment in [&mut begun, &mut summary] {
        experiment["output"].as_object_mut().unwrap().remove("dir");
    }
    if begun != summary {
        return Err(format!("it began as {begun}, not as {summary}"));
    }
    let mut count = 0;
    for table in TABLES {
        let Some(own) = rows(left, table) else { continue };
        let all: Vec<Row> = rows(whole, table).ok_or(format!("the whole run has no {table}"))?;
        count += own.len();
        if own.len() > all.len() || own != all[..own.len()] {
            let row = own.iter().zip(&all).position(|(own, all)| own != all);
            return Err(format!(
                "{table}: row {row:?} of {} is another one than in the whole run",
                own.len()
            ));
        }
    }
    Ok(count)
}
