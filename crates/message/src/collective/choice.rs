//! Which algorithm each collective uses.

use super::grid::JobGrid;
use super::parameters::{Parameter, ParametersOfAll};
use super::presets::Preset;
use super::selection::{Selected, Selection};

/// An algorithm's name is not known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownAlgorithm;

/// What the catalogue says of an algorithm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Algorithm {
    /// The name in [`CATALOGUE`].
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
            #[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
            pub enum $collective {
                $($(#[$variant_doc])* $variant,)+
            }

            impl $collective {
                const NAMES: &[&str] = &[$($name),+];
                const PARAMETERS: &[&[Parameter]] = &[$(&[$($(Parameter::$parameter),+)?]),+];

                fn by_name(name: &str) -> Option<Self> {
                    // Other programs write underscores.
                    match name.replace('_', "-").as_str() {
                        $($name $(| $alias)* => Some(Self::$variant),)+
                        _ => None,
                    }
                }

                /// What the catalogue says of it.
                #[must_use]
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
                const AUTO: Self = Self::Auto;

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
            /// catalogue has no such pair.
            #[must_use]
            pub fn new(collective: &str, name: &str) -> Option<Self> {
                match collective {
                    $($key => $collective::by_name(name).map(Self::$collective),)+
                    _ => None,
                }
            }

            /// The key of its collective.
            #[must_use]
            pub const fn collective(self) -> &'static str {
                match self {
                    $(Self::$collective(_) => $key,)+
                }
            }

            /// What the catalogue says of it.
            #[must_use]
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

        /// Collectives by the key of the experiment file, each with the names of its algorithms, the default first.
        pub const CATALOGUE: &[(&str, &[&str])] = &[$(($key, $collective::NAMES)),+];

        /// Names that algorithms have elsewhere: collective, name there, name in [`CATALOGUE`]. Each may also have
        /// underscores for its hyphens.
        pub const ALIASES: &[(&str, &str, &str)] = &[$($($(($key, $alias, $name),)*)+)+];

        /// The algorithm of this or another name ([`ALIASES`]) for the collective with this key; `None` if the
        /// catalogue has no such pair.
        #[must_use]
        pub fn algorithm(collective: &str, name: &str) -> Option<Algorithm> {
            Named::new(collective, name).map(Named::algorithm)
        }
    };
}

algorithms! {
    /// `MPI_Barrier`
    Barrier barrier "barrier" {
        /// By a table.
        Auto "auto",
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
        /// By a table.
        Auto "auto",
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
        /// By a table.
        Auto "auto",
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
        /// By a table.
        Auto "auto",
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
        /// As the ring, but the parts are reduced in segments.
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
        /// By a table.
        Auto "auto",
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
        /// By a table.
        Auto "auto",
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
        /// By a table.
        Auto "auto",
        /// Each hands the block it got last to the next.
        Ring "ring" [Rings],
        /// In round k all that a rank has goes 2^k places back.
        Bruck "bruck",
        /// Partners at distance 1, 2, 4, ... exchange all they have.
        RecursiveDoubling "recursive-doubling" | "recursive-doubling-folded",
        /// Each deals with its two neighbors in turn.
        NeighborExchange "neighbor-exchange" | "neighbor",
        /// A gather to rank 0, then a broadcast.
        Linear "linear" | "basic-linear",
    }
    /// `MPI_Alltoall`
    Alltoall alltoall "alltoall" {
        /// By a table.
        Auto "auto",
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
        /// As `linear`, but a window of messages at once.
        LinearSync "linear-sync" | "linear-synch" [FanOut],
    }
    /// `MPI_Scan`, `MPI_Exscan`
    Scan scan "scan" {
        /// By a table.
        Auto "auto",
        /// In round k what a rank has goes 2^k places on.
        RecursiveDoubling "recursive-doubling",
        /// One rank after the other.
        Linear "linear",
    }
    /// `MPI_Reduce_scatter`, `MPI_Reduce_scatter_block`
    ReduceScatter reduce_scatter "reduce_scatter" {
        /// By a table.
        Auto "auto",
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
        Butterfly "butterfly",
    }
}

/// The algorithm of each collective, and what decides where that is `auto`.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Choice {
    /// Of `MPI_Barrier`.
    pub barrier: Barrier,
    /// Of `MPI_Bcast`.
    pub bcast: Bcast,
    /// Of `MPI_Reduce`.
    pub reduce: Reduce,
    /// Of `MPI_Allreduce`.
    pub allreduce: Allreduce,
    /// Of `MPI_Gather`.
    pub gather: Gather,
    /// Of `MPI_Scatter`.
    pub scatter: Scatter,
    /// Of `MPI_Allgather`.
    pub allgather: Allgather,
    /// Of `MPI_Alltoall` and `MPI_Alltoallv`.
    pub alltoall: Alltoall,
    /// Of `MPI_Scan` and `MPI_Exscan`.
    pub scan: Scan,
    /// Of `MPI_Reduce_scatter` and `MPI_Reduce_scatter_block`.
    pub reduce_scatter: ReduceScatter,
    /// What the algorithms leave open.
    pub parameters: ParametersOfAll,
    /// What `auto` stands for.
    pub preset: Preset,
    /// What comes before it.
    pub selection: Selection,
    /// What the ranks of the job lie on.
    pub grid: JobGrid,
}

impl Default for Choice {
    /// The first of each: `auto`.
    fn default() -> Self {
        Self {
            barrier: Barrier::Auto,
            bcast: Bcast::Auto,
            reduce: Reduce::Auto,
            allreduce: Allreduce::Auto,
            gather: Gather::Auto,
            scatter: Scatter::Auto,
            allgather: Allgather::Auto,
            alltoall: Alltoall::Auto,
            scan: Scan::Auto,
            reduce_scatter: ReduceScatter::Auto,
            parameters: ParametersOfAll::default(),
            preset: Preset::default(),
            selection: Selection::default(),
            grid: JobGrid::default(),
        }
    }
}

impl Choice {
    /// What is taken where the interfaces cannot do by themselves what they were chosen for: what the preset has.
    pub(super) fn without_hardware(&self) -> Self {
        let mut choice = Self { selection: Selection::default(), ..self.clone() };
        if choice.barrier == Barrier::Hardware {
            choice.barrier = Barrier::Auto;
        }
        if choice.bcast == Bcast::Hardware {
            choice.bcast = Bcast::Auto;
        }
        if choice.reduce == Reduce::Hardware {
            choice.reduce = Reduce::Auto;
        }
        if choice.allreduce == Allreduce::Hardware {
            choice.allreduce = Allreduce::Auto;
        }
        choice
    }

    /// Chooses the algorithm called `name`, here or elsewhere ([`ALIASES`]), for the collective with this key.
    ///
    /// # Errors
    /// When the catalogue has no such pair.
    pub fn set(&mut self, collective: &str, name: &str) -> Result<(), UnknownAlgorithm> {
        Named::new(collective, name).ok_or(UnknownAlgorithm)?.choose(self);
        Ok(())
    }
}
