//! The data of all ranks as blocks, one for each.

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
