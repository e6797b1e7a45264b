//! All-reduce along a ring (Patarasuk, Yuan: "Bandwidth optimal all-reduce algorithms for clusters of workstations",
//! 2009): the vector is cut into as many parts as there are ranks; size - 1 rounds reduce each part on its way around
//! the ring, and size - 1 more hand the results around. Operands meet in ring order, so the operation must commute. In
//! segments (Open MPI 4.1 `coll/base`, `ompi_coll_base_allreduce_intra_ring_segmented`) each part is cut in its turn, and its
//! segments are reduced in as many phases, each once around the ring; the results are handed around whole. With several rings each part is
//! cut into as many strands, which go around at the same time, each by a rail of its own, as in NCCL's channels. Workspace: the
//! vector, then room for one part or segment.

use super::{Blocks, MemoryBlocks, Place, Round, Schedule, Side, strand};
use std::ops::Range;

/// Bytes of a segment in segments, as Open MPI has it for long vectors (`coll/tuned`, fixed decisions).
pub(super) const SEGMENT: usize = 1 << 20;

pub(super) struct Ring {
    place: Place,
    elements: usize,
    /// Bytes of an element: parts are whole elements.
    extent: usize,
    /// How many times the reduction goes around the ring.
    phases: usize,
    /// How many strands go around at the same time.
    rings: usize,
}

impl Ring {
    /// The whole vector at once, around so many rings.
    pub(super) fn new(place: Place, elements: usize, extent: usize, rings: usize) -> Self {
        Self { place, elements, extent, phases: 1, rings }
    }

    /// In segments of about so many bytes, at least an element: as many phases as segments of all ranks fit into the vector,
    /// and one more if more than half of one is left.
    pub(super) fn segmented(place: Place, elements: usize, extent: usize, segment: usize) -> Self {
        let each = (segment / extent.max(1)).max(1).saturating_mul(place.size);
        let (whole, left) = (elements / each, elements % each);
        let more = left >= place.size && left > each / 2;
        let phases = if whole == 0 { 1 } else { whole + usize::from(more) };
        Self { place, elements, extent, phases, rings: 1 }
    }

    /// Bytes of the workspace.
    pub(super) fn workspace(&self) -> usize {
        let part = self.elements.div_ceil(self.place.size);
        (self.elements + part.div_ceil(self.phases)) * self.extent
    }

    fn part(&self, number: usize) -> Range<usize> {
        let cut = |number: usize| number * self.elements / self.place.size * self.extent;
        cut(number)..cut(number + 1)
    }

    /// The segment of a part that goes around in this phase.
    fn segment(&self, number: usize, phase: usize) -> Range<usize> {
        let part = self.part(number);
        let elements = part.len().checked_div(self.extent).unwrap_or(0);
        let segment = Blocks::Shares { count: self.phases, elements, extent: self.extent }.range(phase);
        part.start + segment.start..part.start + segment.end
    }
}

impl Schedule for Ring {
    fn rounds(&self) -> usize {
        (self.phases + 1) * (self.place.size - 1)
    }

    fn round(&self, index: usize, round: &mut Round) {
        let (next, previous) = (self.place.after(1), self.place.before(1));
        let (phase, step) = (index / (self.place.size - 1), index % (self.place.size - 1));
        // Step i hands on the part i places back. The last step of a phase completes, at every rank, the part of the
        // next rank; that is where the handing around begins.
        let done = Place { rank: next, size: self.place.size };
        let reduces = phase < self.phases;
        let (out, into) = if reduces {
            (self.segment(self.place.before(step), phase), self.segment(self.place.before(step + 1), phase))
        } else {
            (self.part(done.before(step)), self.part(done.before(step + 1)))
        };
        for ring in (0..self.rings).map(|ring| (ring, self.rings)) {
            round.send_around(ring, next, strand(&out, self.extent, ring));
            let own = strand(&into, self.extent, ring);
            if reduces {
                let room = self.elements * self.extent + own.start - into.start;
                let room = room..room + own.len();
                round.receive(previous, room.clone());
                round.reduce(room, own.start, Side::Left);
            } else {
                round.receive(previous, own);
            }
        }
    }

    /// Two rooms for what comes (Open MPI 4.1, `inbuf`).
    fn blocks(&self) -> Option<MemoryBlocks> {
        let room = self.workspace() - self.elements * self.extent;
        Some([room, if self.place.size > 2 { room } else { 0 }, 0])
    }
}
