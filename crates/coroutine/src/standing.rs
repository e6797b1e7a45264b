//! States of threads of this process, from the kernel: they run or wait.
//!
//! Threads of a program wait for each other in ways of their own: locks, conditions, barriers of OpenMP, the end of another
//! thread. All of them wait in the kernel in the end, so the kernel is asked instead of each of those functions.

use std::fs;

/// The state of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// It runs, or will by itself: it sleeps for a time, reads or writes.
    Runs,
    /// It waits in the kernel for something that another thread does.
    Waits {
        /// Number of times that it has given up the processor to wait. While this stays the same, it has not run.
        times: u64,
    },
    /// There is no such thread any more.
    Gone,
}

/// The kernel's number of the calling thread.
pub fn this_thread() -> libc::pid_t {
    // SAFETY: asks for a number. The system call is made by its number, since the C library has `gettid` only since 2.30.
    unsafe { libc::syscall(libc::SYS_gettid) as libc::pid_t }
}

/// Returns the state of a thread of this process, by the kernel's number.
pub fn of_thread(thread: libc::pid_t) -> Standing {
    let read = |what: &str| fs::read_to_string(format!("/proc/self/task/{thread}/{what}"));
    // The count comes first: what is seen of the wait is not older.
    let Ok(status) = read("status") else { return Standing::Gone };
    // In another sleep it waits for the kernel itself. Some systems do not say in which call a thread waits.
    let waits = status.lines().any(|line| line.starts_with("State:\tS"))
        && read("syscall").map_or(true, |call| waits_for_others(&call));
    let times = status.lines().find_map(|line| line.strip_prefix("voluntary_ctxt_switches:"));
    match times.and_then(|times| times.trim().parse().ok()) {
        Some(times) if waits => Standing::Waits { times },
        _ => Standing::Runs,
    }
}

/// Returns whether a thread that is in this call, in the kernel's words, waits for another one: `NUMBER ARGUMENT...`, in hexadecimal
/// digits but for the number, or `running`.
fn waits_for_others(call: &str) -> bool {
    let mut words = call.split_ascii_whitespace();
    let Some(number) = words.next().and_then(|word| word.parse::<i64>().ok()) else { return false };
    let arguments: Vec<u64> =
        words.filter_map(|word| u64::from_str_radix(word.trim_start_matches("0x"), 16).ok()).collect();
    let argument = |place: usize| arguments.get(place).copied().unwrap_or(0);
    match number {
        // Whoever wakes others is in this call, too.
        libc::SYS_futex => {
            let operation = argument(1) as i32 & libc::FUTEX_CMD_MASK;
            let waits =
                [libc::FUTEX_WAIT, libc::FUTEX_WAIT_BITSET, libc::FUTEX_LOCK_PI, libc::FUTEX_WAIT_REQUEUE_PI];
            waits.contains(&operation) && argument(3) == 0
        }
        libc::SYS_ppoll => argument(2) == 0,
        libc::SYS_poll => (argument(2) as i32) < 0,
        libc::SYS_epoll_wait | libc::SYS_epoll_pwait => (argument(3) as i32) < 0,
        libc::SYS_select | libc::SYS_pselect6 => argument(4) == 0,
        libc::SYS_rt_sigtimedwait => argument(2) == 0,
        libc::SYS_accept
        | libc::SYS_accept4
        | libc::SYS_pause
        | libc::SYS_rt_sigsuspend
        | libc::SYS_wait4
        | libc::SYS_waitid
        | libc::SYS_flock
        | libc::SYS_msgrcv
        | libc::SYS_semop => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};
    use std::sync::{Arc, Mutex};
    use std::time::{Duration, Instant};

    #[test]
    fn calls_of_the_kernel() {
        let waits = [
            "202 0x5581 0x80 0x2 0x0 0x0 0x0 0x7ff 0x7ff",
            "202 0x5581 0x189 0x0 0x0 0x0 0xffffffff 0x7ff 0x7ff",
            "7 0x1 0x1 0xffffffff 0x0 0x0 0x0 0x7ff 0x7ff",
            "232 0x3 0x7ff 0x1 0xffffffff",
            "281 0x3 0x7ff 0x1 0xffffffff",
            "23 0x1 0x7ff 0x0 0x0 0x0",
            "270 0x1 0x7ff 0x0 0x0 0x0",
            "271 0x7ff 0x1 0x0",
            "128 0x7ff 0x7ff 0x0",
            "61 0xffffffff 0x7ff 0x0",
        ];
        let runs = [
            "running",
            "-1 0x7ff 0x7ff",
            "202 0x5581 0x189 0x0 0x7ffe 0x0 0xffffffff 0x7ff 0x7ff",
            "202 0x5581 0x81 0x1 0x0 0x0 0x0 0x7ff 0x7ff",
            "230 0x0 0x0 0x7f17 0x0 0x0 0x7f17 0x7ff 0x7ff",
            "7 0x1 0x1 0x64 0x0 0x0 0x0 0x7ff 0x7ff",
            "0 0x1 0x1 0x64 0x0 0x0 0x0 0x7ff 0x7ff",
            "232 0x3 0x7ff 0x1 0x64",
            "270 0x1 0x7ff 0x0 0x0 0x7ff",
            "271 0x7ff 0x1 0x7ff",
            "128 0x7ff 0x7ff 0x7ff",
        ];
        assert!(waits.iter().all(|call| waits_for_others(call)));
        assert!(!runs.iter().any(|call| waits_for_others(call)));
    }

    /// A thread runs, waits for a lock, has waited once more when it was let go in between, and is gone.
    #[test]
    fn a_thread_from_its_beginning_to_its_end() {
        let (number, goes_on) = (Arc::new(AtomicI32::new(0)), Arc::new(AtomicBool::new(true)));
        let lock = Arc::new(Mutex::new(()));
        let held = lock.lock().expect("nobody has it");
        let thread = {
            let (number, goes_on, lock) = (Arc::clone(&number), Arc::clone(&goes_on), Arc::clone(&lock));
            std::thread::spawn(move || {
                number.store(this_thread(), Ordering::Release);
                while goes_on.load(Ordering::Acquire) {}
                drop(lock.lock());
                std::thread::park();
            })
        };
        let stands = || of_thread(number.load(Ordering::Acquire));
        let wait_for = |holds: &dyn Fn(Standing) -> bool| {
            let since = Instant::now();
            loop {
                let standing = stands();
                if holds(standing) {
                    return standing;
                }
                assert!(since.elapsed() < Duration::from_secs(20), "{standing:?}");
                std::thread::sleep(Duration::from_millis(1));
            }
        };
        wait_for(&|_| number.load(Ordering::Acquire) != 0);
        assert_eq!(stands(), Standing::Runs);
        goes_on.store(false, Ordering::Release);
        let first = wait_for(&|standing| matches!(standing, Standing::Waits { .. }));
        assert_eq!(stands(), first);
        drop(held);
        let waits_again = |standing| matches!(standing, Standing::Waits { .. }) && standing != first;
        wait_for(&waits_again);
        thread.thread().unpark();
        thread.join().expect("it ends");
        wait_for(&|standing| standing == Standing::Gone);
    }
}
