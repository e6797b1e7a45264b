//! Making, comparing and naming communicators.

pub(crate) mod cartesian;
pub(crate) mod graph;
pub(crate) mod groups;
pub(crate) mod intercommunicators;

use crate::mpi::attributes::Holder;
use crate::mpi::collectives::{self, place_of_all};
use crate::mpi::prelude::*;
use crate::mpi::requests::delivery::Delivery;
use crate::mpi::{attributes, info, sessions};
use std::ffi::CStr;
use std::sync::Arc;
use weir_collectives::{Choice, OperandOrder, Place, Plan};
use weir_message::{
    Communicator, Group, Kind, Meeting, Predefined, PredefinedOperation, Reduction, UNDEFINED,
    VirtualTopology,
};
use weir_units::Rank;

/// Name in hints of the memory of a node, the only thing that ranks share.
const MEMORY: &CStr = c"mpi_shared_memory";

/// A duplicate with the attributes that the program's copy functions give it.
pub(crate) fn duplicate(context: &mut Context, id: CommunicatorId) -> Result<CommunicatorId> {
    let made = context.rank().process.duplicate(id)?;
    context.rank().inherit_errors(id, Some(made));
    if let Err(objection) =
        attributes::copy_all(context, Holder::Communicator(id), Holder::Communicator(made))
    {
        end(context, made)?;
        return Err(objection);
    }
    Ok(made)
}

pub(crate) fn comm_dup(context: &mut Context, id: CommunicatorId, new: Out<Handle>) -> Done {
    // A copy function of the program may object; then there is no duplicate.
    new.set(abi::communicator_handle(None));
    room_for_another(context, id)?;
    let made = duplicate(context, id)?;
    new.give(abi::communicator_handle(Some(made)))
}

/// A duplicate with hints of its own; there may be none.
fn duplicate_with(context: &mut Context, id: CommunicatorId, hints: Handle) -> Result<CommunicatorId> {
    let hints = info::hints(context, hints)?;
    let made = duplicate(context, id)?;
    info::add_hints(context, made, &hints);
    Ok(made)
}

pub(crate) fn comm_dup_with_info(context: &mut Context, args: CommDupWithInfo) -> Done {
    room_for_another(context, args.comm)?;
    let made = duplicate_with(context, args.comm, args.info)?;
    args.newcomm.give(abi::communicator_handle(Some(made)))
}

/// Splits a communicator: all of one color come together, in the order of their keys.
fn split(
    context: &mut Context,
    id: CommunicatorId,
    color: c_int,
    key: c_int,
) -> Result<Option<CommunicatorId>> {
    let place = collectives::place_of_all(context, id)?;
    // Everybody has to know everybody's color and key; few rounds matter, for the data are short.
    let plan = Plan::split(place);
    let own = [color.to_ne_bytes(), key.to_ne_bytes()].concat();
    let data = collectives::run(context, id, &plan, None, |into| into.copy_from_slice(&own))?;
    let word = |bytes: &[u8]| i32::from_ne_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
    let table: Vec<(i32, i32)> = data.chunks_exact(8).map(|entry| (word(entry), word(&entry[4..]))).collect();
    context.rank().process.split(id, &table)
}

pub(crate) fn comm_split(context: &mut Context, args: CommSplit) -> Done {
    if args.color < 0 && args.color != UNDEFINED {
        return Err(MpiError::Argument(format!("the color {} is negative", args.color)));
    }
    room_for_another(context, args.comm)?;
    let made = split(context, args.comm, args.color, args.key)?;
    context.rank().inherit_errors(args.comm, made);
    args.newcomm.give(abi::communicator_handle(made))
}

