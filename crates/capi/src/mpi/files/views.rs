//! Views: what of a file a rank sees.

use crate::calls::abi::ExtentFunction;
use crate::calls::output_arguments::{copy_text, text};
use crate::mpi::datatypes::{self, State, type_of};
use crate::mpi::files::together;
use crate::mpi::files::{Files, argument, mistake, open};
use crate::mpi::info;
use crate::mpi::prelude::*;
use std::ffi::{CStr, CString};
use std::rc::Rc;
use weir_message::datatype::Type;
use weir_message::{FileMistake, FileView, Representation};

fn committed(context: &mut Context, datatype: Handle) -> Result<Rc<Type>> {
    match datatypes::state(context, datatype)? {
        State::Committed => type_of(context, datatype),
        State::New => Err(MpiError::Type("the datatype is not committed".into())),
    }
}

fn requested(context: &mut Context, args: &FileSetView) -> Result<(FileView, Datarep)> {
    let (etype, filetype) = (committed(context, args.etype)?, committed(context, args.filetype)?);
    let name = text(args.datarep).ok_or_else(|| argument("the data representation is a null pointer"))?;
    let datarep = Datarep::named(context, &name)?;
    let known = open(context, args.fh)?;
    let displacement = match args.disp {
        MPI_DISPLACEMENT_CURRENT if known.has(MPI_MODE_SEQUENTIAL) => {
            known.view.byte_offset(known.view.position(known.shared.pointer()?, 0)?) as i64
        }
        MPI_DISPLACEMENT_CURRENT => {
            return Err(argument("MPI_DISPLACEMENT_CURRENT is for files opened with MPI_MODE_SEQUENTIAL"));
        }
        given => given,
    };
    let writes = known.has(MPI_MODE_WRONLY) || known.has(MPI_MODE_RDWR);
    let view = FileView::new(displacement, &etype, &filetype, datarep.conversion())?;
    if writes {
        view.may_write()?;
    }
    Ok((view, datarep))
}

pub(crate) fn file_set_view(context: &mut Context, args: FileSetView) -> Done {
    open(context, args.fh)?;
    context.catch_up();
    let hints = info::hints(context, args.info);
    let made = requested(context, &args);
    let own = hints.as_ref().map(|_| ()).and(made.as_ref().map(|_| ())).map_err(MpiError::clone);
    // Elementary types and representations are the same on all ranks; file types and displacements need not be.
    let same = made.as_ref().map(|(view, datarep)| {
        let number = match datarep {
            Datarep::Known(known) => *known as i64,
            Datarep::Registered(number) => 100 + *number as i64,
        };
        [view.etype.extent() as i64, number]
    });
    together(context, args.fh, own, &same.unwrap_or_default(), |shared| shared.set_pointer(0))?;
    let (view, datarep) = made?;
    let hints = hints?;
    let known = open(context, args.fh)?;
    (known.view, known.datarep, known.position) = (view, datarep, 0);
    known.hints.merge(&hints);
    Ok(())
}

pub(crate) fn file_get_view(context: &mut Context, args: FileGetView) -> Done {
    let known = open(context, args.fh)?;
    let (view, datarep) = (known.view.clone(), known.datarep);
    let name: Vec<u8> = match datarep {
        Datarep::Known(known) => known.name().into(),
        Datarep::Registered(number) => context.of::<Files>().registered[number].name.to_bytes().into(),
    };
    copy_text(&name, name.len() + 1, args.datarep)?;
    args.disp.set(view.displacement());
    // Types that are not predefined get handles of their own, which the program frees.
    args.etype.set(datatypes::add(context, view.etype, State::Committed));
    args.filetype.set(datatypes::add(context, view.filetype, State::Committed));
    Ok(())
}

fn extent_in_file(context: &mut Context, file: Handle, datatype: Handle) -> Result<isize> {
    let of = type_of(context, datatype)?;
    match open(context, file)?.datarep {
        Datarep::Known(known) => Ok(known.extent(&of)),
        Datarep::Registered(number) => {
            let Registered { extent: function, extra, .. } = context.of::<Files>().registered[number];
            let mut extent = 0;
            // SAFETY: the program's function, with what the standard says it gets.
            let code = context.callback(|| unsafe { function(datatype, &raw mut extent, extra) });
            if code == MPI_SUCCESS {
                return Ok(extent);
            }
            let what = format!("the program's function for extents returned {code}");
            Err(mistake(FileMistake::Conversion, what))
        }
    }
}

pub(crate) fn file_get_type_extent(context: &mut Context, args: FileGetTypeExtent) -> Done {
    args.extent.give(Some(extent_in_file(context, args.fh, args.datatype)? as i64))
}

/// A representation that the program has added: data are as in memory, and extents as its function says.
pub(super) struct Registered {
    name: CString,
    extent: ExtentFunction,
    extra: *mut c_void,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Datarep {
    Known(Representation),
    Registered(usize),
}

impl Datarep {
    pub(super) fn named(context: &mut Context, name: &CStr) -> Result<Self> {
        let known = name.to_str().ok().and_then(Representation::named).map(Self::Known);
        let mut registered =
            || context.of::<Files>().registered.iter().position(|known| known.name.as_c_str() == name);
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

pub(crate) fn register_datarep(context: &mut Context, args: RegisterDatarep) -> Done {
    let name = text(args.datarep);
    let name = name.ok_or_else(|| argument("the name of the data representation is a null pointer"))?;
    if !(1..MPI_MAX_DATAREP_STRING as usize).contains(&name.count_bytes()) {
        return Err(argument(format!("a name of {} bytes; 1 to 127 are allowed", name.count_bytes())));
    }
    if Datarep::named(context, &name).is_ok() {
        let what = format!("there is a data representation {name:?} already");
        return Err(mistake(FileMistake::KnownRepresentation, what));
    }
    let extent = args.dtype_file_extent_fn.ok_or_else(|| argument("there is no function for extents"))?;
    if !args.read_conversion_fn.is_null() || !args.write_conversion_fn.is_null() {
        let what = "conversion functions are not called; only MPI_CONVERSION_FN_NULL is possible";
        return Err(mistake(FileMistake::Conversion, what));
    }
    context.of::<Files>().registered.push(Registered { name, extent, extra: args.extra_state });
    Ok(())
}
