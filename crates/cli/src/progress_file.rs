//! `--progress`: a file that says how far a run is, for programs that follow it: one object in JSON, written anew ten times a second.
//! The Python package reads it.

use anyhow::Context;
use serde_json::json;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};
use weir_network::Progress;

const EVERY: Duration = Duration::from_millis(100);

pub(crate) struct ProgressFile {
    path: PathBuf,
    written: Mutex<Instant>,
}

impl ProgressFile {
    /// The file that `--progress` names, with nothing done yet.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(crate) fn begin(path: &Path) -> anyhow::Result<Self> {
        let file = Self { path: path.to_owned(), written: Mutex::new(Instant::now()) };
        file.write(Progress::default())
            .with_context(|| format!("--progress {}: the file cannot be written", path.display()))?;
        Ok(file)
    }

    /// Writes the progress of the run, which goes on if that cannot be written any more.
    pub(crate) fn note(&self, progress: Progress) {
        let mut written = self.written.lock().unwrap_or_else(PoisonError::into_inner);
        if written.elapsed() >= EVERY {
            *written = Instant::now();
            let _ = self.write(progress);
        }
    }

    fn write(&self, progress: Progress) -> std::io::Result<()> {
        let Progress { now, messages, bytes, stage, .. } = progress;
        let stage = stage.map(|stage| stage.what);
        let state = json!({ "simulated_s": now.as_secs_f64(), "messages": messages, "bytes": bytes.0, "stage": stage });
        // Who reads it finds a whole object.
        weir_record::write_soon(&self.path, |out| writeln!(out, "{state}"))
    }
}
