//! A message cut into segments: all of one length but the last, which may be shorter.

use std::ops::Range;

/// The segments of a message in the workspace.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn segments_of_ten_bytes() {
        let of = |segment| Segments::new(5..15, segment);
        let ends = |range: Range<usize>| (range.start, range.end);
        let ranges =
            |cut: &Segments| (0..cut.count()).map(|index| ends(cut.range(index))).collect::<Vec<_>>();
        assert_eq!(ranges(&of(None)), [(5, 15)]);
        assert_eq!(ranges(&of(Some(4))), [(5, 9), (9, 13), (13, 15)]);
        assert_eq!(ranges(&of(Some(5))), [(5, 10), (10, 15)]);
        assert_eq!(ranges(&of(Some(11))), [(5, 15)]);
        assert_eq!((of(Some(4)).longest(), of(Some(11)).longest()), (4, 10));
        assert_eq!(ranges(&Segments::new(3..3, Some(4))), [(3, 3)]);
    }

    /// 7 bytes hold two elements of 3; 2 bytes hold none, and one is sent all the same.
    #[test]
    fn segments_of_whole_elements() {
        let lengths = |segment| {
            let cut = Segments::of_elements(5, 3, segment);
            (0..cut.count()).map(|index| cut.range(index).len()).collect::<Vec<_>>()
        };
        assert_eq!(lengths(Some(7)), [6, 6, 3]);
        assert_eq!(lengths(Some(2)), [3; 5]);
        assert_eq!(lengths(None), [15]);
    }
}
