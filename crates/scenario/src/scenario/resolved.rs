//! An experiment with all that holds in it, as it would be written.

use super::{Experiment, Scenario};
use crate::engine::Prepared;
use crate::sections::faults::Machines;
use crate::sections::{calibrated, combining, selection, work};
use serde_json::{Map, Value, json};
use std::sync::Arc;
use std::time::Duration as WallTime;
use weir_record::Assumed;
use weir_topology::Topology;
use weir_workload::Pattern;

impl Experiment {
    /// The whole experiment with every default filled in. Written into a `.json` file it can be loaded again and
    /// gives the same scenario; paths in it are relative to where weir was started.
    #[must_use]
    pub fn resolved(&self) -> Value {
        let mut object = Map::new();
        let mut put = |key: &str, value| object.insert(key.to_owned(), value);
        put("title", json!(self.title));
        put("seed", json!(self.seed));
        if let Some(topology) = &self.topology {
            put("topology", topology.resolved(self.units));
        }
        if !self.faults.is_empty() {
            put("faults", self.faults.iter().map(|fault| fault.resolved(self.units)).collect());
        }
        if !self.upgrades.is_empty() {
            put("upgrades", self.upgrades.iter().map(|row| row.resolved(self.units)).collect());
        }
        if !self.calibrated.is_empty() {
            put("calibrated", calibrated::resolved(&self.calibrated));
        }
        put("mapping", self.mapping.resolved());
        put("engine", self.engine.resolved(self.units));
        put("workload", self.workload.resolved(self.units));
        if !self.work.is_empty() {
            put("work", self.work.iter().map(|row| work::resolved(row, self.units)).collect());
        }
        if let Some(packet) = &self.packet {
            put("packet", packet.resolved(self.units));
        }
        put("node", self.node.resolved(self.units));
        if !self.combining.is_empty() {
            put("combining", self.combining.iter().map(|row| combining::resolved(row, self.units)).collect());
        }
        put("collectives", self.collectives.resolved(self.units));
        if !self.selection.is_empty() {
            let resolved = |row| selection::resolved(row, self.collectives.preset, self.units);
            put("selection", self.selection.iter().map(resolved).collect());
        }
        if let Some(storage) = &self.storage {
            put("storage", storage.resolved(self.units));
        }
        put("limits", self.limits.resolved(self.units));
        put("output", self.output.resolved(self.units));
        Value::Object(object)
    }
}

impl Scenario {
    /// With what its check has made; of nothing else is anything known yet.
    pub(super) fn of(
        experiment: Experiment,
        (machine, machines): (Option<Arc<Topology>>, Option<Arc<Machines>>),
        (prepared, pattern): (Result<Prepared, String>, Option<Arc<Pattern>>),
        (spent, assumed): (WallTime, Vec<Assumed>),
    ) -> Self {
        let ((placement, pacing), follow) = (<(Arc<_>, Arc<_>)>::default(), None);
        let shipped = Vec::new();
        Self {
            experiment,
            machine,
            machines,
            prepared,
            pattern,
            assumed,
            shipped,
            spent,
            placement,
            pacing,
            follow,
        }
    }
}
