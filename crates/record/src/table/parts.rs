//! Tables that grow while a run goes on: a folder of closed files, so that a run that is killed leaves what it has written.
//!
//! ```text
//!   the run:      fills a part |  fills the next one |  fills the third
//!   own thread:                |  writes the first   |  writes the second
//! ```
//! So there are two parts of a table in memory at most. Parts are written one after the other, and the same rows become
//! the same bytes whoever is faster.

use super::{Table, TableFile, into_io};
use crate::folder::PARTED;
use crate::{RecordError, RunFolder};
use std::fs::{self, File};
use std::io::BufWriter;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use weir_network::begin_thread;

/// Rows of the first part. Each part has twice as many as the one before it, up to the most: so a short run leaves
/// something too, and a long one few files.
const FIRST: usize = 1 << 12;
/// Rows of a part at most. They are in memory until the part is complete.
const MOST: usize = 1 << 18;

/// Whether some part could not be written; known to all who write parts of the same folder.
#[derive(Clone, Debug, Default)]
pub(crate) struct Failed(Arc<AtomicBool>);

impl Failed {
    pub(crate) fn get(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// A table in parts. A part is written as soon as it has all its rows, by a thread of its own, under the name
/// `00000.parquet.partial` until it is complete.
pub(crate) struct Parts<T> {
    folder: PathBuf,
    /// What the tables of the folder call the run.
    run: Arc<str>,
    begun: u32,
    rows: T,
    requested: usize,
    /// Writes the part before, and gives its rows back without what was in them.
    writer: Option<JoinHandle<Result<T, RecordError>>>,
    failed: Failed,
}

impl<T: Table> Parts<T> {
    /// No parts yet; makes the folder.
    pub(crate) fn new(folder: &RunFolder, failed: Failed) -> Result<Self, RecordError> {
        assert!(PARTED.contains(&T::NAME), "{} is among the tables of a results folder", T::NAME);
        let (folder, run) = (folder.path().join(T::NAME), folder.run().into());
        fs::create_dir_all(&folder).map_err(|source| RecordError::Folder { path: folder.clone(), source })?;
        Ok(Self { folder, run, begun: 0, rows: T::default(), requested: FIRST, writer: None, failed })
    }

    /// Adds rows, and has a part written when it is full; waits until the one before it is written.
    ///
    /// # Errors
    /// When that could not be written.
    pub(crate) fn add(&mut self, add: impl FnOnce(&mut T)) -> Result<(), RecordError> {
        add(&mut self.rows);
        if self.rows.rows() >= self.requested { self.hand_over() } else { Ok(()) }
    }

    /// Writes what remains. A table without rows gets a part without rows: its columns are known.
    ///
    /// # Errors
    /// When some part could not be written.
    pub(crate) fn end(mut self) -> Result<(), RecordError> {
        if self.rows.rows() > 0 || self.begun == 0 {
            self.hand_over()?;
        }
        self.wait().map(drop)
    }

    /// Waits for the writer; returns the rows that it has emptied.
    fn wait(&mut self) -> Result<T, RecordError> {
        match self.writer.take().map(JoinHandle::join) {
            None => Ok(T::default()),
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
            let written = write_part(&path, &run, &mut rows);
            failed.0.fetch_or(written.is_err(), Ordering::Relaxed);
            written.map(|()| rows).map_err(|source| RecordError::File { path, source })
        };
        let writer = begin_thread(write, |thread, write| thread.name(T::NAME.to_owned()).spawn(write));
        self.writer = Some(writer.map_err(|source| RecordError::File { path: named, source })?);
        self.begun += 1;
        self.requested = (self.requested * 2).min(MOST);
        Ok(())
    }
}

/// No writer is left running when the table is gone.
impl<T> Drop for Parts<T> {
    fn drop(&mut self) {
        if let Some(writer) = self.writer.take() {
            // Another failure has been reported, or a panic goes on.
            let _ = writer.join();
        }
    }
}

/// Writes a part, and gives it its name when it is complete.
fn write_part<T: Table>(path: &Path, run: &str, rows: &mut T) -> std::io::Result<()> {
    let beside = path.with_extension("parquet.partial");
    write_rows(&beside, run, rows).and_then(|()| fs::rename(&beside, path)).inspect_err(|_| {
        // The first failure is the one to report; a leftover that cannot be removed either adds nothing.
        let _ = fs::remove_file(&beside);
    })
}

fn write_rows<T: Table>(path: &Path, run: &str, rows: &mut T) -> std::io::Result<()> {
    let out = BufWriter::new(File::create(path)?);
    let write = || {
        let mut file = TableFile::new::<T>(out, run, &[])?;
        file.put(rows)?;
        file.close()
    };
    let out = write().map_err(into_io)?;
    out.into_inner().map_err(std::io::IntoInnerError::into_error)?;
    Ok(())
}
