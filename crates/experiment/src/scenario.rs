//! A checked experiment.

use crate::check::{Check, Parts};
use crate::engine::{Prepared, WorkFacts};
use crate::keys::form::{Integer, PathText, TEXT};
use crate::keys::keys;
use crate::sections::calibrated::{Interval, Intervals};
use crate::sections::faults::Machines;
use crate::sections::workload::{Room, Setting, Workload};
use crate::source::findings::Findings;
use crate::source::input::{self, Source};
use crate::source::reader::Section;
use crate::{
    AnalysisError, ClassRow, CollectivesSection, EngineSection, Fault, JobListSection, LimitsSection,
    Mapping, MappingSection, NodeSection, OutputSection, Pacing, PacketSection, Problems, StorageSection,
    TopologySection, Units, Upgrade, WorkRow, WorkloadSection,
};
use serde_json::Value;
use std::ops::Deref;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use std::time::Duration as WallTime;
use weir_collectives::{Choice, Named, Row};
use weir_message::CombiningRow;
use weir_network::{Limits, Placement, Watch};
use weir_record::Assumed;
use weir_topology::Topology;
use weir_units::{NodeId, Time};
use weir_workload::{Pattern, Queue, Totals};

/// An experiment in which everything is said and nothing is wrong, with what its check has made: it can be run. Its keys are
/// those of its [`Experiment`]. Clones share what was made. Two are equal if their keys are: the rest follows from them.
#[derive(Clone, Debug)]
pub struct Scenario {
    pub(crate) experiment: Experiment,
    /// The machine, with its cables between nodes and routers, and its faults.
    pub machines: Option<Arc<Machines>>,
    /// The engine on this machine; or the limit, in words, if time was over before its routers were made.
    pub prepared: Result<Prepared, String>,
    /// Messages of the ranks, where they are known before a run.
    pub pattern: Option<Arc<Pattern>>,
    pub(crate) assumed: Vec<Assumed>,
    /// The files of its input that ship with weir.
    pub shipped: Vec<&'static str>,
    /// Time that the check has taken: a part of `limits.wall_time`.
    pub spent: WallTime,
    pub(crate) placement: Arc<OnceLock<Placement>>,
    /// The gaps that `node.packet_gap = "max-min"` stands for, once somebody has asked.
    pub(crate) pacing: Arc<OnceLock<Result<Pacing, AnalysisError>>>,
}

/// Every key of an experiment, with its default where the input does not say it.
#[derive(Clone, Debug, PartialEq)]
pub struct Experiment {
    /// Title that the experiment gives itself; the name of its file or program if it gives none.
    pub title: String,
    /// Default of all other seeds.
    pub seed: u64,
    /// Form in which its quantities are written.
    pub units: Units,
    /// Routers and links; only the ideal engine does without.
    pub topology: Option<TopologySection>,
    /// Between which values its keys are known to lie.
    pub calibrated: Vec<Interval>,
    /// Parts of it that have failed or are slow.
    pub faults: Vec<Fault>,
    /// Which of its links are faster.
    pub upgrades: Vec<Upgrade>,
    /// The nodes.
    pub node: NodeSection,
    /// Rates at which nodes combine, by operation and type; where no row fits, that of the nodes.
    pub combining: Vec<CombiningRow>,
    /// Where ranks are.
    pub mapping: MappingSection,
    /// The engine.
    pub engine: EngineSection,
    /// Work of the ranks.
    pub workload: WorkloadSection,
    /// The list of jobs that they are of, if there is one.
    pub job_list: Option<JobListSection>,
    /// Factors of the time of their work.
    pub work: Vec<WorkRow>,
    /// Routers in detail, if said.
    pub packet: Option<PacketSection>,
    /// Service classes.
    pub classes: Vec<ClassRow>,
    /// Algorithms of collective operations.
    pub collectives: CollectivesSection,
    /// Which they are by ranks and bytes, before the preset.
    pub selection: Vec<Row<Named>>,
    /// The disks, if said; without them files take no time.
    pub storage: Option<StorageSection>,
    /// When to give up.
    pub limits: LimitsSection,
    /// Where results go.
    pub output: OutputSection,
    /// All of it as it would be written.
    pub(crate) resolved: Value,
}

