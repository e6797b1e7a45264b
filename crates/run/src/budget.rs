//! Needs of a run: memory, messages, packets, time. Known before it, but for the time, which its beginning shows.
//!
//! # Model
//! A run takes as long as its beginning lets expect: it is begun, ended by the clock on the wall, and the share of its work
//! that has been done by then is compared with the time. Work is packet-hops on the packet engine, and bytes on links on the
//! flow engine, whose numbers follow from the routes; messages without links; simulated time for synthetic traffic; events
//! for a profile. Rates that were measured on other
//! experiments would not do: on the flow engine a message costs from 0.1 µs to 1 ms, by who shares links with whom
//! (docs/decisions/0027-budget.md).

use crate::simulation::{check_memory, run_once};
use crate::{GpuProcessor, Report, Result, RunError, RunOptions};
use serde_json::{Value, json};
use std::time::{Duration as WallTime, Instant};
use weir_experiment::memory::{available, peak_memory_bytes, shortage};
use weir_experiment::{PacketSection, Scenario, Workload};
use weir_network::{Outcome, Progress, Stage, Watch};
use weir_topology::{Obtained, Topology};
use weir_units::{Bandwidth, Bytes, Duration, LinkId, NodeId, Rank, Time, mix};
use weir_workload::{Entry, Pattern, Period, Sequence, Totals};

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
    /// Needs of a GPU, if the run is to be on one.
    pub gpu: Option<GpuBudget>,
}

/// Needs of a run on a GPU.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GpuBudget {
    /// The memory that it takes there, about.
    pub memory: Bytes,
    /// The name of the GPU of this computer; `None` where there is none that can be used, and nothing was run.
    pub name: Option<String>,
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
pub struct Count {
    /// The number, or the likely one.
    pub likely: u64,
    /// There are surely not more.
    pub at_most: u64,
    /// It is known; else it is from a sample of the messages, or the run may not do all that its pattern says.
    pub is_exact: bool,
}

impl Count {
    /// A number that is known.
    pub fn exact(number: u64) -> Self {
        Self { likely: number, at_most: number, is_exact: true }
    }
}

impl Budget {
    /// The object of `weir run --dry-run --json`; times in seconds.
    pub fn to_json(&self) -> Value {
        let packets = self.packets;
        let hops = packets.and_then(|packets| packets.hops);
        let mut object = json!({
            "messages": self.messages.map(|(messages, _)| messages),
            "bytes": self.messages.map(|(_, bytes)| bytes.0),
            "packets": packets.map(|packets| packets.packets.likely),
            "packets_at_most": packets.map(|packets| packets.packets.at_most),
            "packet_hops": hops.map(|hops| hops.likely),
            "packet_hops_at_most": hops.map(|hops| hops.at_most),
            "counts_are_exact": packets.map(|packets| packets.packets.is_exact && hops.is_some_and(|hops| hops.is_exact)),
            "memory_bytes": self.memory.0,
            "memory_available_bytes": self.available.map(|available| available.0),
            "building_s": self.building.as_secs_f64(),
            "done": self.done,
            "wall_s": self.wall.map(|wall| wall.as_secs_f64()),
        });
        if let Some(gpu) = &self.gpu {
            object["gpu"] = json!({ "name": gpu.name, "memory_bytes": gpu.memory.0 });
        }
        object
    }
}

