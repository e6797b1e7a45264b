//! The list of cycles of a flow run, as CSV.

use crate::{RecordError, write_whole};
use std::io::Write;
use std::path::Path;
use weir_units::{Duration, Time};

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
pub fn write_cycles(cycles: &[CycleRow], path: &Path) -> Result<(), RecordError> {
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
