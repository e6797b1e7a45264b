//! Signals that ask this process to end: the first acts as a limit does, the second ends it at once.

use crate::process::stdio;
use std::os::unix::process::CommandExt;
use std::process::Command;
use std::sync::atomic::{AtomicI32, Ordering};

/// Signals that people and batch systems send to end a run.
const SIGNALS: [libc::c_int; 2] = [libc::SIGINT, libc::SIGTERM];

/// More processes than that are not started beside each other.
const MOST: usize = 1024;

/// Processes that are asked to end with this one; 0 is none.
static CHILDREN: [AtomicI32; MOST] = [const { AtomicI32::new(0) }; MOST];

/// From now on the first SIGINT or SIGTERM asks runs to end ([`weir_network::interrupt`]), and the second ends this process
/// with 128 + the number of the signal.
pub fn take() {
    for signal in SIGNALS {
        // SAFETY: an all-zero sigaction is valid, and the handler has the signature of one without details.
        unsafe {
            let mut action: libc::sigaction = std::mem::zeroed();
            let handler: extern "C" fn(libc::c_int) = handle;
            action.sa_sigaction = handler as usize;
            // Ranks may be running on small stacks.
            action.sa_flags = libc::SA_RESTART | libc::SA_ONSTACK;
            libc::sigaction(signal, &raw const action, std::ptr::null_mut());
        }
    }
}

extern "C" fn handle(signal: libc::c_int) {
    if !weir_network::interrupt(signal) {
        // Those that it has started end with it.
        stdio::end_at_once(128 + signal);
    }
    for child in &CHILDREN {
        forward(child.load(Ordering::Acquire), signal);
    }
}

/// Ends this process as a limit or a signal does, with a line on standard error and without a summary: for those who look
/// after a thread that does not come back. 4, or 128 + the number of the signal, is the exit status.
pub fn end_at_once(line: &str) -> ! {
    stdio::error_line(line);
    stdio::end_at_once(weir_network::interrupted_by().map_or(4, |signal| 128 + signal))
}

fn forward(child: i32, signal: libc::c_int) {
    if child > 0 {
        // SAFETY: a process that we have started and not yet waited for.
        unsafe { libc::kill(child, signal) };
    }
}

/// While it lives, a process that we have started is asked to end when this one is. Dropped before the process is waited
/// for: its number may be another's then.
#[derive(Debug)]
pub struct Forwarded(Option<&'static AtomicI32>);

impl Forwarded {
    /// Begins to forward to this process.
    pub fn to(child: u32) -> Self {
        let child = child.cast_signed();
        let free = |place: &&AtomicI32| {
            place.compare_exchange(0, child, Ordering::AcqRel, Ordering::Relaxed).is_ok()
        };
        let place = CHILDREN.iter().find(free);
        // It came in between.
        if let Some(signal) = weir_network::interrupted_by() {
            forward(child, signal);
        }
        Self(place)
    }
}

impl Drop for Forwarded {
    fn drop(&mut self) {
        if let Some(place) = self.0 {
            place.store(0, Ordering::Release);
        }
    }
}

/// A process that does not outlive the thread that starts it, however that ends.
pub fn dies_with_us(command: &mut Command) {
    // SAFETY: one system call between fork and exec.
    unsafe {
        command.pre_exec(|| {
            libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
            Ok(())
        });
    }
}
