//! Making, comparing and naming communicators.

pub(crate) mod cartesian;
pub(crate) mod communicator_limit;
pub(crate) mod graph;
pub(crate) mod groups;
pub(crate) mod intercommunicators;

use crate::calls::abi::{self, Handle};
use crate::calls::output_arguments::{give, give_new, give_text, given, out, string};
use crate::mpi::attributes;
use crate::mpi::collectives;
use crate::mpi::communicators::communicator_limit::{room_for_another, room_meanwhile};
use crate::mpi::info;
use crate::mpi::sessions;
use crate::rank::context::Context;
use crate::rank::mpi_call::call;
use std::ffi::{CStr, CString, c_char, c_int};
use std::sync::Arc;
use weir_message::collective::Plan;
use weir_message::{Communicator, CommunicatorId, Group, MpiError, UNDEFINED, VirtualTopology};
use weir_units::Rank;

/// How `MPI_Comm_split_type` splits.
const COMM_TYPE_SHARED: c_int = 221;
const COMM_TYPE_HW_UNGUIDED: c_int = 222;
const COMM_TYPE_HW_GUIDED: c_int = 223;
const COMM_TYPE_RESOURCE_GUIDED: c_int = 224;

/// What hints call the memory of a node, the only thing that ranks share.
const MEMORY: &CStr = c"mpi_shared_memory";

fn is_memory(value: CString) -> bool {
    value.as_c_str() == MEMORY
}

/// A duplicate with the attributes that the program's copy functions give it.
pub(crate) fn duplicate(context: &mut Context, id: CommunicatorId) -> Result<CommunicatorId, MpiError> {
    let made = context.rank().process.duplicate(id)?;
    context.rank().inherit_errors(id, Some(made));
    if let Err(objection) = attributes::copy_all(context, id, made) {
        attributes::delete_all(context, made)?;
        context.rank().process.free(made)?;
        info::forget(context, made);
        return Err(objection);
    }
    Ok(made)
}

pub(crate) unsafe extern "C" fn comm_dup(comm: Handle, new: *mut Handle) -> c_int {
    call("MPI_Comm_dup", comm, |context| {
        out(new, "newcomm")?;
        // A copy function of the program may object; then there is no duplicate.
        give(new, "new", abi::communicator_handle(None))?;
        let id = abi::communicator(comm)?;
        room_for_another(context, id)?;
        let made = duplicate(context, id)?;
        give(new, "new", abi::communicator_handle(Some(made)))
    })
}

/// Splits a communicator: all of one colour come together, in the order of their keys.
fn split(
    context: &mut Context,
    id: CommunicatorId,
    colour: c_int,
    key: c_int,
) -> Result<Option<CommunicatorId>, MpiError> {
    let place = collectives::place_of_all(context, id)?;
    // Everybody has to know everybody's colour and key; few rounds matter, for the data are short.
    let plan = Plan::split(place);
    let own = [colour.to_ne_bytes(), key.to_ne_bytes()].concat();
    let data = collectives::run(context, id, &plan, None, |into| into.copy_from_slice(&own))?;
    let word = |bytes: &[u8]| i32::from_ne_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
    let table: Vec<(i32, i32)> = data.chunks_exact(8).map(|entry| (word(entry), word(&entry[4..]))).collect();
    context.rank().process.split(id, &table)
}

pub(crate) unsafe extern "C" fn comm_split(
    comm: Handle,
    colour: c_int,
    key: c_int,
    new: *mut Handle,
) -> c_int {
    call("MPI_Comm_split", comm, |context| {
        out(new, "newcomm")?;
        if colour < 0 && colour != UNDEFINED {
            return Err(MpiError::Argument(format!("the colour {colour} is negative")));
        }
        let id = abi::communicator(comm)?;
        room_for_another(context, id)?;
        let made = split(context, id, colour, key)?;
        context.rank().inherit_errors(id, made);
        give(new, "new", abi::communicator_handle(made))
    })
}

