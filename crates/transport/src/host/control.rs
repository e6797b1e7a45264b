//! The memory in which processes of one host meet.
//!
//! ```text
//!   word  0  a number that only this memory begins with; how many processes there are
//!   word 16  come: how many have come to the meeting that goes on
//!   word 32  passed: how many meetings have taken place
//!   word 48  sleepers: how many may be asleep until `passed` changes
//!   word 64  failed: which process has been lost and how, 0 while all are there
//!   word 80  finished, a word per process: 1 once it comes to no further meeting
//! ```
//!
//! # One barrier per meeting
//! Each process counts its meetings from zero. It comes to meeting m by adding one to `come`; the last one sets `come`
//! to 0 and then `passed` to m + 1, for which all others wait. No process adds to `come` for meeting m + 1 before it has seen
//! that, so no one is counted twice or for the wrong meeting.
//!
//! A process writes its outbox of parity m % 2 before it comes to meeting m, and others read it after they have seen that
//! the meeting has taken place; additions to `come` are releases and acquires in one order, and `passed` is released by
//! the last one, so they see all that was written. It writes the same outbox again before it comes to meeting m + 2,
//! which is after meeting m + 1 has taken place; to that one all have come, and they had read before they came. So one
//! barrier suffices, with two outboxes for each process.
//!
//! # Who is lost
//! Whoever looks and finds that a process has ended writes it into `failed`, once. A process that waits looks there, and
//! then once more at `passed`: if the meeting has taken place all the same, it counts.

use crate::{Backoff, Wait};
use memmap2::{MmapOptions, MmapRaw};
use rustix::thread::{Timespec, futex};
use std::fs::File;
use std::io;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

const MAGIC: u32 = 0x7765_6972;
/// Words that different processes write often are this far apart: two lines of a cache.
const APART: usize = 16;
const COME: usize = APART;
const PASSED: usize = 2 * APART;
const SLEEPERS: usize = 3 * APART;
const FAILED: usize = 4 * APART;
const DONE: usize = 5 * APART;
/// Interval at which a waiting process looks whether the others are there.
pub(super) const LOOK: Duration = Duration::from_millis(20);
/// A process looks at once so often before it offers its core to others, for half a microsecond at least and for some tens
/// of them at most: the less the more often that was in vain. On a core of its own looking is fastest; where processes
/// share a core, the one that looks keeps the one that it waits for from coming.
const SPINS: [u32; 2] = [16, 1024];
/// It offers its core so often before it sleeps.
const YIELDS: u32 = 100;
/// The most processes of a run: their numbers share a word with how they ended.
pub(super) const MOST: usize = 0xfffe;

/// The end of a lost process: a status of the system, which has 16 bits, or one of those below, which are none.
const GAVE_UP: u16 = 0xffff;
const VANISHED: u16 = 0xfffe;
const FINISHED: u16 = 0xfffd;

/// The end of a lost process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cause {
    /// It ended so.
    Ended(ExitStatus),
    /// It has been dropped before it was done.
    GaveUp,
    /// It is not there any more; how it ended is not known.
    Vanished,
    /// It was done, but the others were not.
    Finished,
}

/// A process that has been lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Failure {
    pub(super) process: usize,
    pub(super) cause: Cause,
}

impl Failure {
    fn word(self) -> u32 {
        let cause = match self.cause {
            Cause::Ended(status) => status.into_raw() as u16,
            Cause::GaveUp => GAVE_UP,
            Cause::Vanished => VANISHED,
            Cause::Finished => FINISHED,
        };
        (self.process as u32 + 1) << 16 | u32::from(cause)
    }

    fn of_word(word: u32) -> Option<Self> {
        let process = (word >> 16).checked_sub(1)? as usize;
        let cause = match word as u16 {
            GAVE_UP => Cause::GaveUp,
            VANISHED => Cause::Vanished,
            FINISHED => Cause::Finished,
            status => Cause::Ended(ExitStatus::from_raw(status.into())),
        };
        Some(Self { process, cause })
    }
}

/// The shared words, seen from one process.
#[derive(Debug)]
pub(super) struct Control {
    map: MmapRaw,
    processes: usize,
    spins: u32,
}

impl Control {
    fn bytes(processes: usize) -> usize {
        (DONE + processes) * size_of::<u32>()
    }

    /// Makes a file of memory into that of a new run.
    pub(super) fn create(file: &File, processes: usize) -> io::Result<Self> {
        file.set_len(Self::bytes(processes) as u64)?;
        let control = Self { map: MmapOptions::new().map_raw(file)?, processes, spins: SPINS[1] };
        control.words()[0].store(MAGIC, Ordering::Relaxed);
        control.words()[1].store(processes as u32, Ordering::Relaxed);
        Ok(control)
    }

    /// The memory of a run that another process has made; none if it is not that of so many processes.
    pub(super) fn open(file: &File, processes: usize) -> io::Result<Option<Self>> {
        if file.metadata()?.len() != Self::bytes(processes) as u64 {
            return Ok(None);
        }
        let control = Self { map: MmapOptions::new().map_raw(file)?, processes, spins: SPINS[1] };
        let begins = [0, 1].map(|word| control.words()[word].load(Ordering::Relaxed));
        Ok((begins == [MAGIC, processes as u32]).then_some(control))
    }

