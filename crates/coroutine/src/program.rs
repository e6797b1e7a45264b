//! One loaded copy of a compiled program: a shared object with a `main`.

use crate::crash::{self, Crash};
use crate::elf_file::{self, Expected};
use crate::object::{Object, Region};
use crate::relocation::Tables;
use std::error::Error;
use std::ffi::{CStr, CString, OsStr, c_void};
use std::fs;
use std::io;
use std::mem::ManuallyDrop;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Why a program cannot be loaded.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum LoadError {
    /// The dynamic loader refuses it.
    #[error("{path}: {reason}")]
    Refused {
        /// The file.
        path: PathBuf,
        /// The loader's words.
        reason: String,
    },
    /// The dynamic loader broke when it loaded it.
    #[error("{path}: it is damaged: the system's loader breaks on it ({crash})")]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The crash of the loader.
        crash: Crash,
    },
    /// It has no symbol of this name.
    #[error("{path}: it has no symbol {symbol:?}; was it built with `weir cc`?")]
    NoSymbol {
        /// The file.
        path: PathBuf,
        /// The symbol.
        symbol: String,
    },
}

/// Threads that run code of a program beside its `main`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Threads {
    /// It makes none.
    None,
    /// It calls a function that makes some.
    Own,
    /// A library makes them for it, as that of OpenMP.
    OfLibraries,
}

/// A program in memory, to the end of the process: its threads may still run, and the C library may know of its signal
/// handlers, buffers of streams and last functions. Its constructors have run; its `main` has not.
pub struct LoadedProgram {
    library: ManuallyDrop<libloading::os::unix::Library>,
    path: PathBuf,
    threads: Threads,
}

impl LoadedProgram {
    /// Loads a program.
    ///
    /// # Errors
    /// When the loader refuses it.
    pub fn load(path: &Path) -> Result<Self, LoadError> {
        let refused = |reason: String| LoadError::Refused { path: path.to_owned(), reason };
        // The loader looks up a bare name in the library path; a path is taken as it is.
        let whole = path.canonicalize().map_err(|error| refused(error.to_string()))?;
        let bytes = fs::read(&whole).map_err(|error| refused(error.to_string()))?;
        elf_file::check(&bytes, Expected::SharedObject).map_err(|why| refused(format!("it {why}")))?;
        drop(bytes);
        let flags = libc::RTLD_NOW | libc::RTLD_LOCAL;
        // SAFETY: its constructors run here, as those of any program somebody asks to run.
        let library = unsafe { libloading::os::unix::Library::open(Some(&whole), flags) };
        let library = library.map_err(|error| {
            let reason = error.source().map_or_else(|| error.to_string(), ToString::to_string);
            // The loader begins with the path, too.
            let reason =
                reason.strip_prefix(&format!("{}: ", whole.display())).map(str::to_owned).unwrap_or(reason);
            refused(reason)
        })?;
        let object = Object::from_on(&whole).into_iter().next();
        let tables = object.as_ref().and_then(Tables::of);
        let threads = tables.iter().flat_map(Tables::uses).map(|used| threads(used.name)).max();
        let threads = threads.unwrap_or(Threads::None);
        Ok(Self { library: ManuallyDrop::new(library), path: whole, threads })
    }

    /// Has the program call other functions instead of those of libraries with these names. Instances made later do so, too.
    ///
    /// # Safety
    /// Each function can be called as the one whose name it has here.
    ///
    /// # Errors
    /// When the kernel does not let the program be changed.
    pub unsafe fn replace(&self, functions: &[(&CStr, *const c_void)]) -> io::Result<()> {
        Object::from_on(&self.path).first().map_or(Ok(()), |program| {
            // SAFETY: the caller's promise.
            unsafe { replace(program, functions) }
        })
    }

    /// Does the same as [`replace`](Self::replace) in the libraries that were loaded with the program.
    ///
    /// # Safety
    /// Those of [`replace`](Self::replace).
    ///
    /// # Errors
    /// Those of [`replace`](Self::replace).
    pub unsafe fn replace_in_libraries(&self, functions: &[(&CStr, *const c_void)]) -> io::Result<()> {
        Object::from_on(&self.path).iter().skip(1).try_for_each(|library| {
            // SAFETY: the caller's promise.
            unsafe { replace(library, functions) }
        })
    }

    /// The calling thread's copy of its thread-local variables, if it has such.
    pub(crate) fn thread_locals(&self) -> Option<Region> {
        Object::from_on(&self.path).first().and_then(Object::thread_locals)
    }

    /// The address of a symbol.
    ///
    /// # Errors
    /// When the program does not have it.
    pub fn symbol(&self, name: &str) -> Result<*mut c_void, LoadError> {
        // SAFETY: the address is only taken, not used.
        let found = unsafe { self.library.get::<*mut c_void>(name) };
        found
            .map(|symbol| symbol.as_raw_ptr())
            .map_err(|_| LoadError::NoSymbol { path: self.path.clone(), symbol: name.into() })
    }

    /// Where the program's writable data are in memory.
    pub(crate) fn writable(&self) -> Vec<Region> {
        Object::from_on(&self.path).first().map(Object::writable).unwrap_or_default()
    }

    /// The threads that it can make.
    pub fn threads(&self) -> Threads {
        self.threads
    }

    /// The file it was loaded from.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for LoadedProgram {
    fn drop(&mut self) {
        crash::expect_end();
    }
}

/// Has an object that is loaded call other functions instead of those with these names.
///
/// # Safety
/// Each function can be called as the one whose name it has here.
unsafe fn replace(object: &Object, functions: &[(&CStr, *const c_void)]) -> io::Result<()> {
    let tables = Tables::of(object);
    for used in tables.iter().flat_map(Tables::uses) {
        if let Some(&(_, function)) = functions.iter().find(|&&(name, _)| name == used.name) {
            // SAFETY: the caller's promise.
            unsafe { used.replace(function as usize)? };
        }
    }
    Ok(())
}

/// Which threads a program makes that uses a function of this name.
fn threads(name: &CStr) -> Threads {
    let name = name.to_bytes();
    let starts = |with: &[&[u8]]| with.iter().any(|start| name.starts_with(start));
    if [b"pthread_create".as_slice(), b"thrd_create"].contains(&name) {
        Threads::Own
    } else if starts(&[b"GOMP_", b"__kmpc_", b"_ZNSt6thread", b"timer_create"]) {
        Threads::OfLibraries
    } else {
        Threads::None
    }
}

/// A file name as C takes it.
pub fn c_string(text: &OsStr) -> CString {
    // There can be no NUL in an argument of a command.
    CString::new(text.as_bytes()).unwrap_or_default()
}
