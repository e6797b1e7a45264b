//! `[workload]`: what the ranks do.

use crate::mapping::GENERATORS;
use crate::reader::{BYTES, Section};
use crate::{Units, exact, name_of};
use serde_json::{Map, Value, json};
use std::path::PathBuf;
use weir_capi::{StackSize, compiler};
use weir_topology::Generator;
use weir_units::Bytes;
use weir_workload::{Algorithm, AllToAll, Pattern, RandomRing, Ring, Steps, WorkloadError};

/// What the ranks do, and how many there are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkloadSection {
    /// How many ranks.
    pub ranks: usize,
    /// What they do.
    pub kind: Workload,
}

/// What ranks can do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Workload {
    /// Every rank sends one message to every other.
    AllToAll {
        /// In which order.
        algorithm: Algorithm,
        /// Bytes per message.
        message_size: Bytes,
        /// Whether each step waits for the message that belongs to it.
        steps: Steps,
    },
    /// Every rank sends to the next.
    Ring {
        /// Bytes per message.
        message_size: Bytes,
        /// Messages per rank.
        messages: u64,
        /// Whether each step waits for the message that belongs to it.
        steps: Steps,
    },
    /// Every rank sends to the next in a random order: one closed stroke through all ranks.
    RandomRing {
        /// Bytes per message.
        message_size: Bytes,
        /// Messages per rank.
        messages: u64,
        /// Whether each step waits for the message that belongs to it.
        steps: Steps,
        /// Of the order.
        seed: u64,
        /// Of the order.
        generator: Generator,
    },
    /// An MPI program.
    Program(ProgramSection),
}

/// An MPI program to run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProgramSection {
    /// The compiled program.
    pub path: PathBuf,
    /// Its arguments.
    pub args: Vec<String>,
    /// Stack of each rank, in bytes of the computer that weir runs on.
    pub stack_size: Bytes,
}

/// How many ranks the machine has room for: the default of patterns.
#[derive(Clone, Copy)]
pub(crate) enum Room {
    Ranks(u64),
    /// There is no topology.
    Unlimited,
    /// The topology is wrong.
    Unknown,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    AllToAll,
    Ring,
    RandomRing,
    Program,
}

#[derive(Clone, Copy)]
enum Choice {
    Fixed(Algorithm),
    /// Pairwise where it is possible (paper 000, section 6.2).
    Auto,
}

const KINDS: [(&str, Kind); 4] = [
    ("all-to-all", Kind::AllToAll),
    ("ring", Kind::Ring),
    ("random-ring", Kind::RandomRing),
    ("program", Kind::Program),
];
const LATER_KINDS: [&str; 4] = ["broadcast", "pattern-file", "profile", "synthetic"];
const ALGORITHMS: [(&str, Choice); 3] = [
    ("simple-spread", Choice::Fixed(Algorithm::SimpleSpread)),
    ("pairwise", Choice::Fixed(Algorithm::Pairwise)),
    ("auto", Choice::Auto),
];
const LATER_ALGORITHMS: [&str; 2] = ["simple-spread-2d", "bruck"];
const PATTERN_KEYS: [&str; 2] = ["message_size", "synchronised"];
const RING_KEYS: [&str; 1] = ["messages"];
const ORDER_KEYS: [&str; 2] = ["seed", "generator"];
const PROGRAM_KEYS: [&str; 3] = ["program", "args", "stack_size"];
/// Keys of pattern files, profiles and synthetic traffic.
const LATER_KEYS: [&str; 7] =
    ["file", "pattern", "offered_load", "injection", "self_traffic", "warmup", "duration"];

