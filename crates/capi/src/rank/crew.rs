//! The threads of a rank, where all of them may call MPI (`MPI_THREAD_SERIALIZED`, `MPI_THREAD_MULTIPLE`).
//!
//! # Model
//! Every thread has a clock of its own. One that calls MPI asks for the rank, and waits until it is given it. The engine stands
//! still while any thread of the rank runs. When each of them has asked, waits in MPI, or waits for another thread, the rank
//! is given to the one whose call comes first: by simulated time, then by the number of the thread. So what happens does not
//! depend on how fast the threads run. A thread that asks for a time ahead of the engine's waits until the engine has come
//! there, if another thread waits in MPI, which may go on before.
//!
//! The library serves one call at a time: the processor time of calls adds up, what threads compute does not. A thread that has
//! waited for another one, outside of MPI, asks no earlier than the last call was over when it went on.
//!
//! ```text
//!   ranks' thread: turn   ----- gives the rank ----->   a thread: enter, or sleep returns
//!                    ^                                      |  carries out its call, goes on with its own work
//!                    '--- all ask, or wait ---------------- '  enter (asks), sleep (waits in MPI), or waits in the kernel
//! ```
//!
//! # Numbers
//! The k-th thread that a thread has made has the number of its maker, and k behind it; numbers are compared as words are.

pub(crate) mod looks;
mod state;

use crate::process::stdio::error_line;
use crate::process::turns::Turns;
use crate::process::{self, Critical, processor_time};
use crate::rank::context::{self, Lent};
use crate::rank::{Blocked, Rank};
use crate::world::options::Compute;
use state::{Doing, Loops, Member, Next, Quiet, State};
use std::cell::Cell;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration as WallTime, Instant};
use std::{mem, ptr};
use weir_coroutine::standing::this_thread;
use weir_coroutine::{CoroutineEnd, Elsewhere, own_threads};
use weir_message::{Body, Costs};
use weir_network::{Actions, Peer, Waiting, begin_thread};
use weir_units::Duration;

const MAIN: u32 = 0;

/// The kernel is asked about threads that run after so long, and then in intervals that double up to the second.
const FIRST_LOOK: WallTime = WallTime::from_micros(20);
const LATER_LOOKS: WallTime = WallTime::from_millis(1);

/// While a thread runs for longer, those that are held in loops go on.
const BESIDE: WallTime = WallTime::from_micros(300);

/// A thread that runs for so long may wait in a loop.
const LOOP: WallTime = WallTime::from_millis(1);

/// While a thread has the rank, the ranks' thread looks so often whether that has gone on to wait for another one.
const WITH_HOLDER: WallTime = WallTime::from_micros(100);

/// A thread that has run for so long while others wait in MPI waits for them, most likely, without giving up its processor.
const FIRST_TIMEOUT: WallTime = WallTime::from_secs(10);
/// Time that the engine waits for such a thread from then on.
const LATER_TIMEOUT: WallTime = WallTime::from_millis(2);

pub(crate) struct Crew {
    rank: weir_units::Rank,
    costs: Arc<Costs>,
    compute: Compute,
    state: Mutex<State>,
    /// For the ranks' thread: a member has asked, waits, or has ended.
    news: Condvar,
    /// Lock of the sections without a name, which its threads have one by one.
    pub(crate) critical: Critical,
}

/// The calling thread, if it is one of a rank's.
struct Membership {
    crew: Arc<Crew>,
    member: u32,
    comes: Arc<AtomicBool>,
}

impl Membership {
    /// The state of its crew. While it waits for the lock it does not wait for another thread of the program.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.comes.store(true, Ordering::SeqCst);
        let state = self.crew.lock();
        self.comes.store(false, Ordering::SeqCst);
        state
    }
}

thread_local! {
    /// Never given back: a thread may call until it is gone.
    static MEMBERSHIP: Cell<*const Membership> = const { Cell::new(ptr::null()) };
    /// True if the call that has the rank is one of MPI.
    static IN_LIBRARY: Cell<bool> = const { Cell::new(false) };
    /// The processor time of this thread when its own work went on.
    static OWN_WORK: Cell<Duration> = const { Cell::new(Duration::ZERO) };
}

fn membership() -> Option<&'static Membership> {
    // SAFETY: set once for each thread, to what is never given back.
    unsafe { MEMBERSHIP.get().as_ref() }
}

fn join(crew: Arc<Crew>, member: u32) -> &'static Membership {
    let comes = Arc::clone(&crew.lock().member(member).comes);
    let own: &'static Membership = Box::leak(Box::new(Membership { crew, member, comes }));
    MEMBERSHIP.set(own);
    own.lock().member(member).thread = Some(this_thread());
    OWN_WORK.set(processor_time());
    own
}

