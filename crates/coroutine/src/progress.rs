//! Distinguishes a thread that makes progress from one that waits in a loop for another one to change the memory.
//!
//! A signal asks the thread for what it is at: its registers and what is on top of its stack. A loop that only looks comes to
//! the same few states over and over; work does not come to a state again, for its counters and addresses change.
//!
//! The same signal makes a running coroutine end, from another thread. A program that computes for ever gives nothing back, so
//! it is taken off its processor, as by a crash. That is safe only where it holds nothing that we need afterward: inside the C
//! library it may hold the lock of the heap or of a stream, and inside our own code anything. There it is left alone, and asked
//! again a moment later.

use crate::coroutine::{self, CoroutineEnd};
use crate::crash;
use crate::memory;
use crate::standing::this_thread;
use std::cell::Cell;
use std::collections::BTreeSet;
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicPtr, AtomicU32, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, Once, PoisonError};
use std::time::{Duration, Instant};

/// A thread is asked so often at most before it is said to work.
const QUESTIONS: usize = 96;
/// Number of first answers after which it works, if no two are the same.
const FIRST: usize = 16;
/// So often it has come back to a state, and it waits.
const RETURNS: usize = 6;
/// Number of answers of which two must say that it is in the loop in which it was.
const AGAIN: usize = 8;
/// More states are not kept of a loop.
const MOST_STATES: usize = 1024;
/// A thread that has not run for so long since its last answer has had no processor.
const HAS_RUN: Duration = Duration::from_micros(20);
/// A thread that has not answered for so long has no processor, or does not take signals.
const TIMEOUT: Duration = Duration::from_millis(100);
const SOON: Duration = Duration::from_micros(30);
/// Words of the stack that are looked at: the red zone below its top, and what is above.
const BELOW: usize = 128;
const WORDS: usize = 64;

/// The thread that is asked; 0: none.
static ASKED: AtomicI32 = AtomicI32::new(0);
static STATE: AtomicU64 = AtomicU64::new(0);
/// Processor times of the thread that has answered, in nanoseconds.
static BEGIN: AtomicU64 = AtomicU64::new(0);
static END: AtomicU64 = AtomicU64::new(0);
static HAS_ANSWERED: AtomicBool = AtomicBool::new(false);
/// A number for each answer without a meaning.
static QUESTION: AtomicU64 = AtomicU64::new(0);

thread_local! {
    /// Set while this thread is held, or on its way out.
    static IS_HELD: Cell<bool> = const { Cell::new(false) };
}

/// By what the thread that is asked is held, if it is to be.
static HOLD: AtomicPtr<AtomicU32> = AtomicPtr::new(ptr::null_mut());

/// The loop in which a thread was found to wait last: states that it comes to in it.
#[derive(Debug, Default)]
pub struct Loop(BTreeSet<u64>);

impl Loop {
    /// Returns whether a thread of this process, by its number with the kernel, waits in a loop. It is interrupted by signals for that, some
    /// thousandths of a second long, unless it says meanwhile that it has left the loop.
    pub fn find(&mut self, thread: libc::pid_t, has_left: &AtomicBool) -> bool {
        if self.0.len() > MOST_STATES {
            self.0.clear();
        }
        let (mut returns, mut last) = (0, Duration::ZERO);
        for asked in 1..=QUESTIONS {
            let Some(state) = next_state(thread, &mut last, has_left) else { return false };
            returns += usize::from(!self.0.insert(state));
            if returns == RETURNS {
                return true;
            }
            if asked == FIRST && returns == 0 {
                break;
            }
        }
        self.0.clear();
        false
    }

    /// Returns whether the thread is in the loop in which it was found, and does not say that it has left it.
    pub fn is_in(&self, thread: libc::pid_t, has_left: &AtomicBool) -> bool {
        let mut last = Duration::ZERO;
        let mut states = (0..AGAIN).map_while(|_| next_state(thread, &mut last, has_left));
        !self.0.is_empty() && states.by_ref().filter(|state| self.0.contains(state)).nth(1).is_some()
    }
}

