//! The end of a process that gets no more memory: a line that says so, and exit status 2, as for any input that asks for too
//! much. Programs of users have the C library's allocator, which gives them a null pointer as it always does.

use crate::process::after_crash;
use std::alloc::{GlobalAlloc, Layout, System};
use std::io::Write;
use weir_coroutine::has_crashed;

/// The exit status: the input asks for more than there is.
const STATUS: libc::c_int = 2;

/// The system's allocator; where it has no memory the process ends with a message instead of being aborted. To be declared
/// as `#[global_allocator]` by a command.
#[derive(Clone, Copy, Debug, Default)]
pub struct MemoryOrEnd;

// SAFETY: everything is handed on to the system's allocator, and what it gives is handed back; after a crash new memory comes
// from elsewhere, and none is given back.
unsafe impl GlobalAlloc for MemoryOrEnd {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promises are those that it needs.
        or_end(
            if has_crashed() { after_crash::alloc(layout) } else { unsafe { System.alloc(layout) } },
            layout.size(),
        )
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as above.
        let memory =
            if has_crashed() { after_crash::alloc(layout) } else { unsafe { System.alloc_zeroed(layout) } };
        or_end(memory, layout.size())
    }

    #[inline]
    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        let moved = if has_crashed() {
            // SAFETY: as above.
            unsafe { after_crash::realloc(memory, layout, size) }
        } else {
            // SAFETY: as above.
            unsafe { System.realloc(memory, layout, size) }
        };
        or_end(moved, size)
    }

    #[inline]
    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        if !has_crashed() {
            // SAFETY: as above.
            unsafe { System.dealloc(memory, layout) }
        }
    }
}

#[inline]
fn or_end(memory: *mut u8, bytes: usize) -> *mut u8 {
    if memory.is_null() {
        end(bytes)
    }
    memory
}

/// Says how much there was no memory for, and ends the process: without memory nothing can be put in order any more.
#[cold]
#[inline(never)]
fn end(bytes: usize) -> ! {
    let mut text = [0; 256];
    let mut rest = &mut text[..];
    // Neither needs memory; and a message that does not fit is cut off.
    let _ = write!(
        rest,
        "error: no memory for {bytes} bytes\n\nhint: take a smaller machine, fewer ranks or less data, or a computer (or a limit: \
         ulimit -v) with more memory\n"
    );
    let left = rest.len();
    let length = text.len() - left;
    // SAFETY: the text is as long as that; ending the process at once runs nothing that might need memory.
    unsafe {
        libc::write(libc::STDERR_FILENO, text.as_ptr().cast(), length);
        libc::_exit(STATUS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Memory comes from the system, zero where that is asked for, keeps its contents when it grows, and goes back.
    #[cfg(target_env = "gnu")]
    #[test]
    fn memory_of_the_system() {
        // So much is mapped by itself.
        const BYTES: usize = 64 << 20;
        let layout = |bytes| Layout::from_size_align(bytes, 8).unwrap();
        let is_mapped = |memory: *mut u8| {
            // SAFETY: a question about addresses.
            unsafe { libc::msync(memory.map_addr(|at| at & !4095).cast(), 4096, libc::MS_ASYNC) == 0 }
        };
        // SAFETY: memory of these layouts.
        unsafe {
            let plain = MemoryOrEnd.alloc(layout(24));
            plain.write_bytes(5, 24);
            let grown = MemoryOrEnd.realloc(plain, layout(24), BYTES);
            assert_eq!(std::slice::from_raw_parts(grown, 24), [5; 24]);
            grown.add(BYTES - 1).write(6);
            assert!(is_mapped(grown));
            MemoryOrEnd.dealloc(grown, layout(BYTES));
            assert!(!is_mapped(grown));
            let zeroed = MemoryOrEnd.alloc_zeroed(layout(100));
            assert_eq!(std::slice::from_raw_parts(zeroed, 100), [0; 100]);
            MemoryOrEnd.dealloc(zeroed, layout(100));
        }
    }
}
