//! Where in the program an MPI function was called.

use std::ffi::{CStr, c_void};
use std::fmt::Write;
use std::mem::MaybeUninit;
use std::path::Path;
use std::process::Command;
use std::thread;

/// An address in the program: where a call of MPI returns to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct CallSite(usize);

/// Whose address it is, as the loader knows it.
fn object(address: usize) -> Option<libc::Dl_info> {
    let mut found = MaybeUninit::uninit();
    // SAFETY: a question about a number; it is answered where the result is not zero.
    unsafe {
        let known = libc::dladdr(address as *const c_void, found.as_mut_ptr()) != 0;
        known.then(|| found.assume_init()).filter(|found| !found.dli_fname.is_null())
    }
}

/// The bindings of Fortran stand between a program and the function it calls.
fn is_binding(object: &libc::Dl_info) -> bool {
    if object.dli_sname.is_null() {
        return false;
    }
    // SAFETY: the loader's string.
    let name = unsafe { CStr::from_ptr(object.dli_sname) }.to_bytes();
    name.ends_with(b"_") && (name.starts_with(b"mpi_") || name.starts_with(b"pmpi_"))
}

impl CallSite {
    /// Where the running function of ours was called: the first place on the stack that is not in our own object. It is
    /// the same for all ranks, whether or not each has an instance of the program.
    #[cold]
    pub(crate) fn of_caller() -> Option<Self> {
        const DEPTH: usize = 32;
        let mut frames = [std::ptr::null_mut(); DEPTH];
        // SAFETY: there is room for so many.
        let count = unsafe { libc::backtrace(frames.as_mut_ptr(), DEPTH as i32) };
        let own = object(Self::of_caller as *const c_void as usize)?.dli_fbase;
        let frames = frames[..usize::try_from(count).unwrap_or(0)].iter();
        let mut outside = frames.map(|&frame| weir_coroutine::as_loaded(frame as usize)).filter(|&frame| {
            object(frame).is_some_and(|object| object.dli_fbase != own && !is_binding(&object))
        });
        outside.next().map(Self)
    }

    /// In words: `main+0x52 of ./prog`, and file and line where the program has them. Asks the system's `addr2line`
    /// for what the loader does not know, on a thread with a stack of its own: that of the rank may be small.
    pub(crate) fn describe(self) -> String {
        // Where the system has no thread left, the number has to do.
        let thread = thread::Builder::new().spawn(move || self.words());
        let words = thread.ok().and_then(|thread| thread.join().ok());
        words.unwrap_or_else(|| format!("{:#x}", self.0))
    }

    fn words(self) -> String {
        let Some(object) = object(self.0) else { return format!("{:#x}", self.0) };
        // SAFETY: the loader's strings.
        let (file, symbol) = unsafe {
            let symbol = (!object.dli_sname.is_null()).then(|| CStr::from_ptr(object.dli_sname));
            (CStr::from_ptr(object.dli_fname).to_string_lossy(), symbol)
        };
        let offset = self.0 - object.dli_fbase as usize;
        let (function, line) = asked(&file, offset);
        let name = Path::new(&*file).file_name().unwrap_or_default().to_string_lossy();
        let mut words = match (symbol, function) {
            (Some(symbol), _) => {
                format!("{}+{:#x} of {name}", symbol.to_string_lossy(), self.0 - object.dli_saddr as usize)
            }
            (None, Some(function)) => format!("{function} of {name}"),
            (None, None) => format!("{name}+{offset:#x}"),
        };
        if let Some(line) = line {
            _ = write!(words, " ({line})");
        }
        words
    }
}

/// Function and line of the call that returns to this offset, as far as `addr2line` is there and knows them.
fn asked(file: &str, offset: usize) -> (Option<String>, Option<String>) {
    let mut command = Command::new("addr2line");
    // The call itself ends before the address it returns to.
    command.args(["-f", "-C", "-e", file, &format!("{:#x}", offset.saturating_sub(1))]);
    let Ok(output) = command.output() else { return (None, None) };
    let text = String::from_utf8_lossy(&output.stdout);
    let mut lines = text.lines();
    let mut known = || lines.next().filter(|line| !line.contains('?')).map(str::to_owned);
    let (function, line) = (known(), known());
    let without_folder = |line: String| {
        let line = line.split(" (").next().unwrap_or_default();
        line.rsplit('/').next().unwrap_or_default().to_owned()
    };
    (function, line.map(without_folder))
}
