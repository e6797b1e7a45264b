//! What the processes of a run have sent each other: its part of a summary.

use serde_json::{Value, json};
use std::time::Duration;

/// What the first of several processes has sent to the others, and how long it has met them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MailCounts {
    /// How often processes have met between windows.
    pub meetings: u64,
    /// Packets, credits, messages that set out or have been delivered, reports.
    pub things: u64,
    /// Their bytes.
    pub bytes: u64,
    /// How long it was in these meetings, on the clock on the wall: waiting for the others, most of all.
    pub waited: Duration,
}

impl MailCounts {
    pub(crate) fn to_json(self) -> Value {
        let Self { meetings, things, bytes, waited } = self;
        json!({ "meetings": meetings, "things": things, "bytes": bytes, "waited_s": waited.as_secs_f64() })
    }
}
