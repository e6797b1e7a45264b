//! The last net for time: a command that prepares a run, and does not come to look at its limits, is ended from beside.
//!
//! Reading a large file, building a machine of millions of nodes and making tables for it take seconds each. Where that can
//! end early with a summary it does so at once; all else is given a moment, and then the command ends with a word about what
//! was under way. A run itself looks at its limits, and is left alone.

use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};
use weir_capi::signals;
use weir_network::{Stage, begin_thread};

const LOOK_EVERY: Duration = Duration::from_millis(100);
/// Time in which work that is under way can see for itself that it is to end.
const GRACE: Duration = Duration::from_millis(1000);

/// Looks after what is done before a run, from a thread of its own.
#[derive(Debug, Default)]
pub(crate) struct Overdue {
    stage: Arc<Mutex<Option<Stage>>>,
    thread: Option<JoinHandle<()>>,
}

impl Overdue {
    /// Sets the stage that is under way now; `None`: nothing that has to be looked after.
    pub(crate) fn set(&mut self, stage: Option<Stage>) {
        if stage.is_none() && self.thread.is_none() {
            return;
        }
        *self.stage.lock().unwrap_or_else(PoisonError::into_inner) = stage;
        match self.thread.take() {
            // It ends by itself, and is not waited for: where the loading of a program has broken, threads may be unable to
            // begin or to end.
            Some(thread) if stage.is_none() => {
                thread.thread().unpark();
                self.stage = Arc::default();
            }
            None => {
                let stage = Arc::clone(&self.stage);
                let look = move || look(|| *stage.lock().unwrap_or_else(PoisonError::into_inner));
                // Where the system has no thread to give, this check is left out.
                self.thread =
                    begin_thread(look, |thread, look| thread.name("overdue".into()).spawn(look)).ok();
            }
            running => self.thread = running,
        }
    }
}

impl Drop for Overdue {
    fn drop(&mut self) {
        self.set(None);
    }
}

/// Ends the command when something under way takes longer than it may.
fn look(under_way: impl Fn() -> Option<Stage>) {
    let mut over = None;
    while let Some(stage) = under_way() {
        if let Some(why) = stage.limits.wall_is_over(stage.since)
            && over.get_or_insert_with(Instant::now).elapsed() >= GRACE
        {
            signals::end_at_once(&format!("limit: {why}: {}", stage.what));
        }
        thread::park_timeout(LOOK_EVERY);
    }
}
