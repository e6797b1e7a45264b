//! Which rank is running: the way from a C function back to its [`Rank`].
//!
//! While a coroutine runs, two thread-local words point to its rank and to the actions of the event it reacts to. A
//! [`Context`] is the right to use them. There is at most one at any time: the outermost C function has it, and lends it
//! to everything that it calls, as `&mut Context`. What makes references from it borrows it; so does what suspends the
//! rank or calls a function of the program. So the compiler refuses a reference into the rank that is held across a
//! suspension, or across a function of the program, which may call MPI again.

use crate::calls::call_site::CallSite;
use crate::calls::{Done, Result};
use crate::rank::{Awaited, Blocked, Phase, Rank, crew};
use crate::world::options::Compute;
use std::arch::asm;
use std::cell::Cell;
use std::ffi::{CStr, c_char, c_int};
use std::marker::PhantomData;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::{mem, ptr};
use weir_coroutine::{leave, own_threads, suspend};
use weir_message::{Body, Communicator, CommunicatorId, MpiError, Observation, RequestId, Status};
use weir_network::Actions;
use weir_operations::{Operation, Requests};
use weir_units::{Duration, Time};

/// Two words of a thread that runs ranks.
struct Words {
    running: Cell<Lent>,
    /// True while a C function of ours has the context.
    is_taken: Cell<bool>,
}

thread_local! {
    static WORDS: Words = const { Words { running: Cell::new(Lent::NOTHING), is_taken: Cell::new(false) } };
}

/// The words of the calling thread. A rank that is suspended may go on on another thread, and the compiler takes the address of a variable of
/// a thread for one that stays what it is as long as a function runs. So it does not see what this function returns.
#[inline(never)]
fn words() -> &'static Words {
    let mut words = WORDS.with(ptr::from_ref);
    // SAFETY: it does nothing.
    unsafe { asm!("/* {0} */", inout(reg) words, options(nostack, preserves_flags)) };
    // SAFETY: they have no destructor, and are there as long as their thread, which is the one that runs this.
    unsafe { &*words }
}

/// Functions of a rank that is a process of its own.
pub(crate) struct OwnProcess {
    /// Makes the calling thread the rank of this process, if the simulator has started it as one; whether it has.
    pub(crate) attach: fn() -> bool,
    pub(crate) wait: fn(&mut Context),
    /// Ends the run for a reason, called by a thread that is not the rank; returns where this process is that of no rank.
    pub(crate) fail: fn(String),
}

/// Set where this process may be that of a rank: its first call of MPI attaches it.
pub(crate) static OWN_PROCESS: OnceLock<OwnProcess> = OnceLock::new();

/// Runs `body` with this rank as the running one. While it runs, there is no other reference to the rank and the actions.
pub(crate) fn with_rank<R>(rank: &mut Rank, actions: &mut Actions<Body>, body: impl FnOnce() -> R) -> R {
    let before = words().running.replace(Lent(rank, actions));
    // A rank that has waited takes its context again when it goes on.
    let was_taken = words().is_taken.replace(false);
    let result = body();
    words().running.set(before);
    words().is_taken.set(was_taken);
    result
}

/// A rank and the actions of its event, for as long as its turn lasts.
#[derive(Clone, Copy)]
pub(crate) struct Lent(*mut Rank, *mut Actions<Body>);

// SAFETY: one thread at a time uses what it points to, and they take turns by a lock.
unsafe impl Send for Lent {}

impl Lent {
    const NOTHING: Self = Self(ptr::null_mut(), ptr::null_mut());

    pub(crate) fn of(rank: &mut Rank, actions: &mut Actions<Body>) -> Self {
        Self(rank, actions)
    }

    /// Both.
    ///
    /// # Safety
    /// The turn goes on, and nobody else uses them.
    pub(super) unsafe fn both<'a>(self) -> (&'a mut Rank, &'a mut Actions<Body>) {
        // SAFETY: the caller's promise.
        unsafe { (&mut *self.0, &mut *self.1) }
    }
}

pub(crate) fn begin_turn(lent: Lent) {
    words().running.set(lent);
}

pub(super) fn end_of_turn() {
    words().running.set(Lent::NOTHING);
}

/// The running rank, for the one C function that has it. It has no contents: every access goes through the thread-local
/// words, which change when the coroutine is suspended and resumed. It stays on the thread that runs the rank.
pub(crate) struct Context {
    /// True if the rank goes back to its crew, all of its threads, at the end.
    is_of_crew: bool,
    stays: PhantomData<*mut Rank>,
}

impl Drop for Context {
    #[inline]
    fn drop(&mut self) {
        words().is_taken.set(false);
        if self.is_of_crew {
            crew::leave(self.rank());
        }
    }
}

