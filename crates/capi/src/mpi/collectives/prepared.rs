//! A collective ready to be started at one rank, and how it runs.

use crate::mpi::collectives::agreements::{Number, agreed, come, ends_the_run};
use crate::mpi::collectives::memory::{Memory, Uneven};
use crate::mpi::datatypes::buffer::Buffer;
use crate::mpi::operations;
use crate::mpi::point_to_point::checked;
use crate::mpi::prelude::*;
use crate::mpi::requests::delivery::Delivery;
use crate::process::kept_memory::prefer_huge_pages;
use std::rc::Rc;
use weir_collectives::{Choice, Place, Plan, Sides};
use weir_message::{Data, Meeting, Reduction, RequestId};
use weir_operations::OperandOrder;

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
