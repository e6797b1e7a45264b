//! Checkpoints of a run in its results folder, and a run that goes on from one.

use crate::{Result, Resume, RunError, RunOptions, work_name};
use serde_json::json;
use std::fs::File;
use std::io;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::{Duration as WallTime, Instant};
use weir_experiment::{Problem, Problems, Scenario};
use weir_flow::{Compare, KeepCycles};
use weir_network::Checkpoints;
use weir_record::{Checkpoint, CheckpointCounts, EngineCounts, NoCheckpoint, RunFolder, fingerprint};
use weir_units::Time;

/// The file with the experiment of the checkpoint in a folder, if it is one from which a run can go on.
///
/// # Errors
/// When there is no checkpoint, or it is damaged or of another weir.
pub fn checkpoint_of(folder: &Path) -> Result<PathBuf, Problems> {
    match Checkpoint::read(folder) {
        Ok(_) => Ok(Checkpoint::about(folder)),
        Err(NoCheckpoint { path, what, hint }) => {
            let (file, [key, value]) = (path.display().to_string(), Default::default());
            Err(Problems::new(vec![Problem {
                file,
                line: None,
                key,
                value,
                what,
                hint: Some(hint.to_owned()),
            }]))
        }
    }
}

/// The part of a run that a process keeps: all of it in the first one, nothing in others.
#[derive(Debug)]
pub(crate) struct Checkpointer {
    folder: Option<RunFolder>,
    /// Fields of `checkpoint.json`.
    about: serde_json::Value,
    every: Option<WallTime>,
    last: Instant,
    /// When the run was asked to stand still for a checkpoint.
    stopped: Option<Instant>,
    from: Option<Vec<u8>>,
    counts: CheckpointCounts,
    failed: Option<String>,
}

/// Refuses checkpoints of a run of which more is asked than the run itself: that is no part of the experiment, so a run that goes on
/// would not know it.
pub(crate) fn check_checkpoints(scenario: &Scenario, options: &RunOptions) -> Result<()> {
    let RunOptions { compare, tie_runs, keep, .. } = *options;
    let more = [
        (compare == Compare::WithMaxMin, "a comparison of sharing rules"),
        (tie_runs > 0, "a tie sensitivity"),
        (keep == KeepCycles::Yes, "a list of cycles"),
    ];
    let asked = more.into_iter().find(|(is_asked, _)| *is_asked);
    match asked.filter(|_| scenario.output.checkpoint_every.is_some()) {
        None => Ok(()),
        Some((_, what)) => Err(RunError::Options(format!(
            "output.checkpoint_every does not go with {what}: a run that goes on is only the run\n  hint: leave one of them out"
        ))),
    }
}

/// The checkpoints that this process keeps; `None` if it neither writes any nor goes on from one. What is in `folder` is
/// whole, and of this scenario.
///
/// # Errors
/// When there is no checkpoint to go on from, it is damaged, or of another weir or experiment.
pub(crate) fn checkpointer(scenario: &Scenario, resume: Resume, first: bool) -> Result<Option<Checkpointer>> {
    let every = scenario.output.checkpoint_every.map(|every| WallTime::from_secs_f64(every.as_secs_f64()));
    if every.is_none() && resume == Resume::No {
        return Ok(None);
    }
    let about = json!({
        "title": scenario.title,
        "build": format!("{:016x}", build()),
        "work": work_name(scenario),
        "experiment": scenario.resolved(),
        "assumed": scenario.assumed(),
    });
    let mut own = Checkpointer {
        folder: None,
        about,
        every,
        last: Instant::now(),
        stopped: None,
        from: None,
        counts: CheckpointCounts::default(),
        failed: None,
    };
    if let (Resume::Yes, true, Some(folder)) = (resume, first, &scenario.output.dir) {
        own.take_from(folder)?;
    }
    Ok(Some(own))
}

impl Checkpointer {
    fn take_from(&mut self, folder: &Path) -> Result<()> {
        let Checkpoint { about, state } =
            Checkpoint::read(folder).map_err(|error| RunError::Options(error.to_string()))?;
        let differs = |key: &str| about[key] != self.about[key];
        let refused = |why: &str, hint: &str| {
            let folder = folder.display();
            Err(RunError::Options(format!("the checkpoint in {folder} {why}\n\nhint: {hint}")))
        };
        if differs("build") {
            let hint = "use the weir that wrote it, or run the experiment again";
            return refused("was written by another build of weir", hint);
        }
        if differs("work") {
            let hint = "set nothing but engine.threads, limits.wall_time, limits.memory and output.checkpoint_every, and leave its files as they were";
            return refused("is of another experiment, or of files that have changed since", hint);
        }
        self.counts.resumed = about["at_ps"].as_u64().map(Time::from_ps);
        self.counts.written = about["written"].as_u64().unwrap_or(0);
        self.from = Some(state);
        Ok(())
    }

