//! The engine of an experiment, which stands still between two calls.

use crate::rank::OutsideRank;
use crate::requests::{Completion, Outside, Request, Shared, Stop};
use corosensei::stack::DefaultStack;
use corosensei::{Coroutine, CoroutineResult};
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;
use std::sync::Arc;
use weir_experiment::{Problems, Scenario, Source, Workload};
use weir_foreign::{Reader, recognize};
use weir_message::{Body, TAG_UPPER_BOUND};
use weir_network::{Outcome, Program};
use weir_run::{Report, run_stepped};
use weir_units::{Bytes, Duration, Rank, Time};

/// Stack of the engine: as that of a process. Pages that are not used take no memory.
const STACK: usize = 8 << 20;

/// Why a call of a [`Backend`] did nothing, in sentences.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum BackendError {
    /// Something is wrong with the experiment: all mistakes.
    Experiment(Problems),
    /// An argument is wrong; everything else goes on.
    Argument(String),
    /// Nothing is left to happen, and some requests are not complete. It goes on if requests are made that they wait for.
    Deadlock(String),
    /// The run has ended, by a limit or a mistake in its messages, or it did not begin. All calls say so from then on.
    Ended(String),
}

impl fmt::Display for BackendError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Experiment(problems) => problems.fmt(f),
            Self::Argument(what) | Self::Deadlock(what) | Self::Ended(what) => f.write_str(what),
        }
    }
}

impl std::error::Error for BackendError {}

type Result<T> = std::result::Result<T, BackendError>;
/// The end of the run, or why there is none.
type End = Box<std::result::Result<Report, String>>;

/// The network of another simulator, at an instant.
///
/// Its ranks are those of the experiment. Requests are made at [`Self::now`] and are complete later, or at once. Completions come one by one, in the
/// order of the events that bring them about: by time, then in rounds of an instant, within a round by kind (start, departed, arrived, timer), rank,
/// sender and number of the message; those of one event in the order in which they came about. Requests that a rank makes when it gets a
/// completion belong to the same event; those of other ranks, and all that are made between two events, are made in a later round of the
/// instant, by rank, and those of a rank in the order in which they were made. So nothing depends on where time was stopped.
///
/// It belongs to one thread. Memory: what is open and on its way, and some hundred bytes a rank beside what the engine takes.
pub struct Backend {
    shared: Rc<Shared>,
    engine: Coroutine<(), Stop, End>,
    end: Option<End>,
}

impl Backend {
    /// The machine and the engine of an experiment, a machine file, or a machine of another tool; the workload that it may have is left out, but for
    /// `workload.ranks`, without which there are as many ranks as the machine has room for.
    ///
    /// # Errors
    /// Everything that is wrong with it.
    pub fn open(mut source: Source) -> Result<Self> {
        if let Some(path) = &source.experiment
            && matches!(recognize(path).and_then(|format| format.reader.as_ref()), Some(Reader::Machine(_)))
        {
            let file = format!("topology.file={}", path.display());
            source.overrides.splice(0..0, ["topology.kind=graph".to_owned(), file]);
            source.experiment = None;
        }
        source.is_stepped = true;
        let scenario = Scenario::load(&source).map_err(BackendError::Experiment)?;
        if scenario.workload.kind != Workload::Outside {
            let what = "workload.kind must be \"outside\": the program that steps the run says what its ranks do\n\nhint: leave \
                        workload.kind away, and [[jobs]]";
            return Err(BackendError::Argument(what.into()));
        }
        let shared = Rc::new(Shared::new(scenario.workload.ranks));
        let stack = DefaultStack::new(STACK).map_err(|error| {
            BackendError::Ended(format!("no memory for the stack of the engine: {error}"))
        })?;
        let own = Rc::clone(&shared);
        // What goes to another stack is a pointer.
        let scenario = Box::new(scenario);
        let engine = Coroutine::with_stack(stack, move |yielder, ()| {
            let outside = Outside::new(&own, yielder);
            let end = catch_unwind(AssertUnwindSafe(|| run(&scenario, &outside)));
            Box::new(end.unwrap_or_else(|panic| Err(of_panic(&*panic))))
        });
        Ok(Self { shared, engine, end: None })
    }

    /// Number of ranks.
    pub fn ranks(&self) -> usize {
        self.shared.ranks()
    }

    /// The simulated time.
    pub fn now(&self) -> Time {
        self.shared.now.get()
    }

    /// A rank sends so many bytes to another one, or to itself. It is [`Sent`](crate::CompletionKind::Sent) when its buffer is free: at once up to
    /// `node.eager_limit`, else when the data have left after the receiver has asked for them.
    ///
    /// # Errors
    /// Where there is no such rank or tag, and when the run has ended.
    pub fn send(&mut self, rank: Rank, to: Rank, tag: i32, bytes: Bytes, token: u64) -> Result<()> {
        self.check_rank(to)?;
        check_tag(tag)?;
        self.make(rank, Request::Send { to, tag, bytes, token })
    }

    /// A rank receives a message of up to so many bytes, from a rank or any, with a tag or any. Messages of a pair of ranks with the same tag are
    /// received in the order in which they were sent.
    ///
    /// # Errors
    /// Where there is no such rank or tag, and when the run has ended.
    pub fn receive(
        &mut self,
        rank: Rank,
        from: Option<Rank>,
        tag: Option<i32>,
        bytes: Bytes,
        token: u64,
    ) -> Result<()> {
        from.map_or(Ok(()), |from| self.check_rank(from))?;
        tag.map_or(Ok(()), check_tag)?;
        self.make(rank, Request::Receive { from, tag, bytes, token })
    }