/// Estimates the needs of a run. Runs its beginning, for a second or, where nothing is done by then, for eight; but no MPI program,
/// which might write files. Writes nothing. The beginning is run on a GPU if the run is to be on that one; where this computer has none, nothing
/// is run.
///
/// # Errors
/// When there is surely not enough memory, or the run cannot begin.
pub fn budget(scenario: &Scenario, gpu: Option<&GpuProcessor>, watch: Watch<'_>) -> Result<Budget> {
    check_memory(scenario)?;
    let of_gpu = |gpu: &GpuProcessor| {
        let name = gpu.name().map(str::to_owned);
        GpuProcessor::memory_of(scenario).map(|memory| GpuBudget { memory, name })
    };
    let routes = routes(scenario);
    let mut budget = Budget {
        messages: scenario.pattern.as_deref().map(|pattern| (pattern.messages(), pattern.bytes_total())),
        packets: packets(scenario, routes),
        memory: Bytes(scenario.least_memory()),
        available: available().map(Bytes).into_iter().chain(scenario.limits.memory).min(),
        building: scenario.spent,
        done: None,
        wall: None,
        gpu: gpu.map(of_gpu).transpose()?,
    };
    let has_no_gpu = budget.gpu.as_ref().is_some_and(|gpu| gpu.name.is_none());
    if scenario.workload.kind.is_program() || scenario.prepared.is_err() || has_no_gpu {
        return Ok(budget);
    }
    let mut measure = |after: WallTime, one_of: Option<u64>| {
        let gpu = gpu.cloned();
        let options = RunOptions { ends_after: Some(after), one_of, gpu, ..RunOptions::default() };
        measure(scenario, &options, routes, watch)
    };
    let only_sends = scenario.pattern.as_deref().is_some_and(Sequence::only_sends);
    let can_be_thinned = only_sends && scenario.engine.lists_cycles();
    let mut measured = measure(BEGINNING, None)?;
    if measured.done == 0.0 {
        measured = measure(LONGER, None)?;
    }
    if measured.done > 0.0 && measured.done < 1.0 && can_be_thinned {
        // A beginning need not be like the rest: in an all-to-all messages may go farther and farther.
        let one_of = (measured.run.as_secs_f64() / BEGINNING.as_secs_f64()).ceil();
        measured = measure(LONGER, Some(one_of as u64))?;
    }
    budget.memory = budget.memory.max(Bytes(peak_memory_bytes().unwrap_or(0)));
    if let Some(report) = measured.whole {
        let summary = &report.summary;
        budget.messages = Some((summary.traffic.messages, summary.traffic.bytes));
        budget.packets = summary.counts.packet().map(|counts| Packets {
            packets: Count::exact(counts.packets),
            hops: Some(Count::exact(counts.packet_hops)),
        });
    }
    if measured.done > 0.0 {
        budget.done = Some(measured.done);
        budget.wall = measured.run.checked_add(scenario.spent + measured.before);
    }
    Ok(budget)
}

fn measure(
    scenario: &Scenario,
    options: &RunOptions,
    routes: Option<Routes>,
    watch: Watch<'_>,
) -> Result<Measured> {
    let start = Instant::now();
    let (mut first, mut half) = (None, None);
    let report = run_once(scenario, options, &mut |progress| {
        if progress.events > 0 {
            let first = *first.get_or_insert_with(|| start.elapsed());
            if start.elapsed() - first > BEGINNING / 2 {
                half.get_or_insert_with(|| (start.elapsed(), progress.now));
            }
        }
        // That the piece ends is no limit of the experiment.
        let stage = progress.stage.map(|stage| Stage { limits: scenario.limits(), ..stage });
        watch(Progress { stage, ..progress });
    })?;
    let elapsed = start.elapsed();
    let before = first.unwrap_or(WallTime::ZERO);
    let is_whole = options.one_of.is_none() && !matches!(report.outcome, Outcome::Limit(_));
    let done = if is_whole { 1.0 } else { done(scenario, &report, routes).unwrap_or(0.0) };
    // Of synthetic traffic the last half of the beginning is like the rest: in the first half memory is touched for the
    // first time, and the network fills.
    let passed = (elapsed - before).as_secs_f64();
    let seconds = match (half, &scenario.workload.kind) {
        (Some((at, now)), Workload::Synthetic(_)) if done > 0.0 && done < 1.0 => {
            let simulated = report.summary.simulated.since(Time::ZERO).as_secs_f64();
            let lasts = simulated - now.since(Time::ZERO).as_secs_f64();
            passed + (elapsed - at).as_secs_f64() / lasts * simulated * (1.0 - done) / done
        }
        _ => passed / done,
    };
    let run = WallTime::try_from_secs_f64(seconds).unwrap_or(WallTime::MAX);
    Ok(Measured { done, before, run, whole: is_whole.then_some(report) })
}

