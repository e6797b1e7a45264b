//! Collectives on intercommunicators: what the two groups give and get. The root of those that have one says so with
//! `MPI_ROOT`; the others of its group give `MPI_PROC_NULL`, and their buffers are not looked at.

use super::memory::{Given, Memory, is_in_place};
use super::prepared::{At, Prepared};
use crate::mpi::datatypes::buffer::Buffer;
use crate::mpi::datatypes::buffer::Elements;
use crate::mpi::prelude::*;
use weir_message::collective::{Blocks, Root, Sides};
use weir_message::{PROC_NULL, ROOT};

fn root_of(sides: &Sides, root: c_int) -> Result<Root> {
    match root {
        ROOT => Ok(Root::Here),
        PROC_NULL => Ok(Root::Local),
        _ => match usize::try_from(root) {
            Ok(rank) if rank < sides.remote => Ok(Root::Remote(rank)),
            _ => Err(MpiError::Root { root, size: sides.remote }),
        },
    }
}

fn not_in_place(address: *const c_void) -> Done {
    if is_in_place(address) {
        return Err(MpiError::Buffer("MPI_IN_PLACE is not allowed on an intercommunicator".into()));
    }
    Ok(())
}

fn even(sides: &Sides, all: &Buffer) -> Blocks {
    Blocks::Even { count: sides.remote, bytes: all.bytes / sides.remote }
}

/// The only block of a rank that is not the root.
fn single(own: &Buffer) -> Blocks {
    Blocks::Even { count: 1, bytes: own.bytes }
}

pub(super) fn bcast(at: &mut At<'_>, sides: &Sides, data: Elements, root: c_int) -> Result<Prepared> {
    let root = root_of(sides, root)?;
    let choice = at.choice.clone();
    let plan = |bytes| sides.bcast(&choice, root, bytes);
    Ok(match root {
        Root::Local => at.prepared(plan(0), Memory::None, Memory::None),
        Root::Here => {
            let data = at.buffer(data)?;
            at.prepared(plan(data.bytes), Memory::One(data), Memory::None)
        }
        Root::Remote(_) => {
            let data = at.buffer(data)?;
            at.prepared(plan(data.bytes), Memory::None, Memory::One(data))
        }
    })
}

impl Given {
    /// The memory of a block for each rank of the other group, and the lengths of the blocks.
    fn get(self, at: &mut At<'_>, sides: &Sides) -> Result<(Memory, Blocks)> {
        match self {
            Self::Even(elements) => {
                let all = at.blocks(elements, sides.remote)?;
                let blocks = even(sides, &all);
                Ok((Memory::One(all), blocks))
            }
            Self::Uneven(blocks) => {
                not_in_place(blocks.address)?;
                let all = blocks.memory(at.context, sides.remote, |_| true)?;
                let lengths = all.lengths();
                Ok((all, lengths))
            }
        }
    }
}

pub(super) fn gather(
    at: &mut At<'_>,
    sides: &Sides,
    send: Elements,
    recv: Given,
    root: c_int,
) -> Result<Prepared> {
    let root = root_of(sides, root)?;
    Ok(match root {
        Root::Local => at.prepared(sides.gather(root, &Blocks::uneven([])), Memory::None, Memory::None),
        Root::Here => {
            let (all, blocks) = recv.get(at, sides)?;
            at.prepared(sides.gather(root, &blocks), Memory::None, all)
        }
        Root::Remote(_) => {
            let own = at.buffer(send)?;
            at.prepared(sides.gather(root, &single(&own)), Memory::One(own), Memory::None)
        }
    })
}

pub(super) fn scatter(
    at: &mut At<'_>,
    sides: &Sides,
    send: Given,
    recv: Elements,
    root: c_int,
) -> Result<Prepared> {
    let root = root_of(sides, root)?;
    Ok(match root {
        Root::Local => at.prepared(sides.scatter(root, &Blocks::uneven([])), Memory::None, Memory::None),
        Root::Here => {
            let (all, blocks) = send.get(at, sides)?;
            at.prepared(sides.scatter(root, &blocks), all, Memory::None)
        }
        Root::Remote(_) => {
            let own = at.buffer(recv)?;
            at.prepared(sides.scatter(root, &single(&own)), Memory::None, Memory::One(own))
        }
    })
}

pub(super) fn allgather(at: &mut At<'_>, sides: &Sides, send: Elements, recv: Given) -> Result<Prepared> {
    let own = at.buffer(send)?;
    let (all, blocks) = recv.get(at, sides)?;
    Ok(at.prepared(sides.allgather(own.bytes, &blocks), Memory::One(own), all))
}

pub(super) fn alltoall(at: &mut At<'_>, sides: &Sides, send: Given, recv: Given) -> Result<Prepared> {
    let ((given, give), (got, get)) = (send.get(at, sides)?, recv.get(at, sides)?);
    Ok(at.prepared(sides.alltoall(&give, &get), given, got))
}

pub(super) fn reduce(
    at: &mut At<'_>,
    sides: &Sides,
    send: Elements,
    recv: Elements,
    op: Handle,
    root: c_int,
) -> Result<Prepared> {
    let root = root_of(sides, root)?;
    if root == Root::Local {
        let plan = sides.bcast(&at.choice, root, 0);
        return Ok(at.prepared(plan, Memory::None, Memory::None));
    }
    let (reduction, commutes) = at.operation(op, send.datatype)?;
    let own = at.buffer(if root == Root::Here { recv } else { send })?;
    let plan = sides.reduce(&at.choice, root, own.count, own.datatype.size, commutes);
    let (given, got) = match root {
        Root::Here => (Memory::None, Memory::One(own)),
        _ => (Memory::One(own), Memory::None),
    };
    Ok(at.prepared(plan, given, got).combined_by(reduction, op))
}

pub(super) fn allreduce(
    at: &mut At<'_>,
    sides: &Sides,
    send: Elements,
    recv: Elements,
    op: Handle,
) -> Result<Prepared> {
    let (reduction, commutes) = at.operation(op, send.datatype)?;
    let (given, got) = (at.buffer(send)?, at.buffer(recv)?);
    let plan = sides.allreduce(&at.choice, given.count, given.datatype.size, commutes);
    Ok(at.prepared(plan, Memory::One(given), Memory::One(got)).combined_by(reduction, op))
}
