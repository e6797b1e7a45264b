//! Types made of older ones (MPI 5.0, section 5.1.2), and their constructors for those who ask (section 5.1.13).
//!
//! # Errors
//! Constructors refuse counts and block lengths that are negative, and types that reach farther than addresses do.

use super::tree::{Span, Tree};
use super::{Basic, Type, too_large};
use crate::{MpiError, Result};
use std::fmt::Display;
use std::iter::repeat;
use std::rc::Rc;

fn count<C: Count>(given: C) -> Result<usize> {
    usize::try_from(given.into()).map_err(|_| MpiError::Count(given.into()))
}

fn block_length<C: Count>(given: C) -> Result<usize> {
    usize::try_from(given.into())
        .map_err(|_| MpiError::Argument(format!("the block length {given} is negative")))
}

/// Bytes of so many extents.
pub(super) fn extents<C: Count>(number: C, extent: isize) -> Result<isize> {
    (number.into() as isize).checked_mul(extent).ok_or_else(too_large)
}

/// Lengths of arrays are arguments in C.
fn number<C: Count>(length: usize) -> C {
    C::try_from(length).ok().expect("arrays of the program are as long as a count says")
}

fn recipe<C: Count>(combiner: Combiner, counts: &[C], addresses: &[isize], old: &Rc<Type>) -> Recipe {
    Recipe::new(combiner, C::arguments(&[], counts, &[], addresses), vec![Rc::clone(old)])
}

/// Blocks of these lengths at these displacements in bytes, each of its own older type.
fn blocks<'a, C: Count>(
    lengths: &[C],
    places: impl Iterator<Item = Result<isize>>,
    types: impl IntoIterator<Item = &'a Rc<Type>>,
) -> Result<Tree> {
    let parts = lengths.iter().zip(places).zip(types);
    let part = |((&length, at), old)| Ok((at?, Tree::block(block_length(length)?, old)));
    parts.map(part).collect::<Result<_, _>>().map(Tree::Sequence)
}

/// The same block at these displacements in bytes.
fn equal_blocks(block: Tree, places: impl Iterator<Item = Result<isize>>) -> Result<Tree> {
    places.map(|at| Ok((at?, block.clone()))).collect::<Result<_, _>>().map(Tree::Sequence)
}

impl Recipe {
    /// That of a predefined type.
    fn named(name: usize) -> Self {
        Self { name, ..Self::new(Combiner::Named, ConstructorArguments::default(), Vec::new()) }
    }
}

impl Type {
    /// A predefined type, known to its owner as `name`: basic elements at their displacements.
    ///
    /// # Panics
    /// When the elements reach farther than addresses do.
    pub fn named(name: usize, elements: &[(isize, Basic)]) -> Rc<Self> {
        let tree = Tree::Basics(elements.to_vec());
        Self::new(Recipe::named(name), tree, None).expect("predefined types are small")
    }

    /// A predefined type without data that sets the lower bound of those made of it: `MPI_LB` of MPI-1.
    pub fn lower_marker(name: usize) -> Rc<Self> {
        Self::marker(name, Span::lower_alone())
    }

    /// A predefined type without data that sets the upper bound of those made of it: `MPI_UB` of MPI-1.
    pub fn upper_marker(name: usize) -> Rc<Self> {
        Self::marker(name, Span::upper_alone())
    }

    fn marker(name: usize, span: Span) -> Rc<Self> {
        Self::new(Recipe::named(name), Tree::Sequence(Vec::new()), Some(span)).expect("there are no data")
    }

    /// A copy.
    pub fn dup(old: &Rc<Self>) -> Rc<Self> {
        let recipe = Recipe::new(Combiner::Dup, ConstructorArguments::default(), vec![Rc::clone(old)]);
        Self::new(recipe, Tree::Old(Rc::clone(old)), old.span)
            .expect("a copy reaches no farther than its original")
    }

