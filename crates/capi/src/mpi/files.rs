//! Files that ranks read and write together (MPI 5.0, chapter 14), on the file system of the host.
//!
//! ```text
//!   data_access ---> access ---> file_view (weir-message): which bytes
//!                      |-------> host: the file itself, shared by all ranks that have opened it together
//!                      '-------> storage (weir-message): when the access is over; a request waits for that
//! ```
//! Data move at the instant at which an access begins. What all ranks of a file do together goes through
//! [`agreement`].

pub(crate) mod access;
mod agreement;
pub(crate) mod data_access;
pub(crate) mod errors;
mod host;
pub(crate) mod opening;
pub(crate) mod pointers;
pub(crate) mod representations;
pub(crate) mod sizes;
pub(crate) mod views;

use crate::mpi::info::Info;
use crate::mpi::prelude::*;
use crate::rank::errors::ErrorHandler;
use crate::rank::mpi_call;
use crate::rank::numbered::Numbered;
use access::Split;
use host::SharedFile;
use representations::{Datarep, Registered};
use std::ptr;
use std::rc::Rc;
use weir_message::{FileMistake, FileView};

/// A file as one of its ranks sees it.
struct OpenFile {
    shared: Rc<SharedFile>,
    /// A duplicate of the communicator that has opened it.
    communicator: CommunicatorId,
    mode: c_int,
    view: FileView,
    datarep: Datarep,
    /// The individual file pointer, in elementary types.
    position: i64,
    /// The program's setting; accesses are atomic in any case.
    atomicity: c_int,
    handler: ErrorHandler,
    hints: Info,
    split: Option<Split>,
    /// Number of times that all ranks have come together.
    turns: u64,
}

impl OpenFile {
    const fn has(&self, mode: c_int) -> bool {
        self.mode & mode != 0
    }
}

pub(crate) struct Files {
    /// By handle; `None` are closed ones.
    open: Numbered<Box<OpenFile>>,
    /// Error handler of calls without an open file, and of files to come.
    handler: ErrorHandler,
    registered: Vec<Registered>,
}

impl Default for Files {
    fn default() -> Self {
        Self { open: Numbered::default(), handler: ErrorHandler::Return, registered: Vec::new() }
    }
}

impl Files {
    pub(crate) fn left(&self) -> usize {
        self.open.len()
    }
}

fn files(context: &mut Context) -> &mut Files {
    context.rank().objects().of::<Files>()
}

fn open(context: &mut Context, handle: Handle) -> Result<&mut OpenFile, MpiError> {
    let what =
        if handle as usize == MPI_FILE_NULL { "it is MPI_FILE_NULL" } else { "it is not an open file" };
    files(context).open.get_mut(handle).map(Box::as_mut).ok_or_else(|| mistake(FileMistake::Handle, what))
}

fn mistake(mistake: FileMistake, what: impl Into<String>) -> MpiError {
    MpiError::OfFile { mistake, what: what.into() }
}

fn argument(what: impl Into<String>) -> MpiError {
    MpiError::Argument(what.into())
}

/// Carries out the function `name`; a mistake goes to the error handler of the file.
pub(crate) fn call(name: &'static str, file: Handle, body: impl FnOnce(&mut Context) -> Done) -> c_int {
    let mut code = abi::MPI_SUCCESS;
    let outer = mpi_call::call(name, ptr::null_mut(), |context| {
        if let Err(error) = body(context) {
            code = errors::failed(context, name, file, &error);
        }
        Ok(())
    });
    if outer == abi::MPI_SUCCESS { code } else { outer }
}

/// Not with files whose only pointer is the shared one.
fn not_sequential(file: &OpenFile) -> Done {
    if file.has(MPI_MODE_SEQUENTIAL) {
        let what = "a file opened with MPI_MODE_SEQUENTIAL has the shared file pointer alone";
        return Err(mistake(FileMistake::Operation, what));
    }
    Ok(())
}

fn writable(file: &OpenFile) -> Done {
    if file.has(MPI_MODE_RDONLY) {
        return Err(mistake(FileMistake::ReadOnly, "the file was opened with MPI_MODE_RDONLY"));
    }
    Ok(())
}

fn readable(file: &OpenFile) -> Done {
    if file.has(MPI_MODE_WRONLY) {
        return Err(mistake(FileMistake::Access, "the file was opened with MPI_MODE_WRONLY"));
    }
    Ok(())
}
