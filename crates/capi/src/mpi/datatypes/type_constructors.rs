//! Making datatypes, committing and freeing them.

use crate::calls::abi::{self, DATATYPE_NULL, Handle};
use crate::calls::count_argument::{CountArgument, name_of};
use crate::calls::output_arguments::{give, out};
use crate::mpi::attributes;
use crate::mpi::datatypes::buffer;
use crate::mpi::datatypes::predefined_types;
use crate::mpi::datatypes::{self, State};
use crate::rank::context::Context;
use crate::rank::mpi_call::call;
use std::ffi::{c_int, c_void};
use std::ptr;
use std::rc::Rc;
use weir_message::datatype::{Combiner, Distribution, Grid, Order, Type};
use weir_message::{MpiError, UNDEFINED};

const ORDER_C: c_int = 12;
const ORDER_FORTRAN: c_int = 15;
const DISTRIBUTE_NONE: c_int = 16;
const DISTRIBUTE_BLOCK: c_int = 17;
const DISTRIBUTE_CYCLIC: c_int = 18;
const DISTRIBUTE_DFLT_DARG: c_int = 19;

/// What is in the program's array of so many arguments.
///
/// # Safety
/// `array` is valid for `count` elements.
unsafe fn array<T: Copy>(array: *const T, count: impl Into<i64>) -> Result<Vec<T>, MpiError> {
    let count = buffer::count(count)?;
    if array.is_null() && count > 0 {
        return Err(MpiError::Argument(format!("a null pointer for {count} arguments")));
    }
    // SAFETY: the caller's promise.
    Ok((0..count).map(|index| unsafe { array.add(index).read_unaligned() }).collect())
}

/// Carries out the constructor `name`: `make` makes the new type.
fn construct(
    name: &'static str,
    new: *mut Handle,
    make: impl FnOnce(&mut Context) -> Result<Rc<Type>, MpiError>,
) -> c_int {
    call(name, ptr::null_mut(), |context| {
        let new = out(new, "newtype")?;
        let made = make(context)?;
        new.set(datatypes::add(context, made, State::New));
        Ok(())
    })
}

/// Carries out the constructor `name` of a type made of one older type.
fn construct_of(
    name: &'static str,
    old: Handle,
    new: *mut Handle,
    make: impl FnOnce(&Rc<Type>) -> Result<Rc<Type>, MpiError>,
) -> c_int {
    construct(name, new, |context| make(&datatypes::type_of(context, old)?))
}

pub(crate) unsafe extern "C" fn contiguous<C: CountArgument>(
    count: C,
    old: Handle,
    new: *mut Handle,
) -> c_int {
    construct_of(name_of!(C, "MPI_Type_contiguous"), old, new, |old| Type::contiguous_of(count, old))
}

pub(crate) unsafe extern "C" fn vector<C: CountArgument>(
    count: C,
    length: C,
    stride: C,
    old: Handle,
    new: *mut Handle,
) -> c_int {
    construct_of(name_of!(C, "MPI_Type_vector"), old, new, |old| Type::vector(count, length, stride, old))
}

pub(crate) unsafe extern "C" fn hvector<C: CountArgument>(
    count: C,
    length: C,
    stride: isize,
    old: Handle,
    new: *mut Handle,
) -> c_int {
    construct_of(name_of!(C, "MPI_Type_create_hvector"), old, new, |old| {
        Type::hvector(count, length, stride, old)
    })
}

pub(crate) unsafe extern "C" fn indexed<C: CountArgument>(
    count: C,
    lengths: *const C,
    displacements: *const C,
    old: Handle,
    new: *mut Handle,
) -> c_int {
    construct_of(name_of!(C, "MPI_Type_indexed"), old, new, |old| {
        // SAFETY: the program's arrays.
        unsafe { Type::indexed(&array(lengths, count)?, &array(displacements, count)?, old) }
    })
}

