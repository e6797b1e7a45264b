//! Making datatypes, committing and freeing them.

use crate::mpi::attributes;
use crate::mpi::datatypes::buffer;
use crate::mpi::datatypes::predefined_types;
use crate::mpi::datatypes::{self, State};
use crate::mpi::prelude::*;
use std::rc::Rc;
use weir_message::UNDEFINED;
use weir_message::datatype::Count;
use weir_message::datatype::{Combiner, Distribution, Grid, Order, Type};

/// Copies so many arguments out of the program's array.
fn array<T: Copy>(array: *const T, count: impl Into<i64>) -> Result<Vec<T>> {
    let count = buffer::count(count)?;
    if array.is_null() && count > 0 {
        return Err(MpiError::Argument(format!("a null pointer for {count} arguments")));
    }
    // SAFETY: the program says that they are there.
    Ok((0..count).map(|index| unsafe { array.add(index).read_unaligned() }).collect())
}

impl Argument<Handle> for Rc<Type> {
    fn of(context: &mut Context, _: &str, given: Handle) -> Result<Self> {
        datatypes::type_of(context, given)
    }
}

/// Gives the program a handle for a type that has been made.
fn give(context: &mut Context, new: Out<Handle>, made: Rc<Type>) -> Done {
    new.give(datatypes::add(context, made, State::New))
}

/// Functions that make a datatype of the old one and of numbers alone.
macro_rules! constructors {
    ($($function:ident<C>($($argument:ident: $kind:ty),*) => $made:expr;)*) => {$(
        pub(crate) fn $function<C: Count>(context: &mut Context $(, $argument: $kind)*, new: Out<Handle>) -> Done {
            give(context, new, $made?)
        }
    )*};
}

constructors! {
    type_contiguous<C>(count: C, old: Rc<Type>) => Type::contiguous_of(count, &old);
    type_vector<C>(count: C, length: C, stride: C, old: Rc<Type>) => Type::vector(count, length, stride, &old);
    type_create_hvector<C>(count: C, length: C, stride: isize, old: Rc<Type>) => Type::hvector(count, length, stride, &old);
    type_indexed<C>(count: C, lengths: *const C, displacements: *const C, old: Rc<Type>)
        => Type::indexed(&array(lengths, count)?, &array(displacements, count)?, &old);
    type_create_hindexed<C>(count: C, lengths: *const C, displacements: *const isize, old: Rc<Type>)
        => Type::hindexed(&array(lengths, count)?, &array(displacements, count)?, &old);
    type_create_indexed_block<C>(count: C, length: C, displacements: *const C, old: Rc<Type>)
        => Type::indexed_block(length, &array(displacements, count)?, &old);
    type_create_hindexed_block<C>(count: C, length: C, displacements: *const isize, old: Rc<Type>)
        => Type::hindexed_block(length, &array(displacements, count)?, &old);
    type_create_resized<C>(old: Rc<Type>, lower: isize, extent: isize) => Type::resized_by::<C>(&old, lower, extent);
}

pub(crate) fn type_create_struct<C: Count>(
    context: &mut Context,
    count: C,
    lengths: *const C,
    displacements: *const isize,
    types: *const Handle,
    new: Out<Handle>,
) -> Done {
    let (lengths, displacements) = (array(lengths, count)?, array(displacements, count)?);
    let types = array(types, count)?.into_iter().map(|handle| datatypes::type_of(context, handle));
    let types = types.collect::<Result<Vec<_>, _>>()?;
    give(context, new, Type::structure(&lengths, &displacements, &types)?)
}

fn order(code: c_int) -> Result<Order> {
    match code {
        MPI_ORDER_C => Ok(Order::C),
        MPI_ORDER_FORTRAN => Ok(Order::Fortran),
        _ => Err(MpiError::Argument(format!("{code} is no order of an array"))),
    }
}

