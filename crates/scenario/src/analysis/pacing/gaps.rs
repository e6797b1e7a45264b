//! The gaps that pacing finds, and why it finds none.

use std::sync::Arc;
use weir_message::MpiError;
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

/// Why there is no advice.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PacingError {
    /// Messages are striped over several interfaces.
    #[error("node.stripe is above 1: the gap of a message is found for the one interface that sends it")]
    Striped,
    /// Interfaces are not taken in turn, or are at several routers.
    #[error(
        "nodes have several cables, or node.choose is another rule than \"round-robin\": gaps are found for interfaces of one \
         router that messages take in turn"
    )]
    Chosen,
    /// The workload is an MPI program.
    #[error(
        "the workload is an MPI program: what it sends is known only when it runs\n\nhint: write it down with weir \
         log, and take workload.kind = \"profile\""
    )]
    Program,
    /// The workload is a profile of which the messages cannot be known; says why.
    #[error("what the profile sends is not known: {0}")]
    Profile(MpiError),
    /// The workload is synthetic traffic.
    #[error("the workload is synthetic traffic: its rate is workload.offered_load already")]
    Synthetic,
    /// The engine has no packets.
    #[error(
        "only the packet engine has gaps between packets; write engine.kind = \"packet\", or --set \
         engine.kind=packet"
    )]
    NoPackets,
    /// There are more messages than can be looked at.
    #[error("the pattern has {0} messages; at most {most} are looked at", most = Pacing::MOST_MESSAGES)]
    TooManyMessages(u64),
}

impl Pacing {
    /// Most messages that are looked at; each takes about 100 bytes while it is.
    pub const MOST_MESSAGES: u64 = 20_000_000;
    /// The margin, unless said: a load of 92.6 %. With 0.01 and 0.02 the small model of paper 004 falls back into congestion;
    /// with none all its packets fall into step.
    pub const MARGIN: f64 = 0.08;

    /// The largest gap, 0 without messages: with this one for all messages no link is loaded beyond the margin either.
    #[must_use]
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
