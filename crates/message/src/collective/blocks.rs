//! The data of all ranks as blocks, one for each, and a message as segments.

use std::ops::Range;
use std::rc::Rc;

/// Lengths of the blocks of all ranks, one behind the other.
#[derive(Clone, Debug)]
pub enum Blocks {
    /// All of the same length.
    Even {
        /// The number of blocks.
        count: usize,
        /// Bytes of each.
        bytes: usize,
    },
    /// Whole elements, as evenly as can be: block `r` begins at element `r * elements / count`.
    Shares {
        /// The number of blocks.
        count: usize,
        /// Elements of all blocks.
        elements: usize,
        /// Bytes of an element.
        extent: usize,
    },
    /// Each of its own length: block `r` is `starts[r]..starts[r + 1]`.
    Uneven(Rc<[usize]>),
}

impl Blocks {
    /// Blocks of these lengths in bytes.
    pub fn uneven(lengths: impl IntoIterator<Item = usize>) -> Self {
        let mut starts = vec![0];
        let mut end = 0;
        starts.extend(lengths.into_iter().map(|length| {
            end += length;
            end
        }));
        Self::Uneven(starts.into())
    }

    /// Where the block of a rank is.
    #[must_use]
    pub fn range(&self, rank: usize) -> Range<usize> {
        self.ranges(rank..rank + 1)
    }

    /// Where the blocks of consecutive ranks are.
    #[must_use]
    pub fn ranges(&self, ranks: Range<usize>) -> Range<usize> {
        let start = |rank: usize| match self {
            Self::Even { bytes, .. } => rank * bytes,
            Self::Shares { count, elements, extent } => rank * elements / count * extent,
            Self::Uneven(starts) => starts[rank],
        };
        start(ranks.start)..start(ranks.end)
    }

    /// Bytes of the block of a rank.
    #[must_use]
    pub fn length(&self, rank: usize) -> usize {
        self.range(rank).len()
    }

    /// Bytes of all blocks.
    #[must_use]
    pub fn total(&self) -> usize {
        match self {
            Self::Even { count, bytes } => count * bytes,
            Self::Shares { elements, extent, .. } => elements * extent,
            Self::Uneven(starts) => starts.last().copied().unwrap_or(0),
        }
    }
}

/// The segments of a message in the workspace: all of one length but the last, which may be shorter.
#[derive(Clone, Debug)]
pub(super) struct Segments {
    whole: Range<usize>,
    /// Bytes of each but the last; at least 1.
    each: usize,
}

impl Segments {
    /// Segments of up to so many bytes of this range; `None`: the range is one segment.
    pub(super) fn new(whole: Range<usize>, segment: Option<usize>) -> Self {
        let each = segment.unwrap_or(whole.len()).max(1);
        Self { whole, each }
    }

    /// Segments of whole elements of `extent` bytes, at least one each.
    pub(super) fn of_elements(elements: usize, extent: usize, segment: Option<usize>) -> Self {
        Self::of_part(0..elements * extent, extent, segment)
    }

    /// The same of a range that is made of whole elements.
    pub(super) fn of_part(part: Range<usize>, extent: usize, segment: Option<usize>) -> Self {
        let whole = |bytes: usize| (bytes / extent.max(1)).max(1) * extent;
        Self::new(part, segment.map(whole))
    }

    pub(super) fn whole(&self) -> Range<usize> {
        self.whole.clone()
    }

    /// Number of segments: one where there are no bytes, since a message is sent all the same.
    pub(super) fn count(&self) -> usize {
        self.whole.len().div_ceil(self.each).max(1)
    }

    /// The segment whose turn it is in a step, if the first has its turn in step `first`.
    pub(super) fn in_step(&self, step: usize, first: usize) -> Option<Range<usize>> {
        let index = step.checked_sub(first).filter(|&index| index < self.count())?;
        Some(self.range(index))
    }

    pub(super) fn range(&self, index: usize) -> Range<usize> {
        let at = |number: usize| (self.whole.start + number * self.each).min(self.whole.end);
        at(index)..at(index + 1)
    }

    pub(super) fn longest(&self) -> usize {
        self.each.min(self.whole.len())
    }
}
