//! `[workload]`: what the ranks do.

mod build;
mod collective;
mod file;
mod keys;
pub(crate) mod kinds;
mod pattern;
mod profile;
mod program;
mod resolved;
mod synthetic;

pub use collective::CollectiveSection;
pub use file::PatternFileSection;
pub use pattern::{AllToAllAlgorithm, PatternKind, PatternSection};
pub use profile::ProfileSection;
pub use program::{FurtherProgram, ProgramSection};
pub use synthetic::SyntheticSection;

use crate::source::reader::Section;
use crate::{MappingSection, Problem, name_of};
pub(crate) use keys::KEYS;
use kinds::Kind;
use std::sync::Arc;
use weir_formats::profile::Profile;
use weir_replay::Sources;
use weir_topology::Topology;
use weir_units::Bytes;
use weir_workload::{Order, Pattern};

/// Work of the ranks, and their number.
#[derive(Clone, Debug, PartialEq)]
pub struct WorkloadSection {
    /// Number of ranks.
    pub ranks: usize,
    /// Kind of their work.
    pub kind: Workload,
}

/// Kind of work.
#[derive(Clone, Debug, PartialEq)]
pub enum Workload {
    /// Send messages in one of the named patterns.
    Pattern(PatternSection),
    /// Send what a pattern file says.
    File(PatternFileSection),
    /// Do what a communication profile says.
    Profile(ProfileSection),
    /// Do one collective of MPI.
    Collective(CollectiveSection),
    /// Run an MPI program.
    Program(ProgramSection),
    /// Send packets at a given rate, whatever becomes of them.
    Synthetic(SyntheticSection),
}

pub(crate) struct Setting {
    pub(crate) seed: u64,
    pub(crate) room: Room,
    /// Sizes of the machine's dimensions, if it is a grid with one rank per node: the default of grids of ranks.
    pub(crate) shape: Option<Vec<u32>>,
    pub(crate) mtu: Bytes,
}

#[derive(Clone, Copy)]
pub(crate) enum Room {
    Ranks(u64),
    /// The mapping names so many places: as many as the job has ranks unless said.
    Places(u64),
    Unlimited,
    Unknown,
}

impl Room {
    /// On this machine, or on none where there may be none; a job that names its places has room for so many.
    pub(crate) fn of(machine: Option<&Topology>, may_be_none: bool, mapping: &MappingSection) -> Self {
        match machine {
            Some(machine) => {
                let all = machine.nodes().saturating_mul(mapping.ranks_per_node) as u64;
                mapping.places().map_or(Self::Ranks(all), Self::Places)
            }
            None if may_be_none => Self::Unlimited,
            None => Self::Unknown,
        }
    }
}

#[derive(Default)]
pub(crate) struct ReadWorkload {
    pub(crate) ranks: Option<usize>,
    pub(crate) kind: Option<Workload>,
    /// Their messages; MPI programs, profiles and synthetic traffic have none that are known before they run.
    pub(crate) pattern: Option<Pattern>,
    pub(crate) problems: Vec<Problem>,
}

impl Workload {
    /// Returns whether an MPI program runs.
    #[must_use]
    pub fn is_program(&self) -> bool {
        matches!(self, Self::Program(_))
    }

    /// Calls of each rank, where they are known before the run: in a profile, and of a collective.
    pub(crate) fn profile(&self) -> Option<(&Arc<Profile>, Sources)> {
        match self {
            Self::Profile(section) => Some((&section.profile, section.sources)),
            Self::Collective(section) => Some((&section.profile, Sources::Recorded)),
            _ => None,
        }
    }

    pub(crate) fn read(section: &mut Section<'_>, setting: &Setting) -> ReadWorkload {
        let kind = section.get_required(&keys::KIND);
        if let Some(kind) = kind {
            section.only_of(&keys::KEYS, name_of(&kinds::KINDS, kind));
        }
        let ranks = match kind {
            Some(Kind::PatternFile | Kind::Profile | Kind::Nicam) => None,
            _ => read_ranks(section, kind, setting.room),
        };
        let Some(kind) = kind else {
            section.get(&keys::MESSAGE_SIZE);
            section.pass_all(&keys::KEYS);
            return ReadWorkload { ranks, ..ReadWorkload::default() };
        };
        let of_pattern = |pattern: Option<(PatternSection, Option<Pattern>)>| {
            let (kind, pattern) = pattern.unzip();
            ReadWorkload {
                ranks,
                kind: kind.map(Self::Pattern),
                pattern: pattern.flatten(),
                problems: Vec::new(),
            }
        };
        match kind {
            Kind::PatternFile => {
                let (file, problems) = PatternFileSection::read(section);
                ReadWorkload {
                    ranks: file.as_ref().map(PatternFileSection::ranks),
                    pattern: file.as_ref().map(|file| Pattern(file.script.clone())),
                    kind: file.map(Self::File),
                    problems,
                }
            }
            Kind::Profile => {
                let (profile, problems) = ProfileSection::read(section);
                let ranks = profile.as_ref().map(ProfileSection::ranks);
                ReadWorkload { ranks, kind: profile.map(Self::Profile), pattern: None, problems }
            }
            Kind::Nicam => {
                let read = PatternSection::read_nicam(section, setting);
                let ranks = read.as_ref().map(|(_, pattern)| pattern.ranks());
                let read = read.map(|(kind, pattern)| (kind, Some(pattern)));
                ReadWorkload { ranks, ..of_pattern(read) }
            }
            Kind::Collective => {
                let kind = CollectiveSection::read(section, ranks).map(Self::Collective);
                ReadWorkload { ranks, kind, ..ReadWorkload::default() }
            }
            Kind::Program => {
                let kind = ProgramSection::read(section, ranks).map(Self::Program);
                ReadWorkload { ranks, kind, ..ReadWorkload::default() }
            }
            Kind::Synthetic => {
                let kind = SyntheticSection::read(section, ranks, setting).map(Self::Synthetic);
                ReadWorkload { ranks, kind, ..ReadWorkload::default() }
            }
            _ => of_pattern(PatternSection::read(section, kind, ranks, setting)),
        }
    }
}

fn read_ranks(section: &mut Section<'_>, kind: Option<Kind>, room: Room) -> Option<usize> {
    let ranks = section.get(&keys::RANKS);
    let ranks = match kind {
        Some(Kind::Program) if !matches!(room, Room::Places(_)) => {
            section.required(ranks, "ranks", "say how many: ranks = 64, or -n 64")
        }
        _ if section.has("ranks") => ranks,
        // Without a machine there is no packet engine either, and that is said already.
        Some(Kind::Synthetic) if !matches!(room, Room::Ranks(_) | Room::Places(_)) => None,
        _ => match room {
            Room::Ranks(room) | Room::Places(room) => Some(room),
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
