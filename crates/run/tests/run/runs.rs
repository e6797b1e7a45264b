//! Small runs to their end.

use crate::{load, load_with};
use weir_flow::Compare;
use weir_network::Outcome;
use weir_record::Summary;
use weir_run::{Report, RunError, RunOptions, run_with};

fn run(text: &str) -> Report {
    weir_run::run(&load(text).unwrap(), &mut |_| {}).unwrap()
}

const PAIRWISE: &str = r#"
title = "all-to-all on a 16 x 16 torus"
[topology]
kind = "torus"
shape = [16, 16]
bandwidth = "1 GB/s"
[engine]
kind = "flow"
sharing = "max-min"
[workload]
kind = "all-to-all"
algorithm = "pairwise"
message_size = "20 kB"
"#;

/// Paper 000, section 6: messages of 20 at bandwidth 1 on 16 x 16 take 22,220 units pairwise and 27,360 by simple-spread-2d, in every
/// mode, pairwise in 255 cycles. 20 kB at 1 GB/s is 20 us, so the unit is 1 us: 22.22 ms.
#[test]
fn an_all_to_all_on_a_torus_takes_what_the_reference_says() {
    for sharing in ["max-min", "iterative", "iterative-literal", "single-pass"] {
        for (algorithm, us) in [("pairwise", 22_220), ("simple-spread-2d", 27_360)] {
            let report = run(&PAIRWISE.replace("max-min", sharing).replace("pairwise", algorithm));
            let summary = &report.summary;
            assert_eq!(report.outcome, Outcome::Finished);
            assert_eq!(summary.simulated.as_ps(), us * 1_000_000, "{sharing} {algorithm}");
            if algorithm == "pairwise" {
                assert_eq!(summary.counts.flow().unwrap().cycles, 255, "{sharing}");
            }
            assert_eq!((summary.traffic.messages, summary.traffic.bytes.0), (65_280, 65_280 * 20_000));
        }
    }
}

#[test]
fn the_unitless_form_gives_the_unitless_answer() {
    let report = run(&PAIRWISE.replace("\"1 GB/s\"", "1").replace("\"20 kB\"", "20"));
    assert_eq!(report.summary.to_json()["simulated_s"], 22_220.0);
}

/// Four nodes in a ring, each sends 1 kB to the next over its own three links (injection, hop, ejection) of 1 GB/s:
/// 1 us, every one of the 12 links in use is full, the 4 links of the other way are empty: mean 12 / 16.
#[test]
fn link_figures_of_a_ring() {
    let text = PAIRWISE
        .replace("[16, 16]", "[4]")
        .replace("all-to-all\"\nalgorithm = \"pairwise\"", "ring\"")
        .replace("20 kB", "1 kB");
    let report = run(&text);
    let used = &report.summary.link_use;
    assert_eq!(report.summary.simulated.as_ps(), 1_000_000);
    assert_eq!((used.max_share, used.max_utilization, used.mean_utilization), (1, 1.0, 0.75));
    assert_eq!((report.summary.link_use.busiest.len(), report.summary.links), (12, 16));
    assert!(report.summary.to_json()["busiest_link"].is_object());
    assert_eq!(report.summary.link_use.busiest[0].count.bytes, 1000.0);
}

/// LogGP: each of 4 ranks sends 10 messages of 1 kB at 1 GB/s, one after the other, 1 us each; the last arrives 5 us
/// after it has left.
#[test]
fn the_ideal_engine() {
    let text = "[engine]\nkind = 'ideal'\nlatency = '5 us'\nbandwidth = '1 GB/s'\n\
                [workload]\nkind = 'ring'\nranks = 4\nmessages = 10\nmessage_size = '1 kB'\n";
    let object = run(text).summary.to_json();
    assert_eq!((&object["simulated_ps"], &object["engine"]), (&15_000_000.into(), &"ideal".into()));
    assert_eq!(object["nodes"], 4);
    assert_eq!(object["links"], 0);
    assert_eq!(object["max_link_share"], 0);
    assert!(object.get("cycles").is_none() && object.get("busiest_link").is_none());
}

#[test]
fn a_limit_is_an_outcome() {
    let report = run(&(PAIRWISE.to_owned() + "[limits]\nsimulated_time = '1 ms'\n"));
    let object = report.summary.to_json();
    assert_eq!(object["outcome"], "limit");
    assert!(object["explanation"]["limit"].as_str().is_some_and(|limit| limit.contains("simulated_time")));
    assert_eq!(object["simulated_ps"], 1_000_000_000);
}

#[test]
fn the_same_input_gives_the_same_run() {
    let random = PAIRWISE.replace("[16, 16]", "[4, 4]") + "[mapping]\nkind = 'random'\n";
    let digest = |text: &str| run(text).summary.digest;
    assert_eq!(digest(&random), digest(&random));
    assert_ne!(digest(&random), digest(&(random.clone() + "seed = 2\n")));
}

#[test]
fn a_program_that_cannot_be_loaded_is_an_error() {
    let folder = crate::Folder::with(&[("not-a-program", &crate::program())]);
    let path = folder.file("not-a-program").unwrap();
    let text = format!("[workload]\nkind = 'program'\nranks = 2\nprogram = '{}'\n", path.display());
    let result = weir_run::run(&load(&text).unwrap(), &mut |_| {});
    assert!(matches!(result, Err(RunError::Program(why)) if why.contains("not-a-program")));
}