pub(crate) fn type_create_subarray<C: Count>(
    context: &mut Context,
    dimensions: c_int,
    sizes: *const C,
    subsizes: *const C,
    starts: *const C,
    order_code: c_int,
    old: Rc<Type>,
    new: Out<Handle>,
) -> Done {
    let order = order(order_code)?;
    let array = |given| array(given, dimensions);
    let (sizes, subsizes, starts) = (array(sizes)?, array(subsizes)?, array(starts)?);
    give(context, new, Type::subarray(&sizes, &subsizes, &starts, (order, order_code), &old)?)
}

fn distribution(code: c_int, argument: c_int) -> Result<Distribution> {
    let block = (argument != MPI_DISTRIBUTE_DFLT_DARG).then_some(argument);
    match code {
        MPI_DISTRIBUTE_NONE => Ok(Distribution::None),
        MPI_DISTRIBUTE_BLOCK => Ok(Distribution::Block(block)),
        MPI_DISTRIBUTE_CYCLIC => Ok(Distribution::Cyclic(block)),
        _ => Err(MpiError::Argument(format!("{code} is no distribution of an array"))),
    }
}

pub(crate) fn type_create_darray<C: Count>(
    context: &mut Context,
    size: c_int,
    rank: c_int,
    dimensions: c_int,
    sizes: *const C,
    distributions: *const c_int,
    arguments: *const c_int,
    processes: *const c_int,
    order_code: c_int,
    old: Rc<Type>,
    new: Out<Handle>,
) -> Done {
    let order = order(order_code)?;
    let ints = |given| array(given, dimensions);
    let sizes = array(sizes, dimensions)?;
    let (codes, arguments, shape) = (ints(distributions)?, ints(arguments)?, ints(processes)?);
    let pairs = codes.iter().zip(&arguments);
    let how = pairs.map(|(&code, &argument)| distribution(code, argument)).collect::<Result<Vec<_>, _>>()?;
    let behind = [&codes[..], &arguments, &shape, &[order_code]].concat();
    let grid = Grid { size, rank, shape: &shape };
    let made = Type::darray(grid, &sizes, &how, order, (&[size, rank, dimensions], &behind), &old)?;
    give(context, new, made)
}

pub(crate) fn type_dup(context: &mut Context, old: Handle, new: Out<Handle>) -> Done {
    let copy = Type::dup(&datatypes::type_of(context, old)?);
    let state = datatypes::state(context, old)?;
    new.set(abi::predefined(MPI_DATATYPE_NULL));
    let made = datatypes::add(context, copy, state);
    if let Err(mistake) = attributes::copy_all(context, old, made) {
        datatypes::free(context, made)?;
        return Err(mistake);
    }
    new.give(made)
}

pub(crate) fn type_commit(context: &mut Context, datatype: Out<Handle>) -> Done {
    datatypes::commit(context, datatype.get())
}

pub(crate) fn type_free(context: &mut Context, datatype: Out<Handle>) -> Done {
    let handle = datatype.get();
    datatypes::check_free(context, handle)?;
    attributes::delete_all(context, handle)?;
    datatypes::free(context, handle)?;
    datatype.give(abi::predefined(MPI_DATATYPE_NULL))
}

pub(crate) fn get_address(_: &mut Context, location: *const c_void, address: Out<isize>) -> Done {
    address.give(location as isize)
}

/// Gives a real or complex type chosen by precision and range. A program that asks for the same twice gets the same handle, which it
/// must not free.
pub(crate) fn type_create_f90(
    context: &mut Context,
    combiner: Combiner,
    precision: c_int,
    range: c_int,
    new: Out<Handle>,
) -> Done {
    new.give(chosen(context, combiner, &[precision, range], precision, range)?)
}

pub(crate) fn type_create_f90_integer(context: &mut Context, range: c_int, new: Out<Handle>) -> Done {
    new.give(chosen(context, Combiner::F90Integer, &[range], UNDEFINED, range)?)
}

fn chosen(
    context: &mut Context,
    combiner: Combiner,
    integers: &[c_int],
    precision: c_int,
    range: c_int,
) -> Result<Handle> {
    let base = predefined_types::chosen(combiner, precision, range).ok_or_else(|| {
        MpiError::Argument(format!("no number has precision {precision} and range {range}"))
    })?;
    datatypes::chosen(context, combiner, integers.to_vec(), base)
}
