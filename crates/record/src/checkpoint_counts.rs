//! What checkpoints have cost: their part of a summary.

use serde_json::{Value, json};
use std::time::Duration;
use weir_units::Time;

/// The checkpoints of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CheckpointCounts {
    /// How many were written.
    pub written: u64,
    /// The size of the last one.
    pub bytes: u64,
    /// How long writing took, all together; the run stood still meanwhile.
    pub took: Duration,
    /// From where in simulated time the run went on; `None` if it began at its beginning.
    pub resumed: Option<Time>,
    /// Whether there is one from which the run can go on.
    pub is_left: bool,
}

impl CheckpointCounts {
    pub(crate) fn to_json(self) -> Value {
        let Self { written, bytes, took, resumed, .. } = self;
        json!({
            "written": written,
            "bytes": bytes,
            "took_s": took.as_secs_f64(),
            "resumed_ps": resumed.map(Time::as_ps),
        })
    }
}
