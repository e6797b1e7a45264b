//! Exchanges with neighbours.

use super::Plan;
use crate::Neighbours;
use crate::collective::arguments::{Arguments, Lengths};
use crate::collective::blocks::Blocks;
use crate::collective::call::{Call, Function};
use crate::collective::neighbours;
use std::rc::Rc;

impl Plan {
    /// Blocks go to the neighbours of a virtual topology, and blocks of theirs come, in the neighbours' order.
    ///
    /// # Panics
    /// When started, if there are fewer blocks than neighbours.
    #[must_use]
    pub fn neighbours(neighbours: Neighbours, out: Blocks, into: Blocks) -> Self {
        let (given, got) = (out.total(), into.total());
        let arguments = Arguments::new(Lengths::Neighbours {
            neighbours: neighbours.clone(),
            out: out.clone(),
            into: into.clone(),
        });
        let schedule = Rc::new(neighbours::Exchange { neighbours, out, into });
        Self {
            call: Call::new(Function::Neighbours),
            arguments,
            schedule,
            workspace: given + got,
            input: 0..given,
            result: given..given + got,
        }
    }
}
