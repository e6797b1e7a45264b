//! Jobs that share a machine: laws over random jobs.

use proptest::prelude::*;
use serde_json::Value;
use weir_experiment::{Scenario, Source};
use weir_network::Outcome;
use weir_pdes::ThreadAsProcess;
use weir_run::{RunOptions, run_with};

#[derive(Clone, Debug)]
struct Job {
    kind: &'static str,
    ranks: u32,
    kilobytes: u32,
    start_ns: u32,
    repeat: u32,
    placement: &'static str,
}

/// A workload with its keys behind the kind.
const KINDS: [&str; 6] = [
    "'ring', synchronised = true, messages = 2",
    "'all-to-all'",
    "'incast'",
    "'broadcast', algorithm = 'flat'",
    "'collective', operation = 'allgather'",
    "'collective', operation = 'barrier'",
];

fn job() -> impl Strategy<Value = Job> {
    let kind = proptest::sample::select(&KINDS[..]);
    let placement = proptest::sample::select(&["packed", "random", "spread"][..]);
    (kind, 2..7_u32, 1..60_u32, 0..4000_u32, 1..4_u32, placement).prop_map(
        |(kind, ranks, kilobytes, start_ns, repeat, placement)| Job {
            kind,
            ranks,
            kilobytes,
            start_ns,
            repeat,
            placement,
        },
    )
}

impl Job {
    fn workload(&self) -> String {
        let Self { kind, ranks, kilobytes, .. } = self;
        // Each rank of an allgather has the same part.
        let bytes = kilobytes * 1000 * ranks;
        let size = if kind.contains("barrier") { 0 } else { bytes };
        format!("{{ kind = {kind}, ranks = {ranks}, message_size = '{size} B' }}")
    }

    fn with(&self, name: usize, nodes: &str) -> String {
        let Self { start_ns, repeat, .. } = self;
        let workload = self.workload();
        format!(
            "[[jobs]]\nname = 'job {name}'\nstart = '{start_ns} ns'\nrepeat = {repeat}\n{nodes}\nworkload = {workload}\n"
        )
    }

    fn text(&self, name: usize) -> String {
        self.with(name, &format!("placement = '{}'", self.placement))
    }
}

const MACHINE: &str =
    "topology = { kind = 'torus', shape = [6, 6], bandwidth = '1 GB/s', latency = '300 ns' }\n";

const ENGINES: [&str; 3] = [
    "{ kind = 'ideal', latency = '1 us', bandwidth = '1 GB/s' }",
    "{ kind = 'flow' }",
    "{ kind = 'packet' }",
];

/// The summary of a run with so many threads and processes.
fn run(text: &str, engine: &str, threads: u32, processes: usize) -> Value {
    let engine = match threads {
        1 => engine.to_owned(),
        _ => engine.replace(" }", &format!(", threads = {threads} }}")),
    };
    let text = format!("{MACHINE}engine = {engine}\n{text}");
    let scenario = Scenario::load(&Source::of_text("e", &text)).unwrap_or_else(|why| panic!("{text}{why}"));
    let reports = std::thread::scope(|scope| {
        let all: Vec<_> = ThreadAsProcess::several(processes)
            .into_iter()
            .map(|mut transport| {
                let scenario = &scenario;
                scope.spawn(move || {
                    run_with(scenario, &RunOptions::default(), &mut transport, &mut |_| {}).unwrap()
                })
            })
            .collect();
        all.into_iter().map(|thread| thread.join().unwrap()).collect::<Vec<_>>()
    });
    assert_eq!(reports[0].outcome, Outcome::Finished, "{text}");
    reports[0].summary.to_json()
}

