//! Checks that the rest of an experiment fits the packet engine, and the other way round.

use super::warning;
use crate::check::{Check, Parts};
use crate::memory::shortage;
use crate::{EngineSection, Mapping, PacketGap, PacketSection, TopologySection, Workload};
use weir_network::Choose;
use weir_packet::{Injection, Nics, PacketNetwork, Refusal, Synthetic, TrafficPattern};
use weir_topology::{End, Topology};
use weir_units::{Bandwidth, Duration, LinkId, Time};

impl Check<'_> {
    /// The routers: what the input says of them, and for the packet engine defaults where it says nothing.
    pub(crate) fn packet(&mut self, engine: Option<&EngineSection>) -> Option<PacketSection> {
        let needed = engine.is_some_and(EngineSection::has_packets);
        (needed || self.has("packet")).then(|| self.read("packet", PacketSection::read))
    }

    pub(crate) fn node_fits(&mut self, parts: &Parts) {
        let Parts { engine: Some(engine), node, .. } = parts else { return };
        let kind = engine.name();
        if engine.has_packets() {
            return;
        }
        let hint = "leave it out, or write engine.kind = \"packet\"";
        let mut section = self.section("node");
        let what = format!("belongs to engine.kind = \"packet\"; with {kind:?} interfaces have no direction");
        section.report_if(node.nics == Nics::PerDirection, "nics", what, "write how many: nics = 4");
        let what =
            format!("belongs to engine.kind = \"packet\"; with {kind:?} there are no virtual channels");
        section.report_if(node.injection_channels.is_some(), "injection_channels", what, hint);
        let what = format!("belongs to engine.kind = \"packet\"; with {kind:?} there are no packets");
        section.report_if(node.packet_gap != PacketGap::Fixed(0.0), "packet_gap", what, hint);
    }

    /// Refuses gaps of a pattern file that only the packet engine would heed, and gaps to be found where there is no
    /// pattern.
    pub(crate) fn gaps_fit(&mut self, parts: &Parts) {
        let Parts { engine, workload, node, .. } = parts;
        let found = matches!(node.packet_gap, PacketGap::MaxMin);
        let several = node.cables > 1 || node.choose.is_some_and(|rule| rule != Some(Choose::RoundRobin));
        let unknown =
            matches!(workload, Some(Workload::Program(_) | Workload::Synthetic(_) | Workload::Outside));
        let has_gaps = matches!(workload, Some(Workload::File(file)) if file.script.has_gaps());
        for (is_wrong, what, hint) in [
            (
                node.striping.over > 1,
                "does not fit node.stripe: the gap of a message is found for the one interface that sends it",
                "write a number, or leave stripe out",
            ),
            (
                several,
                "needs interfaces that messages take in turn, each at the same router",
                "write a number, or leave choose out and take nodes with one cable",
            ),
            (
                unknown,
                "does not fit: only the messages of a pattern are known before the run",
                "write a number, or for a program call weir_send_gap, or take its profile (weir log)",
            ),
            (
                has_gaps && engine.is_some(),
                "does not fit: the pattern file has gaps already",
                "leave packet_gap out, or take a file without gaps",
            ),
        ] {
            self.section("node").report_if(found && is_wrong, "packet_gap", what, hint);
        }
        if let Some(engine) = engine.as_ref().filter(|engine| has_gaps && !engine.has_packets()) {
            let engine = engine.name();
            let what = format!(
                "has gaps between packets, which belong to engine.kind = \"packet\"; with {engine:?} there are no packets"
            );
            let hint = "write engine.kind = \"packet\", or take a file without gaps";
            self.section("workload").report("file", what, hint);
        }
    }

    /// Refuses routers that no machine has, or this one has not, where none are made.
    pub(crate) fn unused_routers_fit(&mut self, parts: &Parts) {
        let Some(packet) = parts.packet.as_ref().filter(|_| self.routers_are_right()) else { return };
        self.refuse(packet.model(parts.machine(), &parts.classes).refusals(parts.machine()), "");
    }

    /// Returns whether nothing is wrong with what routers are made of.
    fn routers_are_right(&self) -> bool {
        !self.findings.touches(&["topology", "node", "packet", "classes"])
    }

    /// Makes the routers; `None` where they cannot be made, or something is wrong with what they are made of, or there is no
    /// time for it.
    pub(crate) fn routers_fit(&mut self, parts: &Parts) -> Option<PacketNetwork> {
        let Parts { engine: Some(EngineSection::Packet { .. }), node, machines: Some(machines), .. } = parts
        else {
            self.unused_routers_fit(parts);
            return None;
        };
        let machine = &*machines.first;
        if !self.routers_are_right() {
            return None;
        }
        if let Some(shortage) = shortage(PacketNetwork::least_memory(&node.model(), machine), self.memory) {
            let (nodes, links) = (machine.nodes(), machine.links());
            let what = format!("with {nodes} nodes and {links} links takes {shortage}");
            let hint = "take a smaller machine, or a computer (or a limit: ulimit -v) with more memory";
            self.section("topology").report("kind", what, hint);
            return None;
        }
        let first = self.built(parts, machine, "");
        let mut changes = Vec::new();
        for (at, machine) in &machines.changes {
            let when = format!(", from {} on", at.since(Time::ZERO));
            changes.push((*at, self.built(parts, machine, &when), machine));
        }
        let changes = changes.into_iter().map(|(at, network, machine)| Some((at, network?, machine)));
        Some(first?.becoming(machine, changes.collect::<Option<Vec<_>>>()?))
    }

    /// Warning about a machine alone if its buffers are said, and too small for their links, even if it cannot be run.
    pub(crate) fn throttled(&mut self, parts: &Parts) -> Option<String> {
        let (packet, machine) = (parts.packet.as_ref()?, parts.machine()?);
        if packet.input_buffer.is_none() || !self.routers_are_right() {
            return None;
        }
        let network = self
            .building
            .build(&packet.model(Some(machine), &parts.classes), &parts.node.model(), machine)
            .ok()??;
        warning(&network, machine)
    }

    /// The routers of a machine; `when` says when it is there, if not from the beginning.
    fn built(&mut self, parts: &Parts, machine: &Topology, when: &str) -> Option<PacketNetwork> {
        let routers = parts.packet.as_ref()?.model(Some(machine), &parts.classes);
        match self.building.build(&routers, &parts.node.model(), machine) {
            Ok(built) => return built,
            Err(refusals) => self.refuse(refusals, when),
        }
        None
    }

    /// Reports each where its key is, and when the machine is so, if not from the beginning.
    fn refuse(&mut self, refusals: Vec<Refusal>, when: &str) {
        for refusal in refusals {
            let (table, key) = refusal.key.split_once('.').expect("keys of experiments have a table");
            if table == "classes" {
                self.item_problem((table, 0), key, refusal.what + when, &refusal.hint);
                continue;
            }
            let mut section = self.section(table);
            // A value that is written is shown before what is wrong with it.
            let said = section.has(key).then(|| refusal.what.split_once(": ")).flatten();
            let what = match said {
                Some((is, rest)) if is.starts_with("is ") => rest.to_owned(),
                _ => refusal.what,
            };
            section.report(key, what + when, refusal.hint);
        }
    }

    /// Refuses slots in which a node would have to make more than one packet.
    fn slot_fits(&mut self, synthetic: &Synthetic, machine: Option<&Topology>) {
        let Injection::Bernoulli { slot: Some(slot) } = synthetic.injection else { return };
        let Some(machine) = machine else { return };
        let injection = (0..machine.nodes()).map(|node| machine.link(LinkId::new(node)).capacity);
        let Some(bandwidth) = injection.reduce(Bandwidth::max) else { return };
        let packet = bandwidth.serialization_time(synthetic.packet);
        if synthetic.offered_load * slot.as_secs_f64() > packet.as_secs_f64() {
            let what = format!(
                "is too long: a node makes at most one packet in a slot, and at this load one every {}",
                Duration::from_secs_f64(packet.as_secs_f64() / synthetic.offered_load).unwrap_or(packet)
            );
            let hint = "leave it out for the time of a flit, or take at most the time of a packet";
            self.section("workload").report("slot", what, hint);
        }
    }

    /// Refuses a shift by routers where these have different numbers of nodes.
    fn router_shift_fits(&mut self, synthetic: &Synthetic, machine: Option<&Topology>) {
        let Some(machine) =
            machine.filter(|_| matches!(synthetic.pattern, TrafficPattern::RouterShift { .. }))
        else {
            return;
        };
        let mut nodes_at = vec![0_u32; machine.routers()];
        let routers = (0..machine.nodes()).map(|node| machine.link(LinkId::new(node)).to);
        let routers =
            routers.filter_map(|end| if let End::Router(router) = end { Some(router) } else { None });
        routers.for_each(|router| nodes_at[router.index()] += 1);
        let counts = || nodes_at.iter().filter(|&&count| count > 0);
        let (Some(least), Some(most)) = (counts().min(), counts().max()) else { return };
        if least < most {
            let what = format!(
                "router-shift needs routers with the same number of nodes each, and here they have {least} to {most}"
            );
            let hint = "take pattern = \"shift\", which counts nodes";
            self.section("workload").report("pattern", what, hint);
        }
    }

    pub(crate) fn synthetic_fits(&mut self, parts: &Parts) {
        let Parts {
            engine: Some(engine), workload: Some(Workload::Synthetic(synthetic)), mapping, node, ..
        } = parts
        else {
            return;
        };
        self.slot_fits(synthetic, parts.machine());
        self.router_shift_fits(synthetic, parts.machine());
        if !engine.has_packets() {
            let what = format!(
                "needs engine.kind = \"packet\"; with {:?} there are no packets to generate",
                engine.name()
            );
            let hint = "write engine.kind = \"packet\", or take a pattern such as kind = \"permutation\"";
            self.section("workload").report("kind", what, hint);
        }
        let why = "does not fit: synthetic traffic has one rank on each node, linearly mapped";
        let hint = "leave [mapping] out";
        let mut section = self.section("mapping");
        section.report_if(mapping.kind != Mapping::Linear, "kind", why, hint);
        section.report_if(mapping.ranks_per_node != 1, "ranks_per_node", why, hint);
        let what = "does not fit: synthetic traffic comes from nodes with one interface";
        if engine.has_packets() && node.nics != Nics::Several(1) {
            self.section("node").report("nics", what, "leave it out");
        }
        if node.cables > 1 {
            let is_rails = matches!(parts.topology, Some(TopologySection::Rails(_)));
            let (key, hint) = match is_rails {
                true => ("networks", "take a pattern such as kind = \"permutation\", or one of the networks"),
                false => ("file", "take a pattern, or a file in which each node has one cable"),
            };
            self.section("topology").report(key, what, hint);
        }
    }
}