pub(crate) unsafe extern "C" fn hindexed<C: CountArgument>(
    count: C,
    lengths: *const C,
    displacements: *const isize,
    old: Handle,
    new: *mut Handle,
) -> c_int {
    construct_of(name_of!(C, "MPI_Type_create_hindexed"), old, new, |old| {
        // SAFETY: the program's arrays.
        unsafe { Type::hindexed(&array(lengths, count)?, &array(displacements, count)?, old) }
    })
}

pub(crate) unsafe extern "C" fn indexed_block<C: CountArgument>(
    count: C,
    length: C,
    displacements: *const C,
    old: Handle,
    new: *mut Handle,
) -> c_int {
    construct_of(name_of!(C, "MPI_Type_create_indexed_block"), old, new, |old| {
        // SAFETY: the program's array.
        Type::indexed_block(length, &unsafe { array(displacements, count)? }, old)
    })
}

pub(crate) unsafe extern "C" fn hindexed_block<C: CountArgument>(
    count: C,
    length: C,
    displacements: *const isize,
    old: Handle,
    new: *mut Handle,
) -> c_int {
    construct_of(name_of!(C, "MPI_Type_create_hindexed_block"), old, new, |old| {
        // SAFETY: the program's array.
        Type::hindexed_block(length, &unsafe { array(displacements, count)? }, old)
    })
}

pub(crate) unsafe extern "C" fn structure<C: CountArgument>(
    count: C,
    lengths: *const C,
    displacements: *const isize,
    types: *const Handle,
    new: *mut Handle,
) -> c_int {
    construct(name_of!(C, "MPI_Type_create_struct"), new, |context| {
        // SAFETY: the program's arrays.
        let (lengths, displacements, types) =
            unsafe { (array(lengths, count)?, array(displacements, count)?, array(types, count)?) };
        let types: Result<Vec<_>, _> =
            types.into_iter().map(|handle: Handle| datatypes::type_of(context, handle)).collect();
        Type::structure(&lengths, &displacements, &types?)
    })
}

pub(crate) unsafe extern "C" fn resized<C: CountArgument>(
    old: Handle,
    lower: isize,
    extent: isize,
    new: *mut Handle,
) -> c_int {
    construct_of(name_of!(C, "MPI_Type_create_resized"), old, new, |old| {
        Type::resized_by::<C>(old, lower, extent)
    })
}

fn order(code: c_int) -> Result<Order, MpiError> {
    match code {
        ORDER_C => Ok(Order::C),
        ORDER_FORTRAN => Ok(Order::Fortran),
        _ => Err(MpiError::Argument(format!("{code} is no order of an array"))),
    }
}

pub(crate) unsafe extern "C" fn subarray<C: CountArgument>(
    dimensions: c_int,
    sizes: *const C,
    subsizes: *const C,
    starts: *const C,
    order_code: c_int,
    old: Handle,
    new: *mut Handle,
) -> c_int {
    construct_of(name_of!(C, "MPI_Type_create_subarray"), old, new, |old| {
        let order = order(order_code)?;
        // SAFETY: the program's arrays.
        let (sizes, subsizes, starts) =
            unsafe { (array(sizes, dimensions)?, array(subsizes, dimensions)?, array(starts, dimensions)?) };
        Type::subarray(&sizes, &subsizes, &starts, (order, order_code), old)
    })
}

fn distribution(code: c_int, argument: c_int) -> Result<Distribution, MpiError> {
    let block = (argument != DISTRIBUTE_DFLT_DARG).then_some(argument);
    match code {
        DISTRIBUTE_NONE => Ok(Distribution::None),
        DISTRIBUTE_BLOCK => Ok(Distribution::Block(block)),
        DISTRIBUTE_CYCLIC => Ok(Distribution::Cyclic(block)),
        _ => Err(MpiError::Argument(format!("{code} is no distribution of an array"))),
    }
}

