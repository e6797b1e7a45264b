//! The keys of patterns.

use super::Setting;
use super::keys::{self, SEED_BELONGS_TO, is_stepped};
use super::kinds::{Exchange, Kind};
use crate::keys::form::OneOrMany;
use crate::source::reader::Section;
use weir_topology::Generator;
use weir_units::{Bytes, Duration, Rank};
use weir_workload::{
    Algorithm, BroadcastAlgorithm, Closed, NicamGrid, Pattern, PermutationRule, Side, Start, Steps,
    TreeAlgorithm, WorkloadError,
};

/// One of the named patterns, with its messages.
#[derive(Clone, Debug, PartialEq)]
pub struct PatternSection {
    /// Who sends to whom.
    pub kind: PatternKind,
    /// Bytes per message; of gather, scatter and Bruck's all-to-all per block.
    pub message_size: Bytes,
    /// Greatest distance of a size from [`Self::message_size`], as a share of it: from 0 on, below 1.
    pub size_spread: f64,
    /// Number of exchanges or broadcasts, or of messages per rank.
    pub messages: u64,
    /// Synchronisation: each step may wait for the message that belongs to it; ranks that pass something on always do.
    pub steps: Steps,
    /// Seed of all that is random in it.
    pub seed: u64,
    /// Instants at which ranks start; its seed is [`Self::seed`].
    pub start: Start,
}

/// Who sends to whom.
#[derive(Clone, Debug, PartialEq)]
pub enum PatternKind {
    /// Every rank sends one message to every other.
    AllToAll {
        /// In which order, or by which way.
        algorithm: AllToAllAlgorithm,
    },
    /// Every rank sends to the next.
    Ring,
    /// Every rank sends to the next in a random order: one closed stroke through all ranks.
    RandomRing {
        /// Generator of the order.
        generator: Generator,
    },
    /// One rank sends the same to all.
    Broadcast {
        /// By which way.
        algorithm: BroadcastAlgorithm,
        /// That rank.
        root: Rank,
    },
    /// All ranks send a block to one.
    Gather {
        /// By which way.
        algorithm: TreeAlgorithm,
        /// That rank.
        root: Rank,
    },
    /// One rank sends a block to each.
    Scatter {
        /// By which way.
        algorithm: TreeAlgorithm,
        /// That rank.
        root: Rank,
    },
    /// Every rank sends to its neighbours on a grid.
    Halo {
        /// Sizes of the grid, x first.
        grid: Vec<Side>,
    },
    /// Every rank sends to one other.
    Permutation {
        /// Which; the seed of a random one is [`PatternSection::seed`].
        rule: PermutationRule,
    },
    /// All others send to one rank.
    Incast {
        /// That rank.
        root: Rank,
    },
    /// Random messages, many of them to one rank.
    HotSpot {
        /// That rank.
        root: Rank,
        /// Probability that a message is meant for it, from 0 to 1.
        fraction: f64,
    },
    /// The halo exchange of an icosahedral grid.
    Nicam {
        /// Its regions, and how they are put on nodes.
        grid: NicamGrid,
    },
}

/// Algorithm of an all-to-all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AllToAllAlgorithm {
    /// One message from each rank to each other, in this order.
    Direct(Algorithm),
    /// In ceil(log2 N) steps, by way of other ranks.
    Bruck,
}

impl PatternSection {
    /// The keys and, if it is known how many ranks there are, the messages. `None` when something is missing or wrong.
    pub(super) fn read(
        section: &mut Section<'_>,
        kind: Kind,
        ranks: Option<usize>,
        setting: &Setting,
    ) -> Option<(Self, Option<Pattern>)> {
        let message_size = section.get_required(&keys::MESSAGE_SIZE);
        // Paper 002, section 3.1: ten messages per node.
        let usual = if kind == Kind::RandomRing { 10 } else { 1 };
        let messages = section.get(&keys::MESSAGES).unwrap_or(usual);
        let synchronised = if is_stepped(kind) { section.get(&keys::SYNCHRONISED) } else { None };
        let size_spread = section.get_or_default(&keys::SIZE_SPREAD);
        let seed = section.get(&keys::SEED).unwrap_or(setting.seed);
        let start = read_start(section, seed);
        let kind = Self::read_kind(section, kind, ranks, setting, seed)?;
        if size_spread > 0.0 && kind.passes_on() {
            section.problem("size_spread", "makes no sense where ranks pass on what others have sent", None);
            return None;
        }
        if size_spread == 0.0 && start.imbalance == Duration::ZERO && !kind.is_random() {
            section.refuse(&["seed"], SEED_BELONGS_TO);
        }
        let waits = kind.passes_on() || matches!(kind, PatternKind::Nicam { .. });
        let steps =
            if waits || synchronised == Some(true) { Steps::Synchronised } else { Steps::FreeRunning };
        // Where the size is missing, something stands in for it, so that all else can be checked.
        let stand_in = message_size.unwrap_or(Bytes::ZERO);
        let pattern = Self { kind, message_size: stand_in, size_spread, messages, steps, seed, start };
        let built = match ranks {
            Some(ranks) => Some(pattern.built(section, ranks)?),
            None => None,
        };
        message_size.map(|_| (pattern, built))
    }

