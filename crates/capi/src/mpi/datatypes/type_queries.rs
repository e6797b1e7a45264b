//! What datatypes are: sizes, bounds, names, and how they were made.

use crate::calls::abi::{self, Handle};
use crate::calls::count_argument::{CountArgument, name_of};
use crate::calls::output_arguments::{give, give_text, out, string};
use crate::mpi::datatypes::predefined_types;
use crate::mpi::datatypes::{self, Datatype, State};
use crate::rank::context::Context;
use crate::rank::mpi_call::call;
use std::ffi::{c_char, c_int};
use std::ptr;
use weir_message::datatype::{Combiner, Recipe, Type};
use weir_message::{MpiError, UNDEFINED};

/// A number as an int; `MPI_UNDEFINED` if it is none.
pub(crate) fn int(number: impl TryInto<c_int>) -> c_int {
    number.try_into().unwrap_or(UNDEFINED)
}

pub(crate) unsafe extern "C" fn size<C: CountArgument>(datatype: Handle, size: *mut C) -> c_int {
    call(name_of!(C, "MPI_Type_size"), ptr::null_mut(), |context| {
        give(size, "size", C::from_count(u64::try_from(Datatype::of(context, datatype)?.size).ok()))
    })
}

pub(crate) unsafe extern "C" fn size_x(datatype: Handle, size: *mut i64) -> c_int {
    call("MPI_Type_size_x", ptr::null_mut(), |context| {
        give(size, "size", Datatype::of(context, datatype)?.size as i64)
    })
}

/// Bounds and true bounds: a lower bound and an extent each. An address, a count and a distance in a file are all as
/// wide as `isize`.
unsafe fn bounds(
    name: &'static str,
    datatype: Handle,
    lower: *mut isize,
    extent: *mut isize,
    of: impl FnOnce(&Type) -> (isize, isize),
) -> c_int {
    call(name, ptr::null_mut(), |context| {
        let found = of(&*datatypes::type_of(context, datatype)?);
        give(lower, "lower", found.0)?;
        give(extent, "extent", found.1)
    })
}

macro_rules! bounds {
    ($($function:ident $name:literal $lower:ident $extent:ident;)*) => {$(
        pub(crate) unsafe extern "C" fn $function(
            datatype: Handle, lower: *mut isize, extent: *mut isize,
        ) -> c_int {
            // SAFETY: the program's variables.
            unsafe { bounds($name, datatype, lower, extent, |of| (of.$lower(), of.$extent())) }
        }
    )*};
}

bounds! {
    get_extent "MPI_Type_get_extent" lower_bound extent;
    get_extent_c "MPI_Type_get_extent_c" lower_bound extent;
    get_extent_x "MPI_Type_get_extent_x" lower_bound extent;
    get_true_extent "MPI_Type_get_true_extent" true_lower_bound true_extent;
    get_true_extent_c "MPI_Type_get_true_extent_c" true_lower_bound true_extent;
    get_true_extent_x "MPI_Type_get_true_extent_x" true_lower_bound true_extent;
}

/// One of the bounds alone, as functions return it that MPI 3.0 has removed.
macro_rules! one_bound {
    ($($function:ident $name:literal $of:expr;)*) => {$(
        pub(crate) unsafe extern "C" fn $function(datatype: Handle, displacement: *mut isize) -> c_int {
            call($name, ptr::null_mut(), |context| {
                let found: fn(&Type) -> isize = $of;
                give(displacement, "displacement", found(&*datatypes::type_of(context, datatype)?))
            })
        }
    )*};
}

one_bound! {
    extent "MPI_Type_extent" Type::extent;
    lower_bound "MPI_Type_lb" Type::lower_bound;
    upper_bound "MPI_Type_ub" |of| of.lower_bound() + of.extent();
}

pub(crate) unsafe extern "C" fn set_name(datatype: Handle, name: *const c_char) -> c_int {
    call("MPI_Type_set_name", ptr::null_mut(), |context| {
        // SAFETY: the program's string.
        let name = string(name, "name")?.to_string_lossy().into_owned();
        context.rank().types.set_name(datatype, name)
    })
}

