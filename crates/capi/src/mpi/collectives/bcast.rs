//! `MPI_Bcast`

use super::between;
use super::memory::Memory;
use super::prepared::{At, Prepared};
use crate::mpi::datatypes::buffer::Elements;
use weir_message::MpiError;
use weir_message::collective::Plan;

pub(crate) fn bcast(at: &mut At<'_>, data: Elements, root: i32) -> Result<Prepared, MpiError> {
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
