//! Reductions whose result is scattered.

use super::Plan;
use crate::collective::arguments::{Arguments, Commutes, Lengths};
use crate::collective::blocks::Blocks;
use crate::collective::call::{Call, Function};
use crate::collective::choice::{Choice, ReduceScatter};
use crate::collective::selection::Situation;
use crate::collective::sequence::Sequence;
use crate::collective::{
    MemoryBlocks, Place, Preset, Round, Schedule, allreduce_recursive_doubling, reduce_scatter_butterfly,
    reduce_scatter_pairwise, reduce_scatter_recursive_halving, reduce_scatter_ring,
};
use std::rc::Rc;

impl Plan {
    /// The data of all, elements of `extent` bytes each, are combined, and each gets its block. Recursive halving
    /// and the ring cannot keep the order of operands; where it must be kept, pairwise exchange takes their place.
    #[must_use]
    pub fn reduce_scatter(
        choice: &Choice,
        place: Place,
        blocks: Blocks,
        extent: usize,
        commutes: Commutes,
    ) -> Self {
        let bytes = blocks.total();
        let own = blocks.range(place.rank);
        let arguments = Arguments::new(Lengths::Combined { blocks: blocks.clone(), extent, commutes });
        let (schedule, workspace, result): (Rc<dyn Schedule>, _, _) = match (choice.reduce_scatter, commutes)
        {
            (ReduceScatter::Auto, _) => {
                let elements = bytes.checked_div(extent).unwrap_or(0);
                let call = Situation::combining(place.size, elements, bytes, commutes);
                let choice = choice.decided::<ReduceScatter>(&call);
                return Self::reduce_scatter(&choice, place, blocks, extent, commutes);
            }
            (ReduceScatter::RecursiveHalving, Commutes::Yes) => {
                let halving = reduce_scatter_recursive_halving::RecursiveHalving::new(place, blocks);
                (Rc::new(halving), 2 * bytes, own)
            }
            (ReduceScatter::Ring, Commutes::Yes) => {
                let rings = choice.parameters.reduce_scatter.rings();
                let ring = reduce_scatter_ring::Ring { place, blocks, extent, rings };
                let workspace = ring.workspace();
                (Rc::new(ring), workspace, own)
            }
            (ReduceScatter::Butterfly, _) => {
                (Rc::new(reduce_scatter_butterfly::Butterfly::new(place, blocks)), 2 * bytes, own)
            }
            (ReduceScatter::Pairwise, _)
            | (ReduceScatter::RecursiveHalving | ReduceScatter::Ring, Commutes::No) => {
                let workspace = bytes + 2 * own.len();
                (Rc::new(reduce_scatter_pairwise::Pairwise { place, blocks }), workspace, own)
            }
            (ReduceScatter::RecursiveDoubling, _) => {
                let doubling = allreduce_recursive_doubling::RecursiveDoubling { place, bytes };
                (Rc::new(doubling), 2 * bytes, own)
            }
            (ReduceScatter::ReduceScatterv, _) => {
                let elements = bytes.checked_div(extent).unwrap_or(0);
                let reduce = Self::reduce(choice, place, 0, elements, extent, commutes);
                let scatter = Self::scatterv(place, 0, blocks);
                let workspace = reduce.workspace.max(scatter.workspace);
                let in_turn = Sequence(reduce.schedule, scatter.schedule);
                (Rc::new(in_turn), workspace, scatter.result)
            }
        };
        let schedule =
            if choice.preset == Preset::Fujitsu { Rc::new(WithoutBlocks(schedule)) } else { schedule };
        let call = Call::new(Function::ReduceScatter);
        Self { call, arguments, schedule, workspace, input: 0..bytes, result }
    }
}

/// A schedule of a library whose calls show no fresh memory: on Fugaku a reduce-scatter of 512 MiB takes eight times what one of 64 MiB does.
struct WithoutBlocks(Rc<dyn Schedule>);

impl Schedule for WithoutBlocks {
    fn rounds(&self) -> usize {
        self.0.rounds()
    }

    fn round(&self, index: usize, round: &mut Round) {
        self.0.round(index, round);
    }

    fn blocks(&self) -> Option<MemoryBlocks> {
        Some([0; 3])
    }
}