pub(crate) fn comm_split_type(context: &mut Context, args: CommSplitType) -> Done {
    info::hints(context, args.info)?;
    room_for_another(context, args.comm)?;
    let whole = context.communicator(args.comm)?.everybody().clone();
    // Who shares a node needs no message; who of them takes part, and in which order, does.
    let own = context.rank().process.rank();
    let neighbors = context.rank().world.on_same_node(own);
    let on_node: Vec<Rank> =
        neighbors.iter().copied().filter(|&rank| whole.rank_of(rank).is_some()).collect();
    let by_node = match args.split_type {
        MPI_COMM_TYPE_SHARED => true,
        MPI_COMM_TYPE_HW_UNGUIDED => on_node.len() < whole.size(),
        MPI_COMM_TYPE_HW_GUIDED | MPI_COMM_TYPE_RESOURCE_GUIDED => {
            info::value(context, args.info, c"mpi_hw_resource_type")?
                .is_some_and(|value| value.as_c_str() == MEMORY)
        }
        UNDEFINED => false,
        kind => return Err(MpiError::Argument(format!("{kind} is no kind of split"))),
    };
    let of_set = match args.split_type {
        MPI_COMM_TYPE_RESOURCE_GUIDED => sessions::set_named_by(context, args.info)?,
        _ => None,
    };
    if of_set.is_some() || is_between(context, args.comm)? {
        let node = neighbors.first().filter(|_| by_node).map_or(UNDEFINED, |first| first.0 as c_int);
        let made = split(context, args.comm, of_set.unwrap_or(node), args.key)?;
        context.rank().inherit_errors(args.comm, made);
        info::keep_hints(context, made, args.info)?;
        return args.newcomm.give(abi::communicator_handle(made));
    }
    let all =
        context.rank().process.create(args.comm, &Group::new(&on_node))?.ok_or(MpiError::Communicator)?;
    let made = split(context, all, if by_node { 0 } else { UNDEFINED }, args.key)?;
    if args.split_type == MPI_COMM_TYPE_HW_UNGUIDED && made.is_some() {
        info::give_hint(context, args.info, c"mpi_hw_resource_type", MEMORY)?;
    }
    context.rank().process.free(all)?;
    context.rank().inherit_errors(args.comm, made);
    info::keep_hints(context, made, args.info)?;
    args.newcomm.give(abi::communicator_handle(made))
}

/// Returns true if a communicator is one between two groups.
fn is_between(context: &mut Context, id: CommunicatorId) -> Result<bool> {
    Ok(context.communicator(id)?.remote.is_some())
}

/// A group that is to be part of a communicator has none but its members.
fn all_inside(context: &mut Context, id: CommunicatorId, group: &Group) -> Done {
    let whole = &context.communicator(id)?.group;
    match group.members().all(|member| whole.rank_of(member).is_some()) {
        true => Ok(()),
        false => Err(MpiError::Group),
    }
}

pub(crate) fn comm_create_group(context: &mut Context, args: CommCreateGroup) -> Done {
    if is_between(context, args.comm)? {
        return Err(MpiError::Communicator);
    }
    if args.tag < 0 {
        return Err(MpiError::Tag(args.tag));
    }
    all_inside(context, args.comm, &args.group)?;
    // Only members call it; a rank that calls it with the empty group gets nothing.
    let made = match args.group.size() {
        0 => None,
        _ => Some(context.rank().process.create_among(args.comm, &args.group, args.tag)?),
    };
    context.rank().inherit_errors(args.comm, made);
    args.newcomm.give(abi::communicator_handle(made))
}

pub(crate) fn comm_idup(context: &mut Context, args: CommIdup) -> Done {
    let CommIdup { comm, newcomm, request } = args;
    let info = abi::predefined(MPI_INFO_NULL);
    comm_idup_with_info(context, CommIdupWithInfo { comm, info, newcomm, request })
}

/// Starts a duplicate: complete at once where it needs no message. Ranks compare notes beside what they do; the request fails if it is
/// one too many, which takes it away again.
pub(crate) fn comm_idup_with_info(context: &mut Context, args: CommIdupWithInfo) -> Done {
    let is_due = is_due(context, args.comm)?;
    let held = context.rank().process.communicators_held() as u64;
    let made = duplicate_with(context, args.comm, args.info)?;
    let under_way = if is_due {
        let (plan, reduction) = largest(place_of_all(context, args.comm)?)?;
        let mut workspace = vec![0; plan.workspace];
        workspace[plan.input.clone()].copy_from_slice(&held.to_ne_bytes());
        let (rank, actions) = context.both();
        let under_way = rank.process.start_collective(
            actions,
            args.comm,
            Meeting::InOrder,
            &plan,
            workspace,
            reduction,
        )?;
        let take = move |context: &mut Context, workspace: &[u8]| {
            let result = check(&workspace[plan.result.clone()]);
            if result.is_err() {
                end(context, made)?;
            }
            result
        };
        context.rank().set_delivery(under_way, Delivery::Call(Box::new(take)));
        under_way
    } else {
        context.rank().process.completed()
    };
    args.newcomm.set(abi::communicator_handle(Some(made)));
    args.request.give(abi::request_handle(under_way))
}