    pub(crate) fn begin(&mut self, folder: Option<&RunFolder>) {
        self.folder = folder.cloned();
        self.last = Instant::now();
    }

    /// Their cost, and a warning if one could not be written, or none can be of a run that has counted this.
    pub(crate) fn end(mut self, goes_on: bool, counts: &EngineCounts) -> (CheckpointCounts, Option<String>) {
        self.counts.is_left = goes_on && self.counts.written > 0;
        let missing = self.failed.map(|error| format!("a checkpoint is missing: {error}"));
        let stands_for_all = counts.flow().filter(|flow| flow.method == "quotient").map(|_| {
            "no checkpoint was written: one node stands for all, and such a run begins anew (engine.method)"
                .to_owned()
        });
        (self.counts, missing.or(stands_for_all))
    }
}

impl Checkpoints for Checkpointer {
    fn take(&mut self) -> Option<Vec<u8>> {
        self.from.take()
    }

    fn is_due(&mut self) -> bool {
        let is_due = self.folder.is_some() && self.every.is_some_and(|every| self.last.elapsed() >= every);
        self.stopped = is_due.then(Instant::now);
        is_due
    }

    fn keep(&mut self, at: Time, state: &[u8]) {
        let Some(folder) = &self.folder else { return };
        let stopped = self.stopped.take().unwrap_or_else(Instant::now);
        let mut about = self.about.clone();
        about["at_ps"] = json!(at.as_ps());
        about["written"] = json!(self.counts.written + 1);
        match folder.write_checkpoint(self.counts.written, about, state) {
            Ok(()) => {
                self.counts.written += 1;
                self.counts.bytes = state.len() as u64;
            }
            // The run goes on: there may be room again, and the checkpoint before is still there.
            Err(error) => self.failed = Some(error.to_string()),
        }
        self.counts.took += stopped.elapsed();
        self.last = Instant::now();
    }
}

/// Number of this executable, the same for the same bytes; 0 where it cannot be read.
pub fn build() -> u64 {
    static BUILD: OnceLock<u64> = OnceLock::new();
    *BUILD.get_or_init(|| {
        File::open("/proc/self/exe").and_then(|mut file| number(&mut file)).unwrap_or_default()
    })
}

/// The linker's number of an executable if its beginning has one, else a sum over all of it, which takes as long as reading it.
fn number(executable: &mut dyn Read) -> io::Result<u64> {
    const BEGINNING: u64 = 1 << 13;
    let mut beginning = Vec::new();
    (&mut *executable).take(BEGINNING).read_to_end(&mut beginning)?;
    match build_id(&beginning) {
        Some(mut id) => fingerprint(&mut id),
        None => fingerprint(&mut beginning.as_slice().chain(executable)),
    }
}

/// The note `NT_GNU_BUILD_ID` of an ELF file: the lengths of its name and its value, its kind, name and value (System V ABI, "Note
/// Section").
fn build_id(file: &[u8]) -> Option<&[u8]> {
    const HEAD: usize = 16;
    const LEAST: usize = 8;
    let is_note = |head: &[u8]| {
        head[..4] == 4_u32.to_ne_bytes() && head[8..12] == 3_u32.to_ne_bytes() && head[12..] == *b"GNU\0"
    };
    let at = file.windows(HEAD).position(is_note)?;
    let length = file[at + 4..at + 8].try_into().map(u32::from_ne_bytes).ok()? as usize;
    file.get(at + HEAD..at + HEAD + length).filter(|id| id.len() >= LEAST)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(bytes: &[u8]) -> u64 {
        number(&mut &*bytes).unwrap()
    }

    /// With a number of the linker that alone counts; without one every byte does, however far behind.
    #[test]
    fn executables_have_numbers() {
        let mut with = vec![0x7f; 300];
        with.extend([4_u32, 20, 3].map(u32::to_ne_bytes).concat());
        with.extend(*b"GNU\0twenty bytes of an id");
        with.resize(100_000, 1);
        let (mut other_id, mut other_code) = (with.clone(), with.clone());
        other_id[320] ^= 1;
        other_code[90_000] ^= 1;
        assert_eq!(of(&with), of(&other_code));
        assert_ne!(of(&with), of(&other_id));
        let (without, mut other) = (vec![1; 100_000], vec![1; 100_000]);
        other[90_000] = 2;
        assert_ne!(of(&without), of(&other));
        assert_eq!(of(&without), fingerprint(&mut &*without).unwrap());
        // A note that is cut off is none.
        assert_eq!(build_id(&with[..330]), None);
        assert_ne!(build(), 0);
    }
}
