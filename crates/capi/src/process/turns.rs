//! Whose turn it is, and who keeps it: ranks that compute for ever.
//!
//! Ranks give way when they call MPI. One that does not, because it computes long or for ever, is looked at from outside: a
//! thread names it on standard error, and ends its turn where the run is to end.

use crate::process::stdio::error_line;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU32, AtomicU64, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use weir_coroutine::{Interrupter, this_thread};
use weir_network::{Limits, begin_thread};
use weir_units::Rank;

/// Between two looks.
const LOOK_EVERY: Duration = Duration::from_millis(50);
/// A rank has computed for ever after so long.
const FIRST_WORD: Duration = Duration::from_secs(10);
/// The next word comes after so many times as long.
const LATER_WORDS: u32 = 6;
/// A run that is to end gives a rank so much time to come to its next call.
const END_TIMEOUT: Duration = Duration::from_millis(200);
/// A rank that cannot be interrupted for so long ends with the process.
const GIVE_UP_AFTER: Duration = Duration::from_secs(5);

/// State of the ranks, for threads that look at it. Only the thread of the ranks writes.
#[derive(Debug, Default)]
pub(crate) struct Turns {
    /// The rank that runs, and one more; 0: none does.
    rank: AtomicU32,
    /// The thread that runs it, as the kernel numbers threads.
    thread: AtomicI32,
    is_inside: AtomicBool,
    calls: AtomicU64,
    turns: AtomicU64,
    /// True if the run is to end, and the rank that runs has to leave at its next call.
    ends: AtomicBool,
}

impl Turns {
    /// A rank goes on: in the function in which it has waited, if it has begun before.
    #[inline]
    pub(crate) fn begin(&self, rank: Rank) {
        self.rank.store(rank.0 + 1, Ordering::Relaxed);
        self.turns.store(self.turns.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
    }

    /// The thread with this number runs the ranks from now on.
    #[inline]
    pub(crate) fn run_on(&self, thread: i32) {
        self.thread.store(thread, Ordering::Relaxed);
    }

    #[inline]
    pub(crate) fn end(&self) {
        self.rank.store(0, Ordering::Relaxed);
    }

    /// The rank calls a function of ours; whether it has to leave.
    #[inline]
    pub(crate) fn call(&self) -> bool {
        self.calls.store(self.calls.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
        self.is_inside.store(true, Ordering::Relaxed);
        self.ends.load(Ordering::Relaxed)
    }

    pub(crate) fn is_to_end(&self) -> bool {
        self.ends.load(Ordering::Relaxed)
    }

    /// It goes on in a function of ours that had called one of the program's.
    #[inline]
    pub(crate) fn re_enter(&self) {
        self.is_inside.store(true, Ordering::Relaxed);
    }

    /// The rank's own code begins, or goes on.
    #[inline]
    pub(crate) fn return_from_call(&self) {
        self.is_inside.store(false, Ordering::Relaxed);
    }

    pub(crate) fn calls(&self) -> u64 {
        self.calls.load(Ordering::Relaxed)
    }

    pub(crate) fn turns(&self) -> u64 {
        self.turns.load(Ordering::Relaxed)
    }

    /// The rank that runs, and the number of its turn.
    fn running(&self) -> Option<(Rank, u64)> {
        let rank = self.rank.load(Ordering::Relaxed).checked_sub(1)?;
        Some((Rank(rank), self.turns()))
    }

    /// Returns true if the rank is in its own code.
    fn computes(&self) -> bool {
        !self.is_inside.load(Ordering::Relaxed)
    }
}

#[derive(Debug, Default)]
pub(crate) struct StuckRankWarnings {
    said: u32,
}

impl StuckRankWarnings {
    pub(crate) fn say(&mut self, rank: Rank, computed: Duration) {
        let next = FIRST_WORD * LATER_WORDS.pow(self.said);
        if computed < next {
            return;
        }
        error_line(&format!("rank {rank} has computed for {} s without calling MPI", next.as_secs()));
        self.said += 1;
    }
}

/// Looks at the ranks of a run from a thread of its own, until it is dropped.
#[derive(Debug)]
pub(crate) struct Watcher {
    is_over: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Watcher {
    /// Begins to look at the ranks of these turns, which the calling thread runs until it is said otherwise. Where the system has no thread to give, that is left out.
    pub(crate) fn begin(turns: &Arc<Turns>, limits: Limits) -> Self {
        turns.run_on(this_thread());
        let is_over = Arc::new(AtomicBool::new(false));
        let watch = Watch {
            turns: Arc::clone(turns),
            is_over: Arc::clone(&is_over),
            limits,
            started: Instant::now(),
        };
        let thread =
            begin_thread(move || watch.look(), |thread, look| thread.name("watch".into()).spawn(look)).ok();
        Self { is_over, thread }
    }
}

impl Drop for Watcher {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Release);
        if let Some(thread) = self.thread.take() {
            thread.thread().unpark();
            _ = thread.join();
        }
    }
}

struct Watch {
    turns: Arc<Turns>,
    is_over: Arc<AtomicBool>,
    limits: Limits,
    started: Instant,
}

impl Watch {
    fn look(&self) {
        let mut seen = Seen::new(None, 0);
        while !self.is_over.load(Ordering::Acquire) {
            std::thread::park_timeout(LOOK_EVERY);
            let (running, calls) = (self.turns.running(), self.turns.calls());
            let Some((rank, _)) = running.filter(|_| running == seen.running) else {
                seen = Seen::new(running, calls);
                continue;
            };
            if calls != seen.calls {
                (seen.calls, seen.call, seen.words) = (calls, Instant::now(), StuckRankWarnings::default());
            } else if self.turns.computes() {
                seen.words.say(rank, seen.call.elapsed());
            }
            if seen.turn.elapsed() < END_TIMEOUT {
                continue;
            }
            if let Some(why) = self.limits.wall_is_over(self.started) {
                self.end(rank, &why, *seen.asked.get_or_insert_with(Instant::now));
            }
        }
    }