/// Members of a communicator by their ranks in it.
pub(crate) fn members(known: &Communicator, ranks: impl IntoIterator<Item = u32>) -> Group {
    let members: Vec<Rank> = ranks.into_iter().filter_map(|rank| known.group.member(rank)).collect();
    Group::new(&members)
}

/// Makes a communicator of `group`, with a topology; `None` for ranks outside. All of communicator `id` take part.
pub(crate) fn adopt(
    context: &mut Context,
    id: CommunicatorId,
    group: &Group,
    topology: Arc<VirtualTopology>,
) -> Result<Option<CommunicatorId>> {
    room_for_another(context, id)?;
    let made = context.rank().process.create(id, group)?;
    context.rank().inherit_errors(id, made);
    if let Some(made) = made {
        context.rank().process.communicator_mut(made)?.topology = Some(topology);
    }
    Ok(made)
}

pub(crate) fn comm_create(context: &mut Context, id: CommunicatorId, group: Group, new: Out<Handle>) -> Done {
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
    new.give(abi::communicator_handle(made))
}

pub(crate) fn comm_free(context: &mut Context, comm: Out<Handle>) -> Done {
    let id = abi::communicator(comm.get())?;
    context.rank().process.may_free(id)?;
    end(context, id)?;
    comm.give(abi::communicator_handle(None))
}

/// Ends a communicator, with its attributes and hints.
pub(crate) fn end(context: &mut Context, id: CommunicatorId) -> Done {
    attributes::delete_all(context, Holder::Communicator(id))?;
    context.rank().process.free(id)?;
    info::forget(context, id);
    Ok(())
}

pub(crate) fn comm_compare(context: &mut Context, args: CommCompare) -> Done {
    let process = &context.rank().process;
    let (first, second) = (process.communicator(args.comm1)?, process.communicator(args.comm2)?);
    let local = groups::compare(&first.group, &second.group);
    let compared = match (&first.remote, &second.remote) {
        (None, None) => local,
        // The values grow with the difference.
        (Some(a), Some(b)) => local.max(groups::compare(&a.group, &b.group)),
        _ => MPI_UNEQUAL,
    };
    let found = if compared == MPI_IDENT && args.comm1 != args.comm2 { MPI_CONGRUENT } else { compared };
    args.result.give(found)
}

/// Limit of the communicators that a rank holds at a time. A program that makes them and frees none is to get an error before memory
/// is full, and all ranks are to get it at the same place, or those that are not would wait for the others for ever.
///
/// Making a communicator needs no message here, so ranks do not know how many the others hold. They compare notes at every
/// 1,024th communicator that is made from another one; what is refused is not made, so that they do it again at the next
/// try. What escapes that, such as communicators made from each other in a chain, ends at the limit of
/// [`weir_message::Process`]. With 16 bits for contexts, of which a communicator takes two, an MPI library has no more.
const MOST: u64 = 1 << 15;

/// Ranks compare notes at one of so many.
const INTERVAL: u64 = 1024;

/// Returns true if the ranks of a communicator compare notes before or after the next one is made from it; all say the same.
fn is_due(context: &mut Context, id: CommunicatorId) -> Result<bool> {
    let made = context.communicator(id)?.children;
    Ok((made + 1).is_multiple_of(INTERVAL))
}

/// The largest of the numbers of all ranks.
fn largest(place: Place) -> Result<(Plan, Reduction)> {
    let plan = Plan::allreduce(&Choice::default(), place, 1, size_of::<u64>(), OperandOrder::Commute);
    Ok((plan, Some(Arc::new(PredefinedOperation::new(Predefined::Max, Kind::U64)?))))
}

fn check(result: &[u8]) -> Done {
    let most = result.try_into().map_or(0, u64::from_ne_bytes);
    if most < MOST {
        return Ok(());
    }
    Err(MpiError::Other(format!(
        "a rank of this communicator holds {MOST} communicators, and there are no more: the program seems to make them over \
         and over without MPI_Comm_free"
    )))
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
