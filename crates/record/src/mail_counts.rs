//! Mail between the processes of a run: its part of a summary.

use crate::seconds::seconds;
use serde::Serialize;
use std::time::Duration;

/// Mail that the first of several processes has sent to the others.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct MailCounts {
    /// Number of times that processes have met between windows.
    pub meetings: u64,
    /// Packets, credits, messages that set out or have been delivered, reports.
    pub things: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Time in these meetings, on the clock on the wall: waiting for the others, most of all.
    #[serde(rename = "waited_s", serialize_with = "seconds")]
    pub waited: Duration,
}
