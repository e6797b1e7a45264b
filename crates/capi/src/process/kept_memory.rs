//! Memory that is freed while a program runs stays with the process.
//!
//! Messages and collectives have memory as long as their data. The C library gives long pieces back to the system at once, and
//! each of their pages costs a page fault the next time: in a 3-D FFT of 134 MB on 8 ranks that was a quarter of the whole run.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Number of them. The settings are those of the whole process.
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
            set(0, -1);
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
            set(65536, 128 * 1024);
            #[cfg(target_env = "gnu")]
            // SAFETY: the C library's own function.
            unsafe {
                libc::malloc_trim(0)
            };
        }
    }
}

/// The settings of glibc, of which other C libraries have none: pieces that are mapped one by one, at most, and free memory at the
/// end of the heap that is not yet given back, in bytes; -1: no limit. It begins with 65536 and 128 KiB.
#[allow(unused_variables)] // elsewhere
fn set(mapped: libc::c_int, kept: libc::c_int) {
    #[cfg(target_env = "gnu")]
    // SAFETY: the C library's own function, which takes any numbers.
    unsafe {
        libc::mallopt(libc::M_MMAP_MAX, mapped);
        libc::mallopt(libc::M_TRIM_THRESHOLD, kept);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harness::MPI_BYTE;
    use crate::mpi::datatypes::Datatype;
    use crate::mpi::datatypes::buffer::Buffer;
    use std::ops::Range;

    const PAGE: usize = 2 << 20;

    /// Where memory between two addresses is to come in large pages, as the kernel has it; `None` where it has none.
    fn advised(within: Range<usize>) -> Option<Vec<Range<usize>>> {
        std::fs::metadata("/sys/kernel/mm/transparent_hugepage").ok()?;
        let text = std::fs::read_to_string("/proc/self/smaps").ok()?;
        let (mut place, mut found) = (0..0, Vec::<Range<usize>>::new());
        for line in text.lines() {
            let hex = |text: &str| usize::from_str_radix(text, 16).ok();
            let first = line.split(' ').next().unwrap_or_default();
            if let Some((start, end)) = first.split_once('-')
                && let (Some(start), Some(end)) = (hex(start), hex(end))
            {
                place = start.max(within.start)..end.min(within.end);
            }
            let is_advised = line.starts_with("VmFlags:") && line.split(' ').any(|flag| flag == "hg");
            if is_advised && !place.is_empty() {
                found.push(place.clone());
            }
        }
        Some(found)
    }

    /// All large pages that are whole in much memory, and no other: from the first byte on or behind it. Eight megabytes are
    /// much.
    #[test]
    fn whole_pages_of_much_memory_are_large() {
        let (room, none) = (16 * PAGE, std::ptr::null_mut());
        for (offset, bytes, pages) in [
            (0, 4 * PAGE, 0..4),
            (0, 4 * PAGE - 1, 0..0),
            (1, 4 * PAGE, 1..4),
            (PAGE - 1, 4 * PAGE, 1..4),
            (PAGE + 5, 9 * PAGE - 5, 2..10),
            (0, 9 * PAGE + 77, 0..9),
        ] {
            // SAFETY: new memory of our own.
            let start = unsafe {
                let (access, kind) =
                    (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
                libc::mmap(none, room, access, kind | libc::MAP_NORESERVE, -1, 0)
            };
            assert_ne!(start, libc::MAP_FAILED);
            let first = (start as usize).next_multiple_of(PAGE);
            prefer_huge_pages((first + offset) as *mut u8, bytes);
            let found = advised(start as usize..start as usize + room);
            let expected = first + pages.start * PAGE..first + pages.end * PAGE;
            let expected = if expected.is_empty() { vec![] } else { vec![expected] };
            assert!(found.is_none_or(|found| found == expected), "{offset} {bytes}");
            // SAFETY: the memory above.
            unsafe { libc::munmap(start, room) };
        }
    }

    /// Long messages are such memory.
    #[test]
    fn long_messages_have_large_pages() {
        const BYTES: usize = 8 * PAGE;
        let given = vec![1_u8; BYTES];
        let datatype = Datatype::predefined(MPI_BYTE).unwrap();
        let address = given.as_ptr().cast_mut();
        let copy = Buffer { address, count: BYTES, bytes: BYTES, datatype, section: None }.read();
        let start = copy.as_ptr() as usize;
        assert!(advised(start..start + BYTES).is_none_or(|found| !found.is_empty()));
        assert_eq!(*copy, *given);
    }
}