pub(crate) unsafe extern "C" fn get_name(datatype: Handle, name: *mut c_char, length: *mut c_int) -> c_int {
    call("MPI_Type_get_name", ptr::null_mut(), |context| {
        let known = context.rank().types.name(datatype)?;
        give_text(known, abi::MAX_OBJECT_NAME, name, length)
    })
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
fn check_small(recipe: &Recipe) -> Result<(), MpiError> {
    match recipe.large_counts.is_empty() {
        true => Ok(()),
        false => Err(MpiError::Type("the datatype was made with large counts: ask the _c form".into())),
    }
}

pub(crate) unsafe extern "C" fn get_envelope(
    datatype: Handle,
    integers: *mut c_int,
    addresses: *mut c_int,
    types: *mut c_int,
    combiner: *mut c_int,
) -> c_int {
    call("MPI_Type_get_envelope", ptr::null_mut(), |context| {
        let found = datatypes::type_of(context, datatype)?;
        let recipe = found.recipe();
        check_small(recipe)?;
        give(integers, "num_integers", int(recipe.integers.len()))?;
        give(addresses, "num_addresses", int(recipe.addresses.len()))?;
        give(types, "num_datatypes", int(recipe.types.len()))?;
        give(combiner, "combiner", combiner_code(recipe.combiner))
    })
}

pub(crate) unsafe extern "C" fn get_envelope_c(
    datatype: Handle,
    integers: *mut i64,
    addresses: *mut i64,
    large_counts: *mut i64,
    types: *mut i64,
    combiner: *mut c_int,
) -> c_int {
    call("MPI_Type_get_envelope_c", ptr::null_mut(), |context| {
        let found = datatypes::type_of(context, datatype)?;
        let recipe = found.recipe();
        give(integers, "num_integers", recipe.integers.len() as i64)?;
        give(addresses, "num_addresses", recipe.addresses.len() as i64)?;
        give(large_counts, "num_large_counts", recipe.large_counts.len() as i64)?;
        give(types, "num_datatypes", recipe.types.len() as i64)?;
        give(combiner, "combiner", combiner_code(recipe.combiner))
    })
}

/// The program's arrays for the arguments of a constructor, and their lengths.
struct Room {
    integers: (i64, *mut c_int),
    addresses: (i64, *mut isize),
    large_counts: (i64, *mut i64),
    types: (i64, *mut Handle),
}

/// Copies arguments to an array of the program.
fn fill<T: Copy>(values: &[T], (room, to): (i64, *mut T)) -> Result<(), MpiError> {
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

fn contents(context: &mut Context, recipe: &Recipe, room: &Room) -> Result<(), MpiError> {
    if recipe.combiner == Combiner::Named {
        return Err(MpiError::Type("a predefined datatype was not made of anything".into()));
    }
    fill(&recipe.integers, room.integers)?;
    fill(&recipe.addresses, room.addresses)?;
    fill(&recipe.large_counts, room.large_counts)?;
    if room.types.0 < recipe.types.len() as i64 {
        return Err(MpiError::Argument(format!("room for {} datatypes", room.types.0)));
    }
    // Each older type gets a handle of its own, ready for use, which the program frees.
    let handles = recipe.types.iter().map(|old| datatypes::add(context, old.clone(), State::Committed));
    fill(&handles.collect::<Vec<_>>(), room.types)
}

pub(crate) unsafe extern "C" fn get_contents(
    datatype: Handle,
    integer_room: c_int,
    address_room: c_int,
    type_room: c_int,
    integers: *mut c_int,
    addresses: *mut isize,
    types: *mut Handle,
) -> c_int {
    call("MPI_Type_get_contents", ptr::null_mut(), |context| {
        let found = datatypes::type_of(context, datatype)?;
        check_small(found.recipe())?;
        let room = Room {
            integers: (integer_room.into(), integers),
            addresses: (address_room.into(), addresses),
            large_counts: (0, ptr::null_mut()),
            types: (type_room.into(), types),
        };
        contents(context, found.recipe(), &room)
    })
}

pub(crate) unsafe extern "C" fn get_contents_c(
    datatype: Handle,
    integer_room: i64,
    address_room: i64,
    large_count_room: i64,
    type_room: i64,
    integers: *mut c_int,
    addresses: *mut isize,
    large_counts: *mut i64,
    types: *mut Handle,
) -> c_int {
    call("MPI_Type_get_contents_c", ptr::null_mut(), |context| {
        let found = datatypes::type_of(context, datatype)?;
        let room = Room {
            integers: (integer_room, integers),
            addresses: (address_room, addresses),
            large_counts: (large_count_room, large_counts),
            types: (type_room, types),
        };
        contents(context, found.recipe(), &room)
    })
}

pub(crate) unsafe extern "C" fn match_size(class: c_int, size: c_int, datatype: *mut Handle) -> c_int {
    call("MPI_Type_match_size", ptr::null_mut(), |_| {
        let found = predefined_types::match_size(class, size).ok_or_else(|| {
            MpiError::Argument(format!("no predefined datatype of class {class} has {size} bytes"))
        })?;
        give(datatype, "datatype", abi::predefined(found))
    })
}

pub(crate) unsafe extern "C" fn get_value_index(value: Handle, index: Handle, pair: *mut Handle) -> c_int {
    call("MPI_Type_get_value_index", ptr::null_mut(), |context| {
        datatypes::type_of(context, value)?;
        datatypes::type_of(context, index)?;
        let found = predefined_types::value_index(value as usize, index as usize);
        give(pair, "pair_type", abi::predefined(found))
    })
}
