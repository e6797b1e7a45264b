//! Reduce-scatter along a butterfly (Träff: "An improved algorithm for (non-commutative) reduce-scatter with an
//! application", 2005; Open MPI 4.1 `coll/base`, `ompi_coll_base_reduce_scatter_intra_butterfly`): partners at distance 1, 2,
//! 4, ... exchange halves of what they share ([`Halves`]), so the order of operands is kept; a rank ends with the part
//! whose number is its own with the bits turned around, and hands the blocks in it to the ranks they are for. Ranks
//! beyond a power of two fold before. Workspace: all blocks in rank order, then room for what comes.

use super::allreduce_recursive_doubling::fold;
use super::folding::{Folding, Stage};
use super::halves::Halves;
use super::{Blocks, MemoryBlocks, Place, Round, Schedule};

pub(super) struct Butterfly {
    rank: usize,
    blocks: Blocks,
    halves: Halves,
}

impl Butterfly {
    pub(super) fn new(place: Place, blocks: Blocks) -> Self {
        let folding = Folding::new(place);
        let part = |member| folding.first_rank(member)..folding.first_rank(member + 1);
        let parts = Blocks::uneven((0..folding.core).map(|member| blocks.ranges(part(member)).len()));
        Self { rank: place.rank, blocks, halves: Halves { folding, parts } }
    }

    /// The member that has the part of this one, and the other way round.
    fn mirrored(&self, member: usize) -> usize {
        let bits = self.halves.folding.doublings();
        (0..bits).filter(|bit| member & (1 << bit) != 0).map(|bit| 1 << (bits - 1 - bit)).sum()
    }

    /// Blocks go to the ranks they are for.
    fn hand_over(&self, round: &mut Round) {
        let folding = self.halves.folding;
        if let Some(own) = folding.own() {
            let part = self.mirrored(own);
            for rank in folding.first_rank(part)..folding.first_rank(part + 1) {
                if rank != self.rank {
                    round.send(rank, self.blocks.range(rank));
                }
            }
        }
        let from = folding.rank_of(self.mirrored(folding.member(self.rank)));
        if from != self.rank {
            round.receive(from, self.blocks.range(self.rank));
        }
    }
}

impl Schedule for Butterfly {
    fn rounds(&self) -> usize {
        let folding = self.halves.folding;
        // The last round of the folding is there for ranks that leave; here all need it, if there are two members or more.
        let hands_over = usize::from(folding.doublings() > 1 && folding.rounds(0) == 0);
        folding.rounds(folding.doublings()) + hands_over
    }

    fn round(&self, index: usize, round: &mut Round) {
        let folding = self.halves.folding;
        match folding.stage(index, folding.doublings()) {
            Stage::Fold => fold(folding.fold(), self.blocks.total(), round),
            Stage::Step(step) => self.halves.halve(step, round),
            Stage::Unfold => self.hand_over(round),
        }
    }

    /// What is combined, and what comes (Open MPI 4.1, `tmpbuf`).
    fn blocks(&self) -> Option<MemoryBlocks> {
        Some([self.blocks.total(), self.blocks.total(), 0])
    }
}