/// Builds the programs, runs the engine to the end and sums up. `watch` is shown now and then how far it is. Writes
/// nothing.
///
/// # Errors
/// When the program to run cannot be loaded.
pub fn run(scenario: &Scenario, watch: Watch<'_>) -> Result<Report> {
    check_budget(scenario, None, watch)?;
    run_once(scenario, &RunOptions::default(), watch)
}

/// Refuses a run that takes more memory or time than `[limits]` allows, if it says so.
pub(crate) fn check_budget(scenario: &Scenario, gpu: Option<&GpuProcessor>, watch: Watch<'_>) -> Result<()> {
    let limits = &scenario.limits;
    if (limits.memory.is_none() && limits.expected_wall_time.is_none()) || scenario.workload.kind.is_program()
    {
        return Ok(());
    }
    allows(scenario, &budget(scenario, gpu, watch)?)
}

/// Checks that `[limits]` allows so much.
///
/// # Errors
/// When it takes too much: what, and how much would do.
pub fn allows(scenario: &Scenario, budget: &Budget) -> Result<()> {
    let limits = &scenario.limits;
    if let Some(shortage) = shortage(budget.memory.0, limits.memory) {
        return Err(RunError::Budget(format!("the run takes {shortage}")));
    }
    let Some(most) = limits.expected_wall_time else { return Ok(()) };
    let hint = "hint: take a smaller workload or machine, another engine, or a longer time";
    let limit = format!("limits.expected_wall_time = {most}");
    let why = match budget.wall.map(|wall| Duration::from_secs_f64(wall.as_secs_f64())) {
        Some(Some(wall)) if wall <= most => return Ok(()),
        Some(Some(wall)) => format!("{wall}; {limit}"),
        _ => format!("longer than {limit}: nothing has been done after {} s", LONGER.as_secs()),
    };
    Err(RunError::Budget(format!("the run is expected to take {why}\n\n{hint}")))
}

/// The share of its work that a run has done, 0 to 1; `None` where all of it is not known.
fn done(scenario: &Scenario, report: &Report, routes: Option<Routes>) -> Option<f64> {
    let summary = &report.summary;
    let simulated = summary.simulated.since(Time::ZERO).as_secs_f64();
    let share = match (&scenario.workload.kind, summary.counts.packet(), routes) {
        (Workload::Synthetic(traffic), ..) => simulated / (traffic.warmup + traffic.duration).as_secs_f64(),
        (Workload::Profile(_) | Workload::Graph(_) | Workload::Collective(_), ..) => report.replayed?,
        (_, Some(counts), Some(routes)) => counts.packet_hops as f64 / routes.hops.likely as f64,
        (_, None, Some(routes)) if routes.link_bytes > 0.0 => {
            summary.link_use.mean_throughput * summary.links as f64 * simulated / routes.link_bytes
        }
        _ => summary.traffic.messages as f64 / scenario.messages()? as f64,
    };
    Some(share.min(1.0)).filter(|share| share.is_finite())
}

/// The packets that a pattern or synthetic traffic sends on the packet engine, counted without a run.
pub fn packets_of_pattern(scenario: &Scenario) -> Option<Packets> {
    packets(scenario, routes(scenario))
}

