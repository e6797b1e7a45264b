//! `weir.Backend`: Python steps a run, and its functions are called when something is complete.

use crate::errors::{made, of_problems};
use crate::run::Input;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use weir_backend::{BackendError, CompletionKind, Slab};
use weir_units::{Bytes, Duration, Rank, Time};

/// A request that is complete.
#[pyclass(frozen, get_all, module = "weir")]
pub(crate) struct Completion {
    kind: &'static str,
    rank: u32,
    source: Option<u32>,
    tag: Option<u32>,
    bytes: u64,
    at_ps: u64,
    then: Option<Py<PyAny>>,
}

#[pymethods]
impl Completion {
    fn __repr__(&self) -> String {
        let Self { kind, rank, at_ps, .. } = self;
        format!("Completion(kind='{kind}', rank={rank}, at_ps={at_ps})")
    }
}

/// The base of `weir.Backend`, whose arguments are those of an experiment.
#[pyclass(unsendable, subclass, module = "weir._weir")]
pub(crate) struct Backend {
    own: weir_backend::Backend,
    waiting: Slab<Option<Py<PyAny>>>,
}

fn raised(py: Python<'_>, error: &BackendError) -> PyErr {
    match error {
        BackendError::Experiment(problems) => of_problems(py, problems),
        BackendError::Argument(what) => PyValueError::new_err(what.clone()),
        BackendError::Deadlock(what) => made(py, "DeadlockError", (what.clone(),)),
        error => made(py, "RunError", (error.to_string(),)),
    }
}

impl Backend {
    fn make(
        &mut self,
        py: Python<'_>,
        then: Option<Py<PyAny>>,
        make: impl FnOnce(&mut weir_backend::Backend, u64) -> Result<(), BackendError>,
    ) -> PyResult<()> {
        let token = self.waiting.add(then);
        make(&mut self.own, token).map_err(|error| {
            self.waiting.take(token);
            raised(py, &error)
        })
    }

    fn step(&mut self, py: Python<'_>, until: Option<u64>) -> PyResult<Option<Completion>> {
        let mut interrupted = None;
        let mut look = || {
            interrupted = py.check_signals().err();
            interrupted.is_none()
        };
        let found = self.own.next(until.map(Time::from_ps), &mut look);
        if let Some(interrupted) = interrupted {
            return Err(interrupted);
        }
        let found = found.map_err(|error| raised(py, &error))?;
        Ok(found.map(|weir_backend::Completion { kind, rank, token, at }| {
            let (kind, source, tag, bytes) = match kind {
                CompletionKind::Sent => ("sent", None, None, 0),
                CompletionKind::Received { from, tag, bytes } => {
                    ("received", Some(from.0), Some(tag), bytes.0)
                }
                CompletionKind::Scheduled => ("scheduled", None, None, 0),
            };
            let then = self.waiting.take(token).flatten();
            Completion { kind, rank: rank.0, source, tag, bytes, at_ps: at.as_ps(), then }
        }))
    }
}

/// A number that must not be negative.
fn number<T: TryFrom<i64>>(what: &str, number: i64) -> PyResult<T> {
    T::try_from(number).map_err(|_| {
        PyValueError::new_err(format!("{what} = {number} is not in range: it must be 0 or more"))
    })
}

#[pymethods]
impl Backend {
    #[new]
    fn new(py: Python<'_>, input: Input) -> PyResult<Self> {
        let own = weir_backend::Backend::open(input.source()).map_err(|error| raised(py, &error))?;
        Ok(Self { own, waiting: Slab::default() })
    }

    /// Number of ranks.
    #[getter]
    fn ranks(&self) -> usize {
        self.own.ranks()
    }

    /// The simulated time in picoseconds.
    #[getter]
    fn now_ps(&self) -> u64 {
        self.own.now().as_ps()
    }

    /// `rank` sends `bytes` to rank `to`, with a tag, now.
    #[pyo3(signature = (rank, to, bytes, *, tag=0, then=None))]
    fn send(
        &mut self,
        py: Python<'_>,
        rank: i64,
        to: i64,
        bytes: i64,
        tag: i32,
        then: Option<Py<PyAny>>,
    ) -> PyResult<()> {
        let (rank, to) = (Rank(number("rank", rank)?), Rank(number("to", to)?));
        let bytes = Bytes(number("bytes", bytes)?);
        self.make(py, then, |own, token| own.send(rank, to, tag, bytes, token))
    }

    /// `rank` receives up to `bytes` from rank `source` with a tag; `None`: from any, with any.
    #[pyo3(signature = (rank, bytes, *, source=None, tag=None, then=None))]
    fn receive(
        &mut self,
        py: Python<'_>,
        rank: i64,
        bytes: i64,
        source: Option<i64>,
        tag: Option<i32>,
        then: Option<Py<PyAny>>,
    ) -> PyResult<()> {
        let (rank, bytes) = (Rank(number("rank", rank)?), Bytes(number("bytes", bytes)?));
        let source = source.map(|source| number("source", source)).transpose()?.map(Rank);
        self.make(py, then, |own, token| own.receive(rank, source, tag, bytes, token))
    }

    /// A completion for `rank` in `delay_ps` picoseconds.
    #[pyo3(signature = (rank, delay_ps, *, then=None))]
    fn schedule(
        &mut self,
        py: Python<'_>,
        rank: i64,
        delay_ps: i64,
        then: Option<Py<PyAny>>,
    ) -> PyResult<()> {
        let (rank, delay) = (Rank(number("rank", rank)?), Duration::from_ps(number("delay_ps", delay_ps)?));
        self.make(py, then, |own, token| own.schedule(rank, delay, token))
    }

    /// Lets time pass to the next completion, at most to `until_ps`, and returns it; `None` when there was none.
    #[pyo3(signature = (until_ps=None))]
    fn next(&mut self, py: Python<'_>, until_ps: Option<i64>) -> PyResult<Option<Completion>> {
        let until = until_ps.map(|until| number("until_ps", until)).transpose()?;
        self.step(py, until)
    }

    /// Ends the run, and returns the summary as a text in JSON.
    #[pyo3(name = "_finish")]
    fn finish(&mut self, py: Python<'_>) -> PyResult<String> {
        self.own
            .finish()
            .map(|report| report.summary.to_json().to_string())
            .map_err(|error| raised(py, &error))
    }

    /// Lets time pass to `until_ps`, or as long as anything happens, and calls `then` of each completion with it.
    #[pyo3(signature = (until_ps=None))]
    fn run(slf: &Bound<'_, Self>, until_ps: Option<i64>) -> PyResult<()> {
        let until = until_ps.map(|until| number("until_ps", until)).transpose()?;
        // Nothing is borrowed while a function of the caller runs, which may make requests.
        loop {
            let Some(completion) = slf.borrow_mut().step(slf.py(), until)? else { return Ok(()) };
            if let Some(then) = completion.then.as_ref().map(|then| then.clone_ref(slf.py())) {
                then.call1(slf.py(), (completion,))?;
            }
        }
    }
}
