//! Type maps as trees: repetitions and sequences over older types, down to the basic elements.

use super::layout::Node;
use super::{Basic, Type};
use std::ops::ControlFlow;
use std::rc::Rc;

/// A type map, in its order.
#[derive(Clone, Debug)]
pub(super) enum Tree {
    /// Basic elements at their displacements.
    Basics(Vec<(isize, Basic)>),
    /// An older type.
    Old(Rc<Type>),
    /// The same so many times, a stride in bytes apart.
    Repeat {
        /// Number of repetitions.
        count: usize,
        /// Bytes from one to the next.
        stride: isize,
        /// The datatype of each block.
        of: Box<Tree>,
    },
    /// One behind the other, each at its displacement.
    Sequence(Vec<(isize, Tree)>),
}

/// Totals of a type map.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Totals {
    /// Bytes of data.
    pub(super) size: usize,
    pub(super) elements: u64,
    /// Bytes of data in the external representation.
    pub(super) external: usize,
}

impl Totals {
    fn plus(self, other: Self) -> Option<Self> {
        Some(Self {
            size: self.size.checked_add(other.size)?,
            elements: self.elements.checked_add(other.elements)?,
            external: self.external.checked_add(other.external)?,
        })
    }

    fn times(self, count: usize) -> Option<Self> {
        Some(Self {
            size: self.size.checked_mul(count)?,
            elements: self.elements.checked_mul(count as u64)?,
            external: self.external.checked_mul(count)?,
        })
    }
}

/// A stretch of displacements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Span {
    /// Where it begins.
    pub(super) lower: i128,
    /// Behind its end.
    pub(super) upper: i128,
    /// The beginning was set by hand: such bounds outdo those that follow from the data (MPI 5.0, section
    /// 5.1.6), and go on to the types made of the type.
    pub(super) lower_is_set: bool,
    /// The end was set by hand.
    pub(super) upper_is_set: bool,
}

/// Farther than any displacement: a bound there gives way to every other one.
const NOWHERE: i128 = 1 << 100;

impl Span {
    /// One that follows from data.
    pub(super) const fn of_data(lower: i128, upper: i128) -> Self {
        Self { lower, upper, lower_is_set: false, upper_is_set: false }
    }

    /// One that is set by hand.
    pub(super) const fn set(lower: i128, upper: i128) -> Self {
        Self { lower, upper, lower_is_set: true, upper_is_set: true }
    }

    /// A lower bound alone, at displacement 0: the upper one is nowhere yet.
    pub(super) const fn lower_alone() -> Self {
        Self { lower: 0, upper: -NOWHERE, lower_is_set: true, upper_is_set: false }
    }

    /// An upper bound alone, at displacement 0: the lower one is nowhere yet.
    pub(super) const fn upper_alone() -> Self {
        Self { lower: NOWHERE, upper: 0, lower_is_set: false, upper_is_set: true }
    }

    pub(super) const fn extent(&self) -> i128 {
        self.upper - self.lower
    }

    /// The same where a bound that is nowhere is at 0.
    pub(super) const fn settled(self) -> Self {
        let lower = if self.lower > NOWHERE / 2 { 0 } else { self.lower };
        let upper = if self.upper < -NOWHERE / 2 { 0 } else { self.upper };
        Self { lower, upper, ..self }
    }

    fn moved(self, by: i128) -> Self {
        Self { lower: self.lower + by, upper: self.upper + by, ..self }
    }

    fn repeated(self, count: usize, stride: isize) -> Self {
        let last = (count as i128 - 1) * stride as i128;
        Self { lower: self.lower + last.min(0), upper: self.upper + last.max(0), ..self }
    }

    fn join(self, other: Self) -> Self {
        let bound = |ends: [i128; 2], are_set: [bool; 2], outer: fn(i128, i128) -> i128| match are_set {
            [true, false] => (ends[0], true),
            [false, true] => (ends[1], true),
            [both, _] => (outer(ends[0], ends[1]), both),
        };
        let [own, theirs] = [self, other];
        let are_set = [own.lower_is_set, theirs.lower_is_set];
        let (lower, lower_is_set) = bound([own.lower, theirs.lower], are_set, i128::min);
        let are_set = [own.upper_is_set, theirs.upper_is_set];
        let (upper, upper_is_set) = bound([own.upper, theirs.upper], are_set, i128::max);
        Self { lower, upper, lower_is_set, upper_is_set }
    }

