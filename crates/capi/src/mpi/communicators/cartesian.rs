//! Grids of ranks: `MPI_Cart_*` and `MPI_Dims_create`. What they compute is in [`weir_message::Cartesian`].

use crate::calls::output_arguments::{give, out};
use crate::mpi::communicators::groups::ints;
use crate::mpi::communicators::{adopt, members};
use crate::mpi::prelude::*;
use std::sync::Arc;
use weir_message::{
    Cartesian, Communicator, Ends, GridSide, Remains, UNDEFINED, VirtualTopology, dimensions,
};
use weir_units::Rank;

/// A communicator of the running rank, of one group: others have no topology.
pub(crate) fn communicator(context: &mut Context, comm: CommunicatorId) -> Result<&Communicator> {
    let known = context.communicator(comm)?;
    if known.remote.is_some() { Err(MpiError::Communicator) } else { Ok(known) }
}

fn grid(context: &mut Context, comm: CommunicatorId) -> Result<(&Communicator, &Cartesian)> {
    let known = communicator(context, comm)?;
    match known.topology.as_deref() {
        Some(VirtualTopology::Cartesian(grid)) => Ok((known, grid)),
        _ => Err(MpiError::Topology("the communicator is not a grid".into())),
    }
}

pub(crate) fn member(known: &Communicator, rank: c_int) -> Result<u32> {
    let size = known.group.size();
    let found = u32::try_from(rank).ok().filter(|&rank| (rank as usize) < size);
    found.ok_or(MpiError::Rank { rank, size })
}

fn describe(count: c_int, lengths: *const c_int, periods: *const c_int, ranks: usize) -> Result<Cartesian> {
    if count < 0 {
        return Err(MpiError::Dimensions(format!("a grid with {count} sides")));
    }
    let (lengths, periods) = (ints(lengths, count)?, ints(periods, count)?);
    let sides = lengths.iter().zip(periods.iter()).map(|(length, period)| {
        let length =
            u32::try_from(length).map_err(|_| MpiError::Dimensions(format!("a side of {length} ranks")))?;
        Ok(GridSide { length, ends: if period == 0 { Ends::Open } else { Ends::Joined } })
    });
    Cartesian::new(&sides.collect::<Result<Vec<GridSide>>>()?, ranks)
}

pub(crate) fn cart_create(context: &mut Context, args: CartCreate) -> Done {
    args.newcomm.set(abi::communicator_handle(None));
    let known = communicator(context, args.comm)?;
    let grid = describe(args.ndims, args.dims, args.periods, known.group.size())?;
    let group = members(known, 0..grid.size());
    let is_of_all = (0..grid.size()).all(|rank| known.group.member(rank) == Some(Rank(rank)));
    if known.rank == 0 && is_of_all {
        context.rank().world.note_grid(&grid);
    }
    let made = adopt(context, args.comm, &group, Arc::new(VirtualTopology::Cartesian(grid)))?;
    args.newcomm.give(abi::communicator_handle(made))
}

pub(crate) fn cart_map(context: &mut Context, args: CartMap) -> Done {
    let known = communicator(context, args.comm)?;
    let grid = describe(args.ndims, args.dims, args.periods, known.group.size())?;
    let own = if known.rank < grid.size() { known.rank as c_int } else { UNDEFINED };
    args.newrank.give(own)
}

pub(crate) fn cart_sub(context: &mut Context, args: CartSub) -> Done {
    args.newcomm.set(abi::communicator_handle(None));
    let (known, grid) = grid(context, args.comm)?;
    let remain = ints(args.remain, grid.sides().len() as c_int)?;
    let remains: Vec<Remains> =
        remain.iter().map(|remain| if remain == 0 { Remains::No } else { Remains::Yes }).collect();
    let (part, ranks) = grid.part(known.rank, &remains);
    let group = members(known, ranks);
    let made = adopt(context, args.comm, &group, Arc::new(VirtualTopology::Cartesian(part)))?;
    args.newcomm.give(abi::communicator_handle(made))
}

pub(crate) fn cartdim_get(context: &mut Context, comm: CommunicatorId, count: Out<c_int>) -> Done {
    count.give(grid(context, comm)?.1.sides().len() as c_int)
}

/// Copies ints to the program, no more than it has room for. Fails when the array is null, and there is anything to write.
pub(crate) fn write_ints(values: impl IntoIterator<Item = c_int>, room: c_int, to: *mut c_int) -> Done {
    for (index, value) in values.into_iter().take(usize::try_from(room).unwrap_or(0)).enumerate() {
        out(to, "array of ints")?;
        give(to.wrapping_add(index), "array of ints", value)?;
    }
    Ok(())
}

pub(crate) fn cart_get(context: &mut Context, args: CartGet) -> Done {
    let (known, grid) = grid(context, args.comm)?;
    let sides = grid.sides().iter();
    write_ints(sides.clone().map(|side| side.length as c_int), args.maxdims, args.dims)?;
    write_ints(sides.map(|side| c_int::from(side.ends == Ends::Joined)), args.maxdims, args.periods)?;
    write_ints(grid.coordinates(known.rank), args.maxdims, args.coords)
}

pub(crate) fn cart_coords(context: &mut Context, args: CartCoords) -> Done {
    let (known, grid) = grid(context, args.comm)?;
    let found = grid.coordinates(member(known, args.rank)?);
    write_ints(found, args.maxdims, args.coords)
}

pub(crate) fn cart_rank(context: &mut Context, args: CartRank) -> Done {
    let (_, grid) = grid(context, args.comm)?;
    let coordinates = ints(args.coords, grid.sides().len() as c_int)?.to_vec();
    args.rank.give(grid.rank(&coordinates)? as c_int)
}

pub(crate) fn cart_shift(context: &mut Context, args: CartShift) -> Done {
    let (known, grid) = grid(context, args.comm)?;
    let found = grid.shift(known.rank, args.direction, args.displacement)?;
    args.source.set(found.0);
    args.dest.give(found.1)
}

pub(crate) fn dims_create(_: &mut Context, ranks: c_int, count: c_int, sides: *mut c_int) -> Done {
    if count < 0 {
        return Err(MpiError::Dimensions(format!("a grid with {count} sides")));
    }
    let sides = Array::new(sides, count, "dims")?;
    let mut lengths = sides.to_vec();
    dimensions::balance(ranks, &mut lengths)?;
    lengths.iter().enumerate().for_each(|(side, &length)| sides.at(side).set(length));
    Ok(())
}

pub(crate) fn topo_test(context: &mut Context, comm: CommunicatorId, kind: Out<c_int>) -> Done {
    let found = match communicator(context, comm)?.topology.as_deref() {
        None => UNDEFINED,
        Some(VirtualTopology::Cartesian(_)) => MPI_CART,
        Some(VirtualTopology::Graph(_)) => MPI_GRAPH,
        Some(VirtualTopology::Distributed(_)) => MPI_DIST_GRAPH,
    };
    kind.give(found)
}
