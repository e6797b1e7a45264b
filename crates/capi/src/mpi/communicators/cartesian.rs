//! Grids of ranks: `MPI_Cart_*` and `MPI_Dims_create`. What they compute is in [`weir_message::cartesian`].

use crate::calls::abi::{self, Handle};
use crate::calls::output_arguments::{Array, Out, give, out};
use crate::mpi::communicators::groups::ints;
use crate::mpi::communicators::{adopt, members};
use crate::rank::context::Context;
use crate::rank::mpi_call::call;
use std::ffi::c_int;
use std::ptr;
use std::sync::Arc;
use weir_message::cartesian::{Cartesian, Ends, GridSide, Remains};
use weir_message::{Communicator, MpiError, UNDEFINED, VirtualTopology, dimensions};
use weir_units::Rank;

const CART: c_int = 211;
const GRAPH: c_int = 212;
const DIST_GRAPH: c_int = 213;

/// A communicator of the running rank, of one group: others have no topology.
pub(crate) fn communicator(context: &mut Context, comm: Handle) -> Result<&Communicator, MpiError> {
    let known = context.rank().process.communicator(abi::communicator(comm)?)?;
    if known.remote.is_some() { Err(MpiError::Communicator) } else { Ok(known) }
}

/// The program's variable for a new communicator; it is null until there is one.
pub(crate) fn no_communicator(new: *mut Handle) -> Result<Out<Handle>, MpiError> {
    let new = out(new, "newcomm")?;
    new.set(abi::communicator_handle(None));
    Ok(new)
}

/// A communicator and its grid.
fn grid(context: &mut Context, comm: Handle) -> Result<(&Communicator, &Cartesian), MpiError> {
    let known = communicator(context, comm)?;
    match known.topology.as_deref() {
        Some(VirtualTopology::Cartesian(grid)) => Ok((known, grid)),
        _ => Err(MpiError::Topology("the communicator is not a grid".into())),
    }
}

/// A rank of a communicator.
pub(crate) fn member(known: &Communicator, rank: c_int) -> Result<u32, MpiError> {
    let size = known.group.size();
    let found = u32::try_from(rank).ok().filter(|&rank| (rank as usize) < size);
    found.ok_or(MpiError::Rank { rank, size })
}

/// The grid that a program describes.
fn describe(
    count: c_int,
    lengths: *const c_int,
    periods: *const c_int,
    ranks: usize,
) -> Result<Cartesian, MpiError> {
    if count < 0 {
        return Err(MpiError::Dimensions(format!("a grid with {count} sides")));
    }
    let (lengths, periods) = (ints(lengths, count)?, ints(periods, count)?);
    let sides = lengths.iter().zip(periods.iter()).map(|(length, period)| {
        let length =
            u32::try_from(length).map_err(|_| MpiError::Dimensions(format!("a side of {length} ranks")))?;
        Ok(GridSide { length, ends: if period == 0 { Ends::Open } else { Ends::Joined } })
    });
    Cartesian::new(&sides.collect::<Result<Vec<GridSide>, MpiError>>()?, ranks)
}

pub(crate) unsafe extern "C" fn cart_create(
    comm: Handle,
    count: c_int,
    lengths: *const c_int,
    periods: *const c_int,
    _reorder: c_int,
    new: *mut Handle,
) -> c_int {
    call("MPI_Cart_create", comm, |context| {
        let new = no_communicator(new)?;
        let known = communicator(context, comm)?;
        let grid = describe(count, lengths, periods, known.group.size())?;
        let group = members(known, 0..grid.size());
        let is_of_all = (0..grid.size()).all(|rank| known.group.member(rank) == Some(Rank(rank)));
        if known.rank == 0 && is_of_all {
            context.rank().world.note_grid(&grid);
        }
        let made = adopt(context, comm, &group, Arc::new(VirtualTopology::Cartesian(grid)))?;
        new.set(abi::communicator_handle(made));
        Ok(())
    })
}

pub(crate) unsafe extern "C" fn cart_map(
    comm: Handle,
    count: c_int,
    lengths: *const c_int,
    periods: *const c_int,
    rank: *mut c_int,
) -> c_int {
    call("MPI_Cart_map", comm, |context| {
        let known = communicator(context, comm)?;
        let grid = describe(count, lengths, periods, known.group.size())?;
        let own = if known.rank < grid.size() { known.rank as c_int } else { UNDEFINED };
        give(rank, "rank", own)
    })
}

