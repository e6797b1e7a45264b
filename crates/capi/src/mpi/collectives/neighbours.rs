//! Collectives among the neighbours of a virtual topology (MPI 5.0, section 8.6). Each block has a neighbour: in a grid
//! first the one before and then the one behind, side by side; a block beyond an open end stays as it is.

use super::memory::{Memory, Mixed, Uneven};
use super::prepared::{At, Prepared};
use crate::mpi::datatypes::buffer::Elements;
use weir_message::collective::Plan;
use weir_message::{MpiError, Neighbours};

fn neighbours(at: &mut At<'_>) -> Result<Neighbours, MpiError> {
    at.one_group()?;
    let rank = at.context.rank();
    let known = rank.process.communicator(at.communicator)?;
    let topology = known.topology.as_deref();
    let topology = topology.ok_or_else(|| MpiError::Topology("the communicator has no topology".into()))?;
    Ok(topology.neighbours(known.rank))
}

pub(crate) fn neighbor_allgather(
    at: &mut At<'_>,
    send: Elements,
    recv: Elements,
) -> Result<Prepared, MpiError> {
    let neighbours = neighbours(at)?;
    let given = same_to_all(at, send, &neighbours)?;
    let got = even(at, recv, &neighbours.sources)?;
    exchange(at, neighbours, given, got)
}

pub(crate) fn neighbor_allgatherv(
    at: &mut At<'_>,
    send: Elements,
    recv: Uneven,
) -> Result<Prepared, MpiError> {
    let neighbours = neighbours(at)?;
    let given = same_to_all(at, send, &neighbours)?;
    let got = uneven(at, recv, &neighbours.sources)?;
    exchange(at, neighbours, given, got)
}

pub(crate) fn neighbor_alltoall(
    at: &mut At<'_>,
    send: Elements,
    recv: Elements,
) -> Result<Prepared, MpiError> {
    let neighbours = neighbours(at)?;
    let (given, got) = (even(at, send, &neighbours.destinations)?, even(at, recv, &neighbours.sources)?);
    exchange(at, neighbours, given, got)
}

pub(crate) fn neighbor_alltoallv(at: &mut At<'_>, send: Uneven, recv: Uneven) -> Result<Prepared, MpiError> {
    let neighbours = neighbours(at)?;
    let (given, got) = (uneven(at, send, &neighbours.destinations)?, uneven(at, recv, &neighbours.sources)?);
    exchange(at, neighbours, given, got)
}

pub(crate) fn neighbor_alltoallw(at: &mut At<'_>, send: Mixed, recv: Mixed) -> Result<Prepared, MpiError> {
    let neighbours = neighbours(at)?;
    // SAFETY: the program's arrays have an element for each neighbour.
    let (given, got) = unsafe {
        let given =
            Memory::mixed(at.context, send, neighbours.destinations.len(), there(&neighbours.destinations));
        (given?, Memory::mixed(at.context, recv, neighbours.sources.len(), there(&neighbours.sources))?)
    };
    exchange(at, neighbours, given, got)
}

/// Sends block by block to the destinations, and receives block by block from the sources.
fn exchange(
    at: &mut At<'_>,
    neighbours: Neighbours,
    given: Memory,
    got: Memory,
) -> Result<Prepared, MpiError> {
    let plan = Plan::neighbours(neighbours, given.lengths(), got.lengths());
    Ok(at.prepared(plan, given, got))
}

/// Returns true for blocks that have a neighbour: those beyond open ends have not, and count as empty.
fn there(ranks: &[i32]) -> impl Fn(usize) -> bool {
    |block| ranks[block] >= 0
}

fn same_to_all(at: &mut At<'_>, send: Elements, neighbours: &Neighbours) -> Result<Memory, MpiError> {
    let own = at.buffer(send)?;
    Ok(Memory::parts(neighbours.destinations.len(), |block| {
        own.part(0, if there(&neighbours.destinations)(block) { own.count } else { 0 })
    }))
}

/// Blocks of one length, one behind the other.
fn even(at: &mut At<'_>, blocks: Elements, ranks: &[i32]) -> Result<Memory, MpiError> {
    let own = at.buffer(blocks)?;
    let count = own.count;
    let all = own.times(ranks.len())?;
    Ok(Memory::parts(ranks.len(), |block| {
        all.part((block * count) as i64, if there(ranks)(block) { count } else { 0 })
    }))
}

/// Blocks of their own lengths, at their own places.
fn uneven(at: &mut At<'_>, blocks: Uneven, ranks: &[i32]) -> Result<Memory, MpiError> {
    // SAFETY: the program's arrays have an element for each neighbour.
    unsafe { Memory::uneven(at.context, blocks, ranks.len(), there(ranks)) }
}
