//! How a type was made, for those who ask (MPI 5.0, section 5.1.13).

use super::Type;
use std::rc::Rc;

/// Which constructor made a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Combiner {
    /// None: it is predefined.
    Named,
    /// `MPI_Type_dup`
    Dup,
    /// `MPI_Type_contiguous`
    Contiguous,
    /// `MPI_Type_vector`
    Vector,
    /// `MPI_Type_create_hvector`
    Hvector,
    /// `MPI_Type_indexed`
    Indexed,
    /// `MPI_Type_create_hindexed`
    Hindexed,
    /// `MPI_Type_create_indexed_block`
    IndexedBlock,
    /// `MPI_Type_create_hindexed_block`
    HindexedBlock,
    /// `MPI_Type_create_struct`
    Struct,
    /// `MPI_Type_create_subarray`
    Subarray,
    /// `MPI_Type_create_darray`
    Darray,
    /// `MPI_Type_create_resized`
    Resized,
}

/// A constructor and its arguments, in the order in which `MPI_Type_get_contents` gives them. It keeps the older types
/// alive.
#[derive(Clone, Debug)]
pub struct Recipe {
    /// Which constructor.
    pub combiner: Combiner,
    /// Of a predefined type the number by which its owner knows it; else 0.
    pub name: usize,
    /// Arguments that are integers.
    pub integers: Vec<i32>,
    /// Arguments that are addresses or distances in bytes.
    pub addresses: Vec<isize>,
    /// The older types.
    pub types: Vec<Rc<Type>>,
}
