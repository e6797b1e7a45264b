//! The constructor of a type, for those who ask (MPI 5.0, section 5.1.13).

use super::Type;
use std::fmt::Display;
use std::rc::Rc;

/// Which constructor made a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // the standard's names
pub enum Combiner {
    /// None: it is predefined.
    Named,
    Dup,
    Contiguous,
    Vector,
    Hvector,
    Indexed,
    Hindexed,
    IndexedBlock,
    HindexedBlock,
    Struct,
    Subarray,
    Darray,
    Resized,
    F90Real,
    F90Complex,
    F90Integer,
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
    fn arguments(before: &[i32], counts: &[Self], after: &[i32], addresses: &[isize])
    -> ConstructorArguments;
}

impl Count for i32 {
    fn arguments(
        before: &[i32],
        counts: &[Self],
        after: &[i32],
        addresses: &[isize],
    ) -> ConstructorArguments {
        let integers = [before, counts, after].concat();
        ConstructorArguments { integers, addresses: addresses.to_vec(), large_counts: Vec::new() }
    }
}

impl Count for i64 {
    /// Addresses are large counts, too.
    fn arguments(
        before: &[i32],
        counts: &[Self],
        after: &[i32],
        addresses: &[isize],
    ) -> ConstructorArguments {
        let addresses = addresses.iter().map(|&address| address as i64);
        let large_counts = counts.iter().copied().chain(addresses).collect();
        ConstructorArguments { integers: [before, after].concat(), addresses: Vec::new(), large_counts }
    }
}
