//! Tables that grow while a run goes on: a folder of closed files, so that a run that is killed leaves what it has written.
//!
//! ```text
//!   the run:      fills a part |  fills the next one |  fills the third
//!   own thread:                |  writes the first   |  writes the second
//! ```
//! So there are two parts of a table in memory at most. Parts are written one after the other, and the same rows become
//! the same bytes whoever is faster.

use super::{TableFile, into_io};
use crate::folder::parted;
use crate::{RecordError, RunFolder};
use std::fs::{self, File};
use std::io::BufWriter;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use weir_columns::Row;
use weir_network::begin_thread;

/// Rows of the first part. Each part has twice as many as the one before it, up to the most: so a short run leaves
/// something too, and a long one few files.
const FIRST: usize = 1 << 12;
/// Rows of a part at most. They are in memory until the part is complete.
const MOST: usize = 1 << 18;

/// True once some part could not be written; shared by all writers of parts of the same folder.
#[derive(Clone, Debug, Default)]
pub(crate) struct Failed(Arc<AtomicBool>);

impl Failed {
    pub(crate) fn get(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// A table in parts. A part is written as soon as it has all its rows, by a thread of its own, under the name
/// `00000.parquet.partial` until it is complete.
pub(crate) struct Parts<R: Row> {
    folder: PathBuf,
    /// Name of the run in the tables of the folder.
    run: Arc<str>,
    begun: u32,
    rows: R::Columns,
    requested: usize,
    /// Writes the part before, and returns its columns, which are empty then.
    writer: Option<JoinHandle<Result<R::Columns, RecordError>>>,
    failed: Failed,
}

impl<R: Row> Parts<R> {
    /// No parts yet; makes the folder.
    pub(crate) fn new(folder: &RunFolder, failed: Failed) -> Result<Self, RecordError> {
        assert!(
            parted().any(|name| name == R::TABLE),
            "{} is among the tables of a results folder",
            R::TABLE
        );
        let (folder, run) = (folder.path().join(R::TABLE), folder.run().into());
        fs::create_dir_all(&folder).map_err(|source| RecordError::Folder { path: folder.clone(), source })?;
        let rows = R::Columns::default();
        Ok(Self { folder, run, begun: 0, rows, requested: FIRST, writer: None, failed })
    }

    /// Adds rows, and has a part written when it is full; waits until the one before it is written.
    ///
    /// # Errors
    /// When that could not be written.
    pub(crate) fn add(&mut self, rows: impl IntoIterator<Item = R>) -> Result<(), RecordError> {
        rows.into_iter().for_each(|row| row.push(&mut self.rows));
        if R::count(&self.rows) >= self.requested { self.hand_over() } else { Ok(()) }
    }

    /// Writes what remains. A table without rows gets a part without rows: its columns are known.
    ///
    /// # Errors
    /// When some part could not be written.
    pub(crate) fn end(mut self) -> Result<(), RecordError> {
        if R::count(&self.rows) > 0 || self.begun == 0 {
            self.hand_over()?;
        }
        self.wait().map(drop)
    }

    /// Waits for the writer; returns the columns that it has emptied.
    fn wait(&mut self) -> Result<R::Columns, RecordError> {
        match self.writer.take().map(JoinHandle::join) {
            None => Ok(R::Columns::default()),
            Some(Ok(written)) => written,
            Some(Err(panic)) => std::panic::resume_unwind(panic),
        }
    }

    fn hand_over(&mut self) -> Result<(), RecordError> {
        let empty = self.wait()?;
        let mut rows = std::mem::replace(&mut self.rows, empty);
        let path = self.folder.join(format!("{:05}.parquet", self.begun));
        let (failed, named, run) = (self.failed.clone(), path.clone(), Arc::clone(&self.run));
        let write = move || {
            let written = write_part::<R>(&path, &run, &mut rows);
            failed.0.fetch_or(written.is_err(), Ordering::Relaxed);
            written.map(|()| rows).map_err(|source| RecordError::File { path, source })
        };
        let writer = begin_thread(write, |thread, write| thread.name(R::TABLE.to_owned()).spawn(write));
        self.writer = Some(writer.map_err(|source| RecordError::File { path: named, source })?);
        self.begun += 1;
        self.requested = (self.requested * 2).min(MOST);
        Ok(())
    }
}

/// No writer is left running when the table is gone.
impl<R: Row> Drop for Parts<R> {
    fn drop(&mut self) {
        if let Some(writer) = self.writer.take() {
            // Another failure has been reported, or a panic goes on.
            let _ = writer.join();
        }
    }
}

fn write_part<R: Row>(path: &Path, run: &str, rows: &mut R::Columns) -> std::io::Result<()> {
    let beside = path.with_extension("parquet.partial");
    write_rows::<R>(&beside, run, rows).and_then(|()| fs::rename(&beside, path)).inspect_err(|_| {
        // The first failure is the one to report; a leftover that cannot be removed either adds nothing.
        let _ = fs::remove_file(&beside);
    })
}

fn write_rows<R: Row>(path: &Path, run: &str, rows: &mut R::Columns) -> std::io::Result<()> {
    let out = BufWriter::new(File::create(path)?);
    let write = || {
        let mut file = TableFile::new::<R>(out, run, &[])?;
        file.put::<R>(rows)?;
        file.close()
    };
    let out = write().map_err(into_io)?;
    out.into_inner().map_err(std::io::IntoInnerError::into_error)?;
    Ok(())
}