    /// Ends the turn of a rank; it has been tried since then.
    fn end(&self, rank: Rank, why: &str, first: Instant) {
        self.turns.ends.store(true, Ordering::Relaxed);
        if first.elapsed() > GIVE_UP_AFTER {
            give_up(rank, why);
        }
        if self.turns.computes() {
            Interrupter::of_thread(self.turns.thread.load(Ordering::Relaxed)).interrupt();
        }
    }
}

/// State at the last look.
struct Seen {
    running: Option<(Rank, u64)>,
    calls: u64,
    /// When the turn was seen first, and the last call in it.
    turn: Instant,
    call: Instant,
    words: StuckRankWarnings,
    /// When the rank was asked first to end its turn.
    asked: Option<Instant>,
}

impl Seen {
    fn new(running: Option<(Rank, u64)>, calls: u64) -> Self {
        let now = Instant::now();
        Self { running, calls, turn: now, call: now, words: StuckRankWarnings::default(), asked: None }
    }
}

/// The rank is where it cannot be interrupted, and nothing else of the run goes on.
fn give_up(rank: Rank, why: &str) -> ! {
    crate::process::signals::end_at_once(&format!(
        "limit: {why}, and rank {rank} computes where it cannot be interrupted: there is no summary"
    ))
}

#[cfg(test)]
mod tests {
    use crate::harness::*;
    use crate::rank::context::Context;
    use crate::world::World;
    use std::cell::{Cell, RefCell};
    use std::rc::Rc;
    use std::sync::{Arc, Mutex};
    use weir_units::Rank;

    thread_local! {
        /// For who looks while the rank is in a function of ours.
        static WORLD: RefCell<Option<Rc<World>>> = const { RefCell::new(None) };
        static IN_CALLBACK: Cell<Option<bool>> = const { Cell::new(None) };
    }

    fn computes() -> bool {
        Context::get().unwrap().rank().world.turns.computes()
    }

    unsafe extern "C" fn deletes(_: usize, _: i32, _: usize, _: usize) -> i32 {
        IN_CALLBACK.set(Some(computes()));
        MPI_SUCCESS
    }

