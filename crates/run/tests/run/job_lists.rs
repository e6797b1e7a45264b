//! Lists of jobs: laws over random lists.

use proptest::prelude::*;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt::Write;
use weir_experiment::{Job, JobsSection, Repeat, Scenario, Source, Workload};
use weir_network::Outcome;
use weir_pdes::ThreadAsProcess;
use weir_run::{RunOptions, run_with};
use weir_units::{Duration, NodeId};

/// Seconds until the job is submitted, from the one before on, its nodes, and its seconds.
type Row = (u64, usize, u64);

const NODES: usize = 16;
const ENGINES: [&str; 2] = ["{ kind = 'flow' }", "{ kind = 'packet' }"];
const PLACEMENTS: [&str; 4] = ["packed", "random", "spread", "by-group"];

fn rows() -> impl Strategy<Value = Vec<Row>> {
    proptest::collection::vec((0..30_u64, 1..=NODES, 1..60_u64), 1..25)
}

/// An experiment with a list, in a folder that has to be there as long as it.
fn scenario(
    rows: &[Row],
    placement: &str,
    engine: &str,
    changes: &[(&str, &str)],
) -> (tempfile::TempDir, Scenario) {
    let mut list = "submit,nodes,duration\n".to_owned();
    let mut submit = 0;
    for (wait, nodes, duration) in rows {
        submit += wait;
        writeln!(list, "{submit},{nodes},{duration}").unwrap();
    }
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("jobs.csv");
    std::fs::write(&file, list).unwrap();
    let mut text = format!(
        "topology = {{ kind = 'torus', shape = [4, 4], bandwidth = '1 GB/s', latency = '100 ns' }}\nengine = {engine}\n[job_list]\nfile = '{}'\n\
         second = '1 us'\nplacement = '{placement}'\nworkload = {{ kind = 'all-to-all', message_size = '1 kB' }}\n",
        file.display()
    );
    changes.iter().for_each(|(from, to)| text = text.replace(from, to));
    let scenario = Scenario::load(&Source::of_text("e", &text)).unwrap_or_else(|why| panic!("{text}{why}"));
    (folder, scenario)
}

fn jobs(scenario: &Scenario) -> &[Job] {
    let Workload::Jobs(JobsSection(jobs)) = &scenario.workload.kind else { panic!("there are jobs") };
    jobs
}

fn end(job: &Job) -> Duration {
    let Repeat::For(time) = job.repeat else { panic!("jobs of a list end") };
    job.start + time
}

