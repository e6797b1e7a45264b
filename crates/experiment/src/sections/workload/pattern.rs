//! Patterns: each kind reads its keys, and says how its messages are made.

use super::keys::{self, Exchange, Kind, SEED_BELONGS_TO};
use super::{ReadWorkload, Setting, Workload};
use crate::keys::form::OneOrMany;
use crate::memory;
use crate::source::reader::Section;
use std::sync::Arc;
use weir_units::{Bytes, Duration, Rank};
use weir_workload::{
    Algorithm, AllToAll, Broadcast, BroadcastAlgorithm, Bruck, Closed, Direction, Gather, Halo, HotSpot,
    Incast, Nicam, NicamGrid, Pattern, Permutation, PermutationRule, RandomSizes, Side, Start, Steps, Totals,
    WithStartTimes, WorkloadError,
};

/// The keys of a kind: how its messages are made on so many ranks, and what follows for other keys.
struct OwnKeys {
    build: Box<dyn FnOnce(usize) -> Result<Pattern, WorkloadError>>,
    /// True if messages hold what others have sent, so that their sizes follow from each other.
    passes_on: bool,
    is_random: bool,
    /// Number of ranks of a kind that says it itself.
    ranks: Option<usize>,
}

fn built_by<P: Totals + 'static>(build: impl FnOnce(usize) -> Result<P, WorkloadError> + 'static) -> OwnKeys {
    let build = |ranks| build(ranks).map(|pattern| Pattern(Arc::new(pattern)));
    OwnKeys { build: Box::new(build), passes_on: false, is_random: false, ranks: None }
}

/// Keys of all patterns that their messages need.
#[derive(Clone, Copy)]
struct Common {
    bytes: Bytes,
    messages: u64,
    steps: Steps,
    seed: u64,
}

/// The keys behind `kind` and `ranks` in a resolved experiment.
const ORDER: &str = "algorithm segments root fraction grid periodic permutation distance generator rlevel processes_per_node \
                     message_size messages synchronised size_spread start_imbalance start_barrier seed";

/// Reads the keys and, if it is known how many ranks there are, makes the messages. There is no kind when something is missing or
/// wrong.
pub(super) fn read(section: &mut Section<'_>, kind: Kind, setting: &Setting) -> ReadWorkload {
    let mut read = ReadWorkload { ranks: setting.ranks, ..ReadWorkload::default() };
    read.kind = read_all(section, kind, &mut read, setting).map(|_| Workload::Pattern);
    section.put_last(ORDER);
    read
}

fn read_all(
    section: &mut Section<'_>,
    kind: Kind,
    read: &mut ReadWorkload,
    setting: &Setting,
) -> Option<Bytes> {
    let message_size = section.get_required(&keys::MESSAGE_SIZE);
    // Paper 002, section 3.1: ten messages per node.
    let usual = if kind == Kind::RandomRing { 10 } else { 1 };
    let messages = section.get_or(&keys::MESSAGES, usual);
    let synchronised = keys::is_stepped(kind) && section.get_or_default(&keys::SYNCHRONISED);
    let steps = if synchronised { Steps::Synchronised } else { Steps::FreeRunning };
    let size_spread = section.get_or_default(&keys::SIZE_SPREAD);
    let seed = section.get(&keys::SEED).unwrap_or(setting.seed);
    let imbalance = section.get_or_default(&keys::START_IMBALANCE);
    let barrier = section.get_or_default(&keys::START_BARRIER);
    // Where the size is missing, something stands in for it, so that all else can be checked.
    let common = Common { bytes: message_size.unwrap_or(Bytes::ZERO), messages, steps, seed };
    let own = read_kind(section, kind, setting, common)?;
    if size_spread > 0.0 && own.passes_on {
        section.report("size_spread", "makes no sense where ranks pass on what others have sent", "");
        return None;
    }
    let delayed = imbalance > Duration::ZERO;
    let is_random = size_spread > 0.0 || delayed || own.is_random;
    section.settle(&keys::SEED, is_random.then_some(seed));
    if !is_random {
        section.refuse(&["seed"], SEED_BELONGS_TO);
    }
    if let Some(ranks) = own.ranks {
        let written = section.get(&keys::RANKS);
        message_size?;
        read.ranks = Some(ranks);
        let hint = "leave ranks out: rlevel and processes_per_node say how many there are";
        let is_wrong = written.is_some_and(|written| written != ranks as u64);
        section.report_if(is_wrong, "ranks", format!("must be {ranks}: one on each node"), hint);
    }
    // Without delays nothing is drawn.
    let start = Start { imbalance, seed: if delayed { seed } else { 0 }, barrier };
    if let Some(ranks) = read.ranks {
        #[cfg(test)]
        crate::tests::count_built::<Pattern>();
        let built = (own.build)(ranks).and_then(|mut pattern| {
            if size_spread > 0.0 {
                pattern = Pattern(Arc::new(RandomSizes::new(pattern, size_spread, seed)));
            }
            if start != Start::default() {
                pattern = Pattern(Arc::new(WithStartTimes::new(pattern, start)));
            }
            pattern.check_totals().map(|_| pattern)
        });
        read.pattern = Some(built.map_err(|error| refuse(section, &error)).ok()?);
    }
    message_size
}

