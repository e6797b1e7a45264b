//! One collective of MPI on all ranks, again and again, as workload.

use super::keys;
use crate::source::reader::Section;
use std::sync::Arc;
use weir_formats::profile::{
    Act, Collective, Communicators, Event, Function, Lengths, Operands, Profile, Root, WORLD,
};
use weir_message::collective::choice::{CATALOGUE, algorithm};
use weir_units::{Bytes, Duration, Rank, Time};

/// A collective, as benchmarks of MPI measure it: all ranks begin at once, or behind a barrier, and the time of a repetition is that
/// of the rank that takes longest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CollectiveSection {
    /// Which, by its key in `[collectives]`.
    pub operation: &'static str,
    /// Its algorithm; `None`: as `[collectives]` says.
    pub algorithm: Option<&'static str>,
    /// The whole vector of a rank: what is broadcast or combined; what a rank has in the end of an all-gather, and the root of a
    /// gather; what a rank sends in an all-to-all, and the root in a scatter.
    pub message_size: Bytes,
    /// The rank with a part of its own, if the operation has one.
    pub root: Option<Rank>,
    /// How often.
    pub repetitions: usize,
    /// What each rank does.
    pub profile: Arc<Profile>,
}

/// Bytes of what is combined: those of an `MPI_INT`.
const ELEMENT: u64 = 4;

/// The collectives that can be run, by their keys in `[collectives]`.
pub(super) const OPERATIONS: [(&str, Function); 9] = [
    ("barrier", Function::Barrier),
    ("bcast", Function::Bcast),
    ("reduce", Function::Reduce),
    ("allreduce", Function::Allreduce),
    ("gather", Function::Gather),
    ("scatter", Function::Scatter),
    ("allgather", Function::Allgather),
    ("alltoall", Function::Alltoall),
    ("reduce_scatter", Function::ReduceScatter),
];

impl CollectiveSection {
    pub(super) fn read(section: &mut Section<'_>, ranks: Option<usize>) -> Option<Self> {
        let function = section.get_required(&keys::OPERATION);
        let algorithm = section.get(&keys::COLLECTIVE_ALGORITHM);
        let message_size = match function {
            Some(Function::Barrier) => section.get(&keys::VECTOR).or(Some(Bytes(0))),
            _ => section.get_required(&keys::VECTOR),
        };
        let root = section.get_or_default(&keys::COLLECTIVE_ROOT);
        let repetitions = section.get_or_default(&keys::REPETITIONS);
        let (function, message_size, ranks) = (function?, message_size?, ranks?);
        let operation = crate::name_of(&OPERATIONS, function);
        let algorithm = match algorithm {
            Some(name) => Some(known(operation, &name, section)?),
            None => None,
        };
        if !function.has_root() && section.has("root") {
            section.problem("root", format!("does not belong to {operation}, which has no root"), None);
        } else if root >= ranks as u64 {
            section.problem(
                "root",
                format!("there is no rank {root}: there are {ranks}, counted from 0"),
                None,
            );
            return None;
        }
        let collective = collective(function, message_size, root as u32, ranks, section)?;
        let profile = profile(&collective, ranks, repetitions as usize);
        Some(Self {
            operation,
            algorithm,
            message_size,
            root: function.has_root().then_some(Rank(root as u32)),
            repetitions: repetitions as usize,
            profile: Arc::new(profile),
        })
    }

    /// How long the repetitions of a rank took whose events had such beginnings and ends: all that are not barriers between them.
    pub(crate) fn repetitions_of(times: &[(Time, Time)]) -> Vec<Duration> {
        times.iter().step_by(2).map(|(begin, end)| end.since(*begin)).collect()
    }
}

/// The algorithm of this name, or a problem that names those there are.
fn known(operation: &str, name: &str, section: &mut Section<'_>) -> Option<&'static str> {
    let found = algorithm(operation, name).map(|algorithm| algorithm.name);
    if found.is_none() {
        let names = CATALOGUE.iter().find(|(key, _)| *key == operation).map_or(&[][..], |(_, names)| names);
        let what = format!("{operation} has no algorithm of this name");
        section.problem("algorithm", what, Some(format!("choose one of: {}", names.join(", "))));
    }
    found
}

/// What one rank does.
fn collective(
    function: Function,
    Bytes(bytes): Bytes,
    root: u32,
    ranks: usize,
    section: &mut Section<'_>,
) -> Option<Collective> {
    let among = ranks as u64;
    let mut multiple = |of: u64, why: String| {
        let fits = bytes.is_multiple_of(of);
        if !fits {
            let nearest = bytes.next_multiple_of(of);
            section.problem("message_size", why, Some(format!("write message_size = \"{nearest} B\"")));
        }
        fits.then_some(bytes / of)
    };
    let lengths = match function {
        Function::Barrier => Lengths::None,
        Function::Bcast => Lengths::Bytes(bytes),
        Function::Reduce | Function::Allreduce | Function::ReduceScatter => {
            let elements =
                multiple(ELEMENT, format!("numbers of {ELEMENT} bytes are combined: must be a multiple"))?;
            let (element, operands) = (ELEMENT as u32, Operands::Commute);
            if function == Function::ReduceScatter {
                let share = |rank| ELEMENT * (elements / among + u64::from(rank < elements % among));
                let blocks = (0..among).map(share).collect();
                Lengths::Combined { blocks, element, operands }
            } else {
                Lengths::Elements { bytes, element, operands }
            }
        }
        _ => Lengths::Bytes(multiple(
            among,
            format!("each of {ranks} ranks has the same part of it: must be a multiple"),
        )?),
    };
    let root = if function.has_root() { Root::Rank(root) } else { Root::None };
    Some(Collective { function, root, lengths })
}

/// All ranks do it so often, with a barrier before each repetition but the first.
fn profile(collective: &Collective, ranks: usize, repetitions: usize) -> Profile {
    let event = |collective: &Collective| Event {
        compute: Duration::ZERO,
        took: None,
        act: Act::Collective {
            collective: Box::new(collective.clone()),
            communicator: WORLD,
            persistent: None,
            request: None,
        },
    };
    let barrier = Collective { function: Function::Barrier, root: Root::None, lengths: Lengths::None };
    let round = [event(&barrier), event(collective)];
    let events: Vec<Event> = round.into_iter().cycle().skip(1).take(2 * repetitions - 1).collect();
    let profile = Profile::new("", Communicators::default(), vec![events; ranks]);
    profile.expect("collectives of the world on all ranks")
}
