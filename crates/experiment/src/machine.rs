//! A machine without anything that runs on it.

use crate::check::{Check, Parts};
use crate::sections::faults::Machines;
use crate::sections::mapping;
use crate::sections::mapping::file::Unopened;
use crate::source::findings::Findings;
use crate::source::input::{self, Source};
use crate::{
    AnalysisError, EngineSection, FileMapping, GraphFormat, Mapping, MappingSection, NodeSection,
    PacketSection, Problem, Problems, TopologySection, write_graph, write_routes,
};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use weir_record::{Assumed, Faults, write_whole};
use weir_topology::{End, Topology};
use weir_units::{LinkId, NodeId};

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
    /// The machine with its faults.
    pub machines: Arc<Machines>,
    pub(crate) throttled: Option<String>,
    pub(crate) assumed: Vec<Assumed>,
    /// The files of its input that ship with weir.
    pub shipped: Vec<&'static str>,
}

/// A file with more routes is of no use.
const MOST_ROUTES: u64 = 200_000_000;

/// Why a machine cannot be written into a file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExportError {
    /// The ending of the name is none of those known.
    #[error("{path}: a machine is written as .graphml, .json (node-link) or .csv (edge list)", path = .0.display())]
    UnknownFormat(PathBuf),
    /// There are too many routes; says how many.
    #[error("the machine has {0} routes; more than {MOST_ROUTES} are not written into a file")]
    TooManyRoutes(u64),
    /// A pair of nodes has several routes, one for each cable of a node.
    #[error(
        "nodes have several cables, and a route for each: a file of routes has one for each pair of nodes"
    )]
    SeveralCables,
    /// It cannot be written.
    #[error("cannot write {path}: {1}", path = .0.display())]
    Write(PathBuf, io::Error),
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
    pub fn topology(&self) -> Arc<Topology> {
        Arc::clone(&self.machines.first)
    }

    /// Bandwidth of all links between routers together, in bytes per second, each of both ways of a cable. O(links).
    pub fn bandwidth_between_routers(&self) -> f64 {
        let topology = self.topology();
        let is_router = |end: End| matches!(end, End::Router(_));
        let links = (0..topology.links()).map(|link| topology.link(LinkId::new(link)));
        let between = links.filter(|link| is_router(link.from) && is_router(link.to));
        between.map(|link| link.capacity.bytes_per_second()).sum()
    }

    /// Parts that its faults affect.
    pub fn fault_list(&self) -> &Faults {
        &self.machines.fault_list
    }

    /// Warnings about the input, in sentences.
    pub fn warnings(&self) -> Vec<String> {
        self.topology.warning().into_iter().chain(self.throttled.clone()).collect()
    }

    /// The defaults on which the result of a run would hang, and which the input did not say.
    pub fn assumed(&self) -> &[Assumed] {
        &self.assumed
    }

    /// The node of each rank, where so many are placed as the mapping says.
    ///
    /// # Errors
    /// When they cannot be placed.
    pub fn place(&self, ranks: usize) -> Result<Vec<NodeId>, AnalysisError> {
        let machine = &*self.machines.first;
        let per_node = self.mapping.ranks_per_node;
        let is_file = matches!(self.mapping.kind, Mapping::File(_));
        if !is_file && ranks.div_ceil(per_node) > machine.nodes() {
            return no_room(ranks, machine.nodes());
        }
        match &self.mapping.kind {
            Mapping::File(file) => self.place_by(file.clone(), ranks, machine),
            Mapping::Nicam { .. } => match mapping::nicam_nodes(ranks, machine) {
                Some(nodes) => Ok(nodes),
                None => AnalysisError::refused(format!(
                    "mapping.kind = \"nicam\" has no place for {ranks} ranks on this machine: it folds 10 M^2 ranks onto a torus of \
                     5 x 2M x M or 40 x M/2 x M/2; say how many ranks there are with --ranks"
                )),
            },
            Mapping::Folded { folding, .. } => {
                let (nodes, _) =
                    folding.nodes(machine).or_else(|why| AnalysisError::refused(format!("the job {why}")))?;
                let places = self.mapping.in_places(ranks, &nodes);
                match places.len() == ranks {
                    true => Ok(places),
                    false => no_room(ranks, nodes.len()),
                }
            }
            Mapping::Linear | Mapping::Cyclic | Mapping::Random { .. } | Mapping::Jobs { .. } => {
                Ok(self.mapping.place(ranks, machine.nodes()))
            }
        }
    }

    fn place_by(
        &self,
        mut file: FileMapping,
        ranks: usize,
        machine: &Topology,
    ) -> Result<Vec<NodeId>, AnalysisError> {
        let path = file.path.display().to_string();
        let first = |problems: Vec<Problem>| {
            let words = problems.into_iter().next().map(|Problem { line, what, .. }| match line {
                Some(line) => format!("line {line}: {what}"),
                None => what,
            });
            format!("{path}: {}", words.unwrap_or_default())
        };
        let opened = file.open().map_err(|error| match error {
            Unopened::Unreadable(why) => why,
            Unopened::Wrong(problems) => first(problems),
        });
        let seated =
            opened.and_then(|_| file.seat(ranks, machine, self.mapping.ranks_per_node).map_err(first));
        seated.or_else(|why| AnalysisError::refused(format!("mapping.file cannot be used: {why}")))?;
        Ok(file.node_of)
    }

    /// Writes the machine as a graph, in the form that the name's ending stands for: `.graphml`, `.json` or `.csv`. A file
    /// of this name is replaced when the new one is complete; after a failure it is as it was.
    ///
    /// # Errors
    /// When the ending is not known, or writing fails.
    pub fn write_graph(&self, path: &Path) -> Result<(), ExportError> {
        let format = GraphFormat::of(path).ok_or_else(|| ExportError::UnknownFormat(path.to_owned()))?;
        let written = write_whole(path, |out| write_graph(&self.topology(), format, out));
        written.map_err(|error| ExportError::Write(path.to_owned(), error))
    }

    /// Writes the routes of all pairs of nodes into a file that goes with [`Self::write_graph`], in the same way.
    ///
    /// # Errors
    /// When nodes have several cables, when there are too many, or writing fails.
    pub fn write_routes(&self, path: &Path) -> Result<(), ExportError> {
        let topology = self.topology();
        if topology.most_cables() > 1 {
            return Err(ExportError::SeveralCables);
        }
        let nodes = topology.nodes() as u64;
        let count = nodes.saturating_mul(nodes.saturating_sub(1));
        if count > MOST_ROUTES {
            return Err(ExportError::TooManyRoutes(count));
        }
        let written = write_whole(path, |out| write_routes(&topology, out));
        written.map_err(|error| ExportError::Write(path.to_owned(), error))
    }
}

