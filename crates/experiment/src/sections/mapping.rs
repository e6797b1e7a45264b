//! `[mapping]`: which node each rank runs on.

mod check;
pub(crate) mod file;

use crate::keys::form::{Integer, OneOf, PathText, SIZES, TEXT};
use crate::keys::keys;
use crate::launch::Distribution;
use crate::launch::hosts::{HostTable, Hosts};
use crate::source::input::ORDER_OF_MAPPING;
use crate::source::reader::Section;
pub use file::FileMapping;
use std::path::PathBuf;
use weir_topology::{Fold, Folding, Generator, Topology, Wrap, mapping};
use weir_units::NodeId;
use weir_workload::NicamFolding;

/// Placement of ranks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MappingSection {
    /// Number of ranks that may share a node.
    pub ranks_per_node: usize,
    /// The rule.
    pub kind: Mapping,
}

/// A rule that places ranks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Mapping {
    /// Consecutive ranks share a node, the nodes in their order.
    Linear,
    /// Ranks go to the nodes in turn: to those that blocks would fill.
    Cyclic,
    /// Consecutive ranks share a node, the nodes in random order.
    Random {
        /// Seed of the permutation.
        seed: u64,
        /// Generator of the permutation.
        generator: Generator,
    },
    /// A file says the place of each rank.
    File(FileMapping),
    /// Along the sides of a job's own torus, which is folded into the machine.
    Folded {
        /// The job and how it lies.
        folding: Folding,
        /// The node of each place.
        node_of: Vec<NodeId>,
    },
    /// The ranks of NICAM on a torus, as in paper 004, figure 6.
    Nicam {
        /// The node of each rank.
        node_of: Vec<NodeId>,
    },
    /// The ranks of several jobs, as each of them says.
    Jobs {
        /// The node of each rank.
        node_of: Vec<NodeId>,
    },
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Linear,
    Cyclic,
    Random,
    File,
    Folded,
    Nicam,
}

const FOLDED: &[&str] = &["folded"];
const OF_JOBS: &[&str] = &["folded", "file"];
const FILED: &[&str] = &["file"];
/// Ways to fold a side, by name.
const FOLDS: [(&str, Fold); 3] = [("snake", Fold::Snake), ("zig-zag", Fold::ZigZag), ("full", Fold::Full)];
const SIDES: &str = "xyz";

keys! {
    "mapping":
    KIND: Kind = "kind", &[],
        OneOf(&[
            ("linear", Kind::Linear), ("cyclic", Kind::Cyclic), ("random", Kind::Random), ("file", Kind::File),
            ("folded", Kind::Folded), ("nicam", Kind::Nicam),
        ]), Is("\"linear\""),
        "Rule that places ranks: `linear` (rank after rank), `cyclic` (ranks in turn over the nodes that `linear` would fill), `random`, `file`, `folded` (a job's torus within a Tofu), `nicam` (ten diamonds of M x M ranks on a torus of 5 x 2M x M or \
         40 x M/2 x M/2: the NICAM pacing paper, figure 6).";
    RANKS_PER_NODE: usize = "ranks_per_node", &[], Integer::COUNT, Is("1"),
        "Number of ranks that may share a node; with `linear` and `random` consecutive ones do. Without it a file that says how many ranks a host \
         takes is followed.";
    SEED: u64 = "seed", &["random"], Integer(0, u64::MAX), Words("`seed`"), "Seed of the permutation.";
    GENERATOR: Generator = "generator", &["random"], OneOf(&GENERATORS), Is("\"lcg\""),
        "Generator of the permutation: `lcg` (repeats published placements) or `splitmix`.";
    FILE: PathBuf = "file", FILED, PathText, Required("name a file with one line \"rank node\" per rank, or a list of hosts"),
        "File with one line `rank node` per rank, or a [file of a launcher](#files-of-launchers): a list of hosts, a rankfile, coordinates in a job; \
         `#` begins a comment.";
    HOSTS: Hosts = "hosts", FILED, HostTable, Words("graph: by name; else by number or order"),
        "Nodes that hosts are: a table such as `{ \"node[001-512]\" = 0 }` (of a list the first host has this node, the others the next \
         ones), or a file with a host and its node in each line.";
    DISTRIBUTION: Distribution = "distribution", FILED,
        OneOf(&[("block", Distribution::Block), ("cyclic", Distribution::Cyclic)]), Words("`block`, or as the file says"),
        "Order in which the ranks of a list of hosts are dealt out: `block` (one host after the other is filled), `cyclic` (one rank on each in turn).";
    JOB: Vec<u32> = "job", OF_JOBS, SIZES, Required("write the sides of the job's torus: job = [4, 4, 4]"),
        "Sides of the job's torus, x first, at most three. On a Tofu only the part of the machine is simulated that the job has: with \
         `topology.shape` that much of it, without it as much as the job needs. Without `workload.ranks` the job has one rank for each \
         place (and of `ranks_per_node`). With `file`: the shape in which coordinates of the file are; without it they are those of the machine.";
    RANK_ORDER: String = "rank_order", FOLDED, TEXT, Is("\"xyz\""),
        "Sides along which ranks go first, then, and last, as in `yzx`; sides that the job does not have are skipped.";
    AXES: String = "axes", OF_JOBS, TEXT, Is("\"xyz\""),
        "Side of the job that lies along the machine's x (and a), y (and b), z (and c): the order in which routes pass them. On a Tofu a \
         side may have several, as in `xyy`; a side that the job does not have stands for its last one; where a job does not fit so, the \
         first of xyz, xzy, yxz, yzx, zxy, zyx (of two sides: xyy, yxy, yyx, xxy, xyx, yxx) in which it does is taken.";
    FOLD: Fold = "fold", OF_JOBS, OneOf(&FOLDS), Is("\"snake\""),
        "Way in which a side lies along two dimensions of a Tofu: `snake` (an even side: out at a = 0, back at a = 1), `zig-zag` (an even side: to and \
         fro between two places), `full` (to and fro over all places of the inner dimension, so few nodes stay idle, but no side is closed); \
         snakes and zig-zags that are longer than the machine are full.";
    ROWS: u32 = "rows", OF_JOBS, Integer::COUNT, Words("as many as places in a row"),
        "Number of rows, about, of a side that lies along several pairs of dimensions of a Tofu: an even number near to it that fits is taken.";
}

