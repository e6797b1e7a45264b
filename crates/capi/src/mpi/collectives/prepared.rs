//! A collective ready to be started at one rank, and how it runs.

use crate::mpi::collectives::memory::{Memory, Uneven};
use crate::mpi::datatypes::buffer::Buffer;
use crate::mpi::operations;
use crate::mpi::point_to_point::checked;
use crate::mpi::prelude::*;
use crate::mpi::requests::delivery::Delivery;
use crate::process::kept_memory::prefer_huge_pages;
use crate::rank::ErrorHandler;
use crate::world::World;
use std::cell::RefMut;
use std::collections::BTreeMap;
use std::rc::Rc;
use weir_collectives::{Call, Choice, Place, Plan, Sides};
use weir_message::{Data, Meeting, Reduction, RequestId};
use weir_operations::{Function, Lengths, OperandOrder};
use weir_units::Rank;

/// Where a collective takes place: the running rank's place in a communicator.
pub(crate) struct At<'a> {
    pub(crate) context: &'a mut Context,
    pub(super) communicator: CommunicatorId,
    pub(super) place: Place,
    /// The two groups, if the communicator has two; `place` is the one in the rank's own then.
    pub(super) sides: Option<Sides>,
    pub(super) choice: Choice,
}

impl<'a> At<'a> {
    pub(super) fn new(context: &'a mut Context, comm: Handle) -> Result<Self> {
        let communicator = abi::communicator(comm)?;
        let choice = context.rank().world.options.choice.clone();
        let known = context.communicator(communicator)?;
        let (sides, place) = (known.sides(), Place { rank: known.rank as usize, size: known.group.size() });
        Ok(Self { context, communicator, place, sides, choice })
    }

    /// For collectives that only a communicator of one group has.
    pub(super) fn one_group(&self) -> Done {
        if self.sides.is_some() { Err(MpiError::Communicator) } else { Ok(()) }
    }

    pub(super) fn root(&self, root: c_int) -> Result<usize> {
        let size = self.place.size;
        usize::try_from(root).ok().filter(|&root| root < size).ok_or(MpiError::Root { root, size })
    }

    pub(super) fn buffer(&mut self, elements: Elements) -> Result<Buffer> {
        if elements.is_in_place() {
            return Err(MpiError::Buffer("MPI_IN_PLACE is not allowed here".into()));
        }
        elements.buffer(self.context)
    }

    pub(super) fn blocks(&mut self, elements: Elements, blocks: usize) -> Result<Buffer> {
        self.buffer(elements)?.times(blocks)
    }

    /// The blocks of the ranks, each of its own length.
    pub(super) fn uneven(&mut self, blocks: Uneven) -> Result<Memory> {
        blocks.memory(self.context, &vec![true; self.place.size])
    }

    /// An operation on elements of a datatype, and whether operands may change places.
    pub(super) fn operation(&mut self, op: Handle, datatype: Handle) -> Result<(Reduction, OperandOrder)> {
        let combine = operations::get(self.context, op, datatype)?;
        let commutes = operations::commutes(&combine);
        Ok((Some(combine), commutes))
    }

    pub(super) fn prepared(&self, plan: Plan, given: Memory, got: Memory) -> Prepared {
        let (communicator, reduction) = (self.communicator, None);
        Prepared { communicator, plan, reduction, operation: 0, objection: None, given, got }
    }
}

/// A collective ready to be started, as often as one likes.
pub(crate) struct Prepared {
    communicator: CommunicatorId,
    plan: Plan,
    reduction: Reduction,
    /// Value of a predefined operation, or 0.
    operation: usize,
    /// A mistake in the rank's own arguments, which does not keep it from taking part.
    objection: Option<MpiError>,
    given: Memory,
    got: Memory,
}

impl Prepared {
    /// The number under which it meets those of the other ranks whenever it is started.
    pub(super) fn reserve(&self, context: &mut Context) -> Result<Meeting> {
        let number = context.rank().process.reserve_collective(self.communicator)?;
        let meeting = Meeting::Reserved(number);
        let number = come(context, self.communicator, meeting, &self.plan, self.operation)?;
        self.agreed(context, number)?;
        Ok(meeting)
    }

    pub(super) fn combined_by(self, reduction: Reduction, op: Handle) -> Self {
        let operation = if abi::own_index(op).is_some() { 0 } else { op as usize };
        Self { reduction, operation, ..self }
    }

    /// The same where the rank gives itself more or less than it takes.
    pub(super) fn with_blocks_of(self, given: usize, got: usize) -> Self {
        let what = || format!("the rank sends blocks of {given} bytes, and receives its own with {got}");
        Self { objection: (given != got).then(|| MpiError::Other(what())), ..self }
    }

    /// Returns the mistake in the collective, as far as this rank can know.
    fn agreed(&self, context: &mut Context, number: Option<Number>) -> Done {
        self.objection.clone().map_or(Ok(()), Err)?;
        agreed(context, number)
    }