/// The packets of a pattern or of synthetic traffic on the packet engine; those of a pattern go over such routes.
fn packets(scenario: &Scenario, routes: Option<Routes>) -> Option<Packets> {
    if let Workload::Synthetic(traffic) = &scenario.workload.kind {
        let machine = scenario.machine()?;
        let injection = (0..machine.nodes()).map(|node| machine.link(LinkId::new(node)).capacity);
        let bytes = injection.map(Bandwidth::bytes_per_second).sum::<f64>() * traffic.offered_load;
        let seconds = (traffic.warmup + traffic.duration).as_secs_f64();
        let packets = seconds * bytes / traffic.packet.0 as f64;
        let likely = packets.round() as u64;
        // No node sends faster than its interfaces.
        let at_most = (packets / traffic.offered_load).ceil() as u64 + machine.nodes() as u64;
        return Some(Packets { packets: Count { likely, at_most, is_exact: false }, hops: None });
    }
    let Routes { packets, hops, .. } = routes.filter(|_| scenario.engine.has_packets())?;
    Some(Packets { packets, hops: Some(hops) })
}

struct Measured {
    /// The share of the whole run's work, 0 to 1.
    done: f64,
    before: WallTime,
    run: WallTime,
    whole: Option<Report>,
}

/// Most entries that are looked at one by one, in less than a second or two.
const MOST_ENTRIES: u64 = 1 << 22;
/// To find out how many entries a rank has costs as much as some of them.
const OF_RANK: u64 = 16;
/// Ranks of a sample, and entries of each.
const MOST_RANKS: usize = 4096;
const MOST_OF_RANK: u64 = 64;
/// All routes of a machine with so many pairs of nodes are looked at to find the longest.
const MOST_PAIRS: u64 = 1 << 20;

/// Load that the messages of a pattern put on links: counted where the entries of all ranks, each period of them once, are few enough to be
/// looked at; else from a sample.
#[derive(Clone, Copy, Debug)]
struct Routes {
    packets: Count,
    hops: Count,
    /// Bytes of messages, on every link of their routes once more.
    link_bytes: f64,
}

/// Messages to other nodes that have been looked at, as often as each stands for others.
#[derive(Clone, Copy, Debug, Default)]
struct Sum {
    /// Those within a node as well.
    messages: u128,
    packets: u128,
    hops: u128,
    link_bytes: f64,
    /// Packets that have no way when the run begins: they wait for one, and how long it will be is not known.
    waiting: u128,
}

struct Looking<'a> {
    machine: &'a Topology,
    pattern: &'a Pattern,
    nodes: &'a [NodeId],
    mtu: Bytes,
    route: Vec<LinkId>,
}

fn routes(scenario: &Scenario) -> Option<Routes> {
    let (machine, pattern) = (scenario.machine()?, scenario.pattern.as_deref()?);
    let mtu = scenario.packet.as_ref().map_or_else(PacketSection::default_mtu, |packet| packet.mtu);
    let route = Vec::new();
    let mut looking = Looking { machine, pattern, nodes: scenario.placement().nodes(), mtu, route };
    // A run may end before, and machines that change have other routes later.
    let is_certain = scenario.limits.simulated_time.is_none() && scenario.changes().is_empty();
    let Some(sum) = looking.all() else { return Some(looking.sample().of_sample(&looking)) };
    let count = |counted: u128, at_most: u128| {
        let [likely, at_most] = [counted, at_most].map(|count| u64::try_from(count).unwrap_or(u64::MAX));
        Count { likely, at_most, is_exact: is_certain && likely == at_most }
    };
    let packets = sum.packets + sum.waiting;
    let most_hops = match sum.waiting == 0 && scenario.changes().is_empty() {
        true => sum.hops,
        // No way passes a router twice.
        false => packets * machine.routers() as u128,
    };
    Some(Routes {
        packets: count(sum.packets, packets),
        hops: count(sum.hops, most_hops),
        link_bytes: sum.link_bytes,
    })
}

