//! Tables that grow while a run goes on: a folder of closed files, so that a run that is killed leaves what it has written.

use super::{Table, TableFile, into_io};
use crate::RecordError;
use std::fs::{self, File};
use std::io::BufWriter;
use std::path::{Path, PathBuf};

/// Rows of the first part. Each part has twice as many as the one before it, up to the most: so a short run leaves
/// something too, and a long one few files.
const FIRST: usize = 1 << 12;
/// Rows of a part at most. They are in memory until the part is complete.
const MOST: usize = 1 << 18;

/// A table in parts. Rows are put into [`Parts::rows`]; a part is written as soon as it has all its rows, under the name
/// `00000.parquet.partial` until it is complete.
pub(crate) struct Parts<T> {
    folder: PathBuf,
    written: u32,
    rows: T,
    wanted: usize,
}

impl<T: Table> Parts<T> {
    /// No parts yet; makes the folder.
    pub(crate) fn new(folder: PathBuf) -> Result<Self, RecordError> {
        fs::create_dir_all(&folder).map_err(|source| RecordError::Folder { path: folder.clone(), source })?;
        Ok(Self { folder, written: 0, rows: T::default(), wanted: FIRST })
    }

    /// Adds rows, and writes a part when it is full.
    pub(crate) fn add(&mut self, add: impl FnOnce(&mut T)) -> Result<(), RecordError> {
        add(&mut self.rows);
        if self.rows.rows() >= self.wanted { self.write() } else { Ok(()) }
    }

    /// Writes what is left. A table without rows gets a part without rows: its columns are known.
    pub(crate) fn end(mut self) -> Result<(), RecordError> {
        if self.rows.rows() > 0 || self.written == 0 { self.write() } else { Ok(()) }
    }

    fn write(&mut self) -> Result<(), RecordError> {
        let path = self.folder.join(format!("{:05}.parquet", self.written));
        let beside = path.with_extension("parquet.partial");
        let written = write_part(&beside, &mut self.rows).and_then(|()| fs::rename(&beside, &path));
        written.map_err(|source| {
            // The first failure is the one to report; a leftover that cannot be removed either adds nothing.
            let _ = fs::remove_file(&beside);
            RecordError::File { path, source }
        })?;
        self.written += 1;
        self.wanted = (self.wanted * 2).min(MOST);
        Ok(())
    }
}

fn write_part<T: Table>(path: &Path, rows: &mut T) -> std::io::Result<()> {
    let out = BufWriter::new(File::create(path)?);
    let write = || {
        let mut file = TableFile::new::<T>(out, &[])?;
        file.put(rows)?;
        file.close()
    };
    let out = write().map_err(into_io)?;
    out.into_inner().map_err(std::io::IntoInnerError::into_error)?;
    Ok(())
}
