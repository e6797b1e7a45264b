//! Context of a run beside the machine and the programs: placement, limits, who is shown the run.

use crate::record::{Keep, Recorder, Requested};
use crate::{Checkpoints, JobRanks, Limits, Moment, Placement, ServiceClasses, Watch};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use weir_pdes::{OneProcess, Transport};
use weir_units::{Rank, Time};

/// Where ranks run, when to give up, who is shown progress and what is kept. Only the placement has no default.
pub struct RunContext<'a> {
    /// The node of each rank.
    pub placement: &'a Placement,
    /// When to give up; never by default.
    pub limits: Limits,
    /// Called now and then with the progress of the run; nothing by default.
    pub watch: Watch<'a>,
    /// Receives what is to be kept, while the run goes on, on the calling thread; none by default.
    pub recorder: Option<&'a mut dyn Recorder>,
    /// The most threads that may be used, 1 by default; the result does not depend on it.
    pub threads: usize,
    /// The processes that run it together, one by default; the result does not depend on it.
    pub processes: &'a mut dyn Transport,
    /// Which ranks the programs are that this process is given, in ascending order; all by default.
    pub ranks: Option<&'a [Rank]>,
    /// Output of the ranks, if it is to be brought to the first of several processes; none by default.
    pub console: Option<&'a dyn Console>,
    /// The service classes whose messages are counted apart; none by default. The flow engine shares links by them; the packet engine
    /// has them in its routers, and the ideal one knows no links.
    pub services: Option<&'a ServiceClasses>,
    /// Lets ranks keep account of their time; not by default.
    pub causes: Keep,
    /// Number of steps of paths that each rank keeps then, for whoever draws the critical path; none by default.
    pub path_steps: usize,
    /// Shows the watch then, now and then, the causes of the time of ranks so far; not by default.
    pub shows_causes: Keep,
    /// The ranks of each of several jobs, if it is to be counted for whose messages those of each job wait at links; not by default.
    pub jobs: Option<Arc<JobRanks>>,
    /// Where what the run has reached is kept, and what it goes on from; nowhere by default. In all processes or in none.
    pub checkpoints: Option<&'a mut dyn Checkpoints>,
}

