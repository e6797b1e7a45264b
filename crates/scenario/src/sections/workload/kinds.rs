//! The kinds of workloads, and their names.

/// A kind of workload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
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
    Collective,
    Program,
    Synthetic,
}

/// Their names.
pub(crate) const KINDS: [(&str, Kind); 16] = [
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
    ("collective", Kind::Collective),
    ("program", Kind::Program),
    ("synthetic", Kind::Synthetic),
];
const NAMES: [&str; KINDS.len()] = {
    let mut names = [""; KINDS.len()];
    let mut number = 0;
    while number < KINDS.len() {
        names[number] = KINDS[number].0;
        number += 1;
    }
    names
};
/// The kinds of named patterns: the first ones, up to `nicam`.
pub(crate) const PATTERNS: &[&str] = NAMES.split_at(11).0;
