//! Where ranks are best placed: on the machine, for what they exchange.
//!
//! # Model
//! Placements are made and improved by a simple measure, and judged by the experiment itself:
//!
//! ```text
//!   bytes of each pair of ranks (placing/volumes.rs)
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
mod volumes;

use crate::engine::EngineSection;
use crate::run::unfinished::why_unfinished;
use crate::{Experiment, FileMapping, Mapping, MappingSection, Method, RunError, Scenario, Workload};
use search::Search;
use serde_json::json;
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;
use volumes::Volumes;
use weir_network::{Digest, interrupted_by};
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
    pub given: Judged,
    /// The best that was found; what was given, if nothing is faster.
    pub best: Judged,
    /// Way in which the best one was found, in words.
    pub how: &'static str,
    /// The node of each rank.
    pub nodes: Vec<NodeId>,
    /// Runs of the experiment.
    pub runs: usize,
}

/// Result of a run of a placement.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Judged {
    /// Simulated time.
    pub time: Time,
    /// Bytes times links, over all pairs of ranks.
    pub hop_bytes: u128,
    /// Fingerprint of the run.
    pub digest: Digest,
}

/// Why there is no advice.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PlacingError {
    /// The workload is an MPI program.
    #[error(
        "the workload is an MPI program: what its ranks exchange is known only when it runs\n\nhint: write it down with \
         weir log, and take workload.kind = \"profile\""
    )]
    Program,
    /// The workload is synthetic traffic.
    #[error("the workload is synthetic traffic, which nodes exchange: there are no ranks to place")]
    Synthetic,
    /// There is no machine with places.
    #[error("without a topology all places are alike\n\nhint: give a machine, as by --set machine=FILE")]
    NoMachine,
    /// The engine's method takes all nodes as alike.
    #[error(
        "engine.method must be incremental: others run what all nodes do alike\n\nhint: --set engine.method=incremental"
    )]
    Method,
    /// Nothing is sent from one rank to another.
    #[error("no rank sends anything to another: all placements are alike")]
    Silent,
    /// There are more messages than can be looked at.
    #[error(
        "the pattern has {0} messages; at most {most} are looked at\n\nhint: fewer repetitions exchange the same",
        most = Volumes::MOST_MESSAGES
    )]
    TooManyMessages(u64),
    /// There are more nodes than distances are kept for.
    #[error("the machine has {0} nodes; at most {most} are looked at", most = Search::MOST_NODES)]
    TooManyNodes(usize),
    /// A run does not come to its end; says why.
    #[error("the run does not come to its end: {0}")]
    Unfinished(String),
    /// A signal has come.
    #[error("interrupted")]
    Interrupted,
}

impl From<RunError> for PlacingError {
    fn from(error: RunError) -> Self {
        Self::Unfinished(error.to_string())
    }
}

/// One rank out of this number changes its place before a new search.
const MOVED_ONE_OF: usize = 24;

impl Scenario {
    /// A placement of the ranks of a pattern, a collective or a profile that takes less simulated time, if one is found. `watch` is called
    /// after each run with the number of runs and the best time.
    ///
    /// # Errors
    /// When there are no ranks to place, or the run of what is given does not come to its end.
    pub fn advise_placing(
        &self,
        request: PlacingRequest,
        watch: &mut dyn FnMut(usize, Time),
    ) -> Result<Placing, PlacingError> {
        let machine = self.placeable()?;
        let volumes = Volumes::of(self)?;
        let search = Search::new(&volumes, machine, self.mapping.ranks_per_node);
        let place = search.take(self.placement().nodes());
        let given = self.judge(&search, &place)?;
        watch(1, given.time);
        let seen = BTreeSet::from([search.nodes(&place)]);
        let best = Best { place: place.clone(), judged: given, how: "as given" };
        let mut trials =
            Trials { scenario: self, search: &search, most: request.runs, runs: 1, seen, best, watch };
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

    fn placeable(&self) -> Result<&Topology, PlacingError> {
        match self.workload.kind {
            Workload::Program(_) => return Err(PlacingError::Program),
            Workload::Synthetic(_) => return Err(PlacingError::Synthetic),
            _ => (),
        }
        if let EngineSection::Flow(flow) = &self.engine
            && !matches!(flow.method, Method::Auto | Method::Incremental)
        {
            return Err(PlacingError::Method);
        }
        let machine = self.machine.as_deref().filter(|_| !matches!(self.engine, EngineSection::Ideal(_)));
        let machine = machine.ok_or(PlacingError::NoMachine)?;
        if machine.nodes() > Search::MOST_NODES {
            return Err(PlacingError::TooManyNodes(machine.nodes()));
        }
        Ok(machine)
    }

    fn judge(&self, search: &Search<'_>, place: &[u32]) -> Result<Judged, PlacingError> {
        let kind = Mapping::File(FileMapping::of(PathBuf::from("advised"), search.nodes(place)));
        let mapping = MappingSection { kind, ..self.mapping.clone() };
        let mut resolved = self.resolved();
        resolved["mapping"] =
            json!({ "kind": "file", "file": "advised", "ranks_per_node": mapping.ranks_per_node });
        let experiment = Experiment { mapping, resolved, ..self.experiment.clone() };
        let placed = Self { experiment, placement: Arc::default(), pacing: Arc::default(), ..self.clone() };
        let report = placed.run(&mut |_| ())?;
        if interrupted_by().is_some() {
            return Err(PlacingError::Interrupted);
        }
        if let Some(why) = why_unfinished(&report.outcome) {
            return Err(PlacingError::Unfinished(why));
        }
        let (time, digest) = (report.summary.simulated, report.summary.digest);
        Ok(Judged { time, hop_bytes: search.hop_bytes(place), digest })
    }
}

struct Best {
    place: Vec<u32>,
    judged: Judged,
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
    fn try_out(&mut self, place: Vec<u32>, how: &'static str) -> Result<(), PlacingError> {
        if self.runs >= self.most || !self.seen.insert(self.search.nodes(&place)) {
            return Ok(());
        }
        self.runs += 1;
        let judged = self.scenario.judge(self.search, &place)?;
        if judged.time < self.best.judged.time {
            self.best = Best { place, judged, how };
        }
        (self.watch)(self.runs, self.best.judged.time);
        Ok(())
    }
}
