//! Requests to end this process: the one thing that concerns all runs in a process at once.

use std::sync::atomic::{AtomicI32, Ordering};

/// The signal that has asked; 0: none has.
static SIGNAL: AtomicI32 = AtomicI32::new(0);

/// Asks all runs in this process to end as by a limit, for a signal of the system. Returns whether this is the first to ask.
/// May be called by a handler of signals.
pub fn interrupt(signal: i32) -> bool {
    SIGNAL.compare_exchange(0, signal, Ordering::AcqRel, Ordering::Acquire).is_ok()
}

/// The signal by which this process has been asked to end, if it has been.
#[inline]
#[must_use]
pub fn interrupted_by() -> Option<i32> {
    match SIGNAL.load(Ordering::Relaxed) {
        0 => None,
        signal => Some(signal),
    }
}

/// Takes back what [`interrupt`] has asked for, once no run is left of those that were asked: for a process that goes on to others.
pub fn forget_interruption() {
    SIGNAL.store(0, Ordering::Release);
}

/// The limit that an interruption is, in words.
pub(crate) fn in_words(signal: i32) -> String {
    match signal {
        2 => "interrupted by SIGINT".into(),
        15 => "interrupted by SIGTERM".into(),
        other => format!("interrupted by signal {other}"),
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn signals_have_names() {
        let words = [2, 15, 7].map(super::in_words);
        assert_eq!(words, ["SIGINT", "SIGTERM", "signal 7"].map(|name| format!("interrupted by {name}")));
    }
}