fn read_kind(section: &mut Section<'_>, kind: Kind, setting: &Setting, common: Common) -> Option<OwnKeys> {
    let Common { bytes, messages, steps, seed } = common;
    let passed_on = |own| OwnKeys { passes_on: true, ..own };
    let random = |own| OwnKeys { is_random: true, ..own };
    Some(match kind {
        Kind::AllToAll => match read_exchange(section, setting)? {
            Some(algorithm) => {
                built_by(move |ranks| Ok(AllToAll::new(ranks, bytes, algorithm, steps)?.repeated(messages)))
            }
            None => passed_on(built_by(move |ranks| Ok(Bruck::new(ranks, bytes, messages)))),
        },
        Kind::Ring => built_by(move |ranks| Ok(Permutation::ring(ranks, bytes, messages, steps))),
        Kind::RandomRing => {
            let generator = section.get_or_default(&keys::GENERATOR);
            random(built_by(move |ranks| {
                check_room_for_order(ranks)?;
                Ok(Permutation::random_ring(ranks, bytes, messages, steps, seed, generator))
            }))
        }
        Kind::Broadcast => {
            let (algorithm, root) = (read_cast(section), read_root(section));
            passed_on(built_by(move |ranks| Broadcast::new(ranks, bytes, algorithm, root, messages)))
        }
        Kind::Gather | Kind::Scatter => {
            let direction = if kind == Kind::Gather { Direction::Gather } else { Direction::Scatter };
            let (algorithm, root) = (section.get_or_default(&keys::TREE), read_root(section));
            passed_on(built_by(move |ranks| Gather::new(ranks, bytes, direction, algorithm, root, messages)))
        }
        Kind::Halo => {
            let grid = read_halo(section, setting)?;
            built_by(move |ranks| Halo::new(ranks, grid, bytes, messages, steps))
        }
        Kind::Permutation => {
            let rule = read_rule(section, seed)?;
            let is_random = matches!(rule, PermutationRule::Random { .. });
            let own = built_by(move |ranks| {
                if is_random {
                    check_room_for_order(ranks)?;
                }
                Permutation::new(ranks, bytes, rule, messages, steps)
            });
            OwnKeys { is_random, ..own }
        }
        Kind::Incast => {
            let root = read_root(section);
            built_by(move |ranks| Incast::new(ranks, bytes, root, messages))
        }
        Kind::HotSpot => {
            let (root, fraction) = (read_root(section), section.get_or_default(&keys::FRACTION));
            random(built_by(move |ranks| HotSpot::new(ranks, bytes, root, fraction, messages, seed)))
        }
        Kind::Nicam => {
            let rlevel = section.get_required(&keys::RLEVEL);
            let processes = section.get_or_default(&keys::PROCESSES_PER_NODE);
            let grid = NicamGrid::new(rlevel?, processes).map_err(|error| refuse(section, &error)).ok()?;
            let own = built_by(move |_| Ok(Nicam::new(grid, bytes, messages)));
            OwnKeys { ranks: Some(grid.nodes() as usize), ..own }
        }
        Kind::PatternFile
        | Kind::Profile
        | Kind::Graph
        | Kind::Collective
        | Kind::Program
        | Kind::Synthetic
        | Kind::Outside => {
            unreachable!("none of them is a named pattern")
        }
    })
}

/// Checks that a random order of so many ranks can be held: both neighbors of each in it, and what it is drawn with.
fn check_room_for_order(ranks: usize) -> Result<(), WorkloadError> {
    let mut room: Vec<[u64; 2]> = Vec::new();
    let has_room =
        memory::shortage(16 * ranks as u64, None).is_none() && room.try_reserve_exact(ranks).is_ok();
    if has_room { Ok(()) } else { Err(WorkloadError::no_memory(ranks)) }
}

