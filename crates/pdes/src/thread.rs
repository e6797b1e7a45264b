//! The beginning of a thread where memory may be scarce.

use memmap2::MmapMut;
use std::io;
use std::sync::mpsc::channel;
use std::thread::Builder;

/// The size of the stack of a thread, in bytes.
const STACK: usize = 2 << 20;

/// The memory that the C library and the standard library may ask the system for in a new thread before its work begins, in
/// bytes: they use some thousand, and the allocator takes a megabyte at a time.
const FIRST_STEPS: usize = 2 << 20;

/// Begins a thread that does `work`, by a `spawn` such as [`Builder::spawn`], and returns what `spawn` does.
///
/// Where a new thread gets no memory in its first steps, the C library aborts the process. So the system is asked for that
/// memory before, and the calling thread waits until those steps are done, since it might take the memory meanwhile.
///
/// # Errors
/// When the system has no memory or no thread to give.
pub fn begin_thread<'work, R: 'work, T>(
    work: impl FnOnce() -> R + Send + 'work,
    spawn: impl FnOnce(Builder, Box<dyn FnOnce() -> R + Send + 'work>) -> io::Result<T>,
) -> io::Result<T> {
    MmapMut::map_anon(STACK + FIRST_STEPS)?;
    let (begun, has_begun) = channel();
    let work = move || {
        // The calling thread waits for this, so that it is there to receive it.
        let _ = begun.send(());
        work()
    };
    let thread = spawn(Builder::new().stack_size(STACK), Box::new(work))?;
    has_begun.recv().map_err(io::Error::other)?;
    Ok(thread)
}
