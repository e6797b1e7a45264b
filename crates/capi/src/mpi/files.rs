//! Files that ranks read and write together (MPI 5.0, chapter 14), on the file system of the host.
//!
//! ```text
//!   access ---> file_view (weir-message): which bytes
//!                      |-------> host: the file itself, shared by all ranks that have opened it together
//!                      '-------> storage (weir-message): when the access is over; a request waits for that
//! ```
//! Data move at the instant at which an access begins. What all ranks of a file do together goes through
//! [`together`].

pub(crate) mod access;
mod host;
pub(crate) mod opening;
pub(crate) mod views;

use crate::mpi::collectives;
use crate::mpi::info::Info;
use crate::mpi::prelude::*;
use crate::rank::mpi_call;
use crate::rank::objects::Numbered;
use crate::rank::{ErrorHandler, errors};
use access::Split;
use host::SharedFile;
use std::ptr;
use std::rc::Rc;
use std::sync::Arc;
use views::{Datarep, Registered};
use weir_collectives::{OperandOrder, Plan};
use weir_message::{FileMistake, FileView, Kind, Predefined, PredefinedOperation};

/// A file as one of its ranks sees it.
pub(crate) struct OpenFile {
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
    pub(crate) open: Numbered<Box<OpenFile>>,
    /// Error handler of calls without an open file, and of files to come.
    handler: ErrorHandler,
    registered: Vec<Registered>,
}

impl Default for Files {
    fn default() -> Self {
        Self { open: Numbered::default(), handler: ErrorHandler::Return, registered: Vec::new() }
    }
}

fn open(context: &mut Context, handle: Handle) -> Result<&mut OpenFile> {
    let what =
        if handle as usize == MPI_FILE_NULL { "it is MPI_FILE_NULL" } else { "it is not an open file" };
    context
        .of::<Files>()
        .open
        .get_mut(handle)
        .map(Box::as_mut)
        .ok_or_else(|| mistake(FileMistake::Handle, what))
}

pub(crate) fn communicator(context: &mut Context, file: Handle) -> Result<CommunicatorId> {
    Ok(open(context, file)?.communicator)
}

fn mistake(mistake: FileMistake, what: impl Into<String>) -> MpiError {
    MpiError::OfFile { mistake, what: what.into() }
}

fn argument(what: impl Into<String>) -> MpiError {
    MpiError::Argument(what.into())
}

/// Carries out the function `name`; a mistake goes to the error handler of the file.
pub(crate) fn call(name: &'static str, file: Handle, body: impl FnOnce(&mut Context) -> Done) -> c_int {
    let mut code = MPI_SUCCESS;
    let outer = mpi_call::call(name, ptr::null_mut(), |context| {
        if let Err(error) = body(context) {
            let (known, file) = match handler_of(context, file) {
                Ok(known) => (*known, file),
                Err(_) => (context.of::<Files>().handler, abi::predefined(MPI_FILE_NULL)),
            };
            let number = abi::error_code(&error);
            code = errors::carry_out(context, known, file, number, || format!("{name} failed: {error}"));
        }
        Ok(())
    });
    if outer == MPI_SUCCESS { code } else { outer }
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

/// The error handler of a file: of `MPI_FILE_NULL` that of files to come. It returns the error's code unless the program says
/// otherwise, unlike those of communicators (MPI 5.0, section 14.7).
pub(crate) fn handler_of(context: &mut Context, file: Handle) -> Result<&mut ErrorHandler> {
    if file as usize == MPI_FILE_NULL {
        return Ok(&mut context.of::<Files>().handler);
    }
    Ok(&mut open(context, file)?.handler)
}

const WORD: usize = size_of::<i64>();

/// Waits for all members of a communicator, in a reduction: so all have come before anybody goes on, and all learn whether they
/// said the same, and whether it failed anywhere. `own` is what is wrong with the call here, `same` what all have to say
/// alike. Fails when the call is wrong anywhere, or something is not the same on all ranks.
fn agree(context: &mut Context, comm: CommunicatorId, own: Done, same: &[i64]) -> Done {
    // The largest of a number and of its complement, which is the smallest of the number.
    let code = own.as_ref().err().map_or(0, |error| i64::from(abi::error_code(error)));
    let words: Vec<i64> = std::iter::once(code).chain(same.iter().flat_map(|&word| [word, !word])).collect();
    let choice = context.rank().world.options.choice.clone();
    let plan = Plan::allreduce(
        &choice,
        collectives::place(context, comm)?,
        words.len(),
        WORD,
        OperandOrder::Commute,
    );
    let largest = PredefinedOperation::new(Predefined::Max, Kind::I64)?;
    let result = collectives::run(context, comm, &plan, Some(Arc::new(largest)), |into| {
        into.chunks_exact_mut(WORD)
            .zip(&words)
            .for_each(|(to, word)| to.copy_from_slice(&word.to_ne_bytes()));
    })?;
    own?;
    let word = |bytes: &[u8]| i64::from_ne_bytes(bytes.try_into().expect("a word has its length"));
    let largest: Vec<i64> = result.chunks_exact(WORD).map(word).collect();
    if largest[0] != 0 {
        return Err(mistake(FileMistake::NotSame, "the call has failed on another rank"));
    }
    if largest[1..].chunks_exact(2).any(|pair| pair[0] != !pair[1]) {
        return Err(mistake(FileMistake::NotSame, "an argument is not the same on all ranks"));
    }
    Ok(())
}

/// The same for all ranks of a file; then the first of them that goes on does `action`, for all.
fn together(
    context: &mut Context,
    handle: Handle,
    own: Done,
    same: &[i64],
    action: impl FnOnce(&SharedFile) -> Done,
) -> Done {
    let file = open(context, handle)?;
    file.turns += 1;
    let (shared, comm, turn) = (Rc::clone(&file.shared), file.communicator, file.turns);
    agree(context, comm, own, same)?;
    shared.once(turn, action)
}