impl Context {
    /// The context of the C function that is being called by the program. `None` where no rank runs, and where one is
    /// inside a C function of ours already, which only a signal handler of the program can find.
    #[inline]
    pub(crate) fn get() -> Option<Self> {
        if words().is_taken.get() {
            return None;
        }
        let is_of_crew = words().running.get().0.is_null() && crew::enter();
        let attach = || OWN_PROCESS.get().is_some_and(|own| (own.attach)());
        if words().running.get().0.is_null() && !attach() {
            return None;
        }
        words().is_taken.set(true);
        Some(Self { is_of_crew, stays: PhantomData })
    }

    /// From now on all threads of the rank may call, each for one call; this one goes on on a thread of its own.
    pub(crate) fn open_to_threads(&mut self) {
        self.rank().crew();
        self.rank().is_open_to_threads = true;
        suspend();
        words().is_taken.set(true);
        self.is_of_crew = true;
    }

    #[inline]
    pub(crate) fn enter_library(&mut self) {
        if self.is_of_crew {
            crew::enter_library(self.rank());
        }
    }

    #[inline]
    pub(crate) fn rank(&mut self) -> &mut Rank {
        self.both().0
    }

    #[inline]
    pub(crate) fn actions(&mut self) -> &mut Actions<Body> {
        self.both().1
    }

    /// The rank, and the actions of the event it reacts to.
    #[inline]
    pub(crate) fn both(&mut self) -> (&mut Rank, &mut Actions<Body>) {
        let Lent(rank, actions) = words().running.get();
        // SAFETY: whoever has set the words has lent both for as long as the coroutine runs. There is one context, which the
        // references borrow, so there are no others; and what suspends the coroutine borrows it too.
        unsafe { (&mut *rank, &mut *actions) }
    }

    pub(crate) fn communicator(&mut self, id: CommunicatorId) -> Result<&Communicator> {
        self.rank().process.communicator(id)
    }

