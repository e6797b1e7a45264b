//! From the keys of a pattern to its messages.

use super::{AllToAllAlgorithm, PatternKind, PatternSection};
use crate::run::memory;
use weir_workload::{
    AllToAll, Broadcast, Bruck, Counted, Direction, Gather, Halo, HotSpot, Incast, Nicam, Pattern,
    Permutation, RandomRing, RandomSizes, Ring, Start, WithStartTimes, WorkloadError,
};

impl PatternSection {
    /// The messages on so many ranks.
    ///
    /// # Errors
    /// When the pattern does not take this number of ranks, or its messages overflow.
    pub(super) fn build(&self, ranks: usize) -> Result<Pattern, WorkloadError> {
        #[cfg(test)]
        crate::tests::count_built::<Pattern>();
        let mut pattern = self.build_kind(ranks)?;
        if self.size_spread > 0.0 {
            pattern = Pattern::RandomSizes(Box::new(RandomSizes::new(pattern, self.size_spread, self.seed)));
        }
        if self.start != Start::default() {
            pattern = Pattern::WithStartTimes(Box::new(WithStartTimes::new(pattern, self.start)));
        }
        pattern.check_totals()?;
        Ok(pattern)
    }

    fn build_kind(&self, ranks: usize) -> Result<Pattern, WorkloadError> {
        if self.kind.is_random_order() && !has_room_for_order(ranks) {
            return Err(WorkloadError::no_memory(ranks));
        }
        let Self { message_size: bytes, messages, steps, seed, .. } = *self;
        Ok(match self.kind {
            PatternKind::AllToAll { algorithm: AllToAllAlgorithm::Direct(algorithm) } => {
                Pattern::AllToAll(AllToAll::new(ranks, bytes, algorithm, steps)?.repeated(messages))
            }
            PatternKind::AllToAll { algorithm: AllToAllAlgorithm::Bruck } => {
                Pattern::Bruck(Bruck::new(ranks, bytes, messages))
            }
            PatternKind::Ring => Pattern::Ring(Ring::new(ranks, bytes, messages, steps)),
            PatternKind::RandomRing { generator } => {
                Pattern::RandomRing(RandomRing::new(ranks, bytes, messages, steps, seed, generator))
            }
            PatternKind::Broadcast { algorithm, root } => {
                Pattern::Broadcast(Broadcast::new(ranks, bytes, algorithm, root, messages)?)
            }
            PatternKind::Gather { algorithm, root } => {
                Pattern::Gather(Gather::new(ranks, bytes, Direction::Gather, algorithm, root, messages)?)
            }
            PatternKind::Scatter { algorithm, root } => {
                Pattern::Gather(Gather::new(ranks, bytes, Direction::Scatter, algorithm, root, messages)?)
            }
            PatternKind::Halo { ref grid } => {
                Pattern::Halo(Halo::new(ranks, grid.clone(), bytes, messages, steps)?)
            }
            PatternKind::Permutation { rule } => {
                Pattern::Permutation(Permutation::new(ranks, bytes, rule, messages, steps)?)
            }
            PatternKind::Nicam { grid } => Pattern::Nicam(Nicam::new(grid, bytes, messages)),
            PatternKind::Incast { root } => Pattern::Incast(Incast::new(ranks, bytes, root, messages)?),
            PatternKind::HotSpot { root, fraction } => {
                Pattern::HotSpot(HotSpot::new(ranks, bytes, root, fraction, messages, seed)?)
            }
        })
    }
}

/// Returns whether a random order of so many ranks can be held: both neighbours of each in it, and what it is drawn with.
fn has_room_for_order(ranks: usize) -> bool {
    let mut room: Vec<[u64; 2]> = Vec::new();
    memory::shortage(16 * ranks as u64, None).is_none() && room.try_reserve_exact(ranks).is_ok()
}
