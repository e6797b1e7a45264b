//! Keeps what an engine reports and what the ranks of a program call, in the tables of a results folder and in a trace, while the run
//! goes on.

use crate::error::{RecordError, Result};
use crate::rows::{
    BLOCK_KEY, BufferInterval, Call, CallRow, LatencyInterval, LinkInterval, Message, Packet, Pair,
};
use crate::run_folder::RunFolder;
use crate::table::{Failed, Parts, write_table};
use crate::trace::{Arrow, Drawn, DrawnLink, Trace};
use std::path::PathBuf;
use std::sync::atomic::Ordering;
use weir_columns::Row;
use weir_network::causes::DrawnPath;
use weir_network::record::{
    BufferSample, Keep, LatencyKind, LatencySample, LinkSample, MessageTimes, PacketStay, Pairs, Recorder,
    Requested,
};
use weir_units::{Duration, Rank, Time};

/// Writes what an engine reports into a results folder. Rows are in memory until a part of their table is complete, and
/// written by another thread while the run goes on. After the first failure no further part is begun.
pub struct FolderRecorder {
    folder: RunFolder,
    requested: Requested,
    links: Option<Parts<LinkInterval>>,
    buffers: Option<Parts<BufferInterval>>,
    latencies: Option<Parts<LatencyInterval>>,
    messages: Option<Parts<Message>>,
    packets: Option<Parts<Packet>>,
    failure: Option<RecordError>,
    /// True once a thread that writes parts has failed; its error is known when it is waited for.
    failed: Failed,
}

/// Buffers that an engine reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Buffers {
    /// It has.
    Sampled,
    /// It has none.
    None,
}

impl FolderRecorder {
    /// Makes what is requested of a run into tables of a folder.
    ///
    /// # Errors
    /// When the folder of a table cannot be made.
    pub fn new(folder: &RunFolder, requested: Requested, buffers: Buffers) -> Result<Self> {
        let failed = &Failed::default();
        Ok(Self {
            folder: folder.clone(),
            links: parts(folder, failed, requested.of_links().is_some())?,
            buffers: parts(folder, failed, requested.of_buffers().is_some() && buffers == Buffers::Sampled)?,
            latencies: parts(folder, failed, requested.of_latencies().is_some())?,
            messages: parts(folder, failed, requested.messages == Keep::Yes)?,
            packets: parts(folder, failed, requested.stays.is_some())?,
            requested,
            failure: None,
            failed: failed.clone(),
        })
    }

    /// Writes what remains, and returns the names of all tables.
    ///
    /// # Errors
    /// The first that there was.
    pub fn end(self) -> Result<Vec<&'static str>> {
        let Self { links, buffers, latencies, messages, packets, failure, requested, .. } = self;
        failure.map_or(Ok(()), Err)?;
        let mut tables = Vec::new();
        end(links, &mut tables)?;
        end(buffers, &mut tables)?;
        end(latencies, &mut tables)?;
        end(messages, &mut tables)?;
        end(packets, &mut tables)?;
        tables.extend((requested.pairs == Keep::Yes).then_some(Pair::TABLE));
        Ok(tables)
    }

    /// Adds rows to a table that there is, unless something has failed.
    fn add<R: Row>(
        parts: &mut Option<Parts<R>>,
        failure: &mut Option<RecordError>,
        rows: impl IntoIterator<Item = R>,
    ) {
        if let (Some(parts), None) = (parts, &failure) {
            *failure = parts.add(rows).err();
        }
    }
}

fn parts<R: Row>(folder: &RunFolder, failed: &Failed, requested: bool) -> Result<Option<Parts<R>>> {
    requested.then(|| Parts::new(folder, failed.clone())).transpose()
}

fn end<R: Row>(parts: Option<Parts<R>>, tables: &mut Vec<&'static str>) -> Result<()> {
    if let Some(parts) = parts {
        parts.end()?;
        tables.push(R::TABLE);
    }
    Ok(())
}

impl Recorder for FolderRecorder {
    fn requested(&self) -> &Requested {
        &self.requested
    }

    fn links(&mut self, start: Time, samples: &[LinkSample]) {
        let rows = samples.iter().map(|sample| LinkInterval::new(start, sample));
        Self::add(&mut self.links, &mut self.failure, rows);
    }

    fn buffers(&mut self, start: Time, samples: &[BufferSample]) {
        let interval = self.requested.interval.expect("samples are of intervals");
        let rows = samples.iter().map(|sample| BufferInterval::new(start, sample, interval));
        Self::add(&mut self.buffers, &mut self.failure, rows);
    }

    fn latencies(&mut self, start: Time, kind: LatencyKind, sample: LatencySample) {
        Self::add(&mut self.latencies, &mut self.failure, [LatencyInterval::new(start, kind, sample)]);
    }

    fn messages(&mut self, messages: &[MessageTimes]) {
        Self::add(&mut self.messages, &mut self.failure, messages.iter().map(Message::from));
    }

    fn stays(&mut self, stays: &[PacketStay]) {
        Self::add(&mut self.packets, &mut self.failure, stays.iter().map(Packet::from));
    }

    fn pairs(&mut self, pairs: &Pairs) {
        if self.failure.is_none() {
            let block = [(BLOCK_KEY, pairs.ranks_per_block().to_string())];
            let rows = pairs.cells().map(|(from, to, cell)| {
                let (messages, bytes) = (cell.messages, cell.bytes);
                Pair { from, to, messages, bytes }
            });
            self.failure = write_table(&self.folder, rows, &block).err();
        }
    }

    fn has_failed(&self) -> bool {
        self.failure.is_some() || self.failed.load(Ordering::Relaxed)
    }
}

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
    pub fn new(folder: &RunFolder, kept: KeptCalls, drawn: Drawn) -> Result<Self> {
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
    pub fn has_failed(&self) -> bool {
        self.failure.is_some() || self.failed.load(Ordering::Relaxed)
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
    ) -> Result<(Vec<&'static str>, Option<String>)> {
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

    fn draw(&mut self, draw: impl FnOnce(&mut Trace) -> Result<()>) {
        if let (Some(trace), None) = (&mut self.trace, &self.failure) {
            self.failure = draw(trace).err();
        }
    }
}
