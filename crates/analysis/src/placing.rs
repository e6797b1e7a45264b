//! Where ranks are best placed: on the machine, for what they exchange.
//!
//! # Model
//! Placements are made and improved by a simple measure, and judged by the experiment itself:
//!
//! ```text
//!   bytes of each pair of ranks (placing/search.rs)
//!        |  given, linear, greedy; each also with exchanges that lower hop-bytes (placing/search.rs)
//!        v
//!   runs of the experiment --> the best so far --> some ranks change places, exchanges again --> run ...
//! ```
//!
//! *Hop-bytes* are the sum, over all pairs of ranks, of the bytes that they exchange times the links of their route: the dilation of T.
//! Hoefler, M. Snir: "Generic topology mapping strategies for large-scale parallel architectures", ICS 2011, section 2. Few of them load links
//! little, but not evenly, and latencies and order count too: so the simulated time decides. What was given is one of the candidates: the
//! advice is never slower.

mod search;

use crate::refused;
use search::{Search, Volumes};
use serde_json::json;
use std::collections::BTreeSet;
use std::fmt::Display;
use std::path::PathBuf;
use weir_experiment::{
    AnalysisError, EngineSection, Experiment, FileMapping, Mapping, MappingSection, Method, Scenario,
    Workload,
};
use weir_network::{Digest, interrupted_by};
use weir_run::{run, why_unfinished};
use weir_topology::Topology;
use weir_units::{NodeId, Time, mix};

/// Effort of the search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlacingRequest {
    /// Runs of the experiment, at least 1.
    pub runs: usize,
    /// Seed of random changes. The same gives the same advice.
    pub seed: u64,
}

/// A placement, and what it brings.
#[derive(Clone, Debug, PartialEq)]
pub struct Placing {
    /// The placement that was given.
    pub given: RatedPlacement,
    /// The best that was found; what was given, if nothing is faster.
    pub best: RatedPlacement,
    /// Way in which the best one was found, in words.
    pub how: &'static str,
    /// The node of each rank.
    pub nodes: Vec<NodeId>,
    /// Runs of the experiment.
    pub runs: usize,
}

/// Result of a run of a placement.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RatedPlacement {
    /// Simulated time.
    pub time: Time,
    /// Bytes times links, over all pairs of ranks.
    pub hop_bytes: u128,
    /// Fingerprint of the run.
    pub digest: Digest,
}

/// One rank out of this number changes its place before a new search.
const MOVED_ONE_OF: usize = 24;

/// A placement of the ranks of a pattern, a collective or a profile that takes less simulated time, if one is found. `watch` is called
/// after each run with the number of runs and the best time.
///
/// # Errors
/// When there are no ranks to place, or the run of what is given does not come to its end.
pub fn advise_placing(
    scenario: &Scenario,
    request: PlacingRequest,
    watch: &mut dyn FnMut(usize, Time),
) -> Result<Placing, AnalysisError> {
    let machine = placeable(scenario)?;
    let volumes = Volumes::of(scenario)?;
    let search = Search::new(&volumes, machine, scenario.mapping.ranks_per_node);
    let place = search.take(scenario.placement().nodes());
    let given = judge(scenario, &search, &place)?;
    watch(1, given.time);
    let seen = BTreeSet::from([search.nodes(&place)]);
    let best = Best { place: place.clone(), judged: given, how: "as given" };
    let mut trials = Trials { scenario, search: &search, most: request.runs, runs: 1, seen, best, watch };
    let linear = search.linear();
    let greedy = search.greedy();
    for (start, how) in [(place, "given"), (linear, "linear"), (greedy, "greedy")] {
        let improved = search.exchanged(start.clone());
        trials.try_out(start, how)?;
        trials.try_out(improved, how)?;
    }
    let few = (volumes.ranks() / MOVED_ONE_OF).max(2);
    let mut moved = few;
    // Exchanges may lead back to what has been run: then more ranks are moved, so often at the most.
    for attempt in 0..2 * request.runs as u64 {
        let start = search.moved(trials.best.place.clone(), moved, mix(request.seed ^ mix(attempt)));
        let before = trials.runs;
        trials.try_out(search.exchanged(start), "random changes")?;
        moved = if trials.runs > before { few } else { (2 * moved).min(volumes.ranks()) };
    }
    let Trials { runs, best, .. } = trials;
    Ok(Placing { given, best: best.judged, how: best.how, nodes: search.nodes(&best.place), runs })
}