impl Looking<'_> {
    fn all(&mut self) -> Option<Sum> {
        let (mut sum, mut looked_at) = (Sum::default(), 0);
        let pattern = self.pattern;
        for rank in (0..pattern.ranks()).map(Rank::new) {
            let entries = pattern.entries(rank);
            let whole = Period { before: entries, entries: 1 };
            let Period { before, entries: each } = pattern.period(rank).unwrap_or(whole);
            let [before, rest] = [before.min(entries), entries.saturating_sub(before)];
            looked_at += OF_RANK + before + each.min(rest);
            if looked_at > MOST_ENTRIES {
                return None;
            }
            for index in 0..before + each.min(rest) {
                // So often it comes again.
                let in_period = index.saturating_sub(before);
                let times = if index < before { 1 } else { rest / each + u64::from(in_period < rest % each) };
                self.look(rank, index, times, &mut sum);
            }
        }
        Some(sum)
    }

    /// Some ranks, and one entry of each of equal parts of what these do. Which one of them is drawn: every n-th of entries that
    /// repeat would be like no other.
    fn sample(&mut self) -> Sum {
        let (pattern, mut sum) = (self.pattern, Sum::default());
        for rank in (0..pattern.ranks()).step_by(pattern.ranks().div_ceil(MOST_RANKS)).map(Rank::new) {
            let entries = pattern.entries(rank);
            let part = entries.div_ceil(MOST_OF_RANK).max(1);
            for first in (0..entries).step_by(usize::try_from(part).unwrap_or(usize::MAX)) {
                let part = part.min(entries - first);
                let drawn = mix(u64::from(rank.0).rotate_left(32) ^ first) % part;
                self.look(rank, first + drawn, part, &mut sum);
            }
        }
        sum
    }

    /// Adds a message that stands for so many, if an entry is one.
    fn look(&mut self, rank: Rank, index: u64, times: u64, sum: &mut Sum) {
        let entry = self.pattern.entry(rank, index);
        let Some(Entry::Send { to, bytes, .. } | Entry::Post { to, bytes, .. }) = entry else { return };
        let times = u128::from(times);
        sum.messages += times;
        let [from, to] = [rank, to].map(|rank| self.nodes[rank.index()]);
        if from == to {
            return;
        }
        let packets = times * u128::from(bytes.0.div_ceil(self.mtu.0).max(1));
        if !self.machine.find_route(from, to, &mut self.route) {
            sum.waiting += packets;
            return;
        }
        sum.packets += packets;
        // The link to the first router is no hop.
        sum.hops += packets * (self.route.len() as u128 - 1);
        sum.link_bytes += times as f64 * bytes.0 as f64 * self.route.len() as f64;
    }

    fn longest_route(&self) -> u64 {
        let nodes = self.machine.nodes() as u64;
        let by_formula =
            !matches!(self.machine, Topology::Rails(_) | Topology::Graph(_) | Topology::Degraded(_));
        if by_formula || nodes.saturating_mul(nodes) <= MOST_PAIRS {
            let lengths = self.machine.route_lengths();
            debug_assert!(!by_formula || lengths.obtained == Obtained::Formula, "{lengths:?}");
            lengths.longest + 1
        } else {
            self.machine.routers() as u64
        }
    }
}

impl Sum {
    /// The load of all messages, if these are a sample: their number is known.
    fn of_sample(self, of: &Looking<'_>) -> Routes {
        let all = of.pattern.messages();
        let share = if self.messages > 0 { all as f64 / self.messages as f64 } else { 0.0 };
        // Of each message one packet need not be full.
        let most = u128::from(all) + u128::from(of.pattern.bytes_at_most().0 / of.mtu.0);
        let count = |sampled: u128, at_most: u128| {
            let at_most = u64::try_from(at_most).unwrap_or(u64::MAX);
            let likely = ((sampled as f64 * share).round() as u64).min(at_most);
            Count { likely, at_most, is_exact: false }
        };
        Routes {
            packets: count(self.packets, most),
            hops: count(self.hops, most * u128::from(of.longest_route())),
            link_bytes: self.link_bytes * share,
        }
    }
}