    fn begin(&self, context: &mut Context, meeting: Meeting) -> Result<(RequestId, Option<Number>)> {
        let plan = &self.plan;
        if let Some(objection) = &self.objection
            && ends_the_run(context, self.communicator)
        {
            return Err(objection.clone());
        }
        let number = match meeting {
            Meeting::InOrder => come(context, self.communicator, meeting, plan, self.operation)?,
            Meeting::Reserved(_) => None,
        };
        let mut workspace = Data::room(context.rank().world.options.moved, plan.workspace);
        if let Data::Bytes(workspace) = &mut workspace {
            prefer_huge_pages(workspace.as_mut_ptr(), workspace.len());
            self.given.read(&mut workspace[plan.input.clone()]);
        }
        let (comm, reduction) = (self.communicator, self.reduction.clone());
        let (rank, actions) = context.both();
        let id = rank.process.start_collective(actions, comm, meeting, plan, workspace, reduction)?;
        context.combine();
        Ok((id, number))
    }

    fn deliver(&self, workspace: &[u8]) {
        self.got.write(&workspace[self.plan.result.clone()]);
    }

    pub(super) fn run(&self, context: &mut Context) -> Done {
        let (id, number) = self.begin(context, Meeting::InOrder)?;
        let completion = context.wait_for(id)?;
        checked(completion.status)?;
        self.agreed(context, number)?;
        if let Data::Bytes(workspace) = &completion.data {
            self.deliver(workspace);
        }
        Ok(())
    }

    pub(super) fn start(self: &Rc<Self>, context: &mut Context, meeting: Meeting) -> Result<RequestId> {
        let (id, number) = self.begin(context, meeting)?;
        let prepared = Rc::clone(self);
        let deliver = move |context: &mut Context, workspace: &[u8]| {
            prepared.agreed(context, number)?;
            prepared.deliver(workspace);
            Ok(())
        };
        context.rank().set_delivery(id, Delivery::Call(Box::new(deliver)));
        Ok(id)
    }
}

/// The place of the running rank in a communicator of one group.
pub(crate) fn place(context: &mut Context, comm: CommunicatorId) -> Result<Place> {
    let comm = context.communicator(comm)?;
    if comm.remote.is_some() { Err(MpiError::Communicator) } else { Ok(comm.place()) }
}

/// The place of the running rank among all members of a communicator, those of both groups if it has two.
pub(crate) fn place_of_all(context: &mut Context, comm: CommunicatorId) -> Result<Place> {
    Ok(context.communicator(comm)?.place())
}

/// Takes part in a collective of our own, whose data are moved in any case; `fill` puts in what the rank gives.
pub(crate) fn run(
    context: &mut Context,
    comm: CommunicatorId,
    plan: &Plan,
    reduction: Reduction,
    fill: impl FnOnce(&mut [u8]),
) -> Result<Vec<u8>> {
    let mut workspace = vec![0; plan.workspace];
    fill(&mut workspace[plan.input.clone()]);
    let (rank, actions) = context.both();
    let id = rank.process.start_collective(actions, comm, Meeting::InOrder, plan, workspace, reduction)?;
    let completion = context.wait_for(id)?;
    checked(completion.status)?;
    Ok(completion.data.slice(plan.result.clone()).to_vec())
}

/// Arguments that all ranks of a collective have to give alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Terms {
    call: Call,
    /// Bytes of all, or of each block.
    bytes: usize,
    /// Value of a predefined operation; 0 where there is none, and for those of the program, which each rank numbers.
    operation: usize,
}

impl Terms {
    fn of(plan: &Plan, operation: usize) -> Option<Self> {
        let call = &plan.collective;
        let bytes = match call.lengths {
            Lengths::Bytes(_) if matches!(call.function, Function::Gatherv | Function::Scatterv) => {
                return None;
            }
            Lengths::Bytes(bytes) | Lengths::Elements { bytes, .. } => bytes as usize,
            Lengths::Combined { .. } => plan.input.len(),
            _ => return None,
        };
        Some(Self { call: plan.call, bytes, operation })
    }

    /// Returns the mistake if another rank has other terms.
    fn differ(&self, rank: Rank, other: &Self, of: Rank) -> Option<MpiError> {
        let (call, rank, of) = (self.call, rank.0, of.0);
        // Whether they call the same at all, their messages show.
        if call != other.call || self == other {
            return None;
        }
        if self.operation != other.operation {
            let [one, two] = [self, other].map(|terms| operations::name(terms.operation));
            return Some(MpiError::Operation(format!(
                "the ranks do not agree: rank {rank} calls {call} with {one}, and rank {of} with {two}"
            )));
        }
        let (one, two) = (self.bytes, other.bytes);
        Some(MpiError::Other(format!(
            "the ranks give different counts: rank {rank} calls {call} with {one} bytes, and rank {of} with {two}"
        )))
    }
}

/// A collective: the context of its communicator, and its number there.
pub(super) type Number = (u64, u64);