impl Workload {
    /// How many ranks there are and what they do; each is `None` when it is missing or wrong.
    pub(crate) fn read(
        section: &mut Section<'_>,
        default_seed: u64,
        room: Room,
    ) -> (Option<usize>, Option<Self>) {
        let kind = section.choice("kind", &KINDS, &LATER_KINDS);
        let kind = section.required(
            kind,
            "kind",
            "write kind = \"all-to-all\", \"ring\", \"random-ring\" or \"program\"",
        );
        section.refuse(&LATER_KEYS, "is not in this version");
        let ranks = section.integer("ranks", 1..=u64::from(u32::MAX));
        let ranks = match kind {
            Some(Kind::Program) => section.required(ranks, "ranks", "say how many: ranks = 64, or -n 64"),
            _ if section.has("ranks") => ranks,
            _ => match room {
                Room::Ranks(room) => Some(room),
                Room::Unlimited => {
                    section.required(ranks, "ranks", "without a [topology], say how many: ranks = 64")
                }
                Room::Unknown => None,
            },
        };
        let too_many = ranks.is_some_and(|ranks| ranks > u64::from(u32::MAX));
        if too_many {
            section.problem("ranks", format!("there can be at most {} ranks", u32::MAX), None);
        }
        let ranks = ranks.filter(|_| !too_many).and_then(|ranks| usize::try_from(ranks).ok());
        let kind = match kind {
            Some(kind) => Self::read_kind(section, kind, default_seed, ranks),
            None => {
                for keys in [&PATTERN_KEYS[1..], &["algorithm"], &RING_KEYS, &ORDER_KEYS, &PROGRAM_KEYS] {
                    section.pass(keys);
                }
                section.quantity("message_size", &BYTES);
                None
            }
        };
        (ranks, kind)
    }

    fn read_kind(
        section: &mut Section<'_>,
        kind: Kind,
        default_seed: u64,
        ranks: Option<usize>,
    ) -> Option<Self> {
        if kind != Kind::AllToAll {
            section.refuse(&["algorithm"], "belongs to kind = \"all-to-all\"");
        }
        if kind != Kind::RandomRing {
            section.refuse(&ORDER_KEYS, "belongs to kind = \"random-ring\"");
        }
        if kind == Kind::Program {
            section.refuse(&PATTERN_KEYS, "belongs to the patterns, not to kind = \"program\"");
            section.refuse(&RING_KEYS, "belongs to kind = \"ring\" or \"random-ring\"");
            return ProgramSection::read(section, ranks).map(Self::Program);
        }
        section.refuse(&PROGRAM_KEYS, "belongs to kind = \"program\"");
        let message_size = section.quantity("message_size", &BYTES);
        let message_size = section.required(message_size, "message_size", "write message_size = \"20 kB\"");
        let steps = match section.boolean("synchronised") {
            Some(true) => Steps::Synchronised,
            _ => Steps::FreeRunning,
        };
        if kind == Kind::AllToAll {
            section.refuse(&RING_KEYS, "belongs to kind = \"ring\" or \"random-ring\"");
            let algorithm = Self::read_algorithm(section, ranks);
            return Some(Self::AllToAll { algorithm, message_size: message_size?, steps });
        }
        let messages = section.integer("messages", 1..=u64::MAX);
        if kind == Kind::Ring {
            let messages = messages.unwrap_or(1);
            return Some(Self::Ring { message_size: message_size?, messages, steps });
        }
        let seed = section.integer("seed", 0..=u64::MAX).unwrap_or(default_seed);
        let generator = section.choice("generator", &GENERATORS, &[]).unwrap_or_default();
        // Paper 002, section 3.1: ten messages per node.
        let messages = messages.unwrap_or(10);
        Some(Self::RandomRing { message_size: message_size?, messages, steps, seed, generator })
    }

    fn read_algorithm(section: &mut Section<'_>, ranks: Option<usize>) -> Algorithm {
        match section.choice("algorithm", &ALGORITHMS, &LATER_ALGORITHMS) {
            Some(Choice::Fixed(algorithm)) => {
                if let Some(Err(error)) = ranks.map(|ranks| all_to_all(ranks, Bytes::ZERO, algorithm)) {
                    let hint = error.hint().to_owned();
                    section.problem("algorithm", error.to_string(), Some(hint));
                }
                algorithm
            }
            Some(Choice::Auto) if ranks.is_some_and(usize::is_power_of_two) => Algorithm::Pairwise,
            _ => Algorithm::SimpleSpread,
        }
    }

