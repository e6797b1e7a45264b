//! Memory of this process: mapped, protected, looked at, and which of it instances of a program have.

use crate::object::Object;
use std::ffi::{c_int, c_void};
use std::io;
use std::ops::Range;
use std::sync::{PoisonError, RwLock};

/// Maps memory, as `mmap` does.
///
/// # Safety
/// With `MAP_FIXED`, what is at these addresses is not used any more.
pub(crate) unsafe fn map(
    start: usize,
    length: usize,
    protection: c_int,
    flags: c_int,
    (file, offset): (c_int, usize),
) -> io::Result<usize> {
    // SAFETY: the caller's promise.
    let placed =
        unsafe { libc::mmap(start as *mut c_void, length, protection, flags, file, offset as libc::off_t) };
    if placed == libc::MAP_FAILED { Err(io::Error::last_os_error()) } else { Ok(placed as usize) }
}

/// No file, for [`map`].
pub(crate) const NO_FILE: (c_int, usize) = (-1, 0);

/// Changes what may be done with pages.
///
/// # Safety
/// They are used like this only from now on.
pub(crate) unsafe fn protect(start: usize, length: usize, protection: c_int) -> io::Result<()> {
    // SAFETY: the caller's promise.
    done(unsafe { libc::mprotect(start as *mut c_void, length, protection) })
}

/// The error of a call of the kernel that has not returned 0.
pub(crate) fn done(returned: c_int) -> io::Result<()> {
    if returned == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// Copies memory, of which some may not be there, and returns how many words were. In handlers of signals, too.
pub(crate) fn look_at(start: usize, words: &mut [usize]) -> usize {
    let here = libc::iovec { iov_base: words.as_mut_ptr().cast(), iov_len: size_of_val(words) };
    let there = libc::iovec { iov_base: start as *mut c_void, iov_len: size_of_val(words) };
    // SAFETY: the kernel copies what there is, and writes to our own array only.
    let read = unsafe { libc::process_vm_readv(libc::getpid(), &raw const here, 1, &raw const there, 1, 0) };
    usize::try_from(read).unwrap_or(0) / size_of::<usize>()
}

/// Where instances of a program are, to find the one that an address belongs to.
pub(crate) struct InstancePlaces {
    pub(crate) all: Range<usize>,
    pub(crate) stride: usize,
    /// Where the loader has put the program.
    pub(crate) loaded: usize,
}

static INSTANCES: RwLock<Vec<InstancePlaces>> = RwLock::new(Vec::new());

impl InstancePlaces {
    /// From now on these are found.
    pub(crate) fn keep(self) {
        INSTANCES.write().unwrap_or_else(PoisonError::into_inner).push(self);
    }
}

/// The address in the program as it was loaded that stands for this address in an instance. Any other address stays what
/// it is.
pub fn as_loaded(address: usize) -> usize {
    let known = INSTANCES.read().unwrap_or_else(PoisonError::into_inner);
    let holder = known.iter().find(|known| known.all.contains(&address));
    holder.map_or(address, |known| known.loaded + (address - known.all.start) % known.stride)
}

/// Where the code of the program and of all libraries is, as they were loaded.
pub fn code() -> Vec<Range<usize>> {
    let is_code = |header: &&libc::Elf64_Phdr| header.p_flags & libc::PF_X != 0;
    let of = |object: Object| -> Vec<_> {
        object.segments(libc::PT_LOAD).filter(is_code).map(|header| object.range(header)).collect()
    };
    Object::all().into_iter().flat_map(of).collect()
}

/// Returns whether this is an address in an instance. For signal handlers: it takes no lock.
pub(crate) fn is_of_instance(address: usize) -> bool {
    INSTANCES.try_read().is_ok_and(|known| known.iter().any(|known| known.all.contains(&address)))
}