pub(crate) unsafe extern "C" fn cart_sub(comm: Handle, remain: *const c_int, new: *mut Handle) -> c_int {
    call("MPI_Cart_sub", comm, |context| {
        let new = no_communicator(new)?;
        let (known, grid) = grid(context, comm)?;
        let remain = ints(remain, grid.sides().len() as c_int)?;
        let remains: Vec<Remains> =
            remain.iter().map(|remain| if remain == 0 { Remains::No } else { Remains::Yes }).collect();
        let (part, ranks) = grid.part(known.rank, &remains);
        let group = members(known, ranks);
        let made = adopt(context, comm, &group, Arc::new(VirtualTopology::Cartesian(part)))?;
        new.set(abi::communicator_handle(made));
        Ok(())
    })
}

pub(crate) unsafe extern "C" fn cartdim_get(comm: Handle, count: *mut c_int) -> c_int {
    call("MPI_Cartdim_get", comm, |context| {
        give(count, "count", grid(context, comm)?.1.sides().len() as c_int)
    })
}

/// Copies ints to the program, no more than it has room for.
///
/// # Errors
/// When the array is null, and there is anything to write.
pub(crate) fn write_ints(
    values: impl IntoIterator<Item = c_int>,
    room: c_int,
    to: *mut c_int,
) -> Result<(), MpiError> {
    for (index, value) in values.into_iter().take(usize::try_from(room).unwrap_or(0)).enumerate() {
        out(to, "array of ints")?;
        give(to.wrapping_add(index), "array of ints", value)?;
    }
    Ok(())
}

pub(crate) unsafe extern "C" fn cart_get(
    comm: Handle,
    room: c_int,
    lengths: *mut c_int,
    periods: *mut c_int,
    coordinates: *mut c_int,
) -> c_int {
    call("MPI_Cart_get", comm, |context| {
        let (known, grid) = grid(context, comm)?;
        let sides = grid.sides().iter();
        write_ints(sides.clone().map(|side| side.length as c_int), room, lengths)?;
        write_ints(sides.map(|side| c_int::from(side.ends == Ends::Joined)), room, periods)?;
        write_ints(grid.coordinates(known.rank), room, coordinates)
    })
}

pub(crate) unsafe extern "C" fn cart_coords(
    comm: Handle,
    rank: c_int,
    room: c_int,
    coordinates: *mut c_int,
) -> c_int {
    call("MPI_Cart_coords", comm, |context| {
        let (known, grid) = grid(context, comm)?;
        let found = grid.coordinates(member(known, rank)?);
        write_ints(found, room, coordinates)
    })
}

pub(crate) unsafe extern "C" fn cart_rank(
    comm: Handle,
    coordinates: *const c_int,
    rank: *mut c_int,
) -> c_int {
    call("MPI_Cart_rank", comm, |context| {
        let (_, grid) = grid(context, comm)?;
        let coordinates = ints(coordinates, grid.sides().len() as c_int)?.to_vec();
        give(rank, "rank", grid.rank(&coordinates)? as c_int)
    })
}

pub(crate) unsafe extern "C" fn cart_shift(
    comm: Handle,
    direction: c_int,
    distance: c_int,
    source: *mut c_int,
    destination: *mut c_int,
) -> c_int {
    call("MPI_Cart_shift", comm, |context| {
        let (known, grid) = grid(context, comm)?;
        let found = grid.shift(known.rank, direction, distance)?;
        give(source, "source", found.0)?;
        give(destination, "destination", found.1)
    })
}

pub(crate) unsafe extern "C" fn dims_create(ranks: c_int, count: c_int, sides: *mut c_int) -> c_int {
    call("MPI_Dims_create", ptr::null_mut(), |_| {
        if count < 0 {
            return Err(MpiError::Dimensions(format!("a grid with {count} sides")));
        }
        let sides = Array::new(sides, count, "dims")?;
        let mut lengths = sides.to_vec();
        dimensions::balance(ranks, &mut lengths)?;
        lengths.iter().enumerate().for_each(|(side, &length)| sides.at(side).set(length));
        Ok(())
    })
}

pub(crate) unsafe extern "C" fn topo_test(comm: Handle, kind: *mut c_int) -> c_int {
    call("MPI_Topo_test", comm, |context| {
        let found = match communicator(context, comm)?.topology.as_deref() {
            None => UNDEFINED,
            Some(VirtualTopology::Cartesian(_)) => CART,
            Some(VirtualTopology::Graph(_)) => GRAPH,
            Some(VirtualTopology::Distributed(_)) => DIST_GRAPH,
        };
        give(kind, "kind", found)
    })
}
