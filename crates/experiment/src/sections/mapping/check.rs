//! Checks of where ranks are, with the machine and the work.

use crate::MappingSection;
use crate::check::{Check, Parts};

impl Check<'_> {
    pub(crate) fn ranks_fit(&mut self, parts: &Parts, ranks: usize) {
        let (Some(topology), Some(machine)) = (&parts.topology, parts.machine()) else { return };
        let (nodes, per_node) = (machine.nodes(), parts.mapping.ranks_per_node);
        let most = nodes.saturating_mul(per_node);
        if ranks <= most {
            return;
        }
        let what = format!("{ranks} ranks do not fit {nodes} nodes with {per_node} on each ({most} ranks)");
        let larger = topology.with_room_for(ranks.div_ceil(per_node) as u64);
        let hint = format!("mapping.ranks_per_node = {} would do, or {larger}", ranks.div_ceil(nodes));
        let mut section = self.section("workload");
        let key = if section.has("rlevel") { "rlevel" } else { "ranks" };
        section.report(key, what, hint);
    }

    /// The section on placing ranks, with its file, if there is one, read as far as that needs no machine.
    pub(crate) fn mapping(&mut self, seed: u64) -> MappingSection {
        let mut mapping = self.read("mapping", |section| MappingSection::read(section, seed));
        mapping.open_file(&mut self.section("mapping"));
        mapping
    }

    pub(crate) fn mapping_file(&mut self, parts: &mut Parts, ranks: usize) {
        let Parts { mapping, machines, .. } = parts;
        let machine = machines.as_ref().map(|machines| &*machines.first);
        let wrong_topology = self.has("topology") && machine.is_none();
        if !wrong_topology {
            let mut section = self.section("mapping");
            mapping.fold(&mut section, ranks, machine);
            mapping.lay(&mut section, ranks, machine);
            mapping.read_file(&mut section, ranks, machine);
        }
    }
}
