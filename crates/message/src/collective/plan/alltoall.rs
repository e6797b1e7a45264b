//! All-to-alls.

use super::Plan;
use crate::MpiError;
use crate::collective::arguments::{Arguments, Lengths};
use crate::collective::blocks::Blocks;
use crate::collective::call::{Call, Function};
use crate::collective::choice::{Alltoall, Choice};
use crate::collective::selection::Situation;
use crate::collective::{
    Place, Schedule, alltoall_bruck, alltoall_linear, alltoall_pairwise, alltoall_scattered,
    alltoall_simple_spread,
};
use std::rc::Rc;

impl Plan {
    /// A block of each goes to each.
    ///
    /// # Errors
    /// When pairwise exchange is chosen and the number of ranks is not a power of two.
    pub fn alltoall(choice: &Choice, place: Place, bytes: usize) -> Result<Self, MpiError> {
        let all = place.size * bytes;
        match choice.alltoall {
            Alltoall::Auto => {
                let call = Situation::moving(place.size, all);
                Self::alltoall(&choice.decided::<Alltoall>(&call), place, bytes)
            }
            Alltoall::Bruck => {
                let workspace = alltoall_bruck::Bruck::workspace(place, bytes);
                let schedule = Rc::new(alltoall_bruck::Bruck { place, bytes });
                Ok(Self {
                    call: Call::new(Function::Alltoall),
                    arguments: Arguments::new(Lengths::Bytes(bytes)),
                    schedule,
                    workspace,
                    input: 0..all,
                    result: all..2 * all,
                })
            }
            Alltoall::SimpleSpread
            | Alltoall::Pairwise
            | Alltoall::Scattered
            | Alltoall::Paper000
            | Alltoall::Linear
            | Alltoall::LinearSync => {
                let blocks = Blocks::Even { count: place.size, bytes };
                let plan = Self::alltoallv(choice, place, blocks.clone(), blocks)?;
                Ok(Self { arguments: Arguments::new(Lengths::Bytes(bytes)), ..plan })
            }
        }
    }

    /// A block of each, of its own length, goes to each. Bruck's algorithm knows blocks of one length only; simple
    /// spread takes its place. No rank knows all lengths, so a row that asks for bytes decides nothing.
    ///
    /// # Errors
    /// When pairwise exchange is chosen and the number of ranks is not a power of two.
    pub fn alltoallv(choice: &Choice, place: Place, out: Blocks, into: Blocks) -> Result<Self, MpiError> {
        let (given, got) = (out.total(), into.total());
        let is_power_of_two = place.size.is_power_of_two();
        let arguments = Arguments::new(Lengths::Exchange { out: out.clone(), into: into.clone() });
        let schedule: Rc<dyn Schedule> = match choice.alltoall {
            Alltoall::Pairwise if !is_power_of_two => {
                let size = place.size;
                return Err(MpiError::Other(format!(
                    "collectives.alltoall = \"pairwise\" needs a power of two, and the communicator has {size} ranks"
                )));
            }
            Alltoall::Paper000 if is_power_of_two => {
                Rc::new(alltoall_pairwise::Pairwise { place, out, into })
            }
            Alltoall::Pairwise => Rc::new(alltoall_pairwise::Pairwise { place, out, into }),
            Alltoall::Auto => {
                let call = Situation::unknown(place.size);
                return Self::alltoallv(&choice.decided::<Alltoall>(&call), place, out, into);
            }
            Alltoall::Scattered => Rc::new(alltoall_scattered::Scattered { place, out, into }),
            Alltoall::Linear => Rc::new(alltoall_linear::Linear::new(place, out, into, None)),
            Alltoall::LinearSync => {
                let window = choice.parameters.alltoall.fan_out_or(usize::MAX);
                Rc::new(alltoall_linear::Linear::new(place, out, into, Some(window)))
            }
            Alltoall::SimpleSpread | Alltoall::Bruck | Alltoall::Paper000 => {
                Rc::new(alltoall_simple_spread::SimpleSpread { place, out, into })
            }
        };
        Ok(Self {
            call: Call::new(Function::Alltoall),
            arguments,
            schedule,
            workspace: given + got,
            input: 0..given,
            result: given..given + got,
        })
    }
}
