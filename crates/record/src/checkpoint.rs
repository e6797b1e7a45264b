//! The checkpoint in a results folder: what a run has reached, from which `weir resume` goes on.
//!
//! `checkpoint.json` says of what run and weir it is, and which of two files has the state. The state is written into the other
//! one, and then `checkpoint.json` is replaced. So whenever a run is lost, the checkpoint is whole: this one or the one before.

use crate::error::{RecordError, Result};
use crate::files::write_whole;
use crate::json::SCHEMA_VERSION;
use crate::run_folder::RunFolder;
use crate::run_folder::{ABOUT, MAGIC, STATES};
use serde_json::{Value, json};
use std::fs;
use std::hash::Hasher;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use twox_hash::XxHash64;

/// A checkpoint that is whole.
#[derive(Clone, Debug, PartialEq)]
pub struct Checkpoint {
    /// Contents of `checkpoint.json`.
    pub about: Value,
    /// The state, as the engine wrote it.
    pub state: Vec<u8>,
}

/// A fingerprint of all bytes that are read, for those who ask whether they are the same as they were.
///
/// # Errors
/// The first one of reading.
pub fn fingerprint(bytes: &mut dyn Read) -> io::Result<u64> {
    let (mut hasher, mut piece) = (XxHash64::with_seed(0), vec![0; 1 << 16]);
    loop {
        match bytes.read(&mut piece)? {
            0 => return Ok(hasher.finish()),
            read => hasher.write(&piece[..read]),
        }
    }
}

fn of_state(state: &[u8]) -> String {
    format!("{:016x}", fingerprint(&mut &*state).unwrap_or_default())
}

impl RunFolder {
    /// Writes the checkpoint with this number of a run, in the place of the one before it. `about` are fields for `checkpoint.json`, an
    /// object.
    ///
    /// # Errors
    /// When it cannot be written; the checkpoint before it is untouched then.
    pub fn write_checkpoint(&self, number: u64, mut about: Value, state: &[u8]) -> Result<()> {
        let name = STATES[(number % 2) as usize];
        let path = self.path().join(name);
        let written = write_whole(&path, |out| out.write_all(MAGIC).and_then(|()| out.write_all(state)));
        written.map_err(|source| RecordError::File { path, source })?;
        about["schema_version"] = json!(SCHEMA_VERSION);
        about["weir_version"] = json!(env!("CARGO_PKG_VERSION"));
        about["state"] = json!(name);
        about["bytes"] = json!(state.len());
        about["fingerprint"] = json!(of_state(state));
        let path = self.path().join(ABOUT);
        let written = write_whole(&path, |out| writeln!(out, "{about:#}"));
        written.map_err(|source| RecordError::File { path, source })
    }

    /// Removes the checkpoint of a run that needs it no more.
    pub fn remove_checkpoint(&self) {
        // What cannot be removed does no harm: the state says nothing without the other file.
        for name in [ABOUT].into_iter().chain(STATES) {
            let _ = fs::remove_file(self.path().join(name));
        }
    }
}

/// Why a folder has no checkpoint from which a run could go on.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}: {what}\n\nhint: {hint}", path.display())]
pub struct NoCheckpoint {
    /// The folder or the file.
    pub path: PathBuf,
    /// Description of the mistake.
    pub what: String,
    /// Advice to the user.
    pub hint: &'static str,
}

impl Checkpoint {
    /// The file that says what is in the checkpoint of a folder, with the experiment.
    pub fn about(folder: &Path) -> PathBuf {
        folder.join(ABOUT)
    }

