//! Opening and closing files, deleting them, and what is known of an open one.

use crate::calls::output_arguments::text;
use crate::mpi::datatypes::predefined_types;
use crate::mpi::files::access::view_of;
use crate::mpi::files::host::{self, SharedFile};
use crate::mpi::files::views::Datarep;
use crate::mpi::files::{
    Files, OpenFile, agree, argument, mistake, not_sequential, open, together, writable,
};
use crate::mpi::info::{self, Info};
use crate::mpi::prelude::*;
use crate::mpi::{collectives, memory_kinds};
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use weir_message::{FileMistake, FileView, Representation};

fn path(name: *const c_char) -> Result<PathBuf> {
    let name = text(name).ok_or_else(|| argument("the name of the file is a null pointer"))?;
    Ok(PathBuf::from(OsString::from_vec(name.into_bytes())))
}

/// Refuses an access mode that makes no sense (MPI 5.0, section 14.2.1).
fn check_mode(mode: c_int) -> Done {
    const ALL: c_int = MPI_MODE_APPEND
        | MPI_MODE_CREATE
        | MPI_MODE_DELETE_ON_CLOSE
        | MPI_MODE_EXCL
        | MPI_MODE_RDONLY
        | MPI_MODE_RDWR
        | MPI_MODE_SEQUENTIAL
        | MPI_MODE_UNIQUE_OPEN
        | MPI_MODE_WRONLY;
    let has = |bit| mode & bit != 0;
    let why = if mode & !ALL != 0 {
        "has bits that are no MPI_MODE"
    } else if (mode & (MPI_MODE_RDONLY | MPI_MODE_RDWR | MPI_MODE_WRONLY)).count_ones() != 1 {
        "must have one of MPI_MODE_RDONLY, MPI_MODE_RDWR and MPI_MODE_WRONLY"
    } else if has(MPI_MODE_RDONLY) && (has(MPI_MODE_CREATE) || has(MPI_MODE_EXCL)) {
        "has MPI_MODE_RDONLY with MPI_MODE_CREATE or MPI_MODE_EXCL"
    } else if has(MPI_MODE_RDWR) && has(MPI_MODE_SEQUENTIAL) {
        "has MPI_MODE_RDWR with MPI_MODE_SEQUENTIAL"
    } else {
        return Ok(());
    };
    Err(mistake(FileMistake::AccessMode, format!("the access mode {mode} {why}")))
}

fn open_all(
    context: &mut Context,
    id: CommunicatorId,
    mode: c_int,
    given: Result<(PathBuf, Info)>,
) -> Result<Handle> {
    let members = collectives::place(context, id)?.size;
    let apart = context.rank().world.shared_folder().map(Path::to_owned);
    if members > 1
        && apart.is_none()
        && let Some(who) = context.rank().world.who_is_elsewhere()
    {
        // What ranks share of a file is where one of them runs at a time.
        context.needs_one_process("MPI_File_open by several ranks");
        let what = format!("{who} do not open files together");
        return Err(MpiError::OfFile { mistake: FileMistake::Operation, what });
    }
    // The file's own messages never meet the program's.
    let made = context.rank().process.duplicate(id)?;
    let own = given.as_ref().map(|_| ()).map_err(MpiError::clone);
    let outcome = agree(context, made, own, &[i64::from(mode)]).and(given).and_then(|(path, hints)| {
        let known = context.communicator(made)?;
        let members = known.group.size();
        let first = known.group.member(0).ok_or(MpiError::Communicator)?;
        let key: host::OpeningKey = (known.context, first);
        let world = &context.rank().world;
        let shared = world.files().open(key, members, &path, mode, apart.as_deref())?;
        let byte = predefined_types::type_of(MPI_BYTE).ok_or_else(|| argument("there is no MPI_BYTE"))?;
        let at_end = mode & MPI_MODE_APPEND != 0;
        let position = if at_end { shared.common(|common| common.length_at_first)? as i64 } else { 0 };
        Ok(OpenFile {
            shared,
            communicator: made,
            mode,
            view: FileView::whole(&byte),
            datarep: Datarep::Known(Representation::Native),
            position,
            atomicity: 0,
            handler: context.of::<Files>().handler,
            hints,
            split: None,
            turns: 0,
        })
    });
    match outcome {
        Ok(file) => Ok(context.of::<Files>().open.add(Box::new(file))),
        Err(error) => {
            context.rank().process.free(made)?;
            Err(error)
        }
    }
}

pub(crate) fn file_open(context: &mut Context, args: FileOpen) -> Done {
    let given = check_mode(args.amode);
    let given = given.and_then(|()| Ok((path(args.filename)?, info::hints(context, args.info)?)));
    args.fh.set(abi::predefined(MPI_FILE_NULL));
    args.fh.give(open_all(context, args.comm, args.amode, given)?)
}

pub(crate) fn file_close(context: &mut Context, file: Out<Handle>) -> Done {
    let handle = file.get();
    let known = open(context, handle)?;
    let own = match known.split {
        Some(_) => Err(mistake(FileMistake::Io, "a collective access was begun and not ended")),
        None => Ok(()),
    };
    let (comm, is_deleted) = (known.communicator, known.has(MPI_MODE_DELETE_ON_CLOSE));
    // All ranks are through with the file before it goes.
    let delete = |shared: &SharedFile| if is_deleted { shared.delete() } else { Ok(()) };
    let deleted = together(context, handle, own.clone(), &[], delete);
    own?;
    context.of::<Files>().open.remove(handle);
    context.rank().process.free(comm)?;
    file.set(abi::predefined(MPI_FILE_NULL));
    deleted
}