    /// With the padding behind it that keeps a row of them aligned.
    pub(super) fn rounded(self, alignment: usize) -> Self {
        let over = self.settled().extent().rem_euclid(alignment as i128);
        if self.upper_is_set || over == 0 {
            self
        } else {
            Self { upper: self.upper + alignment as i128 - over, ..self }
        }
    }
}

impl Tree {
    /// An older type so many times, one behind the other.
    pub(super) fn block(length: usize, of: &Rc<Type>) -> Self {
        Self::repeat(length, of.extent(), Self::Old(Rc::clone(of)))
    }

    pub(super) fn repeat(count: usize, stride: isize, of: Self) -> Self {
        match count {
            0 => Self::Sequence(Vec::new()),
            1 => of,
            _ => Self::Repeat { count, stride, of: Box::new(of) },
        }
    }

    /// `None`: more than can be counted.
    pub(super) fn totals(&self) -> Option<Totals> {
        match self {
            Self::Basics(all) => {
                let one = |(_, basic): &(isize, Basic)| Totals {
                    size: basic.size(),
                    elements: 1,
                    external: basic.external_size(),
                };
                all.iter().try_fold(Totals::default(), |sum, basic| sum.plus(one(basic)))
            }
            Self::Old(old) => Some(old.totals),
            Self::Repeat { count, of, .. } => of.totals()?.times(*count),
            Self::Sequence(all) => {
                all.iter().try_fold(Totals::default(), |sum, (_, part)| sum.plus(part.totals()?))
            }
        }
    }

    pub(super) fn alignment(&self) -> usize {
        match self {
            Self::Basics(all) => all.iter().map(|(_, basic)| basic.alignment()).max().unwrap_or(1),
            Self::Old(old) => old.alignment,
            Self::Repeat { of, .. } => of.alignment(),
            Self::Sequence(all) => all.iter().map(|(_, part)| part.alignment()).max().unwrap_or(1),
        }
    }

    /// From the lower to the upper bound, without padding of its own.
    pub(super) fn span(&self) -> Option<Span> {
        self.span_by(&|old| old.span)
    }

    /// From the first byte of data to behind the last.
    pub(super) fn true_span(&self) -> Option<Span> {
        self.span_by(&|old| old.true_span)
    }

    fn span_by(&self, of_old: &impl Fn(&Type) -> Option<Span>) -> Option<Span> {
        match self {
            Self::Basics(all) => {
                let one = |&(at, basic): &(isize, Basic)| {
                    Span::of_data(at as i128, at as i128 + basic.size() as i128)
                };
                all.iter().map(one).reduce(Span::join)
            }
            Self::Old(old) => of_old(old),
            Self::Repeat { count, stride, of } => Some(of.span_by(of_old)?.repeated(*count, *stride)),
            Self::Sequence(all) => {
                let parts =
                    all.iter().filter_map(|(at, part)| Some(part.span_by(of_old)?.moved(*at as i128)));
                parts.reduce(Span::join)
            }
        }
    }

    /// Gives `take` every basic element, in the order of the type map.
    pub(super) fn each_basic(&self, take: &mut impl FnMut(Basic) -> ControlFlow<()>) -> ControlFlow<()> {
        match self {
            Self::Basics(all) => all.iter().try_for_each(|&(_, basic)| take(basic)),
            Self::Old(old) => old.tree.each_basic(take),
            Self::Repeat { count, of, .. } => (0..*count).try_for_each(|_| of.each_basic(take)),
            Self::Sequence(all) => all.iter().try_for_each(|(_, part)| part.each_basic(take)),
        }
    }

    /// The bytes alone.
    pub(super) fn lower(&self) -> Node {
        match self {
            Self::Basics(all) => {
                Node::sequence(all.iter().map(|&(at, basic)| Node::block(basic.size()).moved(at)))
            }
            Self::Old(old) => old.node().clone(),
            Self::Repeat { count, stride, of } => of.lower().repeated(*count, *stride),
            Self::Sequence(all) => Node::sequence(all.iter().map(|(at, part)| part.lower().moved(*at))),
        }
    }
}