    /// The checkpoint in a folder.
    ///
    /// # Errors
    /// When there is none, or it is damaged or of another weir.
    pub fn read(folder: &Path) -> Result<Self, NoCheckpoint> {
        let path = Self::about(folder);
        let Ok(text) = fs::read(&path) else {
            let hint = if folder.join("summary.json").exists() {
                "its run has come to its end, or ended before there was anything to keep: see summary.json"
            } else {
                "a run writes checkpoints with --checkpoint-every, such as --checkpoint-every 10min"
            };
            return Err(NoCheckpoint { path: folder.into(), what: "there is no checkpoint".into(), hint });
        };
        let hint = "run the experiment again from its beginning";
        let wrong = |path: &Path, what: String| NoCheckpoint { path: path.into(), what, hint };
        let damaged = |path: &Path, what: &str| wrong(path, format!("is damaged: {what}"));
        let about: Value =
            serde_json::from_slice(&text).map_err(|error| damaged(&path, &error.to_string()))?;
        let (version, own) = (about["weir_version"].as_str().unwrap_or("?"), env!("CARGO_PKG_VERSION"));
        if version != own || about["schema_version"] != SCHEMA_VERSION {
            return Err(wrong(&path, format!("was written by weir {version}, and this is weir {own}")));
        }
        let name = STATES.into_iter().find(|name| about["state"] == *name);
        let name = name.ok_or_else(|| damaged(&path, "it names no state"))?;
        let place = folder.join(name);
        let bytes = fs::read(&place).map_err(|error| damaged(&place, &error.to_string()))?;
        let state = bytes.strip_prefix(MAGIC).ok_or_else(|| damaged(&place, "it is no state of a run"))?;
        if about["bytes"] != state.len() {
            let what = format!("it has {} bytes, and {} were written", state.len(), about["bytes"]);
            return Err(damaged(&place, &what));
        }
        if about["fingerprint"] != of_state(state) {
            return Err(damaged(&place, "its bytes are not those that were written"));
        }
        Ok(Self { state: state.to_vec(), about })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder() -> (tempfile::TempDir, RunFolder) {
        let place = tempfile::tempdir().unwrap();
        let folder = RunFolder::begin(place.path(), "a run").unwrap();
        (place, folder)
    }

    /// The last one that was written whole is read, whatever becomes of one after it.
    #[test]
    fn the_last_whole_checkpoint_is_read() {
        let (place, folder) = folder();
        for number in 0..3_u64 {
            folder.write_checkpoint(number, json!({ "number": number }), &[number as u8; 5]).unwrap();
            let Checkpoint { about, state } = Checkpoint::read(place.path()).unwrap();
            assert_eq!((&about["number"], state), (&json!(number), vec![number as u8; 5]));
        }
        // A run that is lost in the middle of the next one.
        fs::write(place.path().join(STATES[1]), b"half").unwrap();
        assert_eq!(Checkpoint::read(place.path()).unwrap().about["number"], 2);
        folder.remove_checkpoint();
        assert_eq!(Checkpoint::read(place.path()).unwrap_err().what, "there is no checkpoint");
        assert_eq!(fs::read_dir(place.path()).unwrap().count(), 0);
    }

    #[test]
    fn damaged_checkpoints_are_refused() {
        let check = |damage: &dyn Fn(&Path), expected: &str| {
            let (place, folder) = folder();
            folder.write_checkpoint(0, json!({}), b"something").unwrap();
            damage(place.path());
            let why = Checkpoint::read(place.path()).unwrap_err().to_string();
            assert!(why.contains(expected) && why.contains("hint: "), "{expected}: {why}");
        };
        let state = |place: &Path| place.join(STATES[0]);
        let replace = |place: &Path, from: &str, to: &str| {
            let text = fs::read_to_string(place.join(ABOUT)).unwrap();
            assert!(text.contains(from), "{text}");
            fs::write(place.join(ABOUT), text.replace(from, to)).unwrap();
        };
        check(&|place| fs::remove_file(state(place)).unwrap(), "checkpoint-0.state: is damaged");
        check(
            &|place| fs::write(state(place), b"weir state 1\nsomethin").unwrap(),
            "it has 8 bytes, and 9 were written",
        );
        check(
            &|place| fs::write(state(place), b"weir state 1\nsomethinG").unwrap(),
            "not those that were written",
        );
        check(&|place| fs::write(state(place), b"something else").unwrap(), "it is no state of a run");
        check(&|place| fs::write(place.join(ABOUT), "{").unwrap(), "checkpoint.json: is damaged");
        check(&|place| replace(place, env!("CARGO_PKG_VERSION"), "9.9.9"), "was written by weir 9.9.9");
        check(&|place| replace(place, STATES[0], "/etc/passwd"), "it names no state");
    }

    /// A run that begins removes the checkpoint of an earlier one; a run that goes on does not.
    #[test]
    fn who_keeps_a_checkpoint() {
        let (place, folder) = folder();
        folder.write_checkpoint(0, json!({}), b"something").unwrap();
        drop(folder);
        drop(RunFolder::go_on(place.path(), "a run").unwrap());
        assert!(Checkpoint::read(place.path()).is_ok());
        drop(RunFolder::begin(place.path(), "a run").unwrap());
        assert!(Checkpoint::read(place.path()).is_err());
        fs::write(place.path().join(STATES[0]), "mine").unwrap();
        let why = RunFolder::begin(place.path(), "a run").unwrap_err().to_string();
        assert!(why.contains("checkpoint-0.state is no state of a run"), "{why}");
    }
}
