//! What an MPI program does, in its place: a profile can be run as often as advice takes.

use crate::mistake;
use crate::status::{INPUT, interrupted};
use crate::text;
use anyhow::Context;
use serde_json::{Value, json};
use std::process::ExitCode;
use tempfile::TempDir;
use weir_capi::stdio::{self, ToStandardError};
use weir_network::Outcome;
use weir_scenario::{ExperimentText, Logged, Scenario, Source, Verify};

/// Runs the program of a scenario once and returns the same experiment with what was logged as its workload, and the folder in which that
/// is. What ranks print goes to standard error.
///
/// # Errors
/// The status with which to end, when why has been said.
pub(super) fn logged(scenario: &Scenario) -> anyhow::Result<Result<(Source, TempDir), ExitCode>> {
    let folder = tempfile::tempdir().context("a folder for the log")?;
    let profile = folder.path().join("logged.parquet");
    let redirected = ToStandardError::begin().context("standard output")?;
    mistake::happens_in(scenario);
    let result = scenario.log(&profile, Verify::No, &mut |_| ());
    stdio::flush();
    drop(redirected);
    match result {
        Ok(Logged { report, .. }) if report.outcome == Outcome::Finished => {}
        Ok(Logged { report, .. }) => {
            if let Some(status) = interrupted() {
                return Ok(Err(status));
            }
            eprintln!("error: the program does not come to its end: {}", text::outcome(&report));
            return Ok(Err(ExitCode::from(INPUT)));
        }
        Err(error) => {
            eprintln!("error: {error}");
            return Ok(Err(ExitCode::from(INPUT)));
        }
    }
    let mut experiment = scenario.resolved();
    experiment["workload"] = json!({ "kind": "profile", "file": profile });
    Ok(Ok((source_of(&experiment), folder)))
}

/// What is run where the keys of an experiment are these.
pub(super) fn source_of(experiment: &Value) -> Source {
    let text = ExperimentText { name: "experiment.json".into(), text: experiment.to_string() };
    Source { experiment_text: Some(text), ..Source::default() }
}
