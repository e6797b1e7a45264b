//! One collective of MPI on all ranks, or a message there and back, again and again, as workload.

use super::keys::{self, OPERATIONS, Operation, PING_PONG};
use crate::keys::form::OneOf;
use crate::source::reader::Section;
use std::sync::Arc;
use weir_collectives::choice::CATALOG;
use weir_collectives::{NameError, Preset};
use weir_formats::profile::{Communicators, Profile};
use weir_message::is_defined;
use weir_operations::{
    Collective, Combining, ElementName, Function, Lengths, Mode, OperandOrder, Operation as RankOperation,
    OperationName, ReceiveSource, Root, Step, WORLD, Wildcards,
};
use weir_units::{Bytes, Duration, Rank, Time};

/// A collective, as benchmarks of MPI measure it: all ranks begin at once, or behind a barrier, and the time of a repetition is that
/// of the rank that takes longest. Or a message from the first rank to the last and back, and the time is half of that.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CollectiveSection {
    /// Which, by its key in `[collectives]`; `pingpong` is no collective.
    pub operation: &'static str,
    /// Its algorithm, by a name that stands for it with the preset; `None`: as `[collectives]` and the table say.
    pub algorithm: Option<String>,
    /// Calls of each rank.
    pub profile: Arc<Profile>,
}

impl CollectiveSection {
    pub(super) fn read(section: &mut Section<'_>, ranks: Option<usize>) -> Option<Self> {
        let what = section.get_required(&keys::OPERATION);
        let algorithm = section.get(&keys::COLLECTIVE_ALGORITHM);
        let message_size = match what {
            Some(Operation::Collective(Function::Barrier)) => section.get(&keys::VECTOR).or(Some(Bytes(0))),
            _ => section.get_required(&keys::VECTOR),
        };
        section.settle(&keys::VECTOR, message_size);
        let root = section.get_or_default(&keys::COLLECTIVE_ROOT);
        let repetitions = section.get_or_default(&keys::REPETITIONS);
        let combines = matches!(what, Some(Operation::Collective(function)) if function.combines());
        let reduction = read_reduction(section, what.filter(|_| !combines));
        section.put_last("repetitions");
        let (what, message_size, ranks) = (what?, message_size?, ranks?);
        let operation = OneOf(&OPERATIONS).name(&what);
        let algorithm = match algorithm {
            Some(name) => Some(known(operation, name, section)?),
            None => None,
        };
        let has_root = matches!(what, Operation::Collective(function) if function.has_root());
        if !has_root {
            section.settle(&keys::COLLECTIVE_ROOT, None);
        }
        if !has_root && section.has("root") {
            section.report("root", format!("does not belong to {operation}, which has no root"), "");
        } else if root as usize >= ranks {
            let what = format!("there is no rank {root}: there are {ranks}, counted from 0");
            section.report("root", what, "");
            return None;
        }
        let profile = match what {
            Operation::Collective(function) => {
                let wanted = Wanted { function, bytes: message_size, root, reduction };
                profile(&collective(&wanted, ranks, section)?, ranks, repetitions)
            }
            Operation::PingPong if ranks < 2 => {
                section.report("operation", "needs two ranks", "write ranks = 2");
                return None;
            }
            Operation::PingPong => ping_pong(message_size, ranks, repetitions),
        };
        Some(Self { operation, algorithm, profile: Arc::new(profile) })
    }

    /// Returns whether something chooses an algorithm for it, unless it is named.
    pub(crate) fn chooses(&self) -> bool {
        self.algorithm.is_none() && self.operation != PING_PONG
    }

    /// Times of the repetitions of a rank whose events had such beginnings and ends: all that are not barriers between them.
    /// Half the time of the first rank of a message there and back; the others do not know it.
    pub fn repetitions_of(&self, rank: Rank, times: &[(Time, Time)]) -> Option<Vec<Duration>> {
        if self.operation != PING_PONG {
            return Some(times.iter().step_by(2).map(|(begin, end)| end.since(*begin)).collect());
        }
        let half = |pair: &[(Time, Time)]| Duration::from_ps(pair[1].1.since(pair[0].0).as_ps().div_ceil(2));
        (rank == Rank(0)).then(|| times.chunks_exact(2).map(half).collect())
    }
}

/// The name, if any preset has it, or a problem that names those there are.
fn known(operation: &str, name: String, section: &mut Section<'_>) -> Option<String> {
    let is_unknown = Preset::Mpich.known(operation, &name) == Err(NameError::Unknown);
    let is_collective = operation != PING_PONG;
    if is_unknown && !(is_collective && name == "default") {
        let names = CATALOG.iter().find(|(key, _)| *key == operation).map_or(&[][..], |(_, names)| names);
        let what = NameError::Unknown.what(operation);
        let hint =
            if names.is_empty() { String::new() } else { format!("choose one of: {}", names.join(", ")) };
        section.report("algorithm", what, hint);
        return None;
    }
    Some(name)
}

