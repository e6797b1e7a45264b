//! Queries of datatypes: sizes, bounds, names, and their making.

use crate::calls::output_arguments::out;
use crate::mpi::datatypes::predefined_types;
use crate::mpi::datatypes::{self, Datatype, State};
use crate::mpi::prelude::*;
use std::ptr;
use std::rc::Rc;
use weir_message::datatype::{Combiner, Recipe, Type};

pub(crate) fn type_size(context: &mut Context, datatype: Handle, size: OutNumber) -> Done {
    size.give(Some(Datatype::of(context, datatype)?.size))
}

pub(crate) fn type_get_extent(_: &mut Context, of: Rc<Type>, lower: OutNumber, extent: OutNumber) -> Done {
    lower.set(Some(of.lower_bound() as i64));
    extent.give(Some(of.extent() as i64))
}

pub(crate) fn type_get_true_extent(
    _: &mut Context,
    of: Rc<Type>,
    lower: OutNumber,
    extent: OutNumber,
) -> Done {
    lower.set(Some(of.true_lower_bound() as i64));
    extent.give(Some(of.true_extent() as i64))
}

pub(crate) fn type_extent(_: &mut Context, of: Rc<Type>, extent: Out<isize>) -> Done {
    extent.give(of.extent())
}

pub(crate) fn type_lb(_: &mut Context, of: Rc<Type>, displacement: Out<isize>) -> Done {
    displacement.give(of.lower_bound())
}

pub(crate) fn type_ub(_: &mut Context, of: Rc<Type>, displacement: Out<isize>) -> Done {
    displacement.give(of.lower_bound() + of.extent())
}

/// The number of a constructor in the standard ABI.
fn combiner_code(combiner: Combiner) -> c_int {
    match combiner {
        Combiner::Named => 101,
        Combiner::Dup => 102,
        Combiner::Contiguous => 103,
        Combiner::Vector => 104,
        Combiner::Hvector => 105,
        Combiner::Indexed => 106,
        Combiner::Hindexed => 107,
        Combiner::IndexedBlock => 108,
        Combiner::HindexedBlock => 109,
        Combiner::Struct => 110,
        Combiner::Subarray => 111,
        Combiner::Darray => 112,
        Combiner::F90Real => 113,
        Combiner::F90Complex => 114,
        Combiner::F90Integer => 115,
        Combiner::Resized => 116,
    }
}

/// A datatype that was made with large counts has no place for them in the older functions.
fn check_small(recipe: &Recipe) -> Done {
    match recipe.large_counts.is_empty() {
        true => Ok(()),
        false => Err(MpiError::Type("the datatype was made with large counts: ask the _c form".into())),
    }
}

pub(crate) fn type_get_envelope(
    _: &mut Context,
    of: Rc<Type>,
    integers: OutNumber,
    addresses: OutNumber,
    types: OutNumber,
    combiner: Out<c_int>,
) -> Done {
    let recipe = of.recipe();
    check_small(recipe)?;
    give_envelope(recipe, [integers, addresses, types], combiner)
}

pub(crate) fn type_get_envelope_c(
    _: &mut Context,
    of: Rc<Type>,
    integers: OutNumber,
    addresses: OutNumber,
    large_counts: OutNumber,
    types: OutNumber,
    combiner: Out<c_int>,
) -> Done {
    let recipe = of.recipe();
    large_counts.set(Some(recipe.large_counts.len()));
    give_envelope(recipe, [integers, addresses, types], combiner)
}

fn give_envelope(recipe: &Recipe, numbers: [OutNumber; 3], combiner: Out<c_int>) -> Done {
    let found = [recipe.integers.len(), recipe.addresses.len(), recipe.types.len()];
    numbers.iter().zip(found).for_each(|(number, found)| number.set(Some(found)));
    combiner.give(combiner_code(recipe.combiner))
}

/// An array of the program for arguments of a constructor, and its length.
type Room<T> = (i64, *mut T);

/// Copies arguments to an array of the program.
fn fill<T: Copy>(values: &[T], (room, to): Room<T>) -> Done {
    if room < values.len() as i64 {
        return Err(MpiError::Argument(format!(
            "room for {room} arguments where there are {}",
            values.len()
        )));
    }
    if !values.is_empty() {
        out(to, "array of arguments")?;
        // SAFETY: the program's array, with room for so much.
        unsafe { ptr::copy_nonoverlapping(values.as_ptr(), to, values.len()) };
    }
    Ok(())
}

fn contents(
    context: &mut Context,
    recipe: &Recipe,
    integers: Room<c_int>,
    addresses: Room<isize>,
    large_counts: Room<i64>,
    types: Room<Handle>,
) -> Done {
    if recipe.combiner == Combiner::Named {
        return Err(MpiError::Type("a predefined datatype was not made of anything".into()));
    }
    fill(&recipe.integers, integers)?;
    fill(&recipe.addresses, addresses)?;
    fill(&recipe.large_counts, large_counts)?;
    if types.0 < recipe.types.len() as i64 {
        return Err(MpiError::Argument(format!("room for {} datatypes", types.0)));
    }
    // Each older type gets a handle of its own, ready for use, which the program frees.
    let handles = recipe.types.iter().map(|old| datatypes::add(context, old.clone(), State::Committed));
    fill(&handles.collect::<Vec<_>>(), types)
}

pub(crate) fn type_get_contents(
    context: &mut Context,
    of: Rc<Type>,
    integer_room: i64,
    address_room: i64,
    type_room: i64,
    integers: *mut c_int,
    addresses: *mut isize,
    types: *mut Handle,
) -> Done {
    check_small(of.recipe())?;
    let (integers, addresses, none) =
        ((integer_room, integers), (address_room, addresses), (0, ptr::null_mut()));
    contents(context, of.recipe(), integers, addresses, none, (type_room, types))
}

pub(crate) fn type_get_contents_c(
    context: &mut Context,
    of: Rc<Type>,
    integer_room: i64,
    address_room: i64,
    large_count_room: i64,
    type_room: i64,
    integers: *mut c_int,
    addresses: *mut isize,
    large_counts: *mut i64,
    types: *mut Handle,
) -> Done {
    let (integers, addresses) = ((integer_room, integers), (address_room, addresses));
    contents(context, of.recipe(), integers, addresses, (large_count_room, large_counts), (type_room, types))
}

pub(crate) fn type_match_size(_: &mut Context, class: c_int, size: c_int, datatype: Out<Handle>) -> Done {
    let found = predefined_types::match_size(class, size).ok_or_else(|| {
        MpiError::Argument(format!("no predefined datatype of class {class} has {size} bytes"))
    })?;
    datatype.give(abi::predefined(found))
}

pub(crate) fn type_get_value_index(
    context: &mut Context,
    value: Handle,
    index: Handle,
    pair: Out<Handle>,
) -> Done {
    datatypes::type_of(context, value)?;
    datatypes::type_of(context, index)?;
    let found = predefined_types::value_index(value as usize, index as usize);
    pair.give(abi::predefined(found))
}
