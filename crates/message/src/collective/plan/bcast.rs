//! Broadcasts.

use super::Plan;
use super::trees::Trees;
use crate::collective::arguments::{Arguments, Lengths};
use crate::collective::call::{Call, Function};
use crate::collective::choice::{Bcast, Choice};
use crate::collective::hardware::{Hardware, Task};
use crate::collective::segments::Segments;
use crate::collective::selection::Situation;
use crate::collective::tree::Tree;
use crate::collective::{
    Place, Schedule, bcast_along_trees, bcast_binomial, bcast_flat, bcast_ring_pipeline,
    bcast_scatter_allgather, bcast_split_binary, bcast_tree,
};
use std::rc::Rc;

/// Chains where no fan-out is chosen, as in Open MPI (`coll_tuned_bcast_algorithm_chain_fanout`).
const CHAINS: usize = 4;

/// The radix where no fan-out is chosen, as in Open MPI (`coll_tuned_bcast_algorithm_knomial_radix`).
const RADIX: usize = 4;

impl Plan {
    /// The root's data go to everybody. A message too short for the split binary tree goes along a chain.
    #[must_use]
    pub fn bcast(choice: &Choice, place: Place, root: usize, bytes: usize) -> Self {
        let parameters = choice.parameters.bcast;
        let segment = parameters.segment();
        let along = |tree| -> Rc<dyn Schedule> {
            Rc::new(bcast_tree::AlongTree { tree, segments: Segments::new(0..bytes, segment) })
        };
        let schedule: Rc<dyn Schedule> = match choice.bcast {
            Bcast::Auto => {
                let call = Situation::moving(place.size, bytes);
                return Self::bcast(&choice.decided::<Bcast>(&call), place, root, bytes);
            }
            Bcast::Binomial if segment.is_some() => along(Tree::binomial_in_order(place, root).reversed()),
            Bcast::Binomial => Rc::new(bcast_binomial::Binomial { place, root, bytes }),
            Bcast::BinomialNearestFirst => along(Tree::binomial_by_highest_bit(place, root)),
            Bcast::Flat => Rc::new(bcast_flat::Flat { place, root, bytes }),
            Bcast::ScatterRing => bcast_scatter_allgather::ring(place, root, bytes),
            Bcast::ScatterRecursiveDoubling => {
                bcast_scatter_allgather::recursive_doubling(place, root, bytes)
            }
            Bcast::RingPipeline => {
                let segment = segment.unwrap_or(bcast_ring_pipeline::SEGMENT);
                Rc::new(bcast_ring_pipeline::RingPipeline::new(place, root, bytes, segment))
            }
            Bcast::Pipeline => along(Tree::chains(place, root, 1)),
            Bcast::Chain => along(Tree::chains(place, root, parameters.fan_out_or(CHAINS))),
            Bcast::Binary => along(Tree::binary(place, root)),
            Bcast::SplitBinary => match bcast_split_binary::SplitBinary::new(place, root, bytes, segment) {
                Some(split) => Rc::new(split),
                None => along(Tree::chains(place, root, 1)),
            },
            Bcast::Knomial => along(Tree::knomial(place, root, parameters.fan_out_or(RADIX))),
            Bcast::Hardware => match Hardware::new(&choice.grid, place, bytes, Task::Broadcast(root)) {
                Some(hardware) => Rc::new(hardware),
                None => return Self::bcast(&choice.without_hardware(), place, root, bytes),
            },
            Bcast::MultiTree | Bcast::DisjointTrees => {
                let is_disjoint = choice.bcast == Bcast::DisjointTrees;
                let grid = is_disjoint.then_some(&choice.grid);
                let trees = Trees { grid, parameters };
                let (branches, parts) = trees.of(place, root, bytes, 1);
                Rc::new(bcast_along_trees::AlongTrees::new(branches, parts))
            }
        };
        let is_root = place.rank == root;
        let (input, result) = if is_root { (0..bytes, 0..0) } else { (0..0, 0..bytes) };
        let call = Call::with_root(Function::Bcast, root);
        let call = if choice.bcast == Bcast::Hardware { call.by_interfaces() } else { call };
        let arguments = Arguments::rooted(root, Lengths::Bytes(bytes));
        Self { call, arguments, schedule, workspace: bytes, input, result }
    }
}