/// What is known of each job, but for its place among the others.
fn jobs(summary: &Value) -> Vec<Value> {
    let mut jobs = summary["jobs"].as_array().unwrap().clone();
    jobs.iter_mut().for_each(|job| drop(job.as_object_mut().unwrap().remove("first_rank")));
    jobs.sort_by_key(|job| job["name"].to_string());
    jobs
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    /// Threads and processes change nothing, and the summary has each job with what its ranks have done.
    #[test]
    fn threads_and_processes_change_nothing(all in proptest::collection::vec(job(), 1..5)) {
        let text: String = all.iter().enumerate().map(|(name, job)| job.text(name)).collect();
        for engine in ENGINES {
            let one = run(&text, engine, 1, 1);
            let found = jobs(&one);
            prop_assert_eq!(found.len(), all.len());
            for field in ["messages", "bytes"] {
                let sum: u64 = found.iter().map(|job| job[field].as_u64().unwrap()).sum();
                prop_assert_eq!(sum, one[field].as_u64().unwrap());
            }
            for (job, found) in all.iter().zip(&found) {
                prop_assert_eq!(found["ranks"].as_u64(), Some(job.ranks.into()));
                prop_assert_eq!(found["over"].as_bool(), Some(true));
                prop_assert_eq!(found["start_ps"].as_u64(), Some(1000 * u64::from(job.start_ns)));
            }
            let last = found.iter().map(|job| job["end_ps"].as_u64()).max().unwrap();
            prop_assert_eq!(last, one["simulated_ps"].as_u64());
            // Each process needs a node at least, and flows are shared in one.
            let nodes: u32 = all.iter().map(|job| job.ranks).sum();
            let processes = if engine.contains("flow") { 1 } else { nodes.min(3) as usize };
            let other = run(&text, engine, if engine.contains("packet") { 4 } else { 1 }, processes);
            prop_assert_eq!((&one["digest"], &jobs(&one)), (&other["digest"], &jobs(&other)));
        }
    }

    /// One job is what it is as [workload]: the same times and the same events.
    #[test]
    fn one_job_is_a_workload(job in job(), engine in proptest::sample::select(&ENGINES[..])) {
        let job = Job { start_ns: 0, repeat: 1, placement: "packed", ..job };
        let (of_jobs, alone) =
            (run(&job.text(0), engine, 1, 1), run(&format!("workload = {}\n", job.workload()), engine, 1, 1));
        for field in ["simulated_ps", "digest", "messages", "bytes", "events"] {
            prop_assert_eq!(&of_jobs[field], &alone[field], "{}", field);
        }
    }

    /// Jobs on rings of their own do not meet: each has the times and the events that it has alone, whenever it starts.
    #[test]
    fn jobs_that_do_not_meet_do_not_disturb(
        all in proptest::collection::vec(job(), 2..5),
        engine in proptest::sample::select(&ENGINES[..]),
    ) {
        let rows = |row: usize| format!("nodes = '{}-{}'", 6 * row, 6 * row + 5);
        let text = |place: usize| all[place].with(place, &rows(place));
        let together: String = (0..all.len()).map(text).collect();
        let together = jobs(&run(&together, engine, 1, 1));
        for (place, beside) in together.iter().enumerate().take(all.len()) {
            prop_assert_eq!(&jobs(&run(&text(place), engine, 1, 1))[0], beside);
        }
    }

    /// With places that are said, the order of jobs in the file changes no time of a job.
    #[test]
    fn the_order_of_jobs_changes_no_time(all in proptest::collection::vec(job(), 2..5), turn in 1..4_usize) {
        // Columns of the torus share links of its rows with nobody, and its corners share all.
        let nodes = |place: usize| {
            let nodes: Vec<String> = (0..6).map(|row| (6 * row + (place + row) % 6).to_string()).collect();
            format!("nodes = [{}]", nodes.join(", "))
        };
        let text = |place: usize| all[place].with(place, &nodes(place));
        let mut order: Vec<usize> = (0..all.len()).collect();
        let first: String = order.iter().map(|&place| text(place)).collect();
        let turn = turn % order.len();
        order.rotate_left(turn);
        let other: String = order.iter().map(|&place| text(place)).collect();
        for engine in [ENGINES[0], ENGINES[1]] {
            prop_assert_eq!(jobs(&run(&first, engine, 1, 1)), jobs(&run(&other, engine, 1, 1)));
        }
    }
}

