//! Added to the crate under test by `make mutants`: which mutant is selected, and which are reached.
//!
//! `WEIR_MUTANT=17` selects mutant 17. `WEIR_MUTANT_TRACE=file` selects none, and writes 1 into byte `id` of the file for
//! each mutant that is reached. The file is mapped shared: so marks of subprocesses and of those that crash are there too.
#![allow(unsafe_code, missing_docs)]

use std::ffi::{c_int, c_long, c_void};
use std::os::fd::AsRawFd;
use std::sync::atomic::{AtomicPtr, AtomicU32, AtomicUsize, Ordering::Relaxed};

const UNKNOWN: u32 = u32::MAX;
const NONE: u32 = u32::MAX - 1;
const TRACED: u32 = u32::MAX - 2;

static SELECTED: AtomicU32 = AtomicU32::new(UNKNOWN);
static MARKS: AtomicPtr<u8> = AtomicPtr::new(std::ptr::null_mut());
static LENGTH: AtomicUsize = AtomicUsize::new(0);

unsafe extern "C" {
    fn mmap(at: *mut c_void, length: usize, protection: c_int, flags: c_int, file: c_int, offset: c_long)
    -> *mut c_void;
}

/// Whether mutant `id` is selected.
#[inline]
pub(crate) fn on(id: u32) -> bool {
    let selected = SELECTED.load(Relaxed);
    if selected == NONE { false } else { selected == id || (selected >= TRACED && special(id)) }
}

/// At the first call, which reads the environment, and whenever marks are made.
#[cold]
fn special(id: u32) -> bool {
    if SELECTED.load(Relaxed) == UNKNOWN {
        SELECTED.store(read(), Relaxed);
    }
    match SELECTED.load(Relaxed) {
        TRACED if (id as usize) < LENGTH.load(Relaxed) => {
            // SAFETY: the mapping has LENGTH bytes and is never unmapped; bytes are only ever set to 1.
            unsafe { MARKS.load(Relaxed).add(id as usize).write_volatile(1) };
            false
        }
        selected => selected == id,
    }
}

fn read() -> u32 {
    if let Some(path) = std::env::var_os("WEIR_MUTANT_TRACE") {
        return map(&path).map_or(NONE, |()| TRACED);
    }
    std::env::var("WEIR_MUTANT").ok().and_then(|id| id.parse().ok()).unwrap_or(NONE)
}

fn map(path: &std::ffi::OsStr) -> Option<()> {
    let file = std::fs::OpenOptions::new().read(true).write(true).open(path).ok()?;
    let length = file.metadata().ok()?.len() as usize;
    const READ_WRITE: c_int = 3;
    const SHARED: c_int = 1;
    // SAFETY: a new mapping of a whole file, wherever the kernel puts it.
    let at = unsafe { mmap(std::ptr::null_mut(), length, READ_WRITE, SHARED, file.as_raw_fd(), 0) };
    MARKS.store(at.cast(), Relaxed);
    LENGTH.store(if at as isize == -1 { 0 } else { length }, Relaxed);
    Some(())
}
