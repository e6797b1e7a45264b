//! Opening and closing files, deleting them, and what is known of an open one.

use super::agreement::{agree, together};
use super::representations::Datarep;
use super::{
    APPEND, CREATE, DELETE_ON_CLOSE, EXCLUSIVE, OpenFile, READ_ONLY, READ_WRITE, SEQUENTIAL, UNIQUE_OPEN,
    WRITE_ONLY, argument, call, call_without_file, files, mistake, open as opened,
};
use crate::calls::abi::{self, FILE_NULL, Handle};
use crate::calls::output_arguments::{give, give_new, given, string};
use crate::mpi::collectives;
use crate::mpi::communicators::groups;
use crate::mpi::datatypes::predefined_types;
use crate::mpi::files::host;
use crate::mpi::info::{self, Info};
use crate::mpi::memory_kinds;
use crate::rank::context::Context;
use std::ffi::{OsString, c_char, c_int};
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};
use weir_message::{FileMistake, FileView, MpiError, Representation};

const BYTE: usize = 0x247;

/// The file that a program names.
///
/// # Safety
/// `name` is null or a string.
unsafe fn path(name: *const c_char) -> Result<PathBuf, MpiError> {
    if name.is_null() {
        return Err(argument("the name of the file is a null pointer"));
    }
    // SAFETY: the caller's promise.
    let name = string(name, "name")?;
    Ok(PathBuf::from(OsString::from_vec(name.into_bytes())))
}

/// Whether an access mode makes sense (MPI 5.0, section 14.2.1).
fn check_mode(mode: c_int) -> Result<(), MpiError> {
    const ALL: c_int = APPEND
        | CREATE
        | DELETE_ON_CLOSE
        | EXCLUSIVE
        | READ_ONLY
        | READ_WRITE
        | SEQUENTIAL
        | UNIQUE_OPEN
        | WRITE_ONLY;
    let has = |bit| mode & bit != 0;
    let why = if mode & !ALL != 0 {
        "has bits that are no MPI_MODE"
    } else if (mode & (READ_ONLY | READ_WRITE | WRITE_ONLY)).count_ones() != 1 {
        "must have one of MPI_MODE_RDONLY, MPI_MODE_RDWR and MPI_MODE_WRONLY"
    } else if has(READ_ONLY) && (has(CREATE) || has(EXCLUSIVE)) {
        "has MPI_MODE_RDONLY with MPI_MODE_CREATE or MPI_MODE_EXCL"
    } else if has(READ_WRITE) && has(SEQUENTIAL) {
        "has MPI_MODE_RDWR with MPI_MODE_SEQUENTIAL"
    } else {
        return Ok(());
    };
    Err(mistake(FileMistake::AccessMode, format!("the access mode {mode} {why}")))
}

/// Opens a file on all ranks of a communicator.
fn open_all(
    context: &mut Context,
    comm: Handle,
    mode: c_int,
    given: Result<(PathBuf, Info), MpiError>,
) -> Result<Handle, MpiError> {
    let id = abi::communicator(comm)?;
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
        let known = context.rank().process.communicator(made)?;
        let members = known.group.size();
        let first = known.group.member(0).ok_or(MpiError::Communicator)?;
        let key: host::OpeningKey = (known.context(), first);
        let world = &context.rank().world;
        let shared = world.files().open(key, members, &path, mode, apart.as_deref())?;
        let byte = predefined_types::type_of(BYTE).ok_or_else(|| argument("there is no MPI_BYTE"))?;
        let at_end = mode & APPEND != 0;
        let position = if at_end { shared.common(|common| common.length_at_first)? as i64 } else { 0 };
        Ok(OpenFile {
            shared,
            communicator: made,
            mode,
            view: FileView::whole(&byte),
            datarep: Datarep::Known(Representation::Native),
            position,
            atomicity: 0,
            handler: files(context).handler,
            hints,
            split: None,
            turns: 0,
        })
    });
    match outcome {
        Ok(file) => Ok(files(context).open.add(Box::new(file))),
        Err(error) => {
            context.rank().process.free(made)?;
            Err(error)
        }
    }
}

pub(crate) unsafe extern "C" fn open(
    comm: Handle,
    name: *const c_char,
    mode: c_int,
    hints: Handle,
    file: *mut Handle,
) -> c_int {
    call_without_file("MPI_File_open", |context| {
        // SAFETY: the program's string.
        let given =
            check_mode(mode).and_then(|()| Ok((unsafe { path(name)? }, info::hints(context, hints)?)));
        let opened = open_all(context, comm, mode, given);
        let null = || abi::predefined(FILE_NULL);
        give(file, "file", opened.as_ref().map_or_else(|_| null(), |&handle| handle))?;
        opened.map(|_| ())
    })
}

pub(crate) unsafe extern "C" fn close(file: *mut Handle) -> c_int {
    let handle = given(file, "fh");
    call("MPI_File_close", handle.clone().unwrap_or_default(), |context| {
        let handle = handle?;
        let known = opened(context, handle)?;
        let own = match known.split {
            Some(_) => Err(mistake(FileMistake::Io, "a collective access was begun and not ended")),
            None => Ok(()),
        };
        let (comm, is_deleted) = (known.communicator, known.has(DELETE_ON_CLOSE));
        // All ranks are through with the file before it goes.
        let deleted =
            together(
                context,
                handle,
                own.clone(),
                &[],
                |shared| {
                    if is_deleted { shared.delete() } else { Ok(()) }
                },
            );
        own?;
        files(context).open.remove(handle);
        context.rank().process.free(comm)?;
        give(file, "file", abi::predefined(FILE_NULL))?;
        deleted
    })
}

pub(crate) unsafe extern "C" fn delete(name: *const c_char, hints: Handle) -> c_int {
    call_without_file("MPI_File_delete", |context| {
        info::hints(context, hints)?;
        context.catch_up();
        // SAFETY: the program's string.
        let path = unsafe { path(name)? };
        std::fs::remove_file(&path).map_err(|error| host::of_host(&path, &error))
    })
}

pub(crate) unsafe extern "C" fn get_amode(file: Handle, mode: *mut c_int) -> c_int {
    call("MPI_File_get_amode", file, |context| give(mode, "mode", opened(context, file)?.mode))
}

pub(crate) unsafe extern "C" fn get_group(file: Handle, group: *mut Handle) -> c_int {
    call("MPI_File_get_group", file, |context| {
        let comm = opened(context, file)?.communicator;
        let members = context.rank().process.communicator(comm)?.group.clone();
        give_new(group, "group", || groups::add(context, members))
    })
}

pub(crate) unsafe extern "C" fn get_info(file: Handle, used: *mut Handle) -> c_int {
    call("MPI_File_get_info", file, |context| {
        let hints = opened(context, file)?.hints.clone();
        give_new(used, "used", || info::add(context, hints.with_memory_kinds(memory_kinds::ALWAYS)))
    })
}

pub(crate) unsafe extern "C" fn set_info(file: Handle, hints: Handle) -> c_int {
    call("MPI_File_set_info", file, |context| {
        let hints = info::get(context, hints);
        let own = hints.as_ref().map(|_| ()).map_err(MpiError::clone);
        together(context, file, own, &[], |_| Ok(()))?;
        opened(context, file)?.hints.merge(&hints?);
        Ok(())
    })
}
