//! Broadcast along a chain, in segments: counted from the root, a rank receives a segment from the one before while it
//! sends the segment before that to the next (Pjesivac-Grbovic et al.: "Performance analysis of MPI collective
//! operations", 2007). Workspace: the message.

use super::{Blocks, Place, Round, Schedule};

/// Bytes of a segment, at most, where none are chosen.
pub(super) const SEGMENT: usize = 8192;

pub(super) struct RingPipeline {
    place: Place,
    root: usize,
    segments: usize,
    parts: Blocks,
}

impl RingPipeline {
    /// Segments of up to `segment` bytes, as equal as can be.
    pub(super) fn new(place: Place, root: usize, bytes: usize, segment: usize) -> Self {
        let segments = bytes.div_ceil(segment).max(1);
        let parts = Blocks::Shares { count: segments, elements: bytes, extent: 1 };
        Self { place, root, segments, parts }
    }
}

impl Schedule for RingPipeline {
    fn rounds(&self) -> usize {
        self.segments + 1
    }

    fn round(&self, index: usize, round: &mut Round) {
        let Place { rank, size } = self.place.relative_to(self.root);
        if rank > 0 && index < self.segments {
            round.receive(self.place.before(1), self.parts.range(index));
        }
        if rank + 1 < size && index > 0 {
            round.send(self.place.after(1), self.parts.range(index - 1));
        }
    }
}
