//! Keeps what the ranks of a program call, in the table of calls and in a trace, while the run goes on.

use crate::calls::CallRow;
use crate::rows::Call;
use crate::table::{Failed, Parts};
use crate::trace::{Arrow, Drawn, DrawnLink, Trace};
use crate::{RecordError, RunFolder};
use std::path::PathBuf;
use weir_columns::Row;
use weir_network::causes::DrawnPath;
use weir_network::record::{Keep, MessageTimes};
use weir_units::{Duration, Rank, Time};

/// Writes the calls of all ranks into a results folder. Memory holds two parts of the table, and of the trace a few
/// kilobytes. After the first failure nothing more is written.
pub struct CallRecorder {
    folder: PathBuf,
    calls: Option<Parts<Call>>,
    trace: Option<Trace>,
    failure: Option<RecordError>,
    /// True once the thread that writes parts has failed; its error is known when it is waited for.
    failed: Failed,
}

/// Files in which calls are kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KeptCalls {
    /// The table.
    pub table: Keep,
    /// The trace.
    pub trace: Keep,
}

impl CallRecorder {
    /// Makes what is kept of the calls of ranks into files of a folder.
    ///
    /// # Errors
    /// When they cannot be made.
    pub fn new(folder: &RunFolder, kept: KeptCalls, drawn: Drawn) -> Result<Self, RecordError> {
        let failed = Failed::default();
        let parts = || Parts::new(folder, failed.clone());
        let calls = (kept.table == Keep::Yes).then(parts).transpose()?;
        let trace = (kept.trace == Keep::Yes).then(|| Trace::new(folder.path(), drawn)).transpose()?;
        Ok(Self { folder: folder.path().to_owned(), calls, trace, failure: None, failed })
    }

    /// A rank begins a call.
    pub fn begin(&mut self, rank: Rank, name: &'static str, at: Time) {
        self.draw(|trace| trace.begin_call(rank, name, at));
    }

    /// A call is over, or will not be over any more.
    pub fn end_call(&mut self, call: &CallRow) {
        if let (Some(calls), None) = (&mut self.calls, &self.failure) {
            self.failure = calls.add([Call::from(call)]).err();
        }
        self.draw(|trace| trace.end_call(call));
    }

    /// A message leaves its rank.
    pub fn sent(&mut self, arrow: &Arrow, at: Time) {
        self.draw(|trace| trace.sent(arrow, at));
    }

    /// A receive takes a message.
    pub fn taken(&mut self, arrow: &Arrow, at: Time) {
        self.draw(|trace| trace.taken(arrow, at));
    }

    /// Takes the times of messages that have arrived.
    pub fn arrived(&mut self, messages: &[MessageTimes]) {
        if let (Some(trace), None) = (&mut self.trace, &self.failure) {
            trace.arrived(messages);
        }
    }

    /// Returns whether something could not be kept.
    #[must_use]
    pub fn has_failed(&self) -> bool {
        self.failure.is_some() || self.failed.get()
    }

    /// Draws the critical path of the run into the trace.
    pub fn path(&mut self, path: &DrawnPath) {
        self.draw(|trace| trace.path(path));
    }

    /// Writes what remains, and returns the names of all tables, and what has been left out of the trace. The trace gets these
    /// links as far as the folder has what they carried in intervals of this length.
    ///
    /// # Errors
    /// The first that there was.
    pub fn end(
        mut self,
        links: &[DrawnLink],
        interval: Option<Duration>,
    ) -> Result<(Vec<&'static str>, Option<String>), RecordError> {
        let folder = std::mem::take(&mut self.folder);
        if let Some(interval) = interval {
            self.draw(|trace| trace.links(&folder, links, interval));
        }
        let Self { calls, trace, failure, .. } = self;
        failure.map_or(Ok(()), Err)?;
        let tables = calls.map(|calls| calls.end().map(|()| Call::TABLE)).transpose()?;
        let left_out = trace.map_or(Ok(None), Trace::end)?;
        Ok((tables.into_iter().collect(), left_out))
    }

    fn draw(&mut self, draw: impl FnOnce(&mut Trace) -> Result<(), RecordError>) {
        if let (Some(trace), None) = (&mut self.trace, &self.failure) {
            self.failure = draw(trace).err();
        }
    }
}