    /// A halo exchange of NICAM, which says itself how many ranks there are.
    pub(super) fn read_nicam(section: &mut Section<'_>, setting: &Setting) -> Option<(Self, Pattern)> {
        let pattern = Self::read(section, Kind::Nicam, None, setting);
        let written = section.get(&keys::RANKS);
        let (pattern, _) = pattern?;
        let ranks = pattern.kind.ranks()?;
        if written.is_some_and(|written| written != ranks as u64) {
            let hint = "leave ranks out: rlevel and processes_per_node say how many there are".to_owned();
            section.problem("ranks", format!("must be {ranks}: one on each node"), Some(hint));
        }
        let built = pattern.built(section, ranks)?;
        Some((pattern, built))
    }

    fn built(&self, section: &mut Section<'_>, ranks: usize) -> Option<Pattern> {
        self.build(ranks).map_err(|error| refuse(section, &error)).ok()
    }

    fn read_kind(
        section: &mut Section<'_>,
        kind: Kind,
        ranks: Option<usize>,
        setting: &Setting,
        seed: u64,
    ) -> Option<PatternKind> {
        Some(match kind {
            Kind::AllToAll => PatternKind::AllToAll { algorithm: read_exchange(section, ranks, setting)? },
            Kind::Ring => PatternKind::Ring,
            Kind::RandomRing => PatternKind::RandomRing { generator: read_generator(section) },
            Kind::Broadcast => {
                let algorithm = read_cast(section);
                PatternKind::Broadcast { algorithm, root: read_root(section) }
            }
            Kind::Gather => PatternKind::Gather { algorithm: read_tree(section), root: read_root(section) },
            Kind::Scatter => PatternKind::Scatter { algorithm: read_tree(section), root: read_root(section) },
            Kind::Halo => PatternKind::Halo { grid: read_halo(section, setting)? },
            Kind::Permutation => PatternKind::Permutation { rule: read_rule(section, seed)? },
            Kind::Incast => PatternKind::Incast { root: read_root(section) },
            Kind::HotSpot => {
                let root = read_root(section);
                PatternKind::HotSpot { root, fraction: section.get_or_default(&keys::FRACTION) }
            }
            Kind::Nicam => PatternKind::Nicam { grid: read_nicam_grid(section)? },
            Kind::PatternFile | Kind::Profile | Kind::Collective | Kind::Program | Kind::Synthetic => {
                unreachable!("none of them is a named pattern")
            }
        })
    }
}

impl PatternKind {
    pub(super) fn ranks(&self) -> Option<usize> {
        match self {
            Self::Nicam { grid } => Some(grid.nodes() as usize),
            _ => None,
        }
    }

    /// Returns whether messages hold what others have sent, so that their sizes follow from each other.
    fn passes_on(&self) -> bool {
        matches!(
            self,
            Self::Broadcast { .. }
                | Self::Gather { .. }
                | Self::Scatter { .. }
                | Self::AllToAll { algorithm: AllToAllAlgorithm::Bruck }
        )
    }

    pub(super) fn is_random_order(&self) -> bool {
        let random = matches!(self, Self::Permutation { rule: PermutationRule::Random { .. } });
        random || matches!(self, Self::RandomRing { .. })
    }

    pub(super) fn is_random(&self) -> bool {
        self.is_random_order() || matches!(self, Self::HotSpot { .. })
    }
}

fn refuse(section: &mut Section<'_>, error: &WorkloadError) {
    section.problem(error.key(), error.to_string(), Some(error.hint().to_owned()));
}

fn read_start(section: &mut Section<'_>, seed: u64) -> Start {
    let imbalance = section.get_or_default(&keys::START_IMBALANCE);
    let barrier = section.get_or_default(&keys::START_BARRIER);
    // Without delays nothing is drawn.
    let seed = if imbalance > Duration::ZERO { seed } else { 0 };
    Start { imbalance, seed, barrier }
}

fn read_nicam_grid(section: &mut Section<'_>) -> Option<NicamGrid> {
    let rlevel = section.get_required(&keys::RLEVEL);
    let processes = section.get_or_default(&keys::PROCESSES_PER_NODE);
    NicamGrid::new(rlevel?, processes).map_err(|error| refuse(section, &error)).ok()
}

pub(super) fn read_root(section: &mut Section<'_>) -> Rank {
    Rank(section.get_or_default(&keys::ROOT))
}

fn read_generator(section: &mut Section<'_>) -> Generator {
    section.get_or_default(&keys::GENERATOR)
}

