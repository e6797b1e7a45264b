//! Which algorithm is the best for so many bytes and ranks: the rules of MPICH (Thakur, Rabenseifner, Gropp:
//! "Optimization of collective communication operations in MPICH", 2005, section 4; limits as MPICH has them, whose
//! names are given at each). All ranks must decide alike, so only what all of them know counts.

use super::arguments::Commutes;
use super::choice::{Allgather, Allreduce, Alltoall, Bcast, Reduce, ReduceScatter};
use super::folding::core;

const KIB: usize = 1024;

/// Of so many bytes.
pub(super) fn bcast(ranks: usize, bytes: usize) -> Bcast {
    // MPIR_CVAR_BCAST_SHORT_MSG_SIZE, MPIR_CVAR_BCAST_MIN_PROCS, MPIR_CVAR_BCAST_LONG_MSG_SIZE
    if bytes < 12 * KIB || ranks < 8 {
        Bcast::Binomial
    } else if bytes < 512 * KIB && ranks.is_power_of_two() {
        Bcast::ScatterRecursiveDoubling
    } else {
        Bcast::ScatterRing
    }
}

/// Of so many elements, and bytes of them all.
pub(super) fn reduce(ranks: usize, elements: usize, bytes: usize, commutes: Commutes) -> Reduce {
    // MPIR_CVAR_REDUCE_SHORT_MSG_SIZE
    if bytes <= 2 * KIB || elements < core(ranks) || commutes == Commutes::No {
        Reduce::Binomial
    } else {
        Reduce::Rabenseifner
    }
}

/// Of so many elements, and bytes of them all.
pub(super) fn allreduce(ranks: usize, elements: usize, bytes: usize, commutes: Commutes) -> Allreduce {
    // MPIR_CVAR_ALLREDUCE_SHORT_MSG_SIZE
    if bytes <= 2 * KIB || elements < core(ranks) || commutes == Commutes::No {
        Allreduce::RecursiveDoubling
    } else {
        Allreduce::Rabenseifner
    }
}

/// With so many bytes of all ranks together.
pub(super) fn allgather(ranks: usize, total: usize) -> Allgather {
    // MPIR_CVAR_ALLGATHER_LONG_MSG_SIZE, MPIR_CVAR_ALLGATHER_SHORT_MSG_SIZE
    if total < 512 * KIB && ranks.is_power_of_two() {
        Allgather::RecursiveDoubling
    } else if total < 80 * KIB {
        Allgather::Bruck
    } else {
        Allgather::Ring
    }
}

/// With so many bytes from each to each.
pub(super) fn alltoall(ranks: usize, block: usize) -> Alltoall {
    // MPIR_CVAR_ALLTOALL_SHORT_MSG_SIZE, MPIR_CVAR_ALLTOALL_MEDIUM_MSG_SIZE
    if block <= 256 && ranks >= 8 {
        Alltoall::Bruck
    } else if block <= 32 * KIB {
        Alltoall::Scattered
    } else if ranks.is_power_of_two() {
        Alltoall::Pairwise
    } else {
        Alltoall::SimpleSpread
    }
}

/// With so many bytes of all blocks together.
pub(super) fn reduce_scatter(total: usize, commutes: Commutes) -> ReduceScatter {
    // MPIR_CVAR_REDUCE_SCATTER_COMMUTATIVE_LONG_MSG_SIZE; the other limit is the paper's.
    match commutes {
        Commutes::Yes if total < 512 * KIB => ReduceScatter::RecursiveHalving,
        Commutes::No if total < 512 => ReduceScatter::RecursiveDoubling,
        _ => ReduceScatter::Pairwise,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Commutes::{No, Yes};

    #[test]
    fn broadcasts() {
        for (ranks, bytes, expected) in [
            (8, 12_287, Bcast::Binomial),
            (7, 1 << 20, Bcast::Binomial),
            (8, 12_288, Bcast::ScatterRecursiveDoubling),
            (8, 524_287, Bcast::ScatterRecursiveDoubling),
            (8, 524_288, Bcast::ScatterRing),
            (9, 12_288, Bcast::ScatterRing),
        ] {
            assert_eq!(bcast(ranks, bytes), expected, "{ranks} ranks, {bytes} bytes");
        }
    }

    #[test]
    fn reductions() {
        for (ranks, elements, bytes, commutes, short) in [
            (8, 256, 2048, Yes, true),
            (8, 257, 2056, Yes, false),
            (8, 257, 2056, No, true),
            (300, 256, 4096, Yes, false),
            (300, 255, 4080, Yes, true),
        ] {
            let (one, all) = if short {
                (Reduce::Binomial, Allreduce::RecursiveDoubling)
            } else {
                (Reduce::Rabenseifner, Allreduce::Rabenseifner)
            };
            assert_eq!(reduce(ranks, elements, bytes, commutes), one, "{ranks} ranks, {bytes} bytes");
            assert_eq!(allreduce(ranks, elements, bytes, commutes), all, "{ranks} ranks, {bytes} bytes");
        }
        for (total, commutes, expected) in [
            (524_287, Yes, ReduceScatter::RecursiveHalving),
            (524_288, Yes, ReduceScatter::Pairwise),
            (511, No, ReduceScatter::RecursiveDoubling),
            (512, No, ReduceScatter::Pairwise),
        ] {
            assert_eq!(reduce_scatter(total, commutes), expected, "{total} bytes, commutes: {commutes:?}");
        }
    }

    #[test]
    fn all_to_all_and_all_gathers() {
        for (ranks, block, expected) in [
            (8, 256, Alltoall::Bruck),
            (7, 256, Alltoall::Scattered),
            (8, 257, Alltoall::Scattered),
            (8, 32_768, Alltoall::Scattered),
            (8, 32_769, Alltoall::Pairwise),
            (9, 32_769, Alltoall::SimpleSpread),
        ] {
            assert_eq!(alltoall(ranks, block), expected, "{ranks} ranks, blocks of {block} bytes");
        }
        for (ranks, total, expected) in [
            (4, 524_287, Allgather::RecursiveDoubling),
            (4, 524_288, Allgather::Ring),
            (5, 81_919, Allgather::Bruck),
            (5, 81_920, Allgather::Ring),
        ] {
            assert_eq!(allgather(ranks, total), expected, "{ranks} ranks, {total} bytes");
        }
    }
}
