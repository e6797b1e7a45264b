//! Keeps what an engine reports in the tables of a results folder, while the run goes on.

use crate::rows::{BLOCK_KEY, BufferInterval, LatencyInterval, LinkInterval, Message, Packet, Pair};
use crate::table::{Failed, Parts, write_table};
use crate::{RecordError, RunFolder};
use weir_columns::Row;
use weir_network::record::{
    BufferSample, Keep, LatencyKind, LatencySample, LinkSample, MessageTimes, PacketStay, Pairs, Recorder,
    Requested,
};
use weir_units::Time;

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
    pub fn new(folder: &RunFolder, requested: Requested, buffers: Buffers) -> Result<Self, RecordError> {
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
    pub fn end(self) -> Result<Vec<&'static str>, RecordError> {
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

fn parts<R: Row>(
    folder: &RunFolder,
    failed: &Failed,
    requested: bool,
) -> Result<Option<Parts<R>>, RecordError> {
    requested.then(|| Parts::new(folder, failed.clone())).transpose()
}

fn end<R: Row>(parts: Option<Parts<R>>, tables: &mut Vec<&'static str>) -> Result<(), RecordError> {
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
            let rows = pairs.cells().map(|(from, to, cell)| Pair {
                from,
                to,
                messages: cell.messages,
                bytes: cell.bytes,
            });
            self.failure = write_table(&self.folder, rows, &block).err();
        }
    }

    fn has_failed(&self) -> bool {
        self.failure.is_some() || self.failed.get()
    }
}
