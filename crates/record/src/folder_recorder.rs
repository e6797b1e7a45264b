//! Keeps what an engine reports in the tables of a results folder, while the run goes on.

use crate::histories::{Messages, Packets, PairTable};
use crate::series::{BufferSeries, LatencyTable, LinkSeries};
use crate::table::{Failed, Parts, Table, write_table};
use crate::{RecordError, RunFolder};
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
    links: Option<Parts<LinkSeries>>,
    buffers: Option<Parts<BufferSeries>>,
    latencies: Option<Parts<LatencyTable>>,
    messages: Option<Parts<Messages>>,
    packets: Option<Parts<Packets>>,
    failure: Option<RecordError>,
    /// Whether a thread that writes parts has failed; what it says is known when it is waited for.
    failed: Failed,
}

/// Whether an engine has buffers to report.
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

    /// Writes what is left, and returns the names of all tables.
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
        tables.extend((requested.pairs == Keep::Yes).then_some(PairTable::NAME));
        Ok(tables)
    }

    /// Adds rows to a table that there is, unless something has failed.
    fn add<T: Table>(
        parts: &mut Option<Parts<T>>,
        failure: &mut Option<RecordError>,
        add: impl FnOnce(&mut T),
    ) {
        if let (Some(parts), None) = (parts, &failure) {
            *failure = parts.add(add).err();
        }
    }
}

fn parts<T: Table>(
    folder: &RunFolder,
    failed: &Failed,
    requested: bool,
) -> Result<Option<Parts<T>>, RecordError> {
    requested.then(|| Parts::new(folder, failed.clone())).transpose()
}

fn end<T: Table>(parts: Option<Parts<T>>, tables: &mut Vec<&'static str>) -> Result<(), RecordError> {
    if let Some(parts) = parts {
        parts.end()?;
        tables.push(T::NAME);
    }
    Ok(())
}

impl Recorder for FolderRecorder {
    fn requested(&self) -> &Requested {
        &self.requested
    }

    fn links(&mut self, start: Time, samples: &[LinkSample]) {
        Self::add(&mut self.links, &mut self.failure, |table| table.push(start, samples));
    }

    fn buffers(&mut self, start: Time, samples: &[BufferSample]) {
        let interval = self.requested.interval.expect("samples are of intervals");
        Self::add(&mut self.buffers, &mut self.failure, |table| table.push(start, samples, interval));
    }

    fn latencies(&mut self, start: Time, kind: LatencyKind, sample: LatencySample) {
        Self::add(&mut self.latencies, &mut self.failure, |table| table.push(start, kind, sample));
    }

    fn messages(&mut self, messages: &[MessageTimes]) {
        Self::add(&mut self.messages, &mut self.failure, |table| {
            messages.iter().for_each(|message| table.push(message));
        });
    }

    fn stays(&mut self, stays: &[PacketStay]) {
        Self::add(&mut self.packets, &mut self.failure, |table| {
            stays.iter().for_each(|stay| table.push(stay))
        });
    }

    fn pairs(&mut self, pairs: &Pairs) {
        if self.failure.is_none() {
            let block = [(PairTable::BLOCK_KEY, pairs.ranks_per_block().to_string())];
            self.failure = write_table(&self.folder, &mut PairTable::of(pairs), &block).err();
        }
    }

    fn has_failed(&self) -> bool {
        self.failure.is_some() || self.failed.get()
    }
}