fn placeable(scenario: &Scenario) -> Result<&Topology, AnalysisError> {
    let why = match (&scenario.workload.kind, &scenario.engine, scenario.machine()) {
        (Workload::Program(_), ..) => {
            "the workload is an MPI program: what its ranks exchange is known only when it runs\n\nhint: write it down with \
             weir log, and take workload.kind = \"profile\""
        }
        (Workload::Synthetic(_), ..) => {
            "the workload is synthetic traffic, which nodes exchange: there are no ranks to place"
        }
        (Workload::Outside, ..) => {
            "the messages are those of a program that steps the run: they are known only then"
        }
        (_, EngineSection::Flow(flow), _)
            if matches!(flow.method, Method::Sweep { .. } | Method::Quotient) =>
        {
            "engine.method must be incremental: others run what all nodes do alike\n\nhint: --set engine.method=incremental"
        }
        (_, EngineSection::Ideal(_), _) | (_, _, None) => {
            "without a topology all places are alike\n\nhint: give a machine, as by --set machine=FILE"
        }
        (_, _, Some(machine)) if machine.nodes() > Search::MOST_NODES => {
            let (nodes, most) = (machine.nodes(), Search::MOST_NODES);
            return refused(format!("the machine has {nodes} nodes; at most {most} are looked at"));
        }
        (_, _, Some(machine)) => return Ok(machine),
    };
    refused(why)
}

fn judge(scenario: &Scenario, search: &Search<'_>, place: &[u32]) -> Result<RatedPlacement, AnalysisError> {
    let kind = Mapping::File(FileMapping::of(PathBuf::from("advised"), search.nodes(place)));
    let mapping = MappingSection { kind, ..scenario.mapping.clone() };
    let table = json!({ "kind": "file", "file": "advised", "ranks_per_node": mapping.ranks_per_node });
    let mut experiment = Experiment::clone(scenario).resolved_with("mapping", table);
    experiment.mapping = mapping;
    let report = run(&scenario.changed(experiment), &mut |_| ()).or_else(unfinished)?;
    if interrupted_by().is_some() {
        return Err(AnalysisError::Interrupted);
    }
    if let Some(why) = why_unfinished(&report.outcome) {
        return unfinished(why);
    }
    let (time, digest) = (report.summary.simulated, report.summary.digest);
    Ok(RatedPlacement { time, hop_bytes: search.hop_bytes(place), digest })
}

fn unfinished<T>(why: impl Display) -> Result<T, AnalysisError> {
    refused(format!("the run does not come to its end: {why}"))
}

struct Best {
    place: Vec<u32>,
    judged: RatedPlacement,
    how: &'static str,
}

struct Trials<'a, 'b> {
    scenario: &'a Scenario,
    search: &'a Search<'a>,
    most: usize,
    runs: usize,
    seen: BTreeSet<Vec<NodeId>>,
    best: Best,
    watch: &'b mut dyn FnMut(usize, Time),
}

impl Trials<'_, '_> {
    /// Runs a placement, if it is another one than before and runs are left, and keeps the best.
    fn try_out(&mut self, place: Vec<u32>, how: &'static str) -> Result<(), AnalysisError> {
        if self.runs >= self.most || !self.seen.insert(self.search.nodes(&place)) {
            return Ok(());
        }
        self.runs += 1;
        let judged = judge(self.scenario, self.search, &place)?;
        if judged.time < self.best.judged.time {
            self.best = Best { place, judged, how };
        }
        (self.watch)(self.runs, self.best.judged.time);
        Ok(())
    }
}