/// Functions that set a field each.
macro_rules! setters {
    ($($(#[$doc:meta])* $name:ident = $field:ident: $type:ty,)*) => {
        $($(#[$doc])* #[must_use] pub fn $name(self, $field: $type) -> Self { Self { $field, ..self } })*
    };
}

impl<'a> RunContext<'a> {
    /// Ranks on these nodes, without limits, recorder or progress, on one thread of one process.
    pub fn new(placement: &'a Placement) -> Self {
        // Neither has any state, so they take no memory: nothing leaks.
        let watch: Watch<'a> = Box::leak(Box::new(|_| ()));
        let processes = Box::leak(Box::new(OneProcess));
        Self {
            placement,
            limits: Limits::default(),
            watch,
            recorder: None,
            threads: 1,
            processes,
            ranks: None,
            console: None,
            services: None,
            causes: Keep::No,
            path_steps: 0,
            shows_causes: Keep::No,
            jobs: None,
            checkpoints: None,
        }
    }

    /// The same for a while: more can be run with it after that.
    pub fn reborrow(&mut self) -> RunContext<'_> {
        RunContext {
            placement: self.placement,
            limits: self.limits,
            watch: &mut *self.watch,
            recorder: self.recorder.as_mut().map(|recorder| &mut **recorder as &mut dyn Recorder),
            threads: self.threads,
            processes: &mut *self.processes,
            ranks: self.ranks,
            console: self.console,
            services: self.services,
            causes: self.causes,
            path_steps: self.path_steps,
            shows_causes: self.shows_causes,
            jobs: self.jobs.clone(),
            checkpoints: self.checkpoints.as_mut().map(|kept| &mut **kept as &mut dyn Checkpoints),
        }
    }

    /// A copy of the requests of the recorder, if there is one.
    pub fn requested(&self) -> Option<Requested> {
        self.recorder.as_ref().map(|recorder| recorder.requested().clone())
    }

    /// For traffic that no ranks send, else as [`Self::new`].
    pub fn without_ranks() -> Self {
        static NOWHERE: Placement = Placement::new(Vec::new());
        Self::new(&NOWHERE)
    }

    setters! {
        /// Gives up at these limits.
        limits = limits: Limits,
        /// Calls this with the progress of the run.
        watch = watch: Watch<'a>,
        /// Keeps what this recorder keeps, if there is one.
        recorder = recorder: Option<&'a mut dyn Recorder>,
        /// Uses so many threads at the most.
        threads = threads: usize,
        /// Brings what the ranks print to the first process.
        console = console: Option<&'a dyn Console>,
        /// Counts the messages of these service classes apart, if there are some.
        services = services: Option<&'a ServiceClasses>,
        /// Lets ranks keep account of their time.
        causes = causes: Keep,
        /// Keeps so many steps of paths at each rank, where ranks keep account.
        path_steps = path_steps: usize,
        /// Shows the watch now and then the causes of the time of ranks so far, where ranks keep account.
        showing_causes = shows_causes: Keep,
        /// Counts for which jobs those with these ranks wait at links, if they are given.
        jobs = jobs: Option<Arc<JobRanks>>,
    }

    /// Runs together with these processes: this one has the programs of these ranks, in ascending order; of all if it is the
    /// only one.
    #[must_use]
    pub fn processes(self, processes: &'a mut dyn Transport, ranks: Option<&'a [Rank]>) -> Self {
        Self { processes, ranks, ..self }
    }

    /// Keeps what it reaches there, and goes on from what is there.
    #[must_use]
    pub fn checkpoints<'b: 'a>(self, checkpoints: Option<&'a mut (dyn Checkpoints + 'b)>) -> Self {
        Self { checkpoints: checkpoints.map(|checkpoints| checkpoints as &mut dyn Checkpoints), ..self }
    }
}

/// The programs of a process with their ranks: these ([`RunContext::ranks`]), or all.
///
/// # Panics
/// When there is not a rank for each program.
pub fn numbered<'p, P>(
    ranks: Option<&[Rank]>,
    programs: &'p mut [P],
) -> impl Iterator<Item = (Rank, &'p mut P)> {
    let given = ranks.map_or(programs.len(), <[Rank]>::len);
    assert!(given == programs.len(), "{given} ranks for {} programs", programs.len());
    let rank = move |place| ranks.map_or(Rank::new(place), |ranks| ranks[place]);
    programs.iter_mut().enumerate().map(move |(place, program)| (rank(place), program))
}

/// Something that a rank has printed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Print {
    /// The event to which the rank reacts.
    pub moment: Moment,
    /// The printed bytes.
    pub text: Vec<u8>,
}

/// Output of the ranks of a process, for the engine to bring to the first process.
pub trait Console {
    /// Takes all that was printed since the last call, in the order of printing.
    fn take(&self) -> Vec<Print>;

    /// Takes the rest when all is over: beginnings of lines, by rank.
    fn rest(&self) -> Vec<Print>;

    /// Writes what ranks of any process have printed to where it belongs.
    fn show(&self, text: &[u8]);
}

/// In the first process: what has come, to be shown in the order of events.
#[derive(Debug, Default)]
pub struct Prints(Vec<Print>);

impl Prints {
    /// Adds prints of the ranks of one process, in the order of printing.
    pub fn add(&mut self, prints: impl IntoIterator<Item = Print>) {
        self.0.extend(prints);
    }

    /// Leaves out what was printed at events after this one, which has ended the run; beginnings of lines stay, as what remains of all.
    pub fn forget_after(&mut self, moment: Moment) {
        self.0.retain(|print| print.moment <= moment || print.moment.at == Time::MAX);
    }

    /// Shows all that was printed before an instant, of which nothing will come any more, in the order of events.
    pub fn show_before(&mut self, instant: Time, console: &dyn Console) {
        // What one rank has printed at one event keeps its order.
        self.0.sort_by_key(|print| print.moment);
        let later = self.0.partition_point(|print| print.moment.at < instant);
        for print in self.0.drain(..later) {
            console.show(&print.text);
        }
    }
}
