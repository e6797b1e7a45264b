//! What a run will take: memory, messages, packets, time. Known before it, but for the time, which its beginning shows.
//!
//! # Model
//! A run takes as long as its beginning lets expect: it is begun, ended by the clock on the wall, and the share of its work
//! that has been done by then is compared with the time. Work is packet-hops on the packet engine, and bytes on links on the
//! flow engine, whose numbers follow from the routes; messages without links; simulated time for synthetic traffic; events
//! for a profile. Rates that were measured on other
//! experiments would not do: on the flow engine a message costs from 0.1 µs to 1 ms, by who shares links with whom
//! (docs/decisions/0027-budget.md).

use crate::engine::WorkFacts;
use crate::run::memory::{available, shortage};
use crate::run::options::Variation;
use crate::run::peak_memory::peak_memory_bytes;
use crate::{PacketSection, Report, RunError, Scenario, Workload};
use serde_json::{Value, json};
use std::time::{Duration as WallTime, Instant};
use weir_network::{Outcome, Progress, Stage, Watch};
use weir_units::{Bytes, Duration, Rank, Time};
use weir_workload::{Counted, Entry, Order, Pattern};

/// How long the beginning of a run is from which the whole is estimated.
const BEGINNING: WallTime = WallTime::from_secs(1);
/// If nothing has been done by then.
const LONGER: WallTime = WallTime::from_secs(8);
/// The most ranks, and the most messages of each, whose routes are followed to count packet-hops.
const MOST_RANKS: usize = 4096;
const MOST_OF_RANK: u64 = 64;

/// What a run takes.
#[derive(Clone, Debug, PartialEq)]
pub struct Budget {
    /// Messages and their bytes; `None` where only the run shows it.
    pub messages: Option<(u64, Bytes)>,
    /// Packets, and the routers that they pass all together; `None` on other engines, and where only the run shows it. From a
    /// sample of the messages where there are many.
    pub packets: Option<Packets>,
    /// What it takes surely; the most that this process has taken so far, if that is more.
    pub memory: Bytes,
    /// What there is, as far as the system says; `limits.memory` if that is less.
    pub available: Option<Bytes>,
    /// How long the check has taken, with building the machine.
    pub building: WallTime,
    /// The share of the work that was done when the beginning ended, above 0 to 1; `None` where nothing was run, or done.
    pub done: Option<f64>,
    /// How long all takes, building included, on the clock on the wall; `None` where that is not known.
    pub wall: Option<WallTime>,
}

/// Packets of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Packets {
    /// How many packets are sent to other nodes.
    pub packets: u64,
    /// Routers that they pass, each with the link behind it; `None` of synthetic traffic, whose destinations are drawn.
    pub hops: Option<u64>,
}

impl Budget {
    /// The object of `weir run --dry-run --json`; times in seconds.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let packets = self.packets;
        json!({
            "messages": self.messages.map(|(messages, _)| messages),
            "bytes": self.messages.map(|(_, bytes)| bytes.0),
            "packets": packets.map(|packets| packets.packets),
            "packet_hops": packets.and_then(|packets| packets.hops),
            "memory_bytes": self.memory.0,
            "memory_available_bytes": self.available.map(|available| available.0),
            "building_s": self.building.as_secs_f64(),
            "done": self.done,
            "wall_s": self.wall.map(|wall| wall.as_secs_f64()),
        })
    }
}

impl Scenario {
    /// What a run takes. Runs its beginning, for a second or, where nothing is done by then, for eight; but no MPI program,
    /// which might write files. Writes nothing.
    ///
    /// # Errors
    /// When there is surely not enough memory, or the run cannot begin.
    pub fn budget(&self, watch: Watch<'_>) -> Result<Budget, RunError> {
        self.check_memory()?;
        let routes = self.routes();
        let mut budget = Budget {
            messages: self.pattern.as_deref().map(|pattern| (pattern.messages(), pattern.bytes_total())),
            packets: self.packets(routes),
            memory: Bytes(self.least_memory()),
            available: [available(), self.limits.memory.map(|most| most.0)]
                .into_iter()
                .flatten()
                .min()
                .map(Bytes),
            building: self.spent,
            done: None,
            wall: None,
        };
        if self.workload.kind.is_program() || self.prepared.is_err() {
            return Ok(budget);
        }
        let begin = |one_of| Variation { ends_after: Some(BEGINNING), one_of, ..Variation::default() };
        let mut measured = self.measure(begin(None), routes, watch)?;
        if measured.done == 0.0 {
            let variation = Variation { ends_after: Some(LONGER), ..Variation::default() };
            measured = self.measure(variation, routes, watch)?;
        }
        if measured.done > 0.0 && measured.done < 1.0 && self.can_be_thinned() {
            // A beginning need not be like the rest: in an all-to-all messages may go farther and farther.
            let one_of = (measured.run.as_secs_f64() / BEGINNING.as_secs_f64()).ceil();
            measured = self.measure(
                Variation { ends_after: Some(LONGER), ..begin(Some(one_of as u64)) },
                routes,
                watch,
            )?;
        }
        budget.memory = budget.memory.max(Bytes(peak_memory_bytes().unwrap_or(0)));
        if measured.done > 0.0 {
            budget.done = Some(measured.done);
            budget.wall = measured.run.checked_add(self.spent + measured.before);
        }
        Ok(budget)
    }