/// Generators by name; the first is the default, because it repeats the published placements of paper 000.
pub(crate) const GENERATORS: [(&str, Generator); 2] =
    [("lcg", Generator::Lcg), ("splitmix", Generator::SplitMix)];

pub(crate) fn nicam_nodes(ranks: usize, topology: &Topology) -> Option<Vec<NodeId>> {
    NicamFolding::of(ranks, &torus_sizes(topology)).map(|folding| folding.nodes(ranks))
}

fn torus_sizes(topology: &Topology) -> Vec<u32> {
    match topology.whole() {
        Topology::Torus(torus) => torus.dimensions().map(|dimension| dimension.size).collect(),
        _ => Vec::new(),
    }
}

impl MappingSection {
    /// One rank on each node, in their order.
    pub const fn linear() -> Self {
        Self { ranks_per_node: 1, kind: Mapping::Linear }
    }

    /// The nodes of a file are still missing: see [`Self::read_file`].
    pub(crate) fn read(section: &mut Section<'_>, default_seed: u64) -> Self {
        let ranks_per_node = section.get_or_default(&RANKS_PER_NODE);
        let kind = match section.kind(&KIND, &KEYS, Some(Kind::Linear)) {
            Some(Kind::Linear) | None => Mapping::Linear,
            Some(Kind::Nicam) => Mapping::Nicam { node_of: Vec::new() },
            Some(Kind::Folded) => Mapping::Folded { folding: read_folding(section), node_of: Vec::new() },
            Some(Kind::Random) => Mapping::Random {
                seed: section.get_or(&SEED, default_seed),
                generator: section.get_or_default(&GENERATOR),
            },
            Some(Kind::Cyclic) => Mapping::Cyclic,
            Some(Kind::File) => Mapping::File(FileMapping::read(section)),
        };
        section.put_last("rank_order job axes fold rows ranks_per_node");
        Self { ranks_per_node, kind }
    }

    /// Reads a mapping file as far as it can be without a machine, if there is one.
    pub(crate) fn open_file(&mut self, section: &mut Section<'_>) {
        let Mapping::File(file) = &mut self.kind else { return };
        match file.open() {
            Ok(most) => {
                self.ranks_per_node = most.filter(|_| !file.is_bound).unwrap_or(self.ranks_per_node);
                section.settle(&RANKS_PER_NODE, self.ranks_per_node);
            }
            Err(file::Unopened::Unreadable(why)) => section.report("file", why, ""),
            Err(file::Unopened::Wrong(problems)) => section.extend(ORDER_OF_MAPPING, problems),
        }
    }