fn refuse(section: &mut Section<'_>, error: &WorkloadError) {
    section.report(error.key, error.what.clone(), error.hint);
}

pub(super) fn read_root(section: &mut Section<'_>) -> Rank {
    Rank(section.get_or_default(&keys::ROOT))
}

fn read_cast(section: &mut Section<'_>) -> BroadcastAlgorithm {
    let mut algorithm = section.get_or_default(&keys::CAST);
    match &mut algorithm {
        BroadcastAlgorithm::RingPipeline { segments } => *segments = section.get_or_default(&keys::SEGMENTS),
        _ => section.refuse(&["segments"], "belongs to algorithm = \"ring-pipeline\""),
    }
    algorithm
}

/// The order of an all-to-all in which each rank sends to each; none in Bruck's, by way of other ranks.
fn read_exchange(section: &mut Section<'_>, setting: &Setting) -> Option<Option<Algorithm>> {
    let mut exchange = section.get_or_default(&keys::EXCHANGE);
    if exchange == Exchange::SimpleSpread2d {
        let grid = read_square(section, setting)?;
        section.settle(&keys::GRID, grid.to_vec());
        return Some(Some(Algorithm::SimpleSpread2d { grid }));
    }
    section.refuse(&["grid"], "belongs to algorithm = \"simple-spread-2d\" and to kind = \"halo\"");
    if exchange == Exchange::Auto {
        let is_pairwise = setting.ranks.is_some_and(usize::is_power_of_two);
        exchange = if is_pairwise { Exchange::Pairwise } else { Exchange::SimpleSpread };
        section.settle(&keys::EXCHANGE, exchange);
    }
    Some(match exchange {
        Exchange::Pairwise => Some(Algorithm::Pairwise),
        Exchange::Bruck => {
            if section.get(&keys::SYNCHRONISED) == Some(false) {
                section.report("synchronised", "must be true: bruck passes on what it has received", "");
            }
            section.settle(&keys::SYNCHRONISED, None);
            None
        }
        Exchange::SimpleSpread | Exchange::SimpleSpread2d | Exchange::Auto => Some(Algorithm::SimpleSpread),
    })
}

/// The grid of simple-spread-2d: what is written, or the machine's, or a square.
fn read_square(section: &mut Section<'_>, setting: &Setting) -> Option<[u32; 2]> {
    if section.has("grid") {
        let two: Option<[u32; 2]> = section.get(&keys::GRID)?.try_into().ok();
        let is_wrong = two.is_none();
        section.report_if(is_wrong, "grid", "must have two sizes: simple-spread-2d has two dimensions", "");
        return two;
    }
    // So that it is known where it is misspelt.
    section.pass(&["grid"]);
    let ranks = u32::try_from(setting.ranks?).ok()?;
    if let Some(&[x, y]) = setting.shape.as_deref()
        && x.checked_mul(y) == Some(ranks)
    {
        return Some([x, y]);
    }
    let side = ranks.isqrt();
    if side * side != ranks {
        let what =
            format!("is missing: {ranks} ranks are not a square, and the machine has no two dimensions");
        section.report("grid", what, format!("write grid = [X, Y] with X times Y = {ranks}"));
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
        OneOrMany::Many(list) => section.one_per(&keys::PERIODIC, list, (count, "dimension")),
    });
    let sizes = sizes?;
    let periodic = periodic.unwrap_or(vec![true; sizes.len()]);
    section.settle(&keys::GRID, sizes.clone());
    section.settle(&keys::PERIODIC, OneOrMany::Many(periodic.clone()));
    let closed = |periodic| if periodic { Closed::Periodic } else { Closed::Open };
    let sides = sizes.into_iter().zip(periodic);
    Some(sides.map(|(size, periodic)| Side { size, closed: closed(periodic) }).collect())
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
            (*seed, *generator) = (of, section.get_or_default(&keys::GENERATOR));
        }
        None => section.pass(&["generator"]),
        _ => section.refuse(&["generator"], "belongs to permutation = \"random\""),
    }
    if let Some(PermutationRule::Shift { distance }) = &mut rule {
        *distance = section.get_required(&keys::DISTANCE)?;
    }
    rule
}