fn run(scenario: &Scenario, processes: usize) -> Value {
    let reports: Vec<_> = std::thread::scope(|scope| {
        let all: Vec<_> = ThreadAsProcess::several(processes)
            .into_iter()
            .map(|mut transport| {
                scope.spawn(move || {
                    run_with(scenario, &RunOptions::default(), &mut transport, &mut |_| {}).unwrap()
                })
            })
            .collect();
        all.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert_eq!(reports[0].outcome, Outcome::Finished);
    reports[0].summary.to_json()
}

/// The starts of first come, first served, second by second: nodes are only counted.
fn starts_by_counting(rows: &[Row]) -> Vec<u64> {
    let mut submits = Vec::new();
    for (wait, ..) in rows {
        // The first job is submitted when time begins.
        submits.push(submits.last().map_or(0, |last| last + wait));
    }
    let (mut starts, mut second) = (Vec::new(), 0);
    while starts.len() < rows.len() {
        let next = starts.len();
        let busy: usize = starts
            .iter()
            .zip(rows)
            .filter(|(start, (_, _, time))| **start + time > second)
            .map(|(_, (_, nodes, _))| nodes)
            .sum();
        if submits[next] <= second && busy + rows[next].1 <= NODES {
            starts.push(second);
        } else {
            second += 1;
        }
    }
    starts
}

/// The starts of EASY backfilling, second by second, where jobs have asked for the time that they take: nodes are only counted. A job may overtake if the
/// first one that waits begins no later than it would if no other began any more.
fn starts_by_backfilling(rows: &[Row]) -> Vec<u64> {
    let mut submits: Vec<u64> = Vec::new();
    for (wait, ..) in rows {
        submits.push(submits.last().map_or(0, |last| last + wait));
    }
    let busy = |starts: &[Option<u64>], second: u64| -> usize {
        let runs = |start: &Option<u64>, time: u64| {
            start.is_some_and(|start| start <= second && start + time > second)
        };
        starts
            .iter()
            .zip(rows)
            .filter(|(start, (_, _, time))| runs(start, *time))
            .map(|(_, (_, nodes, _))| nodes)
            .sum()
    };
    let (mut starts, mut second) = (vec![None; rows.len()], 0);
    let mut promised = vec![u64::MAX; rows.len()];
    while let Some(first) = starts.iter().position(Option::is_none) {
        let first_begins = |starts: &[Option<u64>]| {
            (second..).find(|&at| busy(starts, at) + rows[first].1 <= NODES).unwrap()
        };
        promised[first] = promised[first].min(first_begins(&starts).max(submits[first]));
        let fits = |job: usize, starts: &[Option<u64>]| {
            if starts[job].is_some() || submits[job] > second || busy(starts, second) + rows[job].1 > NODES {
                return false;
            }
            let mut with: Vec<Option<u64>> = starts.to_vec();
            with[job] = Some(second);
            job == first || submits[first] > second || first_begins(&with) <= first_begins(starts)
        };
        match (first..rows.len()).find(|&job| fits(job, &starts)) {
            Some(job) => starts[job] = Some(second),
            None => second += 1,
        }
    }
    let starts: Vec<u64> = starts.into_iter().flatten().collect();
    assert!(
        starts.iter().zip(&promised).all(|(start, promised)| start <= promised),
        "{starts:?} {promised:?}"
    );
    starts
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Jobs begin as EASY has it. The first one that waits begins when it was promised to or before, and no node has two jobs at once.
    #[test]
    fn jobs_are_backfilled(rows in rows(), placement in proptest::sample::select(&PLACEMENTS[..])) {
        let (_folder, scenario) = scenario(&rows, placement, ENGINES[0], &[("placement =", "order = 'backfill'\nplacement =")]);
        let jobs = jobs(&scenario);
        let starts: Vec<u64> = jobs.iter().map(|job| job.start.as_ps() / 1_000_000).collect();
        prop_assert_eq!(starts, starts_by_backfilling(&rows));
        for (place, job) in jobs.iter().enumerate() {
            let beside = |other: &&Job| other.start < end(job) && job.start < end(other);
            let shares = jobs[..place].iter().filter(beside).flat_map(|other| &other.nodes).any(|node| job.nodes.contains(node));
            prop_assert!(!shares, "job {}", place);
        }
    }

    /// No node has two jobs at once, no job begins before it is submitted, none overtakes another one, and none waits longer than it must.
    #[test]
    fn jobs_are_served_in_their_order(rows in rows(), placement in proptest::sample::select(&PLACEMENTS[..])) {
        let (_folder, scenario) = scenario(&rows, placement, ENGINES[0], &[]);
        let jobs = jobs(&scenario);
        prop_assert_eq!(jobs.len(), rows.len());
        let mut of_node: BTreeMap<NodeId, Vec<(Duration, Duration)>> = BTreeMap::new();
        for (job, (_, nodes, time)) in jobs.iter().zip(&rows) {
            prop_assert_eq!(job.nodes.len(), *nodes);
            prop_assert_eq!(end(job), job.start + Duration::from_ns(1000 * time));
            prop_assert!(job.start >= job.submit.unwrap());
            for node in &job.nodes {
                of_node.entry(*node).or_default().push((job.start, end(job)));
            }
        }
        for spans in of_node.values_mut() {
            spans.sort();
            prop_assert!(spans.windows(2).all(|pair| pair[0].1 <= pair[1].0), "{spans:?}");
        }
        prop_assert!(jobs.windows(2).all(|pair| pair[0].start <= pair[1].start));
        // A node of a torus has a router of its own, so groups are nodes.
        let starts: Vec<u64> = jobs.iter().map(|job| job.start.as_ps() / 1_000_000).collect();
        prop_assert_eq!(starts, starts_by_counting(&rows));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8))]

    /// Threads and processes change nothing, and each job ends at its time.
    #[test]
    fn threads_and_processes_change_nothing(rows in rows(), placement in proptest::sample::select(&PLACEMENTS[..])) {
        for engine in ENGINES {
            let (_folder, scenario) = scenario(&rows, placement, engine, &[]);
            let one = run(&scenario, 1);
            for (job, found) in jobs(&scenario).iter().zip(one["jobs"].as_array().unwrap()) {
                prop_assert_eq!(found["start_ps"].as_u64(), Some(job.start.as_ps()));
                prop_assert_eq!(found["end_ps"].as_u64(), Some(end(job).as_ps()));
                prop_assert_eq!(found["wait_ps"].as_u64(), Some((job.start - job.submit.unwrap()).as_ps()));
                prop_assert_eq!(found["over"].as_bool(), Some(true));
                prop_assert!(job.ranks > 1 || found["messages"].as_u64() == Some(0));
            }
            let same = |other: &Value| (&one["digest"], &one["jobs"]) == (&other["digest"], &other["jobs"]);
            if engine.contains("packet") {
                prop_assert!(same(&run(&scenario, 3)));
                let (_folder, threads) = self::scenario(&rows, placement, &engine.replace(" }", ", threads = 4 }"), &[]);
                prop_assert!(same(&run(&threads, 1)));
            }
        }
    }
}

