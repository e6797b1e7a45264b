//! Exchanges with neighbours.

use super::schedule::shifted;
use super::{Arguments, Blocks, Call, Function, Lengths, Plan, Schedule};
use crate::Neighbours;

impl Plan {
    /// Blocks go to the neighbours of a virtual topology, and blocks of theirs come, in the neighbours' order: all messages at once, in one
    /// round. The workspace has the blocks to send, then those received, both in the order of the neighbours.
    ///
    /// # Panics
    /// When started, if there are fewer blocks than neighbours.
    #[must_use]
    pub fn neighbours(neighbours: Neighbours, out: Blocks, into: Blocks) -> Self {
        let (given, got) = (out.total(), into.total());
        let lengths =
            Lengths::Neighbours { neighbours: neighbours.clone(), out: out.clone(), into: into.clone() };
        let schedule = Schedule::new(1, move |_, round| {
            for (block, &to) in neighbours.destinations.iter().enumerate() {
                if let Ok(to) = usize::try_from(to) {
                    round.send(to, out.range(block));
                }
            }
            for &block in &neighbours.arrival {
                if let Ok(from) = usize::try_from(neighbours.sources[block]) {
                    round.receive(from, shifted(into.range(block), given));
                }
            }
        });
        Self::exchanging(Call::new(Function::Neighbours), Arguments::new(lengths), schedule, (given, got))
    }
}
