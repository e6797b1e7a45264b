//! `MPI_Bcast`

use super::between;
use super::forms::forms;
use super::memory::{Elements, Memory};
use super::prepared::{At, Prepared};
use crate::calls::abi::Handle;
use weir_message::MpiError;
use weir_message::collective::Plan;

forms! {
    "Bcast" "Ibcast" [c_int i64] (buf: *mut c_void, count: C, datatype: Handle, root: c_int)
        => |at| bcast(at, Elements(buf, count.into(), datatype), root);
}

fn bcast(at: &mut At<'_>, data: Elements, root: i32) -> Result<Prepared, MpiError> {
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
