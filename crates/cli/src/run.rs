//! `weir run` and `weir mpirun`

use crate::arguments::programs::programs;
use crate::arguments::{Cli, Common, MachineArgs, MpirunArgs, ProgramArgs, RunArgs};
use crate::endings::unless_closed;
use crate::live::Live;
use crate::progress::{Display, Shower};
use crate::progress_file::ProgressFile;
use crate::status::{of_report, refused};
use crate::text::Detail;
use crate::together::{Together, carry_out};
use crate::{budget, load, skeleton_text, text};
use anyhow::Context;
use clap::CommandFactory;
use clap::error::ErrorKind;
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;
use weir_capi::stdio::ToStandardError;
use weir_network::{Outcome, Watch};
use weir_scenario::{
    Compare, KeepCycles, ProgramCommand, Report, RunError, RunOptions, Scenario, Source, Verify, Workload,
};

/// The algorithms of collectives that the environment sets, where nothing else names one.
pub(crate) fn default_algorithms() -> Option<String> {
    std::env::var_os("WEIR_COLLECTIVES").map(|text| text.to_string_lossy().into_owned())
}

fn program(words: Vec<String>) -> Option<ProgramCommand> {
    let mut words = words.into_iter();
    let path = words.next()?.into();
    Some(ProgramCommand { path, args: words.collect() })
}

impl Common {
    pub(crate) fn overrides(&self) -> Vec<String> {
        let mut overrides = self.sets.overrides();
        overrides.extend(self.no_data.then(|| "workload.data=false".to_owned()));
        let mut put = |key: &str, value: &Option<String>| {
            overrides.extend(value.as_ref().map(|value| format!("{key}={value}")));
        };
        put("workload.compute", &self.compute);
        put("limits.memory", &self.max_memory);
        put("limits.expected_wall_time", &self.max_wall);
        overrides
    }
}

pub(crate) fn checkpoints(every: Option<String>) -> Vec<String> {
    every.into_iter().map(|every| format!("output.checkpoint_every={every}")).collect()
}

fn asked_band(band: bool) -> Vec<String> {
    band.then(|| "output.band=true".to_owned()).into_iter().collect()
}

pub(crate) fn verify(common: &Common) -> Verify {
    if common.verify { Verify::Yes } else { Verify::No }
}

pub(crate) fn experiment(args: RunArgs, together: Together) -> anyhow::Result<ExitCode> {
    let RunArgs {
        experiment,
        common,
        machine,
        launch,
        dry_run,
        processes,
        checkpoint_every,
        compare_sharing,
        tie_sensitivity,
        band,
        cycles,
        program: words,
    } = args;
    let compare = if compare_sharing { Compare::WithMaxMin } else { Compare::No };
    let keep = if cycles.is_some() { KeepCycles::Yes } else { KeepCycles::No };
    let tie_runs = tie_sensitivity.unwrap_or(0).into();
    let options = RunOptions { compare, tie_runs, keep, verify: verify(&common), ..RunOptions::default() };
    let source = Source {
        experiment: Some(experiment),
        machine,
        overrides: [launch.overrides(), common.overrides(), checkpoints(checkpoint_every), asked_band(band)]
            .concat(),
        program: program(words),
        collectives: default_algorithms(),
        out: common.out.clone(),
        ..Source::default()
    };
    if dry_run {
        return budget::show(&source, &common);
    }
    run((together, processes), &source, &common, options, cycles.as_deref())
}

pub(crate) fn mpirun(args: MpirunArgs, together: Together) -> anyhow::Result<ExitCode> {
    let MpirunArgs { dry_run, processes, program } = args;
    let (source, common) = of_program(program);
    if dry_run {
        return budget::show(&source, &common);
    }
    let options = RunOptions { verify: verify(&common), ..RunOptions::default() };
    run((together, processes), &source, &common, options, None)
}

/// A program, or several, on so many ranks of a machine.
pub(crate) fn of_program(args: ProgramArgs) -> (Source, Common) {
    let ProgramArgs { ranks, on, program: words } = args;
    let (source, common) = on.source();
    let (first, further) = programs(ranks, &words)
        .unwrap_or_else(|why| Cli::command().error(ErrorKind::ValueValidation, why).exit());
    let all = further.iter().map(|program| program.ranks).fold(0_usize, usize::saturating_add);
    let ranks = ranks.map(|ranks| ranks.saturating_add(all));
    (Source { program: Some(first), further, ranks, ..source }, common)
}

