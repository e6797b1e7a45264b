//! The processes that process 0 has started, as it sees them.

use super::control::{Cause, Control, LOOK};
use crate::Error;
use rustix::process::{Pid, Signal, kill_process};
use std::fmt;
use std::io;
use std::process::{Child, ExitStatus};
use std::time::{Duration, Instant};

/// After process 0 has given up, the others may take so long to notice and to end by themselves.
const GRACE: Duration = Duration::from_secs(2);

/// Returns a signal that is to be passed on, if there is one.
type Forward = Box<dyn FnMut() -> Option<i32> + Send>;

/// The other processes, by number, beginning with process 1.
#[derive(Default)]
pub(super) struct Children {
    children: Vec<Started>,
    forward: Option<Forward>,
    /// The last signal that has been passed on.
    forwarded: Option<i32>,
}

struct Started {
    child: Child,
    status: Option<ExitStatus>,
}

impl fmt::Debug for Children {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list()
            .entries(self.children.iter().map(|started| (started.child.id(), started.status)))
            .finish()
    }
}

impl Children {
    pub(super) fn add(&mut self, child: Child) {
        self.children.push(Started { child, status: None });
    }

    pub(super) fn forward(&mut self, forward: Forward) {
        self.forward = Some(forward);
    }

    /// Passes a signal on if there is one, and shows all others who has been lost.
    pub(super) fn look(&mut self, control: &Control) -> io::Result<()> {
        self.pass_signal_on();
        for (process, started) in (1..).zip(&mut self.children) {
            if started.status.is_some() {
                continue;
            }
            started.status = started.child.try_wait()?;
            if let Some(status) = started.status
                && !control.has_finished(process)
            {
                control.fail(process, Cause::Ended(status));
            }
        }
        Ok(())
    }

    /// Each signal once, to those that have not ended.
    fn pass_signal_on(&mut self) {
        let Some(signal) = self.forward.as_mut().and_then(|forward| forward()) else { return };
        if self.forwarded.replace(signal) == Some(signal) {
            return;
        }
        let Some(signal) = Signal::from_named_raw(signal) else { return };
        for started in self.children.iter().filter(|started| started.status.is_none()) {
            // It has not been waited for, so its number is still its own.
            if let Some(id) = Pid::from_raw(started.child.id() as i32) {
                _ = kill_process(id, signal);
            }
        }
    }

    /// Waits until all have ended, and returns how.
    pub(super) fn wait(&mut self, control: &Control) -> Result<Vec<ExitStatus>, Error> {
        let mut pause = Duration::from_micros(200);
        loop {
            self.look(control).map_err(Error::Wait)?;
            let ended: Option<Vec<ExitStatus>> = self.children.iter().map(|started| started.status).collect();
            if let Some(ended) = ended {
                return Ok(ended);
            }
            std::thread::sleep(pause);
            pause = (2 * pause).min(LOOK);
        }
    }

    /// Waits for a while, and then ends those that are left.
    pub(super) fn end(&mut self, control: &Control) {
        let since = Instant::now();
        while since.elapsed() < GRACE
            && self.look(control).is_ok()
            && self.children.iter().any(|started| started.status.is_none())
        {
            std::thread::sleep(Duration::from_millis(2));
        }
        for started in self.children.iter_mut().filter(|started| started.status.is_none()) {
            // Nothing is left to be done about a process that cannot be ended.
            _ = started.child.kill();
            _ = started.child.wait();
        }
    }
}
