//! Limit of the communicators that a rank holds at a time. A program that makes them and frees none is to get an error before memory
//! is full, and all ranks are to get it at the same place, or those that are not would wait for the others for ever.
//!
//! Making a communicator needs no message here, so ranks do not know how many the others hold. They compare notes at every
//! 1,024th communicator that is made from another one; what is refused is not made, so that they do it again at the next
//! try. What escapes that, such as communicators made from each other in a chain, ends at the limit of
//! [`weir_message::Process`].

use crate::mpi::collectives::{self, place_of_all};
use crate::mpi::communicators::end;
use crate::mpi::prelude::*;
use crate::mpi::requests::delivery::Delivery;
use std::rc::Rc;
use weir_message::collective::{Choice, Commutes, Place, Plan, Reduction};
use weir_message::{Kind, Meeting, Operation, Predefined, RequestId};

/// With 16 bits for contexts, of which a communicator takes two, an MPI library has no more.
const MOST: u64 = 1 << 15;

/// Ranks compare notes at one of so many.
const INTERVAL: u64 = 1024;

fn too_many() -> MpiError {
    MpiError::Other(format!(
        "a rank of this communicator holds {MOST} communicators, and there are no more: the program seems to make them over \
         and over without MPI_Comm_free"
    ))
}

/// Returns true if the ranks of a communicator compare notes before or after the next one is made from it; all say the same.
fn is_due(context: &mut Context, id: CommunicatorId) -> Result<bool, MpiError> {
    let made = context.rank().process.communicator(id)?.children();
    Ok((made + 1).is_multiple_of(INTERVAL))
}

/// The largest of the numbers of all ranks.
fn largest(place: Place) -> Result<(Plan, Reduction), MpiError> {
    let plan = Plan::allreduce(&Choice::default(), place, 1, size_of::<u64>(), Commutes::Yes);
    Ok((plan, Some(Rc::new(Operation::new(Predefined::Max, Kind::U64)?))))
}

fn check(result: &[u8]) -> Done {
    let most = result.try_into().map_or(0, u64::from_ne_bytes);
    if most < MOST { Ok(()) } else { Err(too_many()) }
}

/// Refuses another communicator to be made from this one when a rank has too many. All its ranks call it.
pub(crate) fn room_for_another(context: &mut Context, id: CommunicatorId) -> Done {
    if !is_due(context, id)? {
        return Ok(());
    }
    let held = context.rank().process.communicators_held() as u64;
    let (plan, reduction) = largest(place_of_all(context, id)?)?;
    let fill = |into: &mut [u8]| into.copy_from_slice(&held.to_ne_bytes());
    check(&collectives::run(context, id, &plan, reduction, fill)?)
}

/// The same beside what the ranks do: `make` makes the communicator, and the request fails if it is one too many, which
/// takes it away again. `None`: there is nothing to wait for.
pub(crate) fn room_meanwhile(
    context: &mut Context,
    id: CommunicatorId,
    make: impl FnOnce(&mut Context) -> Result<CommunicatorId, MpiError>,
) -> Result<(CommunicatorId, Option<RequestId>), MpiError> {
    let is_due = is_due(context, id)?;
    let held = context.rank().process.communicators_held() as u64;
    let made = make(context)?;
    if !is_due {
        return Ok((made, None));
    }
    let (plan, reduction) = largest(place_of_all(context, id)?)?;
    let mut workspace = vec![0; plan.workspace];
    workspace[plan.input.clone()].copy_from_slice(&held.to_ne_bytes());
    let (rank, actions) = context.both();
    let request =
        rank.process.start_collective(actions, id, Meeting::InOrder, &plan, workspace, reduction)?;
    let take = move |context: &mut Context, workspace: &[u8]| {
        let verdict = check(&workspace[plan.result.clone()]);
        if verdict.is_err() {
            end(context, made)?;
        }
        verdict
    };
    context.rank().set_delivery(request, Delivery::Call(Box::new(take)));
    Ok((made, Some(request)))
}