pub(crate) unsafe extern "C" fn comm_split_type(
    comm: Handle,
    kind: c_int,
    key: c_int,
    hints: Handle,
    new: *mut Handle,
) -> c_int {
    call("MPI_Comm_split_type", comm, |context| {
        out(new, "newcomm")?;
        let id = abi::communicator(comm)?;
        info::hints(context, hints)?;
        room_for_another(context, id)?;
        let whole = context.rank().process.communicator(id)?.everybody().clone();
        // Who shares a node needs no message; who of them takes part, and in which order, does.
        let own = context.rank().process.rank();
        let neighbours = context.rank().world.on_same_node(own);
        let on_node: Vec<Rank> =
            neighbours.iter().copied().filter(|&rank| whole.rank_of(rank).is_some()).collect();
        let by_node = match kind {
            COMM_TYPE_SHARED => true,
            COMM_TYPE_HW_UNGUIDED => on_node.len() < whole.size(),
            COMM_TYPE_HW_GUIDED | COMM_TYPE_RESOURCE_GUIDED => {
                info::value(context, hints, c"mpi_hw_resource_type")?.is_some_and(is_memory)
            }
            UNDEFINED => false,
            _ => return Err(MpiError::Argument(format!("{kind} is no kind of split"))),
        };
        let of_set = match kind {
            COMM_TYPE_RESOURCE_GUIDED => sessions::set_named_by(context, hints)?,
            _ => None,
        };
        if of_set.is_some() || is_between(context, id)? {
            let node = neighbours.first().filter(|_| by_node).map_or(UNDEFINED, |first| first.0 as c_int);
            let made = split(context, id, of_set.unwrap_or(node), key)?;
            context.rank().inherit_errors(id, made);
            info::keep_hints(context, made, hints)?;
            return give(new, "new", abi::communicator_handle(made));
        }
        let all = context.rank().process.create(id, &Group::new(&on_node))?.ok_or(MpiError::Communicator)?;
        let made = split(context, all, if by_node { 0 } else { UNDEFINED }, key)?;
        if kind == COMM_TYPE_HW_UNGUIDED && made.is_some() {
            info::give_hint(context, hints, c"mpi_hw_resource_type", MEMORY)?;
        }
        context.rank().process.free(all)?;
        context.rank().inherit_errors(id, made);
        info::keep_hints(context, made, hints)?;
        give(new, "new", abi::communicator_handle(made))
    })
}

/// Whether a communicator is one between two groups.
fn is_between(context: &mut Context, id: CommunicatorId) -> Result<bool, MpiError> {
    Ok(context.rank().process.communicator(id)?.remote.is_some())
}

/// A group that is to be part of a communicator has none but its members.
fn all_inside(context: &mut Context, id: CommunicatorId, group: &Group) -> Result<(), MpiError> {
    let whole = &context.rank().process.communicator(id)?.group;
    match group.members().all(|member| whole.rank_of(member).is_some()) {
        true => Ok(()),
        false => Err(MpiError::Group),
    }
}

pub(crate) unsafe extern "C" fn comm_create_group(
    comm: Handle,
    group: Handle,
    tag: c_int,
    new: *mut Handle,
) -> c_int {
    call("MPI_Comm_create_group", comm, |context| {
        out(new, "newcomm")?;
        let id = abi::communicator(comm)?;
        if is_between(context, id)? {
            return Err(MpiError::Communicator);
        }
        if tag < 0 {
            return Err(MpiError::Tag(tag));
        }
        let group = groups::get(context, group)?;
        all_inside(context, id, &group)?;
        // Only members call it; a rank that calls it with the empty group gets nothing.
        let made = match group.size() {
            0 => None,
            _ => Some(context.rank().process.create_among(id, &group, tag)?),
        };
        context.rank().inherit_errors(id, made);
        give(new, "new", abi::communicator_handle(made))
    })
}

/// Starts a duplicate, which `make` makes: complete at once where it needs no message.
fn idup(
    context: &mut Context,
    id: CommunicatorId,
    make: impl FnOnce(&mut Context) -> Result<CommunicatorId, MpiError>,
    new: *mut Handle,
    request: *mut Handle,
) -> Result<(), MpiError> {
    out(new, "newcomm")?;
    out(request, "request")?;
    let (made, under_way) = room_meanwhile(context, id, make)?;
    let under_way = under_way.unwrap_or_else(|| context.rank().process.completed());
    give(new, "newcomm", abi::communicator_handle(Some(made)))?;
    give(request, "request", abi::request_handle(under_way))
}

pub(crate) unsafe extern "C" fn comm_idup(comm: Handle, new: *mut Handle, request: *mut Handle) -> c_int {
    call("MPI_Comm_idup", comm, |context| {
        let id = abi::communicator(comm)?;
        idup(context, id, |context| duplicate(context, id), new, request)
    })
}

pub(crate) unsafe extern "C" fn comm_idup_with_info(
    comm: Handle,
    hints: Handle,
    new: *mut Handle,
    request: *mut Handle,
) -> c_int {
    call("MPI_Comm_idup_with_info", comm, |context| {
        let id = abi::communicator(comm)?;
        idup(context, id, |context| info::duplicate(context, id, hints), new, request)
    })
}

