//! What datatypes are: sizes, bounds, names, and how they were made.

use crate::abi::{self, Handle};
use crate::context::call;
use crate::datatypes::{self, Datatype, State};
use crate::environment::tell_text;
use crate::predefined_types;
use std::ffi::{CStr, c_char, c_int};
use std::ptr;
use weir_message::datatype::{Combiner, Type};
use weir_message::{MpiError, UNDEFINED};

/// A number as an int; `MPI_UNDEFINED` if it is none.
pub(crate) fn int(number: impl TryInto<c_int>) -> c_int {
    number.try_into().unwrap_or(UNDEFINED)
}

pub(crate) unsafe extern "C" fn size(datatype: Handle, size: *mut c_int) -> c_int {
    call("MPI_Type_size", ptr::null_mut(), |context| {
        // SAFETY: the program's variable.
        unsafe { *size = int(Datatype::of(context, datatype)?.size) };
        Ok(())
    })
}

pub(crate) unsafe extern "C" fn size_x(datatype: Handle, size: *mut i64) -> c_int {
    call("MPI_Type_size_x", ptr::null_mut(), |context| {
        // SAFETY: the program's variable.
        unsafe { *size = Datatype::of(context, datatype)?.size as i64 };
        Ok(())
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
        // SAFETY: the program's variables.
        unsafe { (*lower, *extent) = found };
        Ok(())
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
    get_extent_x "MPI_Type_get_extent_x" lower_bound extent;
    get_true_extent "MPI_Type_get_true_extent" true_lower_bound true_extent;
    get_true_extent_x "MPI_Type_get_true_extent_x" true_lower_bound true_extent;
}

/// One of the bounds alone, as functions tell it that MPI 3.0 has removed.
macro_rules! one_bound {
    ($($function:ident $name:literal $of:expr;)*) => {$(
        pub(crate) unsafe extern "C" fn $function(datatype: Handle, told: *mut isize) -> c_int {
            call($name, ptr::null_mut(), |context| {
                let found: fn(&Type) -> isize = $of;
                // SAFETY: the program's variable.
                unsafe { *told = found(&*datatypes::type_of(context, datatype)?) };
                Ok(())
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
        let name = unsafe { CStr::from_ptr(name) }.to_string_lossy().into_owned();
        context.rank().types.set_name(datatype, name)
    })
}

pub(crate) unsafe extern "C" fn get_name(datatype: Handle, name: *mut c_char, length: *mut c_int) -> c_int {
    call("MPI_Type_get_name", ptr::null_mut(), |context| {
        let known = context.rank().types.name(datatype)?;
        // SAFETY: the program's variables, with the room that the standard asks for.
        unsafe { tell_text(known, abi::MAX_OBJECT_NAME, name, length) };
        Ok(())
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
        Combiner::Resized => 116,
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
        // SAFETY: the program's variables.
        unsafe {
            *integers = int(recipe.integers.len());
            *addresses = int(recipe.addresses.len());
            *types = int(recipe.types.len());
            *combiner = combiner_code(recipe.combiner);
        }
        Ok(())
    })
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
        let recipe = found.recipe();
        if recipe.combiner == Combiner::Named {
            return Err(MpiError::Type("a predefined datatype was not made of anything".into()));
        }
        let needed = [recipe.integers.len(), recipe.addresses.len(), recipe.types.len()].map(int);
        let room = [integer_room, address_room, type_room];
        if needed.iter().zip(room).any(|(&needed, room)| room < needed) {
            return Err(MpiError::Argument(format!(
                "room for {room:?} arguments where there are {needed:?}"
            )));
        }
        // Each older type gets a handle of its own, ready for use, which the program frees.
        let handles = recipe.types.iter().map(|old| datatypes::add(context, old.clone(), State::Committed));
        // SAFETY: the program's arrays, with room for so much.
        unsafe {
            ptr::copy_nonoverlapping(recipe.integers.as_ptr(), integers, recipe.integers.len());
            ptr::copy_nonoverlapping(recipe.addresses.as_ptr(), addresses, recipe.addresses.len());
            handles.enumerate().for_each(|(place, handle)| *types.add(place) = handle);
        }
        Ok(())
    })
}

pub(crate) unsafe extern "C" fn match_size(class: c_int, size: c_int, datatype: *mut Handle) -> c_int {
    call("MPI_Type_match_size", ptr::null_mut(), |_| {
        let found = predefined_types::match_size(class, size).ok_or_else(|| {
            MpiError::Argument(format!("no predefined datatype of class {class} has {size} bytes"))
        })?;
        // SAFETY: the program's variable.
        unsafe { *datatype = abi::predefined(found) };
        Ok(())
    })
}
