//! Collectives that move data: `MPI_Barrier`, which moves none, `MPI_Bcast`, `MPI_Gather`, `MPI_Scatter`, `MPI_Allgather`,
//! `MPI_Alltoall`, and their forms with blocks of different lengths.

use crate::mpi::collectives::between;
use crate::mpi::collectives::memory::{Given, Memory, Uneven, is_in_place};
use crate::mpi::collectives::prepared::{At, Prepared};
use crate::mpi::datatypes::buffer::{Buffer, fits};
use crate::mpi::prelude::*;
use weir_collectives::{Blocks, Neighbors, Plan};
use weir_message::MpiError;

pub(crate) fn barrier(at: &mut At<'_>) -> Result<Prepared> {
    let plan = match &at.sides {
        None => Plan::barrier(&at.choice, at.place),
        Some(sides) => sides.barrier(&at.choice),
    };
    Ok(at.prepared(plan, Memory::None, Memory::None))
}

pub(crate) fn bcast(at: &mut At<'_>, data: Elements, root: i32) -> Result<Prepared> {
    if let Some(sides) = at.sides {
        return between::bcast(at, sides, data, root);
    }
    let root = at.root(root)?;
    let data = at.buffer(data)?;
    let plan = Plan::bcast(&at.choice, at.place, root, data.bytes);
    let (given, got) = if at.place.rank == root {
        (Memory::One(data), Memory::None)
    } else {
        (Memory::None, Memory::One(data))
    };
    Ok(at.prepared(plan, given, got))
}

pub(crate) fn gather(at: &mut At<'_>, send: Elements, recv: Given, root: i32) -> Result<Prepared> {
    if let Some(sides) = at.sides {
        return between::gather(at, sides, send, recv, root);
    }
    let root = at.root(root)?;
    match recv {
        _ if at.place.rank != root => {
            let own = at.buffer(send)?;
            let plan = match recv {
                Given::Even(_) => Plan::gather(&at.choice, at.place, root, own.bytes),
                Given::Uneven(_) => Plan::gatherv(at.place, root, only_own(at, &own)),
            };
            Ok(at.prepared(plan, Memory::One(own), Memory::None))
        }
        Given::Even(recv) => {
            let all = at.blocks(recv, at.place.size)?;
            let (own, block) = (own_block(at, send, &all)?, all.bytes / at.place.size);
            let bytes = own.bytes;
            let plan = Plan::gather(&at.choice, at.place, root, bytes);
            Ok(at.prepared(plan, Memory::One(own), Memory::One(all)).with_blocks_of(bytes, block))
        }
        Given::Uneven(recv) => {
            let all = at.uneven(recv)?;
            let own = own_uneven_block(at, send, &all)?;
            let plan = Plan::gatherv(at.place, root, all.lengths());
            Ok(at.prepared(plan, Memory::One(own), all))
        }
    }
}

/// The buffer that the rank gives: in place, its own block of the receive buffer.
fn own_or(at: &mut At<'_>, send: Elements, block: Buffer) -> Result<Buffer> {
    if send.is_in_place() {
        return Ok(block);
    }
    let own = at.buffer(send)?;
    own.apart_from(&block)?;
    Ok(own)
}

fn own_block(at: &mut At<'_>, send: Elements, all: &Buffer) -> Result<Buffer> {
    let count = all.count / at.place.size;
    own_or(at, send, all.part((at.place.rank * count) as i64, count))
}

/// The same where each block has its own length; it must be long enough.
fn own_uneven_block(at: &mut At<'_>, send: Elements, all: &Memory) -> Result<Buffer> {
    let block = all.block(at.place.rank);
    let room = block.bytes;
    let own = own_or(at, send, block)?;
    fits(own.bytes, room)?;
    Ok(own)
}

/// Blocks as a rank that is not the root sees them: only its own matters.
fn only_own(at: &mut At<'_>, own: &Buffer) -> Blocks {
    Blocks::uneven((0..at.place.size).map(|rank| if rank == at.place.rank { own.bytes } else { 0 }))
}

pub(crate) fn scatter(at: &mut At<'_>, send: Given, recv: Elements, root: i32) -> Result<Prepared> {
    if let Some(sides) = at.sides {
        return between::scatter(at, sides, send, recv, root);
    }
    let root = at.root(root)?;
    if at.place.rank != root {
        let own = at.buffer(recv)?;
        let plan = match send {
            Given::Even(_) => Plan::scatter(&at.choice, at.place, root, own.bytes),
            Given::Uneven(_) => Plan::scatterv(at.place, root, only_own(at, &own)),
        };
        return Ok(at.prepared(plan, Memory::None, Memory::One(own)));
    }
    let (all, block) = match send {
        Given::Even(send) => {
            let all = at.blocks(send, at.place.size)?;
            (Memory::One(all.clone()), all)
        }
        Given::Uneven(send) => {
            let all = at.uneven(send)?;
            (all.clone(), all.block(root))
        }
    };
    // Where the root's own block goes: in place, it stays where it is.
    let got = if recv.is_in_place() { None } else { Some(at.buffer(recv)?) };
    got.as_ref().map_or(Ok(()), |got| block.apart_from(got))?;
    let (room, got) = (got.as_ref().map(|got| got.bytes), got.map_or(Memory::None, Memory::One));
    if let Given::Even(_) = send {
        let bytes = block.bytes / at.place.size;
        let plan = Plan::scatter(&at.choice, at.place, root, bytes);
        return Ok(at.prepared(plan, all, got).with_blocks_of(bytes, room.unwrap_or(bytes)));
    }
    fits(block.bytes, room.unwrap_or(block.bytes))?;
    let plan = Plan::scatterv(at.place, root, all.lengths());
    Ok(at.prepared(plan, all, got))
}

