//! The end of a process that gets no more memory: a line that says so, and exit status 2, as for any input that asks for too
//! much. Programs of users have the C library's allocator, which gives them a null pointer as it always does.

use std::alloc::{GlobalAlloc, Layout, System};
use std::io::Write;
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
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
        or_end(if has_crashed() { alloc(layout) } else { unsafe { System.alloc(layout) } }, layout.size())
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as above.
        let memory = if has_crashed() { alloc(layout) } else { unsafe { System.alloc_zeroed(layout) } };
        or_end(memory, layout.size())
    }

    #[inline]
    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        let moved = if has_crashed() {
            // SAFETY: as above.
            unsafe { realloc(memory, layout, size) }
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

/// So much is taken at a time; what is not used of it takes no room.
const CHUNK: usize = 64 << 20;

/// The rest of the last chunk, and a flag that is set while somebody takes of it.
static NEXT: AtomicUsize = AtomicUsize::new(0);
static END: AtomicUsize = AtomicUsize::new(0);
static TAKEN: AtomicBool = AtomicBool::new(false);

/// New memory after a program has crashed, all zero; null if there is none. It may have crashed in the C library's allocator, which
/// then waits for ever for what was left half done. What the end of the run needs comes from the kernel, and nothing is given back.
#[cold]
pub(crate) fn alloc(layout: Layout) -> *mut u8 {
    if layout.size() >= CHUNK / 4 || layout.align() > 4096 {
        return map(layout.size().saturating_add(layout.align()))
            .map_or(ptr::null_mut(), |start| start.next_multiple_of(layout.align()) as *mut u8);
    }
    while TAKEN.swap(true, Ordering::Acquire) {
        std::hint::spin_loop();
    }
    let mut start = NEXT.load(Ordering::Relaxed).next_multiple_of(layout.align());
    if start + layout.size() > END.load(Ordering::Relaxed) {
        start = map(CHUNK).unwrap_or(0);
        END.store(if start == 0 { 0 } else { start + CHUNK }, Ordering::Relaxed);
    }
    NEXT.store(if start == 0 { 0 } else { start + layout.size() }, Ordering::Relaxed);
    TAKEN.store(false, Ordering::Release);
    start as *mut u8
}

/// The same with what was there before, as far as there is room for it.
///
/// # Safety
/// There is as much memory as the layout says.
#[cold]
pub(crate) unsafe fn realloc(memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
    let Ok(new) = Layout::from_size_align(size, layout.align()) else { return ptr::null_mut() };
    let to = alloc(new);
    if !to.is_null() {
        // SAFETY: the caller's promise; new memory has no other user.
        unsafe { ptr::copy_nonoverlapping(memory, to, layout.size().min(size)) };
    }
    to
}

fn map(bytes: usize) -> Option<usize> {
    let (access, kind) =
        (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE);
    // SAFETY: a new mapping, not known elsewhere.
    let start = unsafe { libc::mmap(ptr::null_mut(), bytes, access, kind, -1, 0) };
    (start != libc::MAP_FAILED).then_some(start as usize)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::{Mutex, PoisonError};

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

    /// The chunk is that of the process: tests of it wait for each other.
    static ALONE: Mutex<()> = Mutex::new(());

    /// Small pieces lie one behind the other in a chunk, to its last byte; long ones, and those of odd places, have their own.
    #[test]
    fn pieces_come_from_chunks() {
        let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
        let left = || (NEXT.load(Ordering::Relaxed), END.load(Ordering::Relaxed));
        let get = |size: usize, align: usize| {
            alloc(Layout::from_size_align(size, align).expect("it is a layout")) as usize
        };
        let longest = CHUNK / 4 - 1;
        let first = get(longest, 1);
        for (size, align) in [(longest, 1), (1, 4096), (1, 1)] {
            let before = left();
            let at = get(size, align);
            assert!(at >= before.0 && at - before.0 < align && at.is_multiple_of(align), "{size} {align}");
            assert_eq!(left(), (at + size, before.1), "{size} {align}");
        }
        let before = left();
        for (size, align) in [(longest + 1, 1), (CHUNK / 2, 16), (1, 8192), (CHUNK, 1)] {
            let at = get(size, align);
            assert!(at.is_multiple_of(align) && !(first..before.1).contains(&at), "{size} {align}");
            assert_eq!(left(), before, "{size} {align}");
        }
        while left().1 - left().0 > longest {
            get(longest, 1);
        }
        let (next, end) = left();
        assert_eq!((get(end - next, 1), left()), (next, (end, end)));
        let new = get(24, 8);
        assert_eq!(left(), (new + 24, new + CHUNK));
    }

    #[test]
    fn memory_is_new_aligned_and_zero() {
        let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
        let mut before = Vec::new();
        for (size, align) in
            [(1, 1), (24, 8), (100, 64), (5000, 4096), (CHUNK / 2, 16), (0, 1), (CHUNK / 5, 8)]
        {
            let layout = Layout::from_size_align(size, align).expect("it is a layout");
            let memory = alloc(layout);
            assert!(!memory.is_null() && (memory as usize).is_multiple_of(align), "{size} {align}");
            // SAFETY: it has just been given.
            let bytes = unsafe { std::slice::from_raw_parts_mut(memory, size) };
            assert!(bytes.iter().all(|&byte| byte == 0));
            bytes.fill(before.len() as u8 + 1);
            before.push(bytes);
        }
        assert!(before.iter().zip(1..).all(|(bytes, number)| bytes.iter().all(|&byte| byte == number)));
        let layout = Layout::from_size_align(24, 8).expect("it is a layout");
        // SAFETY: there are 24 bytes.
        let moved = unsafe { std::slice::from_raw_parts(realloc(before[1].as_mut_ptr(), layout, 48), 48) };
        assert_eq!((&moved[..24], &moved[24..]), (&[2; 24][..], &[0; 24][..]));
    }
}