    /// Runs a part of the run, and looks how long that takes.
    fn measure(
        &self,
        variation: Variation,
        routes: Option<Routes>,
        watch: Watch<'_>,
    ) -> Result<Measured, RunError> {
        let start = Instant::now();
        let (mut first, mut half) = (None, None);
        let report = self.run_once(variation, None, &mut |progress| {
            if progress.events > 0 {
                let first = *first.get_or_insert_with(|| start.elapsed());
                if start.elapsed() - first > BEGINNING / 2 {
                    half.get_or_insert_with(|| (start.elapsed(), progress.now));
                }
            }
            // That the piece ends is no limit of the experiment.
            let stage = progress.stage.map(|stage| Stage { limits: self.limits(), ..stage });
            watch(Progress { stage, ..progress });
        })?;
        let elapsed = start.elapsed();
        let before = first.unwrap_or(WallTime::ZERO);
        let done = match report.outcome {
            Outcome::Limit(_) => self.done(&report, routes).unwrap_or(0.0),
            _ if variation.one_of.is_some() => self.done(&report, routes).unwrap_or(0.0),
            _ => 1.0,
        };
        // Of synthetic traffic the last half of the beginning is like the rest: in the first half memory is touched for the
        // first time, and the network fills.
        let run = match (half, &self.workload.kind) {
            (Some((at, now)), Workload::Synthetic(_)) if done > 0.0 && done < 1.0 => {
                let simulated = report.summary.simulated.since(Time::ZERO).as_secs_f64();
                let lasts = simulated - now.since(Time::ZERO).as_secs_f64();
                let rest = (elapsed - at).as_secs_f64() / lasts * simulated * (1.0 - done) / done;
                elapsed - before + WallTime::try_from_secs_f64(rest).unwrap_or(WallTime::MAX)
            }
            _ if done > 0.0 => {
                WallTime::try_from_secs_f64((elapsed - before).as_secs_f64() / done).unwrap_or(WallTime::MAX)
            }
            _ => WallTime::MAX,
        };
        Ok(Measured { done, before, run })
    }

    /// Whether some of its messages can be left out, and the rest takes as much less.
    fn can_be_thinned(&self) -> bool {
        self.engine.engine().lists_cycles() && self.pattern.as_deref().is_some_and(Order::only_sends)
    }

    /// Refuses a run that takes more memory or time than `[limits]` allows, if it says so.
    pub(crate) fn check_budget(&self, watch: Watch<'_>) -> Result<(), RunError> {
        let limits = &self.limits;
        if (limits.memory.is_none() && limits.expected_wall_time.is_none()) || self.workload.kind.is_program()
        {
            return Ok(());
        }
        let budget = self.budget(watch)?;
        self.allows(&budget)
    }

    /// Whether `[limits]` allows so much.
    ///
    /// # Errors
    /// What is too much, and how much would do.
    pub fn allows(&self, budget: &Budget) -> Result<(), RunError> {
        let limits = &self.limits;
        if let Some(shortage) = shortage(budget.memory.0, limits.memory) {
            return Err(RunError::Budget(format!("the run takes {shortage}")));
        }
        let Some(most) = limits.expected_wall_time else { return Ok(()) };
        let hint = "hint: take a smaller workload or machine, another engine, or a longer time";
        match budget.wall.map(|wall| Duration::from_secs_f64(wall.as_secs_f64())) {
            Some(Some(wall)) if wall <= most => Ok(()),
            Some(Some(wall)) => Err(RunError::Budget(format!(
                "the run is expected to take {wall}; limits.expected_wall_time = {most}\n\n{hint}"
            ))),
            _ => Err(RunError::Budget(format!(
                "the run is expected to take longer than limits.expected_wall_time = {most}: nothing has been done after {} s\n\n{hint}",
                LONGER.as_secs()
            ))),
        }
    }

