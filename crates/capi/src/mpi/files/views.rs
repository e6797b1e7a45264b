//! Views: what of a file a rank sees.

use super::agreement::together;
use super::representations::Datarep;
use super::{READ_WRITE, SEQUENTIAL, WRITE_ONLY, argument, call, files, mistake, open};
use crate::calls::abi::{self, Handle};
use crate::calls::output_arguments::{give, out, string};
use crate::mpi::datatypes::{self, State, type_of};
use crate::mpi::info;
use crate::rank::context::Context;
use std::ffi::{c_char, c_int};
use std::ptr;
use std::rc::Rc;
use weir_message::datatype::Type;
use weir_message::{FileMistake, FileView, MpiError};

const DISPLACEMENT_CURRENT: i64 = -1;

fn committed(context: &mut Context, datatype: Handle) -> Result<Rc<Type>, MpiError> {
    match datatypes::state(context, datatype)? {
        State::Committed => type_of(context, datatype),
        State::New => Err(MpiError::Type("the datatype is not committed".into())),
    }
}

/// The view that a program asks for.
fn requested(
    context: &mut Context,
    file: Handle,
    displacement: i64,
    etype: Handle,
    filetype: Handle,
    name: *const c_char,
) -> Result<(FileView, Datarep), MpiError> {
    let (etype, filetype) = (committed(context, etype)?, committed(context, filetype)?);
    if name.is_null() {
        return Err(argument("the data representation is a null pointer"));
    }
    // SAFETY: the program's string.
    let datarep = Datarep::named(context, &string(name, "name")?)?;
    let known = open(context, file)?;
    let displacement = match displacement {
        DISPLACEMENT_CURRENT if known.has(SEQUENTIAL) => {
            known.view.byte_offset(known.view.position(known.shared.pointer()?, 0)?) as i64
        }
        DISPLACEMENT_CURRENT => {
            return Err(argument("MPI_DISPLACEMENT_CURRENT is for files opened with MPI_MODE_SEQUENTIAL"));
        }
        given => given,
    };
    let writes = known.has(WRITE_ONLY) || known.has(READ_WRITE);
    let view = FileView::new(displacement, &etype, &filetype, datarep.conversion())?;
    if writes {
        view.may_write()?;
    }
    Ok((view, datarep))
}

pub(crate) unsafe extern "C" fn set_view(
    file: Handle,
    displacement: i64,
    etype: Handle,
    filetype: Handle,
    datarep: *const c_char,
    hints: Handle,
) -> c_int {
    call("MPI_File_set_view", file, |context| {
        open(context, file)?;
        context.catch_up();
        let hints = info::hints(context, hints);
        let made = requested(context, file, displacement, etype, filetype, datarep);
        let own = hints.as_ref().map(|_| ()).and(made.as_ref().map(|_| ())).map_err(MpiError::clone);
        // Elementary types and representations are the same on all ranks; file types and displacements need not be.
        let same = made.as_ref().map(|(view, datarep)| {
            let number = match datarep {
                Datarep::Known(known) => *known as i64,
                Datarep::Registered(number) => 100 + *number as i64,
            };
            [view.etype.extent() as i64, number]
        });
        together(context, file, own, &same.unwrap_or_default(), |shared| shared.set_pointer(0))?;
        let (view, datarep) = made?;
        let hints = hints?;
        let known = open(context, file)?;
        (known.view, known.datarep, known.position) = (view, datarep, 0);
        known.hints.merge(&hints);
        Ok(())
    })
}

pub(crate) unsafe extern "C" fn get_view(
    file: Handle,
    displacement: *mut i64,
    etype: *mut Handle,
    filetype: *mut Handle,
    name: *mut c_char,
) -> c_int {
    call("MPI_File_get_view", file, |context| {
        let known = open(context, file)?;
        let (view, datarep) = (known.view.clone(), known.datarep);
        let text: Vec<u8> = match datarep {
            Datarep::Known(known) => known.name().into(),
            Datarep::Registered(number) => files(context).registered[number].name().to_bytes().into(),
        };
        let (etype, filetype) = (out(etype, "etype")?, out(filetype, "filetype")?);
        out(name, "datarep")?;
        give(displacement, "disp", view.displacement())?;
        // Types that are not predefined get handles of their own, which the program frees.
        etype.set(datatypes::add(context, view.etype, State::Committed));
        filetype.set(datatypes::add(context, view.filetype, State::Committed));
        // SAFETY: the program's variable; there is room for the longest name of a representation.
        unsafe {
            ptr::copy_nonoverlapping(text.as_ptr().cast(), name, text.len());
            *name.add(text.len()) = 0;
        }
        Ok(())
    })
}

/// The extent of a datatype in a file.
fn extent_in_file(context: &mut Context, file: Handle, datatype: Handle) -> Result<isize, MpiError> {
    let of = type_of(context, datatype)?;
    match open(context, file)?.datarep {
        Datarep::Known(known) => Ok(known.extent(&of)),
        Datarep::Registered(number) => {
            // SAFETY: the program's function, with what the standard says it gets.
            let (function, extra) = unsafe { files(context).registered[number].extent() };
            let mut extent = 0;
            // SAFETY: as above.
            let code = context.callback(|| unsafe { function(datatype, &raw mut extent, extra) });
            if code == abi::SUCCESS { Ok(extent) } else { Err(conversion(code)) }
        }
    }
}

fn conversion(code: c_int) -> MpiError {
    mistake(FileMistake::Conversion, format!("the program's function for extents returned {code}"))
}

macro_rules! extents {
    ($($function:ident $name:literal;)*) => {$(
        /// An address and a count are equally wide.
        pub(crate) unsafe extern "C" fn $function(file: Handle, datatype: Handle, extent: *mut isize) -> c_int {
            call($name, file, |context| {
                let found = extent_in_file(context, file, datatype)?;
                give(extent, "extent", found)
            })
        }
    )*};
}

extents! {
    get_type_extent "MPI_File_get_type_extent";
    get_type_extent_c "MPI_File_get_type_extent_c";
}