impl Experiment {
    /// The whole experiment with every default filled in. Written into a `.json` file it can be loaded again and
    /// gives the same scenario; paths in it are relative to where weir was started.
    pub fn resolved(&self) -> Value {
        self.resolved.clone()
    }

    /// The algorithms of collectives.
    pub fn choice(&self) -> Choice {
        Choice { selection: self.selection.clone().into(), ..self.collectives.choice() }
    }

    /// The same with another value in place of a table of what [`Self::resolved`] returns.
    #[must_use]
    pub fn resolved_with(mut self, table: &str, value: Value) -> Self {
        self.resolved[table] = value;
        self
    }
}

impl Deref for Scenario {
    type Target = Experiment;

    fn deref(&self) -> &Experiment {
        &self.experiment
    }
}

impl PartialEq for Scenario {
    fn eq(&self, other: &Self) -> bool {
        self.experiment == other.experiment
    }
}

keys! {
    "":
    TITLE: String = "title", &[], TEXT, Words("name of the file without ending, or of the program"),
        "Title of the experiment.";
    SEED: u64 = "seed", &[], Integer(0, u64::MAX), Is("1"), "Default of all other seeds, 0 to 2^64 - 1.";
    MACHINE: PathBuf = "machine", &[], PathText, Words("none"),
        "Machine file that fills in what this one does not say.";
    CALIBRATED: Vec<Interval> = "calibrated", &[], Intervals, Words("none"),
        "Table of keys, as for `--set`, each with the lowest and the highest value that a calibration has left it \
         ([band](../guide/calibration.md#a-band)).";
}

const TABLES: &str =
    "topology mapping engine workload job_list packet node collectives storage limits output";

impl Scenario {
    /// Reads and checks an input. Looks whether the files it names are there; writes nothing.
    ///
    /// # Errors
    /// Everything that is wrong with it, at once.
    pub fn load(source: &Source) -> Result<Self, Problems> {
        Self::load_watched(source, &mut |_| ())
    }

    /// Like [`Self::load`]; `watch` is shown now and then that a machine is being built, as a progress without events.
    ///
    /// # Errors
    /// Everything that is wrong with it, at once.
    pub fn load_watched(source: &Source, watch: Watch<'_>) -> Result<Self, Problems> {
        let mut findings = Findings::default();
        let Some(input) = input::gather(source, &mut findings) else { return findings.into_result(None) };
        let scenario = Check::new(&input, &mut findings, watch).scenario(source);
        findings.into_result(scenario)
    }

    /// Number of nodes of the machine; without a topology as many as the ranks need.
    pub fn nodes(&self) -> usize {
        match self.machine() {
            Some(machine) => machine.nodes(),
            None => match &self.mapping.kind {
                Mapping::Jobs { node_of } => node_of.iter().map(|node| node.index() + 1).max().unwrap_or(0),
                _ => self.workload.ranks.div_ceil(self.mapping.ranks_per_node),
            },
        }
    }

    /// The machine, shared.
    pub fn topology(&self) -> Option<Arc<Topology>> {
        self.machines.as_ref().map(|machines| Arc::clone(&machines.first))
    }

    /// The machine as it is when the run begins; `None` without a topology.
    pub fn machine(&self) -> Option<&Topology> {
        self.machines.as_ref().map(|machines| &*machines.first)
    }

    /// The same scenario with other keys, on a machine and with an engine that are made already.
    #[must_use]
    pub fn changed(&self, experiment: Experiment) -> Self {
        Self { experiment, placement: Arc::default(), pacing: Arc::default(), ..self.clone() }
    }