const ALONE: (&str, &str) = ("engine =", "output = { alone = true }\nengine =");

/// All nodes go from one job to the next one at the instant in which it ends. Where a pause lies between them, both do the same.
#[test]
fn nodes_are_handed_on() {
    for (pause, wait) in [(10, 190), (300, 0)] {
        let rows = [(0, 16, 200), (pause, 16, 200)];
        let (_folder, scenario) = scenario(&rows, "packed", ENGINES[0], &[ALONE]);
        let found = run(&scenario, 1);
        let [first, second] = [&found["jobs"][0], &found["jobs"][1]];
        assert_eq!(second["wait_ps"], wait * 1_000_000);
        assert_eq!(second["start_ps"].as_u64(), Some(1_000_000 * (pause + wait)));
        assert!(first["messages"].as_u64().unwrap() > 1000, "{first}");
        assert_eq!(first["alone_messages"], first["messages"]);
        assert_eq!(first["alone_messages"], second["alone_messages"]);
        assert_eq!(first["slowdown"], 1.0);
        if wait == 0 {
            assert_eq!((&second["messages"], &second["digest"]), (&first["messages"], &first["digest"]));
        }
    }
}

/// By hand: eight ranks of each job are at every other node of a ring of 16, and send 100 kB to the next one, two links away. Each link is
/// on the way of a message of each job, so both together have no more messages than one has alone, which fills its links; of flows each has half. Packets
/// lose a few per cent where both meet.
#[test]
fn jobs_of_a_list_slow_each_other_down() {
    let rows = [(0, 8, 10_000), (0, 8, 10_000)];
    let ring = [ALONE, ("[4, 4]", "[16]"), ("all-to-all", "ring"), ("1 kB", "100 kB")];
    for engine in ENGINES {
        let (_folder, scenario) = scenario(&rows, "spread", engine, &ring);
        let found = run(&scenario, 1);
        let of = |job: usize, field: &str| found["jobs"][job][field].as_f64().unwrap();
        let (together, alone) = (of(0, "messages") + of(1, "messages"), of(0, "alone_messages"));
        assert!(together <= alone && together > 0.94 * alone, "{engine}: {together} of {alone}");
        let is_half = |slowdown: f64| (1.95..2.05).contains(&slowdown);
        assert!(engine == ENGINES[1] || is_half(of(0, "slowdown")) && is_half(of(1, "slowdown")));
    }
}

/// An all-to-all sends without awaiting anything: what the first job has on its way at its end is carried, and comes to none of the jobs.
#[test]
fn what_is_on_its_way_still_arrives() {
    for engine in ENGINES {
        let (_folder, scenario) = scenario(&[(0, 16, 50)], "packed", engine, &[]);
        let found = run(&scenario, 1);
        let of_job = found["jobs"][0]["messages"].as_u64().unwrap();
        assert!(found["messages"].as_u64().unwrap() > of_job, "{engine}: {of_job}");
        assert_eq!(found["jobs"][0]["end_ps"], 50_000_000);
    }
}

/// Logs may name programs, and these run again: each job has a name of its own, by which others say that they waited for it.
#[test]
fn names_are_made_different() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("jobs.csv");
    std::fs::write(&file, "name,submit,nodes,duration\na,0,2,9\nb,0,2,9\na,0,2,9\n").unwrap();
    let text = format!(
        "topology = {{ kind = 'torus', shape = [4, 4], bandwidth = '1 GB/s' }}\n[job_list]\nfile = '{}'\nsecond = '1 us'\norder = 'backfill'\n\
         workload = {{ kind = 'all-to-all', message_size = '1 kB' }}\n",
        file.display()
    );
    let scenario = Scenario::load(&Source::of_text("e", &text)).unwrap_or_else(|why| panic!("{why}"));
    let names: Vec<&str> = jobs(&scenario).iter().map(|job| job.name.as_str()).collect();
    assert_eq!(names, ["a", "b", "a (line 4)"]);
}
