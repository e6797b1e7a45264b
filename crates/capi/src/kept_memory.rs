//! Memory that is freed while a program runs stays with the process.
//!
//! Messages and collectives have memory as long as their data. The C library gives long pieces back to the system at once, and
//! each of their pages costs a page fault the next time: in a 3-D FFT of 134 MB on 8 ranks that was a quarter of the whole run.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// How many there are. The settings are those of the whole process.
static KEEPING: Mutex<usize> = Mutex::new(0);

fn keeping() -> MutexGuard<'static, usize> {
    KEEPING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// While one of these lives, freed memory is kept for what is allocated next; with the last one it goes back to the system.
#[derive(Debug)]
pub(crate) struct KeptMemory;

impl KeptMemory {
    pub(crate) fn begin() -> Self {
        let mut keeping = keeping();
        if *keeping == 0 {
            set(Memory::Kept);
        }
        *keeping += 1;
        Self
    }
}

impl Drop for KeptMemory {
    fn drop(&mut self) {
        let mut keeping = keeping();
        *keeping -= 1;
        // After a crash the allocator may be what has been left half done.
        if *keeping == 0 && !weir_coroutine::has_crashed() {
            set(Memory::GivenBack);
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Memory {
    Kept,
    GivenBack,
}

/// The settings of glibc; other C libraries have none.
#[cfg(target_env = "gnu")]
fn set(memory: Memory) {
    // Pieces that are mapped one by one, at most, and free memory at the end of the heap that is not yet given back, in
    // bytes; -1: no limit. The second ones are those glibc begins with.
    let (mapped, kept) = match memory {
        Memory::Kept => (0, -1),
        Memory::GivenBack => (65536, 128 * 1024),
    };
    // SAFETY: the C library's own functions, which take any numbers.
    unsafe {
        libc::mallopt(libc::M_MMAP_MAX, mapped);
        libc::mallopt(libc::M_TRIM_THRESHOLD, kept);
        if memory == Memory::GivenBack {
            libc::malloc_trim(0);
        }
    }
}

/// Memory of our own that is about to be filled comes in large pages, if there is much of it: a message of 2 GB costs
/// half a million page faults otherwise.
pub(crate) fn prefer_huge_pages(start: *mut u8, bytes: usize) {
    const PAGE: usize = 2 << 20;
    if bytes < 4 * PAGE {
        return;
    }
    let first = (start as usize).next_multiple_of(PAGE);
    let length = (start as usize + bytes - first) / PAGE * PAGE;
    // SAFETY: whole pages of memory that is ours; it is advice, which changes nothing but the time it takes.
    unsafe { libc::madvise(first as *mut libc::c_void, length, libc::MADV_HUGEPAGE) };
}

#[cfg(not(target_env = "gnu"))]
fn set(_: Memory) {}