    /// When to give up, the time that the check has taken included.
    pub fn limits(&self) -> Limits {
        Limits { spent: self.spent, ..self.limits.limits() }
    }

    /// Changes of the machine while a run goes on, each with its instant.
    pub fn changes(&self) -> &[(Time, Topology)] {
        self.machines.as_ref().map_or(&[], |machines| &machines.changes)
    }

    /// Warnings about the input, in sentences.
    pub fn warnings(&self) -> Vec<String> {
        let disks = self.storage.is_some();
        let of_profile = match &self.workload.kind {
            Workload::Profile(profile) => {
                [profile.warning(disks), profile.combining_warning(&self.combining)]
            }
            Workload::Graph(graph) => [graph.warning(), None],
            _ => [None, None],
        };
        let of_profile = of_profile.into_iter().flatten();
        let of_buffers = self.prepared.as_ref().ok().and_then(|prepared| prepared.warning());
        let of_job = || self.mapping.warning(self.workload.ranks, self.machine()?);
        let of_machine = self.topology.iter().filter_map(TopologySection::warning).chain(of_buffers);
        let of_file = self.mapping.notes().iter().cloned();
        let of_classes = self.warning_of_classes();
        let of_list = self.job_list.iter().flat_map(|list| list.notes.iter().cloned());
        of_machine.chain(of_file).chain(of_job()).chain(of_profile).chain(of_classes).chain(of_list).collect()
    }

    /// The defaults on which its result hangs, and which the input did not say.
    pub fn assumed(&self) -> &[Assumed] {
        &self.assumed
    }

    /// Number of messages of a run, where that is known before it: in a pattern.
    pub fn messages(&self) -> Option<u64> {
        self.pattern.as_deref().map(Totals::messages)
    }

    /// Number of wires that a link of a node stands for.
    pub fn wires_of_nodes(&self) -> u32 {
        let machine = self.machine().filter(|_| self.engine.has_links());
        machine.and_then(|machine| self.node.nics.count(machine)).unwrap_or(1)
    }

    /// Least memory of a run in bytes. Packets, messages and what programs allocate come on top.
    pub fn least_memory(&self) -> u64 {
        let work = WorkFacts {
            workload: &self.workload.kind,
            pattern: self.pattern.as_deref(),
            mapping: &self.mapping,
            node: &self.node,
            machine: self.machine(),
        };
        let (in_engine, each_rank) = self.engine.least_memory(&work);
        let of_rank = if self.pattern.is_some() { size_of::<Queue<Pattern>>() } else { 0 };
        let of_rank = (size_of::<NodeId>() + of_rank) as u64 + OF_RANK;
        in_engine + if each_rank { self.workload.ranks as u64 * of_rank } else { 0 }
    }

    /// Where each rank runs.
    pub fn placement(&self) -> &Placement {
        self.placement.get_or_init(|| Placement::new(self.mapping.place(self.workload.ranks, self.nodes())))
    }
}

/// Bytes of a rank beside its program: its counters and its place in the calendar.
const OF_RANK: u64 = 80;

