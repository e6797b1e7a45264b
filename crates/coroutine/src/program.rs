//! One loaded copy of a compiled program: a shared object with a `main`.

use std::ffi::{CStr, CString, OsStr, c_int, c_void};
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
    /// It has no symbol of this name.
    #[error("{path}: it has no symbol {symbol:?}; was it built with `weir cc`?")]
    NoSymbol {
        /// The file.
        path: PathBuf,
        /// The symbol.
        symbol: String,
    },
}

/// A program in memory. Its constructors have run; its `main` has not.
pub struct Program {
    library: libloading::os::unix::Library,
    path: PathBuf,
}

/// A stretch of writable memory of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Region {
    pub(crate) start: usize,
    pub(crate) length: usize,
}

impl Region {
    /// What of it lies before and behind `hole`.
    pub(crate) fn without(self, hole: Self) -> [Self; 2] {
        let end = self.start + self.length;
        let hole_start = hole.start.clamp(self.start, end);
        let hole_end = (hole.start + hole.length).clamp(hole_start, end);
        [
            Self { start: self.start, length: hole_start - self.start },
            Self { start: hole_end, length: end - hole_end },
        ]
    }
}

impl Program {
    /// Loads a program.
    ///
    /// # Errors
    /// When the loader refuses it.
    pub fn load(path: &Path) -> Result<Self, LoadError> {
        let refused = |reason: String| LoadError::Refused { path: path.to_owned(), reason };
        // The loader looks up a bare name in the library path; a path is taken as it is.
        let whole = path.canonicalize().map_err(|error| refused(error.to_string()))?;
        let flags = libc::RTLD_NOW | libc::RTLD_LOCAL;
        // SAFETY: its constructors run here, as those of any program somebody asks to run.
        let library = unsafe { libloading::os::unix::Library::open(Some(&whole), flags) };
        let library = library.map_err(|error| refused(error.to_string()))?;
        Ok(Self { library, path: whole })
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

    /// Where the program's writable data are in memory: what the loader has not made read-only after relocation, and
    /// this thread's copy of its thread-local variables.
    pub(crate) fn writable(&self) -> Vec<Region> {
        let mut search = Search {
            path: CString::new(self.path.as_os_str().as_bytes()).unwrap_or_default(),
            found: vec![],
        };
        // SAFETY: the callback gets the pointer it is given here, for the time of the call.
        unsafe { libc::dl_iterate_phdr(Some(visit), (&raw mut search).cast()) };
        search.found
    }

    /// The file it was loaded from.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }
}

struct Search {
    path: CString,
    found: Vec<Region>,
}

#[repr(C)]
struct TlsIndex {
    module: usize,
    offset: usize,
}

unsafe extern "C" {
    fn __tls_get_addr(index: *const TlsIndex) -> *mut c_void;
}

unsafe extern "C" fn visit(info: *mut libc::dl_phdr_info, _: usize, search: *mut c_void) -> c_int {
    // SAFETY: the loader gives a valid description of one object, and `search` is what `writable` passed.
    let (info, search) = unsafe { (&*info, &mut *search.cast::<Search>()) };
    // SAFETY: names are C strings.
    if info.dlpi_name.is_null() || unsafe { CStr::from_ptr(info.dlpi_name) } != search.path.as_c_str() {
        return 0;
    }
    // SAFETY: as many program headers as the loader says.
    let headers = unsafe { std::slice::from_raw_parts(info.dlpi_phdr, info.dlpi_phnum as usize) };
    let range = |header: &libc::Elf64_Phdr| {
        let start = info.dlpi_addr as usize + header.p_vaddr as usize;
        (start, start + header.p_memsz as usize)
    };
    let read_only = headers.iter().find(|header| header.p_type == libc::PT_GNU_RELRO).map(range);
    for header in headers {
        let (mut start, end) = range(header);
        if header.p_type == libc::PT_LOAD && header.p_flags & libc::PF_W != 0 {
            // The part made read-only stands at the beginning of the segment and ends on a page.
            if let Some((from, to)) = read_only
                && from <= start
                && to > start
            {
                start = to.next_multiple_of(4096).min(end).min(to.max(start));
            }
            if end > start {
                search.found.push(Region { start, length: end - start });
            }
        } else if header.p_type == libc::PT_TLS && header.p_memsz > 0 {
            let index = TlsIndex { module: info.dlpi_tls_modid, offset: 0 };
            // SAFETY: the module is loaded; the loader gives this thread its copy if it has none yet.
            let start = unsafe { __tls_get_addr(&raw const index) } as usize;
            search.found.push(Region { start, length: header.p_memsz as usize });
        }
    }
    1
}

/// A file name as C wants it.
#[must_use]
pub fn c_string(text: &OsStr) -> CString {
    // Nobody can put a NUL into an argument of a command.
    CString::new(text.as_bytes()).unwrap_or_default()
}
