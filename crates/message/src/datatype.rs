//! Datatypes: which bytes of memory are data, and in which order they travel (MPI 5.0, chapter 5).
//!
//! A [`Type`] is its *type map*: a list of basic elements, each at its displacement in bytes. The list is never written
//! out. It is kept twice:
//! - as a tree of repetitions and sequences over older types, which knows every basic element: for bounds, for
//!   counting elements, and for the external representation;
//! - lowered to a layout that knows bytes alone: runs of equal contiguous blocks a stride apart, and repetitions and
//!   sequences of them where one run is not enough. Copying walks over it, one tight loop for each run.
//!
//! The layout is made when it is first asked for, which is when the type is committed. Data travel packed: the bytes of
//! the basic elements in the order of the type map, without the gaps.
//!
//! Memory is not seen here: [`Type::pieces`] says where data are, relative to the buffer's address, and its caller
//! copies them.

mod array;
mod constructors;
mod kind;
mod layout;
#[cfg(test)]
mod tests;
mod tree;

pub use array::{Distribution, Grid, Order};
pub use constructors::{Combiner, ConstructorArguments, Count, Recipe};
pub use kind::Basic;
pub use layout::Piece;
pub use weir_operations::Kind;

use crate::{MpiError, Result};
use layout::Node;
use std::cell::OnceCell;
use std::ops::ControlFlow;
use std::rc::Rc;
use tree::{Span, Totals, Tree};

/// A datatype.
#[derive(Debug)]
pub struct Type {
    recipe: Recipe,
    tree: Tree,
    totals: Totals,
    /// Strictest alignment of its basic elements, at least 1.
    alignment: usize,
    /// From the lower to the upper bound; `None`: there is neither data nor a bound set by hand.
    span: Option<Span>,
    /// From the first byte of data to behind the last.
    true_span: Option<Span>,
    layout: OnceCell<Node>,
}

/// Bounds beyond this are refused, so that displacements and their differences always fit.
const FARTHEST: i128 = 1 << 62;

fn too_large() -> MpiError {
    MpiError::Argument("the datatype reaches farther than addresses do".into())
}

impl Type {
    /// A type made by `recipe` whose type map is `tree`; its bounds are `fixed`, or else follow from the type map.
    fn new(recipe: Recipe, tree: Tree, fixed: Option<Span>) -> Result<Rc<Self>> {
        let totals = tree.totals().ok_or_else(too_large)?;
        let alignment = tree.alignment();
        let span = fixed.or_else(|| tree.span().map(|span| span.rounded(alignment)));
        let true_span = tree.true_span();
        let far = |span: &Span| span.lower < -FARTHEST || span.upper > FARTHEST || span.extent() > FARTHEST;
        if span.map(Span::settled).iter().chain(&true_span).any(far) {
            return Err(too_large());
        }
        Ok(Rc::new(Self { recipe, tree, totals, alignment, span, true_span, layout: OnceCell::new() }))
    }

    /// The constructor that made it, and its arguments.
    pub fn recipe(&self) -> &Recipe {
        &self.recipe
    }

    /// Bytes of data in one element of the type.
    pub fn size(&self) -> usize {
        self.totals.size
    }

    /// Basic elements in one element of the type.
    pub fn elements(&self) -> u64 {
        self.totals.elements
    }

    /// Lower bound in bytes: where an element of the type begins.
    pub fn lower_bound(&self) -> isize {
        self.span.map_or(0, |span| span.settled().lower as isize)
    }

    /// Bytes from one element of the type to the next.
    pub fn extent(&self) -> isize {
        self.span.map_or(0, |span| span.settled().extent() as isize)
    }

    /// Displacement of its first byte of data.
    pub fn true_lower_bound(&self) -> isize {
        self.true_span.map_or(0, |span| span.lower as isize)
    }

    /// Bytes from its first byte of data to behind its last.
    pub fn true_extent(&self) -> isize {
        self.true_span.map_or(0, |span| span.extent() as isize)
    }

    /// Makes what copying needs, so that the first message does not have to.
    pub fn commit(&self) {
        self.node();
    }

    fn node(&self) -> &Node {
        self.layout.get_or_init(|| self.tree.lower())
    }

    /// Where the data of any number of elements begin, if they are one contiguous piece.
    pub fn contiguous(&self) -> Option<isize> {
        self.node().contiguous(self.size(), self.extent())
    }

    /// Calls `take` with where the first `limit` bytes of data of `count` elements are, in the order in which they travel.
    pub fn pieces(&self, count: usize, limit: usize, take: &mut impl FnMut(Piece)) {
        self.node().pieces(count, self.extent(), limit, take);
    }

    /// The number of basic elements in so many bytes of data; `None` if not a whole number.
    pub fn elements_in(&self, bytes: u64) -> Option<u64> {
        let size = self.size() as u64;
        if size == 0 {
            return (bytes == 0).then_some(0);
        }
        let (mut elements, mut rest) = (bytes / size * self.elements(), bytes % size);
        _ = self.tree.each_basic(&mut |basic| match rest.checked_sub(basic.size() as u64) {
            Some(less) => {
                elements += 1;
                rest = less;
                ControlFlow::Continue(())
            }
            None => ControlFlow::Break(()),
        });
        (rest == 0).then_some(elements)
    }

    /// The bytes of data of so many basic elements.
    pub fn bytes_of(&self, elements: u64) -> u64 {
        if self.elements() == 0 {
            return 0;
        }
        let mut bytes = elements / self.elements() * self.size() as u64;
        let mut rest = elements % self.elements();
        _ = self.tree.each_basic(&mut |basic| {
            if rest == 0 {
                return ControlFlow::Break(());
            }
            rest -= 1;
            bytes += basic.size() as u64;
            ControlFlow::Continue(())
        });
        bytes
    }
}