    /// Fills in the nodes of a mapping file, if there is one that has been read.
    pub(crate) fn read_file(&mut self, section: &mut Section<'_>, ranks: usize, topology: Option<&Topology>) {
        let Mapping::File(file) = &mut self.kind else { return };
        if file.path.as_os_str().is_empty() {
            return;
        }
        let Some(topology) = topology else {
            section.report("file", "needs a [topology] whose nodes it can name", "");
            return;
        };
        match file.seat(ranks, topology, self.ranks_per_node) {
            Ok(most) => {
                self.ranks_per_node = self.ranks_per_node.max(most);
                section.settle(&RANKS_PER_NODE, self.ranks_per_node);
            }
            Err(problems) => section.extend(ORDER_OF_MAPPING, problems),
        }
    }

    /// Number of ranks of a job that names its places.
    pub(crate) fn places(&self) -> Option<u64> {
        match &self.kind {
            Mapping::Folded { folding, .. } => {
                Some(folding.places().saturating_mul(self.ranks_per_node as u64))
            }
            Mapping::File(file) => file.ranks(self.ranks_per_node),
            _ => None,
        }
    }

    /// Sides of the closed grid whose places the ranks are, one each, that along which they follow each other first: the job's own torus, or
    /// a machine that is one and that they fill in order.
    pub(crate) fn grid(&self, ranks: usize, machine: Option<&Topology>) -> Option<Vec<u32>> {
        let sides: Vec<u32> = match (&self.kind, machine?.whole()) {
            (Mapping::Folded { folding, .. }, _) => {
                folding.order.iter().map(|&side| folding.job[side]).collect()
            }
            (Mapping::Linear, Topology::Torus(torus)) => {
                let closed = torus.dimensions().filter(|side| side.wrap == Wrap::Torus || side.size <= 2);
                let sides = closed.map(|side| side.size).collect::<Vec<u32>>();
                Some(sides).filter(|sides| sides.len() == torus.dimensions().count())?
            }
            _ => return None,
        };
        let places: u64 = sides.iter().map(|&side| u64::from(side)).product();
        (self.ranks_per_node == 1 && places == ranks as u64).then_some(sides)
    }

    pub(crate) fn lay(&mut self, section: &mut Section<'_>, ranks: usize, topology: Option<&Topology>) {
        let places = self.places();
        let Mapping::Folded { folding, node_of } = &mut self.kind else { return };
        let Some(topology) = topology else {
            section.report("kind", "needs a [topology] that is a torus or a Tofu", "");
            return;
        };
        match folding.nodes(topology) {
            Ok((nodes, axes)) => {
                section.settle(&AXES, letters(&axes));
                (*node_of, folding.axes) = (nodes, axes);
            }
            Err(why) => {
                let hint = "write other sides: on a Tofu one has at most 2 places for each group along x and z, 3 along y, and two sides or one \
                            have more; or leave out topology.shape: the machine is then as large as the job needs";
                section.report("job", why, hint);
            }
        }
        let is_wrong = places.is_some_and(|places| ranks as u64 > places);
        let what = format!("has {} places: too few for {ranks} ranks", folding.places());
        section.report_if(is_wrong, "job", what, "");
    }

    /// Notes about what a mapping file left open, and how that was read.
    pub(crate) fn notes(&self) -> &[String] {
        if let Mapping::File(file) = &self.kind { &file.notes } else { &[] }
    }

    /// That a job keeps more nodes of a Tofu than have ranks.
    pub(crate) fn warning(&self, ranks: usize, machine: &Topology) -> Option<String> {
        let Mapping::Folded { folding, .. } = &self.kind else { return None };
        let Topology::Torus(torus) = machine.whole() else { return None };
        let (groups, _) = folding.part(weir_topology::tofu::groups(torus)?).ok()?;
        let group: u32 = weir_topology::tofu::GROUP.iter().product();
        let nodes = groups.iter().map(|&groups| u64::from(groups)).product::<u64>() * u64::from(group);
        let taken = ranks.div_ceil(self.ranks_per_node) as u64;
        (taken < nodes).then(|| {
            let by = |sides: &[u32]| sides.iter().map(u32::to_string).collect::<Vec<_>>().join(" x ");
            let (job, groups) = (by(&folding.job), by(&groups));
            format!(
                "the job of {job} has {groups} groups of {group} nodes: {taken} of {nodes} nodes have ranks, {} stay idle",
                nodes - taken
            )
        })
    }

