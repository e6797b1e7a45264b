//! Collectives that move data: `MPI_Barrier`, which moves none, `MPI_Bcast`, `MPI_Gather`, `MPI_Scatter`, `MPI_Allgather`,
//! `MPI_Alltoall`, and their forms with blocks of different lengths.

use crate::mpi::collectives::between;
use crate::mpi::collectives::memory::{Given, Memory, Uneven, is_in_place};
use crate::mpi::collectives::prepared::{At, Prepared};
use crate::mpi::datatypes::buffer::{Buffer, Elements};
use crate::mpi::prelude::*;
use weir_message::Neighbours;
use weir_message::collective::{Blocks, Plan};

pub(crate) fn barrier(at: &mut At<'_>) -> Result<Prepared> {
    let plan = match &at.sides {
        None => Plan::barrier(&at.choice, at.place),
        Some(sides) => sides.barrier(&at.choice),
    };
    Ok(at.prepared(plan, Memory::None, Memory::None))
}

pub(crate) fn bcast(at: &mut At<'_>, data: Elements, root: i32) -> Result<Prepared> {
    if let Some(sides) = at.sides {
        return between::bcast(at, &sides, data, root);
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

pub(crate) fn gather(at: &mut At<'_>, send: Elements, recv: Elements, root: i32) -> Result<Prepared> {
    if let Some(sides) = at.sides {
        return between::gather(at, &sides, send, Given::Even(recv), root);
    }
    let root = at.root(root)?;
    let (own, block, got) = if at.place.rank == root {
        let all = at.blocks(recv, at.place.size)?;
        (own_block(at, send, &all)?, all.bytes / at.place.size, Memory::One(all))
    } else {
        let own = at.buffer(send)?;
        (own.clone(), own.bytes, Memory::None)
    };
    let bytes = own.bytes;
    let plan = Plan::gather(&at.choice, at.place, root, bytes);
    Ok(at.prepared(plan, Memory::One(own), got).with_blocks_of(bytes, block))
}

/// The buffer that the rank gives: in place, its own block of the receive buffer.
pub(super) fn own_block(at: &mut At<'_>, send: Elements, all: &Buffer) -> Result<Buffer> {
    if send.is_in_place() {
        let count = all.count / at.place.size;
        Ok(all.part((at.place.rank * count) as i64, count))
    } else {
        let own = at.buffer(send)?;
        let count = all.count / at.place.size;
        own.apart_from(&all.part((at.place.rank * count) as i64, count))?;
        Ok(own)
    }
}

/// The same where each block has its own length; it must be long enough.
pub(super) fn own_uneven_block(at: &mut At<'_>, send: Elements, all: &Memory) -> Result<Buffer> {
    let block = all.block(at.place.rank);
    if send.is_in_place() {
        return Ok(block);
    }
    let own = at.buffer(send)?;
    own.apart_from(&block)?;
    if own.bytes > block.bytes {
        return Err(MpiError::Truncate { message: own.bytes as u64, buffer: block.bytes as u64 });
    }
    Ok(own)
}

pub(crate) fn gatherv(at: &mut At<'_>, send: Elements, recv: Uneven, root: i32) -> Result<Prepared> {
    if let Some(sides) = at.sides {
        return between::gather(at, &sides, send, Given::Uneven(recv), root);
    }
    let root = at.root(root)?;
    if at.place.rank == root {
        let all = at.uneven(recv)?;
        let own = own_uneven_block(at, send, &all)?;
        let plan = Plan::gatherv(at.place, root, all.lengths());
        Ok(at.prepared(plan, Memory::One(own), all))
    } else {
        let own = at.buffer(send)?;
        let plan = Plan::gatherv(at.place, root, only_own(at, &own));
        Ok(at.prepared(plan, Memory::One(own), Memory::None))
    }
}

/// Blocks as a rank that is not the root sees them: only its own matters.
pub(super) fn only_own(at: &mut At<'_>, own: &Buffer) -> Blocks {
    Blocks::uneven((0..at.place.size).map(|rank| if rank == at.place.rank { own.bytes } else { 0 }))
}

pub(crate) fn scatter(at: &mut At<'_>, send: Elements, recv: Elements, root: i32) -> Result<Prepared> {
    if let Some(sides) = at.sides {
        return between::scatter(at, &sides, Given::Even(send), recv, root);
    }
    let root = at.root(root)?;
    if at.place.rank == root {
        let all = at.blocks(send, at.place.size)?;
        check_apart(at, &all, recv)?;
        let bytes = all.bytes / at.place.size;
        let own = if recv.is_in_place() { bytes } else { at.buffer(recv)?.bytes };
        let plan = Plan::scatter(&at.choice, at.place, root, bytes);
        let got = at_root(at, recv)?;
        let prepared = at.prepared(plan, Memory::One(all), got);
        Ok(prepared.with_blocks_of(bytes, own))
    } else {
        let own = at.buffer(recv)?;
        let plan = Plan::scatter(&at.choice, at.place, root, own.bytes);
        Ok(at.prepared(plan, Memory::None, Memory::One(own)))
    }
}

/// Where the root's own block goes: in place, it stays where it is.
fn at_root(at: &mut At<'_>, recv: Elements) -> Result<Memory> {
    Ok(if recv.is_in_place() { Memory::None } else { Memory::One(at.buffer(recv)?) })
}

/// The root's own block does not go to where the blocks are, but for in place.
fn check_apart(at: &mut At<'_>, given: &Buffer, recv: Elements) -> Done {
    if recv.is_in_place() { Ok(()) } else { given.apart_from(&at.buffer(recv)?) }
}

pub(crate) fn scatterv(at: &mut At<'_>, send: Uneven, recv: Elements, root: i32) -> Result<Prepared> {
    if let Some(sides) = at.sides {
        return between::scatter(at, &sides, Given::Uneven(send), recv, root);
    }
    let root = at.root(root)?;
    if at.place.rank == root {
        let all = at.uneven(send)?;
        check_apart(at, &all.block(root), recv)?;
        let got = at_root(at, recv)?;
        let own = all.lengths().length(root);
        if let Memory::One(buffer) = &got
            && own > buffer.bytes
        {
            return Err(MpiError::Truncate { message: own as u64, buffer: buffer.bytes as u64 });
        }
        let plan = Plan::scatterv(at.place, root, all.lengths());
        Ok(at.prepared(plan, all, got))
    } else {
        let own = at.buffer(recv)?;
        let plan = Plan::scatterv(at.place, root, only_own(at, &own));
        Ok(at.prepared(plan, Memory::None, Memory::One(own)))
    }
}

pub(crate) fn allgather(at: &mut At<'_>, send: Elements, recv: Elements) -> Result<Prepared> {
    if let Some(sides) = at.sides {
        return between::allgather(at, &sides, send, Given::Even(recv));
    }
    let all = at.blocks(recv, at.place.size)?;
    let own = own_block(at, send, &all)?;
    let (bytes, block) = (own.bytes, all.bytes / at.place.size);
    let plan = Plan::allgather(&at.choice, at.place, bytes);
    Ok(at.prepared(plan, Memory::One(own), Memory::One(all)).with_blocks_of(bytes, block))
}

pub(crate) fn allgatherv(at: &mut At<'_>, send: Elements, recv: Uneven) -> Result<Prepared> {
    if let Some(sides) = at.sides {
        return between::allgather(at, &sides, send, Given::Uneven(recv));
    }
    let all = at.uneven(recv)?;
    let own = own_uneven_block(at, send, &all)?;
    let plan = Plan::allgatherv(&at.choice, at.place, all.lengths());
    Ok(at.prepared(plan, Memory::One(own), all))
}

pub(crate) fn alltoall(at: &mut At<'_>, send: Elements, recv: Elements) -> Result<Prepared> {
    if let Some(sides) = at.sides {
        return between::alltoall(at, &sides, Given::Even(send), Given::Even(recv));
    }
    let given = at.blocks(send.or(recv), at.place.size)?;
    let got = at.blocks(recv, at.place.size)?;
    if !send.is_in_place() {
        given.apart_from(&got)?;
    }
    let (bytes, block) = (given.bytes / at.place.size, got.bytes / at.place.size);
    let plan = Plan::alltoall(&at.choice, at.place, bytes)?;
    Ok(at.prepared(plan, Memory::One(given), Memory::One(got)).with_blocks_of(bytes, block))
}

pub(crate) fn alltoallv(at: &mut At<'_>, send: Uneven, recv: Uneven) -> Result<Prepared> {
    if let Some(sides) = at.sides {
        return between::alltoall(at, &sides, Given::Uneven(send), Given::Uneven(recv));
    }
    let got = at.uneven(recv)?;
    let given = if is_in_place(send.address) { got.clone() } else { at.uneven(send)? };
    check_blocks_apart(at, is_in_place(send.address), &given, &got)?;
    exchange(at, given, got)
}

/// No block goes to where a block of the same rank comes, but for in place.
fn check_blocks_apart(at: &mut At<'_>, in_place: bool, given: &Memory, got: &Memory) -> Done {
    if in_place {
        return Ok(());
    }
    (0..at.place.size).try_for_each(|block| given.block(block).apart_from(&got.block(block)))
}

fn exchange(at: &mut At<'_>, given: Memory, got: Memory) -> Result<Prepared> {
    let own = |memory: &Memory| memory.lengths().length(at.place.rank);
    if own(&given) > own(&got) {
        return Err(MpiError::Truncate { message: own(&given) as u64, buffer: own(&got) as u64 });
    }
    let plan = Plan::alltoallv(&at.choice, at.place, given.lengths(), got.lengths())?;
    Ok(at.prepared(plan, given, got))
}

fn neighbours(at: &mut At<'_>) -> Result<Neighbours> {
    at.one_group()?;
    let rank = at.context.rank();
    let known = rank.process.communicator(at.communicator)?;
    let topology = known.topology.as_deref();
    let topology = topology.ok_or_else(|| MpiError::Topology("the communicator has no topology".into()))?;
    Ok(topology.neighbours(known.rank))
}

pub(crate) fn neighbor_allgather(at: &mut At<'_>, send: Elements, recv: Given) -> Result<Prepared> {
    let neighbours = neighbours(at)?;
    let given = same_to_all(at, send, &neighbours)?;
    let got = blocks(at, recv, &neighbours.sources)?;
    to_neighbours(at, neighbours, given, got)
}

pub(crate) fn neighbor_alltoall(at: &mut At<'_>, send: Given, recv: Given) -> Result<Prepared> {
    let neighbours = neighbours(at)?;
    let given = blocks(at, send, &neighbours.destinations)?;
    let got = blocks(at, recv, &neighbours.sources)?;
    to_neighbours(at, neighbours, given, got)
}

/// Sends block by block to the destinations, and receives block by block from the sources.
fn to_neighbours(at: &mut At<'_>, neighbours: Neighbours, given: Memory, got: Memory) -> Result<Prepared> {
    let plan = Plan::neighbours(neighbours, given.lengths(), got.lengths());
    Ok(at.prepared(plan, given, got))
}

/// Returns true for blocks that have a neighbour: those beyond open ends have not, and count as empty.
fn there(ranks: &[i32]) -> impl Fn(usize) -> bool {
    |block| ranks[block] >= 0
}

fn same_to_all(at: &mut At<'_>, send: Elements, neighbours: &Neighbours) -> Result<Memory> {
    let own = at.buffer(send)?;
    Ok(Memory::parts(neighbours.destinations.len(), |block| {
        own.part(0, if there(&neighbours.destinations)(block) { own.count } else { 0 })
    }))
}

/// A block for each of these ranks. Those of one length are one behind the other.
fn blocks(at: &mut At<'_>, given: Given, ranks: &[i32]) -> Result<Memory> {
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
