//! Which algorithm each collective uses.

/// An algorithm's name is not known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownAlgorithm;

macro_rules! algorithms {
    ($($(#[$doc:meta])* $collective:ident $key:literal { $($(#[$variant_doc:meta])* $variant:ident $name:literal,)+ })+) => {
        $(
            $(#[$doc])*
            #[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
            pub enum $collective {
                $($(#[$variant_doc])* $variant,)+
            }

            impl $collective {
                const NAMES: &[&str] = &[$($name),+];

                fn by_name(name: &str) -> Option<Self> {
                    match name {
                        $($name => Some(Self::$variant),)+
                        _ => None,
                    }
                }
            }
        )+

        /// Collectives by the key of the experiment file, each with the names of its algorithms, the default first.
        pub const CATALOGUE: &[(&str, &[&str])] = &[$(($key, $collective::NAMES)),+];
    };
}

algorithms! {
    /// `MPI_Barrier`
    Barrier "barrier" {
        /// Dissemination.
        Auto "auto",
        /// In round k every rank sends to the one 2^k places on.
        Dissemination "dissemination",
    }
    /// `MPI_Bcast`
    Bcast "bcast" {
        /// By bytes and ranks.
        Auto "auto",
        /// Along a binomial tree.
        Binomial "binomial",
        /// From the root to each.
        Flat "flat",
        /// Parts along a binomial tree, which come together along a ring.
        ScatterRing "scatter-ring",
        /// Parts along a binomial tree, which come together by recursive doubling.
        ScatterRecursiveDoubling "scatter-recursive-doubling",
        /// Segments along a chain.
        RingPipeline "ring-pipeline",
    }
    /// `MPI_Reduce`
    Reduce "reduce" {
        /// By bytes and ranks.
        Auto "auto",
        /// Along a binomial tree.
        Binomial "binomial",
        /// From each to the root.
        Flat "flat",
        /// A reduce-scatter by halving, then a gather.
        Rabenseifner "rabenseifner",
    }
    /// `MPI_Allreduce`
    Allreduce "allreduce" {
        /// By bytes and ranks.
        Auto "auto",
        /// Partners at distance 1, 2, 4, ... exchange partial results.
        RecursiveDoubling "recursive-doubling",
        /// The parts of the vector travel around a ring, twice.
        Ring "ring",
        /// A reduction to rank 0, then a broadcast.
        ReduceBcast "reduce-bcast",
        /// A reduce-scatter by halving, then an all-gather by doubling.
        Rabenseifner "rabenseifner",
        /// Rings in the rows and columns of a grid.
        Bucket2d "bucket-2d",
    }
    /// `MPI_Gather`
    Gather "gather" {
        /// Binomial.
        Auto "auto",
        /// Along a binomial tree.
        Binomial "binomial",
        /// From each to the root.
        Flat "flat",
    }
    /// `MPI_Scatter`
    Scatter "scatter" {
        /// Binomial.
        Auto "auto",
        /// Along a binomial tree.
        Binomial "binomial",
        /// From the root to each.
        Flat "flat",
    }
    /// `MPI_Allgather`
    Allgather "allgather" {
        /// By bytes and ranks.
        Auto "auto",
        /// Each hands the block it got last to the next.
        Ring "ring",
        /// In round k all that a rank has goes 2^k places back.
        Bruck "bruck",
        /// Partners at distance 1, 2, 4, ... exchange all they have.
        RecursiveDoubling "recursive-doubling",
        /// Each deals with its two neighbors in turn.
        NeighborExchange "neighbor-exchange",
    }
    /// `MPI_Alltoall`
    Alltoall "alltoall" {
        /// By bytes and ranks.
        Auto "auto",
        /// Step p: to the rank p places on.
        SimpleSpread "simple-spread",
        /// Step p: with the rank whose number differs in the bits of p.
        Pairwise "pairwise",
        /// In round k all blocks with bit k in their distance go 2^k places on.
        Bruck "bruck",
        /// Simple spread, 32 steps at once.
        Scattered "scattered",
        /// Pairwise for a power of two, else simple spread (the rule of paper 000, section 4.1).
        Paper000 "paper-000",
    }
    /// `MPI_Scan`, `MPI_Exscan`
    Scan "scan" {
        /// Recursive doubling.
        Auto "auto",
        /// In round k what a rank has goes 2^k places on.
        RecursiveDoubling "recursive-doubling",
        /// One rank after the other.
        Linear "linear",
    }
    /// `MPI_Reduce_scatter`, `MPI_Reduce_scatter_block`
    ReduceScatter "reduce_scatter" {
        /// By bytes and ranks.
        Auto "auto",
        /// Partners at distance n/2, n/4, ..., 1 exchange the blocks of each other's half.
        RecursiveHalving "recursive-halving",
        /// Step p: to the rank p places on, its block.
        Pairwise "pairwise",
        /// An all-reduce by recursive doubling, of which each keeps its block.
        RecursiveDoubling "recursive-doubling",
        /// A reduction to rank 0, then a flat scatter.
        ReduceScatterv "reduce-scatterv",
    }
}

/// The algorithm of each collective.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
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
        }
    }
}

impl Choice {
    /// Chooses the algorithm called `name` for the collective with this key.
    ///
    /// # Errors
    /// When the catalogue has no such pair.
    pub fn set(&mut self, collective: &str, name: &str) -> Result<(), UnknownAlgorithm> {
        fn put<T>(place: &mut T, found: Option<T>) -> Result<(), UnknownAlgorithm> {
            *place = found.ok_or(UnknownAlgorithm)?;
            Ok(())
        }
        match collective {
            "barrier" => put(&mut self.barrier, Barrier::by_name(name)),
            "bcast" => put(&mut self.bcast, Bcast::by_name(name)),
            "reduce" => put(&mut self.reduce, Reduce::by_name(name)),
            "allreduce" => put(&mut self.allreduce, Allreduce::by_name(name)),
            "gather" => put(&mut self.gather, Gather::by_name(name)),
            "scatter" => put(&mut self.scatter, Scatter::by_name(name)),
            "allgather" => put(&mut self.allgather, Allgather::by_name(name)),
            "alltoall" => put(&mut self.alltoall, Alltoall::by_name(name)),
            "scan" => put(&mut self.scan, Scan::by_name(name)),
            "reduce_scatter" => put(&mut self.reduce_scatter, ReduceScatter::by_name(name)),
            _ => Err(UnknownAlgorithm),
        }
    }
}
