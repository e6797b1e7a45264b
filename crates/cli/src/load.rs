//! Loading what a command is about: an experiment, or a machine to look at. `None` when it is refused, which has been
//! said then.

use crate::mistake;
use crate::progress::{Display, Shower};
use std::path::{Path, PathBuf};
use weir_scenario::{MachineDescription, Problems, Scenario, Source, replaces, replaces_in};

/// An experiment from any source.
pub(crate) fn scenario(source: &Source) -> Option<Scenario> {
    let scenario = accepted(Scenario::load(source))?;
    note_shipped(&scenario.shipped);
    Some(scenario)
}

/// Says which files of an input ship with weir, so that they are not taken for files of this folder.
pub(crate) fn note_shipped(files: &[&str]) {
    if let Some(first) = files.first() {
        eprintln!("note: {} ships with weir (weir examples {first} prints it)", files.join(" with "));
    }
}

/// The same for a run, with what is shown while its machine is built.
pub(crate) fn to_run(source: &Source, quiet: bool) -> Result<Scenario, Problems> {
    let mut shower = Shower::begin(if quiet { Display::Quiet } else { Display::fitting() });
    let loaded = Scenario::load_watched(source, &mut |progress| shower.show(progress));
    shower.end();
    loaded
}

/// The experiment, whose warnings are printed; or its mistakes are.
pub(crate) fn accepted(loaded: Result<Scenario, Problems>) -> Option<Scenario> {
    let scenario = loaded.map_err(|problems| eprintln!("error: {problems}")).ok()?;
    scenario.warnings().iter().for_each(|warning| eprintln!("warning: {warning}"));
    mistake::happens_in(&scenario);
    Some(scenario)
}

/// The experiment of a file.
pub(crate) fn experiment(file: PathBuf, set: Vec<String>) -> Option<Scenario> {
    scenario(&source(file, set))
}

/// The machine of a machine file or an experiment.
pub(crate) fn machine(file: PathBuf, set: Vec<String>) -> Option<MachineDescription> {
    let machine = MachineDescription::load(&source(file, set))
        .map_err(|problems| eprintln!("error: {problems}"))
        .ok()?;
    note_shipped(&machine.shipped);
    machine.warnings().iter().for_each(|warning| eprintln!("warning: {warning}"));
    Some(machine)
}

/// Whether what is written leaves alone what is read; if not, that has been said.
pub(crate) fn spares<'a>(inputs: &[PathBuf], outputs: impl IntoIterator<Item = &'a Path>) -> bool {
    let replaced = outputs.into_iter().find_map(|output| {
        let input = inputs.iter().find(|input| replaces(output, input))?;
        Some((output, input))
    });
    if let Some((output, input)) = replaced {
        let (output, input) = (output.display(), input.display());
        eprintln!("error: {output}: would replace {input}, which is read\n\nhint: take another name");
    }
    replaced.is_none()
}

/// Likewise, for a run of a scenario: its results folder counts, too.
pub(crate) fn run_spares<'a>(
    source: &Source,
    scenario: &Scenario,
    outputs: impl IntoIterator<Item = &'a Path>,
) -> bool {
    let inputs = [source.files(), scenario.files()].concat();
    if let Some(folder) = &scenario.output.dir
        && let Some(input) = inputs.iter().find(|input| replaces_in(folder, input))
    {
        let (folder, input) = (folder.display(), input.display());
        eprintln!(
            "error: the results folder {folder} would replace {input}, which is read\n\nhint: take another folder: --out"
        );
        return false;
    }
    spares(&inputs, outputs)
}

/// The input of a command that takes one file.
pub(crate) fn source(file: PathBuf, set: Vec<String>) -> Source {
    Source { experiment: Some(file), overrides: set, ..Source::default() }
}