impl Check<'_> {
    /// `None` only if there is a problem; the other way round the result is a scenario that is not used.
    fn scenario(mut self, source: &Source) -> Option<Scenario> {
        let (title, seed, calibrated) = self.root(source);
        let limits = self.read("limits", LimitsSection::read);
        self.building.set_limits(limits.limits());
        self.memory = limits.memory;
        self.building.stage("the topology is being read");
        let has_topology = self.has("topology");
        let mut parts = self.parts(seed);
        parts.engine = self.read("engine", |section| EngineSection::read(section, has_topology));
        self.need_topology(parts.engine.as_ref());
        self.node_fits(&parts);
        self.rule_fits(&mut parts);
        self.building.stage("the topology is being built");
        parts.machines = self.machines(&parts);
        self.changes_fit(&parts);
        parts.packet = self.packet(parts.engine.as_ref());
        self.building.stage("mapping and workload are being read");
        parts.mapping = self.mapping(seed);
        self.work_of_ranks(&mut parts, seed);
        let network = self.routers_fit(&parts);
        let work = self.work(&mut parts);
        self.classes_fit(&parts);
        self.gaps_fit(&parts);
        self.synthetic_fits(&parts);
        self.limits_fit(&limits, parts.workload.as_ref());
        let (collectives, selection) = self.algorithms(&mut parts);
        let (storage, output) = (self.storage(parts.workload.as_ref()), self.output(source));
        self.output_fits(&output, &parts);
        let network =
            network.map(|network| Arc::new(self.with_windows(network, parts.workload.as_ref(), &output)));
        let units = self.findings.units();
        let machines = parts.machines.take().map(Arc::new);
        let prepared = match self.building.interrupted() {
            Some(limit) => Err(limit),
            None => {
                let machine = machines.as_ref().map(|machines| &machines.first);
                Ok(parts.engine.as_ref()?.prepared(machine, network)?)
            }
        };
        let (combining, resolved) = (self.combining(), self.findings.resolved.whole(units));
        let assumed = self.assumed_of(&parts, (&collectives, &selection), &resolved);
        let job_list = parts.job_list.take();
        let Parts { topology, node, faults, upgrades, engine, packet, classes, mapping, pattern, .. } = parts;
        let experiment = Experiment {
            title,
            seed,
            units,
            topology,
            calibrated,
            faults,
            upgrades,
            node,
            combining,
            mapping,
            engine: engine?,
            workload: WorkloadSection { ranks: parts.ranks?, kind: parts.workload? },
            job_list,
            work,
            packet,
            classes,
            collectives,
            selection,
            storage,
            limits,
            output,
            resolved,
        };
        Some(Scenario {
            experiment,
            machines,
            prepared,
            pattern: pattern.map(Arc::new),
            assumed,
            shipped: self.input.shipped.clone(),
            spent: self.building.spent(),
            placement: Arc::default(),
            pacing: Arc::default(),
        })
    }

    /// The topology, the nodes and what is said of single links; nothing else is known yet.
    pub(crate) fn parts(&mut self, seed: u64) -> Parts {
        let topology =
            if self.is_table("topology") { self.read("topology", TopologySection::read) } else { None };
        let node = self.read("node", |section| NodeSection::read(section, topology.as_ref()));
        Parts {
            topology,
            node,
            faults: self.faults(seed),
            upgrades: self.upgrades(),
            machines: None,
            engine: None,
            packet: None,
            classes: self.classes(),
            mapping: MappingSection::linear(),
            ranks: None,
            workload: None,
            job_list: None,
            pattern: None,
        }
    }

    pub(crate) fn machines(&mut self, parts: &Parts) -> Option<Machines> {
        self.machine(parts.topology.as_ref(), &parts.node).map(|machine| self.degraded(machine, parts))
    }

    /// Reads the work of one job, of several, or of those of a list.
    fn work_of_ranks(&mut self, parts: &mut Parts, seed: u64) {
        match (self.has("job_list"), self.has("jobs")) {
            (true, _) => self.job_list(parts, seed),
            (false, true) => self.jobs(parts, seed),
            (false, false) => self.workload(parts, seed),
        }
    }

    /// Reads the workload, and what follows from the number of its ranks.
    fn workload(&mut self, parts: &mut Parts, seed: u64) {
        let needs_none = parts.engine.as_ref().is_some_and(|engine| !engine.has_links());
        let room = Room::of(parts.machine(), needs_none && !self.has("topology"), &parts.mapping);
        let mtu = parts.packet.as_ref().map_or_else(PacketSection::default_mtu, |packet| packet.mtu);
        let shape = parts.topology.as_ref().and_then(TopologySection::shape);
        let shape = shape.filter(|_| parts.mapping.ranks_per_node == 1);
        let setting = Setting { seed, room, shape, mtu, ranks: None };
        let read = self.read("workload", |section| Workload::read(section, setting));
        (parts.ranks, parts.workload, parts.pattern) = (read.ranks, read.kind, read.pattern);
        let Some(ranks) = parts.ranks else { return };
        self.ranks_fit(parts, ranks);
        self.mapping_file(parts, ranks);
        self.ranks_reach_each_other(parts, ranks);
        self.method_fits(parts);
    }

    fn output(&mut self, source: &Source) -> OutputSection {
        let mut output = self.read("output", OutputSection::read);
        // A name that is no text is kept as it is.
        if let (Some(dir), Some(_)) = (&source.out, &output.dir) {
            output.dir = Some(dir.clone());
        }
        output
    }

    pub(crate) fn storage(&mut self, workload: Option<&Workload>) -> Option<StorageSection> {
        self.storage_fits(workload);
        self.has("storage").then(|| self.read("storage", StorageSection::read))
    }

    /// Title, seed and intervals, and whether there are unknown tables.
    pub(crate) fn root(&mut self, source: &Source) -> (String, u64, Vec<Interval>) {
        let whole = self.input.whole.clone();
        let mut root = Section::new("", self.input.tree.clone(), whole, self.findings);
        let title = root.get(&TITLE).or_else(|| source.default_title()).unwrap_or_default();
        root.settle(&TITLE, title.clone());
        let seed = root.get_or_default(&SEED);
        let calibrated = root.get(&CALIBRATED).unwrap_or_default();
        root.settle(&CALIBRATED, Some(calibrated.clone()).filter(|intervals| !intervals.is_empty()));
        for table in TABLES.split(' ') {
            root.table(table);
        }
        // Has been taken out already; known, so that it is proposed for what looks like it.
        root.pass(&[MACHINE.name, "faults", "upgrades", "combining", "work", "selection", "classes", "jobs"]);
        root.finish();
        (title, seed, calibrated)
    }

    fn need_topology(&mut self, engine: Option<&EngineSection>) {
        if engine.is_some_and(EngineSection::has_links) && !self.has("topology") {
            let hint =
                "add [topology] with kind, shape and bandwidth; only engine.kind = \"ideal\" does without";
            self.findings.add(&self.input.whole, "topology", "", "is missing".into(), Some(hint.into()));
        }
    }

    fn method_fits(&mut self, parts: &Parts) {
        let Parts { engine: Some(engine), workload: Some(workload), mapping, node, .. } = parts else {
            return;
        };
        let (pattern, machine) = (parts.pattern.as_ref(), parts.machine());
        if let Some(why) = engine.refuses_workload(&WorkFacts { workload, pattern, mapping, node, machine }) {
            let hint = "leave out method: method = \"incremental\" runs everything";
            self.section("engine").report("method", format!("does not fit: {why}"), hint);
        }
    }

    /// Makes the machine; `None` where it cannot be made.
    fn machine(&mut self, topology: Option<&TopologySection>, node: &NodeSection) -> Option<Topology> {
        let section = topology?;
        match section.build(node.link(section), node.node_cables()) {
            Ok(machine) => Some(machine),
            Err(mistakes) => {
                for (network, mistake) in mistakes {
                    self.report_in_network(network, mistake.key, mistake.what, mistake.hint);
                }
                None
            }
        }
    }

    /// Only a run whose work is known can be expected to take so long.
    fn limits_fit(&mut self, limits: &LimitsSection, workload: Option<&Workload>) {
        if limits.expected_wall_time.is_some() && workload.is_some_and(Workload::is_program) {
            let what = "does not fit: how long an MPI program takes is known only when it runs";
            let hint = "write wall_time, which ends the run, or take its profile (weir log)";
            self.section("limits").report("expected_wall_time", what, hint);
        }
    }
}
