//! Results of a run that are kept by those who make many.

use crate::Report;
use serde_json::Value;
use std::time::Duration;
use weir_network::{Digest, Outcome, Traffic};
use weir_record::{SkeletonCounts, StuckChannel};
use weir_units::{Rank, Time};

/// Results of a run that are kept by those who make many, each in a process of its own if need be.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct Condensed {
    /// The way in which it ended.
    pub outcome: Outcome,
    /// Ranks that ended with something other than 0, in the order of ending.
    pub exit_codes: Vec<(Rank, i32)>,
    /// Number of ranks.
    pub ranks: usize,
    /// The instant the run got to.
    pub simulated: Time,
    /// Time on the clock on the wall.
    pub wall: Duration,
    /// Processor time of the thread that ran it, in seconds; `None` where the system does not report it.
    pub processor_s: Option<f64>,
    /// Messages and bytes that were carried.
    pub traffic: Traffic,
    /// Fingerprint of all events in their order.
    pub digest: Digest,
    /// Counts of MPI programs that let time pass for code left out.
    pub skeleton: Option<SkeletonCounts>,
    /// Ranks of an MPI program that ended without a call of MPI.
    pub without_mpi: usize,
    /// Virtual channels whose packets wait for each other.
    pub stuck: Vec<StuckChannel>,
    /// The object of `summary.json`.
    pub summary: Value,
}

impl Condensed {
    /// The results that are kept of a run that took so much processor time.
    #[must_use]
    pub fn new(report: Report, processor_s: Option<f64>) -> Self {
        let Report { summary, outcome, exit_codes, .. } = report;
        Self {
            outcome,
            exit_codes,
            ranks: summary.ranks,
            simulated: summary.simulated,
            wall: summary.wall,
            processor_s,
            traffic: summary.traffic.clone(),
            digest: summary.digest,
            summary: summary.to_json(),
            skeleton: summary.skeleton,
            without_mpi: summary.program.map_or(0, |program| program.without_mpi),
            stuck: summary.counts.stuck().to_vec(),
        }
    }
}