const SPREAD: &str = "
[topology]
kind = 'torus'
shape = [6, 5]
bandwidth = '1 GB/s'
[workload]
kind = 'all-to-all'
algorithm = 'simple-spread'
message_size = '20 kB'
";

/// One node stands for all: asked for, and for a machine of a million nodes without being asked.
#[test]
fn the_quotient() {
    let run = |keys: &[&str]| {
        let keys: Vec<&str> = [&["workload.algorithm=simple-spread-2d"], keys].concat();
        weir_run::run(&load_with(SPREAD, &keys).unwrap(), &mut |_| ()).unwrap().summary
    };
    let (all, one) = (run(&[]), run(&["engine.method=quotient"]));
    let method = |summary: &Summary| summary.counts.flow().unwrap().method;
    assert_eq!((method(&all), method(&one)), ("incremental", "quotient"));
    assert_eq!((all.simulated, &all.link_use), (one.simulated, &one.link_use));
    assert_eq!(all.traffic, one.traffic);
    let large = run(&["topology.shape=[128, 128]"]);
    assert_eq!((method(&large), large.traffic.messages), ("quotient", 16_384 * 16_383));
}

/// The same result with any number of threads, and that of the engine; what the steps took is reported.
#[test]
fn a_sweep_is_single_pass() {
    let run = |keys: &[&str]| {
        let scenario = load_with(SPREAD, keys).unwrap();
        weir_run::run(&scenario, &mut |_| ()).unwrap().summary
    };
    let engine = run(&["engine.sharing=single-pass"]);
    let mut digests = Vec::new();
    for (threads, barrier) in [(1, "spin"), (2, "spin"), (4, "park")] {
        let (threads_key, barrier) =
            (format!("engine.threads={threads}"), format!("engine.barrier={barrier}"));
        let keys = ["engine.sharing=single-pass", "engine.method=sweep", &threads_key, &barrier];
        let sweep = run(&keys);
        // 30 nodes are not worth a second thread.
        assert_eq!((sweep.simulated, sweep.threads), (engine.simulated, 1));
        assert_eq!(sweep.link_use, engine.link_use);
        assert_eq!(sweep.traffic, engine.traffic);
        let names: Vec<_> = sweep.counts.flow().unwrap().steps.iter().map(|step| step.name).collect();
        assert_eq!((names.len(), names[0], names[6]), (7, "make message lists", "advance"));
        digests.push(sweep.digest);
    }
    assert!(digests.windows(2).all(|pair| pair[0] == pair[1]));
}

#[test]
fn single_pass_says_how_far_it_is_from_max_min() {
    let options = RunOptions { compare: Compare::WithMaxMin, ..RunOptions::default() };
    let scenario = load_with(SPREAD, &["engine.sharing=single-pass"]).unwrap();
    let report = run_with(&scenario, &options, &mut weir_pdes::OneProcess, &mut |_| ()).unwrap();
    assert_eq!(report.summary.digest, weir_run::run(&scenario, &mut |_| ()).unwrap().summary.digest);
    let fairness = report.summary.counts.flow().unwrap().fairness.unwrap();
    assert!(fairness.least_rate < 1.0 && fairness.throughput < 1.0, "{fairness:?}");
    let max_min = load_with(SPREAD, &[]).unwrap();
    assert_eq!(fairness.max_min, Some(weir_run::run(&max_min, &mut |_| ()).unwrap().summary.simulated));
    let refused =
        run_with(&max_min, &options, &mut weir_pdes::OneProcess, &mut |_| ()).unwrap_err().to_string();
    assert!(refused.contains("engine.sharing is max-min already"), "{refused}");
}

/// The runs with perturbed ties are the same for any number of threads.
#[test]
fn tie_sensitivity_for_any_number_of_threads() {
    let ties = |threads: &str| {
        let scenario = load_with(SPREAD, &[threads]).unwrap();
        let options = RunOptions { tie_runs: 5, ..RunOptions::default() };
        let report = run_with(&scenario, &options, &mut weir_pdes::OneProcess, &mut |_| ()).unwrap();
        report.summary.counts.flow().unwrap().ties.clone().unwrap()
    };
    let one = ties("engine.threads=1");
    assert_eq!((one.simulated.len(), one.jitter), (6, 2e-7)); // 4 ps of the 20 us that a message takes
    assert!(one.spread() > 0.0);
    assert_eq!(one, ties("engine.threads=3"));
}

/// On a machine worth several threads the result is the same for any number of them, and no more are taken than there are
/// cores.
#[test]
fn a_sweep_of_a_large_machine() {
    let run = |threads: &str| {
        let keys = ["topology.shape=[96, 96]", "workload.kind=random-ring", "engine.sharing=single-pass"];
        let more = ["engine.method=sweep", "engine.barrier=spin", threads];
        let text = SPREAD.replace("algorithm = 'simple-spread'", "");
        weir_run::run(&load_with(&text, &[&keys[..], &more[..]].concat()).unwrap(), &mut |_| ())
            .unwrap()
            .summary
    };
    let cores = std::thread::available_parallelism().unwrap().get();
    let one = run("engine.threads=1");
    for threads in [2, 5] {
        let many = run(&format!("engine.threads={threads}"));
        assert_eq!((many.digest, many.simulated), (one.digest, one.simulated));
        assert_eq!(many.threads, threads.min(cores));
    }
}
