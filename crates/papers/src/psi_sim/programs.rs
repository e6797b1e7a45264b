//! The programs of the paper and their skeletons: compiled by `weir cc`, run on the ideal network, and timed.

use crate::campaign::{Campaign, Experiment, Point};
use crate::{Comparison, PapersError};
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;
use weir_compiler::Language;
use weir_record::SkeletonCounts;
use weir_scenario::Condensed;

static EXPERIMENT: Experiment = Experiment {
    name: "papers/001-psi-sim/program.toml",
    text: include_str!("../../../../papers/001-psi-sim/program.toml"),
};

/// A program of `examples/skeletons`.
pub(super) struct Source {
    /// Its name, without `.c`.
    pub(super) name: &'static str,
    pub(super) text: &'static str,
    /// Options for the compiler that all its variants have.
    pub(super) options: &'static [&'static str],
}

/// The folder with the compiled variants of a program; it goes away with this.
pub(super) struct Programs {
    folder: TempDir,
    name: &'static str,
}

/// What is charged for a program's own work, as behind `--compute`.
#[derive(Clone, Copy)]
pub(super) enum Charged {
    Measured,
    /// Only what clock calls say.
    Nothing,
}

/// How to run a variant.
#[derive(Clone)]
pub(super) struct Command {
    pub(super) variant: &'static str,
    pub(super) args: Vec<String>,
    pub(super) ranks: usize,
    pub(super) charged: Charged,
    /// Of a skeleton whose messages need not arrive with what they hold.
    pub(super) without_data: bool,
}

/// Of several runs: the medians of simulated time and of the time that a run took. Not the shortest, which on a busy computer
/// are more often undisturbed where runs are short.
pub(super) struct Typical {
    pub(super) simulated_s: f64,
    /// Of the run: processor time, or wall-clock time where the system does not report that.
    pub(super) logging_s: f64,
    /// Of the run with that simulated time.
    pub(super) run: Condensed,
}

