//! Output of the ranks: one standard output for all, and whole lines in it.
//!
//! Every process of a real MPI program has a buffer of its own for standard output, so that a line that is printed in
//! pieces comes out whole. Here all ranks share the C library, so its `stdout` is replaced, for the time of the run, by
//! a line-buffered stream that hands its data to us ([`Output::receive`]). Complete lines go out; the beginning of a line
//! is kept with its rank until the rest comes, the rank flushes, or it ends.

use crate::process::lane;
use std::ffi::{c_char, c_int, c_void};
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError, TryLockError};
use weir_network::{Moment, Print};
use weir_units::Rank;

/// So much is collected before it is written, unless somebody watches on a terminal.
const COLLECTED: usize = 64 * 1024;

enum File {}

/// glibc's `cookie_io_functions_t`
#[repr(C)]
struct CookieFunctions {
    read: *const c_void,
    write: extern "C" fn(*mut c_void, *const c_char, usize) -> isize,
    seek: *const c_void,
    close: extern "C" fn(*mut c_void) -> c_int,
}

const LINE_BUFFERED: c_int = 1;
const UNBUFFERED: c_int = 2;

unsafe extern "C" {
    static mut stdout: *mut File;
    fn fopencookie(cookie: *mut c_void, mode: *const c_char, functions: CookieFunctions) -> *mut File;
    fn setvbuf(file: *mut File, buffer: *mut c_char, mode: c_int, size: usize) -> c_int;
    fn fflush(file: *mut File) -> c_int;
    fn fclose(file: *mut File) -> c_int;
    fn __fpending(file: *mut File) -> usize;
}

/// Where lines go that the ranks of one of several processes print: to the first one, in the order of events.
#[derive(Debug, Default)]
struct Collected {
    /// The event to which the running rank reacts.
    event: Option<Moment>,
    prints: Vec<Print>,
}

/// Standard output of all ranks of a thread. Dropping the last one gives the C library its own stream back.
pub(crate) struct Output {
    stream: Arc<Stream>,
    contents: Arc<Contents>,
}

/// The stream in the place of the C library's, and the one that was there before.
struct Stream {
    stream: *mut File,
    original: *mut File,
    /// Output of the ranks of each thread.
    all: Arc<AllContents>,
}

// SAFETY: the C library locks its streams; this one is made and closed by one thread.
unsafe impl Send for Stream {}
// SAFETY: as above.
unsafe impl Sync for Stream {}

/// By lane.
struct AllContents(Vec<Arc<Contents>>);

impl AllContents {
    /// Output of the ranks of the calling thread.
    fn here(&self) -> &Contents {
        let last = self.0.len() - 1;
        &self.0[lane().min(last)]
    }
}

/// Threads that programs have made may print, too, while the ranks' thread does something else.
struct Contents {
    lines: Mutex<Lines>,
    running: AtomicUsize,
    /// True if output is kept because another rank is going to run.
    keeping: AtomicBool,
    is_watched: bool,
    /// True if somebody has closed the stream, for all ranks.
    is_closed: AtomicBool,
    /// True if the stream has no buffer: what is printed comes at once, and flushing is said by [`Output::flush_begun`].
    comes_at_once: bool,
}

struct Lines {
    /// Complete lines not yet written.
    collected: Vec<u8>,
    begun: Vec<Vec<u8>>,
    /// If lines go to the first of several processes.
    elsewhere: Option<Collected>,
}

impl Output {
    /// Takes over standard output for so many ranks.
    /// If `is_gathered`, what they print goes to the first of several processes.
    pub(crate) fn take_over(ranks: usize, is_gathered: bool) -> Self {
        let contents = Arc::new(Contents::of(ranks));
        contents.with_lines(|lines| lines.elsewhere = is_gathered.then(Collected::default));
        let stream = Arc::new(Stream::open(vec![Arc::clone(&contents)], LINE_BUFFERED));
        Self { stream, contents }
    }

