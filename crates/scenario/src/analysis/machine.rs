//! A machine without anything that runs on it.

use crate::check::Check;
use crate::network_file::export;
use crate::sections::faults::Machines;
use crate::source::findings::Findings;
use crate::source::input::{self, Source};
use crate::{
    EngineSection, ExportError, MappingSection, NodeSection, PacketSection, Problems, TopologySection,
};
use std::path::Path;
use std::sync::Arc;
use weir_record::{Assumed, Faults};
use weir_topology::{End, Topology};
use weir_units::LinkId;

/// A machine in which everything is said and nothing is wrong: what a machine file describes, or an experiment file
/// without its workload.
#[derive(Clone, Debug)]
pub struct MachineDescription {
    /// The title of the experiment, or the name of the file without its ending.
    pub title: String,
    /// Routers and links.
    pub topology: TopologySection,
    /// The nodes.
    pub node: NodeSection,
    /// Where ranks would be; nodes of a mapping file are not filled in.
    pub mapping: MappingSection,
    pub(crate) machines: Arc<Machines>,
    pub(crate) throttled: Option<String>,
    pub(crate) assumed: Vec<Assumed>,
    /// The files of its input that ship with weir.
    pub shipped: Vec<&'static str>,
}

impl MachineDescription {
    /// Reads and checks what an input says of its machine; [`Source::experiment`] may name a machine file. A workload is
    /// not needed, and not looked at.
    ///
    /// # Errors
    /// Everything that is wrong with the machine, at once.
    pub fn load(source: &Source) -> Result<Self, Problems> {
        let mut findings = Findings::default();
        let Some(input) = input::gather(source, &mut findings) else { return findings.into_result(None) };
        let machine = Check::new(&input, &mut findings, &mut |_| ()).machine_alone(source);
        findings.into_result(machine)
    }

    /// The machine, with its cables between nodes and routers, as it is when a run begins.
    #[must_use]
    pub fn topology(&self) -> Arc<Topology> {
        Arc::clone(&self.machines.first)
    }

    /// Bandwidth of all links between routers together, in bytes per second, each of both ways of a cable. O(links).
    #[must_use]
    pub fn bandwidth_between_routers(&self) -> f64 {
        let topology = self.topology();
        let is_router = |end: End| matches!(end, End::Router(_));
        let links = (0..topology.links()).map(|link| topology.link(LinkId::new(link)));
        let between = links.filter(|link| is_router(link.from) && is_router(link.to));
        between.map(|link| link.capacity.bytes_per_second()).sum()
    }

    /// Parts that its faults affect.
    #[must_use]
    pub fn fault_list(&self) -> &Faults {
        &self.machines.fault_list
    }

    /// Warnings about the input, in sentences.
    #[must_use]
    pub fn warnings(&self) -> Vec<String> {
        self.topology.warning().into_iter().chain(self.throttled.clone()).collect()
    }

    /// The defaults on which the result of a run would hang, and which the input did not say.
    #[must_use]
    pub fn assumed(&self) -> &[Assumed] {
        &self.assumed
    }

    /// Writes the machine as a graph, in the form that the name's ending stands for: `.graphml`, `.json` or `.csv`. A file
    /// of this name is replaced when the new one is complete; after a failure it is as it was.
    ///
    /// # Errors
    /// When the ending is not known, or writing fails.
    pub fn write_graph(&self, path: &Path) -> Result<(), ExportError> {
        export::graph(&self.topology(), path)
    }

    /// Writes the routes of all pairs of nodes into a file that goes with [`Self::write_graph`], in the same way.
    ///
    /// # Errors
    /// When there are too many, or writing fails.
    pub fn write_routes(&self, path: &Path) -> Result<(), ExportError> {
        export::routes(&self.topology(), path)
    }
}

impl Check<'_> {
    /// Only what makes the machine. Of the rest whatever a machine file may say is read for its mistakes; the workload
    /// need not be there, and is left alone if it is. `None` if anything is wrong with it.
    fn machine_alone(mut self, source: &Source) -> Option<MachineDescription> {
        let (title, seed, _) = self.root(source);
        let (topology, node) = self.topology_and_node();
        if !self.has("topology") {
            let hint =
                "add [topology] with kind, shape and bandwidth: without it there is no machine to look at";
            self.findings.add(&self.input.whole, "topology", "", "is missing".into(), Some(hint.into()));
        }
        let (faults, upgrades) = (self.faults(seed), self.upgrades());
        let machines = self.machines(topology.as_ref(), &node, (&faults, &upgrades));
        let engine = self.read("engine", |section| EngineSection::read(section, true));
        let mapping = self.read("mapping", |section| MappingSection::read(section, seed));
        self.combining();
        self.algorithms(None, None, None, &node);
        self.storage(None);
        let packet = self.read("packet", PacketSection::read);
        let assumed = self.assumed_of_machine(engine.as_ref(), (topology.as_ref(), &node), &mapping);
        self.findings.units();
        let (topology, machines) = (topology?, Arc::new(machines?));
        let throttled = self.throttled(&packet, &node, &machines.first);
        let shipped = self.input.shipped.clone();
        Some(MachineDescription { title, topology, node, mapping, machines, throttled, assumed, shipped })
    }
}
