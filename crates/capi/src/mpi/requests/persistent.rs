//! Requests that are kept: made once, inactive until started, and inactive again when complete, until the program
//! frees them (MPI 5.0, section 3.9). Their handles are distinguished from ordinary ones by a bit.
//!
//! ```text
//!   create          MPI_Start                 a completing call
//!   -------> inactive -------> active: an ordinary request -------> inactive ...  MPI_Request_free
//! ```

use crate::mpi::point_to_point::partitioned::Partitioned;
use crate::mpi::prelude::*;
use std::rc::Rc;
use weir_message::RequestId;

/// Set in the numbers of kept requests, and in no number of another: there are fewer of them.
const KEPT: usize = 1 << 30;

/// Starts the operation of a kept request; its ordinary request.
type Start = Rc<dyn Fn(&mut Context) -> Result<RequestId>>;

pub(crate) struct Kept {
    start: Start,
    active: Option<RequestId>,
    partitioned: Option<Partitioned>,
}

/// The kept requests of a rank, by number.
#[derive(Default)]
pub(crate) struct KeptRequests {
    pub(crate) slots: Vec<Option<Kept>>,
    free: Vec<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Named {
    /// `MPI_REQUEST_NULL`.
    Null,
    Inactive,
    Active(RequestId),
}

fn number(handle: Handle) -> Option<usize> {
    abi::own_index(handle).filter(|index| index & KEPT != 0).map(|index| index & !KEPT)
}

fn slot(context: &mut Context, handle: Handle) -> Result<&mut Kept> {
    let slot = number(handle).and_then(|number| context.of::<KeptRequests>().slots.get_mut(number));
    slot.and_then(Option::as_mut).ok_or(MpiError::Request)
}

/// The partitioned operation behind a handle, and its request if it is active.
pub(crate) fn partitioned(context: &mut Context, handle: Handle) -> Result<(Partitioned, Option<RequestId>)> {
    let kept = slot(context, handle)?;
    let partitioned = kept.partitioned.clone().ok_or(MpiError::Request)?;
    Ok((partitioned, kept.active))
}

/// Makes a kept request, inactive, of a partitioned operation if there is one. `start` begins its operation and returns the ordinary request of it; one that is
/// complete at once returns [`weir_message::Process::completed`].
pub(crate) fn create(
    context: &mut Context,
    partitioned: Option<Partitioned>,
    start: impl Fn(&mut Context) -> Result<RequestId> + 'static,
) -> Handle {
    let new = Some(Kept { start: Rc::new(start), active: None, partitioned });
    let kept = context.of::<KeptRequests>();
    let number = match kept.free.pop() {
        Some(number) => {
            kept.slots[number] = new;
            number
        }
        None => {
            kept.slots.push(new);
            kept.slots.len() - 1
        }
    };
    abi::own_handle(KEPT | number)
}

pub(crate) fn named(context: &mut Context, handle: Handle) -> Result<Named> {
    if number(handle).is_some() {
        return Ok(slot(context, handle)?.active.map_or(Named::Inactive, Named::Active));
    }
    Ok(abi::request(handle)?.map_or(Named::Null, Named::Active))
}

/// The operation behind a handle, if there is one: null handles and inactive requests have none.
pub(crate) fn active(context: &mut Context, handle: Handle) -> Result<Option<RequestId>> {
    Ok(match named(context, handle)? {
        Named::Active(id) => Some(id),
        Named::Null | Named::Inactive => None,
    })
}

/// The operation behind a handle has ended: a kept request is inactive, and of others the handle is null.
pub(crate) fn over(context: &mut Context, handle: Out<Handle>) {
    match slot(context, handle.get()) {
        Ok(kept) => kept.active = None,
        Err(_) => handle.set(abi::predefined(MPI_REQUEST_NULL)),
    }
}

/// Ends a kept request, if it is one. Its operation goes on.
pub(crate) fn remove(context: &mut Context, handle: Handle) {
    if let Some(number) = number(handle) {
        let kept = context.of::<KeptRequests>();
        kept.slots[number] = None;
        kept.free.push(number);
    }
}

fn start_one(context: &mut Context, handle: Handle) -> Done {
    let Kept { start, active: None, .. } = slot(context, handle)? else { return Err(MpiError::Request) };
    // A copy, since starting may make requests.
    let start = Rc::clone(start);
    let id = start(context)?;
    slot(context, handle)?.active = Some(id);
    Ok(())
}

pub(crate) fn start(context: &mut Context, request: Out<Handle>) -> Done {
    start_one(context, request.get())
}

pub(crate) fn startall(context: &mut Context, requests: Array<Handle>) -> Done {
    requests.iter().try_for_each(|request| start_one(context, request))
}
