//! The functions of `include/weir_backend.h`, which says what each of them does.
//!
//! Nothing unwinds into the caller: what panics is an error with its sentence, and the backend has ended. Handlers are called while nothing of
//! the backend is borrowed, so they may call it.
#![allow(unsafe_code, reason = "the caller is C")]

use crate::{Backend, BackendError, Completion, CompletionKind, Slab};
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::ptr;
use std::thread::{self, ThreadId};
use weir_experiment::Source;
use weir_units::{Bytes, Duration, Rank, Time};

const NOTHING: c_int = 0;
const COMPLETED: c_int = 1;
const ARGUMENT: c_int = -1;
const DEADLOCK: c_int = -2;
const ENDED: c_int = -3;
const EXPERIMENT: c_int = -4;
/// Any rank, any tag, any time.
const ANY: i64 = -1;

type Handler = Option<extern "C" fn(*mut c_void)>;

/// A backend as the caller holds it.
pub struct Handle {
    backend: Option<Backend>,
    waiting: Slab<(Handler, *mut c_void)>,
    error: CString,
    thread: ThreadId,
}

/// `weir_backend_completion`.
#[repr(C)]
pub struct CCompletion {
    kind: c_int,
    rank: i32,
    from: i32,
    tag: i32,
    bytes: i64,
    at_ps: i64,
    handler: Handler,
    argument: *mut c_void,
}

type Failed = (c_int, String);

fn failed(error: &BackendError) -> Failed {
    let code = match error {
        BackendError::Experiment(_) => EXPERIMENT,
        BackendError::Argument(_) => ARGUMENT,
        BackendError::Deadlock(_) => DEADLOCK,
        BackendError::Ended(_) => ENDED,
    };
    (code, error.to_string())
}

fn wrong<T>(what: String) -> Result<T, Failed> {
    Err((ARGUMENT, what))
}

fn rank(number: i32) -> Result<Rank, Failed> {
    u32::try_from(number).map_or_else(
        |_| wrong(format!("there is no rank {number}: ranks are 0 and more")),
        |rank| Ok(Rank(rank)),
    )
}

fn not_negative(number: i64, what: &str) -> Result<u64, Failed> {
    u64::try_from(number).map_or_else(|_| wrong(format!("{what} is {number}: it must be 0 or more")), Ok)
}

impl Handle {
    fn new() -> Self {
        Self {
            backend: None,
            waiting: Slab::default(),
            error: CString::default(),
            thread: thread::current().id(),
        }
    }

    /// The result of a function; its error is kept in words.
    fn say(&mut self, result: Result<c_int, Failed>) -> c_int {
        result.unwrap_or_else(|(code, what)| {
            self.error = CString::new(what.replace('\0', " ")).unwrap_or_default();
            code
        })
    }

    fn backend(&mut self) -> Result<&mut Backend, Failed> {
        let Self { backend, thread: own, .. } = self;
        if *own != thread::current().id() {
            return wrong("a backend belongs to the thread that has opened it".into());
        }
        backend.as_mut().ok_or_else(|| (ENDED, "the backend was not opened".into()))
    }

    /// Has a request made that lets its handler know.
    fn make(
        &mut self,
        then: (Handler, *mut c_void),
        make: impl FnOnce(&mut Backend, u64) -> Result<(), BackendError>,
    ) -> Result<c_int, Failed> {
        self.backend()?;
        let token = self.waiting.add(then);
        let made = make(self.backend()?, token);
        if made.is_err() {
            self.waiting.take(token);
        }
        made.map_or_else(|error| Err(failed(&error)), |()| Ok(NOTHING))
    }

