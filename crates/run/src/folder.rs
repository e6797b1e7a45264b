//! The results folder of a run, and what a run is called after.

use crate::{Result, Resume, RunError};
use serde_json::Value;
use std::fs::{self, File};
use std::time::{SystemTime, UNIX_EPOCH};
use weir_capi::Compute;
use weir_experiment::{ProgramSection, Scenario, Workload, replaces_in};
use weir_record::{RecordError, RunFolder, fingerprint};
use weir_units::mix;

pub(crate) fn begin_folder(scenario: &Scenario, resume: Resume) -> Result<Option<RunFolder>> {
    let Some(folder) = scenario.output.dir.as_deref() else { return Ok(None) };
    if let Some(file) = scenario.files().into_iter().find(|file| replaces_in(folder, file)) {
        let (folder, file, hint) = (folder.display(), file.display(), "hint: take another folder");
        let why = format!("the results folder {folder} would replace {file}, which is read\n\n{hint}");
        return Err(RunError::Options(why));
    }
    let begin = match resume {
        Resume::No => RunFolder::begin,
        Resume::Yes => RunFolder::go_on,
    };
    begin(folder, &run_name(scenario)).map(Some).map_err(|error| match error {
        RecordError::Busy { .. } | RecordError::Strange { .. } => RunError::Options(error.to_string()),
        error => error.into(),
    })
}

/// Name of the simulated work, whatever it may take of this computer: the same for the same experiment and the same bytes in its files.
pub fn work_name(scenario: &Scenario) -> String {
    let mut name = Name(0);
    name.add(&resolved_without(scenario, &[&HOW_IT_IS_RUN[..], &WHAT_IT_MAY_TAKE].concat()).to_string());
    for file in scenario.files() {
        name.add(&format!("{:?}", File::open(file).and_then(|mut file| fingerprint(&mut file)).ok()));
    }
    format!("{:016x}", name.0)
}

fn resolved_without(scenario: &Scenario, keys: &[(&str, &str)]) -> Value {
    let mut experiment = scenario.resolved();
    for &(table, key) in keys {
        let Some(table) = experiment.get_mut(table).and_then(Value::as_object_mut) else { continue };
        table.remove(key);
    }
    experiment
}

/// Name of the run in tables and summary: the same for the same input, because its tables are the same bytes then; another
/// one where a program is measured, because times are others then.
fn run_name(scenario: &Scenario) -> String {
    let mut name = Name(0);
    name.add(env!("CARGO_PKG_VERSION"));
    name.add(&resolved_without(scenario, &HOW_IT_IS_RUN).to_string());
    for file in scenario.files() {
        let Ok(there) = fs::metadata(&file) else { continue };
        name.add(&format!("{} {:?}", there.len(), there.modified().ok().and_then(since_1970)));
    }
    if let Workload::Program(ProgramSection { compute: Compute::Measured(_), .. }) = &scenario.workload.kind {
        name.add(&format!("{:?} {}", since_1970(SystemTime::now()), std::process::id()));
    }
    format!("{:016x}", name.0)
}

/// Keys that change nothing in what a run finds.
const HOW_IT_IS_RUN: [(&str, &str); 3] =
    [("engine", "threads"), ("output", "dir"), ("output", "checkpoint_every")];

/// Keys of what a run may take of this computer. A limit of simulated time is none of them: nothing behind it is known.
const WHAT_IT_MAY_TAKE: [(&str, &str); 3] =
    [("limits", "wall_time"), ("limits", "expected_wall_time"), ("limits", "memory")];

fn since_1970(time: SystemTime) -> Option<u128> {
    time.duration_since(UNIX_EPOCH).ok().map(|since| since.as_nanos())
}

struct Name(u64);

impl Name {
    fn add(&mut self, text: &str) {
        for eight in text.as_bytes().chunks(8) {
            let mut word = [0; 8];
            word[..eight.len()].copy_from_slice(eight);
            self.0 = mix(self.0.rotate_left(5) ^ mix(u64::from_le_bytes(word)));
        }
        self.0 = mix(self.0 ^ text.len() as u64);
    }
}
