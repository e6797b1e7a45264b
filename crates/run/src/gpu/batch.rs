//! Points of a sweep that a GPU runs side by side.

use super::{GpuProcessor, Work, failed, fits, run_all};
use crate::budget::check_budget;
use crate::engine_result::Ran;
use crate::simulation::{check_memory, report_of};
use crate::{Result, RunDigest};
use serde_json::json;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;
use weir_experiment::{Machines, Prepared, Scenario, Workload};
use weir_gpu::{GpuError, MOST_NETWORKS, MOST_POINTS, PacketGpu};
use weir_network::Limits;
use weir_packet::PacketNetwork;

/// Scenarios that the GPU runs side by side. Those that [share](SharedMachines) their machines take its arrays once.
#[derive(Debug)]
pub struct GpuBatch {
    gpu: GpuProcessor,
    scenarios: Vec<Scenario>,
    bytes: u64,
}

impl GpuBatch {
    /// Scenarios of a full batch.
    pub const MOST: usize = MOST_POINTS;

    /// A batch without scenarios.
    pub fn new(gpu: &GpuProcessor) -> Self {
        Self { gpu: gpu.clone(), scenarios: Vec::new(), bytes: 0 }
    }

    /// Adds a scenario that the GPU can [run](GpuProcessor::check_point). Gives it back if there is no room for it beside the others.
    pub fn add(&mut self, scenario: Scenario) -> Option<Scenario> {
        let bytes = fits::memory(&scenario);
        // A part is left to the networks, and to what the driver takes.
        let room = self.gpu.opened().map_or(0, |gpu| gpu.gpu().memory() / 4 * 3);
        let is_full = self.scenarios.len() >= Self::MOST || self.bytes.saturating_add(bytes) > room;
        if is_full && !self.scenarios.is_empty() {
            return Some(scenario);
        }
        self.bytes = self.bytes.saturating_add(bytes);
        self.scenarios.push(scenario);
        None
    }

    /// Runs all of them to their ends, and returns their results in the order in which they were added: those of runs on cores, but
    /// for the time, which is that of all together.
    pub fn run(self) -> Vec<Result<RunDigest>> {
        let started = Instant::now();
        let gpu = match self.gpu.opened() {
            Ok(gpu) => gpu,
            Err(error) => return self.scenarios.iter().map(|_| Err(failed(error))).collect(),
        };
        let begins = |scenario: &Scenario| {
            check_memory(scenario)?;
            check_budget(scenario, Some(&self.gpu), &mut |_| ())?;
            Ok(scenario.limits())
        };
        let limits: Vec<Result<Limits>> = self.scenarios.iter().map(begins).collect();
        let work = |(scenario, limits): (_, &Result<Limits>)| {
            let limits = *limits.as_ref().ok()?;
            fits::work(scenario).map(|work| Work { limits, ..work })
        };
        let works: Vec<Option<Work<'_>>> = self.scenarios.iter().zip(&limits).map(work).collect();
        let mut ran = side_by_side(gpu, &works.iter().copied().flatten().collect::<Vec<_>>()).into_iter();
        let end = |((scenario, limits), work): ((&Scenario, Result<Limits>), Option<Work<'_>>)| {
            limits?;
            let ran = match (work, &scenario.prepared) {
                (None, Err(limit)) => Ran::not_begun(limit),
                _ => ran.next().expect("there is a result for each that has work")?,
            };
            Ok(RunDigest::new(report_of(scenario, started.elapsed(), ran), None))
        };
        self.scenarios.iter().zip(limits).zip(works).map(end).collect()
    }
}

/// Runs all of them, those together that one kernel runs, and returns their results in their order.
fn side_by_side(gpu: &PacketGpu, works: &[Work<'_>]) -> Vec<Result<Ran>> {
    let mut all: Vec<(usize, Result<Ran>)> = Vec::new();
    for group in groups(works) {
        let own: Vec<Work<'_>> = group.iter().map(|&place| works[place]).collect();
        all.extend(group.into_iter().zip(in_parts(gpu, &own)));
    }
    all.sort_by_key(|(place, _)| *place);
    all.into_iter().map(|(_, ran)| ran).collect()
}

/// The places of works that are run together: those whose rules decide for each packet or those whose do not, of so many networks at most.
fn groups(works: &[Work<'_>]) -> Vec<Vec<usize>> {
    let mut groups: Vec<(bool, Vec<*const PacketNetwork>, Vec<usize>)> = Vec::new();
    for (place, work) in works.iter().enumerate() {
        let decides = fits::flat(*work).is_ok_and(|run| run.decides());
        let network = Arc::as_ptr(&work.packets.network);
        let fits = |(own, networks, _): &&mut (bool, Vec<*const PacketNetwork>, Vec<usize>)| {
            *own == decides && (networks.contains(&network) || networks.len() < MOST_NETWORKS)
        };
        match groups.iter_mut().find(fits) {
            Some((_, networks, places)) => {
                places.push(place);
                if !networks.contains(&network) {
                    networks.push(network);
                }
            }
            None => groups.push((decides, vec![network], vec![place])),
        }
    }
    groups.into_iter().map(|(.., places)| places).collect()
}

/// Runs all at once, or in halves where the memory does not suffice: other programs may use it, too.
fn in_parts(gpu: &PacketGpu, works: &[Work<'_>]) -> Vec<Result<Ran>> {
    match run_all(gpu, works, None, &mut |_| ()) {
        Ok(all) => all.into_iter().map(Ok).collect(),
        Err(GpuError::OutOfMemory { .. }) if works.len() > 1 => {
            let (one, other) = works.split_at(works.len() / 2);
            [in_parts(gpu, one), in_parts(gpu, other)].into_iter().flatten().collect()
        }
        Err(error) => works.iter().map(|_| Err(failed(&error))).collect(),
    }
}

/// Machines that are made already, by what the keys of an experiment say of them.
#[derive(Debug, Default)]
pub struct SharedMachines(BTreeMap<String, (Option<Arc<Machines>>, Prepared)>);

impl SharedMachines {
    /// Gives a scenario the machine and the routers of an earlier one that has the same: all that is left of its own is freed.
    pub fn share(&mut self, scenario: &mut Scenario) {
        let (Workload::Synthetic(traffic), Ok(own)) = (&scenario.workload.kind, &scenario.prepared) else {
            return;
        };
        let mut all = scenario.resolved();
        let mut keys = json!([traffic.packet.0]);
        // Faults may be drawn, by the seed of the experiment.
        let drawn = if all.get("faults").is_some() { "seed" } else { "faults" };
        for table in ["topology", "faults", "upgrades", "node", "packet", "classes", drawn] {
            keys.as_array_mut().into_iter().for_each(|keys| keys.push(all[table].take()));
        }
        let made = || (scenario.machines.clone(), own.clone());
        let (machines, prepared) = self.0.entry(keys.to_string()).or_insert_with(made).clone();
        scenario.machines = machines;
        scenario.prepared = Ok(prepared);
    }
}
