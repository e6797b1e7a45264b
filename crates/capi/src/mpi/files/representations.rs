//! Data representations: those of the standard, and those the program adds.

use super::{argument, call_without_file, files, mistake};
use crate::calls::abi::Handle;
use crate::calls::count_argument::{CountArgument, name_of};
use crate::calls::output_arguments::string;
use crate::rank::context::Context;
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::marker::PhantomData;
use weir_message::{FileMistake, MpiError, Representation};

/// `MPI_Datarep_extent_function`
type ExtentFunction = unsafe extern "C" fn(Handle, *mut isize, *mut c_void) -> c_int;

/// With the closing NUL.
const MAX_DATAREP_STRING: usize = 128;

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

    /// The extent that the program's function returns.
    ///
    /// # Safety
    /// The program is there.
    pub(super) unsafe fn extent(&self) -> (ExtentFunction, *mut c_void) {
        (self.extent, self.extra)
    }
}

/// The representation of a view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Datarep {
    Known(Representation),
    /// The program's, by number.
    Registered(usize),
}

impl Datarep {
    /// The one with this name.
    pub(super) fn named(context: &mut Context, name: &CStr) -> Result<Self, MpiError> {
        let known = name.to_str().ok().and_then(Representation::named).map(Self::Known);
        let mut registered = || files(context).registered.iter().position(|known| known.name() == name);
        known.or_else(|| registered().map(Self::Registered)).ok_or_else(|| {
            mistake(FileMistake::Representation, format!("there is no data representation {name:?}"))
        })
    }

    /// How data look.
    pub(super) const fn conversion(self) -> Representation {
        match self {
            Self::Known(known) => known,
            Self::Registered(_) => Representation::Native,
        }
    }
}

/// A function that converts data; its type depends on that of counts, and it is never called.
#[repr(transparent)]
pub(crate) struct Conversion<C>(*const c_void, PhantomData<C>);

pub(crate) unsafe extern "C" fn register<C: CountArgument>(
    name: *const c_char,
    read: Conversion<C>,
    write: Conversion<C>,
    extent: Option<ExtentFunction>,
    extra: *mut c_void,
) -> c_int {
    call_without_file(name_of!(C, "MPI_Register_datarep"), |context| {
        if name.is_null() {
            return Err(argument("the name of the data representation is a null pointer"));
        }
        // SAFETY: the program's string.
        let name = string(name, "name")?;
        if !(1..MAX_DATAREP_STRING).contains(&name.count_bytes()) {
            return Err(argument(format!("a name of {} bytes; 1 to 127 are allowed", name.count_bytes())));
        }
        if Datarep::named(context, &name).is_ok() {
            let what = format!("there is a data representation {name:?} already");
            return Err(mistake(FileMistake::KnownRepresentation, what));
        }
        let extent = extent.ok_or_else(|| argument("there is no function for extents"))?;
        if !read.0.is_null() || !write.0.is_null() {
            let what = "conversion functions are not called; only MPI_CONVERSION_FN_NULL is possible";
            return Err(mistake(FileMistake::Conversion, what));
        }
        files(context).registered.push(Registered { name, extent, extra });
        Ok(())
    })
}
