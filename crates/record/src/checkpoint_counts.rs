//! Cost of checkpoints: their part of a summary.

use crate::seconds::seconds;
use serde::Serialize;
use std::time::Duration;
use weir_units::Time;

/// The checkpoints of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct CheckpointCounts {
    /// Number of checkpoints that were written.
    pub written: u64,
    /// The size of the last one.
    pub bytes: u64,
    /// Time that writing took, all together; the run stood still meanwhile.
    #[serde(rename = "took_s", serialize_with = "seconds")]
    pub took: Duration,
    /// From where in simulated time the run went on; `None` if it began at its beginning.
    #[serde(rename = "resumed_ps")]
    pub resumed: Option<Time>,
    /// True if there is one from which the run can go on.
    #[serde(skip)]
    pub is_left: bool,
}