impl Programs {
    /// Compiles the variants: names, and macros to define.
    pub(super) fn compile(source: &Source, variants: &[(&'static str, &str)]) -> Result<Self, PapersError> {
        let folder = tempfile::Builder::new().prefix("weir-papers-").tempdir();
        let folder = folder.map_err(|source| PapersError::File { path: std::env::temp_dir(), source })?;
        let programs = Self { folder, name: source.name };
        let path = programs.folder.path().join(source.name).with_extension("c");
        fs::write(&path, source.text).map_err(|source| PapersError::File { path: path.clone(), source })?;
        for (variant, define) in variants {
            programs.compile_variant(source, &path, variant, define)?;
        }
        Ok(programs)
    }

    fn compile_variant(
        &self,
        source: &Source,
        path: &Path,
        variant: &str,
        define: &str,
    ) -> Result<(), PapersError> {
        let failed = |what: String| PapersError::Program { program: format!("{}.c", source.name), what };
        let mut args: Vec<_> = source.options.iter().map(Into::into).collect();
        if !define.is_empty() {
            args.push(format!("-D{define}").into());
        }
        args.extend([path.into(), "-o".into(), self.path(variant).into(), "-lm".into()]);
        let mut command =
            weir_compiler::command(Language::C, &args).map_err(|error| failed(error.to_string()))?;
        let output = command.output().map_err(|error| {
            let compiler = command.get_program().to_string_lossy().into_owned();
            failed(format!(
                "cannot start the compiler {compiler:?}: {error}\n\nhint: install a C compiler, or name one in the \
                 environment variable WEIR_CC"
            ))
        })?;
        if output.status.success() {
            return Ok(());
        }
        Err(failed(format!("does not compile:\n{}", String::from_utf8_lossy(&output.stderr))))
    }

    fn path(&self, variant: &str) -> PathBuf {
        self.folder.path().join(format!("{}-{variant}", self.name))
    }

    /// Runs variants in turn, nothing beside them, in so many rounds: whatever else the computer does meets all of them
    /// alike. The results are in the order of the commands.
    pub(super) fn run(
        &self,
        campaign: &Campaign<'_>,
        commands: &[Command],
        rounds: usize,
    ) -> Result<Vec<Typical>, PapersError> {
        let mut runs = Vec::new();
        for command in (0..rounds).flat_map(|_| commands) {
            let run = campaign.run_apart(self.point(command))?;
            runs.push((run.processor_s.unwrap_or(run.wall.as_secs_f64()), run));
        }
        let typical =
            |first: usize| Typical::of(runs.iter().skip(first).step_by(commands.len()).cloned().collect());
        Ok((0..commands.len()).map(typical).collect())
    }

    fn point(&self, command: &Command) -> Point {
        let quiet = ["-q".to_owned(), "1".to_owned()];
        let args: Vec<String> = quiet.iter().chain(&command.args).map(|arg| format!("'{arg}'")).collect();
        Point {
            name: format!(
                "{} {}, {} ranks, {}",
                self.name,
                command.variant,
                command.ranks,
                command.args.join(" ")
            ),
            experiment: &EXPERIMENT,
            overrides: vec![
                format!("workload.program='{}'", self.path(command.variant).display()),
                format!("workload.args=[{}]", args.join(",")),
                format!("workload.ranks={}", command.ranks),
                format!(
                    "workload.compute={}",
                    match command.charged {
                        Charged::Measured => "measured",
                        Charged::Nothing => "none",
                    }
                ),
                format!("workload.data={}", !command.without_data),
                // For skeletons that count instructions: a cycle of 1 ns each.
                "node.cpi=1".into(),
                "node.clock='1 GHz'".into(),
            ],
        }
    }
}

impl Typical {
    /// Of logging times and runs, at least one.
    fn of(mut runs: Vec<(f64, Condensed)>) -> Self {
        let middle = (runs.len() - 1) / 2;
        runs.sort_by(|a, b| a.0.total_cmp(&b.0));
        let logging_s = runs[middle].0;
        runs.sort_by_key(|(_, run)| run.simulated);
        let run = runs.swap_remove(middle).1;
        Self { simulated_s: run.simulated.as_secs_f64(), logging_s, run }
    }

    /// Of several rounds, at least one, each of which had one run.
    pub(super) fn of_rounds<'r>(rounds: impl Iterator<Item = &'r Self>) -> Self {
        Self::of(rounds.map(|one| (one.logging_s, one.run.clone())).collect())
    }

    pub(super) fn skeleton(&self) -> SkeletonCounts {
        self.run.skeleton.clone().unwrap_or_default()
    }

    /// Messages and bytes: what a skeleton must not change.
    pub(super) fn traffic(&self) -> (u64, u64) {
        (self.run.traffic.messages, self.run.traffic.bytes.0)
    }
}

/// Says what the values were measured on.
pub(super) fn computer() -> String {
    let text = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let entry = |key: &str| {
        let line = text.lines().find(|line| line.starts_with(key))?;
        Some(line.split_once(':')?.1.trim().to_owned())
    };
    let name = entry("model name").unwrap_or_else(|| "a processor of unknown name".into());
    let clock = entry("cpu MHz").map_or_else(String::new, |clock| format!(", {clock} MHz"));
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZeroUsize::get);
    format!("{name}{clock}, {cores} cores, of which a run uses one")
}

/// The notes that both figures have.
pub(super) fn with_notes(mut comparison: Comparison, notes: Vec<String>) -> Comparison {
    comparison.notes = notes;
    comparison.notes.push(format!(
        "Measured on {}. The paper: Intel Xeon 3.0 GHz, 8 nodes of 2 processors, gcc 3.2.3, MPICH 2 (table 1).",
        computer()
    ));
    comparison.notes.push(
        "Logging time is the processor time of the run on the ideal network; times and errors depend on the computer and \
         on what else it does: they are shown, not judged. Judged is what does not: that the skeleton sends what the \
         program sends, and the order of logging times and of numbers of clock calls."
            .to_owned(),
    );
    comparison
}
