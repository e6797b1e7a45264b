//! Which algorithm each collective uses, and with which parameters: how large segments are, how many ranks one serves, and along how many
//! trees or rings a message goes.

use super::barrier::JobGrid;
use super::presets::Preset;
use super::selection::{Selected, Selection};
use std::num::NonZeroU32;

/// The entry of an algorithm in the catalog.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Algorithm {
    /// The name in [`CATALOG`].
    pub name: &'static str,
    /// The parameters that it uses.
    pub parameters: &'static [Parameter],
}

macro_rules! algorithms {
    ($($(#[$doc:meta])* $collective:ident $field:ident $key:literal {
        $($(#[$variant_doc:meta])* $variant:ident $name:literal $(| $alias:literal)* $([$($parameter:ident)+])?,)+
    })+) => {
        $(
            $(#[$doc])*
            #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
            pub enum $collective {
                /// By a table.
                #[default]
                Auto,
                $($(#[$variant_doc])* $variant,)+
            }

            impl $collective {
                const NAMES: &[&str] = &["auto", $($name),+];
                const PARAMETERS: &[&[Parameter]] = &[&[], $(&[$($(Parameter::$parameter),+)?]),+];

                fn by_name(name: &str) -> Option<Self> {
                    // Other programs write underscores.
                    match name.replace('_', "-").as_str() {
                        "auto" => Some(Self::Auto),
                        $($name $(| $alias)* => Some(Self::$variant),)+
                        _ => None,
                    }
                }

                /// Its entry in the catalog.
                pub fn algorithm(self) -> Algorithm {
                    Algorithm { name: Self::NAMES[self as usize], parameters: Self::PARAMETERS[self as usize] }
                }
            }

            impl From<$collective> for Named {
                fn from(algorithm: $collective) -> Self {
                    Self::$collective(algorithm)
                }
            }

            impl Selected for $collective {
                const KEY: &str = $key;

                fn of(named: Named) -> Option<Self> {
                    if let Named::$collective(algorithm) = named { Some(algorithm) } else { None }
                }

                fn choose(self, choice: &mut Choice) {
                    choice.$field = self;
                }
            }
        )+

        /// An algorithm of one of the collectives.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
        pub enum Named {
            $($(#[$doc])* $collective($collective),)+
        }

        impl Named {
            /// The algorithm of this or another name ([`ALIASES`]) for the collective with this key; `None` if the
            /// catalog has no such pair.
            pub fn new(collective: &str, name: &str) -> Option<Self> {
                match collective {
                    $($key => $collective::by_name(name).map(Self::$collective),)+
                    _ => None,
                }
            }

            /// The key of its collective.
            pub const fn collective(self) -> &'static str {
                match self {
                    $(Self::$collective(_) => $key,)+
                }
            }

            /// Its entry in the catalog.
            pub fn algorithm(self) -> Algorithm {
                match self {
                    $(Self::$collective(algorithm) => algorithm.algorithm(),)+
                }
            }

            fn choose(self, choice: &mut Choice) {
                match self {
                    $(Self::$collective(algorithm) => algorithm.choose(choice),)+
                }
            }
        }

        /// The algorithm of each collective, by default `auto`, and what decides there.
        #[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
        pub struct Choice {
            $($(#[$doc])* pub $field: $collective,)+
            /// Parameters of the algorithms.
            pub parameters: ParametersOfAll,
            /// The library that decides for `auto`.
            pub preset: Preset,
            /// Rows of the user, which decide before it.
            pub selection: Selection,
            /// The grid that the ranks of the job lie on.
            pub grid: JobGrid,
        }

        impl Choice {
            /// The choice of the preset, where the interfaces cannot do by themselves what they were chosen for.
            pub(super) fn without_hardware(&self) -> Self {
                let mut choice = Self { selection: Selection::default(), ..self.clone() };
                $(if choice.$field.algorithm().name == "hardware" {
                    choice.$field = $collective::Auto;
                })+
                choice
            }
        }

        /// Collectives by the key of the experiment file, each with the names of its algorithms, the default first.
        pub const CATALOG: &[(&str, &[&str])] = &[$(($key, $collective::NAMES)),+];

        /// Names that algorithms have elsewhere: collective, name there, name in [`CATALOG`]. Each may also have
        /// underscores for its hyphens.
        pub const ALIASES: &[(&str, &str, &str)] = &[$($($(($key, $alias, $name),)*)+)+];
    };
}

algorithms! {
    /// `MPI_Barrier`
    Barrier barrier "barrier" {
        /// In round k every rank sends to the one 2^k places on.
        Dissemination "dissemination" | "bruck",
        /// Partners at distance 1, 2, 4, ... exchange messages.
        RecursiveDoubling "recursive-doubling",
        /// A message goes twice around a ring.
        DoubleRing "double-ring",
        /// All report to rank 0, which releases them.
        Linear "linear" | "basic-linear",
        /// The interfaces by themselves.
        Hardware "hardware",
    }
    /// `MPI_Bcast`
    Bcast bcast "bcast" {
        /// Along a binomial tree, the farthest child first.
        Binomial "binomial" | "binomial-farthest-first" [Segment],
        /// Along a binomial tree, the nearest child first.
        BinomialNearestFirst "binomial-nearest-first" [Segment],
        /// From the root to each.
        Flat "flat" | "linear" | "basic-linear",
        /// Parts along a binomial tree, which come together along a ring.
        ScatterRing "scatter-ring" | "scatter-allgather-ring",
        /// Parts along a binomial tree, which come together by recursive doubling.
        ScatterRecursiveDoubling "scatter-recursive-doubling" | "scatter-allgather",
        /// Segments along a chain, as equal as can be.
        RingPipeline "ring-pipeline" [Segment],
        /// Along a chain.
        Pipeline "pipeline" [Segment],
        /// Along chains that begin at the root.
        Chain "chain" [Segment FanOut],
        /// Along a binary tree.
        Binary "binary" | "binary-tree" [Segment],
        /// Halves along the halves of a binary tree, then pairs exchange them.
        SplitBinary "split-binary" | "split-binary-tree" [Segment],
        /// Along a tree like the binomial one, to another base than 2.
        Knomial "knomial" [Segment FanOut],
        /// Parts along trees in which a rank is an inner node of one at most.
        MultiTree "multi-tree" [Segment Trees],
        /// Parts along trees on the grid of the job that share no link.
        DisjointTrees "disjoint-trees" [Segment Trees],
        /// A few bytes, the interfaces by themselves.
        Hardware "hardware",
    }
    /// `MPI_Reduce`
    Reduce reduce "reduce" {
        /// Along a binomial tree.
        Binomial "binomial" [Segment],
        /// From each to the root.
        Flat "flat",
        /// From each to the root, one after the other.
        Linear "linear" | "basic-linear",
        /// A reduce-scatter by halving, then a gather.
        Rabenseifner "rabenseifner",
        /// Along a chain.
        Pipeline "pipeline" [Segment],
        /// Along chains that end at the root.
        Chain "chain" [Segment FanOut],
        /// Along a binary tree.
        Binary "binary" | "binary-tree" [Segment],
        /// Along a binary tree that keeps the order of operands.
        InOrderBinary "in-order-binary" | "in-order" [Segment],
        /// Parts along trees in which a rank is an inner node of one at most.
        MultiTree "multi-tree" [Segment Trees],
        /// Parts along trees on the grid of the job that share no link.
        DisjointTrees "disjoint-trees" [Segment Trees],
        /// A few bytes, the interfaces by themselves.
        Hardware "hardware",
    }
    /// `MPI_Allreduce`
    Allreduce allreduce "allreduce" {
        /// Partners at distance 1, 2, 4, ... exchange partial results.
        RecursiveDoubling "recursive-doubling",
        /// The parts of the vector travel around a ring, twice.
        Ring "ring" [Rings],
        /// A reduction to rank 0, then a broadcast.
        ReduceBcast "reduce-bcast" | "nonoverlapping" | "non-overlapping",
        /// A reduce-scatter by halving, then an all-gather by doubling.
        Rabenseifner "rabenseifner",
        /// Rings in the rows and columns of a grid.
        Bucket2d "bucket-2d",
        /// The ring, but the parts are reduced in segments.
        SegmentedRing "segmented-ring" | "ring-segmented" [Segment],
        /// A flat reduction to rank 0, then a flat broadcast.
        BasicLinear "basic-linear" | "linear",
        /// Parts up and down trees in which a rank is an inner node of one at most.
        MultiTree "multi-tree" [Segment Trees],
        /// Parts up and down trees on the grid of the job that share no link.
        DisjointTrees "disjoint-trees" [Segment Trees],
        /// A few bytes, the interfaces by themselves.
        Hardware "hardware",
    }
    /// `MPI_Gather`
    Gather gather "gather" {
        /// Along a binomial tree.
        Binomial "binomial",
        /// From each to the root.
        Flat "flat",
        /// From each to the root, one after the other.
        Linear "linear" | "basic-linear",
        /// From each to the root, which asks one after the other.
        LinearSync "linear-sync" | "linear-synch" [Segment],
    }
    /// `MPI_Scatter`
    Scatter scatter "scatter" {
        /// Along a binomial tree.
        Binomial "binomial",
        /// From the root to each, all at once.
        Flat "flat" | "linear-nb",
        /// From the root to each, one after the other.
        Linear "linear" | "basic-linear",
        /// A broadcast, of which each keeps its block.
        UseBcast "use-bcast",
    }
    /// `MPI_Allgather`
    Allgather allgather "allgather" {
        /// Each hands the block it got last to the next.
        Ring "ring" [Rings],
        /// In round k all that a rank has goes 2^k places back.
        Bruck "bruck",
        /// The same, from a buffer of all blocks.
        KBruck "k-bruck" | "k-brucks" | "brucks",
        /// Partners at distance 1, 2, 4, ... exchange all they have.
        RecursiveDoubling "recursive-doubling" | "recursive-doubling-folded",
        /// Each deals with its two neighbors in turn.
        NeighborExchange "neighbor-exchange" | "neighbor",
        /// Blocks go one by one, all at once, from the farthest rank on to the next.
        Sparbit "sparbit",
        /// A gather to rank 0, then a broadcast.
        Linear "linear" | "basic-linear",
    }
    /// `MPI_Alltoall`
    Alltoall alltoall "alltoall" {
        /// Step p: to the rank p places on.
        SimpleSpread "simple-spread",
        /// Step p: with the rank whose number differs in the bits of p.
        Pairwise "pairwise" | "pairwise-xor",
        /// In round k all blocks with bit k in their distance go 2^k places on.
        Bruck "bruck" | "modified-bruck",
        /// Simple spread, 32 steps at once.
        Scattered "scattered",
        /// Pairwise for a power of two, else simple spread (the rule of paper 000, section 4.1).
        Paper000 "paper-000",
        /// All messages at once.
        Linear "linear" | "basic-linear",
        /// A window of messages at once, else `linear`.
        LinearSync "linear-sync" | "linear-synch" [FanOut],
    }
    /// `MPI_Scan`, `MPI_Exscan`
    Scan scan "scan" {
        /// In round k what a rank has goes 2^k places on.
        RecursiveDoubling "recursive-doubling",
        /// One rank after the other.
        Linear "linear",
    }
    /// `MPI_Reduce_scatter`, `MPI_Reduce_scatter_block`
    ReduceScatter reduce_scatter "reduce_scatter" {
        /// Partners at distance n/2, n/4, ..., 1 exchange the blocks of each other's half.
        RecursiveHalving "recursive-halving",
        /// Step p: to the rank p places on, its block.
        Pairwise "pairwise",
        /// An all-reduce by recursive doubling, of which each keeps its block.
        RecursiveDoubling "recursive-doubling",
        /// A reduction to rank 0, then a flat scatter.
        ReduceScatterv "reduce-scatterv" | "non-overlapping" | "nonoverlapping",
        /// Partial results go once around a ring.
        Ring "ring" [Rings],
        /// Partners at distance 1, 2, 4, ... exchange halves, then blocks go where they belong.
        Butterfly "butterfly" | "recursive-distance-doubling",
    }
}

impl Choice {
    /// Chooses the algorithm called `name`, here or elsewhere ([`ALIASES`]), for the collective with this key; `None` if the catalog has no
    /// such pair.
    pub fn set(&mut self, collective: &str, name: &str) -> Option<()> {
        Named::new(collective, name).map(|named| named.choose(self))
    }
}

/// Parameters of an algorithm. The algorithms that use a parameter are in [`CATALOG`]; others take
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