fn no_room<T>(ranks: usize, nodes: usize) -> Result<T, AnalysisError> {
    let each = "mapping.ranks_per_node says how many share one";
    AnalysisError::refused(format!("{ranks} ranks do not fit {nodes} nodes; {each}"))
}

impl Check<'_> {
    /// Only what makes the machine. Of the rest whatever a machine file may say is read for its mistakes; the workload
    /// need not be there, and is left alone if it is. `None` if anything is wrong with it.
    fn machine_alone(mut self, source: &Source) -> Option<MachineDescription> {
        let (title, seed, _) = self.root(source);
        let mut parts = self.parts(seed);
        if !self.has("topology") {
            let hint =
                "add [topology] with kind, shape and bandwidth: without it there is no machine to look at";
            self.findings.add(&self.input.whole, "topology", "", "is missing".into(), Some(hint.into()));
        }
        parts.machines = self.machines(&parts);
        parts.engine = self.read("engine", |section| EngineSection::read(section, true));
        parts.mapping = self.read("mapping", |section| MappingSection::read(section, seed));
        self.combining();
        self.algorithms(&mut parts);
        self.storage(None);
        parts.packet = Some(self.read("packet", PacketSection::read));
        self.unused_routers_fit(&parts);
        let assumed = self.assumed_of_machine(&mut parts);
        self.findings.units();
        let throttled = self.throttled(&parts);
        let Parts { topology, node, mapping, machines, .. } = parts;
        let (topology, machines) = (topology?, Arc::new(machines?));
        let shipped = self.input.shipped.clone();
        Some(MachineDescription { title, topology, node, mapping, machines, throttled, assumed, shipped })
    }
}
