//! `MPI_Barrier`

use super::forms::forms;
use super::memory::Memory;
use super::prepared::{At, Prepared};
use crate::calls::abi::Handle;
use weir_message::MpiError;
use weir_message::collective::Plan;

forms! {
    "Barrier" "Ibarrier" [c_int] () => barrier;
}

fn barrier(at: &mut At<'_>) -> Result<Prepared, MpiError> {
    let plan = match &at.sides {
        None => Plan::barrier(&at.choice, at.place),
        Some(sides) => sides.barrier(&at.choice),
    };
    Ok(at.prepared(plan, Memory::None, Memory::None))
}
