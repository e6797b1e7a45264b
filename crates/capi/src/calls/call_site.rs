//! Where in the program an MPI function was called.

use crate::process::{MOST_LANES, lane};
use addr2line::{Loader, demangle_auto};
use std::borrow::Cow;
use std::cell::Cell;
use std::collections::BTreeMap;
use std::ffi::{CStr, c_void};
use std::fmt;
use std::mem::MaybeUninit;
use std::path::Path;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Mutex, PoisonError};
use weir_message::RequestId;
use weir_network::begin_thread;
use weir_units::OwnLine;

/// By lane: the address that the last call of a function of MPI returns to, which the jump table of a program notes.
static NOTED: [OwnLine<AtomicUsize>; MOST_LANES] = [const { OwnLine(AtomicUsize::new(0)) }; MOST_LANES];

thread_local! {
    /// The last address that this thread has looked up.
    static LOOKED_UP: Cell<usize> = const { Cell::new(0) };
}

/// Where the jump table of a lane's ranks is to note addresses.
pub(crate) fn noted_by(lane: usize) -> *mut usize {
    NOTED[lane].0.as_ptr()
}

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

    /// Where the running function of ours was called, as far as the jump table has noted that: costs next to nothing.
    pub(crate) fn noted() -> Option<Self> {
        let address = Some(NOTED[lane()].0.load(Relaxed)).filter(|&address| address != 0);
        let address = address.unwrap_or_else(|| LOOKED_UP.get());
        (address != 0).then(|| Self(weir_coroutine::as_loaded(address)))
    }

    /// In words, as [`CalledIn`] has them. Reads the file on a thread with a stack of its own: that of the rank may be small.
    pub(crate) fn describe(self) -> String {
        let words = move || {
            let (file, offset) = offset_in_file(self.0)?;
            Some(CalledIn::read(&file, offset).to_string())
        };
        // Where the system has no thread left, the number has to do.
        let thread = begin_thread(words, |thread, words| thread.spawn(words));
        let words = thread.ok().and_then(|thread| thread.join().ok()).flatten();
        words.unwrap_or_else(|| format!("{:#x}", self.0))
    }

    /// Returns a name that all ranks and processes have for it, to be read by [`called_in`].
    fn name(self, call: &str) -> String {
        let (file, offset) = offset_in_file(self.0).unwrap_or((Cow::Borrowed("?"), self.0 as u64));
        format!("{call} {offset:x} {file}")
    }
}

/// The file that an address was loaded from, and the place in it.
pub(crate) fn offset_in_file(address: usize) -> Option<(Cow<'static, str>, u64)> {
    let object = object(address)?;
    // SAFETY: the loader's string; the files of a program stay loaded.
    let file = unsafe { CStr::from_ptr(object.dli_fname) }.to_string_lossy();
    Some((file, (address - object.dli_fbase as usize) as u64))
}

