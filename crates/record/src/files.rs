//! Files that are complete or untouched, and one that stands alone: the cycles of a flow run as CSV.

use crate::error::{self, RecordError};
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::Path;
use weir_units::{Duration, Time};

/// Writes a file beside its place, and moves it there when it is complete; after a failure there is what was there
/// before. What is there and no ordinary file, such as a terminal or a pipe, is written to as it is.
///
/// # Errors
/// The first one of making, writing and moving the file.
pub fn write_whole<R, E: From<io::Error>>(
    path: &Path,
    write: impl FnOnce(&mut BufWriter<File>) -> Result<R, E>,
) -> Result<R, E> {
    write_and_move(path, write, File::sync_all)
}

/// Like [`write_whole`], and does not wait until the disk has it all: for files of which another one, which does wait and
/// is written later, says that they are there, and for files that are written again and again.
///
/// # Errors
/// Those of [`write_whole`].
pub fn write_soon<R, E: From<io::Error>>(
    path: &Path,
    write: impl FnOnce(&mut BufWriter<File>) -> Result<R, E>,
) -> Result<R, E> {
    write_and_move(path, write, |_| Ok(()))
}

fn write_and_move<R, E: From<io::Error>>(
    path: &Path,
    write: impl FnOnce(&mut BufWriter<File>) -> Result<R, E>,
    wait: impl FnOnce(&File) -> io::Result<()>,
) -> Result<R, E> {
    let to = |file: File| {
        let mut out = BufWriter::new(file);
        let written = write(&mut out)?;
        Ok((written, out.into_inner().map_err(io::IntoInnerError::into_error)?))
    };
    if fs::metadata(path).is_ok_and(|there| !there.is_file()) {
        return to(File::create(path)?).map(|(written, _)| written);
    }
    // The process id keeps two runs that write the same file apart.
    let mut name = OsString::from(".");
    name.push(path.file_name().unwrap_or_default());
    name.push(format!(".{}", std::process::id()));
    let beside = path.with_file_name(name);
    // A killed process may have left one. The file is a new one: where others write, too, somebody may have put a link there.
    let _ = fs::remove_file(&beside);
    let moved = File::create_new(&beside).map_err(E::from).and_then(to).and_then(|(written, file)| {
        wait(&file)?;
        fs::rename(&beside, path)?;
        Ok(written)
    });
    moved.inspect_err(|_| {
        // The first failure is the one to report; a leftover that cannot be removed either adds nothing.
        let _ = fs::remove_file(&beside);
    })
}

/// A time in which no flow came or went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CycleRow {
    /// When it began.
    pub at: Time,
    /// Its length.
    pub dt: Duration,
    /// Number of flows.
    pub flows: usize,
}

/// Writes one line per cycle under the header `at_ps,dt_ps,flows`: picoseconds, exact. The file is complete or untouched.
///
/// # Errors
/// When the file cannot be written.
pub fn write_cycles(cycles: &[CycleRow], path: &Path) -> error::Result<()> {
    let written = write_whole(path, |out| {
        writeln!(out, "at_ps,dt_ps,flows")?;
        cycles
            .iter()
            .try_for_each(|CycleRow { at, dt, flows }| writeln!(out, "{},{},{flows}", at.as_ps(), dt.as_ps()))
    });
    written.map_err(|source| RecordError::File { path: path.to_owned(), source })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn after_a_failure_there_is_what_was_there_before() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        let put = |text: &'static str| move |out: &mut BufWriter<File>| out.write_all(text.as_bytes());
        write_whole(&path, put("first")).unwrap();
        let failed = write_whole(&path, |out| {
            out.write_all(b"half")?;
            Err::<(), _>(io::Error::other("no more"))
        });
        assert_eq!(failed.unwrap_err().to_string(), "no more");
        assert_eq!(fs::read_to_string(&path).unwrap(), "first");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        // A link that somebody has put where the file is written first is not followed.
        let (beside, other) =
            (folder.path().join(format!(".file.{}", std::process::id())), folder.path().join("other"));
        fs::write(&other, "kept").unwrap();
        std::os::unix::fs::symlink(&other, &beside).unwrap();
        write_soon(&path, put("second")).unwrap();
        assert_eq!(
            ["other", "file"].map(|name| fs::read_to_string(folder.path().join(name)).unwrap()),
            ["kept", "second"]
        );
        assert!(!beside.exists());
        write_whole(Path::new("/dev/null"), put("nothing")).unwrap();
        assert!(!fs::metadata("/dev/null").unwrap().is_file());
    }

    #[test]
    fn one_line_per_cycle() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("cycles.csv");
        let row = |at, dt, flows| CycleRow { at: Time::from_ps(at), dt: Duration::from_ps(dt), flows };
        write_cycles(&[row(0, 5, 2), row(5, 7, 1)], &path).unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "at_ps,dt_ps,flows\n0,5,2\n5,7,1\n");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
        assert!(write_cycles(&[], &folder.path().join("no/cycles.csv")).is_err());
    }
}