pub(crate) unsafe extern "C" fn darray<C: CountArgument>(
    size: c_int,
    rank: c_int,
    dimensions: c_int,
    sizes: *const C,
    distributions: *const c_int,
    arguments: *const c_int,
    processes: *const c_int,
    order_code: c_int,
    old: Handle,
    new: *mut Handle,
) -> c_int {
    construct_of(name_of!(C, "MPI_Type_create_darray"), old, new, |old| {
        let order = order(order_code)?;
        // SAFETY: the program's arrays.
        let (sizes, codes, arguments, shape) = unsafe {
            let (sizes, codes) = (array(sizes, dimensions)?, array(distributions, dimensions)?);
            (sizes, codes, array(arguments, dimensions)?, array(processes, dimensions)?)
        };
        let pairs = codes.iter().zip(&arguments);
        let how =
            pairs.map(|(&code, &argument)| distribution(code, argument)).collect::<Result<Vec<_>, _>>()?;
        let behind = [&codes[..], &arguments, &shape, &[order_code]].concat();
        Type::darray(
            Grid { size, rank, shape: &shape },
            &sizes,
            &how,
            order,
            (&[size, rank, dimensions], &behind),
            old,
        )
    })
}

pub(crate) unsafe extern "C" fn dup(old: Handle, new: *mut Handle) -> c_int {
    call("MPI_Type_dup", ptr::null_mut(), |context| {
        let copy = Type::dup(&datatypes::type_of(context, old)?);
        let state = datatypes::state(context, old)?;
        let new = out(new, "newtype")?;
        new.set(abi::predefined(DATATYPE_NULL));
        let made = datatypes::add(context, copy, state);
        if let Err(mistake) = attributes::copy_all(context, old, made) {
            datatypes::free(context, made)?;
            return Err(mistake);
        }
        new.set(made);
        Ok(())
    })
}

pub(crate) unsafe extern "C" fn commit(datatype: *mut Handle) -> c_int {
    call("MPI_Type_commit", ptr::null_mut(), |context| {
        datatypes::commit(context, out(datatype, "datatype")?.get())
    })
}

pub(crate) unsafe extern "C" fn free(datatype: *mut Handle) -> c_int {
    call("MPI_Type_free", ptr::null_mut(), |context| {
        let variable = out(datatype, "datatype")?;
        let handle = variable.get();
        datatypes::check_free(context, handle)?;
        attributes::delete_all(context, handle)?;
        datatypes::free(context, handle)?;
        variable.set(abi::predefined(DATATYPE_NULL));
        Ok(())
    })
}

pub(crate) unsafe extern "C" fn get_address(location: *const c_void, address: *mut isize) -> c_int {
    call("MPI_Get_address", ptr::null_mut(), |_| give(address, "address", location as isize))
}

/// A type chosen by precision and range. A program that asks for the same twice gets the same handle, which it must not
/// free.
fn chosen(name: &'static str, combiner: Combiner, requested: [c_int; 2], new: *mut Handle) -> c_int {
    call(name, ptr::null_mut(), |context| {
        let new = out(new, "newtype")?;
        let [precision, range] = requested;
        let base = predefined_types::chosen(combiner, precision, range).ok_or_else(|| {
            MpiError::Argument(format!("no number has precision {precision} and range {range}"))
        })?;
        let integers = if combiner == Combiner::F90Integer { vec![range] } else { requested.to_vec() };
        new.set(datatypes::chosen(context, combiner, integers, base)?);
        Ok(())
    })
}

pub(crate) unsafe extern "C" fn f90_real(precision: c_int, range: c_int, new: *mut Handle) -> c_int {
    chosen("MPI_Type_create_f90_real", Combiner::F90Real, [precision, range], new)
}

pub(crate) unsafe extern "C" fn f90_complex(precision: c_int, range: c_int, new: *mut Handle) -> c_int {
    chosen("MPI_Type_create_f90_complex", Combiner::F90Complex, [precision, range], new)
}

pub(crate) unsafe extern "C" fn f90_integer(range: c_int, new: *mut Handle) -> c_int {
    chosen("MPI_Type_create_f90_integer", Combiner::F90Integer, [UNDEFINED, range], new)
}
