//! Collectives on intercommunicators: what the two groups give and get. The root of those that have one says so with
//! `MPI_ROOT`; the others of its group give `MPI_PROC_NULL`, and their buffers are not looked at.

use super::memory::{Given, Memory, is_in_place};
use super::prepared::{At, Prepared};
use crate::mpi::prelude::*;
use weir_collectives::{Blocks, Sides};
use weir_message::{PROC_NULL, ROOT};
use weir_operations::Root;

fn root_of(sides: Sides, root: i32) -> Result<Root> {
    match root {
        ROOT => Ok(Root::Here),
        PROC_NULL => Ok(Root::Elsewhere),
        _ => match usize::try_from(root) {
            Ok(rank) if rank < sides.remote => Ok(Root::Rank(rank as u32)),
            _ => Err(MpiError::Root { root, size: sides.remote }),
        },
    }
}

impl Given {
    /// The memory of a block for each rank of the other group, and the lengths of the blocks.
    fn get(self, at: &mut At<'_>, sides: Sides) -> Result<(Memory, Blocks)> {
        match self {
            Self::Even(elements) => {
                let all = at.blocks(elements, sides.remote)?;
                let blocks = Blocks::Even { count: sides.remote, bytes: all.bytes / sides.remote };
                Ok((Memory::One(all), blocks))
            }
            Self::Uneven(blocks) if is_in_place(blocks.address) => {
                Err(MpiError::Buffer("MPI_IN_PLACE is not allowed on an intercommunicator".into()))
            }
            Self::Uneven(blocks) => {
                let all = blocks.memory(at.context, &vec![true; sides.remote])?;
                let lengths = all.lengths();
                Ok((all, lengths))
            }
        }
    }

    /// The memory of these blocks at the root, of the rank's only one at ranks of the other group.
    fn or(self, one: Elements, at: &mut At<'_>, sides: Sides, root: Root) -> Result<(Memory, Blocks)> {
        match root {
            Root::Elsewhere | Root::None => Ok((Memory::None, Blocks::uneven([]))),
            Root::Here => self.get(at, sides),
            Root::Rank(_) => {
                let own = at.buffer(one)?;
                let blocks = Blocks::Even { count: 1, bytes: own.bytes };
                Ok((Memory::One(own), blocks))
            }
        }
    }
}

/// Memory that the root gives and the others get.
fn from_root(root: Root, memory: Memory) -> (Memory, Memory) {
    if root == Root::Here { (memory, Memory::None) } else { (Memory::None, memory) }
}

pub(super) fn bcast(at: &mut At<'_>, sides: Sides, data: Elements, root: i32) -> Result<Prepared> {
    let root = root_of(sides, root)?;
    let data = if root == Root::Elsewhere { None } else { Some(at.buffer(data)?) };
    let plan = sides.bcast(&at.choice, root, data.as_ref().map_or(0, |data| data.bytes));
    let (given, got) = from_root(root, data.map_or(Memory::None, Memory::One));
    Ok(at.prepared(plan, given, got))
}

pub(super) fn gather(
    at: &mut At<'_>,
    sides: Sides,
    send: Elements,
    recv: Given,
    root: i32,
) -> Result<Prepared> {
    let root = root_of(sides, root)?;
    let (memory, blocks) = recv.or(send, at, sides, root)?;
    let (got, given) = from_root(root, memory);
    Ok(at.prepared(sides.gather(root, &blocks), given, got))
}

pub(super) fn scatter(
    at: &mut At<'_>,
    sides: Sides,
    send: Given,
    recv: Elements,
    root: i32,
) -> Result<Prepared> {
    let root = root_of(sides, root)?;
    let (memory, blocks) = send.or(recv, at, sides, root)?;
    let (given, got) = from_root(root, memory);
    Ok(at.prepared(sides.scatter(root, &blocks), given, got))
}

pub(super) fn allgather(at: &mut At<'_>, sides: Sides, send: Elements, recv: Given) -> Result<Prepared> {
    let own = at.buffer(send)?;
    let (all, blocks) = recv.get(at, sides)?;
    Ok(at.prepared(sides.allgather(own.bytes, &blocks), Memory::One(own), all))
}

pub(super) fn alltoall(at: &mut At<'_>, sides: Sides, send: Given, recv: Given) -> Result<Prepared> {
    let ((given, give), (got, get)) = (send.get(at, sides)?, recv.get(at, sides)?);
    Ok(at.prepared(sides.alltoall(&give, &get), given, got))
}

pub(super) fn reduce(at: &mut At<'_>, sides: Sides, given: Operands, root: i32) -> Result<Prepared> {
    let Operands { send, recv, op } = given;
    let root = root_of(sides, root)?;
    if root == Root::Elsewhere {
        let plan = sides.bcast(&at.choice, root, 0);
        return Ok(at.prepared(plan, Memory::None, Memory::None));
    }
    let (reduction, commutes) = at.operation(op, send.datatype)?;
    let own = at.buffer(if root == Root::Here { recv } else { send })?;
    let plan = sides.reduce(&at.choice, root, own.count, own.datatype.size, commutes);
    let (got, given) = from_root(root, Memory::One(own));
    Ok(at.prepared(plan, given, got).combined_by(reduction, op))
}

pub(super) fn allreduce(at: &mut At<'_>, sides: Sides, given: Operands) -> Result<Prepared> {
    let Operands { send, recv, op } = given;
    let (reduction, commutes) = at.operation(op, send.datatype)?;
    let (given, got) = (at.buffer(send)?, at.buffer(recv)?);
    let plan = sides.allreduce(&at.choice, given.count, given.datatype.size, commutes);
    Ok(at.prepared(plan, Memory::One(given), Memory::One(got)).combined_by(reduction, op))
}
