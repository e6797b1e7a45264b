//! An experiment with all that holds in it, as it would be written.

use super::{CALIBRATED, Experiment, SEED, Scenario, TITLE};
use crate::engine::Prepared;
use crate::keys::resolved::Resolved;
use crate::sections::faults::Machines;
use crate::sections::{combining, selection};
use crate::{Fault, Upgrade, WorkRow};
use serde_json::Value;
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
        Resolved::of(self.units, |table| {
            table.put(&TITLE, &self.title);
            table.put(&SEED, self.seed);
            if let Some(topology) = &self.topology {
                table.put_table("topology", |table| topology.put(table));
            }
            table.put_tables("faults", &self.faults, Fault::put);
            table.put_tables("upgrades", &self.upgrades, Upgrade::put);
            table.put_some(&CALIBRATED, Some(&self.calibrated).filter(|intervals| !intervals.is_empty()));
            table.put_table("mapping", |table| self.mapping.put(table));
            table.put_table("engine", |table| self.engine.put(table));
            table.put_table("workload", |table| self.workload.put(table));
            table.put_tables("work", &self.work, WorkRow::put);
            if let Some(packet) = &self.packet {
                table.put_table("packet", |table| packet.put(table));
            }
            table.put_table("node", |table| self.node.put(table));
            table.put_tables("combining", &self.combining, combining::put);
            table.put_table("collectives", |table| self.collectives.put(table));
            let preset = self.collectives.preset;
            table.put_tables("selection", &self.selection, |row, table| selection::put(row, preset, table));
            if let Some(storage) = &self.storage {
                table.put_table("storage", |table| storage.put(table));
            }
            table.put_table("limits", |table| self.limits.put(table));
            table.put_table("output", |table| self.output.put_all(table));
        })
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
