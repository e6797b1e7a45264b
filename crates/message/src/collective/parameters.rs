//! Parameters of algorithms: how large segments are, how many ranks one serves, and along how many trees or rings a message goes.

use std::num::NonZeroU32;

/// Parameters of an algorithm. The algorithms that use a parameter are in [`super::choice::CATALOGUE`]; others take
/// no notice of it, and `auto` hands it on to the algorithm that it chooses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Parameters {
    /// Bytes of a segment, at most, but at least one element where elements are combined. `None`: as the algorithm has
    /// it, which is mostly the whole message.
    pub segment: Option<NonZeroU32>,
    /// Chains that begin at the root, the radix of a tree, or messages under way at a time. `None`: as the algorithm
    /// has it.
    pub fan_out: Option<NonZeroU32>,
    /// Trees along which parts of the message go at the same time, at most. `None`: as the algorithm has it.
    pub trees: Option<NonZeroU32>,
    /// Rings around which parts of the message go at the same time, each by a rail of its own. `None`: one.
    pub rings: Option<NonZeroU32>,
}

/// One of the parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parameter {
    /// The bytes of a segment, in [`Parameters`].
    Segment,
    /// The fan-out, in [`Parameters`].
    FanOut,
    /// The number of trees, in [`Parameters`].
    Trees,
    /// The number of rings, in [`Parameters`].
    Rings,
}

/// The parameters of the collectives that have algorithms with some.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct ParametersOfAll {
    /// Those of `MPI_Bcast`.
    pub bcast: Parameters,
    /// Those of `MPI_Reduce`.
    pub reduce: Parameters,
    /// Those of `MPI_Allreduce`.
    pub allreduce: Parameters,
    /// Those of `MPI_Gather`.
    pub gather: Parameters,
    /// Those of `MPI_Allgather`.
    pub allgather: Parameters,
    /// Those of `MPI_Reduce_scatter` and `MPI_Reduce_scatter_block`.
    pub reduce_scatter: Parameters,
    /// Those of `MPI_Alltoall` and `MPI_Alltoallv`.
    pub alltoall: Parameters,
}

impl Parameters {
    /// The bytes of a segment, if it was chosen.
    pub(super) fn segment(self) -> Option<usize> {
        self.segment.map(|bytes| bytes.get() as usize)
    }

    /// These, and for those that are not chosen the others.
    pub(super) fn or(self, others: Self) -> Self {
        Self {
            segment: self.segment.or(others.segment),
            fan_out: self.fan_out.or(others.fan_out),
            trees: self.trees.or(others.trees),
            rings: self.rings.or(others.rings),
        }
    }

    /// The fan-out, or this one.
    pub(super) fn fan_out_or(self, default: usize) -> usize {
        self.fan_out.map_or(default, |count| count.get() as usize)
    }

    /// The number of trees, if it was chosen.
    pub(super) fn trees(self) -> Option<usize> {
        self.trees.map(|count| count.get() as usize)
    }

    pub(super) fn rings(self) -> usize {
        self.rings.map_or(1, |count| count.get() as usize)
    }
}

impl ParametersOfAll {
    /// Those of the collective with this key of the experiment file, if it has any.
    pub fn of(&mut self, collective: &str) -> Option<&mut Parameters> {
        match collective {
            "bcast" => Some(&mut self.bcast),
            "reduce" => Some(&mut self.reduce),
            "allreduce" => Some(&mut self.allreduce),
            "gather" => Some(&mut self.gather),
            "allgather" => Some(&mut self.allgather),
            "reduce_scatter" => Some(&mut self.reduce_scatter),
            "alltoall" => Some(&mut self.alltoall),
            _ => None,
        }
    }
}
