//! Collectives among the neighbours of a virtual topology (MPI 5.0, section 8.6). Each block has a neighbour: in a grid
//! first the one before and then the one behind, side by side; a block beyond an open end stays as it is.

use super::memory::{Given, Memory};
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

pub(crate) fn neighbor_allgather(at: &mut At<'_>, send: Elements, recv: Given) -> Result<Prepared, MpiError> {
    let neighbours = neighbours(at)?;
    let given = same_to_all(at, send, &neighbours)?;
    let got = blocks(at, recv, &neighbours.sources)?;
    exchange(at, neighbours, given, got)
}

pub(crate) fn neighbor_alltoall(at: &mut At<'_>, send: Given, recv: Given) -> Result<Prepared, MpiError> {
    let neighbours = neighbours(at)?;
    let given = blocks(at, send, &neighbours.destinations)?;
    let got = blocks(at, recv, &neighbours.sources)?;
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

/// A block for each of these ranks. Those of one length are one behind the other.
fn blocks(at: &mut At<'_>, given: Given, ranks: &[i32]) -> Result<Memory, MpiError> {
    let elements = match given {
        Given::Uneven(blocks) => return blocks.memory(at.context, ranks.len(), there(ranks)),
        Given::Even(elements) => elements,
    };
    let own = at.buffer(elements)?;
    let count = own.count;
    let all = own.times(ranks.len())?;
    Ok(Memory::parts(ranks.len(), |block| {
        all.part((block * count) as i64, if there(ranks)(block) { count } else { 0 })
    }))
}
