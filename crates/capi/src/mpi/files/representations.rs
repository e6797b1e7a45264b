//! Data representations: those of the standard, and those the program adds.

use super::{argument, files, mistake};
use crate::calls::output_arguments::string;
use crate::mpi::prelude::*;
use std::ffi::{CStr, CString};
use weir_message::{FileMistake, Representation};

/// `MPI_Datarep_extent_function`
pub(crate) type ExtentFunction = unsafe extern "C" fn(Handle, *mut isize, *mut c_void) -> c_int;

/// A representation that the program has added: data are as in memory, and extents as its function says.
pub(super) struct Registered {
    name: CString,
    extent: ExtentFunction,
    extra: *mut c_void,
}

impl Registered {
    pub(super) fn name(&self) -> &CStr {
        &self.name
    }

    /// The program's function for extents, and its argument.
    pub(super) fn extent(&self) -> (ExtentFunction, *mut c_void) {
        (self.extent, self.extra)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Datarep {
    Known(Representation),
    Registered(usize),
}

impl Datarep {
    pub(super) fn named(context: &mut Context, name: &CStr) -> Result<Self, MpiError> {
        let known = name.to_str().ok().and_then(Representation::named).map(Self::Known);
        let mut registered = || files(context).registered.iter().position(|known| known.name() == name);
        known.or_else(|| registered().map(Self::Registered)).ok_or_else(|| {
            mistake(FileMistake::Representation, format!("there is no data representation {name:?}"))
        })
    }

    pub(super) const fn conversion(self) -> Representation {
        match self {
            Self::Known(known) => known,
            Self::Registered(_) => Representation::Native,
        }
    }
}

pub(crate) fn register_datarep(
    context: &mut Context,
    name: *const c_char,
    read: *const c_void,
    write: *const c_void,
    extent: Option<ExtentFunction>,
    extra: *mut c_void,
) -> Done {
    if name.is_null() {
        return Err(argument("the name of the data representation is a null pointer"));
    }
    let name = string(name, "name")?;
    if !(1..MPI_MAX_DATAREP_STRING as usize).contains(&name.count_bytes()) {
        return Err(argument(format!("a name of {} bytes; 1 to 127 are allowed", name.count_bytes())));
    }
    if Datarep::named(context, &name).is_ok() {
        let what = format!("there is a data representation {name:?} already");
        return Err(mistake(FileMistake::KnownRepresentation, what));
    }
    let extent = extent.ok_or_else(|| argument("there is no function for extents"))?;
    if !read.is_null() || !write.is_null() {
        let what = "conversion functions are not called; only MPI_CONVERSION_FN_NULL is possible";
        return Err(mistake(FileMistake::Conversion, what));
    }
    files(context).registered.push(Registered { name, extent, extra });
    Ok(())
}