    /// The same for ranks on several threads, so many on each. The stream has no buffer then, which threads would share.
    pub(crate) fn take_over_for_threads(ranks: &[usize]) -> Vec<Self> {
        let of = |&ranks: &usize| Arc::new(Contents { comes_at_once: true, ..Contents::of(ranks) });
        let all: Vec<Arc<Contents>> = ranks.iter().map(of).collect();
        all.iter().for_each(|contents| {
            contents.with_lines(|lines| lines.elsewhere = Some(Collected::default()));
        });
        let stream = Arc::new(Stream::open(all.clone(), UNBUFFERED));
        all.into_iter().map(|contents| Self { stream: Arc::clone(&stream), contents }).collect()
    }

    /// Standard output as the process has it, for so many ranks.
    #[cfg(any(test, feature = "harness"))]
    pub(crate) fn of_process(ranks: usize) -> Self {
        let contents = Arc::new(Contents::of(ranks));
        let all = Arc::new(AllContents(vec![Arc::clone(&contents)]));
        let stream = Arc::new(Stream { stream: ptr::null_mut(), original: ptr::null_mut(), all });
        Self { stream, contents }
    }

    pub(crate) fn resume(&self, place: usize) {
        self.contents.running.store(place, Ordering::Relaxed);
    }

    /// Sets the event at which the rank prints from now on.
    pub(crate) fn at_event(&self, moment: Moment) {
        self.contents.with_lines(|lines| {
            if let Some(elsewhere) = &mut lines.elsewhere {
                elsewhere.event = Some(moment);
            }
        });
    }

    /// Returns the output since the last call, see [`Console::take`](weir_network::Console::take).
    pub(crate) fn take(&self) -> Vec<Print> {
        let taken =
            self.contents.with_lines(|lines| Some(std::mem::take(&mut lines.elsewhere.as_mut()?.prints)));
        taken.flatten().unwrap_or_default()
    }

    /// Returns the rest of the output, see [`Console::rest`](weir_network::Console::rest); `rank` says which rank is at a place.
    pub(crate) fn rest(&self, rank: impl Fn(usize) -> Rank) -> Vec<Print> {
        let mut rest = self.take();
        self.contents.with_lines(|lines| {
            for (place, text) in lines.begun.iter_mut().enumerate().filter(|(_, text)| !text.is_empty()) {
                rest.push(Print { moment: Moment::after_all(rank(place)), text: std::mem::take(text) });
            }
        });
        rest
    }

    pub(crate) fn show(&self, text: &[u8]) {
        write_all(text);
    }

    /// The rank that was running gives way: the beginning of a line that it has printed is kept with it.
    pub(crate) fn suspend(&self) {
        // SAFETY: our stream, not closed.
        if self.is_open() && unsafe { __fpending(self.stream.stream) } > 0 {
            self.contents.keeping.store(true, Ordering::Relaxed);
            // SAFETY: as above.
            unsafe { fflush(self.stream.stream) };
            self.contents.keeping.store(false, Ordering::Relaxed);
        }
    }

    /// Returns true if the library has made the stream, and no rank has closed it.
    fn is_open(&self) -> bool {
        !self.contents.comes_at_once
            && !self.stream.stream.is_null()
            && !self.contents.is_closed.load(Ordering::Relaxed)
    }

    /// The rank that runs has flushed standard output.
    pub(crate) fn flush_begun(&self) {
        if self.contents.comes_at_once {
            let running = self.contents.running.load(Ordering::Relaxed);
            self.contents.with_lines(|lines| {
                let begun = std::mem::take(&mut lines.begun[running]);
                lines.collected.extend(begun);
                lines.write_out();
            });
        }
    }

    /// The rank that was running has ended: nothing will complete its line.
    pub(crate) fn end(&self) {
        self.suspend();
        let running = self.contents.running.load(Ordering::Relaxed);
        self.contents.with_lines(|lines| {
            let rest = std::mem::take(&mut lines.begun[running]);
            lines.collected.extend(rest);
            if lines.elsewhere.is_some() {
                lines.write_out();
            }
        });
    }

    /// Writes out all complete lines; the beginning of a line of the running rank is kept with it.
    pub(crate) fn flush(&self) {
        self.suspend();
        self.contents.with_lines(Lines::write_out);
    }
}