/// Where the function `call` of ours, which the program has just called, was called, as a name of the place; empty where that is not
/// known. Takes a few nanoseconds, if it has been called there not long ago.
pub(crate) fn site_of(call: &'static str) -> &'static str {
    const PLACES: usize = 256;
    type Place = (usize, &'static str, &'static str);
    thread_local! {
        /// By the address's last bits: the last one looked up.
        static LAST: [Cell<Place>; PLACES] = const { [const { Cell::new((0, "", "")) }; PLACES] };
    }
    let address = NOTED[lane()].0.swap(0, Relaxed);
    LOOKED_UP.set(address);
    LAST.with(|places| {
        let place = &places[address % PLACES];
        let (last, of, name) = place.get();
        if address != 0 && last == address && std::ptr::eq(of, call) {
            return name;
        }
        match looked_up(address, call) {
            Ok(name) => {
                place.set((address, call, name));
                name
            }
            Err(name) => name,
        }
    })
}

/// The name of the place to which a call returns; an error if the next call to return there may come from elsewhere.
#[cold]
fn looked_up(address: usize, call: &'static str) -> Result<&'static str, &'static str> {
    static NAMES: Mutex<BTreeMap<(usize, &'static str), &'static str>> = Mutex::new(BTreeMap::new());
    let noted = weir_coroutine::as_loaded(address);
    let is_sure = object(noted).is_some_and(|object| !is_binding(&object));
    let Some(site) = (if is_sure { Some(CallSite(noted)) } else { CallSite::of_caller() }) else {
        return Err("");
    };
    let mut names = NAMES.lock().unwrap_or_else(PoisonError::into_inner);
    let name = *names.entry((site.0, call)).or_insert_with(|| site.name(call).leak());
    if is_sure { Ok(name) } else { Err(name) }
}

/// Where a call was made: `main+0x52 of prog (prog.c:12)`, as far as that is known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CalledIn {
    /// The function that was called.
    pub call: String,
    /// The program or library that called it.
    pub file: String,
    /// The function that called it, and how far behind its beginning.
    pub function: Option<(String, u64)>,
    /// Distance from the beginning of the file it was loaded from, in bytes.
    pub offset: u64,
    /// File and line of the source, where it was compiled with `-g`.
    pub line: Option<String>,
}

/// Reads the name of a place ([`weir_message::Process::begin_call`]): looks into the program for function and line.
pub fn called_in(name: &str) -> CalledIn {
    let mut parts = name.splitn(3, ' ');
    let mut next = || parts.next().unwrap_or_default();
    let (call, offset, file) = (next(), next(), next());
    let offset = u64::from_str_radix(offset, 16).unwrap_or_default();
    CalledIn { call: call.into(), ..CalledIn::read(file, offset) }
}

impl CalledIn {
    pub(crate) fn read(file: &str, offset: u64) -> Self {
        let mut found = Self { file: last_part(file), offset, ..Self::default() };
        let Ok(program) = Loader::new(file) else { return found };
        // The call itself ends before the address it returns to.
        let within = offset.saturating_sub(1);
        found.function = program.find_symbol_info(within).map(|symbol| {
            let name = demangle_auto(Cow::Borrowed(symbol.name()), None);
            (name.into_owned(), offset - symbol.address())
        });
        let line = program.find_location(within).ok().flatten();
        found.line = line.and_then(|line| Some(format!("{}:{}", last_part(line.file?), line.line?)));
        found
    }

    /// The line, or what there is instead.
    pub fn short(&self) -> String {
        match (&self.line, &self.function) {
            (Some(line), _) => line.clone(),
            (None, Some((function, offset))) => format!("{function}+{offset:#x}"),
            (None, None) => format!("{}+{:#x}", self.file, self.offset),
        }
    }
}

/// Without folders.
fn last_part(path: &str) -> String {
    Path::new(path).file_name().unwrap_or_default().to_string_lossy().into_owned()
}

impl fmt::Display for CalledIn {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.function {
            Some((function, offset)) => write!(out, "{function}+{offset:#x} of {}", self.file)?,
            None => write!(out, "{}+{:#x}", self.file, self.offset)?,
        }
        self.line.as_ref().map_or(Ok(()), |line| write!(out, " ({line})"))
    }
}

/// Which call has begun each request that is not over.
#[derive(Default)]
pub(crate) struct Origins(BTreeMap<RequestId, (&'static str, Option<CallSite>)>);

impl Origins {
    /// The call is over: new requests are its own.
    pub(crate) fn update(&mut self, open: &[RequestId], call: &'static str) {
        self.0.retain(|known, _| open.binary_search(known).is_ok());
        let mut site = None;
        for &id in open {
            let site = &mut site;
            self.0.entry(id).or_insert_with(|| (call, *site.get_or_insert_with(CallSite::of_caller)));
        }
    }

    pub(crate) fn of(&self, request: RequestId) -> Option<(&'static str, Option<CallSite>)> {
        self.0.get(&request).copied()
    }
}
