//! `MPI_Allgather` and `MPI_Allgatherv`

use super::between::{self, AtRoot};
use super::gather::{own_block, own_uneven_block};
use super::memory::{Memory, Uneven};
use super::prepared::{At, Prepared};
use crate::mpi::datatypes::buffer::Elements;
use weir_message::MpiError;
use weir_message::collective::Plan;

pub(crate) fn allgather(at: &mut At<'_>, send: Elements, recv: Elements) -> Result<Prepared, MpiError> {
    if let Some(sides) = at.sides {
        return between::allgather(at, &sides, send, AtRoot::Even(recv));
    }
    let all = at.blocks(recv, at.place.size)?;
    let own = own_block(at, send, &all)?;
    let (bytes, block) = (own.bytes, all.bytes / at.place.size);
    let plan = Plan::allgather(&at.choice, at.place, bytes);
    Ok(at.prepared(plan, Memory::One(own), Memory::One(all)).with_blocks_of(bytes, block))
}

pub(crate) fn allgatherv(at: &mut At<'_>, send: Elements, recv: Uneven) -> Result<Prepared, MpiError> {
    if let Some(sides) = at.sides {
        return between::allgather(at, &sides, send, AtRoot::Uneven(recv));
    }
    let all = at.uneven(recv)?;
    let own = own_uneven_block(at, send, &all)?;
    let plan = Plan::allgatherv(&at.choice, at.place, all.lengths());
    Ok(at.prepared(plan, Memory::One(own), all))
}