fn read_tree(section: &mut Section<'_>) -> TreeAlgorithm {
    section.get_or_default(&keys::TREE)
}

fn read_cast(section: &mut Section<'_>) -> BroadcastAlgorithm {
    let mut algorithm = section.get_or_default(&keys::CAST);
    match &mut algorithm {
        BroadcastAlgorithm::RingPipeline { segments } => *segments = section.get_or_default(&keys::SEGMENTS),
        _ => section.refuse(&["segments"], "belongs to algorithm = \"ring-pipeline\""),
    }
    algorithm
}

fn read_exchange(
    section: &mut Section<'_>,
    ranks: Option<usize>,
    setting: &Setting,
) -> Option<AllToAllAlgorithm> {
    let exchange = section.get_or_default(&keys::EXCHANGE);
    if exchange == Exchange::SimpleSpread2d {
        let grid = read_square(section, ranks, setting)?;
        return Some(AllToAllAlgorithm::Direct(Algorithm::SimpleSpread2d { grid }));
    }
    section.refuse(&["grid"], "belongs to algorithm = \"simple-spread-2d\" and to kind = \"halo\"");
    Some(match exchange {
        Exchange::Bruck => {
            if section.get(&keys::SYNCHRONISED) == Some(false) {
                section.problem("synchronised", "must be true: bruck passes on what it has received", None);
            }
            AllToAllAlgorithm::Bruck
        }
        Exchange::Auto if ranks.is_some_and(usize::is_power_of_two) => {
            AllToAllAlgorithm::Direct(Algorithm::Pairwise)
        }
        Exchange::Pairwise => AllToAllAlgorithm::Direct(Algorithm::Pairwise),
        Exchange::Auto | Exchange::SimpleSpread | Exchange::SimpleSpread2d => {
            AllToAllAlgorithm::Direct(Algorithm::SimpleSpread)
        }
    })
}

/// The grid of simple-spread-2d: what is written, or the machine's, or a square.
fn read_square(section: &mut Section<'_>, ranks: Option<usize>, setting: &Setting) -> Option<[u32; 2]> {
    if section.has("grid") {
        let grid = section.get(&keys::GRID)?;
        let two: Option<[u32; 2]> = grid.try_into().ok();
        if two.is_none() {
            section.problem("grid", "must have two sizes: simple-spread-2d has two dimensions", None);
        }
        return two;
    }
    // So that it is known where it is misspelt.
    section.pass(&["grid"]);
    let ranks = u32::try_from(ranks?).ok()?;
    if let Some(&[x, y]) = setting.shape.as_deref()
        && x.checked_mul(y) == Some(ranks)
    {
        return Some([x, y]);
    }
    let side = ranks.isqrt();
    if side * side != ranks {
        let hint = format!("write grid = [X, Y] with X times Y = {ranks}");
        let what =
            format!("is missing: {ranks} ranks are not a square, and the machine has no two dimensions");
        section.problem("grid", what, Some(hint));
        return None;
    }
    Some([side, side])
}

/// The grid of a halo: what is written, or the machine's.
fn read_halo(section: &mut Section<'_>, setting: &Setting) -> Option<Vec<Side>> {
    let written = section.get(&keys::GRID);
    let sizes: Option<Vec<u32>> = match &setting.shape {
        Some(shape) if !section.has("grid") => Some(shape.clone()),
        _ => section.required(written, "grid", "write one size per dimension: grid = [8, 8, 8]"),
    };
    let count = sizes.as_ref().map(Vec::len);
    let periodic = section.get(&keys::PERIODIC).and_then(|written| match written {
        OneOrMany::One(periodic) => count.map(|count| vec![periodic; count]),
        OneOrMany::Many(list) => section.one_per(&keys::PERIODIC, list, count, "dimension"),
    });
    let sizes = sizes?;
    let periodic = periodic.unwrap_or(vec![true; sizes.len()]);
    let side =
        |(size, periodic)| Side { size, closed: if periodic { Closed::Periodic } else { Closed::Open } };
    Some(sizes.into_iter().zip(periodic).map(side).collect())
}

fn read_rule(section: &mut Section<'_>, of: u64) -> Option<PermutationRule> {
    let mut rule = section.get_required(&keys::PERMUTATION);
    match rule {
        Some(PermutationRule::Shift { .. }) => {}
        None => section.pass(&["distance"]),
        _ => section.refuse(&["distance"], "belongs to permutation = \"shift\""),
    }
    match &mut rule {
        Some(PermutationRule::Random { seed, generator }) => {
            (*seed, *generator) = (of, read_generator(section));
        }
        None => section.pass(&["generator"]),
        _ => section.refuse(&["generator"], "belongs to permutation = \"random\""),
    }
    if let Some(PermutationRule::Shift { distance }) = &mut rule {
        *distance = section.get_required(&keys::DISTANCE)?;
    }
    rule
}
