//! Types made of older ones (MPI 5.0, section 5.1.2).

use super::recipe::ConstructorArguments;
use super::tree::{Span, Tree};
use super::{Basic, Combiner, Count, Recipe, Type, too_large};
use crate::MpiError;
use std::rc::Rc;

fn count<C: Count>(given: C) -> Result<usize, MpiError> {
    usize::try_from(given.into()).map_err(|_| MpiError::Count(given.into()))
}

fn block_length<C: Count>(given: C) -> Result<usize, MpiError> {
    usize::try_from(given.into())
        .map_err(|_| MpiError::Argument(format!("the block length {given} is negative")))
}

/// Bytes of so many extents.
pub(super) fn extents<C: Count>(number: C, extent: isize) -> Result<isize, MpiError> {
    (number.into() as isize).checked_mul(extent).ok_or_else(too_large)
}

/// Lengths of arrays are arguments in C.
fn number<C: Count>(length: usize) -> C {
    C::try_from(length).ok().expect("arrays of the program are as long as a count says")
}

fn recipe<C: Count>(combiner: Combiner, counts: &[C], addresses: &[isize], old: &Rc<Type>) -> Recipe {
    Recipe::new(combiner, C::arguments(&[], counts, &[], addresses), vec![Rc::clone(old)])
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
        let recipe =
            Recipe { name, ..Recipe::new(Combiner::Named, ConstructorArguments::default(), Vec::new()) };
        Self::new(recipe, Tree::Basics(elements.to_vec()), None).expect("predefined types are small")
    }

    /// A predefined type without data that sets the lower bound of those made of it: `MPI_LB` of MPI-1.
    #[must_use]
    pub fn lower_marker(name: usize) -> Rc<Self> {
        Self::marker(name, Span::lower_alone())
    }

    /// A predefined type without data that sets the upper bound of those made of it: `MPI_UB` of MPI-1.
    #[must_use]
    pub fn upper_marker(name: usize) -> Rc<Self> {
        Self::marker(name, Span::upper_alone())
    }

    fn marker(name: usize, span: Span) -> Rc<Self> {
        let recipe =
            Recipe { name, ..Recipe::new(Combiner::Named, ConstructorArguments::default(), Vec::new()) };
        Self::new(recipe, Tree::Sequence(Vec::new()), Some(span)).expect("there are no data")
    }

    /// A copy.
    #[must_use]
    pub fn dup(old: &Rc<Self>) -> Rc<Self> {
        let recipe = Recipe::new(Combiner::Dup, ConstructorArguments::default(), vec![Rc::clone(old)]);
        Self::new(recipe, Tree::Old(Rc::clone(old)), old.span)
            .expect("a copy reaches no farther than its original")
    }

    /// `number` elements one behind the other.
    ///
    /// # Errors
    /// When the count is negative or the type too large; so it is with all that follow.
    pub fn contiguous_of<C: Count>(number: C, old: &Rc<Self>) -> Result<Rc<Self>, MpiError> {
        let recipe = recipe(Combiner::Contiguous, &[number], &[], old);
        Self::new(recipe, Tree::block(count(number)?, old), None)
    }

    /// `number` blocks of `length` elements, `stride` elements apart.
    ///
    /// # Errors
    /// When count or block length are negative.
    pub fn vector<C: Count>(number: C, length: C, stride: C, old: &Rc<Self>) -> Result<Rc<Self>, MpiError> {
        let recipe = recipe(Combiner::Vector, &[number, length, stride], &[], old);
        let block = Tree::block(block_length(length)?, old);
        Self::new(recipe, Tree::repeat(count(number)?, extents(stride, old.extent())?, block), None)
    }

    /// The same as [`Self::vector`], but the stride is in bytes.
    ///
    /// # Errors
    /// When count or block length are negative.
    pub fn hvector<C: Count>(
        number: C,
        length: C,
        stride: isize,
        old: &Rc<Self>,
    ) -> Result<Rc<Self>, MpiError> {
        let recipe = recipe(Combiner::Hvector, &[number, length], &[stride], old);
        let block = Tree::block(block_length(length)?, old);
        Self::new(recipe, Tree::repeat(count(number)?, stride, block), None)
    }

    /// Blocks of these lengths at these displacements, both in elements. The arrays are equally long.
    ///
    /// # Errors
    /// When a block length is negative.
    pub fn indexed<C: Count>(
        lengths: &[C],
        displacements: &[C],
        old: &Rc<Self>,
    ) -> Result<Rc<Self>, MpiError> {
        let counts = [&[number(lengths.len())], lengths, displacements].concat();
        let tree = blocks(lengths.iter().zip(displacements).map(|(&length, &displacement)| {
            Ok((extents(displacement, old.extent())?, Tree::block(block_length(length)?, old)))
        }))?;
        Self::new(recipe(Combiner::Indexed, &counts, &[], old), tree, None)
    }

    /// The same as [`Self::indexed`], but the displacements are in bytes.
    ///
    /// # Errors
    /// When a block length is negative.
    pub fn hindexed<C: Count>(
        lengths: &[C],
        displacements: &[isize],
        old: &Rc<Self>,
    ) -> Result<Rc<Self>, MpiError> {
        let counts = [&[number(lengths.len())], lengths].concat();
        let tree =
            blocks(lengths.iter().zip(displacements).map(|(&length, &displacement)| {
                Ok((displacement, Tree::block(block_length(length)?, old)))
            }))?;
        Self::new(recipe(Combiner::Hindexed, &counts, displacements, old), tree, None)
    }

    /// Blocks of one length at these displacements, both in elements.
    ///
    /// # Errors
    /// When the block length is negative.
    pub fn indexed_block<C: Count>(
        length: C,
        displacements: &[C],
        old: &Rc<Self>,
    ) -> Result<Rc<Self>, MpiError> {
        let counts = [&[number(displacements.len()), length], displacements].concat();
        let block = Tree::block(block_length(length)?, old);
        let tree = blocks(displacements.iter().map(|&at| Ok((extents(at, old.extent())?, block.clone()))))?;
        Self::new(recipe(Combiner::IndexedBlock, &counts, &[], old), tree, None)
    }

    /// The same as [`Self::indexed_block`], but the displacements are in bytes.
    ///
    /// # Errors
    /// When the block length is negative.
    pub fn hindexed_block<C: Count>(
        length: C,
        displacements: &[isize],
        old: &Rc<Self>,
    ) -> Result<Rc<Self>, MpiError> {
        let counts = [number(displacements.len()), length];
        let block = Tree::block(block_length(length)?, old);
        let tree = blocks(displacements.iter().map(|&at| Ok((at, block.clone()))))?;
        Self::new(recipe(Combiner::HindexedBlock, &counts, displacements, old), tree, None)
    }

    /// Blocks of these lengths and types at these displacements in bytes. The arrays are equally long.
    ///
    /// # Errors
    /// When a block length is negative.
    pub fn structure<C: Count>(
        lengths: &[C],
        displacements: &[isize],
        types: &[Rc<Self>],
    ) -> Result<Rc<Self>, MpiError> {
        let counts = [&[number(lengths.len())], lengths].concat();
        let arguments = C::arguments(&[], &counts, &[], displacements);
        let recipe = Recipe::new(Combiner::Struct, arguments, types.to_vec());
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
        Self::resized_by::<i32>(old, lower, extent)
    }

    /// The same as [`Self::resized`]; the bounds are large counts to those who ask how the type was made, if `C` is wide.
    ///
    /// # Errors
    /// When the bounds are farther away than addresses are.
    pub fn resized_by<C: Count>(old: &Rc<Self>, lower: isize, extent: isize) -> Result<Rc<Self>, MpiError> {
        let recipe = recipe::<C>(Combiner::Resized, &[], &[lower, extent], old);
        let span = Span::set(lower as i128, lower as i128 + extent as i128);
        Self::new(recipe, Tree::Old(Rc::clone(old)), Some(span))
    }

    /// The predefined type `base` under another number: chosen by `integers`, precision and range.
    #[must_use]
    pub fn chosen(combiner: Combiner, integers: Vec<i32>, base: &Rc<Self>) -> Rc<Self> {
        let arguments = ConstructorArguments { integers, ..ConstructorArguments::default() };
        let recipe = Recipe { name: base.recipe.name, ..Recipe::new(combiner, arguments, Vec::new()) };
        Self::new(recipe, Tree::Old(Rc::clone(base)), base.span)
            .expect("a copy reaches no farther than its original")
    }
}
