//! Needs of a run: memory, messages, packets, time. Known before it, but for the time, which its beginning shows.
//!
//! # Model
//! A run takes as long as its beginning lets expect: it is begun, ended by the clock on the wall, and the share of its work
//! that has been done by then is compared with the time. Work is packet-hops on the packet engine, and bytes on links on the
//! flow engine, whose numbers follow from the routes; messages without links; simulated time for synthetic traffic; events
//! for a profile. Rates that were measured on other
//! experiments would not do: on the flow engine a message costs from 0.1 µs to 1 ms, by who shares links with whom
//! (docs/decisions/0027-budget.md).

mod routes;

use crate::engine::WorkFacts;
use crate::run::memory::{available, shortage};
use crate::run::options::Variation;
use crate::run::peak_memory::peak_memory_bytes;
use crate::{Report, RunError, Scenario, Workload};
use routes::Routes;
use serde_json::{Value, json};
use std::time::{Duration as WallTime, Instant};
use weir_network::{Outcome, Progress, Stage, Watch};
use weir_units::{Bandwidth, Bytes, Duration, LinkId, Time};
use weir_workload::{Counted, Order};

/// Length of the beginning of a run from which the whole is estimated.
const BEGINNING: WallTime = WallTime::from_secs(1);
/// If nothing has been done by then.
const LONGER: WallTime = WallTime::from_secs(8);

/// Needs of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Budget {
    /// Messages and their bytes; `None` where only the run shows it.
    pub messages: Option<(u64, Bytes)>,
    /// Packets, and the routers that they pass all together; `None` on other engines, and where only the run shows it. Those of a
    /// run that was run whole are those that it has counted.
    pub packets: Option<Packets>,
    /// Memory that it takes surely; the most that this process has taken so far, if that is more.
    pub memory: Bytes,
    /// Memory that is available, if the system says so; `limits.memory` if that is less.
    pub available: Option<Bytes>,
    /// Time that the check has taken, with building the machine.
    pub building: WallTime,
    /// The share of the work that was done when the beginning ended, above 0 to 1; `None` where nothing was run, or done.
    pub done: Option<f64>,
    /// Time of the whole run, building included, on the clock on the wall; `None` where that is not known.
    pub wall: Option<WallTime>,
}

/// Packets of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Packets {
    /// Number of packets that are sent to other nodes.
    pub packets: Count,
    /// Routers that they pass, each with the link behind it; `None` of synthetic traffic, whose destinations are drawn.
    pub hops: Option<Count>,
}

/// Number of something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Count {
    /// It is known.
    Exact(u64),
    /// From a sample of the messages, or where the run may not do all that its pattern says.
    About {
        /// Likely number.
        likely: u64,
        /// There are surely not more.
        at_most: u64,
    },
}

impl Count {
    /// The number, or the likely one.
    #[must_use]
    pub fn likely(self) -> u64 {
        let (Self::Exact(likely) | Self::About { likely, .. }) = self;
        likely
    }

    /// There are not more.
    #[must_use]
    pub fn at_most(self) -> u64 {
        let (Self::Exact(at_most) | Self::About { at_most, .. }) = self;
        at_most
    }

    /// Returns whether it is sure.
    #[must_use]
    pub fn is_exact(self) -> bool {
        matches!(self, Self::Exact(_))
    }
}

impl Budget {
    /// The object of `weir run --dry-run --json`; times in seconds.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let packets = self.packets;
        let hops = packets.and_then(|packets| packets.hops);
        json!({
            "messages": self.messages.map(|(messages, _)| messages),
            "bytes": self.messages.map(|(_, bytes)| bytes.0),
            "packets": packets.map(|packets| packets.packets.likely()),
            "packets_at_most": packets.map(|packets| packets.packets.at_most()),
            "packet_hops": hops.map(Count::likely),
            "packet_hops_at_most": hops.map(Count::at_most),
            "counts_are_exact": packets.map(|packets| packets.packets.is_exact() && hops.is_some_and(Count::is_exact)),
            "memory_bytes": self.memory.0,
            "memory_available_bytes": self.available.map(|available| available.0),
            "building_s": self.building.as_secs_f64(),
            "done": self.done,
            "wall_s": self.wall.map(|wall| wall.as_secs_f64()),
        })
    }
}

