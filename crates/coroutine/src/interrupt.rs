//! Makes a running coroutine end, from another thread.
//!
//! A program that computes for ever gives nothing back, so it is taken off its processor by a signal, as by a crash. That is
//! safe only where it holds nothing that we need afterwards: inside the C library it may hold the lock of the heap or of a
//! stream, and inside our own code anything. There it is left alone, and asked again a moment later.

use crate::coroutine::{self, CoroutineEnd};
use crate::crash;
use crate::progress;
use std::sync::Once;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Ignored unless somebody takes it, and of no use to programs that compute.
pub(crate) const SIGNAL: libc::c_int = libc::SIGURG;

static IS_WANTED: AtomicBool = AtomicBool::new(false);

/// Code in which no rank is interrupted: beginnings and ends; an end of 0 is none.
static KEPT: [[AtomicUsize; 2]; 16] = [const { [AtomicUsize::new(0), AtomicUsize::new(0)] }; 16];

/// Ends the coroutine that runs on a thread.
#[derive(Clone, Copy, Debug)]
pub struct Interrupter(libc::pthread_t);

impl Interrupter {
    /// For coroutines of the calling thread.
    #[must_use]
    pub fn of_this_thread() -> Self {
        // SAFETY: names the calling thread.
        Self(unsafe { libc::pthread_self() })
    }

    /// Asks the coroutine that runs now to end, as [`CoroutineEnd::Interrupted`]. Whether it does is found in what it does: it may
    /// be where it must not be interrupted, and has to be asked again then.
    ///
    /// # Safety
    /// The thread still runs.
    pub unsafe fn interrupt(self) {
        install();
        IS_WANTED.store(true, Ordering::Release);
        // SAFETY: the caller's promise.
        unsafe { libc::pthread_kill(self.0, SIGNAL) };
    }
}

/// Makes sure that the handler of the signal is there.
pub(crate) fn install() {
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
    if progress::answer(registers) || running.is_null() || !IS_WANTED.load(Ordering::Acquire) {
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
