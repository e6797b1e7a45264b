//! Writes what a program does as a profile.

use crate::folder::begin_folder;
use crate::simulation::{Around, run_observed};
use crate::{Report, Result, Resume, RunError, RunOptions};
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use weir_capi::Observer;
use weir_capi::executable::Kind;
use weir_experiment::{Scenario, Workload};
use weir_formats::profile::{Format, UNKNOWN_FORMAT};
use weir_message::SharedObserver;
use weir_network::{Outcome, Watch};
use weir_pdes::OneProcess;
use weir_replay::{LogError, Logger};

/// Result of logging a program.
#[derive(Clone, Debug)]
pub struct Logged {
    /// Report of the run.
    pub report: Report,
    /// Number of events of the profile that was written; `None` where the run did not finish.
    pub written: Option<u64>,
}

/// Runs the program and writes what its ranks do as a profile into a file, in the format that its name stands for. A
/// run that does not finish leaves no file. Of the options those count that are for the run itself.
///
/// # Errors
/// When the workload is no program of `weir cc`, when the name of the file has another ending, when the file cannot
/// be written, or when the program cannot be loaded.
pub fn log(scenario: &Scenario, path: &Path, options: &RunOptions, watch: Watch<'_>) -> Result<Logged> {
    let refused = |why: String| Err(RunError::Options(why));
    match &scenario.workload.kind {
        Workload::Program(program) if program.kind == Kind::Loadable => {}
        Workload::Program(_) => {
            let why =
                "a program whose ranks are processes of their own cannot be logged: build it with weir cc";
            return refused(why.into());
        }
        _ => return refused("the workload is not an MPI program, and only those are logged".into()),
    }
    let Some(format) = Format::of_profile(path) else {
        return refused(format!("{}: {}", path.display(), UNKNOWN_FORMAT));
    };
    let unwritable = |error: std::io::Error| RunError::Results(format!("{}: {error}", path.display()));
    let folder = begin_folder(scenario, Resume::No)?;
    let folder = folder.as_ref();
    let part = beside(path);
    let file = File::create(&part).map_err(unwritable)?;
    let logger = Logger::new(format, scenario.workload.ranks, &scenario.title, file).map_err(unwritable)?;
    let logger = Arc::new(Mutex::new(logger));
    let observer = Observer(Arc::clone(&logger) as SharedObserver);
    let observer = Some(observer);
    let around = Around { folder, observer, processes: &mut OneProcess, checkpoints: None, outside: None };
    let result = run_observed(scenario, options, around, watch);
    let logger = Arc::into_inner(logger).expect("the run is over and has let go of its observer");
    let finished = match &result {
        Ok(report) if report.outcome == Outcome::Finished => {
            match logger.into_inner().unwrap_or_else(PoisonError::into_inner).finish() {
                Ok(written) => fs::rename(&part, path).map(|()| Some(written)).map_err(unwritable),
                Err(LogError::Write(error)) => Err(unwritable(error)),
                Err(error) => Err(RunError::Options(error.to_string())),
            }
        }
        _ => Ok(None),
    };
    if !matches!(finished, Ok(Some(_))) {
        // The run says why; what remains of the file is of no use.
        _ = fs::remove_file(&part);
    }
    let logged = Logged { report: result?, written: finished? };
    if let Some(folder) = folder {
        logged.report.summary.write(folder)?;
    }
    Ok(logged)
}

/// Where a file is written until it is whole.
fn beside(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".part");
    PathBuf::from(name)
}