    /// A rank asks for a completion in a while.
    ///
    /// # Errors
    /// Where there is no such rank or time, and when the run has ended.
    pub fn schedule(&mut self, rank: Rank, delay: Duration, token: u64) -> Result<()> {
        let at = self.now().as_ps().checked_add(delay.as_ps()).filter(|&at| at < u64::MAX);
        let Some(at) = at.map(Time::from_ps) else {
            return Err(BackendError::Argument(format!(
                "a delay of {delay} goes beyond the simulated time (2^64 ps)"
            )));
        };
        self.make(rank, Request::Timer { at, token })
    }

    /// Lets time pass to the next completion, but not beyond `until`; without it as long as anything happens. Returns `None` when all up to `until`
    /// has happened, which is the time then, or nothing is left to happen and all requests are complete. Now and then `look` is asked whether
    /// to go on.
    ///
    /// # Errors
    /// When `until` is in the past; [`BackendError::Deadlock`] where nothing is left to happen, without `until`, and requests are open; when the run
    /// has ended.
    pub fn next(
        &mut self,
        until: Option<Time>,
        look: &mut dyn FnMut() -> bool,
    ) -> Result<Option<Completion>> {
        self.check_end()?;
        let now = self.now();
        if let Some(until) = until.filter(|&until| until < now) {
            return Err(BackendError::Argument(format!("time cannot go back to {until}: it is {now}")));
        }
        self.shared.until.set(until.unwrap_or(Time::MAX));
        self.shared.has_begun.set(true);
        loop {
            match self.engine.resume(()) {
                CoroutineResult::Yield(Stop::Completed(completion)) => return Ok(Some(completion)),
                CoroutineResult::Yield(Stop::Looks) => {
                    if !look() {
                        self.shared.is_over.set(true);
                    }
                }
                CoroutineResult::Yield(Stop::Paused { is_idle }) => {
                    return match (until, self.shared.deadlock()) {
                        (Some(until), _) => {
                            self.shared.now.set(until);
                            Ok(None)
                        }
                        (None, Some(who)) if is_idle => Err(BackendError::Deadlock(who)),
                        (None, _) => Ok(None),
                    };
                }
                CoroutineResult::Return(end) => {
                    self.end = Some(end);
                    self.check_end()?;
                }
            }
        }
    }

    /// Ends the run where it is, and writes its results folder if the experiment has one (`output.dir`). Returns what it has
    /// counted, again if it has ended before. Of a run in which nothing was left to happen the outcome is that it has finished, or a deadlock
    /// where requests are open; of any other one it is a limit.
    ///
    /// # Errors
    /// When the run did not begin, its results cannot be written, or it has broken.
    pub fn finish(&mut self) -> Result<&Report> {
        self.end_now();
        match self.end.as_deref() {
            Some(Ok(report)) => Ok(report),
            Some(Err(why)) => Err(BackendError::Ended(why.clone())),
            None => Err(BackendError::Ended("the run has no end".into())),
        }
    }

    fn end_now(&mut self) {
        self.shared.is_over.set(true);
        while self.end.is_none() {
            if let CoroutineResult::Return(end) = self.engine.resume(()) {
                self.end = Some(end);
            }
        }
    }

    fn make(&mut self, rank: Rank, request: Request) -> Result<()> {
        self.check_end()?;
        self.check_rank(rank)?;
        self.shared.make(rank, request);
        Ok(())
    }

    fn check_rank(&self, rank: Rank) -> Result<()> {
        if rank.index() < self.ranks() {
            return Ok(());
        }
        let most = self.ranks().saturating_sub(1);
        Err(BackendError::Argument(format!("there is no rank {rank}: ranks are 0 to {most}")))
    }

    fn check_end(&self) -> Result<()> {
        let why = match self.end.as_deref() {
            None => return Ok(()),
            Some(Err(why)) => why.clone(),
            Some(Ok(report)) => match &report.outcome {
                Outcome::Aborted { why, .. } => why.clone(),
                Outcome::Limit(which) => format!("the run has ended: {which}"),
                _ if self.shared.is_over.get() => {
                    "the run has ended: the program that steps the run has ended it".into()
                }
                _ => "packets wait for each other in a circle of buffers, and nothing else is left to happen"
                    .into(),
            },
        };
        Err(BackendError::Ended(why))
    }
}

impl Drop for Backend {
    /// The engine comes to its end, so that what is on its stack is given back.
    fn drop(&mut self) {
        if self.engine.started() && !self.engine.done() {
            self.end_now();
        }
    }
}

fn check_tag(tag: i32) -> Result<()> {
    if tag >= 0 {
        return Ok(());
    }
    Err(BackendError::Argument(format!("there is no tag {tag}: tags are 0 to {TAG_UPPER_BOUND}")))
}

/// The run, on the stack of the engine.
fn run(scenario: &Scenario, outside: &Outside<'_>) -> std::result::Result<Report, String> {
    let costs = Arc::new(scenario.message_costs());
    let mut ranks = OutsideRank::all(outside, &costs);
    let mut programs: Vec<&mut dyn Program<Body = Body>> = ranks.iter_mut().map(|rank| rank as _).collect();
    run_stepped(scenario, &mut programs, &mut |_| ()).map_err(|error| error.to_string())
}

fn of_panic(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| panic.downcast_ref().copied()).unwrap_or("a panic without a message");
    format!("weir has made a mistake: {text}. Nothing is wrong with the caller. Please report it")
}
