//! `MPI_Scatter` and `MPI_Scatterv`

use super::between::{self, AtRoot};
use super::gather::only_own;
use super::memory::{Memory, Uneven};
use super::prepared::{At, Prepared};
use crate::mpi::datatypes::buffer::Buffer;
use crate::mpi::datatypes::buffer::Elements;
use crate::mpi::prelude::*;
use weir_message::collective::Plan;

pub(crate) fn scatter(
    at: &mut At<'_>,
    send: Elements,
    recv: Elements,
    root: i32,
) -> Result<Prepared, MpiError> {
    if let Some(sides) = at.sides {
        return between::scatter(at, &sides, AtRoot::Even(send), recv, root);
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
fn at_root(at: &mut At<'_>, recv: Elements) -> Result<Memory, MpiError> {
    Ok(if recv.is_in_place() { Memory::None } else { Memory::One(at.buffer(recv)?) })
}

/// The root's own block does not go to where the blocks are, but for in place.
fn check_apart(at: &mut At<'_>, given: &Buffer, recv: Elements) -> Done {
    if recv.is_in_place() { Ok(()) } else { given.apart_from(&at.buffer(recv)?) }
}

pub(crate) fn scatterv(
    at: &mut At<'_>,
    send: Uneven,
    recv: Elements,
    root: i32,
) -> Result<Prepared, MpiError> {
    if let Some(sides) = at.sides {
        return between::scatter(at, &sides, AtRoot::Uneven(send), recv, root);
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
