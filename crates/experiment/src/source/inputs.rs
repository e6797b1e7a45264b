//! The files that an experiment is read from: what no output may replace.

use crate::source::findings::Findings;
use crate::source::input::{self, Source};
use crate::{MachineDescription, Mapping, MappingSection, Scenario, TopologySection, Workload};
use std::path::{Path, PathBuf};
use weir_record::RunFolder;

impl Source {
    /// Experiment and machine file, that of the experiment included, as far as they can be read.
    pub fn files(&self) -> Vec<PathBuf> {
        // What can be read only once has been read, and no output replaces it.
        let again = self.experiment.iter().chain(&self.machine).all(|path| path.is_file() || !path.exists());
        let input = again.then(|| input::gather(self, &mut Findings::default())).flatten();
        input.map(|input| input.files).unwrap_or_default()
    }
}

impl MachineDescription {
    /// Files of graph, routes and mapping.
    pub fn files(&self) -> Vec<PathBuf> {
        of_machine(Some(&self.topology), &self.mapping).cloned().collect()
    }
}

impl Scenario {
    /// Files of graph, routes, mapping, pattern, profile and program, and a list of jobs.
    pub fn files(&self) -> Vec<PathBuf> {
        let workload = of_workload(&self.workload.kind);
        let list = self.job_list.iter().map(|list| list.file.clone());
        of_machine(self.topology.as_ref(), &self.mapping).cloned().chain(workload).chain(list).collect()
    }
}

fn of_workload(workload: &Workload) -> Vec<PathBuf> {
    match workload {
        Workload::File(file) => vec![file.path.clone()],
        Workload::Profile(profile) => vec![profile.path.clone()],
        Workload::Graph(graph) => vec![graph.path.clone()],
        Workload::Program(program) => {
            let further = program.further.iter().map(|further| &further.path);
            std::iter::once(&program.path).chain(further).cloned().collect()
        }
        Workload::Jobs(jobs) => jobs.0.iter().flat_map(|job| of_workload(&job.workload)).collect(),
        Workload::Pattern | Workload::Collective(_) | Workload::Synthetic(_) | Workload::Outside => {
            Vec::new()
        }
    }
}

/// Returns whether an output would be written where a file is that is read.
pub fn replaces(output: &Path, input: &Path) -> bool {
    let places = [output, input].map(|path| path.canonicalize().ok());
    matches!(&places, [Some(output), Some(input)] if output == input && input.is_file())
}

/// Returns whether a results folder would remove a file that is read.
pub fn replaces_in(folder: &Path, input: &Path) -> bool {
    let places = [folder, input].map(|path| path.canonicalize().ok());
    matches!(&places, [Some(folder), Some(input)] if RunFolder::is_written(folder, input))
}

fn of_machine<'a>(
    topology: Option<&'a TopologySection>,
    mapping: &'a MappingSection,
) -> impl Iterator<Item = &'a PathBuf> {
    let graph = match topology {
        Some(TopologySection::Graph(graph)) => [Some(&graph.file), graph.routes.as_ref()],
        _ => [None, None],
    };
    let ranks = if let Mapping::File(file) = &mapping.kind { Some(file.files()) } else { None };
    graph.into_iter().flatten().chain(ranks.into_iter().flatten())
}
