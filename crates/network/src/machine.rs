//! Placement, limits and watch: inputs of an engine beside the programs.

use crate::causes::SoFar;
use weir_units::{Bytes, NodeId, Rank, Time};

/// The mapping worked out: the node of each rank. Several ranks may share a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placement {
    node_of: Vec<NodeId>,
}

impl Placement {
    /// Rank `r` runs on `node_of[r]`.
    #[must_use]
    pub const fn new(node_of: Vec<NodeId>) -> Self {
        Self { node_of }
    }

    /// One rank on each of so many nodes, rank = node.
    #[must_use]
    pub fn one_per_node(nodes: usize) -> Self {
        Self::new((0..nodes).map(NodeId::new).collect())
    }

    /// The node of a rank.
    ///
    /// # Panics
    /// When there is no such rank.
    #[must_use]
    pub fn node(&self, rank: Rank) -> NodeId {
        self.node_of[rank.index()]
    }

    /// Number of ranks.
    #[must_use]
    pub fn ranks(&self) -> usize {
        self.node_of.len()
    }

    /// The nodes in rank order.
    #[must_use]
    pub fn nodes(&self) -> &[NodeId] {
        &self.node_of
    }
}

/// When to give up.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The run ends with a limit before the first event after this instant.
    pub simulated: Time,
    /// The run ends with a limit after this much time of the clock on the wall.
    pub wall: std::time::Duration,
    /// The part of it that has passed before the engine begins: while the machine was built.
    pub spent: std::time::Duration,
}

impl Limits {
    /// In words, if an event at `next` would be beyond the simulated time.
    #[must_use]
    pub fn simulated_is_over(&self, next: Time) -> Option<String> {
        if next > self.simulated {
            Some(format!("limits.simulated_time = {} is over", self.simulated))
        } else if next == Time::MAX {
            Some("the simulated time exceeds 213 days (2^64 ps)".into())
        } else {
            None
        }
    }

    /// In words, if a run that began at `started` has taken all its wall-clock time, or if this process has been asked to
    /// end.
    #[must_use]
    pub fn wall_is_over(&self, started: std::time::Instant) -> Option<String> {
        if let Some(signal) = crate::interrupted_by() {
            return Some(crate::interruption::in_words(signal));
        }
        let over = started.elapsed().saturating_add(self.spent) > self.wall;
        over.then(|| self.wall_in_words())
    }

    /// The limit of wall-clock time, when it is over, in words.
    pub(crate) fn wall_in_words(&self) -> String {
        format!("limits.wall_time = {} s is over", self.wall.as_secs_f64())
    }
}

impl Default for Limits {
    /// None but the end of representable time.
    fn default() -> Self {
        Self { simulated: Time::MAX, wall: std::time::Duration::MAX, spent: std::time::Duration::ZERO }
    }
}

/// Progress of a run.
#[derive(Clone, Copy, Debug, Default)]
pub struct Progress {
    /// Simulated time.
    pub now: Time,
    /// Data messages that have arrived.
    pub messages: u64,
    /// Their bytes.
    pub bytes: Bytes,
    /// Events delivered so far.
    pub events: u64,
    /// The work that is done before the first event, if there has been none.
    pub stage: Option<Stage>,
    /// Causes of the time of all ranks, now and then, where that is [shown](crate::RunContext::showing_causes).
    pub causes: Option<SoFar>,
}

/// Something that is done before the first event of a run, and takes its time on a large machine.
#[derive(Clone, Copy, Debug)]
pub struct Stage {
    /// Its name: "the topology is being built".
    pub what: &'static str,
    /// Limits of the run.
    pub limits: Limits,
    /// When the wall-clock time of these limits began.
    pub since: std::time::Instant,
}

impl From<Stage> for Progress {
    fn from(stage: Stage) -> Self {
        Self { stage: Some(stage), ..Self::default() }
    }
}

/// Called every few thousand events with how far the run is.
pub type Watch<'a> = &'a mut (dyn FnMut(Progress) + std::marker::Send);