/// Makes a thread stay where it is, in a loop in which it waits, until [`let_go`] is called with this word; whether it does.
pub fn hold(thread: libc::pid_t, word: &'static AtomicU32) -> bool {
    state_of(thread, Some(word)).is_some()
}

/// The state of the thread, when it has run since the end of its last answer, which was at this processor time of it.
fn next_state(thread: libc::pid_t, last: &mut Duration, has_left: &AtomicBool) -> Option<u64> {
    let since = Instant::now();
    while since.elapsed() < TIMEOUT && !has_left.load(Ordering::SeqCst) {
        let Answer { state, begin, end } = state_of(thread, None)?;
        let has_run = begin >= *last + HAS_RUN;
        *last = end;
        if has_run {
            return Some(state);
        }
        std::thread::sleep(HAS_RUN);
    }
    None
}

struct Answer {
    state: u64,
    /// Its processor time when it was interrupted, and when it was about to go on.
    begin: Duration,
    end: Duration,
}

/// All threads go on that are held by this word.
pub fn let_go(word: &'static AtomicU32) {
    word.fetch_add(1, Ordering::SeqCst);
    let all = i32::MAX;
    // SAFETY: wakes whoever waits for the word.
    unsafe {
        libc::syscall(libc::SYS_futex, word.as_ptr(), libc::FUTEX_WAKE | libc::FUTEX_PRIVATE_FLAG, all)
    };
}

/// The state of the thread, if it answers; then it waits until the word changes, if there is one.
fn state_of(thread: libc::pid_t, hold: Option<&'static AtomicU32>) -> Option<Answer> {
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    let _one = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    install();
    sleep_in_time();
    HAS_ANSWERED.store(false, Ordering::SeqCst);
    HOLD.store(hold.map_or(ptr::null_mut(), |word| ptr::from_ref(word).cast_mut()), Ordering::SeqCst);
    ASKED.store(thread, Ordering::SeqCst);
    // SAFETY: the handler knows this signal.
    let sent = unsafe { libc::syscall(libc::SYS_tgkill, libc::getpid(), thread, SIGNAL) } == 0;
    let since = Instant::now();
    while sent && !HAS_ANSWERED.load(Ordering::SeqCst) && since.elapsed() < TIMEOUT {
        // It answers at once, if it has a processor.
        if since.elapsed() < SOON { std::hint::spin_loop() } else { std::thread::sleep(SOON) }
    }
    ASKED.store(0, Ordering::SeqCst);
    let time = |at: &AtomicU64| Duration::from_nanos(at.load(Ordering::SeqCst));
    let answer = || Answer { state: STATE.load(Ordering::SeqCst), begin: time(&BEGIN), end: time(&END) };
    HAS_ANSWERED.load(Ordering::SeqCst).then(answer)
}

/// A number for a state, which these words are. In a handler of a signal, too.
pub fn sum_of_state(words: impl IntoIterator<Item = u64>) -> u64 {
    words
        .into_iter()
        .fold(0xcbf2_9ce4_8422_2325, |sum, word| (sum ^ word).wrapping_mul(0x0100_0000_01b3).rotate_left(23))
}

/// The calling thread sleeps no longer than it says: the kernel may add 50 us else.
fn sleep_in_time() {
    thread_local! {
        static DOES: Cell<bool> = const { Cell::new(false) };
    }
    if !DOES.replace(true) {
        // SAFETY: changes only for how long this thread sleeps.
        unsafe { libc::prctl(libc::PR_SET_TIMERSLACK, 1, 0, 0, 0) };
    }
}

/// The processor time of this thread, in nanoseconds.
fn processor_time() -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: our own variable.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut time) };
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