/// Members of a communicator by their ranks in it.
pub(crate) fn members(known: &Communicator, ranks: impl IntoIterator<Item = u32>) -> Group {
    let members: Vec<Rank> = ranks.into_iter().filter_map(|rank| known.group.member(rank)).collect();
    Group::new(&members)
}

/// Makes a communicator of `group`, with a topology; `None` for ranks outside. All of `comm` take part.
pub(crate) fn adopt(
    context: &mut Context,
    comm: Handle,
    group: &Group,
    topology: Arc<VirtualTopology>,
) -> Result<Option<CommunicatorId>, MpiError> {
    let id = abi::communicator(comm)?;
    room_for_another(context, id)?;
    let made = context.rank().process.create(id, group)?;
    context.rank().inherit_errors(id, made);
    if let Some(made) = made {
        context.rank().process.communicator_mut(made)?.topology = Some(topology);
    }
    Ok(made)
}

pub(crate) unsafe extern "C" fn comm_create(comm: Handle, group: Handle, new: *mut Handle) -> c_int {
    call("MPI_Comm_create", comm, |context| {
        out(new, "newcomm")?;
        let id = abi::communicator(comm)?;
        let group = groups::get(context, group)?;
        all_inside(context, id, &group)?;
        room_for_another(context, id)?;
        let made = if is_between(context, id)? {
            // Each of the two groups names its own part, and no rank knows both.
            let place = group.rank_of(context.rank().process.rank()).map(|rank| rank as c_int);
            split(context, id, place.map_or(UNDEFINED, |_| 0), place.unwrap_or(0))?
        } else {
            context.rank().process.create(id, &group)?
        };
        context.rank().inherit_errors(id, made);
        give(new, "new", abi::communicator_handle(made))
    })
}

pub(crate) unsafe extern "C" fn comm_free(comm: *mut Handle) -> c_int {
    let handle = given(comm, "comm");
    call("MPI_Comm_free", handle.clone().unwrap_or_default(), |context| {
        let handle = handle?;
        let id = abi::communicator(handle)?;
        context.rank().process.may_free(id)?;
        attributes::delete_all(context, id)?;
        context.rank().process.free(id)?;
        info::forget(context, id);
        give(comm, "comm", abi::communicator_handle(None))
    })
}

pub(crate) unsafe extern "C" fn comm_compare(a: Handle, b: Handle, result: *mut c_int) -> c_int {
    call("MPI_Comm_compare", a, |context| {
        let (one, other) = (abi::communicator(a)?, abi::communicator(b)?);
        let process = &context.rank().process;
        let (first, second) = (process.communicator(one)?, process.communicator(other)?);
        let local = groups::compare(&first.group, &second.group);
        let compared = match (&first.remote, &second.remote) {
            (None, None) => local,
            // The values grow with the difference.
            (Some(a), Some(b)) => local.max(groups::compare(&a.group, &b.group)),
            _ => abi::UNEQUAL,
        };
        let found = if compared == abi::IDENT && one != other { abi::CONGRUENT } else { compared };
        give(result, "result", found)
    })
}

pub(crate) unsafe extern "C" fn comm_group(comm: Handle, group: *mut Handle) -> c_int {
    call("MPI_Comm_group", comm, |context| {
        let members: Group = context.rank().process.communicator(abi::communicator(comm)?)?.group.clone();
        give_new(group, "group", || groups::add(context, members))
    })
}

pub(crate) unsafe extern "C" fn comm_set_name(comm: Handle, name: *const c_char) -> c_int {
    call("MPI_Comm_set_name", comm, |context| {
        // SAFETY: the program's string.
        let name = string(name, "name")?.to_string_lossy().into_owned();
        context.rank().process.communicator_mut(abi::communicator(comm)?)?.name = name;
        Ok(())
    })
}

pub(crate) unsafe extern "C" fn comm_get_name(comm: Handle, name: *mut c_char, length: *mut c_int) -> c_int {
    call("MPI_Comm_get_name", comm, |context| {
        if comm as usize == abi::COMM_NULL {
            return give_text("MPI_COMM_NULL", abi::MAX_OBJECT_NAME, name, length);
        }
        let known = &context.rank().process.communicator(abi::communicator(comm)?)?.name;
        give_text(known, abi::MAX_OBJECT_NAME, name, length)
    })
}
