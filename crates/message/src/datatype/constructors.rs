//! Types made of older ones (MPI 5.0, section 5.1.2).

use super::tree::{Span, Tree};
use super::{Basic, Combiner, Recipe, Type, too_large};
use crate::MpiError;
use std::rc::Rc;

fn count(given: i32) -> Result<usize, MpiError> {
    usize::try_from(given).map_err(|_| MpiError::Count(given.into()))
}

fn block_length(given: i32) -> Result<usize, MpiError> {
    usize::try_from(given).map_err(|_| MpiError::Argument(format!("the block length {given} is negative")))
}

/// So many extents, in bytes.
pub(super) fn extents(number: i32, extent: isize) -> Result<isize, MpiError> {
    (number as isize).checked_mul(extent).ok_or_else(too_large)
}

/// Numbers of arguments are ints in C.
pub(super) fn int(length: usize) -> i32 {
    i32::try_from(length).expect("arrays of the program are as long as an int says")
}

fn recipe(combiner: Combiner, integers: Vec<i32>, addresses: Vec<isize>, old: &Rc<Type>) -> Recipe {
    Recipe { combiner, name: 0, integers, addresses, types: vec![Rc::clone(old)] }
}

/// Blocks of older types at displacements in bytes.
fn blocks(parts: impl Iterator<Item = Result<(isize, Tree), MpiError>>) -> Result<Tree, MpiError> {
    Ok(Tree::Sequence(parts.collect::<Result<_, _>>()?))
}

impl Type {
    /// A predefined type, known to its owner as `name`: basic elements at their displacements.
    ///
    /// # Panics
    /// When the elements reach farther than addresses do.
    #[must_use]
    pub fn named(name: usize, elements: &[(isize, Basic)]) -> Rc<Self> {
        let recipe = Recipe {
            combiner: Combiner::Named,
            name,
            integers: Vec::new(),
            addresses: Vec::new(),
            types: Vec::new(),
        };
        Self::new(recipe, Tree::Basics(elements.to_vec()), None).expect("predefined types are small")
    }

    /// A copy.
    #[must_use]
    pub fn dup(old: &Rc<Self>) -> Rc<Self> {
        let recipe = recipe(Combiner::Dup, Vec::new(), Vec::new(), old);
        Self::new(recipe, Tree::Old(Rc::clone(old)), old.span)
            .expect("a copy reaches no farther than its original")
    }

    /// `number` elements one behind the other.
    ///
    /// # Errors
    /// When the count is negative or the type too large; so it is with all that follow.
    pub fn contiguous_of(number: i32, old: &Rc<Self>) -> Result<Rc<Self>, MpiError> {
        let recipe = recipe(Combiner::Contiguous, vec![number], Vec::new(), old);
        Self::new(recipe, Tree::block(count(number)?, old), None)
    }

    /// `number` blocks of `length` elements, `stride` elements apart.
    ///
    /// # Errors
    /// When count or block length are negative.
    pub fn vector(number: i32, length: i32, stride: i32, old: &Rc<Self>) -> Result<Rc<Self>, MpiError> {
        let recipe = recipe(Combiner::Vector, vec![number, length, stride], Vec::new(), old);
        let block = Tree::block(block_length(length)?, old);
        Self::new(recipe, Tree::repeat(count(number)?, extents(stride, old.extent())?, block), None)
    }

    /// As [`Self::vector`], the stride in bytes.
    ///
    /// # Errors
    /// When count or block length are negative.
    pub fn hvector(number: i32, length: i32, stride: isize, old: &Rc<Self>) -> Result<Rc<Self>, MpiError> {
        let recipe = recipe(Combiner::Hvector, vec![number, length], vec![stride], old);
        let block = Tree::block(block_length(length)?, old);
        Self::new(recipe, Tree::repeat(count(number)?, stride, block), None)
    }

    /// Blocks of these lengths at these displacements, both in elements. The arrays are equally long.
    ///
    /// # Errors
    /// When a block length is negative.
    pub fn indexed(lengths: &[i32], displacements: &[i32], old: &Rc<Self>) -> Result<Rc<Self>, MpiError> {
        let integers = [&[int(lengths.len())], lengths, displacements].concat();
        let tree = blocks(lengths.iter().zip(displacements).map(|(&length, &displacement)| {
            Ok((extents(displacement, old.extent())?, Tree::block(block_length(length)?, old)))
        }))?;
        Self::new(recipe(Combiner::Indexed, integers, Vec::new(), old), tree, None)
    }

    /// As [`Self::indexed`], the displacements in bytes.
    ///
    /// # Errors
    /// When a block length is negative.
    pub fn hindexed(lengths: &[i32], displacements: &[isize], old: &Rc<Self>) -> Result<Rc<Self>, MpiError> {
        let integers = [&[int(lengths.len())], lengths].concat();
        let tree =
            blocks(lengths.iter().zip(displacements).map(|(&length, &displacement)| {
                Ok((displacement, Tree::block(block_length(length)?, old)))
            }))?;
        Self::new(recipe(Combiner::Hindexed, integers, displacements.to_vec(), old), tree, None)
    }

    /// Blocks of one length at these displacements, both in elements.
    ///
    /// # Errors
    /// When the block length is negative.
    pub fn indexed_block(length: i32, displacements: &[i32], old: &Rc<Self>) -> Result<Rc<Self>, MpiError> {
        let integers = [&[int(displacements.len()), length], displacements].concat();
        let block = Tree::block(block_length(length)?, old);
        let tree = blocks(displacements.iter().map(|&at| Ok((extents(at, old.extent())?, block.clone()))))?;
        Self::new(recipe(Combiner::IndexedBlock, integers, Vec::new(), old), tree, None)
    }

    /// As [`Self::indexed_block`], the displacements in bytes.
    ///
    /// # Errors
    /// When the block length is negative.
    pub fn hindexed_block(
        length: i32,
        displacements: &[isize],
        old: &Rc<Self>,
    ) -> Result<Rc<Self>, MpiError> {
        let integers = vec![int(displacements.len()), length];
        let block = Tree::block(block_length(length)?, old);
        let tree = blocks(displacements.iter().map(|&at| Ok((at, block.clone()))))?;
        Self::new(recipe(Combiner::HindexedBlock, integers, displacements.to_vec(), old), tree, None)
    }

    /// Blocks of these lengths and types at these displacements in bytes. The arrays are equally long.
    ///
    /// # Errors
    /// When a block length is negative.
    pub fn structure(
        lengths: &[i32],
        displacements: &[isize],
        types: &[Rc<Self>],
    ) -> Result<Rc<Self>, MpiError> {
        let recipe = Recipe {
            combiner: Combiner::Struct,
            name: 0,
            integers: [&[int(lengths.len())], lengths].concat(),
            addresses: displacements.to_vec(),
            types: types.to_vec(),
        };
        let tree = blocks(
            lengths
                .iter()
                .zip(displacements)
                .zip(types)
                .map(|((&length, &at), old)| Ok((at, Tree::block(block_length(length)?, old)))),
        )?;
        Self::new(recipe, tree, None)
    }

    /// The same data between other bounds.
    ///
    /// # Errors
    /// When the bounds are farther away than addresses are.
    pub fn resized(old: &Rc<Self>, lower: isize, extent: isize) -> Result<Rc<Self>, MpiError> {
        let recipe = recipe(Combiner::Resized, Vec::new(), vec![lower, extent], old);
        let span = Span::set(lower as i128, lower as i128 + extent as i128);
        Self::new(recipe, Tree::Old(Rc::clone(old)), Some(span))
    }
}