/// Answers, if the calling thread is asked. In a handler of the signal: it takes no lock and no memory. Whether it was asked.
fn answer(registers: &[libc::greg_t; 23]) -> bool {
    let thread = this_thread();
    if ASKED.compare_exchange(thread, 0, Ordering::SeqCst, Ordering::SeqCst).is_err() {
        return false;
    }
    BEGIN.store(processor_time(), Ordering::SeqCst);
    // SAFETY: a word that stays, or none.
    let hold_word = unsafe { HOLD.load(Ordering::SeqCst).as_ref() };
    let mut words = [0_usize; WORDS];
    let start = (registers[libc::REG_RSP as usize] as usize).wrapping_sub(BELOW);
    // SAFETY: a variable of this thread.
    let errno = unsafe { *libc::__errno_location() };
    memory::look_at(start, &mut words);
    // A thread on its way out of here has not looked again.
    let held_before = IS_HELD.replace(hold_word.is_some()).then(|| QUESTION.fetch_add(1, Ordering::SeqCst));
    // The general registers and the place in the code; what follows are flags and what the kernel notes.
    let of_thread = registers[..=libc::REG_RIP as usize].iter().map(|&register| register as u64);
    let state = sum_of_state(of_thread.chain(words.map(|word| word as u64)).chain(held_before));
    let held = hold_word.map(|word| (word, word.load(Ordering::SeqCst)));
    STATE.store(state, Ordering::SeqCst);
    END.store(processor_time(), Ordering::SeqCst);
    HAS_ANSWERED.store(true, Ordering::SeqCst);
    if let Some((word, value)) = held {
        while word.load(Ordering::SeqCst) == value {
            let wait = libc::FUTEX_WAIT | libc::FUTEX_PRIVATE_FLAG;
            // SAFETY: waits as long as the word has this value.
            unsafe {
                libc::syscall(libc::SYS_futex, word.as_ptr(), wait, value, ptr::null::<libc::timespec>())
            };
        }
    }
    IS_HELD.set(held_before.is_some());
    // SAFETY: as above.
    unsafe { *libc::__errno_location() = errno };
    true
}

/// Ignored unless somebody takes it, and of no use to programs that compute.
const SIGNAL: libc::c_int = libc::SIGURG;

static IS_WANTED: AtomicBool = AtomicBool::new(false);

/// Code in which no rank is interrupted: beginnings and ends; an end of 0 is none.
static KEPT: [[AtomicUsize; 2]; 16] = [const { [AtomicUsize::new(0), AtomicUsize::new(0)] }; 16];

/// Ends the coroutine that runs on a thread.
#[derive(Clone, Copy, Debug)]
pub struct Interrupter(libc::pid_t);

impl Interrupter {
    /// For coroutines of the calling thread.
    pub fn of_this_thread() -> Self {
        Self(this_thread())
    }

    /// For coroutines of the thread with this number.
    pub const fn of_thread(number: libc::pid_t) -> Self {
        Self(number)
    }

    /// Asks the coroutine that runs now to end, as [`CoroutineEnd::Interrupted`]. Whether it does is found in what it does: it may
    /// be where it must not be interrupted, and has to be asked again then.
    pub fn interrupt(self) {
        install();
        IS_WANTED.store(true, Ordering::Release);
        // SAFETY: a signal for a thread of this process, if it is still there; the handler knows it.
        unsafe { libc::syscall(libc::SYS_tgkill, libc::getpid(), self.0, SIGNAL) };
    }
}

/// Makes sure that the handler of the signal is there.
fn install() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        note_kept_code();
        crash::handle_signal(SIGNAL, handle, libc::SA_RESTART);
    });
}

/// Finds the code of the C library, of the loader, and our own.
fn note_kept_code() {
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap_or_default();
    let own = std::env::current_exe().unwrap_or_default();
    let own = own.to_string_lossy();
    let mut places = KEPT.iter();
    for line in maps.lines() {
        let mut words = line.split_ascii_whitespace();
        let (Some(range), Some(rights)) = (words.next(), words.next()) else { continue };
        let path = line.find('/').map_or("", |start| &line[start..]);
        let name = path.rsplit('/').next().unwrap_or_default();
        let is_kept = path == own
            || ["libc.so", "libc-", "ld-linux", "libpthread"].iter().any(|known| name.starts_with(known));
        if !rights.contains('x') || !is_kept {
            continue;
        }
        let number = |text: &str| usize::from_str_radix(text, 16).ok();
        let Some((start, end)) = range.split_once('-') else { continue };
        if let (Some(start), Some(end), Some([first, last])) = (number(start), number(end), places.next()) {
            first.store(start, Ordering::Relaxed);
            last.store(end, Ordering::Release);
        }
    }
}