/// An aggressor goes on until the victim is over, with the same events for any number of threads; without it the victim is as fast as alone.
#[test]
fn an_aggressor_ends_with_its_victim() {
    let text = "[[jobs]]\nname = 'victim'\nplacement = 'spread'\nworkload = { kind = 'collective', operation = 'allreduce', ranks = 9, \
                message_size = '1 KiB', repetitions = 10 }\n\
                [[jobs]]\nname = 'aggressor'\nrepeat = 'until-others-end'\nplacement = 'random'\nworkload = { kind = 'all-to-all', \
                ranks = 20, message_size = '30 kB' }\n[output]\nalone = true\n";
    for engine in &ENGINES[1..] {
        let found = run(text, engine, 1, 1);
        let [victim, aggressor] = [&found["jobs"][0], &found["jobs"][1]];
        assert!(victim["slowdown"].as_f64().unwrap() > 1.1, "{victim}");
        assert_eq!(aggressor["endless"].as_bool(), Some(true));
        assert!(aggressor["end_ps"].as_u64() <= found["simulated_ps"].as_u64());
        let idle =
            run(&text.replace("name = 'aggressor'", "name = 'aggressor'\nstate = 'idle'"), engine, 1, 1);
        assert_eq!(idle["jobs"][0]["time_ps"], victim["alone_ps"]);
        let threads = run(text, engine, 3, 1);
        assert_eq!((&threads["digest"], jobs(&threads)), (&found["digest"], jobs(&found)));
    }
}

/// Repeats are rounds one after the other.
#[test]
fn a_job_repeats_its_workload() {
    for kind in ["'ring', synchronised = true", "'collective', operation = 'bcast'"] {
        let times = |repeat: u32| {
            let text = format!(
                "[[jobs]]\nname = 'a'\nrepeat = {repeat}\nworkload = {{ kind = {kind}, ranks = 5, message_size = '10 kB' }}\n"
            );
            let found = run(&text, ENGINES[1], 1, 1);
            (found["jobs"][0]["messages"].as_u64().unwrap(), found["simulated_ps"].as_u64().unwrap())
        };
        let ((messages, time), (three, longer)) = (times(1), times(3));
        assert_eq!(three, 3 * messages);
        assert!(longer > 2 * time && longer <= 3 * time, "{kind}: {time}, {longer}");
    }
}

/// Beside a steady incast in the same class a node is served in turn, although the class of its virtual channels has credits at other
/// instants than that of its neighbors: all of an allreduce arrives.
#[test]
fn a_steady_incast_leaves_others_their_turns() {
    let experiment = "
        [topology]
        kind = 'dragonfly'
        nodes_per_router = 2
        routers_per_group = 4
        global_links = 1
        groups = 5
        links_per_pair = 1
        routing = 'minimal'
        bandwidth = '10 GB/s'
        latency = ['50 ns', '300 ns']
        [engine]
        kind = 'packet'
        [limits]
        simulated_time = '20 ms'
        [[jobs]]
        name = 'victim'
        placement = 'random'
        workload = { kind = 'collective', operation = 'allreduce', ranks = 12, message_size = '1 KiB', repetitions = 20 }
        [[jobs]]
        name = 'incast'
        placement = 'random'
        repeat = 'until-others-end'
        workload = { kind = 'incast', ranks = 20, message_size = '64 KiB' }
    ";
    let scenario = Scenario::load(&Source::of_text("e", experiment)).expect("an experiment");
    let mut process = ThreadAsProcess::several(1).remove(0);
    let report = run_with(&scenario, &RunOptions::default(), &mut process, &mut |_| {}).expect("it runs");
    assert_eq!(report.outcome, Outcome::Finished);
}

/// Ranks that wait for ever are named with their jobs.
#[test]
fn a_deadlock_names_jobs() {
    let text = "engine = { kind = 'ideal' }\n\
                [[jobs]]\nname = 'a'\nworkload = { kind = 'ring', ranks = 3, message_size = '1 kB' }\n\
                [[jobs]]\nname = 'b'\nworkload = { kind = 'graph', file = 'FILE' }\n";
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("wait.graph");
    std::fs::write(&file, "weir-graph 1\nranks 2\n1 recv 0 8\n").unwrap();
    let text = text.replace("FILE", &file.display().to_string());
    let scenario = Scenario::load(&Source::of_text("e", &text)).unwrap_or_else(|why| panic!("{why}"));
    let mut process = ThreadAsProcess::several(1).remove(0);
    let report = run_with(&scenario, &RunOptions::default(), &mut process, &mut |_| {}).unwrap();
    let Outcome::Deadlock(waiting) = report.outcome else { panic!("{:?}", report.outcome) };
    assert_eq!(waiting[0].details[0], ("job", "b, rank 1".to_owned()));
    let waiting = &report.summary.to_json()["explanation"]["waiting"];
    assert_eq!((&waiting[0]["rank"], &waiting[0]["details"]["job"]), (&4.into(), &"b, rank 1".into()));
}