/// The collectives to which some ranks have come, and others have not: they are to give the same number of bytes and the same
/// operation.
///
/// Messages do not show all of that. A rank of a reduction that only sends never learns of another operation, and a message
/// that is shorter than the room for it may be meant so. But all ranks are simulated in one place: the first rank that comes
/// to a collective writes down its terms, and those that come later compare theirs. It costs no message and no simulated
/// time. Where each block has a count of its own (`MPI_Gatherv` and its kind), ranks do not know the same counts, and
/// nothing is compared; nor where ranks are processes of their own, or several processes run them together.
#[derive(Debug, Default)]
struct Agreements {
    open: BTreeMap<Number, Open>,
    /// Those whose ranks do not agree.
    broken: BTreeMap<Number, MpiError>,
}

#[derive(Debug)]
struct Open {
    terms: Terms,
    first: Rank,
    came: usize,
}

impl Agreements {
    /// A rank comes, to a collective of so many; what is wrong with its terms.
    fn come(&mut self, number: Number, terms: Terms, rank: Rank, size: usize) -> Done {
        let open = self.open.entry(number).or_insert(Open { terms, first: rank, came: 0 });
        open.came += 1;
        let mistake = terms.differ(rank, &open.terms, open.first);
        if open.came == size {
            self.open.remove(&number);
        }
        let Some(mistake) = mistake else { return Ok(()) };
        self.broken.insert(number, mistake.clone());
        Err(mistake)
    }
}

impl World {
    fn agreements(&self) -> RefMut<'_, Agreements> {
        self.shared(|_| Agreements::default())
    }
}

/// Numbers of collectives that are started later are apart from those of others.
const RESERVED: u64 = 1 << 63;

/// The running rank comes to a collective. Its number, if anything is to be asked at the end. Fails when the ranks do not agree,
/// and the program does not go on from there. A program that does gets the error at the end of the collective: other ranks wait
/// for the messages of this one.
pub(super) fn come(
    context: &mut Context,
    communicator: CommunicatorId,
    meeting: Meeting,
    plan: &Plan,
    operation: usize,
) -> Result<Option<Number>> {
    let rank = context.rank();
    let known = rank.process.communicator(communicator)?;
    // The two groups of an intercommunicator may give different data.
    let terms = if known.remote.is_some() { None } else { Terms::of(plan, operation) };
    let Some(terms) = terms else { return Ok(None) };
    let size = known.everybody().size();
    if size == 1 || rank.world.who_is_elsewhere().is_some() {
        return Ok(None);
    }
    let number = match meeting {
        Meeting::InOrder => (known.context, known.collectives + 1),
        Meeting::Reserved(number) => (known.context, u64::from(number) | RESERVED),
    };
    let agreed = rank.world.agreements().come(number, terms, rank.process.rank(), size);
    match agreed {
        Err(mistake) if ends_the_run(context, communicator) => Err(mistake),
        _ => Ok(Some(number)),
    }
}

/// Returns true if mistakes on a communicator end the run.
pub(super) fn ends_the_run(context: &mut Context, communicator: CommunicatorId) -> bool {
    matches!(context.rank().error_handler(communicator), ErrorHandler::Fatal | ErrorHandler::Abort)
}

/// Returns the mistake that was found in a collective that has ended at the running rank.
pub(super) fn agreed(context: &mut Context, number: Option<Number>) -> Done {
    let agreements = context.rank().world.agreements();
    match number.and_then(|number| agreements.broken.get(&number)) {
        None => Ok(()),
        Some(mistake) => Err(mistake.clone()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use weir_collectives::{Choice, Place};

    fn terms(bytes: usize) -> Terms {
        Terms::of(&Plan::bcast(&Choice::default(), Place { rank: 0, size: 2 }, 0, bytes), 0).unwrap()
    }

    /// Collectives on several communicators at a time, in any order, and none is left over.
    #[test]
    fn each_collective_meets_its_own() {
        let mut agreements = Agreements::default();
        for (number, bytes, rank) in [(1, 8, 0), (2, 4, 0), (2, 4, 1), (3, 2, 5), (1, 8, 1), (3, 2, 6)] {
            agreements.come((number, 1), terms(bytes), Rank(rank), 2).unwrap();
        }
        assert!(agreements.open.is_empty() && agreements.broken.is_empty());
        agreements.come((1, 2), terms(8), Rank(0), 2).unwrap();
        agreements.come((2, 2), terms(8), Rank(0), 2).unwrap();
        let mistake = agreements.come((2, 2), terms(4), Rank(1), 2).unwrap_err().to_string();
        assert!(
            mistake.contains("rank 1 calls MPI_Bcast from root 0 with 4 bytes, and rank 0 with 8"),
            "{mistake}"
        );
        agreements.come((1, 2), terms(8), Rank(1), 2).unwrap();
        assert!(agreements.open.is_empty());
        assert_eq!(agreements.broken.keys().collect::<Vec<_>>(), [&(2, 2)]);
    }
}
