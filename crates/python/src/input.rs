//! Input of the package: an experiment, and keys that are set in it.

use pyo3::prelude::*;
use std::path::PathBuf;
use weir_scenario::{ExperimentText, Scenario, Source, replaces_in};

/// The attributes of `weir.experiment.Input`.
#[derive(FromPyObject)]
pub(crate) struct Input {
    /// A file, or else a text and what problems call it: TOML, or JSON if the name ends in `.json`.
    file: Option<PathBuf>,
    text: Option<(String, String)>,
    /// A machine file in place of the one that the experiment names.
    machine: Option<PathBuf>,
    /// `key=value`, the later ones stronger.
    overrides: Vec<String>,
    /// The results folder.
    out: Option<PathBuf>,
    /// Algorithms of collectives where nothing else names one.
    collectives: Option<String>,
}

impl Input {
    pub(crate) fn source(self) -> Source {
        let Self { file, text, machine, overrides, out, collectives } = self;
        let experiment_text = text.map(|(name, text)| ExperimentText { name, text });
        Source {
            experiment: file,
            experiment_text,
            machine,
            overrides,
            out,
            collectives,
            ..Source::default()
        }
    }
}

/// Why the results of a scenario would replace what is read; `None` if they would not.
pub(crate) fn replaced(source: &Source, scenario: &Scenario) -> Option<String> {
    let folder = scenario.output.dir.as_ref()?;
    let inputs = [source.files(), scenario.files()].concat();
    let input = inputs.iter().find(|input| replaces_in(folder, input))?;
    let (folder, input) = (folder.display(), input.display());
    Some(format!(
        "the results folder {folder} would replace {input}, which is read\n\nhint: take another folder: out=..."
    ))
}
