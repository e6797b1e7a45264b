//! Runs of synthetic traffic, and their results.

use crate::counts::Counts;
use crate::counts::Left;
use crate::destinations::Destinations;
use crate::draws::Draws;
use crate::network::PacketNetwork;
use crate::parts::Worker;
use crate::routers::{MeasuredPeriod, Measurement};
use crate::shared::{Homes, Shared};
use crate::sources::Sources;
use crate::stuck::StuckChannel;
use crate::watched::run_all;
use crate::{Latencies, Synthetic};
use serde::{Deserialize, Serialize};
use weir_network::{Digest, Limits, Outcome, RunContext};
use weir_pdes::{Gathering, ProcessCounts, make_all};
use weir_units::Time;

/// Result of a run with synthetic traffic.
#[derive(Clone, Debug)]
pub struct SyntheticEnded {
    /// Finished, a limit, or a deadlock of the network.
    pub outcome: Outcome,
    /// The end of the measured time, or where it stopped before.
    pub until: Time,
    /// Fingerprint of all packets that have arrived.
    pub digest: Digest,
    /// Load that nodes offered in the measured time, as a part of what injection links can carry.
    pub offered_load: f64,
    /// Load that arrived in the measured time, as a part of what injection links can carry.
    pub accepted_load: f64,
    /// True if less than 95 % of what was offered arrived.
    pub saturated: bool,
    /// Latencies of packets that arrived in the measured time, from when they were made; in units of 256 ps, more
    /// if a packet takes longer than 65 ns.
    pub generation_latency: Latencies,
    /// Latency and links of the measured time; packets, hops and windows of the whole run.
    pub counts: Counts,
    /// If the network is stuck: virtual channels that wait for each other.
    pub stuck: Option<Vec<StuckChannel>>,
    /// The processes that have run it.
    pub processes: ProcessCounts,
}

impl PacketNetwork {
    /// Runs synthetic traffic from its beginning to the end of the measured time. The result does not depend on threads and
    /// processes; it is whole on the first process only. Nodes send through their first interface. A recorder gets no messages;
    /// links are sampled from the end of the warm-up on, as they are counted.
    ///
    /// # Panics
    /// When the load is not above 0 and at most 1, when a packet is larger than the MTU, or when the pattern does not fit
    /// the number of nodes, or their numbers at routers.
    pub fn run_synthetic(&self, traffic: &Synthetic, context: RunContext<'_>) -> SyntheticEnded {
        let requested = context.requested();
        let (asked, limits) = (context.limits, Self::within(context.limits));
        let division = self.division_of(&context);
        let mut memory = Shared::memory(self, division);
        let shared = Shared::new(&mut memory, self, division, Homes::WithRouters);
        let shared = shared.ready_for(requested.as_ref(), &RunContext::without_ranks(), self.labels());
        let from = Time::ZERO + traffic.warmup;
        let end = (from + traffic.duration).min(limits.simulated);
        let destinations = Destinations::new(self, traffic.pattern, traffic.seed);
        let draws = Draws::new(self, traffic, &destinations);
        let counted = MeasuredPeriod { from: from.as_ps(), last: end.as_ps().saturating_sub(1) };
        let kept = Measurement { counted, requested: requested.as_ref() };
        let worker =
            |part| Worker::new(self, &shared, part, Sources::new(self, &shared, part, draws, kept), kept);
        let mut workers = make_all(division.here().collect(), self.helpers(division), worker);
        let (here, others) = workers.split_first_mut().expect("there is at least one part");
        let context = RunContext { console: None, ranks: None, ..context };
        let (left, mut gathering) = run_all(here, others, limits, &[], None, context);
        let (routers, sources): (Vec<_>, Vec<_>) =
            workers.into_iter().map(|worker| (worker.routers.end(), worker.endpoints)).unzip();
        // The end of the last window, in picoseconds, and whether something would happen after the end.
        let reached = sources.iter().map(|sources| sources.reached).max().unwrap_or(0);
        let progress = (reached, sources.iter().any(|sources| sources.over));
        let progress = gathering.join(progress, |one, other| (one.0.max(other.0), one.1 || other.1));
        let (reached, over) = gathering.spread(progress).unwrap_or_default();
        let Left { mut limit, stuck, .. } = left.clone();
        let stuck = stuck.filter(|_| !over && limit.is_none());
        let until = match (&limit, &stuck) {
            (Some(_), _) => Time::from_ps(reached).min(end),
            (None, Some(_)) => left.last.min(end),
            (None, None) => end,
        };
        // What is counted of all links needs room, and buffers are not needed any more.
        drop(shared);
        drop(memory);
        let counts = SourceCounts { counts: Counts::gather(self, &left, routers), ..SourceCounts::default() };
        let own = sources.into_iter().fold(counts, |counts, sources| sources.count(until, counts));
        let mut sums = own.gather(&mut gathering).unwrap_or_default();
        sums.counts.remaining = if stuck.is_some() { left.in_buffers } else { 0 };
        if limit.is_none() && stuck.is_none() {
            limit = self.limit_of_time(traffic, asked);
        }
        let outcome = match (limit, &stuck) {
            (Some(limit), _) => Outcome::Limit(limit),
            (None, Some(_)) => Outcome::Deadlock(Vec::new()),
            (None, None) => Outcome::Finished,
        };
        self.synthetic_ended(traffic, Ending { outcome, until, stuck, processes: gathering.counts }, sums)
    }

