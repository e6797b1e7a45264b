//! What ranks print: one standard output for all, and whole lines in it.
//!
//! Every process of a real MPI program has a buffer of its own for standard output, so that a line that is printed in
//! pieces comes out whole. Here all ranks share the C library, so its `stdout` is replaced, for the time of the run, by
//! a line-buffered stream that hands its data to us ([`Output::receive`]). Complete lines go out; the beginning of a line
//! is kept with its rank until the rest comes, the rank flushes, or it ends.

use std::cell::{Cell, RefCell};
use std::ffi::{c_char, c_int, c_void};
use std::ptr;
use std::rc::Rc;
use weir_units::Rank;

/// So much is collected before it is written, unless somebody watches on a terminal.
const COLLECTED: usize = 64 * 1024;

/// C's `FILE`
enum File {}

/// glibc's `cookie_io_functions_t`
#[repr(C)]
struct CookieFunctions {
    read: *const c_void,
    write: extern "C" fn(*mut c_void, *const c_char, usize) -> isize,
    seek: *const c_void,
    close: extern "C" fn(*mut c_void) -> c_int,
}

/// C's `_IOLBF`
const LINE_BUFFERED: c_int = 1;

unsafe extern "C" {
    static mut stdout: *mut File;
    fn fopencookie(cookie: *mut c_void, mode: *const c_char, functions: CookieFunctions) -> *mut File;
    fn setvbuf(file: *mut File, buffer: *mut c_char, mode: c_int, size: usize) -> c_int;
    fn fflush(file: *mut File) -> c_int;
    fn fclose(file: *mut File) -> c_int;
    fn __fpending(file: *mut File) -> usize;
}

/// Standard output of all ranks. Dropping it gives the C library its own stream back.
pub(crate) struct Output {
    stream: *mut File,
    original: *mut File,
    contents: Rc<Contents>,
}

struct Contents {
    /// Complete lines not yet written.
    collected: RefCell<Vec<u8>>,
    /// Beginnings of lines, by rank.
    begun: RefCell<Vec<Vec<u8>>>,
    running: Cell<usize>,
    /// Whether what comes is kept because another rank is going to run.
    keeping: Cell<bool>,
    is_watched: bool,
    /// Whether a rank has closed the stream, for itself and all others.
    is_closed: Cell<bool>,
}

impl Output {
    /// Takes over standard output for so many ranks.
    pub(crate) fn take_over(ranks: usize) -> Self {
        let contents = Rc::new(Contents {
            collected: RefCell::default(),
            begun: RefCell::new(vec![Vec::new(); ranks]),
            running: Cell::new(0),
            keeping: Cell::new(false),
            is_closed: Cell::new(false),
            // SAFETY: asks about a file descriptor.
            is_watched: unsafe { libc::isatty(1) } == 1,
        });
        let functions =
            CookieFunctions { read: ptr::null(), write: receive, seek: ptr::null(), close: closed };
        let cookie = Rc::as_ptr(&contents).cast_mut().cast();
        // SAFETY: the contents live as long as the stream. Only this thread uses C's standard output now.
        unsafe {
            fflush(ptr::null_mut());
            let stream = fopencookie(cookie, c"w".as_ptr(), functions);
            let original = stdout;
            if !stream.is_null() {
                setvbuf(stream, ptr::null_mut(), LINE_BUFFERED, 0);
                stdout = stream;
            }
            Self { stream, original, contents }
        }
    }

    /// From now on this rank prints.
    pub(crate) fn resume(&self, rank: Rank) {
        self.contents.running.set(rank.index());
    }

    /// The rank that was running gives way: the beginning of a line that it has printed is kept with it.
    pub(crate) fn suspend(&self) {
        // SAFETY: our stream, not closed.
        if self.is_open() && unsafe { __fpending(self.stream) } > 0 {
            self.contents.keeping.set(true);
            // SAFETY: as above.
            unsafe { fflush(self.stream) };
            self.contents.keeping.set(false);
        }
    }

    /// Whether the stream is there: the library has made it, and no rank has closed it.
    fn is_open(&self) -> bool {
        !self.stream.is_null() && !self.contents.is_closed.get()
    }

    /// The rank that was running has ended: nothing will complete its line.
    pub(crate) fn end(&self) {
        self.suspend();
        let mut begun = self.contents.begun.borrow_mut();
        let rest = std::mem::take(&mut begun[self.contents.running.get()]);
        self.contents.collected.borrow_mut().extend(rest);
    }
}

impl Drop for Output {
    fn drop(&mut self) {
        self.suspend();
        // SAFETY: the library's own stream, and ours, which nobody uses any more.
        unsafe {
            stdout = self.original;
            if self.is_open() {
                fclose(self.stream);
            }
        }
        let rest: Vec<u8> = self.contents.begun.borrow_mut().drain(..).flatten().collect();
        self.contents.collected.borrow_mut().extend(rest);
        self.contents.write_out();
    }
}

impl Contents {
    fn receive(&self, data: &[u8]) {
        let mut begun = self.begun.borrow_mut();
        let begun = &mut begun[self.running.get()];
        // What does not end a line has been flushed by the rank, or does not fit the stream's buffer.
        let complete = match data.iter().rposition(|&byte| byte == b'\n') {
            _ if !self.keeping.get() => data.len(),
            Some(last) => last + 1,
            None => 0,
        };
        if complete > 0 {
            let mut collected = self.collected.borrow_mut();
            collected.append(begun);
            collected.extend_from_slice(&data[..complete]);
        }
        begun.extend_from_slice(&data[complete..]);
        let is_flushed = !self.keeping.get() && !data.ends_with(b"\n");
        if self.is_watched || is_flushed || self.collected.borrow().len() >= COLLECTED {
            self.write_out();
        }
    }

    fn write_out(&self) {
        let mut collected = self.collected.borrow_mut();
        let mut rest = collected.as_slice();
        while !rest.is_empty() {
            // SAFETY: our own bytes.
            let written = unsafe { libc::write(1, rest.as_ptr().cast(), rest.len()) };
            match usize::try_from(written) {
                Ok(count) => rest = &rest[count..],
                // Nobody reads any more, or the disk is full: as with any program, what is left is lost.
                Err(_) if std::io::Error::last_os_error().kind() != std::io::ErrorKind::Interrupted => break,
                Err(_) => {}
            }
        }
        collected.clear();
    }
}

/// Called by the C library with what the running rank has printed.
extern "C" fn receive(cookie: *mut c_void, data: *const c_char, length: usize) -> isize {
    // SAFETY: the cookie is the contents of a living output, and the library gives so many bytes.
    let (contents, data) =
        unsafe { (&*cookie.cast::<Contents>(), std::slice::from_raw_parts(data.cast(), length)) };
    contents.receive(data);
    length as isize
}

/// Called by the C library when the stream is closed.
extern "C" fn closed(cookie: *mut c_void) -> c_int {
    // SAFETY: the cookie is the contents of a living output.
    unsafe { &*cookie.cast::<Contents>() }.is_closed.set(true);
    0
}