pub(crate) fn of_this_thread() -> Option<Arc<Crew>> {
    membership().map(|own| Arc::clone(&own.crew))
}

/// Returns true if the calling thread runs `main`; nothing is known of a thread that belongs to no open crew.
pub(crate) fn is_main() -> Option<bool> {
    membership().filter(|own| own.lock().is_open).map(|own| own.member == MAIN)
}

pub(crate) struct Birth {
    crew: Arc<Crew>,
    member: u32,
}

impl Birth {
    /// By the calling thread, if that is a member of a crew itself.
    pub(crate) fn by_this_thread() -> Option<Self> {
        let own = membership()?;
        Some(Self { crew: Arc::clone(&own.crew), member: own.lock().add(own.member, None) })
    }

    /// By `main`, which runs on the ranks' thread.
    pub(crate) fn by_main(rank: &mut Rank) -> Self {
        let clock = rank.process.clock();
        let crew = Arc::clone(rank.crew());
        let member = crew.lock().add(MAIN, Some(clock));
        Self { crew, member }
    }

    pub(crate) fn rank(&self) -> weir_units::Rank {
        self.crew.rank
    }

    /// The calling thread is the one that has been made.
    pub(crate) fn begin(self) {
        join(self.crew, self.member);
    }

    pub(crate) fn fails(self) {
        self.crew.lock().members.remove(&self.member);
    }
}

/// Waits until the calling thread has its rank, if it is one of a crew that may call MPI; whether it is.
pub(crate) fn enter() -> bool {
    let Some(own) = membership().filter(|_| !process::is_forked()) else { return false };
    let crew = &own.crew;
    let mut state = own.lock();
    if !state.is_open {
        return false;
    }
    looks::forget();
    let computed = crew.computed();
    state.computed += computed;
    state.may_find = true;
    state.member(own.member).asks(crew.costs.work.scaled(crew.rank, computed));
    IN_LIBRARY.set(false);
    crew.wait_for_turn(state, own.member);
    true
}

/// The call of the calling thread, which has the rank, is one of MPI: the library serves it when it has served the others.
pub(crate) fn enter_library(rank: &mut Rank) {
    if let Some(own) = membership() {
        IN_LIBRARY.set(true);
        rank.process.wake(own.lock().library);
    }
}

/// Returns true if another thread than that of `main` makes the call.
pub(crate) fn is_another_thread() -> bool {
    membership().is_some_and(|own| own.member != MAIN)
}

pub(crate) fn leave(rank: &mut Rank) {
    let Some(own) = membership() else { return };
    let mut state = own.lock();
    let clock = rank.process.clock();
    state.members.values_mut().for_each(|member| member.is_let_go(clock));
    if !IN_LIBRARY.replace(false) {
        rank.process.set_clock(state.library);
    }
    state.give_back(own.member, rank, Doing::Own);
    state.member(own.member).clock = clock;
    context::end_of_turn();
    drop(state);
    OWN_WORK.set(processor_time());
}

/// The calling thread waits in MPI: until what it waits for has come, others may have the rank.
pub(crate) fn sleep(rank: &mut Rank) {
    let own = membership().expect("only members have a rank that is shared");
    let mut state = own.lock();
    state.give_back(own.member, rank, Doing::Waits);
    context::end_of_turn();
    own.crew.wait_for_turn(state, own.member);
}

/// Ends the rank, by another thread than that of `main`; does not return then.
pub(crate) fn end_rank(code: i32) {
    let Some(own) = membership().filter(|own| own.member != MAIN) else { return };
    let mut state = own.lock();
    state.left = Some(code);
    state.holder = None;
    own.crew.news.notify_one();
    drop(state);
    stop()
}

fn stop() -> ! {
    loop {
        std::thread::park();
    }
}