    fn step(&mut self, until: i64) -> Result<Option<CCompletion>, Failed> {
        let until = if until == ANY { None } else { Some(Time::from_ps(not_negative(until, "until_ps")?)) };
        let found = self.backend()?.next(until, &mut || true).map_err(|error| failed(&error))?;
        Ok(found.map(|Completion { kind, rank, token, at }| {
            let (handler, argument) = self.waiting.take(token).unwrap_or((None, ptr::null_mut()));
            let (kind, from, tag, bytes) = match kind {
                CompletionKind::Sent => (1, ANY as i32, ANY as i32, 0),
                CompletionKind::Received { from, tag, bytes } => {
                    (2, from.0 as i32, tag as i32, bytes.0 as i64)
                }
                CompletionKind::Scheduled => (3, ANY as i32, ANY as i32, 0),
            };
            let (rank, at_ps) = (rank.0 as i32, at.as_ps() as i64);
            CCompletion { kind, rank, from, tag, bytes, at_ps, handler, argument }
        }))
    }
}

/// Does work on a handle; a null one and a panic are errors.
///
/// # Safety
/// The handle is null or one of [`weir_backend_open`] that has not been closed, and nothing else uses it meanwhile.
unsafe fn with(handle: *mut Handle, work: impl FnOnce(&mut Handle) -> Result<c_int, Failed>) -> c_int {
    // SAFETY: as the caller promises.
    let Some(handle) = (unsafe { handle.as_mut() }) else { return ARGUMENT };
    let result = catch_unwind(AssertUnwindSafe(|| work(handle)));
    let result = result.unwrap_or_else(|_| {
        Err((ENDED, "weir has made a mistake, which it has printed. Please report it".into()))
    });
    handle.say(result)
}

/// # Safety
/// Null, or a text that ends with a zero.
unsafe fn text(text: *const c_char, what: &str) -> Result<String, Failed> {
    if text.is_null() {
        return wrong(format!("{what} is no text"));
    }
    // SAFETY: as the caller promises.
    unsafe { CStr::from_ptr(text) }
        .to_str()
        .map_or_else(|_| wrong(format!("{what} is not in UTF-8")), |text| Ok(text.to_owned()))
}

/// Opens an experiment.
///
/// # Safety
/// The texts end with zeros, there are as many settings as `count` says, and `opened` is a place for a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn weir_backend_open(
    experiment: *const c_char,
    settings: *const *const c_char,
    count: usize,
    opened: *mut *mut Handle,
) -> c_int {
    if opened.is_null() {
        return ARGUMENT;
    }
    let handle = Box::into_raw(Box::new(Handle::new()));
    // SAFETY: as the caller promises; the handle has just been made.
    unsafe {
        opened.write(handle);
        with(handle, |handle| {
            let mut source = Source::default();
            if !experiment.is_null() {
                source.experiment = Some(PathBuf::from(text(experiment, "experiment")?));
            }
            for place in 0..if settings.is_null() { 0 } else { count } {
                source.overrides.push(text(*settings.add(place), "a setting")?);
            }
            handle.backend = Some(Backend::open(source).map_err(|error| failed(&error))?);
            Ok(NOTHING)
        })
    }
}

/// Gives a backend back.
///
/// # Safety
/// The handle is null or one of [`weir_backend_open`] that has not been closed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn weir_backend_close(handle: *mut Handle) {
    if !handle.is_null() {
        // SAFETY: it came from a box, and is not used any more.
        let handle = unsafe { Box::from_raw(handle) };
        // The end of an engine that is broken may panic; the caller has no use for that.
        drop(catch_unwind(AssertUnwindSafe(|| drop(handle))));
    }
}

/// The sentence of the last error.
///
/// # Safety
/// The handle is null or one that is open.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn weir_backend_error(handle: *const Handle) -> *const c_char {
    // SAFETY: as the caller promises.
    unsafe { handle.as_ref() }.map_or(c"there is no backend".as_ptr(), |handle| handle.error.as_ptr())
}

/// Number of ranks; 0 where nothing is open.
///
/// # Safety
/// The handle is null or one that is open.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn weir_backend_ranks(handle: *const Handle) -> i32 {
    // SAFETY: as the caller promises.
    let backend = unsafe { handle.as_ref() }.and_then(|handle| handle.backend.as_ref());
    backend.map_or(0, |backend| backend.ranks() as i32)
}