impl Scenario {
    /// Estimates the needs of a run. Runs its beginning, for a second or, where nothing is done by then, for eight; but no MPI program,
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
        if let Some(report) = measured.whole {
            let summary = &report.summary;
            budget.messages = Some((summary.traffic.messages, summary.traffic.bytes));
            budget.packets = summary.counts.packet().map(|counts| Packets {
                packets: Count::Exact(counts.packets),
                hops: Some(Count::Exact(counts.packet_hops)),
            });
        }
        if measured.done > 0.0 {
            budget.done = Some(measured.done);
            budget.wall = measured.run.checked_add(self.spent + measured.before);
        }
        Ok(budget)
    }

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
        let is_whole = variation.one_of.is_none() && !matches!(report.outcome, Outcome::Limit(_));
        let done = if is_whole { 1.0 } else { self.done(&report, routes).unwrap_or(0.0) };
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
        Ok(Measured { done, before, run, whole: is_whole.then_some(report) })
    }

    fn can_be_thinned(&self) -> bool {
        self.engine.lists_cycles() && self.pattern.as_deref().is_some_and(Order::only_sends)
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

    /// Checks that `[limits]` allows so much.
    ///
    /// # Errors
    /// When it takes too much: what, and how much would do.
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
            (_, Some(counts), Some(routes)) => counts.packet_hops as f64 / routes.hops.likely() as f64,
            (_, None, Some(routes)) if routes.link_bytes > 0.0 => {
                summary.link_use.mean_throughput * summary.links as f64 * simulated / routes.link_bytes
            }
            _ => summary.traffic.messages as f64 / self.messages()? as f64,
        };
        Some(share.min(1.0)).filter(|share| share.is_finite())
    }

    /// The packets that a pattern or synthetic traffic sends on the packet engine, counted without a run.
    #[must_use]
    pub fn packets_of_pattern(&self) -> Option<Packets> {
        self.packets(self.routes())
    }

    /// The packets of a pattern or of synthetic traffic on the packet engine; those of a pattern go over such routes.
    fn packets(&self, routes: Option<Routes>) -> Option<Packets> {
        if let Workload::Synthetic(traffic) = &self.workload.kind {
            let machine = self.topology()?;
            let injection = (0..machine.nodes()).map(|node| machine.link(LinkId::new(node)).capacity);
            let bytes = injection.map(Bandwidth::bytes_per_second).sum::<f64>() * traffic.offered_load;
            let seconds = (traffic.warmup + traffic.duration).as_secs_f64();
            let packets = seconds * bytes / traffic.packet.0 as f64;
            let likely = packets.round() as u64;
            // No node sends faster than its interfaces.
            let at_most = (packets / traffic.offered_load).ceil() as u64 + machine.nodes() as u64;
            return Some(Packets { packets: Count::About { likely, at_most }, hops: None });
        }
        let Routes { packets, hops, .. } = routes.filter(|_| self.engine.has_packets())?;
        Some(Packets { packets, hops: Some(hops) })
    }

    /// Least memory of a run in bytes. Packets, messages and what programs allocate come on top.
    pub(crate) fn least_memory(&self) -> u64 {
        let work = WorkFacts {
            workload: &self.workload.kind,
            pattern: self.pattern.as_deref(),
            mapping: &self.mapping,
            node: &self.node,
            machine: self.machine.as_deref(),
        };
        let (in_engine, each_rank) = self.engine.least_memory(&work);
        in_engine + if each_rank { self.workload.ranks as u64 * self.least_of_rank() } else { 0 }
    }
}

struct Measured {
    /// The share of the whole run's work, 0 to 1.
    done: f64,
    before: WallTime,
    run: WallTime,
    whole: Option<Report>,
}
