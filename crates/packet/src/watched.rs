//! The loop over windows as the calling thread sees it: it shows how far the run is, and ends it when it has taken too long.

use crate::counts::Left;
use crate::halts::{Checkpointing, change};
use crate::parts::{Endpoints, Halt, Worker};
use crate::processes::{Processes, Reached};
use crate::remote::RemoteRouters;
use crate::series::report_mail;
use std::time::Instant;
use weir_network::causes::SumsDue;
use weir_network::{Console, Limits, Looks, Prints, Progress, Recorder, RunContext, Watch, interrupted_by};
use weir_pdes::{Gathering, Letters, Next, Part, RunPosition, Window};
use weir_units::{Bytes, Time};

/// The part on the calling thread: shows how far the run is, and ends it when it has taken too long.
struct Watched<'w, 'a, 'r, 'k, E> {
    worker: &'w mut Worker<'a, E>,
    watch: Watch<'w>,
    recorder: Option<&'r mut dyn Recorder>,
    limits: Limits,
    started: Instant,
    looks: Looks,
    /// Why it was ended.
    limit: Option<String>,
    keeping: Checkpointing<'k>,
    /// True if it has been stopped to be kept.
    pauses: bool,
    /// True if it has been stopped because the machine changes.
    stands: bool,
    /// True if it has been kept because the clock on the wall ends it.
    is_kept: bool,
    /// If what ranks print goes to the first process, and there what has come.
    console: Option<&'w dyn Console>,
    prints: Prints,
    /// The first instant of the window that was run last.
    taken_before: Time,
    /// When it is due to ask what the time of ranks went into so far.
    sums_due: SumsDue,
}

/// Runs all parts of this process to the end, together with the others. `boxes` are those that endpoints need beside those of the
/// network; `remote` runs the routers, if that is another processor.
pub(crate) fn run_all<'t, 'a, E: Endpoints + 'a, O: Endpoints + Send + 'a>(
    here: &mut Worker<'a, E>,
    others: &mut [Worker<'a, O>],
    limits: Limits,
    boxes: &[&dyn Letters],
    remote: Option<&mut dyn RemoteRouters>,
    context: RunContext<'t>,
) -> (Left, Gathering<'t>) {
    let (started, looks, network) = (Instant::now(), Looks::default(), here.routers.network);
    let RunContext { placement, watch, recorder, processes, console, checkpoints, .. } = context;
    let mut processes =
        Processes::new(here.routers.shared, boxes, console, processes, remote.map(|remote| remote as _));
    // Traffic without programs has no ranks.
    let mut keeping =
        Checkpointing { checkpoints, placement: Some(placement).filter(|placement| placement.ranks() > 0) };
    // Only the first part records; the others may only need to know what.
    let recorder = recorder.filter(|_| here.part == 0);
    let prints = Prints::default();
    let mut halt = Halt::new(here, others, RunPosition::default());
    let from = keeping.go_on(&mut halt, &mut processes.gathering);
    let (mut place, limit) =
        from.map_or_else(|why| (RunPosition::default(), Some(why.to_owned())), |place| (place, None));
    let mut watched = Watched {
        worker: here,
        watch,
        recorder,
        limits,
        started,
        looks,
        limit,
        keeping,
        pauses: false,
        stands: false,
        is_kept: false,
        console,
        prints,
        taken_before: Time::ZERO,
        sums_due: SumsDue::default(),
    };
    loop {
        place = weir_pdes::run(network.width, place, &mut watched, others, processes.border());
        watched.stands = false;
        let Watched { worker, keeping, limit, pauses, .. } = &mut watched;
        let mut halt = Halt { is_over: limit.is_some(), ..Halt::new(worker, others, place) };
        // What is kept is the machine as it is from here on.
        let changes = change(&mut halt, &mut processes.gathering);
        let kept = keeping.keep(std::mem::take(pauses), &mut halt, &mut processes.gathering);
        watched.is_kept |= interrupted_by().is_some();
        if !changes && !kept {
            break;
        }
    }
    let Watched { worker: here, recorder, limit, prints, .. } = watched;
    processes.end(network, Halt::new(here, others, place), Reached { limit, prints }, recorder)
}

impl<E: Endpoints> Watched<'_, '_, '_, '_, E> {
    /// Ends the run if it has taken too long; if its state is to be kept, only when it has been.
    fn look_at_the_clock(&mut self) {
        let limit = self.limits.wall_is_over(self.started);
        if let Some(checkpoints) = &mut self.keeping.checkpoints
            && (checkpoints.is_due() || limit.is_some() && !self.is_kept)
        {
            self.pauses = true;
            self.is_kept |= limit.is_some();
        } else {
            self.limit = self.limit.take().or(limit);
        }
    }
}

impl<E: Endpoints> Part for Watched<'_, '_, '_, '_, E> {
    fn run(&mut self, window: Window) {
        let shared = self.worker.routers.shared;
        if self.worker.part == 0 {
            shared.progress.take(window.turn, 0, |_, done| shared.done.add(0, done));
        }
        if let Some(recorder) = &mut self.recorder {
            report_mail(shared, window.turn, *recorder);
            if recorder.has_failed() {
                self.limit = Some("the results cannot be written".into());
            }
        }
        if let Some(console) = self.console.filter(|_| self.worker.part == 0) {
            shared.prints.take(window.turn, 0, |_, print| self.prints.add([print]));
            // Other threads may have printed in the window before this one when what had been printed was taken; not in those before that.
            let complete = std::mem::replace(&mut self.taken_before, window.start);
            self.prints.show_before(complete, console);
        }
        self.worker.run(window);
        self.stands = self.worker.routers.change_to_come().is_some_and(|due| window.number >= due);
        if let Some(console) = self.console {
            shared.prints.put(window.turn, self.worker.part, 0, &mut console.take());
        }
        if self.looks.are_due(window.turn) || interrupted_by().is_some() {
            let [messages, bytes, events] = if self.worker.part == 0 {
                shared.done.load()
            } else {
                let done = shared.done.take();
                shared.progress.put(window.turn, self.worker.part, 0, &mut vec![done]);
                done
            };
            let sum = || {
                shared.so_far.ask();
                shared.so_far.all()
            };
            let causes = if shared.so_far.is_on() { self.sums_due.sum_up(sum).flatten() } else { None };
            let (now, bytes) = (window.start, Bytes(bytes));
            (self.watch)(Progress { now, messages, bytes, events, stage: None, causes });
            self.look_at_the_clock();
        }
    }

    fn next(&mut self, from: u64) -> Next {
        if self.limit.is_some() || self.pauses || self.stands { Next::Stop } else { self.worker.next(from) }
    }
}