/// Operation and type; `None` where MPI has no such thing. They do not belong to an operation that combines nothing.
fn read_reduction(
    section: &mut Section<'_>,
    combines_nothing: Option<Operation>,
) -> Option<(OperationName, ElementName)> {
    let operation = section.get_or_default(&keys::REDUCTION);
    let element = section.get_or_default(&keys::DATATYPE);
    if let Some(what) = combines_nothing {
        section.settle(&keys::REDUCTION, None);
        section.settle(&keys::DATATYPE, None);
        let name = OneOf(&OPERATIONS).name(&what);
        for key in [keys::REDUCTION.name, keys::DATATYPE.name] {
            if section.has(key) {
                section.report(key, format!("does not belong to {name}, which combines nothing"), "");
            }
        }
    }
    if is_defined(operation, element) {
        return Some((operation, element));
    }
    let (operation, element) = (operation.name(), element.name());
    let key = if section.has(keys::DATATYPE.name) { keys::DATATYPE.name } else { keys::REDUCTION.name };
    let hint = match operation {
        "maxloc" | "minloc" => "they compare pairs: write datatype = \"double-int\"",
        _ => "",
    };
    section.report(key, format!("MPI has no {operation} of {element}"), hint);
    None
}

struct Wanted {
    function: Function,
    bytes: Bytes,
    root: u32,
    reduction: Option<(OperationName, ElementName)>,
}

fn collective(wanted: &Wanted, ranks: usize, section: &mut Section<'_>) -> Option<Collective> {
    let &Wanted { function, bytes: Bytes(bytes), root, reduction } = wanted;
    let among = ranks as u64;
    let mut multiple = |of: u64, why: String| {
        let fits = bytes.is_multiple_of(of);
        let nearest = bytes.next_multiple_of(of);
        section.report_if(!fits, "message_size", why, &format!("write message_size = \"{nearest} B\""));
        fits.then_some(bytes / of)
    };
    let mut combines = Combining::default();
    let lengths = match function {
        Function::Barrier => Lengths::None,
        Function::Bcast => Lengths::Bytes(bytes),
        Function::Reduce | Function::Allreduce | Function::ReduceScatter => {
            let (operation, of) = reduction?;
            let size = of.size() as u64;
            let elements =
                multiple(size, format!("numbers of {size} bytes are combined: must be a multiple"))?;
            let (element, operands) = (size as u32, OperandOrder::Commute);
            combines = Combining { operation: Some(operation), element: Some(of) };
            if function == Function::ReduceScatter {
                let share = |rank| size * (elements / among + u64::from(rank < elements % among));
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
    Some(Collective { function, root, lengths, combines })
}

/// All ranks do it so often, with a barrier before each repetition but the first.
fn profile(collective: &Collective, ranks: usize, repetitions: usize) -> Profile {
    let event = |collective: &Collective| Step {
        compute: Duration::ZERO,
        took: None,
        operation: RankOperation::Collective {
            collective: Box::new(collective.clone()),
            communicator: WORLD,
            persistent: None,
            request: None,
        },
    };
    let barrier = Collective::new(Function::Barrier, Root::None, Lengths::None);
    let round = [event(&barrier), event(collective)];
    let events: Vec<Step> = round.into_iter().cycle().skip(1).take(2 * repetitions - 1).collect();
    Profile::of_alike(ranks, events).expect("collectives of the world on all ranks")
}

/// The first rank sends to the last, which sends back; the others do nothing.
fn ping_pong(Bytes(bytes): Bytes, ranks: usize, repetitions: usize) -> Profile {
    let last = ranks as u32 - 1;
    let event = |operation| Step { compute: Duration::ZERO, took: None, operation };
    let send = |to| {
        let (mode, to) = (Mode::Standard, Some(to));
        event(RankOperation::Send { mode, to, tag: 0, bytes, communicator: WORLD, request: None })
    };
    let receive = |from| {
        let from = ReceiveSource { source: Some(from), tag: Some(0), asked: Wildcards::Both };
        event(RankOperation::Receive { from, bytes, communicator: WORLD, request: None })
    };
    let again = |round: [Step; 2]| round.into_iter().cycle().take(2 * repetitions).collect();
    let mut events: Vec<Vec<Step>> = vec![vec![event(RankOperation::End)]; ranks];
    events[0] = again([send(last), receive(last)]);
    events[ranks - 1] = again([receive(0), send(0)]);
    Profile::new("", Communicators::default(), events).expect("each message is sent and received")
}