    /// The share of its work that a run has done, 0 to 1; `None` where all of it is not known.
    fn done(&self, report: &Report, routes: Option<Routes>) -> Option<f64> {
        let summary = &report.summary;
        let simulated = summary.simulated.since(Time::ZERO).as_secs_f64();
        let share = match (&self.workload.kind, summary.counts.packet(), routes) {
            (Workload::Synthetic(traffic), ..) => {
                simulated / (traffic.warmup + traffic.duration).as_secs_f64()
            }
            (Workload::Profile(_) | Workload::Collective(_), ..) => report.replayed?,
            (_, Some(counts), Some(routes)) => counts.packet_hops as f64 / routes.hops,
            (_, None, Some(routes)) if routes.link_bytes > 0.0 => {
                summary.link_use.mean_throughput * summary.links as f64 * simulated / routes.link_bytes
            }
            _ => summary.traffic.messages as f64 / self.messages()? as f64,
        };
        Some(share.min(1.0)).filter(|share| share.is_finite())
    }

    /// The packets of a pattern or of synthetic traffic on the packet engine; those of a pattern go over such routes.
    fn packets(&self, routes: Option<Routes>) -> Option<Packets> {
        if let Workload::Synthetic(traffic) = &self.workload.kind {
            let bytes = self.node.injection_bandwidth()?.bytes_per_second() * traffic.offered_load;
            let seconds = (traffic.warmup + traffic.duration).as_secs_f64();
            let packets = self.nodes() as f64 * seconds * bytes / traffic.packet_size.0 as f64;
            return Some(Packets { packets: packets.round() as u64, hops: None });
        }
        let Routes { packets, hops, .. } = routes.filter(|_| self.engine.engine().has_packets())?;
        Some(Packets { packets: packets.round() as u64, hops: Some(hops.round() as u64) })
    }

    /// What the messages of a pattern put on the links, from a sample of them where there are many.
    fn routes(&self) -> Option<Routes> {
        let (machine, pattern) = (self.machine.as_deref()?, self.pattern.as_deref()?);
        let mtu = self.packet.as_ref().map_or_else(PacketSection::default_mtu, |packet| packet.mtu);
        let (nodes, ranks) = (self.placement().nodes(), pattern.ranks());
        let step = ranks.div_ceil(MOST_RANKS);
        let (mut routes, mut route) = (Routes::default(), Vec::new());
        let looked_at = (0..ranks).step_by(step).count() as f64;
        for rank in (0..ranks).step_by(step).map(Rank::new) {
            let entries = entries(pattern, rank);
            let every = entries.div_ceil(MOST_OF_RANK).max(1);
            // Not every rank looks at the same ones: where entries repeat, some would never be seen.
            let first = rank.index() as u64 % every;
            let some = || (first..entries).step_by(usize::try_from(every).unwrap_or(usize::MAX));
            let weight = entries as f64 / some().count().max(1) as f64 * (ranks as f64 / looked_at);
            for index in some() {
                let entry = pattern.entry(rank, index);
                let Some(Entry::Send { to, bytes, .. } | Entry::Post { to, bytes, .. }) = entry else {
                    continue;
                };
                let (from, to) = (nodes[rank.index()], nodes[to.index()]);
                if from == to {
                    continue;
                }
                // Without a way when the run begins it waits for one; how long that will be is not known.
                if !machine.find_route(from, to, &mut route) {
                    continue;
                }
                let packets = weight * bytes.0.div_ceil(mtu.0).max(1) as f64;
                routes.packets += packets;
                // The link to the first router is no hop.
                routes.hops += packets * (route.len() - 1) as f64;
                routes.link_bytes += weight * bytes.0 as f64 * route.len() as f64;
            }
        }
        Some(routes)
    }

    /// How many bytes a run takes at least. Packets, messages and what programs allocate come on top.
    pub(crate) fn least_memory(&self) -> u64 {
        let work = WorkFacts {
            workload: &self.workload.kind,
            pattern: self.pattern.as_deref(),
            mapping: &self.mapping,
            node: &self.node,
            machine: self.machine.as_deref(),
        };
        let (in_engine, each_rank) = self.engine.engine().least_memory(&work);
        in_engine + if each_rank { self.workload.ranks as u64 * self.least_of_rank() } else { 0 }
    }
}

/// A part of a run.
struct Measured {
    /// The share of the whole run's work, 0 to 1.
    done: f64,
    /// How long it took until the first event.
    before: WallTime,
    /// How long the whole run takes from there on.
    run: WallTime,
}

/// What messages put on the links.
#[derive(Clone, Copy, Default)]
struct Routes {
    packets: f64,
    /// Routers that the packets pass.
    hops: f64,
    /// Bytes of messages, on every link of their routes once more.
    link_bytes: f64,
}

/// How many entries a rank of a pattern has. O(log n) looks.
fn entries(pattern: &Pattern, rank: Rank) -> u64 {
    let is_there = |index: u64| pattern.entry(rank, index).is_some();
    let mut behind = 1;
    while is_there(behind - 1) {
        behind *= 2;
    }
    let (mut there, mut behind) = (behind / 2, behind - 1);
    // Entries before `there` are there; `behind` is not.
    while there < behind {
        let middle = there + (behind - there) / 2;
        if is_there(middle) { there = middle + 1 } else { behind = middle }
    }
    there
}