/// The simulated time in picoseconds.
///
/// # Safety
/// The handle is null or one that is open.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn weir_backend_now(handle: *const Handle) -> i64 {
    // SAFETY: as the caller promises.
    let backend = unsafe { handle.as_ref() }.and_then(|handle| handle.backend.as_ref());
    backend.map_or(0, |backend| backend.now().as_ps() as i64)
}

/// A rank sends.
///
/// # Safety
/// The handle is null or one that is open; the handler may be called with its argument until the backend is closed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn weir_backend_send(
    handle: *mut Handle,
    from: i32,
    to: i32,
    tag: i32,
    bytes: i64,
    handler: Handler,
    argument: *mut c_void,
) -> c_int {
    // SAFETY: as the caller promises.
    unsafe {
        with(handle, |handle| {
            let (from, to, bytes) = (rank(from)?, rank(to)?, Bytes(not_negative(bytes, "bytes")?));
            handle.make((handler, argument), |backend, token| backend.send(from, to, tag, bytes, token))
        })
    }
}

/// A rank receives.
///
/// # Safety
/// The same holds as for [`weir_backend_send`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn weir_backend_receive(
    handle: *mut Handle,
    at: i32,
    from: i32,
    tag: i32,
    bytes: i64,
    handler: Handler,
    argument: *mut c_void,
) -> c_int {
    // SAFETY: as the caller promises.
    unsafe {
        with(handle, |handle| {
            let (at, bytes) = (rank(at)?, Bytes(not_negative(bytes, "bytes")?));
            let from = if i64::from(from) == ANY { None } else { Some(rank(from)?) };
            let tag = Some(tag).filter(|&tag| i64::from(tag) != ANY);
            handle.make((handler, argument), |backend, token| backend.receive(at, from, tag, bytes, token))
        })
    }
}

/// A rank asks for a completion in a while.
///
/// # Safety
/// The same holds as for [`weir_backend_send`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn weir_backend_schedule(
    handle: *mut Handle,
    of: i32,
    delay_ps: i64,
    handler: Handler,
    argument: *mut c_void,
) -> c_int {
    // SAFETY: as the caller promises.
    unsafe {
        with(handle, |handle| {
            let (of, delay) = (rank(of)?, Duration::from_ps(not_negative(delay_ps, "delay_ps")?));
            handle.make((handler, argument), |backend, token| backend.schedule(of, delay, token))
        })
    }
}

/// Steps to the next completion.
///
/// # Safety
/// The handle is null or one that is open; `completion` is null or a place for one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn weir_backend_next(
    handle: *mut Handle,
    until_ps: i64,
    completion: *mut CCompletion,
) -> c_int {
    // SAFETY: as the caller promises.
    unsafe {
        with(handle, |handle| {
            let Some(found) = handle.step(until_ps)? else { return Ok(NOTHING) };
            if !completion.is_null() {
                completion.write(found);
            }
            Ok(COMPLETED)
        })
    }
}

/// Ends the run, and has its results written.
///
/// # Safety
/// The handle is null or one that is open.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn weir_backend_finish(handle: *mut Handle) -> c_int {
    // SAFETY: as the caller promises.
    unsafe {
        with(handle, |handle| {
            handle.backend()?.finish().map_or_else(|error| Err(failed(&error)), |_| Ok(NOTHING))
        })
    }
}

/// Steps, and calls handlers.
///
/// # Safety
/// The handle is null or one that is open; handlers do not close the backend.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn weir_backend_run(handle: *mut Handle, until_ps: i64) -> c_int {
    loop {
        let mut found = None;
        // SAFETY: as the caller promises; the handler is called when nothing is borrowed.
        let code = unsafe {
            with(handle, |handle| {
                found = handle.step(until_ps)?;
                Ok(if found.is_some() { COMPLETED } else { NOTHING })
            })
        };
        match found {
            Some(CCompletion { handler: Some(handler), argument, .. }) => handler(argument),
            Some(_) => {}
            None => return code,
        }
    }
}
