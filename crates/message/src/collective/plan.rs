//! An algorithm together with its workspace: what a caller has to put in, and where the result is.

use super::arguments::{Arguments, Commutes, Lengths};
use super::binomial_tree::BinomialTree;
use super::blocks::Blocks;
use super::call::{Call, Function};
use super::choice::{
    Allgather, Allreduce, Alltoall, Barrier, Bcast, Choice, Gather, Reduce, ReduceScatter, Scan, Scatter,
};
use super::hand_over::HandOver;
use super::sequence::Sequence;
use super::{
    Place, Schedule, allgather_bruck, allgather_neighbor_exchange, allgather_recursive_doubling,
    allgather_ring, allreduce_bucket_2d, allreduce_rabenseifner, allreduce_recursive_doubling,
    allreduce_ring, alltoall_bruck, alltoall_pairwise, alltoall_scattered, alltoall_simple_spread, auto,
    barrier_dissemination, bcast_binomial, bcast_flat, bcast_ring_pipeline, bcast_scatter_allgather,
    gather_binomial, gather_flat, neighbours, reduce_binomial, reduce_flat, reduce_rabenseifner,
    reduce_scatter_pairwise, reduce_scatter_recursive_halving, scan_linear, scan_recursive_doubling,
    scatter_binomial, scatter_flat,
};
use crate::{MpiError, Neighbours};
use std::ops::Range;
use std::rc::Rc;

/// A collective ready to be started, for one rank.
pub struct Plan {
    /// Which collective it is.
    pub call: Call,
    /// What it was asked for.
    pub arguments: Arguments,
    /// What the rank does.
    pub schedule: Rc<dyn Schedule>,
    /// Bytes of the workspace.
    pub workspace: usize,
    /// Where the rank's own data go before the start; empty if it has none to give.
    pub input: Range<usize>,
    /// Where the result is at the end; empty if the rank gets none.
    pub result: Range<usize>,
}

impl Plan {
    /// No rank goes on before all have come.
    #[must_use]
    pub fn barrier(choice: &Choice, place: Place) -> Self {
        let schedule = match choice.barrier {
            Barrier::Auto | Barrier::Dissemination => Rc::new(barrier_dissemination::Dissemination { place }),
        };
        let (call, arguments) = (Call::new(Function::Barrier), Arguments::new(Lengths::None));
        Self { call, arguments, schedule, workspace: 0, input: 0..0, result: 0..0 }
    }

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