impl Stream {
    /// Puts a stream in the place of the C library's standard output.
    fn open(all: Vec<Arc<Contents>>, buffering: c_int) -> Self {
        let all = Arc::new(AllContents(all));
        let functions =
            CookieFunctions { read: ptr::null(), write: receive, seek: ptr::null(), close: closed };
        let cookie = Arc::as_ptr(&all).cast_mut().cast();
        // SAFETY: the contents live as long as the stream. Only this thread uses C's standard output now.
        unsafe {
            fflush(ptr::null_mut());
            let stream = fopencookie(cookie, c"w".as_ptr(), functions);
            let original = stdout;
            if !stream.is_null() {
                setvbuf(stream, ptr::null_mut(), buffering, 0);
                stdout = stream;
            }
            Self { stream, original, all }
        }
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        if !self.stream.is_null() {
            let is_closed = self.all.0.iter().any(|contents| contents.is_closed.load(Ordering::Relaxed));
            // SAFETY: the library's own stream, and ours, which is not used any more.
            unsafe {
                stdout = self.original;
                if !is_closed {
                    fclose(self.stream);
                }
            }
        }
        for contents in &self.all.0 {
            contents.with_lines(|lines| {
                lines.collected.extend(lines.begun.drain(..).flatten());
                lines.write_out();
            });
        }
    }
}

impl Contents {
    fn of(ranks: usize) -> Self {
        Self {
            lines: Mutex::new(Lines { collected: vec![], begun: vec![Vec::new(); ranks], elsewhere: None }),
            running: AtomicUsize::new(0),
            keeping: AtomicBool::new(false),
            is_closed: AtomicBool::new(false),
            // SAFETY: asks about a file descriptor.
            is_watched: unsafe { libc::isatty(1) } == 1,
            comes_at_once: false,
        }
    }

    /// Does something with the lines; nothing where a rank that has crashed had them.
    fn with_lines<R>(&self, action: impl FnOnce(&mut Lines) -> R) -> Option<R> {
        if self.comes_at_once && !weir_coroutine::has_crashed() {
            // Another thread may be taking what has been printed.
            return Some(action(&mut self.lines.lock().unwrap_or_else(PoisonError::into_inner)));
        }
        match self.lines.try_lock() {
            Ok(mut lines) => Some(action(&mut lines)),
            Err(TryLockError::Poisoned(lines)) => Some(action(&mut lines.into_inner())),
            Err(TryLockError::WouldBlock) => None,
        }
    }

    /// Takes what has been printed. On any thread, one at a time: the C library locks the stream.
    fn receive(&self, data: &[u8]) {
        let mut lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        let lines = &mut *lines;
        let keeping = self.comes_at_once || self.keeping.load(Ordering::Relaxed);
        let begun = &mut lines.begun[self.running.load(Ordering::Relaxed)];
        // What does not end a line has been flushed by the rank, or does not fit the stream's buffer.
        let complete = match data.iter().rposition(|&byte| byte == b'\n') {
            _ if !keeping => data.len(),
            Some(last) => last + 1,
            None => 0,
        };
        if complete > 0 {
            lines.collected.append(begun);
            lines.collected.extend_from_slice(&data[..complete]);
        }
        begun.extend_from_slice(&data[complete..]);
        let is_flushed = !keeping && !data.ends_with(b"\n");
        if self.is_watched || is_flushed || lines.elsewhere.is_some() || lines.collected.len() >= COLLECTED {
            lines.write_out();
        }
    }
}

impl Lines {
    fn write_out(&mut self) {
        match &mut self.elsewhere {
            None => write_all(&self.collected),
            Some(Collected { event: Some(moment), prints }) if !self.collected.is_empty() => {
                let text = self.collected.clone();
                prints.push(Print { moment: *moment, text });
            }
            Some(_) => {}
        }
        self.collected.clear();
    }
}

fn write_all(text: &[u8]) {
    let mut rest = text;
    while !rest.is_empty() {
        // SAFETY: our own bytes.
        let written = unsafe { libc::write(1, rest.as_ptr().cast(), rest.len()) };
        match usize::try_from(written) {
            Ok(count) => rest = &rest[count..],
            // The reader has gone, or the disk is full: as with any program, what remains is lost.
            Err(_) if std::io::Error::last_os_error().kind() != std::io::ErrorKind::Interrupted => break,
            Err(_) => {}
        }
    }
}

