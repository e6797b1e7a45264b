//! `[workload]`: what the ranks do.

mod collective;
mod file;
pub(crate) mod keys;
mod pattern;
mod program;
mod synthetic;

pub use collective::CollectiveSection;
pub use file::{PatternFileSection, ProfileSection, WorkGraphSection};
pub use program::{FurtherProgram, ProgramSection};
pub use synthetic::{keys_of_pattern, keys_of_some_patterns};

use crate::MappingSection;
use crate::sections::jobs::JobsSection;
use crate::source::reader::Section;
pub(crate) use keys::KEYS;
use keys::Kind;
use std::sync::Arc;
use weir_formats::profile::Profile;
use weir_packet::Synthetic;
use weir_replay::Sources;
use weir_topology::Topology;
use weir_units::Bytes;
use weir_workload::{Pattern, Sequence};

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
    Pattern,
    /// Send what a pattern file says.
    File(PatternFileSection),
    /// Do what a communication profile says.
    Profile(ProfileSection),
    /// Carry out a graph of work.
    Graph(WorkGraphSection),
    /// Do one collective of MPI.
    Collective(CollectiveSection),
    /// Run an MPI program.
    Program(ProgramSection),
    /// Send packets from every node at a given rate, whatever becomes of them: an open loop. There is one rank on each node, and
    /// rank = node.
    Synthetic(Synthetic),
    /// Do what a program outside says, which steps the run.
    Outside,
    /// Do what their jobs do, of which there are several.
    Jobs(JobsSection),
}

pub(crate) struct Setting {
    pub(crate) seed: u64,
    pub(crate) room: Room,
    /// Sizes of the machine's dimensions, if it is a grid with one rank per node: the default of grids of ranks.
    pub(crate) shape: Option<Vec<u32>>,
    pub(crate) mtu: Bytes,
    /// Number of ranks, where it is known before the rest is read.
    pub(crate) ranks: Option<usize>,
}

#[derive(Clone, Copy)]
pub(crate) enum Room {
    Ranks(u64),
    /// The mapping names so many places: as many as the job has ranks unless said.
    Places(u64),
    /// One of several jobs says how many.
    OfJob,
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
}

impl Workload {
    /// Returns whether an MPI program runs.
    pub fn is_program(&self) -> bool {
        self.programs().next().is_some()
    }

    /// The MPI programs that run, in the order of their ranks.
    pub fn programs(&self) -> impl Iterator<Item = &ProgramSection> {
        let jobs = if let Self::Jobs(JobsSection(jobs)) = self { &jobs[..] } else { &[] };
        std::iter::once(self).chain(jobs.iter().map(|job| &job.workload)).filter_map(
            |workload| match workload {
                Self::Program(program) => Some(program),
                _ => None,
            },
        )
    }

    /// Returns whether ranks send and receive as MPI does, whatever makes them do so.
    pub fn has_calls(&self) -> bool {
        match self {
            Self::Program(_) | Self::Profile(_) | Self::Graph(_) | Self::Collective(_) | Self::Outside => {
                true
            }
            Self::Jobs(JobsSection(jobs)) => jobs.iter().any(|job| job.workload.has_calls()),
            Self::Pattern | Self::File(_) | Self::Synthetic(_) => false,
        }
    }

    /// Calls of each rank, where they are known before the run: in a profile, and of a collective.
    pub fn profile(&self) -> Option<(&Arc<Profile>, Sources)> {
        match self {
            Self::Profile(section) => Some((&section.profile, section.sources)),
            Self::Collective(section) => Some((&section.profile, Sources::Recorded)),
            _ => None,
        }
    }

    pub(crate) fn read(section: &mut Section<'_>, setting: Setting) -> ReadWorkload {
        let kind = section.kind(&keys::KIND, &KEYS, None);
        let ranks = match kind {
            Some(Kind::PatternFile | Kind::Profile | Kind::Graph | Kind::Nicam) => None,
            _ => read_ranks(section, kind, setting.room),
        };
        let Some(kind) = kind else {
            section.get(&keys::MESSAGE_SIZE);
            return ReadWorkload { ranks, ..ReadWorkload::default() };
        };
        let of = |ranks, kind| ReadWorkload { ranks, kind, pattern: None };
        let read = match kind {
            Kind::PatternFile => {
                let file = PatternFileSection::read(section);
                let pattern = file.as_ref().map(|file| Pattern(file.script.clone()));
                let ranks = pattern.as_ref().map(Pattern::ranks);
                ReadWorkload { ranks, kind: file.map(Self::File), pattern }
            }
            Kind::Profile => {
                let profile = ProfileSection::read(section);
                of(profile.as_ref().map(|section| section.profile.ranks()), profile.map(Self::Profile))
            }
            Kind::Graph => {
                let graph = WorkGraphSection::read(section);
                of(graph.as_ref().map(|section| section.graph.tasks.ranks()), graph.map(Self::Graph))
            }
            Kind::Collective => of(ranks, CollectiveSection::read(section, ranks).map(Self::Collective)),
            Kind::Program => of(ranks, ProgramSection::read(section, ranks).map(Self::Program)),
            Kind::Outside => of(ranks, Some(Self::Outside)),
            Kind::Synthetic => of(ranks, synthetic::read(section, ranks, &setting).map(Self::Synthetic)),
            _ => pattern::read(section, kind, &Setting { ranks, ..setting }),
        };
        section.settle(&keys::RANKS, read.ranks.map(|ranks| ranks as u64));
        read
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
            Room::OfJob => section.required(ranks, "ranks", "say how many ranks the job has: ranks = 64"),
            Room::Unknown => None,
        },
    }?;
    if ranks > u64::from(u32::MAX) {
        section.report("ranks", format!("there can be at most {} ranks", u32::MAX), "");
        return None;
    }
    usize::try_from(ranks).ok()
}