    pub(crate) fn fold(&mut self, section: &mut Section<'_>, ranks: usize, topology: Option<&Topology>) {
        let Mapping::Nicam { node_of } = &mut self.kind else { return };
        let hint = "workload.processes_per_node puts several processes on a node";
        let is_wrong = self.ranks_per_node != 1;
        section.report_if(is_wrong, "ranks_per_node", "must be 1: a rank of NICAM stands for a node", hint);
        let Some(topology) = topology else {
            section.report("kind", "needs a [topology] of three dimensions", "");
            return;
        };
        if let Some(nodes) = nicam_nodes(ranks, topology) {
            *node_of = nodes;
            return;
        }
        let sizes = torus_sizes(topology);
        let Some(side) = NicamFolding::side(ranks) else {
            let what =
                format!("does not fit {ranks} ranks: NICAM has ten diamonds of M x M nodes, 10 M^2 ranks");
            section.report("kind", what, "write workload.kind = \"nicam\"");
            return;
        };
        let shape = |folding: &NicamFolding| Some(format!("{:?}", folding.shape(side)?));
        let shapes: Vec<String> = NicamFolding::ALL.iter().filter_map(shape).collect();
        let found = if sizes.is_empty() { "no torus".to_owned() } else { format!("{sizes:?}") };
        let all = shapes.join(" or ");
        let what = format!(
            "does not fit the machine: {ranks} ranks lie on a torus of shape {all}, and this is {found}"
        );
        let hint = format!("write topology.shape = {}, or change workload.rlevel", shapes[0]);
        section.report("kind", what, hint);
    }

    /// The node of each rank of a job whose places have these nodes; of less ranks where there are not enough.
    pub(crate) fn in_places(&self, ranks: usize, node_of: &[NodeId]) -> Vec<NodeId> {
        (0..ranks).map_while(|rank| node_of.get(rank / self.ranks_per_node).copied()).collect()
    }

    pub(crate) fn place(&self, ranks: usize, nodes: usize) -> Vec<NodeId> {
        match &self.kind {
            Mapping::Linear => mapping::linear(ranks, self.ranks_per_node),
            Mapping::Cyclic => mapping::cyclic(ranks, self.ranks_per_node),
            Mapping::Random { seed, generator } => {
                mapping::random(ranks, self.ranks_per_node, nodes, *seed, *generator)
            }
            Mapping::Folded { node_of, .. } => self.in_places(ranks, node_of),
            Mapping::File(FileMapping { node_of, .. })
            | Mapping::Nicam { node_of }
            | Mapping::Jobs { node_of } => node_of.clone(),
        }
    }
}

/// A job, and how it lies in the machine. What is wrong is as if it were not said.
fn read_folding(section: &mut Section<'_>) -> Folding {
    let mut job = section.get_required(&JOB).unwrap_or_default();
    if job.len() > SIDES.len() {
        section.report("job", format!("has {} sides; a job has at most three", job.len()), "");
        job.truncate(SIDES.len());
    }
    if job.iter().try_fold(1_u32, |places, &side| places.checked_mul(side)).is_none() {
        section.report("job", format!("has more than {} places", u32::MAX), "");
        job.fill(1);
    }
    let (order, axes) = (section.get_or_default(&RANK_ORDER), section.get_or_default(&AXES));
    let fold = section.get_or_default(&FOLD);
    let rows = section.get(&ROWS);
    let mut sides = |key: &'static str, sides: Option<Vec<usize>>, what: &str| {
        sides.unwrap_or_else(|| {
            let hint = format!("write {key} = \"yzx\", or another order of x, y and z");
            section.report(key, what.to_owned(), hint);
            (0..job.len()).collect()
        })
    };
    let order = sides("rank_order", sides_of(&order, job.len()), "must name each side of the job once");
    let what = "must name each side of the job, with three letters at most";
    let axes = sides("axes", axes_of(&axes, job.len()), what);
    section.settle(&RANK_ORDER, letters(&order));
    section.settle(&AXES, letters(&axes));
    Folding { job, order, axes, fold, rows }
}

fn numbers(letters: &str) -> Option<Vec<usize>> {
    letters.chars().map(|letter| SIDES.find(letter)).collect()
}

/// The sides that letters name, of so many; `None` unless each is named once. Letters of further sides are skipped.
fn sides_of(letters: &str, sides: usize) -> Option<Vec<usize>> {
    let named: Vec<usize> = numbers(letters)?.into_iter().filter(|&side| side < sides).collect();
    let mut sorted = named.clone();
    sorted.sort_unstable();
    sorted.into_iter().eq(0..sides).then_some(named)
}

/// The sides that letters name, for [`Folding::axes`]; `None` unless each side of so many is named.
pub(crate) fn axes_of(letters: &str, sides: usize) -> Option<Vec<usize>> {
    let axes = numbers(letters)?;
    let has_all = (0..sides).all(|side| axes.contains(&side));
    (has_all && axes.len() <= SIDES.len()).then_some(axes)
}

pub(crate) fn letters(sides: &[usize]) -> String {
    sides.iter().map(|&side| &SIDES[side..=side]).collect()
}
