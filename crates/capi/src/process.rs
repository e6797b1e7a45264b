//! The process in which all ranks run: its standard output, its memory, signals, and the watch over ranks that compute for ever.

pub(crate) mod kept_memory;
pub(crate) mod out_of_memory;
pub mod signals;
pub mod stdio;
pub(crate) mod turns;

use std::cell::{Cell, UnsafeCell};
use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};
use thiserror::Error;
use weir_coroutine::CoroutineEnd;
use weir_units::{Duration, Rank};

/// The right to load a program with its ranks into this process. There is one, ever: the loader hands out the same globals
/// for the same file however often it is loaded, and the C library has one standard output. So a second
/// [`World`](crate::World), beside the first or after it, cannot be written down; it takes a process of its own.
#[derive(Debug)]
pub struct ProcessWorld(());

/// The process has had its program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error(
    "this process has run an MPI program already, and a process runs one: start another process for the next"
)]
pub struct AlreadyTaken;

impl ProcessWorld {
    /// Takes the right.
    ///
    /// # Errors
    /// When it has been taken before, whatever has become of it.
    pub fn claim() -> Result<Self, AlreadyTaken> {
        static TAKEN: AtomicBool = AtomicBool::new(false);
        if TAKEN.swap(true, Ordering::AcqRel) { Err(AlreadyTaken) } else { Ok(Self(())) }
    }
}

/// True in a process that a rank has forked: a copy of the simulator in which that rank goes on alone. It is no rank. It may do what
/// the program does, but for calls of MPI, and it ends where the rank would end; nothing of the simulator's is done twice.
static IS_FORKED: AtomicBool = AtomicBool::new(false);

#[inline]
pub(crate) fn is_forked() -> bool {
    IS_FORKED.load(Ordering::Relaxed)
}

/// From now on it is known. `before` runs before each fork.
pub(crate) fn watch_forks(before: extern "C" fn()) {
    static ONCE: Once = Once::new();
    extern "C" fn in_child() {
        IS_FORKED.store(true, Ordering::Relaxed);
    }
    ONCE.call_once(|| {
        // SAFETY: functions of ours.
        unsafe { libc::pthread_atfork(Some(before), None, Some(in_child)) };
    });
}

/// The running rank has called this function of MPI, and is no rank.
#[cold]
pub(crate) fn end_forked_at(rank: Rank, name: &str) -> ! {
    stdio::error_line(&format!(
        "error: rank {rank}: a process that it has forked called {name}; only the rank itself may call MPI"
    ));
    stdio::end_at_once(1)
}

pub(crate) fn end_forked(rank: usize, ended: Option<CoroutineEnd>) -> ! {
    let code = match ended {
        Some(CoroutineEnd::Returned(code) | CoroutineEnd::Left(code)) => code,
        Some(CoroutineEnd::Crashed(crash)) => {
            stdio::error_line(&format!("error: rank {rank}: a process that it has forked crashed: {crash}"));
            1
        }
        None | Some(CoroutineEnd::ByThread | CoroutineEnd::Interrupted) => 1,
    };
    stdio::end_at_once(code)
}

/// More threads of a process do not run ranks.
pub(crate) const MOST_LANES: usize = 64;

thread_local! {
    /// Which of the threads that run ranks this one is.
    static LANE: Cell<usize> = const { Cell::new(0) };
}

/// The number of the calling thread among those that run ranks; 0 for any other one.
#[inline]
pub(crate) fn lane() -> usize {
    LANE.get()
}

pub(crate) fn set_lane(lane: usize) {
    LANE.set(lane);
}

/// Processor time of this thread so far.
pub(crate) fn processor_time() -> Duration {
    let mut now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: our own variable. This is the C library's function, which returns real time.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut now) };
    Duration::from_ns(now.tv_sec as u64 * 1_000_000_000 + now.tv_nsec as u64)
}

/// Cost of reading the processor time: the median of several readings in a row.
pub(crate) fn reading_cost() -> Duration {
    const READINGS: usize = 65;
    let mut costs: Vec<Duration> = Vec::with_capacity(READINGS);
    let mut last = processor_time();
    for _ in 0..READINGS {
        let now = processor_time();
        costs.push(Duration::from_ps(now.as_ps() - last.as_ps()));
        last = now;
    }
    costs.sort_unstable();
    costs[READINGS / 2]
}

/// A lock that the program's threads take and give back, as C has it.
pub(crate) struct Critical(UnsafeCell<libc::pthread_mutex_t>);

// SAFETY: only functions that are made for it use what is in it.
unsafe impl Sync for Critical {}
// SAFETY: nobody has it when it moves.
unsafe impl Send for Critical {}

impl Critical {
    pub(crate) const fn new() -> Self {
        Self(UnsafeCell::new(libc::PTHREAD_MUTEX_INITIALIZER))
    }

    /// For the functions of the C library. It must not move any more.
    pub(crate) fn lock(&self) -> *mut libc::pthread_mutex_t {
        self.0.get()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_one() {
        let first = ProcessWorld::claim();
        assert!(first.is_ok());
        drop(first);
        assert_eq!(ProcessWorld::claim().unwrap_err(), AlreadyTaken);
    }

    /// The processor time goes on while a thread works, and hardly while it sleeps.
    #[test]
    fn processor_time_is_the_threads_own() {
        let begin = processor_time();
        std::thread::sleep(std::time::Duration::from_millis(30));
        assert!(processor_time().as_ps() - begin.as_ps() < 15_000_000_000);
        let (begin, on_the_wall) = (processor_time(), std::time::Instant::now());
        while processor_time().as_ps() - begin.as_ps() < 2_000_000_000 {}
        assert!(
            on_the_wall.elapsed() >= std::time::Duration::from_millis(1),
            "it is no faster than the wall's"
        );
        assert!(reading_cost() < Duration::from_ns(100_000));
    }
}
