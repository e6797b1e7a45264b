//! Which key belongs to which kind of workload.

use crate::name_of;
use crate::reader::{BYTES, Section};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    AllToAll,
    Ring,
    RandomRing,
    Broadcast,
    Gather,
    Scatter,
    Halo,
    Permutation,
    Incast,
    HotSpot,
    Nicam,
    PatternFile,
    Profile,
    Program,
    Synthetic,
}

pub(super) const KINDS: [(&str, Kind); 15] = [
    ("all-to-all", Kind::AllToAll),
    ("ring", Kind::Ring),
    ("random-ring", Kind::RandomRing),
    ("broadcast", Kind::Broadcast),
    ("gather", Kind::Gather),
    ("scatter", Kind::Scatter),
    ("halo", Kind::Halo),
    ("permutation", Kind::Permutation),
    ("incast", Kind::Incast),
    ("hot-spot", Kind::HotSpot),
    ("nicam", Kind::Nicam),
    ("pattern-file", Kind::PatternFile),
    ("profile", Kind::Profile),
    ("program", Kind::Program),
    ("synthetic", Kind::Synthetic),
];
pub(super) const LATER_KINDS: [&str; 0] = [];

const PATTERNS: &[Kind] = &[
    Kind::AllToAll,
    Kind::Ring,
    Kind::RandomRing,
    Kind::Broadcast,
    Kind::Gather,
    Kind::Scatter,
    Kind::Halo,
    Kind::Permutation,
    Kind::Incast,
    Kind::HotSpot,
    Kind::Nicam,
];
const ROOTED: &[Kind] =
    &[Kind::Broadcast, Kind::Gather, Kind::Scatter, Kind::Incast, Kind::HotSpot, Kind::Synthetic];
const STEPPED: &[Kind] = &[Kind::AllToAll, Kind::Ring, Kind::RandomRing, Kind::Halo, Kind::Permutation];
/// Seeds and generators of kinds that are random by themselves; sizes and starts can be random in all patterns.
const RANDOM: &[Kind] = &[Kind::RandomRing, Kind::HotSpot, Kind::Permutation, Kind::Synthetic];
/// Kinds in which something is random, or may be.
const SEEDED: &[Kind] = &[
    Kind::AllToAll,
    Kind::Ring,
    Kind::RandomRing,
    Kind::Broadcast,
    Kind::Gather,
    Kind::Scatter,
    Kind::Halo,
    Kind::Permutation,
    Kind::Incast,
    Kind::HotSpot,
    Kind::Nicam,
    Kind::Synthetic,
];

/// The kinds of every key but `kind` and `ranks`, which belong to all.
const BELONGS: [(&str, &[Kind]); 36] = [
    ("message_size", PATTERNS),
    ("messages", PATTERNS),
    ("size_spread", PATTERNS),
    ("start_imbalance", PATTERNS),
    ("start_barrier", PATTERNS),
    ("seed", SEEDED),
    ("synchronised", STEPPED),
    ("generator", &[Kind::RandomRing, Kind::Permutation]),
    ("algorithm", &[Kind::AllToAll, Kind::Broadcast, Kind::Gather, Kind::Scatter]),
    ("root", ROOTED),
    ("segments", &[Kind::Broadcast]),
    ("grid", &[Kind::AllToAll, Kind::Halo]),
    ("periodic", &[Kind::Halo]),
    ("rlevel", &[Kind::Nicam]),
    ("processes_per_node", &[Kind::Nicam]),
    ("permutation", &[Kind::Permutation]),
    ("distance", &[Kind::Permutation]),
    ("fraction", &[Kind::HotSpot, Kind::Synthetic]),
    ("pattern", &[Kind::Synthetic]),
    ("offered_load", &[Kind::Synthetic]),
    ("injection", &[Kind::Synthetic]),
    ("slot", &[Kind::Synthetic]),
    ("shift", &[Kind::Synthetic]),
    ("group", &[Kind::Synthetic]),
    ("base", &[Kind::Synthetic]),
    ("self_traffic", &[Kind::Synthetic]),
    ("packet_size", &[Kind::Synthetic]),
    ("warmup", &[Kind::Synthetic]),
    ("duration", &[Kind::Synthetic]),
    ("file", &[Kind::PatternFile, Kind::Profile]),
    ("sources", &[Kind::Profile]),
    ("program", &[Kind::Program]),
    ("args", &[Kind::Program]),
    ("stack_size", &[Kind::Program]),
    ("data", &[Kind::Program]),
    ("compute", &[Kind::Program]),
];

/// Refuses the keys of other kinds.
pub(super) fn refuse_foreign(section: &mut Section<'_>, kind: Kind) {
    for (key, kinds) in BELONGS {
        if !kinds.contains(&kind) {
            section.refuse(&[key], &belongs_to(kinds));
        }
    }
}

/// Lets all keys pass: the kind is wrong.
pub(super) fn pass_all(section: &mut Section<'_>) {
    for (key, _) in BELONGS {
        section.pass(&[key]);
    }
    section.quantity("message_size", &BYTES);
}

/// Whether steps of this kind can be synchronised.
pub(super) fn is_stepped(kind: Kind) -> bool {
    STEPPED.contains(&kind)
}

/// Why a seed is refused where nothing is random.
pub(super) fn seed_belongs_to() -> String {
    format!("{}; or to size_spread or start_imbalance", belongs_to(RANDOM))
}

fn belongs_to(kinds: &[Kind]) -> String {
    if kinds == PATTERNS {
        return "belongs to the patterns".to_owned();
    }
    if kinds == SEEDED {
        return "belongs to the patterns and to kind = \"synthetic\"".to_owned();
    }
    let names: Vec<String> = kinds.iter().map(|&kind| format!("{:?}", name_of(&KINDS, kind))).collect();
    match names.split_last() {
        Some((last, rest)) if !rest.is_empty() => {
            format!("belongs to kind = {} or {last}", rest.join(", "))
        }
        _ => format!("belongs to kind = {}", names.concat()),
    }
}
