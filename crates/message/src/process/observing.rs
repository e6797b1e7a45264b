//! The observer gets what the rank does.

use super::Process;
use super::accounting::OWN_WORK;
use crate::observer::{Observed, lock};
use crate::{Communicator, CommunicatorId, Observation, Posted, SharedObserver, Taken, Watched};
use weir_operations::Operation;
use weir_units::{Rank, Time};

impl Watched for Process {
    fn rank(&self) -> Rank {
        self.rank
    }

    fn clock(&self) -> Time {
        self.clock
    }

    fn communicator(&self, number: u32) -> Option<&Communicator> {
        Process::communicator(self, CommunicatorId(number)).ok()
    }
}

impl Process {
    /// The same rank, watched.
    #[must_use]
    pub fn observed_by(mut self, observer: SharedObserver) -> Self {
        self.observer = Observed(Some(observer));
        self
    }

    /// Returns whether the rank has an observer.
    #[inline]
    pub fn is_observed(&self) -> bool {
        self.observer.0.is_some()
    }

    /// Passes an operation that this rank has done to the observer, if there is one. The process passes on what it does itself; its owner
    /// passes on probes and waits at windows.
    #[inline]
    pub fn observe(&self, operation: impl FnOnce() -> Operation) {
        if let Some(observer) = &self.observer.0 {
            lock(observer).does(self, &operation());
        }
    }

    /// Passes on what this rank has noticed. Its owner passes on looks.
    #[inline]
    pub fn notice(&self, observation: Observation<'_>) {
        if let Some(observer) = &self.observer.0 {
            lock(observer).notices(self, observation);
        }
    }

    #[cold]
    pub(crate) fn observe_waiting(&self, until: Time) {
        if let Some(observer) = &self.observer.0 {
            lock(observer).waits(self.rank(), self.clock(), until);
        }
    }

    #[inline]
    pub(crate) fn observe_post(&self, to: Rank, sequence: u64, bytes: u64) {
        if let Some(observer) = &self.observer.0 {
            lock(observer).posts(self.rank(), self.clock(), Posted { to, sequence, bytes });
        }
    }

    #[inline]
    pub(crate) fn observe_take(&self, at: Time, taken: Taken) {
        if let Some(observer) = &self.observer.0 {
            let request = self.whole_of(taken.request);
            lock(observer).takes(self.rank(), at, Taken { request, ..taken });
        }
    }

    /// The rank calls a function now: where, is a name that all calls there have; empty if it is not known.
    ///
    /// # Errors
    /// Why the observer ends the run.
    pub fn begin_call(&mut self, name: &'static str, site: &'static str) -> Result<(), String> {
        self.enter_call(name, site);
        let Some(observer) = &self.observer.0 else { return Ok(()) };
        lock(observer).begins(self.rank(), name, self.clock())
    }

    /// The call is over.
    ///
    /// # Errors
    /// Why the observer ends the run.
    pub fn end_call(&mut self) -> Result<(), String> {
        self.enter_call(OWN_WORK, "");
        let Some(observer) = &self.observer.0 else { return Ok(()) };
        lock(observer).ends(self.rank(), self.clock())
    }

    /// The rank is at its end.
    pub fn end_program(&self) {
        if let Some(observer) = &self.observer.0 {
            lock(observer).over(self.rank(), self.clock());
        }
    }
}