    fn words(&self) -> &[AtomicU32] {
        // SAFETY: the map is of at least so many bytes, begins at a page, and lives as long as `self`. The file never gets
        // shorter. All processes use its words as atomic ones only.
        unsafe { std::slice::from_raw_parts(self.map.as_ptr().cast(), DONE + self.processes) }
    }

    /// The process that has been lost, if one has.
    pub(super) fn failure(&self) -> Option<Failure> {
        Failure::of_word(self.words()[FAILED].load(Ordering::Acquire))
    }

    /// Shows all that a process is lost. The first to be lost counts.
    pub(super) fn fail(&self, process: usize, cause: Cause) {
        let word = Failure { process, cause }.word();
        _ = self.words()[FAILED].compare_exchange(0, word, Ordering::AcqRel, Ordering::Acquire);
    }

    /// Shows all that a process comes to no further meeting.
    pub(super) fn finish(&self, process: usize) {
        self.words()[DONE + process].store(1, Ordering::Release);
    }

    /// Returns whether a process has shown that.
    pub(super) fn has_finished(&self, process: usize) -> bool {
        self.words()[DONE + process].load(Ordering::Acquire) != 0
    }

    /// Comes to a meeting and waits until all have. `look` is called now and then, to see whether all are still there.
    pub(super) fn meet(&mut self, meeting: u32, mut look: impl FnMut(&Self)) -> Result<(), Failure> {
        if self.words()[COME].fetch_add(1, Ordering::AcqRel) as usize + 1 == self.processes {
            self.words()[COME].store(0, Ordering::Relaxed);
            // In one order with what `sleep` does: either it sees the new number, or this sees the sleeper.
            self.words()[PASSED].store(meeting.wrapping_add(1), Ordering::SeqCst);
            if self.words()[SLEEPERS].load(Ordering::SeqCst) > 0 {
                _ = futex::wake(&self.words()[PASSED], futex::Flags::empty(), i32::MAX as u32);
            }
            return Ok(());
        }
        let has_passed = |this: &Self| this.words()[PASSED].load(Ordering::Acquire) != meeting;
        let mut backoff = Backoff::new(self.spins, YIELDS);
        self.spins = (2 * self.spins).min(SPINS[1]);
        while !has_passed(self) {
            match backoff.next() {
                Wait::Spin => std::hint::spin_loop(),
                Wait::Yield => {
                    // Half of what it was before this meeting, or less.
                    self.spins = (self.spins / 4).max(SPINS[0]);
                    std::thread::yield_now();
                }
                Wait::Sleep(_) => {
                    self.sleep(meeting);
                    look(self);
                    self.look_for_finished(|| has_passed(self));
                }
            }
            if let Some(failure) = self.failure()
                && !has_passed(self)
            {
                return Err(failure);
            }
        }
        Ok(())
    }

    /// Until a meeting has taken place, or it is time to look.
    fn sleep(&self, meeting: u32) {
        let time = Timespec { tv_sec: 0, tv_nsec: LOOK.subsec_nanos().into() };
        self.words()[SLEEPERS].fetch_add(1, Ordering::SeqCst);
        // Errors say that it has taken place, that time is up, or that a signal has come: it is looked at again anyhow.
        _ = futex::wait(&self.words()[PASSED], futex::Flags::empty(), meeting, Some(&time));
        self.words()[SLEEPERS].fetch_sub(1, Ordering::SeqCst);
    }

    /// A process that is done never comes to a meeting that has not taken place by then.
    fn look_for_finished(&self, has_passed: impl Fn() -> bool) {
        if let Some(process) = (0..self.processes).find(|&process| self.has_finished(process))
            && !has_passed()
        {
            self.fail(process, Cause::Finished);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Another process sees what one has shown, in the memory of its own run alone.
    #[test]
    fn control_is_shared() {
        let file = tempfile::tempfile().unwrap();
        let own = Control::create(&file, 3).unwrap();
        assert_eq!(file.metadata().unwrap().len(), 4 * (80 + 3));
        let other = Control::open(&file, 3).unwrap().unwrap();
        assert!([2, 4].into_iter().all(|processes| Control::open(&file, processes).unwrap().is_none()));
        own.finish(1);
        assert_eq!([0, 1, 2].map(|process| other.has_finished(process)), [false, true, false]);
        assert_eq!(other.failure(), None);
        own.fail(2, Cause::Vanished);
        other.fail(0, Cause::GaveUp);
        assert_eq!(own.failure(), Some(Failure { process: 2, cause: Cause::Vanished }));
        file.set_len(0).unwrap();
        file.set_len(4 * (80 + 3)).unwrap();
        assert!(Control::open(&file, 3).unwrap().is_none(), "another file of the same length");
    }

    #[test]
    fn failures_are_words() {
        for cause in [
            Cause::Ended(ExitStatus::from_raw(0)),
            Cause::Ended(ExitStatus::from_raw(9)),
            Cause::Ended(ExitStatus::from_raw(0x8b)),
            Cause::Ended(ExitStatus::from_raw(255 << 8)),
            Cause::GaveUp,
            Cause::Vanished,
            Cause::Finished,
        ] {
            for process in [0, 1, MOST] {
                let failure = Failure { process, cause };
                assert_eq!(Failure::of_word(failure.word()), Some(failure));
            }
        }
        assert_eq!(Failure::of_word(0), None);
    }
}
