//! Python waits for a thread of the simulator: without its lock, and so that Ctrl-C works.
//!
//! ```text
//!  Python's thread   --- begins --->   thread "weir"
//!     every 100 ms: signals?  ------>  interrupt: the run ends as by a limit
//!                   progress? <------  how far it is
//!     result                  <------
//! ```

use crate::errors::of_panic;
use pyo3::exceptions::{PyKeyboardInterrupt, PyRuntimeError};
use pyo3::prelude::*;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;
use weir_network::{Progress, Watch, forget_interruption, interrupt, interrupted_by};

/// Time between two looks at signals and progress.
const LOOK: Duration = Duration::from_millis(100);
/// Stack of the thread, equal to that of the command's own thread.
const STACK: usize = 8 << 20;
const SIGINT: i32 = 2;

/// Number of runs of this process that are under way.
static UNDER_WAY: AtomicUsize = AtomicUsize::new(0);

/// A run that is under way. The last one to end takes back that runs were asked to end: an interruption is of those that were
/// there.
struct UnderWay;

impl UnderWay {
    fn begin() -> Self {
        if UNDER_WAY.fetch_add(1, Ordering::AcqRel) == 0 {
            forget_interruption();
        }
        Self
    }
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        if UNDER_WAY.fetch_sub(1, Ordering::AcqRel) == 1 {
            forget_interruption();
        }
    }
}

/// State that both threads share.
struct Shared<R> {
    state: Mutex<State<R>>,
    ended: Condvar,
}

struct State<R> {
    progress: Option<Progress>,
    result: Option<thread::Result<R>>,
}

impl<R> Shared<R> {
    fn state(&self) -> MutexGuard<'_, State<R>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The result, if it is there within the time between two looks.
    fn result(&self) -> Option<thread::Result<R>> {
        let waits = |state: &mut State<R>| state.result.is_none();
        let waited = self.ended.wait_timeout_while(self.state(), LOOK, waits);
        waited.unwrap_or_else(PoisonError::into_inner).0.result.take()
    }
}

/// Asks all runs of this process that are under way to end, as Ctrl-C does: for those of other threads than Python's first one,
/// which has the signals.
#[pyfunction]
pub(crate) fn interrupt_runs() {
    if UNDER_WAY.load(Ordering::Acquire) > 0 {
        interrupt(SIGINT);
    }
}

/// Does work in a thread of its own and waits for it.
///
/// # Errors
/// `KeyboardInterrupt`, or what `progress` raises, when the work has ended after it was asked to; for a second interruption at
/// once. `InternalError` for a panic.
pub(crate) fn waited<R: Send + 'static>(
    py: Python<'_>,
    progress: Option<&Bound<'_, PyAny>>,
    work: impl FnOnce(Watch<'_>) -> R + Send + 'static,
) -> PyResult<R> {
    let state = Mutex::new(State { progress: None, result: None });
    let shared = Arc::new(Shared { state, ended: Condvar::new() });
    let kept = Arc::clone(&shared);
    let under_way = UnderWay::begin();
    let thread = thread::Builder::new().name("weir".into()).stack_size(STACK).spawn(move || {
        let watch: Watch<'_> = &mut |progress| kept.state().progress = Some(progress);
        let result = catch_unwind(AssertUnwindSafe(|| work(watch)));
        let is_asked = interrupted_by().is_some();
        drop(under_way);
        kept.state().result = Some(result);
        kept.ended.notify_all();
        is_asked
    });
    let thread =
        thread.map_err(|error| PyRuntimeError::new_err(format!("no thread for the run: {error}")))?;
    let mut raised = None;
    let result = loop {
        if let Some(result) = py.detach(|| shared.result()) {
            break result;
        }
        // What has ended the run is not asked again while it ends.
        if let Err(error) = look(py, progress.filter(|_| raised.is_none()), &shared) {
            interrupt(SIGINT);
            if raised.is_some() {
                return Err(error);
            }
            raised = Some(error);
        }
    };
    let is_asked = py.detach(|| thread.join()).unwrap_or(false);
    let result = result.map_err(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        of_panic(py, text.or_else(|| panic.downcast_ref().copied()).unwrap_or("a panic without a message"))
    });
    match raised {
        Some(error) => Err(error),
        // Another thread has had all runs asked to end.
        None if is_asked => Err(PyKeyboardInterrupt::new_err("")),
        None => result,
    }
}

/// Handles signals of Python, and shows progress.
fn look<R>(py: Python<'_>, progress: Option<&Bound<'_, PyAny>>, shared: &Shared<R>) -> PyResult<()> {
    py.check_signals()?;
    let Some(progress) = progress else { return Ok(()) };
    let Some(Progress { now, messages, bytes, stage, .. }) = shared.state().progress.take() else {
        return Ok(());
    };
    progress.call1((now.as_secs_f64(), messages, bytes.0, stage.map(|stage| stage.what)))?;
    Ok(())
}
