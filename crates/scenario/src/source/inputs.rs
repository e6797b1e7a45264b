//! The files that an experiment is read from: what a run is called after, and what no output may replace.

use crate::RunError;
use crate::run::options::Resume;
use crate::source::findings::Findings;
use crate::source::input::{self, Source};
use crate::{MachineDescription, Mapping, MappingSection, Scenario, TopologySection, Workload};
use serde_json::Value;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};
use weir_capi::Compute;
use weir_record::{RecordError, RunFolder, fingerprint};
use weir_units::mix;

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
    /// Files of graph, routes, mapping, pattern, profile and program.
    pub fn files(&self) -> Vec<PathBuf> {
        let workload = match &self.workload.kind {
            Workload::File(file) => Some(&file.path),
            Workload::Profile(profile) => Some(&profile.path),
            Workload::Program(program) => Some(&program.path),
            Workload::Pattern | Workload::Collective(_) | Workload::Synthetic(_) => None,
        };
        let further = match &self.workload.kind {
            Workload::Program(program) => &program.further[..],
            _ => &[],
        };
        let programs = workload.into_iter().chain(further.iter().map(|further| &further.path));
        of_machine(self.topology.as_ref(), &self.mapping).chain(programs).cloned().collect()
    }

    pub(crate) fn begin_folder(&self, resume: Resume) -> Result<Option<RunFolder>, RunError> {
        let Some(folder) = self.output.dir.as_deref() else { return Ok(None) };
        if let Some(file) = self.files().into_iter().find(|file| replaces_in(folder, file)) {
            return Err(RunError::Options(format!(
                "the results folder {} would replace {}, which is read\n\nhint: take another folder",
                folder.display(),
                file.display()
            )));
        }
        let begin = match resume {
            Resume::No => RunFolder::begin,
            Resume::Yes => RunFolder::go_on,
        };
        begin(folder, &self.run_name()).map(Some).map_err(|error| match error {
            RecordError::Busy { .. } | RecordError::Strange { .. } => RunError::Options(error.to_string()),
            error => error.into(),
        })
    }

    /// Name of the simulated work, whatever it may take of this computer: the same for the same experiment and the same bytes in its files.
    pub fn work_name(&self) -> String {
        let mut name = Name(0);
        name.add(&self.resolved_without(&[&HOW_IT_IS_RUN[..], &WHAT_IT_MAY_TAKE].concat()).to_string());
        for file in self.files() {
            name.add(&format!("{:?}", File::open(file).and_then(|mut file| fingerprint(&mut file)).ok()));
        }
        format!("{:016x}", name.0)
    }

    fn resolved_without(&self, keys: &[(&str, &str)]) -> Value {
        let mut experiment = self.resolved();
        for &(table, key) in keys {
            let Some(table) = experiment.get_mut(table).and_then(Value::as_object_mut) else { continue };
            table.remove(key);
        }
        experiment
    }

    /// Name of the run in tables and summary: the same for the same input, because its tables are the same bytes then; another
    /// one where a program is measured, because times are others then.
    fn run_name(&self) -> String {
        let mut name = Name(0);
        name.add(env!("CARGO_PKG_VERSION"));
        name.add(&self.resolved_without(&HOW_IT_IS_RUN).to_string());
        for file in self.files() {
            let Ok(there) = fs::metadata(&file) else { continue };
            name.add(&format!("{} {:?}", there.len(), there.modified().ok().and_then(since_1970)));
        }
        let measured = matches!(
            &self.workload.kind,
            Workload::Program(program) if matches!(program.compute, Compute::Measured(_))
        );
        if measured {
            name.add(&format!("{:?} {}", since_1970(SystemTime::now()), std::process::id()));
        }
        format!("{:016x}", name.0)
    }
}

/// Keys that change nothing in what a run finds.
const HOW_IT_IS_RUN: [(&str, &str); 3] =
    [("engine", "threads"), ("output", "dir"), ("output", "checkpoint_every")];

/// Keys of what a run may take of this computer. A limit of simulated time is none of them: nothing behind it is known.
const WHAT_IT_MAY_TAKE: [(&str, &str); 3] =
    [("limits", "wall_time"), ("limits", "expected_wall_time"), ("limits", "memory")];

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