impl Crew {
    pub(crate) fn new(rank: weir_units::Rank, costs: Arc<Costs>, compute: Compute) -> Arc<Self> {
        Arc::new(Self {
            rank,
            costs,
            compute,
            state: Mutex::new(State::new()),
            news: Condvar::new(),
            critical: Critical::new(),
        })
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the computing time of the calling thread since its last call.
    fn computed(&self) -> Duration {
        let Compute::Measured(factor) = self.compute else { return Duration::ZERO };
        let taken = processor_time().as_ps().saturating_sub(OWN_WORK.get().as_ps());
        Duration::from_secs_f64(Duration::from_ps(taken).as_secs_f64() * factor).unwrap_or(Duration::ZERO)
    }

    /// Gives the rank to whoever is to have it next, if no thread runs and it is known who that is; else the ranks' thread sees
    /// to it, where it has to know of the calling thread. So the calls of one thread after another come without that one.
    fn pass_on(&self, state: &mut State, is_news: bool) {
        if let Some(lent) = state.lent.filter(|_| state.holder.is_none())
            && state.is_quiet(Loops::Known)
        {
            // SAFETY: the turn goes on, and nobody has the rank.
            let (rank, actions) = unsafe { lent.both() };
            match state.choose(rank, actions) {
                Next::Member(next) => return state.give(next, rank),
                Next::AnyInLoops { held: false } => return,
                Next::Nobody | Next::AnyInLoops { held: true } => {}
            }
        } else if !is_news {
            return;
        }
        self.news.notify_one();
    }

    fn wait_for_turn(&self, mut state: MutexGuard<'_, State>, member: u32) {
        self.pass_on(&mut state, true);
        let turn = Arc::clone(&state.member(member).turn);
        while state.member(member).doing != Doing::Has {
            state = turn.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        let lent = state.lent;
        drop(state);
        match lent {
            Some(lent) => context::begin_turn(lent),
            // The rank is over.
            None => stop(),
        }
    }

    /// From now on all threads may call, and `main`, which is suspended in a call, goes on on a thread of its own.
    fn begin_main(self: &Arc<Self>, main: Elsewhere, state: &mut State) -> std::io::Result<()> {
        looks::begin();
        state.is_open = true;
        state.holder = Some(MAIN);
        state.member(MAIN).doing = Doing::Has;
        let crew = Arc::clone(self);
        let body = move || {
            let own = join(crew, MAIN);
            IN_LIBRARY.set(true);
            let lent = own.lock().lent.expect("its turn has begun");
            context::begin_turn(lent);
            let (end, rest) = main.run(own.crew.rank.index());
            if process::is_forked() {
                process::end_forked(own.crew.rank.index(), Some(end));
            }
            let mut state = own.lock();
            state.holder = state.holder.filter(|&holder| holder != MAIN);
            state.ended = Some((end, rest));
            own.crew.news.notify_one();
        };
        begin_thread(body, |thread, body| thread.name("rank".into()).spawn(body)).map(drop)
    }

    fn until_quiet<'s>(
        &'s self,
        mut state: MutexGuard<'s, State>,
        turns: &Turns,
    ) -> (MutexGuard<'s, State>, Quiet) {
        let (mut look, mut since) = (FIRST_LOOK, Instant::now());
        let (mut lets_go, mut looks_for_loops) = (BESIDE, LOOP);
        loop {
            if own_threads::waits() {
                return (state, Quiet::Over(CoroutineEnd::ByThread));
            }
            if turns.is_to_end() {
                return (state, Quiet::Over(CoroutineEnd::Interrupted));
            }
            if let Some((end, rest)) = state.ended.take() {
                drop(rest);
                return (state, Quiet::Over(end));
            }
            if let Some(code) = state.left.take() {
                return (state, Quiet::Over(CoroutineEnd::Left(code)));
            }
            if state.is_quiet(Loops::Known) {
                return (state, Quiet::Yes);
            }
            // Who runs for long may work on what those in loops wait for, and they beside it.
            if since.elapsed() > lets_go && state.holder.is_none() {
                state.let_go();
                lets_go = since.elapsed() * 2;
            }
            if since.elapsed() > looks_for_loops && state.holder.is_none() {
                if state.is_quiet(Loops::Any) {
                    return (state, Quiet::Yes);
                }
                looks_for_loops = since.elapsed() * 2;
            }
            let in_vain = since.elapsed() > state.timeout && state.holder.is_none();
            if in_vain && state.members.values().any(|member| member.doing != Doing::Own) {
                return (state, Quiet::No);
            }
            // The holder says when it gives the rank back.
            let time = if state.holder.is_some() { WITH_HOLDER } else { look };
            let result;
            (state, result) = self.news.wait_timeout(state, time).unwrap_or_else(PoisonError::into_inner);
            if result.timed_out() {
                look = (look * 2).min(LATER_LOOKS);
            } else {
                (look, since) = (FIRST_LOOK, Instant::now());
                (lets_go, looks_for_loops) = (BESIDE, LOOP);
            }
        }
    }

    /// The rank's turn, after an event at which a thread of it can go on: until none of them can. How the rank has ended, if it
    /// has. `begins` is its `main`, if this is the first turn.
    pub(crate) fn turn(
        self: &Arc<Self>,
        rank: &mut Rank,
        actions: &mut Actions<Body>,
        begins: Option<Elsewhere>,
    ) -> Option<CoroutineEnd> {
        let world = std::rc::Rc::clone(&rank.world);
        let lent = Lent::of(rank, actions);
        let mut state = self.lock();
        state.lent = Some(lent);
        state.looks_again = None;
        state.may_find = true;
        if let Some(main) = begins
            && let Err(why) = self.begin_main(main, &mut state)
        {
            // SAFETY: no thread has them.
            let (_, actions) = unsafe { lent.both() };
            actions.stop(format!("the system has no thread for it: {why}"));
            state.lent = None;
            return Some(CoroutineEnd::Left(1));
        }
        loop {
            let how;
            (state, how) = self.until_quiet(state, &world.turns);
            // SAFETY: no thread of the rank has them, and the caller has lent both.
            let (rank, actions) = unsafe { lent.both() };
            if let Quiet::Over(end) = how {
                state.lent = None;
                // A call in which the rank has ended is the one that it has.
                if let Some(main) = state.members.get_mut(&MAIN).filter(|main| main.doing == Doing::Own) {
                    mem::swap(&mut main.calling, &mut rank.calling);
                    rank.process.wake(main.clock);
                }
                return Some(end);
            }
            match state.choose(rank, actions) {
                Next::Member(next) => state.give(next, rank),
                Next::Nobody if matches!(how, Quiet::No) => {
                    self.go_on_without(&mut state, rank, actions);
                    break;
                }
                Next::Nobody if state.holds_for_good() => break,
                Next::Nobody | Next::AnyInLoops { .. } => {}
            }
        }
        state.lent = None;
        None
    }

    /// A thread runs that does not call MPI: simulated time goes on for a while, and then it is looked at again.
    fn go_on_without(&self, state: &mut State, rank: &mut Rank, actions: &mut Actions<Body>) {
        const LONGEST: Duration = Duration::from_ns(1_000_000);
        if state.timeout == FIRST_TIMEOUT {
            error_line(&format!(
                "a thread of rank {} has run for {} s without calling MPI, while another one waits in MPI; if it waits for \
                 that one in a loop, when it goes on depends on this computer from now on",
                self.rank,
                FIRST_TIMEOUT.as_secs()
            ));
            state.timeout = LATER_TIMEOUT;
        }
        let token = rank.next_token();
        actions.set_poll_timer(actions.now() + state.interval, token);
        state.interval = (state.interval + state.interval).min(LONGEST);
        state.looks_again = Some(token);
    }

    /// Returns true if a thread can go on after an event, which is not a timer's.
    pub(crate) fn can_go_on(&self, rank: &mut Rank) -> bool {
        self.lock().wake(rank)
    }

    /// A timer has come; whether a thread waits for it.
    pub(crate) fn timer(&self, token: u64) -> bool {
        let mut state = self.lock();
        if state.looks_again == Some(token) {
            return true;
        }
        let awaits = |member: &Member| match (member.doing, &member.calling.blocked) {
            (Doing::Asks(Some(timer)), _) => timer == token,
            (Doing::Waits, Blocked::Until(timer) | Blocked::Poll { token: timer, .. }) => *timer == token,
            _ => false,
        };
        let Some(member) = state.members.values_mut().find(|member| awaits(member)) else { return false };
        member.doing = if member.doing == Doing::Waits { Doing::Woken } else { Doing::Due };
        true
    }

    /// Returns true if any thread waits in MPI like this.
    pub(crate) fn any_waits(&self, like: impl Fn(&Blocked) -> bool) -> bool {
        let state = self.lock();
        state.members.values().any(|member| member.doing == Doing::Waits && like(&member.calling.blocked))
    }

    /// Explains for what the rank waits: the first of its threads that waits in MPI, and how many others there are.
    pub(crate) fn waiting(&self, rank: &Rank) -> Waiting {
        let state = self.lock();
        let mut members: Vec<&Member> = state.members.values().collect();
        members.sort_by(|a, b| a.number.cmp(&b.number));
        let in_library: Vec<&&Member> =
            members.iter().filter(|member| member.doing == Doing::Waits).collect();
        let outside = members.len() - in_library.len();
        let others = format!("{} in MPI, {outside} for each other", in_library.len());
        let mut waiting = match in_library.first() {
            Some(first) => rank.explain(&first.calling.blocked, first.calling.call),
            None => Waiting {
                rank: self.rank,
                call: "none, its threads wait for each other".into(),
                peer: Peer::Any,
                details: vec![],
            },
        };
        if members.len() > 1 {
            waiting.details.push(("its threads wait", others));
        }
        waiting
    }
}
