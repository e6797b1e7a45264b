//! Loading the input of a command: an experiment, or a machine to look at.

use crate::progress::Shower;
use crate::status::{OrRefused, interrupted, refused};
use crate::{mistake, text};
use anyhow::{Context, Result, anyhow};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use tempfile::TempDir;
use weir_capi::stdio::{self, ToStandardError};
use weir_experiment::{
    ExperimentText, MachineDescription, Problems, Scenario, Source, replaces, replaces_in,
};
use weir_network::Outcome;
use weir_run::{Logged, RunOptions, log};
use weir_topology::Topology;

pub(crate) fn scenario(source: &Source) -> Result<Scenario> {
    let scenario = accepted(Scenario::load(source))?;
    note_shipped(&scenario.shipped);
    Ok(scenario)
}

/// Two experiments.
///
/// # Errors
/// All mistakes of both.
pub(crate) fn both(one: &Source, other: &Source) -> Result<(Scenario, Scenario)> {
    match (scenario(one), scenario(other)) {
        (Ok(one), Ok(other)) => Ok((one, other)),
        (Err(one), Err(other)) => Err(refused(format!("{one}\nerror: {other}"))),
        (Err(error), _) | (_, Err(error)) => Err(error),
    }
}

/// Says which files of an input ship with weir, so that they are not taken for files of this folder.
pub(crate) fn note_shipped(files: &[&str]) {
    if let Some(first) = files.first() {
        eprintln!("note: {} ships with weir (weir examples {first} prints it)", files.join(" with "));
    }
}

/// Says that routes are those of the rule `minimal` where that of a machine decides packet by packet.
pub(crate) fn note_rule(machine: &Topology) {
    for rule in machine.rules().into_iter().filter(|rule| rule.decides()) {
        let rule = rule.name();
        eprintln!("note: these are shortest ways; topology.routing = \"{rule}\" decides for each packet");
    }
}

/// The same for a run, with what is shown while its machine is built.
pub(crate) fn to_run(source: &Source, quiet: bool) -> Result<Scenario, Problems> {
    let mut shower = Shower::begin(quiet, None);
    let loaded = Scenario::load_watched(source, &mut |progress| shower.show(progress));
    shower.end();
    loaded
}

/// Prints the warnings of an experiment, and returns it.
///
/// # Errors
/// All its mistakes.
pub(crate) fn accepted(loaded: Result<Scenario, Problems>) -> Result<Scenario> {
    let scenario = loaded.or_refused()?;
    scenario.warnings().iter().for_each(|warning| eprintln!("warning: {warning}"));
    mistake::happens_in(&scenario);
    Ok(scenario)
}

pub(crate) fn machine(source: &Source) -> Result<MachineDescription> {
    let machine = MachineDescription::load(source).or_refused()?;
    note_shipped(&machine.shipped);
    machine.warnings().iter().for_each(|warning| eprintln!("warning: {warning}"));
    Ok(machine)
}

/// Checks that no output replaces an input.
///
/// # Errors
/// Names an output that would, and its input.
pub(crate) fn spares<'a>(inputs: &[PathBuf], outputs: impl IntoIterator<Item = &'a Path>) -> Result<()> {
    for output in outputs {
        if let Some(input) = inputs.iter().find(|input| replaces(output, input)) {
            let (output, input) = (output.display(), input.display());
            let what = format!("{output}: would replace {input}, which is read\n\nhint: take another name");
            return Err(refused(what));
        }
    }
    Ok(())
}

/// Checks that no output of a run, its results folder included, replaces an input.
///
/// # Errors
/// Names an output that would, and its input.
pub(crate) fn run_spares<'a>(
    source: &Source,
    scenario: &Scenario,
    outputs: impl IntoIterator<Item = &'a Path>,
) -> Result<()> {
    let inputs = [source.files(), scenario.files()].concat();
    if let Some(folder) = &scenario.output.dir
        && let Some(input) = inputs.iter().find(|input| replaces_in(folder, input))
    {
        let (folder, input) = (folder.display(), input.display());
        return Err(refused(format!(
            "the results folder {folder} would replace {input}, which is read\n\nhint: take another folder: --out"
        )));
    }
    spares(&inputs, outputs)
}

/// The input of a command that takes one file.
pub(crate) fn source(file: PathBuf, set: Vec<String>) -> Source {
    Source { experiment: Some(file), overrides: set, ..Source::default() }
}

/// Runs the program of a scenario once and returns the same experiment with what was logged as its workload, and the folder in which that
/// is. What ranks print goes to standard error.
///
/// # Errors
/// When the program does not come to its end.
pub(crate) fn logged(scenario: &Scenario) -> Result<(Source, TempDir)> {
    let folder = tempfile::tempdir().context("a folder for the log")?;
    let profile = folder.path().join("logged.parquet");
    let redirected = ToStandardError::begin().context("standard output")?;
    mistake::happens_in(scenario);
    let result = log(scenario, &profile, &RunOptions::default(), &mut |_| ());
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

/// An experiment as it was resolved.
pub(crate) fn source_of(experiment: &Value) -> Source {
    let text = ExperimentText { name: "experiment.json".into(), text: experiment.to_string() };
    Source { experiment_text: Some(text), ..Source::default() }
}