/// Called by the C library with what the running rank has printed.
extern "C" fn receive(cookie: *mut c_void, data: *const c_char, length: usize) -> isize {
    // SAFETY: the cookie is the contents of a living output, and the library gives so many bytes.
    let (all, data) =
        unsafe { (&*cookie.cast::<AllContents>(), std::slice::from_raw_parts(data.cast(), length)) };
    all.here().receive(data);
    length as isize
}

/// Called by the C library when the stream is closed.
extern "C" fn closed(cookie: *mut c_void) -> c_int {
    // SAFETY: the cookie is the contents of a living output.
    unsafe { &*cookie.cast::<AllContents>() }.here().is_closed.store(true, Ordering::Relaxed);
    0
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the collected lines, and the beginnings of lines that ranks keep.
    fn lines(contents: &Contents) -> (String, Vec<String>) {
        let mut found = Default::default();
        contents.with_lines(|lines| {
            let text = |bytes: &Vec<u8>| String::from_utf8_lossy(bytes).into_owned();
            found = (text(&lines.collected), lines.begun.iter().map(text).collect());
        });
        found
    }

    /// A rank that gives way in the middle of a line keeps its beginning; whole lines go out in the order of their ends.
    #[test]
    fn lines_come_out_whole() {
        let output = Output::of_process(2);
        let contents = &output.contents;
        output.resume(0);
        contents.keeping.store(true, Ordering::Relaxed);
        contents.receive(b"one\nbegin");
        assert_eq!(lines(contents), ("one\n".into(), vec!["begin".into(), String::new()]));
        output.resume(1);
        contents.receive(b"two\n");
        assert_eq!(lines(contents), ("one\ntwo\n".into(), vec!["begin".into(), String::new()]));
        output.resume(0);
        contents.receive(b" end\nmore");
        assert_eq!(lines(contents), ("one\ntwo\nbegin end\n".into(), vec!["more".into(), String::new()]));
        // Nothing will complete the line of a rank that has ended.
        output.end();
        assert_eq!(lines(contents), ("one\ntwo\nbegin end\nmore".into(), vec![String::new(), String::new()]));
        contents.with_lines(|lines| lines.collected.clear());
        // What a rank flushes goes out as it is, with what was kept before it.
        contents.receive(b"kept");
        contents.keeping.store(false, Ordering::Relaxed);
        contents.receive(b" line\n");
        assert_eq!(lines(contents), ("kept line\n".into(), vec![String::new(), String::new()]));
        contents.with_lines(|lines| lines.collected.clear());
    }

    /// Lines are collected; what a rank flushes goes out at once, as do lines that somebody watches on a terminal. The test
    /// is carried out in a process of its own.
    #[test]
    fn what_goes_out_at_once() {
        const HERE: &str = "WEIR_TEST_OUTPUT";
        let name = "world::output::tests::what_goes_out_at_once";
        if std::env::var_os(HERE).is_none() {
            let mut command = std::process::Command::new(std::env::current_exe().unwrap());
            command.args([name, "--exact", "--nocapture", "--test-threads=1"]).env(HERE, "1");
            let output = command.output().unwrap();
            let printed = String::from_utf8_lossy(&output.stdout);
            assert!(output.status.success() && printed.contains("one\ntwo, "), "{printed}");
            return;
        }
        let kept = Contents::of(1);
        kept.receive(b"one\n");
        assert_eq!(lines(&kept), ("one\n".into(), vec![String::new()]));
        kept.receive(b"two, ");
        assert_eq!(lines(&kept), (String::new(), vec![String::new()]));
        kept.receive(&[b'\n'; COLLECTED - 1]);
        assert_eq!(lines(&kept).0.len(), COLLECTED - 1);
        kept.receive(b"\n");
        assert_eq!(lines(&kept).0.len(), 0, "there is enough of it");
        let (mut main, mut of_us, none) = (-1, -1, ptr::null_mut());
        // SAFETY: a new terminal for the output of this process.
        unsafe {
            if libc::openpty(&raw mut main, &raw mut of_us, none, none.cast(), none.cast()) < 0 {
                return; // The system has no terminals.
            }
            let before = libc::dup(1);
            libc::dup2(of_us, 1);
            let watched = Contents::of(1);
            watched.receive(b"three\n");
            assert_eq!(lines(&watched), (String::new(), vec![String::new()]));
            libc::dup2(before, 1);
        }
    }
}
