//! `[workload]`: what the ranks do.

mod build;
mod file;
mod keys;
mod pattern;
mod profile;
mod program;
mod resolved;
mod synthetic;

pub use file::PatternFileSection;
pub use pattern::{AllToAllAlgorithm, PatternKind, PatternSection};
pub use profile::ProfileSection;
pub use program::ProgramSection;
pub use synthetic::SyntheticSection;

use crate::reader::Section;
use crate::{Problem, name_of};
use keys::Kind;
pub(crate) use keys::{KEYS, PATTERNS};
use std::sync::Arc;
use weir_units::Bytes;
use weir_workload::Pattern;

/// What the ranks do, and how many there are.
#[derive(Clone, Debug, PartialEq)]
pub struct WorkloadSection {
    /// How many ranks.
    pub ranks: usize,
    /// What they do.
    pub kind: Workload,
}

/// What ranks can do.
#[derive(Clone, Debug, PartialEq)]
pub enum Workload {
    /// Send messages in one of the named patterns.
    Pattern(PatternSection),
    /// Send what a pattern file says.
    File(PatternFileSection),
    /// Do what a communication profile says.
    Profile(ProfileSection),
    /// Run an MPI program.
    Program(ProgramSection),
    /// Send packets at a given rate, whatever becomes of them.
    Synthetic(SyntheticSection),
}

/// What the rest of the experiment says about the ranks.
pub(crate) struct Setting {
    /// Default of the seed.
    pub(crate) seed: u64,
    /// How many ranks the machine has room for: the default of patterns.
    pub(crate) room: Room,
    /// Sizes of the machine's dimensions, if it is a grid with one rank per node: the default of grids of ranks.
    pub(crate) shape: Option<Vec<u32>>,
    /// Largest packet: the default of packet sizes.
    pub(crate) mtu: Bytes,
}

/// How many ranks the machine has room for.
#[derive(Clone, Copy)]
pub(crate) enum Room {
    Ranks(u64),
    /// There is no topology.
    Unlimited,
    /// The topology is wrong.
    Unknown,
}

impl Workload {
    /// Whether an MPI program runs.
    #[must_use]
    pub fn is_program(&self) -> bool {
        matches!(self, Self::Program(_))
    }

    /// How many ranks there are and what they do; each is `None` when it is missing or wrong. Also what is wrong in a
    /// pattern file.
    pub(crate) fn read(
        section: &mut Section<'_>,
        setting: &Setting,
    ) -> (Option<usize>, Option<Self>, Vec<Problem>) {
        let kind = section.get_required(&keys::KIND);
        if let Some(kind) = kind {
            section.only_of(&keys::KEYS, name_of(&keys::KINDS, kind));
        }
        if kind == Some(Kind::PatternFile) {
            let (file, problems) = PatternFileSection::read(section);
            let ranks = file.as_ref().map(PatternFileSection::ranks);
            return (ranks, file.map(Self::File), problems);
        }
        if kind == Some(Kind::Profile) {
            let (profile, problems) = ProfileSection::read(section);
            let ranks = profile.as_ref().map(ProfileSection::ranks);
            return (ranks, profile.map(Self::Profile), problems);
        }
        let ranks = match kind {
            Some(Kind::Nicam) => None,
            _ => read_ranks(section, kind, setting.room),
        };
        let Some(kind) = kind else {
            section.get(&keys::MESSAGE_SIZE);
            section.pass_all(&keys::KEYS);
            return (ranks, None, Vec::new());
        };
        let workload = match kind {
            Kind::Nicam => {
                let pattern = PatternSection::read_nicam(section, setting);
                let ranks = pattern.as_ref().and_then(|pattern| pattern.kind.ranks());
                return (ranks, pattern.map(Self::Pattern), Vec::new());
            }
            Kind::Program => ProgramSection::read(section, ranks).map(Self::Program),
            Kind::Synthetic => SyntheticSection::read(section, ranks, setting).map(Self::Synthetic),
            _ => PatternSection::read(section, kind, ranks, setting).map(Self::Pattern),
        };
        (ranks, workload, Vec::new())
    }

    /// The messages of a pattern on so many ranks; MPI programs, profiles and synthetic traffic are none.
    pub(crate) fn pattern(&self, ranks: usize) -> Option<Pattern> {
        match self {
            Self::Pattern(pattern) => {
                Some(pattern.build(ranks).expect("the reader has built the pattern once, to check it"))
            }
            Self::File(file) => Some(Pattern::Script(Arc::clone(&file.script))),
            Self::Program(_) | Self::Profile(_) | Self::Synthetic(_) => None,
        }
    }
}

fn read_ranks(section: &mut Section<'_>, kind: Option<Kind>, room: Room) -> Option<usize> {
    let ranks = section.get(&keys::RANKS);
    let ranks = match kind {
        Some(Kind::Program) => section.required(ranks, "ranks", "say how many: ranks = 64, or -n 64"),
        _ if section.has("ranks") => ranks,
        // Without a machine there is no packet engine either, and that is said already.
        Some(Kind::Synthetic) if !matches!(room, Room::Ranks(_)) => None,
        _ => match room {
            Room::Ranks(room) => Some(room),
            Room::Unlimited => {
                section.required(ranks, "ranks", "without a [topology], say how many: ranks = 64")
            }
            Room::Unknown => None,
        },
    }?;
    if ranks > u64::from(u32::MAX) {
        section.problem("ranks", format!("there can be at most {} ranks", u32::MAX), None);
        return None;
    }
    usize::try_from(ranks).ok()
}