    /// The data of all, `elements` of `extent` bytes each, are combined at the root.
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
        let (schedule, workspace): (Rc<dyn Schedule>, usize) = match (choice.reduce, commutes) {
            (Reduce::Auto, _) => {
                let reduce = auto::reduce(place.size, elements, bytes, commutes);
                let choice = Choice { reduce, ..*choice };
                return Self::reduce(&choice, place, root, elements, extent, commutes);
            }
            (Reduce::Rabenseifner, _) => {
                let rabenseifner = reduce_rabenseifner::Rabenseifner::new(place, root, elements, extent);
                (Rc::new(rabenseifner), 2 * bytes)
            }
            (Reduce::Flat, _) => {
                let operands = if place.rank == root { place.size + 1 } else { 1 };
                (Rc::new(reduce_flat::Flat { place, root, bytes }), operands * bytes)
            }
            (Reduce::Binomial, Commutes::Yes) => {
                (Rc::new(reduce_binomial::Binomial { place, root, bytes }), 2 * bytes)
            }
            (Reduce::Binomial, Commutes::No) => {
                // Operands keep their order only in a tree rooted at rank 0; the result then goes to the root.
                let tree = Rc::new(reduce_binomial::Binomial { place, root: 0, bytes });
                let hand_over = Rc::new(HandOver { rank: place.rank, from: 0, to: root, bytes });
                (Rc::new(Sequence(tree, hand_over)), 2 * bytes)
            }
        };
        let call = Call::with_root(Function::Reduce, root);
        let arguments = Arguments::rooted(root, Lengths::Elements { elements, extent, commutes });
        Self { call, arguments, schedule, workspace, input: 0..bytes, result }
    }

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
                let allreduce = auto::allreduce(place.size, elements, bytes, commutes);
                let choice = Choice { allreduce, ..*choice };
                return Self::allreduce(&choice, place, elements, extent, commutes);
            }
            (Allreduce::Rabenseifner, _) => {
                let rabenseifner = allreduce_rabenseifner::Rabenseifner::new(place, elements, extent);
                (Rc::new(rabenseifner), 2 * bytes)
            }
            // Rings cannot keep the order of operands.
            (Allreduce::RecursiveDoubling, _) | (Allreduce::Ring | Allreduce::Bucket2d, Commutes::No) => {
                (doubling(), 2 * bytes)
            }
            (Allreduce::Ring, Commutes::Yes) => {
                let part = elements.div_ceil(place.size) * extent;
                (Rc::new(allreduce_ring::Ring { place, elements, extent }), bytes + part)
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
        Self { call, arguments, schedule, workspace, input, result }
    }

    /// A block of each goes to the root.
    #[must_use]
    pub fn gather(choice: &Choice, place: Place, root: usize, bytes: usize) -> Self {
        match choice.gather {
            Gather::Flat => {
                let blocks = Blocks::Even { count: place.size, bytes };
                let arguments = Arguments::rooted(root, Lengths::Bytes(bytes));
                Self { arguments, ..Self::gatherv(place, root, blocks) }
            }
            Gather::Auto | Gather::Binomial => {
                let all = place.size * bytes;
                let at_root = place.rank == root;
                let through = BinomialTree::new(place, root).subtree() * bytes;
                let (workspace, result) = match (at_root, root) {
                    (false, _) => (through, 0..0),
                    // Counted from rank 0 the blocks are in rank order already.
                    (true, 0) => (all, 0..all),
                    (true, _) => (2 * all, all..2 * all),
                };
                let schedule = Rc::new(gather_binomial::Binomial { place, root, bytes });
                Self {
                    call: Call::with_root(Function::Gather, root),
                    arguments: Arguments::rooted(root, Lengths::Bytes(bytes)),
                    schedule,
                    workspace,
                    input: 0..bytes,
                    result,
                }
            }
        }
    }

    /// A block of each, of its own length, goes to the root (always flat: only the root knows all lengths).
    #[must_use]
    pub fn gatherv(place: Place, root: usize, blocks: Blocks) -> Self {
        let own = blocks.range(place.rank);
        let (workspace, input, result) = if place.rank == root {
            (blocks.total(), own, 0..blocks.total())
        } else {
            (own.len(), 0..own.len(), 0..0)
        };
        Self {
            call: Call::with_root(Function::Gather, root),
            arguments: Arguments::rooted(root, Lengths::Blocks(blocks.clone())),
            schedule: Rc::new(gather_flat::Flat { place, root, blocks }),
            workspace,
            input,
            result,
        }
    }

    /// A block goes from the root to each.
    #[must_use]
    pub fn scatter(choice: &Choice, place: Place, root: usize, bytes: usize) -> Self {
        match choice.scatter {
            Scatter::Flat => {
                let blocks = Blocks::Even { count: place.size, bytes };
                let arguments = Arguments::rooted(root, Lengths::Bytes(bytes));
                Self { arguments, ..Self::scatterv(place, root, blocks) }
            }
            Scatter::Auto | Scatter::Binomial => {
                let all = place.size * bytes;
                let (workspace, input) = if place.rank == root {
                    (2 * all, all..2 * all)
                } else {
                    (BinomialTree::new(place, root).subtree() * bytes, 0..0)
                };
                let schedule = Rc::new(scatter_binomial::Binomial { place, root, bytes });
                Self {
                    call: Call::with_root(Function::Scatter, root),
                    arguments: Arguments::rooted(root, Lengths::Bytes(bytes)),
                    schedule,
                    workspace,
                    input,
                    result: 0..bytes,
                }
            }
        }
    }

    /// A block, each of its own length, goes from the root to each (always flat: only the root knows all lengths).
    #[must_use]
    pub fn scatterv(place: Place, root: usize, blocks: Blocks) -> Self {
        let own = blocks.range(place.rank);
        let (workspace, input, result) = if place.rank == root {
            (blocks.total(), 0..blocks.total(), own)
        } else {
            (own.len(), 0..0, 0..own.len())
        };
        Self {
            call: Call::with_root(Function::Scatter, root),
            arguments: Arguments::rooted(root, Lengths::Blocks(blocks.clone())),
            schedule: Rc::new(scatter_flat::Flat(gather_flat::Flat { place, root, blocks })),
            workspace,
            input,
            result,
        }
    }

    /// A block of each goes to everybody.
    #[must_use]
    pub fn allgather(choice: &Choice, place: Place, bytes: usize) -> Self {
        let all = place.size * bytes;
        let blocks = Blocks::Even { count: place.size, bytes };
        match choice.allgather {
            Allgather::Auto => {
                let allgather = auto::allgather(place.size, all);
                Self::allgather(&Choice { allgather, ..*choice }, place, bytes)
            }
            Allgather::Bruck => {
                let schedule = Rc::new(allgather_bruck::Bruck { place, bytes });
                Self {
                    call: Call::new(Function::Allgather),
                    arguments: Arguments::new(Lengths::Bytes(bytes)),
                    schedule,
                    workspace: 2 * all,
                    input: 0..bytes,
                    result: all..2 * all,
                }
            }
            Allgather::Ring | Allgather::RecursiveDoubling | Allgather::NeighborExchange => {
                let arguments = Arguments::new(Lengths::Bytes(bytes));
                Self { arguments, ..Self::allgatherv(choice, place, blocks) }
            }
        }
    }

    /// Colour and key of each, two numbers of 32 bits, go to everybody: for [`crate::Process::split`].
    #[must_use]
    pub fn split(place: Place) -> Self {
        let choice = Choice { allgather: Allgather::Bruck, ..Choice::default() };
        Self { arguments: Arguments::new(Lengths::Split), ..Self::allgather(&choice, place, 8) }
    }

    /// A block of each, of its own length, goes to everybody. Bruck's algorithm knows blocks of one length only;
    /// recursive doubling takes its place. Neighbor exchange needs an even number of ranks, else a ring takes its
    /// place.
    #[must_use]
    pub fn allgatherv(choice: &Choice, place: Place, blocks: Blocks) -> Self {
        let (all, own) = (blocks.total(), blocks.range(place.rank));
        let arguments = Arguments::new(Lengths::Blocks(blocks.clone()));
        let schedule: Rc<dyn Schedule> = match choice.allgather {
            Allgather::Auto => {
                let allgather = auto::allgather(place.size, all);
                return Self::allgatherv(&Choice { allgather, ..*choice }, place, blocks);
            }
            Allgather::Bruck | Allgather::RecursiveDoubling => {
                Rc::new(allgather_recursive_doubling::RecursiveDoubling { place, blocks })
            }
            Allgather::NeighborExchange if place.size.is_multiple_of(2) => {
                Rc::new(allgather_neighbor_exchange::NeighborExchange { place, blocks })
            }
            Allgather::NeighborExchange | Allgather::Ring => Rc::new(allgather_ring::Ring { place, blocks }),
        };
        let call = Call::new(Function::Allgather);
        Self { call, arguments, schedule, workspace: all, input: own, result: 0..all }
    }

    /// A block of each goes to each.
    ///
    /// # Errors
    /// When pairwise exchange is chosen and the number of ranks is not a power of two.
    pub fn alltoall(choice: &Choice, place: Place, bytes: usize) -> Result<Self, MpiError> {
        let all = place.size * bytes;
        match choice.alltoall {
            Alltoall::Auto => {
                let alltoall = auto::alltoall(place.size, bytes);
                Self::alltoall(&Choice { alltoall, ..*choice }, place, bytes)
            }
            Alltoall::Bruck => {
                let workspace = alltoall_bruck::Bruck::workspace(place, bytes);
                let schedule = Rc::new(alltoall_bruck::Bruck { place, bytes });
                Ok(Self {
                    call: Call::new(Function::Alltoall),
                    arguments: Arguments::new(Lengths::Bytes(bytes)),
                    schedule,
                    workspace,
                    input: 0..all,
                    result: all..2 * all,
                })
            }
            Alltoall::SimpleSpread | Alltoall::Pairwise | Alltoall::Scattered | Alltoall::Paper000 => {
                let blocks = Blocks::Even { count: place.size, bytes };
                let plan = Self::alltoallv(choice, place, blocks.clone(), blocks)?;
                Ok(Self { arguments: Arguments::new(Lengths::Bytes(bytes)), ..plan })
            }
        }
    }

    /// A block of each, of its own length, goes to each. Bruck's algorithm knows blocks of one length only; simple
    /// spread takes its place. No rank knows all lengths, so `auto` is scattered.
    ///
    /// # Errors
    /// When pairwise exchange is chosen and the number of ranks is not a power of two.
    pub fn alltoallv(choice: &Choice, place: Place, out: Blocks, into: Blocks) -> Result<Self, MpiError> {
        let (given, got) = (out.total(), into.total());
        let is_power_of_two = place.size.is_power_of_two();
        let arguments = Arguments::new(Lengths::Exchange { out: out.clone(), into: into.clone() });
        let schedule: Rc<dyn Schedule> = match choice.alltoall {
            Alltoall::Pairwise if !is_power_of_two => {
                let size = place.size;
                return Err(MpiError::Other(format!(
                    "collectives.alltoall = \"pairwise\" needs a power of two, and the communicator has {size} ranks"
                )));
            }
            Alltoall::Paper000 if is_power_of_two => {
                Rc::new(alltoall_pairwise::Pairwise { place, out, into })
            }
            Alltoall::Pairwise => Rc::new(alltoall_pairwise::Pairwise { place, out, into }),
            Alltoall::Auto | Alltoall::Scattered => {
                Rc::new(alltoall_scattered::Scattered { place, out, into })
            }
            Alltoall::SimpleSpread | Alltoall::Bruck | Alltoall::Paper000 => {
                Rc::new(alltoall_simple_spread::SimpleSpread { place, out, into })
            }
        };
        Ok(Self {
            call: Call::new(Function::Alltoall),
            arguments,
            schedule,
            workspace: given + got,
            input: 0..given,
            result: given..given + got,
        })
    }

    /// Blocks go to the neighbours of a virtual topology, and blocks of theirs come, in the neighbours' order.
    ///
    /// # Panics
    /// When started, if there are fewer blocks than neighbours.
    #[must_use]
    pub fn neighbours(neighbours: Neighbours, out: Blocks, into: Blocks) -> Self {
        let (given, got) = (out.total(), into.total());
        let arguments = Arguments::new(Lengths::Neighbours {
            neighbours: neighbours.clone(),
            out: out.clone(),
            into: into.clone(),
        });
        let schedule = Rc::new(neighbours::Exchange { neighbours, out, into });
        Self {
            call: Call::new(Function::Neighbours),
            arguments,
            schedule,
            workspace: given + got,
            input: 0..given,
            result: given..given + got,
        }
    }

    /// Each gets the combination of the data of the ranks up to itself.
    #[must_use]
    pub fn scan(choice: &Choice, place: Place, bytes: usize) -> Self {
        let schedule: Rc<dyn Schedule> = match choice.scan {
            Scan::Auto | Scan::RecursiveDoubling => {
                Rc::new(scan_recursive_doubling::RecursiveDoubling { place, bytes })
            }
            Scan::Linear => Rc::new(scan_linear::Linear { place, bytes }),
        };
        Self {
            call: Call::new(Function::Scan),
            arguments: Arguments::new(Lengths::Bytes(bytes)),
            schedule,
            workspace: 3 * bytes,
            input: 0..bytes,
            result: 0..bytes,
        }
    }

    /// Each gets the combination of the data of the ranks before itself; rank 0 gets nothing.
    #[must_use]
    pub fn exscan(choice: &Choice, place: Place, bytes: usize) -> Self {
        let result = if place.rank == 0 { 0..0 } else { 2 * bytes..3 * bytes };
        Self { call: Call::new(Function::Exscan), result, ..Self::scan(choice, place, bytes) }
    }

    /// The data of all, elements of `extent` bytes each, are combined, and each gets its block. Recursive halving
    /// cannot keep the order of operands; where it must be kept, pairwise exchange takes its place.
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
                let reduce_scatter = auto::reduce_scatter(bytes, commutes);
                let choice = Choice { reduce_scatter, ..*choice };
                return Self::reduce_scatter(&choice, place, blocks, extent, commutes);
            }
            (ReduceScatter::RecursiveHalving, Commutes::Yes) => {
                let halving = reduce_scatter_recursive_halving::RecursiveHalving::new(place, blocks);
                (Rc::new(halving), 2 * bytes, own)
            }
            (ReduceScatter::Pairwise, _) | (ReduceScatter::RecursiveHalving, Commutes::No) => {
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
        let call = Call::new(Function::ReduceScatter);
        Self { call, arguments, schedule, workspace, input: 0..bytes, result }
    }
}