    /// The limit of simulated time, in words, if that ends traffic before all is measured.
    pub(crate) fn limit_of_time(&self, traffic: &Synthetic, asked: Limits) -> Option<String> {
        let limits = Self::within(asked);
        let ends = limits.simulated < Time::ZERO + traffic.warmup + traffic.duration;
        let limit = ends.then(|| limits.simulated_is_over(Time::MAX)).flatten()?;
        Some(Self::limit_in_words(limit, asked, limits.simulated))
    }

    /// The result of synthetic traffic that has ended, from what all nodes and routers have counted.
    pub(crate) fn synthetic_ended(
        &self,
        traffic: &Synthetic,
        Ending { outcome, until, stuck, processes }: Ending,
        SourceCounts { counts, generation_latency, digest, offered, accepted }: SourceCounts,
    ) -> SyntheticEnded {
        let from = Time::ZERO + traffic.warmup;
        // The first injection links of all nodes together, in bytes per second.
        let first = self.nics.iter().step_by(self.nics_per_node as usize);
        let injection: f64 =
            first.map(|nic| self.wires[nic.wire as usize].speed.bandwidth().bytes_per_second()).sum();
        let [offered_load, accepted_load] = [offered, accepted].map(|bytes| {
            let time = until.max(from).since(from).as_secs_f64();
            let carried = injection * time;
            if carried > 0.0 { bytes as f64 / carried } else { 0.0 }
        });
        SyntheticEnded {
            outcome,
            until,
            digest: Digest(digest),
            offered_load,
            accepted_load,
            saturated: accepted_load < 0.95 * offered_load,
            generation_latency,
            counts,
            stuck,
            processes,
        }
    }
}

/// The end of traffic.
pub(crate) struct Ending {
    pub(crate) outcome: Outcome,
    pub(crate) until: Time,
    pub(crate) stuck: Option<Vec<StuckChannel>>,
    pub(crate) processes: ProcessCounts,
}

#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct SourceCounts {
    pub(crate) counts: Counts,
    pub(crate) generation_latency: Latencies,
    pub(crate) digest: u64,
    /// Bytes of the measured time.
    pub(crate) offered: u64,
    pub(crate) accepted: u64,
}

impl SourceCounts {
    /// Puts together what all processes have counted, in the first one.
    fn gather(mut self, gathering: &mut Gathering<'_>) -> Option<Self> {
        let links = self.counts.links_to_send(gathering.is_first());
        let joined = gathering.join((self, links), |(one, links), (other, others)| {
            let mut joined = one.join(other);
            joined.counts.add_links(&others);
            (joined, links)
        });
        joined.map(|(joined, _)| joined)
    }

    pub(crate) fn join(mut self, other: Self) -> Self {
        self.counts.join(&other.counts);
        self.generation_latency.join(&other.generation_latency);
        self.digest = self.digest.wrapping_add(other.digest);
        self.offered += other.offered;
        self.accepted += other.accepted;
        self
    }
}
