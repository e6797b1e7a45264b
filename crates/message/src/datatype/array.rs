//! Parts of arrays: a box of one, and what a rank owns of one that is dealt out (MPI 5.0, sections 5.1.3 and 5.1.4).

use super::tree::{Span, Tree};
use super::{Combiner, Count, Recipe, Type, too_large};
use crate::{MpiError, Result};
use std::rc::Rc;

/// Which index of an array runs fastest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// The last one.
    C,
    /// The first one.
    Fortran,
}

/// The distribution of one dimension of an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Distribution {
    /// Not at all: one process has all of it.
    None,
    /// A block for each process, of this length; by default the shortest that deals out all.
    Block(Option<i32>),
    /// Blocks of this length in turns; by default of length 1.
    Cyclic(Option<i32>),
}

/// A grid of processes, and one of them.
#[derive(Clone, Copy, Debug)]
pub struct Grid<'a> {
    /// Number of processes.
    pub size: i32,
    /// Which of them; they are counted with the last index of the grid running fastest, whatever the array's order.
    pub rank: i32,
    /// Processes in each dimension.
    pub shape: &'a [i32],
}

fn wrong<T>(what: String) -> Result<T> {
    Err(MpiError::Argument(what))
}

/// The share of a part in a dimension: `(count, stride, length)` of its blocks, from `start` on, and the length of
/// one more block that is cut short.
struct Share {
    start: usize,
    count: usize,
    stride: usize,
    length: usize,
    rest: usize,
}

/// The part of an array of `sizes` that consists of the `shares`; its extent is that of the whole array.
fn part<C: Count>(
    recipe: Recipe,
    sizes: &[C],
    shares: &[Share],
    order: Order,
    old: &Rc<Type>,
) -> Result<Rc<Type>> {
    let mut tree = Tree::Old(Rc::clone(old));
    let mut unit = old.extent();
    for step in 0..sizes.len() {
        // The fastest first.
        let dimension = if order == Order::C { sizes.len() - 1 - step } else { step };
        let share = &shares[dimension];
        let whole = unit.checked_mul(sizes[dimension].into() as isize).ok_or_else(too_large)?;
        // What is owned is inside the array, whose extent has been found to fit.
        let at = |index: usize| index as isize * unit;
        let block = |length| Tree::repeat(length, unit, tree.clone());
        let mut parts =
            vec![(at(share.start), Tree::repeat(share.count, at(share.stride), block(share.length)))];
        if share.rest > 0 {
            parts.push((at(share.start + share.count * share.stride), block(share.rest)));
        }
        tree = Tree::Sequence(parts);
        unit = whole;
    }
    Type::new(recipe, tree, Some(Span::set(0, unit as i128)))
}

impl Type {
    /// The box of `subsizes` that begins at `starts`, of an array of `sizes`. The arrays are equally long; `order_code`
    /// is what the program calls the order.
    ///
    /// # Errors
    /// When there is no dimension, or the box is empty or not inside the array.
    pub fn subarray<C: Count>(
        sizes: &[C],
        subsizes: &[C],
        starts: &[C],
        (order, order_code): (Order, i32),
        old: &Rc<Self>,
    ) -> Result<Rc<Self>> {
        if sizes.is_empty() {
            return wrong("an array of no dimensions".into());
        }
        let mut shares = Vec::new();
        for ((&size, &subsize), &start) in sizes.iter().zip(subsizes).zip(starts) {
            let (size, subsize, start): (i64, i64, i64) = (size.into(), subsize.into(), start.into());
            if size < 1 || subsize < 1 || start < 0 || start > size - subsize {
                return wrong(format!(
                    "{subsize} elements from element {start} on, in a dimension of {size}"
                ));
            }
            let share =
                Share { start: start as usize, count: 1, stride: 0, length: subsize as usize, rest: 0 };
            shares.push(share);
        }
        let counts = [sizes, subsizes, starts].concat();
        let dimensions = i32::try_from(sizes.len()).expect("a program gives their number as an int");
        let arguments = C::arguments(&[dimensions], &counts, &[order_code], &[]);
        let recipe = Recipe::new(Combiner::Subarray, arguments, vec![Rc::clone(old)]);
        part(recipe, sizes, &shares, order, old)
    }

    /// The part that a process of a grid owns of an array of `sizes` that is dealt out. `before` and `after` are the arguments
    /// before and behind the sizes as the program gave them, for who asks how the type was made.
    ///
    /// # Errors
    /// When the grid does not fit the number of processes, or a dimension cannot be dealt out so.
    pub fn darray<C: Count>(
        grid: Grid,
        sizes: &[C],
        distributions: &[Distribution],
        order: Order,
        (before, after): (&[i32], &[i32]),
        old: &Rc<Self>,
    ) -> Result<Rc<Self>> {
        if sizes.is_empty() {
            return wrong("an array of no dimensions".into());
        }
        let processes = grid
            .shape
            .iter()
            .try_fold(1i64, |product, &size| if size < 1 { None } else { product.checked_mul(size.into()) });
        if grid.size < 1 || processes != Some(grid.size.into()) {
            return wrong(format!("{} processes in a grid of {:?}", grid.size, grid.shape));
        }
        if !(0..grid.size).contains(&grid.rank) {
            return wrong(format!("rank {} in a grid of {} processes", grid.rank, grid.size));
        }
        let mut rest = grid.rank as usize;
        let mut shares = Vec::new();
        for (dimension, &size) in sizes.iter().enumerate().rev() {
            let processes = grid.shape[dimension] as usize;
            shares.push(share(size.into(), distributions[dimension], processes, rest % processes)?);
            rest /= processes;
        }
        shares.reverse();
        let arguments = C::arguments(before, sizes, after, &[]);
        let recipe = Recipe::new(Combiner::Darray, arguments, vec![Rc::clone(old)]);
        part(recipe, sizes, &shares, order, old)
    }
}

/// The part that process `place` of `processes` owns of a dimension of `size` elements.
fn share(size: i64, distribution: Distribution, processes: usize, place: usize) -> Result<Share> {
    let Some(length) = usize::try_from(size).ok().filter(|&size| size > 0) else {
        return wrong(format!("a dimension of {size} elements"));
    };
    let positive = |block: i32| match usize::try_from(block) {
        Ok(block) if block > 0 => Ok(block),
        _ => wrong(format!("blocks of {block} elements")),
    };
    let block = match distribution {
        Distribution::None if processes > 1 => {
            return wrong(format!("a dimension that is not dealt out, for {processes} processes"));
        }
        Distribution::None => length,
        Distribution::Block(None) => length.div_ceil(processes),
        Distribution::Block(Some(block)) if positive(block)?.saturating_mul(processes) < length => {
            return wrong(format!("{processes} blocks of {block} for a dimension of {size} elements"));
        }
        Distribution::Cyclic(None) => 1,
        Distribution::Block(Some(block)) | Distribution::Cyclic(Some(block)) => positive(block)?,
    };
    let (start, stride) = (block.saturating_mul(place), block.saturating_mul(processes));
    let owned = length.saturating_sub(start);
    // Whole rounds of all processes, and what the last round leaves for this one.
    let (rounds, left) = (owned / stride, owned % stride);
    let (count, rest) = if left >= block { (rounds + 1, 0) } else { (rounds, left) };
    Ok(Share { start, count, stride, length: block, rest })
}
