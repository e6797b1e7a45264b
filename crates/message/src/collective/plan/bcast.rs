//! Broadcasts.

use super::Plan;
use crate::collective::arguments::{Arguments, Lengths};
use crate::collective::call::{Call, Function};
use crate::collective::choice::{Bcast, Choice};
use crate::collective::{
    Place, Schedule, auto, bcast_binomial, bcast_flat, bcast_ring_pipeline, bcast_scatter_allgather,
};
use std::rc::Rc;

impl Plan {
    /// The root's data go to everybody.
    #[must_use]
    pub fn bcast(choice: &Choice, place: Place, root: usize, bytes: usize) -> Self {
        let schedule: Rc<dyn Schedule> = match choice.bcast {
            Bcast::Auto => {
                let bcast = auto::bcast(place.size, bytes);
                return Self::bcast(&Choice { bcast, ..*choice }, place, root, bytes);
            }
            Bcast::Binomial => Rc::new(bcast_binomial::Binomial { place, root, bytes }),
            Bcast::Flat => Rc::new(bcast_flat::Flat { place, root, bytes }),
            Bcast::ScatterRing => bcast_scatter_allgather::ring(place, root, bytes),
            Bcast::ScatterRecursiveDoubling => {
                bcast_scatter_allgather::recursive_doubling(place, root, bytes)
            }
            Bcast::RingPipeline => Rc::new(bcast_ring_pipeline::RingPipeline::new(place, root, bytes)),
        };
        let is_root = place.rank == root;
        let (input, result) = if is_root { (0..bytes, 0..0) } else { (0..0, 0..bytes) };
        let (call, arguments) =
            (Call::with_root(Function::Bcast, root), Arguments::rooted(root, Lengths::Bytes(bytes)));
        Self { call, arguments, schedule, workspace: bytes, input, result }
    }
}