    /// `number` elements one behind the other.
    pub fn contiguous_of<C: Count>(number: C, old: &Rc<Self>) -> Result<Rc<Self>> {
        let recipe = recipe(Combiner::Contiguous, &[number], &[], old);
        Self::new(recipe, Tree::block(count(number)?, old), None)
    }

    /// `number` blocks of `length` elements, `stride` elements apart.
    pub fn vector<C: Count>(number: C, length: C, stride: C, old: &Rc<Self>) -> Result<Rc<Self>> {
        let recipe = recipe(Combiner::Vector, &[number, length, stride], &[], old);
        let block = Tree::block(block_length(length)?, old);
        Self::new(recipe, Tree::repeat(count(number)?, extents(stride, old.extent())?, block), None)
    }

    /// The same as [`Self::vector`], but the stride is in bytes.
    pub fn hvector<C: Count>(number: C, length: C, stride: isize, old: &Rc<Self>) -> Result<Rc<Self>> {
        let recipe = recipe(Combiner::Hvector, &[number, length], &[stride], old);
        let block = Tree::block(block_length(length)?, old);
        Self::new(recipe, Tree::repeat(count(number)?, stride, block), None)
    }

    /// Blocks of these lengths at these displacements, both in elements. The arrays are equally long.
    pub fn indexed<C: Count>(lengths: &[C], displacements: &[C], old: &Rc<Self>) -> Result<Rc<Self>> {
        let counts = [&[number(lengths.len())], lengths, displacements].concat();
        let places = displacements.iter().map(|&at| extents(at, old.extent()));
        let tree = blocks(lengths, places, repeat(old))?;
        Self::new(recipe(Combiner::Indexed, &counts, &[], old), tree, None)
    }

    /// The same as [`Self::indexed`], but the displacements are in bytes.
    pub fn hindexed<C: Count>(lengths: &[C], displacements: &[isize], old: &Rc<Self>) -> Result<Rc<Self>> {
        let counts = [&[number(lengths.len())], lengths].concat();
        let tree = blocks(lengths, displacements.iter().map(|&at| Ok(at)), repeat(old))?;
        Self::new(recipe(Combiner::Hindexed, &counts, displacements, old), tree, None)
    }

    /// Blocks of one length at these displacements, both in elements.
    pub fn indexed_block<C: Count>(length: C, displacements: &[C], old: &Rc<Self>) -> Result<Rc<Self>> {
        let counts = [&[number(displacements.len()), length], displacements].concat();
        let block = Tree::block(block_length(length)?, old);
        let tree = equal_blocks(block, displacements.iter().map(|&at| extents(at, old.extent())))?;
        Self::new(recipe(Combiner::IndexedBlock, &counts, &[], old), tree, None)
    }

    /// The same as [`Self::indexed_block`], but the displacements are in bytes.
    pub fn hindexed_block<C: Count>(length: C, displacements: &[isize], old: &Rc<Self>) -> Result<Rc<Self>> {
        let counts = [number(displacements.len()), length];
        let block = Tree::block(block_length(length)?, old);
        let tree = equal_blocks(block, displacements.iter().map(|&at| Ok(at)))?;
        Self::new(recipe(Combiner::HindexedBlock, &counts, displacements, old), tree, None)
    }

    /// Blocks of these lengths and types at these displacements in bytes. The arrays are equally long.
    pub fn structure<C: Count>(lengths: &[C], places: &[isize], types: &[Rc<Self>]) -> Result<Rc<Self>> {
        let counts = [&[number(lengths.len())], lengths].concat();
        let arguments = C::arguments(&[], &counts, &[], places);
        let recipe = Recipe::new(Combiner::Struct, arguments, types.to_vec());
        let tree = blocks(lengths, places.iter().map(|&at| Ok(at)), types)?;
        Self::new(recipe, tree, None)
    }