impl MachineArgs {
    /// Where something is run that is not named yet.
    pub(crate) fn source(self) -> (Source, Common) {
        let Self { machine, launch, common } = self;
        let overrides = [launch.overrides(), common.overrides()].concat();
        let (out, collectives) = (common.out.clone(), default_algorithms());
        (Source { machine, overrides, out, collectives, ..Source::default() }, common)
    }
}

fn run(
    together: (Together, Option<u16>),
    source: &Source,
    common: &Common,
    options: RunOptions,
    cycles: Option<&Path>,
) -> anyhow::Result<ExitCode> {
    let load = |quiet| load::to_run(source, quiet);
    let outputs: Vec<&Path> = cycles.into_iter().chain(common.progress.as_deref()).collect();
    let spares = |scenario: &Scenario| load::run_spares(source, scenario, outputs.iter().copied());
    carry_out(together, load, spares, common, options, cycles)
}

/// A run of a scenario, with what is shown on the way and at the end.
pub(crate) struct Run<'a> {
    scenario: &'a Scenario,
    common: &'a Common,
    redirected: Option<ToStandardError>,
    live: Option<Live>,
    file: Option<ProgressFile>,
}

impl<'a> Run<'a> {
    pub(crate) fn begin(
        scenario: &'a Scenario,
        common: &'a Common,
        live: Option<Live>,
    ) -> anyhow::Result<Self> {
        let file = common.progress.as_deref().map(ProgressFile::begin).transpose()?;
        let redirected = common.json.then(ToStandardError::begin).transpose().context("standard output")?;
        Ok(Self { scenario, common, redirected, live, file })
    }

    pub(crate) fn watched<R>(&self, carry_out: impl FnOnce(Watch<'_>) -> R) -> R {
        let display = if self.common.quiet { Display::Quiet } else { Display::fitting() };
        let mut shower = Shower::begin(display).with_total(self.scenario.messages());
        let result = carry_out(&mut |progress| {
            shower.show(progress);
            self.live.iter().for_each(|live| live.note(progress));
            self.file.iter().for_each(|file| file.note(progress));
        });
        shower.end();
        result
    }

    pub(crate) fn end(
        self,
        result: Result<Report, RunError>,
        cycles: Option<&Path>,
    ) -> anyhow::Result<ExitCode> {
        let Self { scenario, common, redirected, live, file: _ } = self;
        drop(redirected);
        if let Some(live) = live {
            let outcome = result.as_ref().map_or_else(ToString::to_string, text::outcome);
            let folder = scenario.output.dir.as_deref().map(Path::to_string_lossy);
            let causes = result.as_ref().ok().and_then(|report| report.summary.causes.as_ref());
            live.end(&outcome, folder.as_deref(), causes.map(|found| found.accounts.total()));
        }
        let report = match result {
            Ok(report) => report,
            Err(error @ (RunError::Program(_) | RunError::Options(_) | RunError::Budget(_))) => {
                return Err(refused(error));
            }
            Err(error) => return Err(error.into()),
        };
        if let Some(path) = cycles {
            weir_record::write_cycles(&report.cycles, path)?;
        }
        let mut stdout = std::io::stdout();
        if common.json {
            unless_closed(writeln!(stdout, "{}", report.summary.to_json())).context("standard output")?;
        }
        let outcome = text::outcome(&report);
        if !outcome.is_empty() {
            eprintln!("{outcome}");
        }
        if let (Outcome::Limit(_), Some(folder)) = (&report.outcome, &scenario.output.dir) {
            eprintln!("results up to there: {}", folder.display());
            if report.summary.checkpoints.is_some_and(|checkpoints| checkpoints.is_left) {
                eprintln!("go on with: weir resume {}", folder.display());
            }
        }
        // Those of the input have been shown before the run.
        for warning in report.summary.warnings.iter().skip(scenario.warnings().len()) {
            eprintln!("warning: {warning}");
        }
        if let Some(warning) = report.summary.skeleton.as_ref().and_then(skeleton_text::warning) {
            eprintln!("{warning}");
        }
        if !common.json && !common.quiet {
            let detail = if common.verbose { Detail::All } else { Detail::Short };
            let table = text::summary(&report, detail);
            // What the program has printed is the data of a run of a program.
            if matches!(scenario.workload.kind, Workload::Program(_)) {
                eprint!("{table}");
            } else {
                unless_closed(write!(stdout, "{table}")).context("standard output")?;
            }
        }
        unless_closed(stdout.flush()).context("standard output")?;
        Ok(of_report(&report))
    }
}