    /// A rank is in its own code between the calls of MPI, from its beginning on, and in functions of its own that MPI calls,
    /// whatever the other ranks wait for.
    #[test]
    fn who_runs_and_whose_code() {
        let ran = run(2, |rank| {
            let turns = || Context::get().unwrap().rank().world.turns.running().map(|(rank, _)| rank);
            assert_eq!((computes(), turns()), (true, Some(Rank::new(rank))));
            let before = Context::get().unwrap().rank().world.turns.turns();
            mpi!(Barrier, MPI_COMM_WORLD);
            assert_eq!((computes(), turns()), (true, Some(Rank::new(rank))));
            assert!(Context::get().unwrap().rank().world.turns.turns() > before);
            let (mut key, comm) = (-1, get_handle!(Comm_dup, MPI_COMM_SELF));
            mpi!(Comm_create_keyval, 0, deletes as *const (), &mut key, 0);
            mpi!(Comm_set_attr, comm, key, 5);
            mpi!(Comm_delete_attr, comm, key);
            assert_eq!((IN_CALLBACK.take(), computes()), (Some(true), true));
        });
        assert_eq!(ran.world.turns.running(), None, "no rank any more");
    }

    /// Notes whose code runs at the end of calls.
    #[derive(Default)]
    struct Ends(Vec<bool>);

    impl weir_message::Observer for Ends {
        fn begins(&mut self, _: Rank, _: &'static str, _: weir_units::Time) -> Result<(), String> {
            Ok(())
        }

        fn does(&mut self, _: &dyn weir_message::Watched, _: &weir_operations::Operation) {}

        fn ends(&mut self, _: Rank, _: weir_units::Time) -> Result<(), String> {
            self.0
                .push(WORLD.with_borrow(|world| world.as_ref().is_some_and(|world| world.turns.computes())));
            Ok(())
        }

        fn over(&mut self, _: Rank, _: weir_units::Time) {}
    }

    /// The ranks are not looked at any more when the watcher is dropped.
    #[test]
    fn watchers_end() {
        let watches = || {
            let tasks = std::fs::read_dir("/proc/self/task").unwrap();
            let names = tasks.filter_map(|task| std::fs::read_to_string(task.ok()?.path().join("comm")).ok());
            names.filter(|name| name.trim() == "watch").count()
        };
        let turns = std::sync::Arc::<super::Turns>::default();
        let watcher = super::Watcher::begin(&turns, weir_network::Limits::default());
        // The thread takes its name when it runs, and the kernel forgets it a little after its end.
        let wait_for = |many: usize| {
            let begin = std::time::Instant::now();
            while watches() != many {
                assert!(begin.elapsed() < std::time::Duration::from_secs(20), "{} look", watches());
                std::thread::sleep(std::time::Duration::from_millis(1));
            }
        };
        wait_for(1);
        drop(watcher);
        assert_eq!(std::sync::Arc::strong_count(&turns), 1);
        wait_for(0);
    }

    /// Behind a function of the program that MPI has called the rank is in MPI again.
    #[test]
    fn behind_functions_of_the_program() {
        let ends = Arc::new(Mutex::new(Ends::default()));
        let mut machine = Machine::free(1);
        machine.options.observer = Some(crate::world::Observer(ends.clone()));
        machine.finishes(|_| {
            WORLD.set(Some(Rc::clone(&Context::get().unwrap().rank().world)));
            let mut key = -1;
            mpi!(Comm_create_keyval, 0, deletes as *const (), &mut key, 0);
            mpi!(Comm_set_attr, MPI_COMM_SELF, key, 5);
            mpi!(Comm_delete_attr, MPI_COMM_SELF, key);
            assert_eq!(IN_CALLBACK.take(), Some(true));
        });
        WORLD.set(None);
        let ends = std::mem::take(&mut ends.lock().unwrap().0);
        assert!(ends.len() >= 5 && !ends.contains(&true), "{ends:?}");
    }
}
