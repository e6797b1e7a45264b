//! `MPI_Barrier`

use super::memory::Memory;
use super::prepared::{At, Prepared};
use weir_message::MpiError;
use weir_message::collective::Plan;

pub(crate) fn barrier(at: &mut At<'_>) -> Result<Prepared, MpiError> {
    let plan = match &at.sides {
        None => Plan::barrier(&at.choice, at.place),
        Some(sides) => sides.barrier(&at.choice),
    };
    Ok(at.prepared(plan, Memory::None, Memory::None))
}