    /// The same data between other bounds, which are large counts to those who ask how the type was made, if `C` is wide.
    pub fn resized_by<C: Count>(old: &Rc<Self>, lower: isize, extent: isize) -> Result<Rc<Self>> {
        let recipe = recipe::<C>(Combiner::Resized, &[], &[lower, extent], old);
        let span = Span::set(lower as i128, lower as i128 + extent as i128);
        Self::new(recipe, Tree::Old(Rc::clone(old)), Some(span))
    }

    /// The predefined type `base` under another number: chosen by `integers`, precision and range.
    pub fn chosen(combiner: Combiner, integers: Vec<i32>, base: &Rc<Self>) -> Rc<Self> {
        let arguments = ConstructorArguments { integers, ..ConstructorArguments::default() };
        let recipe = Recipe { name: base.recipe.name, ..Recipe::new(combiner, arguments, Vec::new()) };
        Self::new(recipe, Tree::Old(Rc::clone(base)), base.span)
            .expect("a copy reaches no farther than its original")
    }
}

/// Which constructor made a type, by its number in the standard ABI.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // the standard's names
pub enum Combiner {
    /// None: it is predefined.
    Named = 101,
    Dup = 102,
    Contiguous = 103,
    Vector = 104,
    Hvector = 105,
    Indexed = 106,
    Hindexed = 107,
    IndexedBlock = 108,
    HindexedBlock = 109,
    Struct = 110,
    Subarray = 111,
    Darray = 112,
    Resized = 116,
    F90Real = 113,
    F90Complex = 114,
    F90Integer = 115,
}

/// A constructor and its arguments, in the order in which `MPI_Type_get_contents` gives them. It keeps the older types
/// alive.
#[derive(Clone, Debug)]
pub struct Recipe {
    /// Which constructor.
    pub combiner: Combiner,
    /// For a predefined type, and for those chosen by precision and range, the number by which its owner knows the
    /// predefined type; else 0.
    pub name: usize,
    /// Arguments that are integers.
    pub integers: Vec<i32>,
    /// Arguments that are addresses or distances in bytes.
    pub addresses: Vec<isize>,
    /// Arguments that are large counts: those of the constructors whose counts are 64 bits wide.
    pub large_counts: Vec<i64>,
    /// The older types.
    pub types: Vec<Rc<Type>>,
}

impl Recipe {
    pub(super) fn new(combiner: Combiner, arguments: ConstructorArguments, types: Vec<Rc<Type>>) -> Self {
        let ConstructorArguments { integers, addresses, large_counts } = arguments;
        Self { combiner, name: 0, integers, addresses, large_counts, types }
    }
}

/// Arguments of a constructor, by kind.
#[derive(Debug, Default)]
pub struct ConstructorArguments {
    pub(super) integers: Vec<i32>,
    pub(super) addresses: Vec<isize>,
    pub(super) large_counts: Vec<i64>,
}

/// The type of counts of a constructor: `int`, or 64 bits wide in the large forms.
pub trait Count: Copy + Display + Into<i64> + TryFrom<usize> {
    /// Arguments in the order in which `MPI_Type_get_contents` returns them: counts, with the integers that stand before
    /// and behind them, and addresses.
    fn arguments(before: &[i32], counts: &[Self], after: &[i32], places: &[isize]) -> ConstructorArguments;
}

impl Count for i32 {
    fn arguments(before: &[i32], counts: &[Self], after: &[i32], places: &[isize]) -> ConstructorArguments {
        let integers = [before, counts, after].concat();
        ConstructorArguments { integers, addresses: places.to_vec(), large_counts: Vec::new() }
    }
}

impl Count for i64 {
    /// Addresses are large counts, too.
    fn arguments(before: &[i32], counts: &[Self], after: &[i32], places: &[isize]) -> ConstructorArguments {
        let places = places.iter().map(|&place| place as i64);
        let large_counts = counts.iter().copied().chain(places).collect();
        ConstructorArguments { integers: [before, after].concat(), addresses: Vec::new(), large_counts }
    }
}
