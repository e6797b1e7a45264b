//! What `[[work]]` makes of a run on each engine.

use crate::{Folder, load, load_with};
use proptest::prelude::*;
use serde_json::Value;
use std::fmt::Write;
use weir_run::run;

/// Ranks of a ring that begin at different instants: each pauses first.
const STARTED: &str = "[topology]\nkind = 'torus'\nshape = [4, 2]\nbandwidth = '1 GB/s'\n[workload]\nkind = 'ring'\n\
                       message_size = '20 kB'\nstart_imbalance = '80 us'\n";

/// What a run leaves, without what differs from run to run and the experiment.
fn summary(text: &str, overrides: &[&str]) -> Value {
    let scenario = load_with(text, overrides).unwrap_or_else(|problems| panic!("{problems}\n{text}"));
    let mut summary = run(&scenario, &mut |_| ()).unwrap().summary.to_json();
    let object = summary.as_object_mut().unwrap();
    for key in ["wall_s", "peak_memory_bytes", "experiment", "verdict"] {
        assert!(object.remove(key).is_some(), "{key}");
    }
    object.retain(|key, _| !key.ends_with("_per_s"));
    summary
}

fn simulated(summary: &Value) -> u64 {
    summary["simulated_ps"].as_u64().unwrap()
}

/// Ranks on some nodes are those that the mapping places there, two on a node.
#[test]
fn nodes_stand_for_their_ranks() {
    let text = format!("{STARTED}ranks = 12\n[mapping]\nkind = 'random'\nranks_per_node = 2\n");
    let ranks = load(&text).unwrap();
    let on_two: Vec<usize> = (0..12)
        .filter(|&rank| [2, 5].contains(&ranks.placement().node(weir_units::Rank::new(rank)).0))
        .collect();
    assert!(!on_two.is_empty());
    let of = |rows: &str| simulated(&summary(&text, &[&format!("work=[{{{rows}, factor=30}}]")]));
    assert_eq!(of("nodes=[2, 5]"), of(&format!("ranks={on_two:?}")));
    assert_ne!(of("nodes=[2, 5]"), of("nodes=[1, 5]"));
}

/// A sweep takes what a pattern waits before it sends as the other methods do.
#[test]
fn a_sweep_has_it_too() {
    let folder =
        Folder::with(&[("p.pattern", "weir-pattern 1\nranks 2\n0 send 1 1000 wait 8 us\n1 send 0 1000\n")]);
    let text = format!(
        "[topology]\nkind = 'torus'\nshape = [2]\nbandwidth = '1 GB/s'\n[engine]\nsharing = 'single-pass'\n\
         [workload]\nkind = 'pattern-file'\nfile = '{}'\n[[work]]\nranks = 0\nfactor = 3\n",
        folder.path().join("p.pattern").display()
    );
    for method in ["incremental", "sweep"] {
        assert_eq!(simulated(&summary(&text, &[&format!("engine.method={method}")])), 25_000_000, "{method}");
    }
}

const ENGINES: [&str; 3] = ["ideal", "flow", "packet"];

const RANKS: usize = 5;

/// A profile in which ranks compute and send along a ring now and then: work of each rank in each of some steps, and whether there are
/// messages behind it.
fn profile(steps: &[(Vec<u64>, bool)]) -> String {
    let mut text = format!("weir-profile 1\nranks {RANKS}\n");
    for (work, sends) in steps {
        for (rank, ns) in work.iter().enumerate() {
            _ = writeln!(text, "{rank} compute {ns} ns");
            if *sends {
                let (next, last) = ((rank + 1) % RANKS, (rank + RANKS - 1) % RANKS);
                _ = writeln!(text, "{rank} send {next} 100 B\n{rank} recv {last} 100 B");
            }
        }
    }
    (0..RANKS).for_each(|rank| _ = writeln!(text, "{rank} end"));
    text
}

fn experiment(folder: &Folder) -> String {
    format!(
        "[topology]\nkind = 'torus'\nshape = [5]\nbandwidth = '1 GB/s'\nlatency = '100 ns'\n[node]\nsend_overhead = '20 ns'\n\
         [workload]\nkind = 'profile'\nfile = '{}'\n[output]\ncauses = true\n",
        folder.path().join("p.profile").display()
    )
}

fn steps(most: usize) -> impl Strategy<Value = Vec<(Vec<u64>, bool)>> {
    prop::collection::vec((prop::collection::vec(1_000_u64..90_000, RANKS), any::<bool>()), 1..most)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    /// A factor of 1 changes nothing, not a byte; where there is only work a factor for all ranks scales the time exactly.
    #[test]
    fn one_changes_nothing_and_work_alone_scales(steps in steps(6), halves in 0_u64..9) {
        let alone: Vec<_> = steps.iter().map(|(work, _)| (work.clone(), false)).collect();
        let folder = Folder::with(&[("p.profile", &profile(&steps))]);
        let only_work = Folder::with(&[("p.profile", &profile(&alone))]);
        for engine in ENGINES {
            let engine = format!("engine.kind={engine}");
            let whole = summary(&experiment(&folder), &[&engine]);
            prop_assert_eq!(&summary(&experiment(&folder), &[&engine, "work=[{ranks='1-3', factor=1}]"]), &whole);
            let once = simulated(&summary(&experiment(&only_work), &[&engine]));
            let set = format!("work=[{{factor={}}}]", halves as f64 / 2.0);
            let scaled = simulated(&summary(&experiment(&only_work), &[&engine, &set]));
            prop_assert_eq!(2 * scaled, once * halves, "{}", engine);
        }
    }

    /// The work of each rank on the critical path is the slope of the run time over the factor of its work: to the picosecond where
    /// nothing is shared, and also where messages meet, as long as the change is small.
    #[test]
    fn slopes_are_the_work_on_the_path(steps in steps(5)) {
        let folder = Folder::with(&[("p.profile", &profile(&steps))]);
        let text = experiment(&folder);
        for engine in ENGINES {
            let engine = format!("engine.kind={engine}");
            let whole = summary(&text, &[&engine]);
            let work = whole["causes"]["critical_path"]["work"].as_array().unwrap();
            for rank in 0..RANKS {
                let of_rank = work.iter().find(|row| row["rank"] == rank).map_or(0, |row| row["time_ps"].as_u64().unwrap());
                // Work is whole nanoseconds, so a thousandth of it is whole picoseconds.
                let [more, less] = [1.001, 0.999].map(|factor| {
                    let set = format!("work=[{{ranks={rank}, factor={factor}}}]");
                    simulated(&summary(&text, &[&engine, &set]))
                });
                let (longer, shorter) = (more - simulated(&whole), simulated(&whole) - less);
                // Never is the run shorter by more than what the path has, nor longer by less. Where another chain is as long within a
                // thousandth of the work, one of both may be something else.
                let known = of_rank / 1000;
                let off = if engine.ends_with("ideal") { 1 } else { 60 };
                prop_assert!(longer + off >= known && shorter <= known + off, "{engine}, rank {rank}: {longer}, {known}, {shorter}");
                let is_slope = longer <= known + off || shorter + off >= known;
                prop_assert!(is_slope, "{engine}, rank {rank}: {longer}, {known}, {shorter}");
            }
        }
    }
}