    /// The messages of a pattern on so many ranks; an MPI program is none.
    pub(crate) fn pattern(&self, ranks: usize) -> Result<Pattern, &ProgramSection> {
        Ok(match *self {
            Self::AllToAll { algorithm, message_size, steps } => {
                let pattern = AllToAll::new(ranks, message_size, algorithm, steps);
                Pattern::AllToAll(pattern.expect("the reader checks that the algorithm takes these ranks"))
            }
            Self::Ring { message_size, messages, steps } => {
                Pattern::Ring(Ring::new(ranks, message_size, messages, steps))
            }
            Self::RandomRing { message_size, messages, steps, seed, generator } => {
                Pattern::RandomRing(RandomRing::new(ranks, message_size, messages, steps, seed, generator))
            }
            Self::Program(ref program) => return Err(program),
        })
    }
}

impl WorkloadSection {
    pub(crate) fn resolved(&self, units: Units) -> Value {
        let mut object = Map::new();
        let mut put = |key: &str, value| object.insert(key.to_owned(), value);
        let kind = match self.kind {
            Workload::AllToAll { .. } => Kind::AllToAll,
            Workload::Ring { .. } => Kind::Ring,
            Workload::RandomRing { .. } => Kind::RandomRing,
            Workload::Program(_) => Kind::Program,
        };
        put("kind", json!(name_of(&KINDS, kind)));
        put("ranks", json!(self.ranks));
        match &self.kind {
            Workload::AllToAll { algorithm, message_size, steps } => {
                let name = match algorithm {
                    Algorithm::SimpleSpread => "simple-spread",
                    Algorithm::Pairwise => "pairwise",
                };
                put("algorithm", json!(name));
                put("message_size", units.bytes(*message_size));
                put("synchronised", json!(*steps == Steps::Synchronised));
            }
            Workload::Ring { message_size, messages, steps } => {
                put("message_size", units.bytes(*message_size));
                put("messages", json!(messages));
                put("synchronised", json!(*steps == Steps::Synchronised));
            }
            Workload::RandomRing { message_size, messages, steps, seed, generator } => {
                put("message_size", units.bytes(*message_size));
                put("messages", json!(messages));
                put("synchronised", json!(*steps == Steps::Synchronised));
                put("seed", json!(seed));
                put("generator", json!(name_of(&GENERATORS, *generator)));
            }
            Workload::Program(program) => {
                put("program", json!(program.path.display().to_string()));
                put("args", json!(program.args));
                put("stack_size", json!(exact::bytes_text(program.stack_size)));
            }
        }
        Value::Object(object)
    }
}

fn all_to_all(ranks: usize, bytes: Bytes, algorithm: Algorithm) -> Result<AllToAll, WorkloadError> {
    AllToAll::new(ranks, bytes, algorithm, Steps::FreeRunning)
}

impl ProgramSection {
    fn read(section: &mut Section<'_>, ranks: Option<usize>) -> Option<Self> {
        let path = section.path("program");
        let path = section.required(path, "program", "name the compiled program: program = \"./halo\"");
        let args = section.texts("args").unwrap_or_default();
        let stack_size = section
            .real_quantity("stack_size", &BYTES)
            .unwrap_or_else(|| Bytes(StackSize::default_for(ranks.unwrap_or(1)).0 as u64));
        let path = path?;
        if path.is_file() {
            if !compiler::is_program(&path).unwrap_or(false) {
                let what = format!("is not a program built with weir cc: {}", path.display());
                let hint = "compile it with weir cc: weir cc program.c -o program";
                section.problem("program", what, Some(hint.into()));
            }
        } else {
            let what = match path.exists() {
                true => format!("is not a file: {}", path.display()),
                false => format!("is not there: {}", path.display()),
            };
            let hint = "compile it first: weir cc program.c -o program";
            section.problem("program", what, Some(hint.into()));
        }
        Some(Self { path, args, stack_size })
    }
}
