//! The simulated program's standard output: it is the simulator's.

use std::io;

/// Writes out what programs have printed and the C library still holds.
pub fn flush() {
    // SAFETY: null means all open streams.
    unsafe { libc::fflush(std::ptr::null_mut()) };
}

/// Ends this process, whatever its other threads and the programs in it are doing. Nothing that is registered for its end is done.
pub fn end_at_once(status: i32) -> ! {
    // SAFETY: nothing of the process is used again.
    unsafe { libc::_exit(status) }
}

/// Writes a line to standard error, at once.
pub(crate) fn error_line(text: &str) {
    flush();
    let line = format!("{text}\n");
    // SAFETY: our own bytes.
    unsafe { libc::write(2, line.as_ptr().cast(), line.len()) };
}

/// While it lives, what programs print to standard output goes to standard error: standard output is kept for data.
#[derive(Debug)]
pub struct ToStandardError {
    original: i32,
}

impl ToStandardError {
    /// Starts to redirect.
    ///
    /// # Errors
    /// When the kernel has no file descriptor left.
    pub fn begin() -> io::Result<Self> {
        flush();
        // SAFETY: file descriptors of this process.
        let original = unsafe { libc::fcntl(1, libc::F_DUPFD_CLOEXEC, 3) };
        // SAFETY: as above.
        if original < 0 || unsafe { libc::dup2(2, 1) } < 0 {
            return Err(io::Error::last_os_error());
        }
        Ok(Self { original })
    }
}

impl Drop for ToStandardError {
    fn drop(&mut self) {
        flush();
        // SAFETY: the descriptor that `begin` has made.
        unsafe {
            libc::dup2(self.original, 1);
            libc::close(self.original);
        }
    }
}
