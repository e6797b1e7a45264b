//! All-reductions.

use super::Plan;
use super::trees::Trees;
use crate::collective::arguments::{Arguments, Commutes, Lengths};
use crate::collective::call::{Call, Function};
use crate::collective::choice::{Allreduce, Choice};
use crate::collective::choice::{Bcast, Reduce};
use crate::collective::hardware::{Hardware, Task};
use crate::collective::selection::Situation;
use crate::collective::sequence::Sequence;
use crate::collective::{
    Place, Schedule, allreduce_along_trees, allreduce_bucket_2d, allreduce_rabenseifner,
    allreduce_recursive_doubling, allreduce_ring,
};
use std::rc::Rc;

impl Plan {
    /// The data of all, `elements` of `extent` bytes each, are combined, and everybody gets the result.
    #[must_use]
    pub fn allreduce(
        choice: &Choice,
        place: Place,
        elements: usize,
        extent: usize,
        commutes: Commutes,
    ) -> Self {
        let bytes = elements * extent;
        let doubling = || Rc::new(allreduce_recursive_doubling::RecursiveDoubling { place, bytes });
        let (schedule, workspace): (Rc<dyn Schedule>, usize) = match (choice.allreduce, commutes) {
            (Allreduce::Auto, _) => {
                let call = Situation::combining(place.size, elements, bytes, commutes);
                let choice = choice.decided::<Allreduce>(&call);
                return Self::allreduce(&choice, place, elements, extent, commutes);
            }
            (Allreduce::Hardware, _) => {
                let hardware = Hardware::new(&choice.grid, place, bytes, Task::Combine);
                let Some(hardware) = hardware else {
                    return Self::allreduce(&choice.without_hardware(), place, elements, extent, commutes);
                };
                let workspace = hardware.workspace();
                (Rc::new(hardware), workspace)
            }
            (Allreduce::Rabenseifner, _) => {
                let rabenseifner = allreduce_rabenseifner::Rabenseifner::new(place, elements, extent);
                (Rc::new(rabenseifner), 2 * bytes)
            }
            // Rings and several trees cannot keep the order of operands.
            (Allreduce::RecursiveDoubling, _)
            | (
                Allreduce::Ring
                | Allreduce::SegmentedRing
                | Allreduce::Bucket2d
                | Allreduce::MultiTree
                | Allreduce::DisjointTrees,
                Commutes::No,
            ) => (doubling(), 2 * bytes),
            (Allreduce::MultiTree | Allreduce::DisjointTrees, Commutes::Yes) => {
                let is_disjoint = choice.allreduce == Allreduce::DisjointTrees;
                let grid = is_disjoint.then_some(&choice.grid);
                let trees = Trees { grid, parameters: choice.parameters.allreduce };
                let (branches, parts) = trees.of(place, 0, elements, extent);
                let along = allreduce_along_trees::AlongTrees::new(branches, parts, bytes);
                let workspace = along.workspace();
                (Rc::new(along), workspace)
            }
            (Allreduce::Ring, Commutes::Yes) => {
                let ring =
                    allreduce_ring::Ring::new(place, elements, extent, choice.parameters.allreduce.rings());
                let workspace = ring.workspace();
                (Rc::new(ring), workspace)
            }
            (Allreduce::SegmentedRing, Commutes::Yes) => {
                let segment = choice.parameters.allreduce.segment().unwrap_or(allreduce_ring::SEGMENT);
                let ring = allreduce_ring::Ring::segmented(place, elements, extent, segment);
                let workspace = ring.workspace();
                (Rc::new(ring), workspace)
            }
            (Allreduce::BasicLinear, _) => {
                let linear = Choice { reduce: Reduce::Flat, bcast: Bcast::Flat, ..choice.clone() };
                let linear = Choice { allreduce: Allreduce::ReduceBcast, ..linear };
                return Self::allreduce(&linear, place, elements, extent, commutes);
            }
            (Allreduce::Bucket2d, Commutes::Yes) => {
                let bucket = allreduce_bucket_2d::Bucket2d::new(place, elements, extent);
                let workspace = bucket.workspace();
                (Rc::new(bucket), workspace)
            }
            (Allreduce::ReduceBcast, _) => {
                let reduce = Self::reduce(choice, place, 0, elements, extent, commutes);
                let bcast = Self::bcast(choice, place, 0, bytes);
                (Rc::new(Sequence(reduce.schedule, bcast.schedule)), reduce.workspace.max(bytes))
            }
        };
        let arguments = Arguments::new(Lengths::Elements { elements, extent, commutes });
        let (call, input, result) = (Call::new(Function::Allreduce), 0..bytes, 0..bytes);
        let call = if choice.allreduce == Allreduce::Hardware { call.by_interfaces() } else { call };
        Self { call, arguments, schedule, workspace, input, result }
    }
}
