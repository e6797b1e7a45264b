//! A profile in the place of an MPI program: it can be run as often as advice takes.

use crate::mistake;
use crate::status::{OrRefused, interrupted, refused};
use crate::text;
use anyhow::{Context, anyhow};
use serde_json::{Value, json};
use tempfile::TempDir;
use weir_capi::stdio::{self, ToStandardError};
use weir_network::Outcome;
use weir_scenario::{ExperimentText, Logged, Scenario, Source, Verify};

/// Runs the program of a scenario once and returns the same experiment with what was logged as its workload, and the folder in which that
/// is. What ranks print goes to standard error.
///
/// # Errors
/// When the program does not come to its end.
pub(super) fn logged(scenario: &Scenario) -> anyhow::Result<(Source, TempDir)> {
    let folder = tempfile::tempdir().context("a folder for the log")?;
    let profile = folder.path().join("logged.parquet");
    let redirected = ToStandardError::begin().context("standard output")?;
    mistake::happens_in(scenario);
    let result = scenario.log(&profile, Verify::No, &mut |_| ());
    stdio::flush();
    drop(redirected);
    let Logged { report, .. } = result.or_refused()?;
    if report.outcome != Outcome::Finished {
        let what = format!("the program does not come to its end: {}", text::outcome(&report));
        return Err(if interrupted().is_some() { anyhow!(what) } else { refused(what) });
    }
    let mut experiment = scenario.resolved();
    experiment["workload"] = json!({ "kind": "profile", "file": profile });
    Ok((source_of(&experiment), folder))
}

/// The source of an experiment with these keys.
pub(super) fn source_of(experiment: &Value) -> Source {
    let text = ExperimentText { name: "experiment.json".into(), text: experiment.to_string() };
    Source { experiment_text: Some(text), ..Source::default() }
}