    /// The objects of one kind that the program has made.
    pub(crate) fn of<T: Default + 'static>(&mut self) -> &mut T {
        self.rank().objects().of()
    }

    /// Gives the context up while something runs that may call C functions of ours, or end the rank.
    #[inline]
    pub(crate) fn lend<R>(&mut self, function: impl FnOnce() -> R) -> R {
        words().is_taken.set(false);
        let result = function();
        words().is_taken.set(true);
        result
    }

    /// Calls a function of the program from inside an MPI function. It may call MPI itself.
    pub(crate) fn callback<R>(&mut self, function: impl FnOnce() -> R) -> R {
        let outer = self.rank().calling.call;
        self.rank().world.turns.return_from_call();
        self.rank().own_work_goes_on();
        let result = self.lend(function);
        self.rank().world.turns.re_enter();
        self.rank().calling.call = outer;
        result
    }

    /// Carries out operations of the program, which may call only functions of MPI that communicate with nobody.
    pub(crate) fn operation<R>(&mut self, function: impl FnOnce() -> R) -> R {
        let outer = mem::replace(&mut self.rank().calling.combines, true);
        let result = self.lend(function);
        self.rank().calling.combines = outer;
        result
    }

    pub(crate) fn wait(&mut self, blocked: Blocked) {
        let rank = self.rank();
        rank.calling.poll_interval = None;
        rank.calling.blocked = blocked;
        if !rank.is_ready() {
            self.sleep();
            while self.combine() && !self.rank().is_ready() {
                self.sleep();
            }
            if self.rank().process.has_released() {
                self.deliver_released();
            }
        }
        let (rank, actions) = self.both();
        rank.calling.blocked = Blocked::No;
        rank.process.wake(actions.now());
    }

    /// Suspends the rank until something has happened that it waits for, or that it must see to.
    fn sleep(&mut self) {
        if let Some(own) = OWN_PROCESS.get().filter(|_| self.rank().world.is_child()) {
            (own.wait)(self);
        } else if self.is_of_crew {
            crew::sleep(self.rank());
            words().is_taken.set(true);
        } else {
            suspend();
            words().is_taken.set(true);
        }
    }

    /// Calls the operations of the program that collectives wait for; whether there were any.
    pub(crate) fn combine(&mut self) -> bool {
        let mut any = false;
        while let Some(mut combination) = self.rank().process.next_combination() {
            any = true;
            self.operation(|| combination.carry_out());
            let (rank, actions) = self.both();
            rank.process.combined(actions, combination);
        }
        any
    }

    pub(crate) fn wait_for(&mut self, id: RequestId) -> Result<weir_message::Completion> {
        if !self.rank().process.is_complete(id)? {
            self.wait(Blocked::One(id));
        }
        self.rank().process.finish(id)
    }

    /// Lets the engine come up to the rank's own clock, so that what the rank looks at is what has come by then.
    pub(crate) fn catch_up(&mut self) {
        let (rank, actions) = self.both();
        let clock = rank.process.clock();
        rank.process.notice(Observation::Looks(rank.process.changes()));
        if clock > actions.now() {
            let token = rank.next_token();
            actions.set_timer(clock, token);
            let interval = rank.calling.poll_interval;
            self.wait(Blocked::Until(token));
            self.rank().calling.poll_interval = interval;
            self.rank().process.notice(Observation::CaughtUp);
        }
    }

    /// Looks for something: `look` says whether it is there. A rank that looks in vain sleeps until anything happens
    /// to it, but no longer than an interval that doubles with every vain look in a row, and looks again; so
    /// programs that wait in a loop make simulated time pass, and pay for no more looks than needed.
    pub(crate) fn poll<T>(
        &mut self,
        polled: Awaited,
        mut look: impl FnMut(&mut Self) -> Result<Option<T>>,
    ) -> Result<Option<T>> {
        const FIRST: Duration = Duration::from_ns(100);
        const LONGEST: Duration = Duration::from_ns(1_000_000);
        self.catch_up();
        if let Some(found) = look(self)? {
            self.rank().calling.poll_interval = None;
            return Ok(Some(found));
        }
        let (rank, actions) = self.both();
        let interval = rank.calling.poll_interval.map_or(FIRST, |last| (last + last).min(LONGEST));
        let (token, since) = (rank.next_token(), rank.process.changes());
        actions.set_poll_timer(actions.now() + interval, token);
        self.wait(Blocked::Poll { token, since, polled });
        let (rank, actions) = self.both();
        let woken_by = Some(rank.process.changes()).filter(|&changes| changes != since);
        rank.process.notice(Observation::Slept { now: actions.now(), woken_by });
        let found = look(self)?;
        self.rank().calling.poll_interval = if found.is_some() { None } else { Some(interval) };
        Ok(found)
    }

    /// The time at the running rank, for its program. Reading a clock takes no time, but a program that reads it over
    /// and over with no MPI call between waits for time to pass, so it is made to pass.
    pub(crate) fn read_clock(&mut self) -> Time {
        const FREE: u32 = 16;
        const COST: Duration = Duration::from_ns(100);
        let (rank, actions) = self.both();
        let now = actions.now();
        if rank.calling.combines {
            return rank.process.clock();
        }
        rank.charge_own_work();
        rank.process.wake(now);
        rank.calling.clock_reads += 1;
        if rank.calling.clock_reads > FREE {
            rank.process.keep_busy(COST);
        }
        let clock = rank.process.clock();
        let (last, vain) = rank.calling.last_read;
        rank.calling.last_read = if clock == last { (last, vain.saturating_add(1)) } else { (clock, 0) };
        if rank.calling.last_read.1 == IN_VAIN {
            clock_stands_still(rank);
        }
        clock
    }

    /// Ends a complete request: takes what it has received to where its program polled it, and returns its status.
    pub(crate) fn deliver(&mut self, id: RequestId) -> Result<Status> {
        let completion = self.rank().process.finish(id)?;
        let delivery = self.rank().take_delivery(id);
        // SAFETY: the program gave this buffer, with as much room as the receive has.
        Ok(unsafe { delivery.carry_out(self, completion.status, &completion.data) })
    }

    /// The status of a request if it is complete, without ending it; what it has received is where its program expects it.
    pub(crate) fn look_at(&mut self, id: RequestId) -> Result<Option<Status>> {
        let Some(completion) = self.rank().process.completion(id)?.cloned() else { return Ok(None) };
        self.rank().process.observe(|| Operation::See { requests: Requests::One(id) });
        if let Some(request) = self.rank().generalized(id) {
            return Ok(Some(request.query(self)));
        }
        let delivery = self.rank().take_delivery(id);
        // SAFETY: the program gave this buffer, with as much room as the receive has.
        Ok(Some(unsafe { delivery.carry_out(self, completion.status, &completion.data) }))
    }

    /// Takes what requests have received that the program has given up to where it asked for it.
    #[cold]
    pub(crate) fn deliver_released(&mut self) {
        while let Some(id) = self.rank().process.next_released() {
            if let Some(request) = self.rank().generalized(id) {
                self.rank().take_delivery(id);
                _ = self.rank().process.finish(id);
                // There is nowhere to report a mistake of the function to.
                _ = request.free(self);
            } else {
                _ = self.deliver(id);
            }
        }
    }

    /// Ends the run: the program has made a mistake that it does not handle.
    #[cold]
    pub(crate) fn fail(&mut self, why: String) -> ! {
        let site = CallSite::of_caller().map(|site| format!(" (called in {})", site.describe()));
        self.actions().stop(why + &site.unwrap_or_default());
        self.leave(1)
    }

    /// Ends the run if several processes carry it out: they do not share what the call needs. An error that the program may
    /// pass over would not do: it would go another way than in one process, and its times would be those of that way.
    pub(crate) fn needs_one_process(&mut self, call: &str) {
        if self.rank().world.is_divided() {
            self.fail(format!(
                "{call} is for ranks of one process, and several run these; run it without --processes and without mpirun"
            ));
        }
    }

    /// An error where the library is not there: before `MPI_Init`, after `MPI_Finalize`.
    pub(super) fn initialized(&mut self) -> Done {
        let rank = self.rank();
        match rank.phase {
            Phase::Initialized => Ok(()),
            _ if rank.may_call() => Ok(()),
            Phase::Before => Err(MpiError::Other("called before MPI_Init".into())),
            Phase::Finalized => Err(MpiError::Other("called after MPI_Finalize".into())),
        }
    }

    /// Ends the rank where a limit does: it would call us for ever without giving way.
    #[cold]
    pub(super) fn interrupt(&mut self) -> ! {
        self.rank().is_interrupted = true;
        self.leave(0)
    }

    pub(crate) fn leave(&mut self, code: i32) -> ! {
        let is_process = self.rank().world.is_child();
        // Also from a function of the program that the call of another thread has called.
        crew::end_rank(code);
        self.lend(|| if is_process { std::process::exit(code) } else { leave(code) })
    }
}

