//! Reductions to a root.

use super::Plan;
use super::trees::Trees;
use crate::collective::arguments::{Arguments, Commutes, Lengths};
use crate::collective::call::{Call, Function};
use crate::collective::choice::{Choice, Reduce};
use crate::collective::hand_over::HandOver;
use crate::collective::hardware::{Hardware, Task};
use crate::collective::segments::Segments;
use crate::collective::selection::Situation;
use crate::collective::sequence::Sequence;
use crate::collective::tree::Tree;
use crate::collective::{
    Place, Schedule, Side, reduce_along_trees, reduce_binomial, reduce_flat, reduce_linear,
    reduce_rabenseifner, reduce_tree,
};
use std::rc::Rc;

/// Chains where no fan-out is chosen, as in Open MPI (`coll_tuned_reduce_algorithm_chain_fanout`).
const CHAINS: usize = 4;

impl Plan {
    /// The data of all, `elements` of `extent` bytes each, are combined at the root. Binary trees, and several at once, cannot keep the order
    /// of operands; where it must be kept, the one in order takes its place.
    #[must_use]
    pub fn reduce(
        choice: &Choice,
        place: Place,
        root: usize,
        elements: usize,
        extent: usize,
        commutes: Commutes,
    ) -> Self {
        let bytes = elements * extent;
        let result = if place.rank == root { 0..bytes } else { 0..0 };
        // Where subtrees are consecutive ranks, operands keep their order only in a tree rooted at rank 0.
        let first = if commutes == Commutes::Yes { root } else { 0 };
        let along = |tree, top, side| -> (Rc<dyn Schedule>, usize) {
            let segments = Segments::of_elements(elements, extent, choice.parameters.reduce.segment());
            let along = reduce_tree::AlongTree { tree, segments, bytes, side };
            let workspace = along.workspace();
            (handed_over(Rc::new(along), place.rank, top, root, bytes), workspace.max(bytes))
        };
        let (schedule, workspace): (Rc<dyn Schedule>, usize) = match (choice.reduce, commutes) {
            (Reduce::Auto, _) => {
                let call = Situation::combining(place.size, elements, bytes, commutes);
                let choice = choice.decided::<Reduce>(&call);
                return Self::reduce(&choice, place, root, elements, extent, commutes);
            }
            (Reduce::Hardware, _) => {
                let hardware = Hardware::new(&choice.grid, place, bytes, Task::Combine);
                let Some(hardware) = hardware else {
                    let choice = choice.without_hardware();
                    return Self::reduce(&choice, place, root, elements, extent, commutes);
                };
                let workspace = hardware.workspace();
                (Rc::new(hardware), workspace)
            }
            (Reduce::Rabenseifner, _) => {
                let rabenseifner = reduce_rabenseifner::Rabenseifner::new(place, root, elements, extent);
                (Rc::new(rabenseifner), 2 * bytes)
            }
            (Reduce::Flat, _) => {
                let operands = if place.rank == root { place.size + 1 } else { 1 };
                (Rc::new(reduce_flat::Flat { place, root, bytes }), operands * bytes)
            }
            (Reduce::Linear, _) => {
                let linear = reduce_linear::Linear { place, root, bytes };
                let workspace = linear.workspace();
                (Rc::new(linear), workspace)
            }
            (Reduce::Binomial, _) if choice.parameters.reduce.segment.is_some() => {
                along(Tree::binomial_in_order(place, first), first, Side::Right)
            }
            (Reduce::Binomial, _) => {
                let tree = Rc::new(reduce_binomial::Binomial { place, root: first, bytes });
                (handed_over(tree, place.rank, first, root, bytes), 2 * bytes)
            }
            (Reduce::Pipeline, _) => along(Tree::chains(place, first, 1), first, Side::Right),
            (Reduce::Chain, _) => {
                let chains = choice.parameters.reduce.fan_out_or(CHAINS);
                along(Tree::chains(place, first, chains), first, Side::Right)
            }
            (Reduce::Binary, Commutes::Yes) => along(Tree::binary(place, root), root, Side::Right),
            (Reduce::MultiTree | Reduce::DisjointTrees, Commutes::Yes) => {
                let is_disjoint = choice.reduce == Reduce::DisjointTrees;
                let grid = is_disjoint.then_some(&choice.grid);
                let trees = Trees { grid, parameters: choice.parameters.reduce };
                let (branches, parts) = trees.of(place, root, elements, extent);
                let along = reduce_along_trees::AlongTrees::new(branches, parts, bytes);
                let workspace = along.workspace;
                (Rc::new(along), workspace)
            }
            (Reduce::InOrderBinary, _)
            | (Reduce::Binary | Reduce::MultiTree | Reduce::DisjointTrees, Commutes::No) => {
                along(Tree::binary_in_order(place), place.size - 1, Side::Left)
            }
        };
        let call = Call::with_root(Function::Reduce, root);
        let call = if choice.reduce == Reduce::Hardware { call.by_interfaces() } else { call };
        let arguments = Arguments::rooted(root, Lengths::Elements { elements, extent, commutes });
        Self { call, arguments, schedule, workspace, input: 0..bytes, result }
    }
}

/// The schedule, at whose end `top` has the result; it goes to the root then.
fn handed_over(
    schedule: Rc<dyn Schedule>,
    rank: usize,
    top: usize,
    root: usize,
    bytes: usize,
) -> Rc<dyn Schedule> {
    if top == root {
        return schedule;
    }
    Rc::new(Sequence(schedule, Rc::new(HandOver { rank, from: top, to: root, bytes })))
}