pub(crate) fn file_delete(context: &mut Context, name: *const c_char, hints: Handle) -> Done {
    info::hints(context, hints)?;
    context.catch_up();
    let path = path(name)?;
    std::fs::remove_file(&path).map_err(|error| host::of_host(&path, &error))
}

answers! { context;
    file_get_amode(file: Handle) -> c_int = open(context, file)?.mode;
    file_get_atomicity(file: Handle) -> c_int = open(context, file)?.atomicity;
}

pub(crate) fn file_get_info(context: &mut Context, file: Handle, used: Out<Handle>) -> Done {
    let hints = open(context, file)?.hints.clone();
    used.give(info::add(context, hints.with_memory_kinds(memory_kinds::ALWAYS)))
}

pub(crate) fn file_set_info(context: &mut Context, file: Handle, hints: Handle) -> Done {
    let hints = info::get(context, hints);
    let own = hints.as_ref().map(|_| ()).map_err(MpiError::clone);
    together(context, file, own, &[], |_| Ok(()))?;
    open(context, file)?.hints.merge(&hints?);
    Ok(())
}

pub(crate) fn file_get_size(context: &mut Context, file: Handle, size: Out<i64>) -> Done {
    let shared = Rc::clone(&open(context, file)?.shared);
    context.catch_up();
    size.give(shared.length()? as i64)
}

/// Refuses a size that a file cannot get.
fn check_size(context: &mut Context, file: Handle, size: i64) -> Done {
    let known = open(context, file)?;
    writable(known)?;
    if size < 0 {
        return Err(argument(format!("the size {size} is negative")));
    }
    Ok(())
}

pub(crate) fn file_set_size(context: &mut Context, file: Handle, size: i64) -> Done {
    let own = check_size(context, file, size);
    together(context, file, own, &[size], |shared| shared.set_length(size as u64))
}

/// Makes the file as long as that if it is shorter; the host's file system finds the space when data come.
pub(crate) fn file_preallocate(context: &mut Context, file: Handle, size: i64) -> Done {
    let own = check_size(context, file, size);
    together(context, file, own, &[size], |shared| {
        if shared.length()? < size as u64 { shared.set_length(size as u64) } else { Ok(()) }
    })
}

/// Data are in the host's file as soon as they are written, so it is enough that all ranks come together.
pub(crate) fn file_sync(context: &mut Context, file: Handle) -> Done {
    together(context, file, Ok(()), &[], |_| Ok(()))
}

pub(crate) fn file_set_atomicity(context: &mut Context, file: Handle, flag: c_int) -> Done {
    let own = not_sequential(open(context, file)?);
    let flag = c_int::from(flag != 0);
    together(context, file, own, &[i64::from(flag)], |_| Ok(()))?;
    open(context, file)?.atomicity = flag;
    Ok(())
}

/// Where a pointer goes that stands at `now`.
fn target(shared: &SharedFile, view: &FileView, offset: i64, whence: c_int, now: i64) -> Result<i64> {
    let from = match whence {
        MPI_SEEK_SET => 0,
        MPI_SEEK_CUR => now,
        MPI_SEEK_END => view.units_in(shared.length()?),
        _ => {
            return Err(argument(format!("{whence} is none of MPI_SEEK_SET, MPI_SEEK_CUR and MPI_SEEK_END")));
        }
    };
    let to = from.checked_add(offset).filter(|&to| to >= 0);
    to.ok_or_else(|| argument(format!("offset {offset} from {from} lies before the view")))
}

pub(crate) fn file_seek(context: &mut Context, file: Handle, offset: i64, whence: c_int) -> Done {
    not_sequential(open(context, file)?)?;
    // The end of the file is where others have left it by now.
    context.catch_up();
    let now = open(context, file)?.position;
    let (shared, view) = view_of(context, file)?;
    let to = target(&shared, &view, offset, whence, now)?;
    open(context, file)?.position = to;
    Ok(())
}

pub(crate) fn file_seek_shared(context: &mut Context, file: Handle, offset: i64, whence: c_int) -> Done {
    let own = not_sequential(open(context, file)?);
    let (_, view) = view_of(context, file)?;
    together(context, file, own, &[offset, i64::from(whence)], |shared| {
        shared.set_pointer(target(shared, &view, offset, whence, shared.pointer()?)?)
    })
}

pub(crate) fn file_get_position(context: &mut Context, file: Handle, offset: Out<i64>) -> Done {
    let known = open(context, file)?;
    not_sequential(known)?;
    offset.give(known.position)
}

pub(crate) fn file_get_position_shared(context: &mut Context, file: Handle, offset: Out<i64>) -> Done {
    not_sequential(open(context, file)?)?;
    context.catch_up();
    offset.give(open(context, file)?.shared.pointer()?)
}

pub(crate) fn file_get_byte_offset(context: &mut Context, args: FileGetByteOffset) -> Done {
    let known = open(context, args.fh)?;
    not_sequential(known)?;
    let position = known.view.position(args.offset, 0)?;
    args.disp.give(known.view.byte_offset(position) as i64)
}
