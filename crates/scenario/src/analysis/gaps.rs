//! Gaps between the packets of messages.

use std::sync::Arc;
use weir_units::{Bytes, Duration};
use weir_workload::{Gap, Pattern, WithGaps};
/// The gaps of all messages of a pattern.
#[derive(Clone, Debug)]
pub struct Pacing {
    /// The margin that is in them.
    pub margin: f64,
    /// Messages with the same gap together, the largest gap first.
    pub classes: Vec<GapClass>,
    /// Turns, see the module.
    pub turns: u32,
    /// Time of the messages if each gets its fair rate, turn by turn: the best that pacing can reach.
    pub expected: Duration,
    /// The link that most messages share at a time, and how many.
    pub busiest: Option<(String, usize)>,
    pub(super) gaps: Arc<Vec<Vec<Option<Gap>>>>,
}

/// Messages with the same gap.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GapClass {
    /// Bandwidth of the interface over the fair rate: among how many the slowest link of the route is shared.
    pub share: f64,
    /// Without margin, to end with the slowest message of the turn: share - 1 at least.
    pub exact: f64,
    /// With the margin; 0 where no message of the turn has to share.
    pub gap: f64,
    /// Number of messages.
    pub messages: u64,
    /// Their bytes.
    pub bytes: Bytes,
}

impl Pacing {
    /// Most messages that are looked at; each takes about 100 bytes while it is.
    pub const MOST_MESSAGES: u64 = 20_000_000;
    /// The margin, unless said: a load of 92.6 %. With 0.01 and 0.02 the small model of paper 004 falls back into congestion;
    /// with none all its packets fall into step.
    pub const MARGIN: f64 = 0.08;

    /// The largest gap, 0 without messages: with this one for all messages no link is loaded beyond the margin either.
    pub fn largest(&self) -> f64 {
        self.classes.first().map_or(0.0, |class| class.gap)
    }

    pub(crate) fn gaps(&self) -> &[Vec<Option<Gap>>] {
        &self.gaps
    }

    pub(crate) fn on(&self, pattern: Pattern) -> Pattern {
        Pattern(Arc::new(WithGaps::new(pattern, Arc::clone(&self.gaps))))
    }
}
