//! Results of an engine, before they are summed up.

use serde::Serialize;
use serde::de::DeserializeOwned;
use weir_network::{Digest, Ended, JobWaits, Latencies, Outcome, Program, Traffic};
use weir_pdes::ProcessCounts;
use weir_record::{CycleRow, EngineCounts, GpuUse, JobCounts, LinkTraffic, LinkUse};
use weir_units::{Duration, Time};

/// A program whose state can be in a checkpoint.
pub(crate) trait Saved: Program<Body: Serialize + DeserializeOwned> {}

impl<P: Program<Body: Serialize + DeserializeOwned>> Saved for P {}

/// Result of an engine.
pub(crate) struct Ran {
    pub(crate) ended: Ended,
    /// The instant the run got to: later than the last event where a limit ended it between two events.
    pub(crate) until: Time,
    pub(crate) link_use: LinkUse,
    pub(crate) counts: EngineCounts,
    pub(crate) threads: usize,
    pub(crate) cycles: Vec<CycleRow>,
    /// The time in which links were looked at: of synthetic traffic less than the whole.
    pub(crate) measured: Duration,
    pub(crate) carried: LinkTotals,
    pub(crate) packet_latency: Option<Latencies>,
    pub(crate) replayed: Option<f64>,
    /// Time of each repetition of a collective at the rank that took longest.
    pub(crate) repetitions: Vec<Duration>,
    /// Counts of each of several jobs.
    pub(crate) jobs: Vec<JobCounts>,
    /// For whom the messages of each job waited at links, if that was asked for.
    pub(crate) waits: JobWaits,
    pub(crate) processes: ProcessCounts,
    /// The GPU that has run it, if one has.
    pub(crate) gpu: Option<GpuUse>,
    /// Warnings about what the engine could not see of this run, in sentences.
    pub(crate) warnings: Vec<String>,
}

impl Ran {
    pub(crate) fn not_begun(limit: &str) -> Self {
        let outcome = Outcome::Limit(format!("{limit}: the machine was not built to its end"));
        Self::without_links(ended(outcome, Time::ZERO, Traffic::default(), Digest(0)))
    }

    /// The result of a run that has counted nothing on links.
    pub(crate) fn without_links(ended: Ended) -> Self {
        Self {
            until: ended.at,
            ended,
            link_use: LinkUse::default(),
            counts: EngineCounts::None,
            threads: 1,
            cycles: Vec::new(),
            measured: Duration::ZERO,
            carried: LinkTotals::Unknown,
            packet_latency: None,
            replayed: None,
            repetitions: Vec::new(),
            jobs: Vec::new(),
            waits: JobWaits::default(),
            processes: ProcessCounts { processes: 1, ..ProcessCounts::default() },
            gpu: None,
            warnings: Vec::new(),
        }
    }
}

/// The end of a run that follows no ranks.
pub(crate) fn ended(outcome: Outcome, at: Time, traffic: Traffic, digest: Digest) -> Ended {
    let (latency, services) = (Latencies::default(), Vec::new());
    Ended { outcome, at, traffic, digest, latency, services, causes: None }
}

pub(crate) enum LinkTotals {
    Unknown,
    /// Bytes, and the most flows that shared the link at a time; and how many wires the links of nodes have.
    Flows(Vec<f64>, Vec<u32>, u32),
    /// Traffic of the wires of each link together, and the number of wires of the links of nodes.
    Packets(Vec<LinkTraffic>, u32),
}