fn is_kept(address: usize) -> bool {
    KEPT.iter().any(|[start, end]| {
        let end = end.load(Ordering::Acquire);
        (start.load(Ordering::Relaxed)..end).contains(&address)
    })
}

extern "C" fn handle(_: libc::c_int, _: *mut libc::siginfo_t, context: *mut libc::c_void) {
    // SAFETY: the kernel gives a valid context of the interrupted code.
    let registers = unsafe { &mut (*context.cast::<libc::ucontext_t>()).uc_mcontext.gregs };
    let running = coroutine::running();
    if answer(registers) || running.is_null() || !IS_WANTED.load(Ordering::Acquire) {
        return;
    }
    // SAFETY: the coroutine that owns the facts is running.
    let facts = unsafe { &*running };
    let Some(trap) = facts.trap.get() else { return };
    let here = registers[libc::REG_RIP as usize] as usize;
    let stack_pointer = registers[libc::REG_RSP as usize] as usize;
    if trap.stack_ptr_in_bounds(stack_pointer) && !is_kept(here) && IS_WANTED.swap(false, Ordering::AcqRel) {
        // SAFETY: the stack pointer is within the coroutine. The run ends with this, so that nothing the program left half
        // done is used again, and it was not in code whose locks we need.
        unsafe { crash::leave(registers, trap, CoroutineEnd::Interrupted) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::hint::black_box;
    use std::sync::Arc;
    use std::sync::atomic::AtomicUsize;

    static WORD: AtomicU32 = AtomicU32::new(0);
    static STAYS: AtomicBool = AtomicBool::new(false);

    /// A thread that counts makes progress; one that looks at a word over and over does not, whether it gives way or not,
    /// and can be held there.
    #[test]
    fn loops_that_wait_and_loops_that_work() {
        let ends = Arc::new(AtomicBool::new(false));
        let looks: fn(&AtomicBool) = |ends| while !ends.load(Ordering::Relaxed) {};
        let gives_way: fn(&AtomicBool) = |ends| {
            while !ends.load(Ordering::Relaxed) {
                std::thread::yield_now();
            }
        };
        let works: fn(&AtomicBool) = |ends| {
            let mut sum = 1_u64;
            while !ends.load(Ordering::Relaxed) {
                for step in 0..1000_u64 {
                    sum = black_box(sum.wrapping_mul(3).wrapping_add(step));
                }
            }
        };
        for (does, waits) in [(looks, true), (gives_way, true), (works, false)] {
            let (ends, number) = (Arc::clone(&ends), Arc::new(AtomicUsize::new(0)));
            ends.store(false, Ordering::Relaxed);
            let thread = std::thread::spawn({
                let (ends, number) = (Arc::clone(&ends), Arc::clone(&number));
                move || {
                    crate::crash::install();
                    number.store(this_thread() as usize, Ordering::Release);
                    does(&ends);
                }
            });
            while number.load(Ordering::Acquire) == 0 {
                std::thread::yield_now();
            }
            // A thread without a processor does not answer, which says nothing of it.
            let number = number.load(Ordering::Acquire) as libc::pid_t;
            let mut known = Loop::default();
            let found = (0..20).any(|_| known.find(number, &STAYS));
            assert_eq!((0..20).any(|_| known.is_in(number, &STAYS)), waits);
            assert!(!waits || (0..20).any(|_| hold(number, &WORD)));
            let stands = || crate::standing::of_thread(number);
            let is_held = || matches!(stands(), crate::standing::Standing::Waits { .. });
            assert_eq!(
                (0..200).any(|_| {
                    std::thread::sleep(Duration::from_millis(1));
                    is_held()
                }),
                waits
            );
            let_go(&WORD);
            ends.store(true, Ordering::Relaxed);
            thread.join().expect("it ends");
            assert_eq!(found, waits);
        }
    }
}