/// More readings of one time than a program needs that does not wait for it to pass.
const IN_VAIN: u32 = 100_000;

/// Says once that a program which repeats something until time has passed may do so for ever.
#[cold]
fn clock_stands_still(rank: &Rank) {
    static SAID: AtomicBool = AtomicBool::new(false);
    if rank.world.options.compute != Compute::None || SAID.swap(true, Ordering::Relaxed) {
        return;
    }
    crate::process::stdio::error_line(&format!(
        "rank {} has asked for the time {IN_VAIN} times, and none has passed: own work takes no time here \
         (workload.compute = \"none\"), so that what repeats until time has passed may never end\n\n\
         hint: run it with --compute measured, or let it repeat so many times instead",
        rank.process.rank()
    ));
}

/// A thread that is no rank has called MPI. There is no rank to return an error to, and the rank that waits for the
/// thread would wait for ever. Or a signal handler has, which has interrupted a function of ours.
pub(crate) fn foreign_thread(name: &str) -> ! {
    if words().is_taken.get() {
        crate::process::stdio::error_line(&format!(
            "error: a signal handler of the program called {name} within another call of MPI; functions of MPI cannot be \
             called in signal handlers"
        ));
        std::process::exit(1)
    }
    const ONLY: &str =
        "only the thread that runs main may call MPI, unless MPI_Init_thread has provided more";
    if let Some(own) = OWN_PROCESS.get() {
        (own.fail)(format!(
            "it called {name} by a second thread; in ranks that are processes of their own only the thread that called MPI \
             first may do so (MPI_THREAD_FUNNELED)"
        ));
    }
    if own_threads::runs_no_ranks() {
        own_threads::end_rank(format!("called {name}; {ONLY}"));
    }
    crate::process::stdio::error_line(&format!("error: {name} was called while no rank was running; {ONLY}"));
    std::process::exit(1)
}

/// The runtime's jump for functions that `mpi.h` declares and we do not offer.
pub(crate) unsafe extern "C" fn not_offered(name: *const c_char) -> c_int {
    // SAFETY: the runtime passes a string constant.
    let name = unsafe { CStr::from_ptr(name) }.to_string_lossy();
    end_at(&name)
}

/// Ends the run: the program has called an MPI function that we do not offer.
pub fn end_at(name: &str) -> ! {
    match Context::get() {
        Some(mut context) => context.fail(format!("{name} was called, which this version does not offer")),
        None => foreign_thread(name),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harness::{mpi, run};

    /// The outermost C function has the context. It is to be had again while a function of the program is called, when it
    /// is given back, and in a rank that goes on while another one is within a call.
    #[test]
    fn there_is_one_context() {
        let is_free = || Context::get().is_some();
        run(2, move |_| {
            let mut context = Context::get().expect("a rank is running");
            assert!(!is_free());
            assert!(context.lend(is_free) && context.callback(is_free) && context.operation(is_free));
            assert!(!is_free());
            let (rank, actions) = context.both();
            assert_eq!((rank.calling.combines, actions.now()), (false, Time::ZERO));
            drop(context);
            assert!(is_free());
            mpi!(Barrier, crate::harness::MPI_COMM_WORLD);
            assert!(is_free());
        });
        assert!(!is_free(), "no rank is running");
    }
}
