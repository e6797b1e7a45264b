//! Placement, limits and watch: inputs of an engine beside the programs.

use crate::causes::SoFar;
use std::sync::atomic::{AtomicI32, Ordering};
use std::time::{Duration as WallTime, Instant};
use weir_units::{Bytes, NodeId, Rank, Time};

/// The mapping worked out: the node of each rank. Several ranks may share a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placement {
    node_of: Vec<NodeId>,
}

impl Placement {
    /// Rank `r` runs on `node_of[r]`.
    pub const fn new(node_of: Vec<NodeId>) -> Self {
        Self { node_of }
    }

    /// One rank on each of so many nodes, rank = node.
    pub fn one_per_node(nodes: usize) -> Self {
        Self::new((0..nodes).map(NodeId::new).collect())
    }

    /// The node of a rank.
    ///
    /// # Panics
    /// When there is no such rank.
    pub fn node(&self, rank: Rank) -> NodeId {
        self.node_of[rank.index()]
    }

    /// Number of ranks.
    pub fn ranks(&self) -> usize {
        self.node_of.len()
    }

    /// The most ranks that one node has.
    pub fn most_on_a_node(&self) -> usize {
        let mut nodes = self.node_of.clone();
        nodes.sort_unstable();
        nodes.chunk_by(|one, next| one == next).map(<[NodeId]>::len).max().unwrap_or(0)
    }

    /// The nodes in rank order.
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
    pub fn wall_is_over(&self, started: std::time::Instant) -> Option<String> {
        if let Some(signal) = crate::interrupted_by() {
            return Some(crate::machine::in_words(signal));
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

/// The signal that has asked; 0: none has.
static SIGNAL: AtomicI32 = AtomicI32::new(0);

/// Asks all runs in this process to end as by a limit, for a signal of the system. Returns whether this is the first to ask.
/// May be called by a handler of signals.
pub fn interrupt(signal: i32) -> bool {
    SIGNAL.compare_exchange(0, signal, Ordering::AcqRel, Ordering::Acquire).is_ok()
}

/// The signal by which this process has been asked to end, if it has been.
#[inline]
pub fn interrupted_by() -> Option<i32> {
    match SIGNAL.load(Ordering::Relaxed) {
        0 => None,
        signal => Some(signal),
    }
}

/// Takes back what [`interrupt`] has asked for, once no run is left of those that were asked: for a process that goes on to others.
pub fn forget_interruption() {
    SIGNAL.store(0, Ordering::Release);
}

/// The limit that an interruption is, in words.
pub(crate) fn in_words(signal: i32) -> String {
    match signal {
        2 => "interrupted by SIGINT".into(),
        15 => "interrupted by SIGTERM".into(),
        other => format!("interrupted by signal {other}"),
    }
}

/// When a run in windows looks at the clock on the wall: after so many steps that it costs nothing, and so few that a limit holds
/// also where a step takes long. A step is a window, or less.
#[derive(Debug)]
pub struct Looks {
    last: Instant,
    /// After this step, and after how many more behind it; at most so many.
    next: u64,
    every: u64,
    most: u64,
}

impl Default for Looks {
    /// The first one after the first step.
    fn default() -> Self {
        Self { last: Instant::now(), next: 0, every: 1, most: 256 }
    }
}

impl Looks {
    const OFTEN: WallTime = WallTime::from_millis(50);

    /// For steps that are events, counted from one. The first event is followed by a look: building the machine may have taken all the
    /// time there is.
    pub(crate) fn of_events() -> Self {
        Self { next: 1, most: 4096, ..Self::default() }
    }

    /// Returns whether to look after this step, counted from zero, and plans the next look.
    #[inline]
    pub fn are_due(&mut self, step: u64) -> bool {
        let is_due = self.is_due(step);
        if is_due {
            self.plan(step);
        }
        is_due
    }

    #[inline]
    pub(crate) fn is_due(&self, step: u64) -> bool {
        step >= self.next
    }

    /// Plans the next look after one at this step.
    pub(crate) fn plan(&mut self, step: u64) {
        let now = Instant::now();
        let quick = now.duration_since(self.last) < Self::OFTEN;
        self.every = if quick { (2 * self.every).min(self.most) } else { (self.every / 4).max(1) };
        (self.last, self.next) = (now, step + self.every);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ops::Range;
    #[test]
    fn signals_have_names() {
        let words = [2, 15, 7].map(super::in_words);
        assert_eq!(words, ["SIGINT", "SIGTERM", "signal 7"].map(|name| format!("interrupted by {name}")));
    }

    /// While windows are quick the clock is looked at after twice as many each time, up to 256; where one takes long, after a
    /// quarter of them.
    #[test]
    fn looks_at_the_clock() {
        let mut looks = Looks::default();
        let mut due = |turns: Range<u64>, ago: WallTime| -> Vec<u64> {
            let is_due = |&turn: &u64| {
                // In the future: nothing is quicker.
                looks.last = Instant::now() + WallTime::from_secs(3600) - ago;
                looks.are_due(turn)
            };
            turns.filter(is_due).collect()
        };
        let (quick, slow) = (WallTime::ZERO, WallTime::from_secs(3601));
        assert_eq!(due(0..1200, quick), [0, 2, 6, 14, 30, 62, 126, 254, 510, 766, 1022]);
        // Due at 1278: 64 more, 16 more and so on, and one more each time in the end.
        assert_eq!(due(1200..1370, slow), [1278, 1342, 1358, 1362, 1363, 1364, 1365, 1366, 1367, 1368, 1369]);
        assert_eq!(due(1370..1390, quick), [1370, 1372, 1376, 1384]);
    }
}
