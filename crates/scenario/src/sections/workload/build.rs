//! From the keys of a pattern to its messages.

use super::{AllToAllAlgorithm, PatternKind, PatternSection};
use crate::run::memory;
use std::sync::Arc;
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
        crate::build_counter::count_built::<Pattern>();
        let mut pattern = self.build_kind(ranks)?;
        if self.size_spread > 0.0 {
            pattern = Pattern(Arc::new(RandomSizes::new(pattern, self.size_spread, self.seed)));
        }
        if self.start != Start::default() {
            pattern = Pattern(Arc::new(WithStartTimes::new(pattern, self.start)));
        }
        pattern.check_totals()?;
        Ok(pattern)
    }

    fn build_kind(&self, ranks: usize) -> Result<Pattern, WorkloadError> {
        if self.kind.is_random_order() && !has_room_for_order(ranks) {
            return Err(WorkloadError::no_memory(ranks));
        }
        let Self { message_size: bytes, messages, steps, seed, .. } = *self;
        let gather = |direction, algorithm, root| {
            Gather::new(ranks, bytes, direction, algorithm, root, messages).map(Arc::new)
        };
        let pattern: Arc<dyn Counted> = match self.kind {
            PatternKind::AllToAll { algorithm: AllToAllAlgorithm::Direct(algorithm) } => {
                Arc::new(AllToAll::new(ranks, bytes, algorithm, steps)?.repeated(messages))
            }
            PatternKind::AllToAll { algorithm: AllToAllAlgorithm::Bruck } => {
                Arc::new(Bruck::new(ranks, bytes, messages))
            }
            PatternKind::Ring => Arc::new(Ring::new(ranks, bytes, messages, steps)),
            PatternKind::RandomRing { generator } => {
                Arc::new(RandomRing::new(ranks, bytes, messages, steps, seed, generator))
            }
            PatternKind::Broadcast { algorithm, root } => {
                Arc::new(Broadcast::new(ranks, bytes, algorithm, root, messages)?)
            }
            PatternKind::Gather { algorithm, root } => gather(Direction::Gather, algorithm, root)?,
            PatternKind::Scatter { algorithm, root } => gather(Direction::Scatter, algorithm, root)?,
            PatternKind::Halo { ref grid } => {
                Arc::new(Halo::new(ranks, grid.clone(), bytes, messages, steps)?)
            }
            PatternKind::Permutation { rule } => {
                Arc::new(Permutation::new(ranks, bytes, rule, messages, steps)?)
            }
            PatternKind::Nicam { grid } => Arc::new(Nicam::new(grid, bytes, messages)),
            PatternKind::Incast { root } => Arc::new(Incast::new(ranks, bytes, root, messages)?),
            PatternKind::HotSpot { root, fraction } => {
                Arc::new(HotSpot::new(ranks, bytes, root, fraction, messages, seed)?)
            }
        };
        Ok(Pattern(pattern))
    }
}

/// Returns whether a random order of so many ranks can be held: both neighbours of each in it, and what it is drawn with.
fn has_room_for_order(ranks: usize) -> bool {
    let mut room: Vec<[u64; 2]> = Vec::new();
    memory::shortage(16 * ranks as u64, None).is_none() && room.try_reserve_exact(ranks).is_ok()
}