pub(crate) fn allgather(at: &mut At<'_>, send: Elements, recv: Given) -> Result<Prepared> {
    if let Some(sides) = at.sides {
        return between::allgather(at, sides, send, recv);
    }
    match recv {
        Given::Even(recv) => {
            let all = at.blocks(recv, at.place.size)?;
            let own = own_block(at, send, &all)?;
            let (bytes, block) = (own.bytes, all.bytes / at.place.size);
            let plan = Plan::allgather(&at.choice, at.place, bytes);
            Ok(at.prepared(plan, Memory::One(own), Memory::One(all)).with_blocks_of(bytes, block))
        }
        Given::Uneven(recv) => {
            let all = at.uneven(recv)?;
            let own = own_uneven_block(at, send, &all)?;
            let plan = Plan::allgatherv(&at.choice, at.place, all.lengths());
            Ok(at.prepared(plan, Memory::One(own), all))
        }
    }
}

pub(crate) fn alltoall(at: &mut At<'_>, send: Elements, recv: Elements) -> Result<Prepared> {
    if let Some(sides) = at.sides {
        return between::alltoall(at, sides, Given::Even(send), Given::Even(recv));
    }
    let given = at.blocks(send.or(recv), at.place.size)?;
    let got = at.blocks(recv, at.place.size)?;
    if !send.is_in_place() {
        given.apart_from(&got)?;
    }
    let (bytes, block) = (given.bytes / at.place.size, got.bytes / at.place.size);
    let plan = Plan::alltoall(&at.choice, at.place, bytes).map_err(MpiError::Other)?;
    Ok(at.prepared(plan, Memory::One(given), Memory::One(got)).with_blocks_of(bytes, block))
}

pub(crate) fn alltoallv(at: &mut At<'_>, send: Uneven, recv: Uneven) -> Result<Prepared> {
    if let Some(sides) = at.sides {
        return between::alltoall(at, sides, Given::Uneven(send), Given::Uneven(recv));
    }
    let got = at.uneven(recv)?;
    let in_place = is_in_place(send.address);
    let given = if in_place { got.clone() } else { at.uneven(send)? };
    if !in_place {
        // No block goes to where a block of the same rank comes.
        (0..at.place.size).try_for_each(|block| given.block(block).apart_from(&got.block(block)))?;
    }
    let own = |memory: &Memory| memory.lengths().length(at.place.rank);
    fits(own(&given), own(&got))?;
    let plan =
        Plan::alltoallv(&at.choice, at.place, given.lengths(), got.lengths()).map_err(MpiError::Other)?;
    Ok(at.prepared(plan, given, got))
}

/// The neighbors in a virtual topology (MPI 5.0, section 8.6). Each block has one: in a grid first the one before and then the one
/// behind, side by side; a block beyond an open end stays as it is.
fn neighbors(at: &mut At<'_>) -> Result<Neighbors> {
    at.one_group()?;
    let rank = at.context.rank();
    let known = rank.process.communicator(at.communicator)?;
    let topology = known.topology.as_deref();
    let topology = topology.ok_or_else(|| MpiError::Topology("the communicator has no topology".into()))?;
    Ok(topology.neighbors(known.rank))
}

pub(crate) fn neighbor_allgather(at: &mut At<'_>, send: Elements, recv: Given) -> Result<Prepared> {
    let neighbors = neighbors(at)?;
    let given = same_to_all(at, send, &neighbors)?;
    let got = blocks(at, recv, &neighbors.sources)?;
    to_neighbors(at, neighbors, given, got)
}

pub(crate) fn neighbor_alltoall(at: &mut At<'_>, send: Given, recv: Given) -> Result<Prepared> {
    let neighbors = neighbors(at)?;
    let given = blocks(at, send, &neighbors.destinations)?;
    let got = blocks(at, recv, &neighbors.sources)?;
    to_neighbors(at, neighbors, given, got)
}

/// Sends block by block to the destinations, and receives block by block from the sources.
fn to_neighbors(at: &mut At<'_>, neighbors: Neighbors, given: Memory, got: Memory) -> Result<Prepared> {
    let plan = Plan::neighbors(neighbors, given.lengths(), got.lengths());
    Ok(at.prepared(plan, given, got))
}

/// True for blocks that have a neighbor: those beyond open ends have not, and count as empty.
fn there(ranks: &[i32]) -> Vec<bool> {
    ranks.iter().map(|&rank| rank >= 0).collect()
}

fn same_to_all(at: &mut At<'_>, send: Elements, neighbors: &Neighbors) -> Result<Memory> {
    let (own, is_there) = (at.buffer(send)?, there(&neighbors.destinations));
    Ok(Memory::parts(is_there.len(), |block| own.part(0, if is_there[block] { own.count } else { 0 })))
}

/// A block for each of these ranks. Those of one length are one behind the other.
fn blocks(at: &mut At<'_>, given: Given, ranks: &[i32]) -> Result<Memory> {
    let is_there = there(ranks);
    let elements = match given {
        Given::Uneven(blocks) => return blocks.memory(at.context, &is_there),
        Given::Even(elements) => elements,
    };
    let own = at.buffer(elements)?;
    let count = own.count;
    let all = own.times(ranks.len())?;
    let part = |block: usize| all.part((block * count) as i64, if is_there[block] { count } else { 0 });
    Ok(Memory::parts(ranks.len(), part))
}
