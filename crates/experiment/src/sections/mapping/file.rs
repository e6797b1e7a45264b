//! `mapping.kind = "file"`: a mapping file, or one of a launcher.

use super::{DISTRIBUTION, FILE, HOSTS, RANK_ORDER, read_folding};
use crate::Problem;
use crate::foreign;
use crate::launch::hosts::Hosts;
use crate::launch::{self, Dealing, Distribution, Launch, Seats};
use crate::source::findings::FileMistake;
use crate::source::read_text;
use crate::source::reader::Section;
use std::path::PathBuf;
use weir_topology::{Folding, Topology};
use weir_units::NodeId;

/// A file that places ranks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileMapping {
    /// The file.
    pub path: PathBuf,
    /// The node of each rank, as the file says.
    pub node_of: Vec<NodeId>,
    /// Which nodes hosts are.
    pub hosts: Option<Hosts>,
    /// Order in which the ranks of a list of hosts are dealt out.
    pub distribution: Option<Distribution>,
    /// The job in whose shape coordinates are.
    pub job: Option<Folding>,
    /// Notes about parts that were passed over or assumed.
    pub notes: Vec<String>,
    /// True if the number of ranks that a node takes is known beside the file.
    pub(crate) is_bound: bool,
    /// The contents of the file, until there is a machine.
    launch: Option<Launch>,
}

pub(crate) enum Unopened {
    Unreadable(String),
    Wrong(Vec<Problem>),
}

impl FileMapping {
    /// A file that has been read, and puts ranks on these nodes.
    pub fn of(path: PathBuf, node_of: Vec<NodeId>) -> Self {
        let (hosts, distribution, job, launch) = (None, None, None, None);
        Self { path, node_of, hosts, distribution, job, notes: Vec::new(), is_bound: true, launch }
    }

    /// The nodes are still missing: see [`Self::open`] and [`Self::seat`].
    pub(super) fn read(section: &mut Section<'_>) -> Self {
        let path = section.get_required(&FILE).unwrap_or_default();
        let (hosts, distribution) = (section.get(&HOSTS), section.get(&DISTRIBUTION));
        let job = section.has("job").then(|| read_folding(section));
        // Ranks follow the file.
        section.settle(&RANK_ORDER, None);
        let is_bound = section.has("ranks_per_node");
        Self { hosts, distribution, job, is_bound, ..Self::of(path, Vec::new()) }
    }

    pub(crate) fn files(&self) -> impl Iterator<Item = &PathBuf> {
        let hosts = if let Some(Hosts::File(path)) = &self.hosts { Some(path) } else { None };
        std::iter::once(&self.path).chain(hosts)
    }

    fn name(&self) -> String {
        self.path.display().to_string()
    }

    fn elsewhere(&self) -> Option<Unopened> {
        foreign::data(&self.path).map(|what| Unopened::Unreadable(format!("{}: {what}", self.name())))
    }

    /// Reads the file as far as it can be without a machine. Returns how many ranks it has at most on one host, if it says that.
    pub(crate) fn open(&mut self) -> Result<Option<usize>, Unopened> {
        if self.path.as_os_str().is_empty() {
            return Ok(None);
        }
        let name = self.name();
        let text = read_text::read(&self.path, read_text::MOST_DATA).map_err(|error| {
            self.elsewhere().unwrap_or_else(|| Unopened::Unreadable(format!("{name}: {}", error.in_words())))
        })?;
        let launch = launch::read(&text).map_err(|mistakes| {
            let problem = |mistake: FileMistake| mistake.problem(&name, "mapping.file");
            self.elsewhere().unwrap_or_else(|| Unopened::Wrong(mistakes.into_iter().map(problem).collect()))
        })?;
        self.check_keys(&launch).map_err(Unopened::Wrong)?;
        let most = launch.most_on_a_host();
        self.notes = launch.notes.iter().map(|note| format!("{name}: {note}")).collect();
        self.launch = Some(launch);
        Ok(most)
    }

    fn check_keys(&self, launch: &Launch) -> Result<(), Vec<Problem>> {
        let (places, hosts) = match &launch.seats {
            Seats::Places(_) => (true, false),
            Seats::Hosts(_) => (false, true),
            Seats::Lines(_) | Seats::Ranks(_) | Seats::Order(_) => (false, false),
        };
        let says_nothing = |key: &str, what: &str| {
            let mistake = FileMistake::new(None, "", format!("says nothing beside this file: {what}"));
            mistake.hint("leave it out").problem(&self.name(), &format!("mapping.{key}"))
        };
        let job = (self.job.is_some() && !places)
            .then(|| says_nothing("job", "it has no coordinates such as (3,0,2)"));
        let dealt = (self.distribution.is_some() && !hosts).then(|| {
            says_nothing("distribution", "it is no list of hosts, and names the place of each rank")
        });
        let problems: Vec<Problem> = job.into_iter().chain(dealt).collect();
        if problems.is_empty() { Ok(()) } else { Err(problems) }
    }

    pub(super) fn ranks(&self, per_node: usize) -> Option<u64> {
        self.launch.as_ref()?.ranks(per_node)
    }

    /// Fills in the nodes; returns how many ranks share one at most. Nothing happens without a file that has been read.
    pub(crate) fn seat(&mut self, ranks: usize, on: &Topology, each: usize) -> Result<usize, Vec<Problem>> {
        let Some(launch) = self.launch.take() else { return Ok(1) };
        let file = self.name();
        let dealing = Dealing {
            ranks,
            machine: on,
            per_node: each,
            is_bound: self.is_bound,
            hosts: self.hosts.as_ref(),
            distribution: self.distribution,
            job: self.job.as_ref(),
            file: &file,
        };
        let (node_of, note) = launch.seat(&dealing).map_err(|problems| match foreign::data(&self.path) {
            Some(what) => vec![FileMistake::new(None, "", what).problem(&file, "mapping.file")],
            None => problems,
        })?;
        self.notes.extend(note.map(|note| format!("{file}: {note}")));
        self.node_of = node_of;
        self.is_bound = true;
        let mut nodes = self.node_of.clone();
        nodes.sort_unstable();
        Ok(nodes.chunk_by(|a, b| a == b).map(<[NodeId]>::len).max().unwrap_or(1))
    }
}
