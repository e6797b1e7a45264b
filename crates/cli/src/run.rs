//! Commands that run one thing: `weir run`, `weir mpirun`, `weir log`, `weir replay` and `weir resume`.

use crate::arguments::{
    Cli, Common, LogArgs, MachineArgs, MpirunArgs, ProgramArgs, ReplayArgs, ResumeArgs, RunArgs, Shown,
    programs,
};
use crate::live::Live;
use crate::progress::{ProgressFile, Shower};
use crate::say::unless_closed;
use crate::status::{INPUT, of_report, refused};
use crate::summary_text::{self, Detail};
use crate::together::{Together, carry_out};
use crate::{budget, load, text};
use anyhow::{Context, Result};
use clap::CommandFactory;
use clap::error::ErrorKind;
use serde_json::json;
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;
use weir_capi::Verify;
use weir_capi::stdio::{self, ToStandardError};
use weir_experiment::{ExperimentText, ProgramCommand, Scenario, Source, Workload};
use weir_flow::{Compare, KeepCycles};
use weir_network::{Outcome, Watch};
use weir_run::{GpuProcessor, Logged, Report, Resume, RunError, RunOptions};
use weir_units::Time;

/// The algorithms of collectives that the environment sets, where nothing else names one.
pub(crate) fn default_algorithms() -> Option<String> {
    std::env::var_os("WEIR_COLLECTIVES").map(|text| text.to_string_lossy().into_owned())
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

fn checkpoints(every: Option<String>) -> Option<String> {
    every.map(|every| format!("output.checkpoint_every={every}"))
}

fn verify(common: &Common) -> Verify {
    if common.verify { Verify::Yes } else { Verify::No }
}

pub(crate) fn experiment(args: RunArgs, together: Together) -> Result<ExitCode> {
    let RunArgs {
        experiment,
        common,
        machine,
        launch,
        dry_run,
        processes,
        gpu,
        checkpoint_every,
        compare_sharing,
        tie_sensitivity,
        band,
        alone,
        cycles,
        si_numbers,
        program: words,
    } = args;
    let compare = if compare_sharing { Compare::WithMaxMin } else { Compare::No };
    let keep = if cycles.is_some() { KeepCycles::Yes } else { KeepCycles::No };
    let tie_runs = tie_sensitivity.unwrap_or(0).into();
    let gpu = gpu.then(GpuProcessor::default);
    let options =
        RunOptions { compare, tie_runs, keep, verify: verify(&common), gpu, ..RunOptions::default() };
    let mut overrides = [launch.overrides(), common.overrides()].concat();
    overrides.extend(checkpoints(checkpoint_every));
    overrides.extend(band.then(|| "output.band=true".to_owned()));
    overrides.extend(alone.then(|| "output.alone=true".to_owned()));
    let program =
        words.split_first().map(|(path, args)| ProgramCommand { path: path.into(), args: args.to_vec() });
    let source = Source {
        experiment: Some(experiment),
        machine,
        overrides,
        program,
        collectives: default_algorithms(),
        out: common.out.clone(),
        si_numbers,
        ..Source::default()
    };
    if dry_run {
        return budget::show(&source, &common, options.gpu.as_ref());
    }
    run((together, processes), &source, &common, options, cycles.as_deref())
}

pub(crate) fn mpirun(args: MpirunArgs, together: Together) -> Result<ExitCode> {
    let MpirunArgs { dry_run, processes, program } = args;
    let (source, common) = of_program(program);
    if dry_run {
        return budget::show(&source, &common, None);
    }
    let options = RunOptions { verify: verify(&common), ..RunOptions::default() };
    run((together, processes), &source, &common, options, None)
}

pub(crate) fn log(args: LogArgs) -> Result<ExitCode> {
    let LogArgs { profile, program } = args;
    let (source, common) = of_program(program);
    let scenario = load::scenario(&source)?;
    let outputs = [profile.as_path()].into_iter().chain(common.progress.as_deref());
    load::run_spares(&source, &scenario, outputs)?;
    let ranks = scenario.workload.ranks;
    let live = Live::asked_for(common.page.live, &scenario)?;
    let follow = live.as_ref().map(Live::follower);
    let options = RunOptions { verify: verify(&common), follow, ..RunOptions::default() };
    let run = Run::begin(&scenario, &common, live)?;
    let result = run.watched(|watch| weir_run::log(&scenario, &profile, &options, watch));
    stdio::flush();
    let (report, written) = match result {
        Ok(Logged { report, written }) => (Ok(report), written),
        Err(error) => (Err(error), None),
    };
    let status = run.end(report, None)?;
    match written {
        Some(written) if !common.quiet => {
            eprintln!("{}: {written} events of {ranks} ranks", profile.display());
        }
        None if status != ExitCode::from(INPUT) => {
            eprintln!("error: no profile: the program did not run to its end");
        }
        _ => {}
    }
    Ok(status)
}

pub(crate) fn replay(args: ReplayArgs, together: Together) -> Result<ExitCode> {
    let ReplayArgs { profile, sources, processes, checkpoint_every, on } = args;
    let title = profile.file_stem().unwrap_or_default().to_string_lossy();
    let file = profile.display().to_string();
    let kind = if weir_experiment::is_work(&profile) { "graph" } else { "profile" };
    let mut text =
        format!("title = {}\n[workload]\nkind = \"{kind}\"\nfile = {}\n", json!(title), json!(file));
    if let Some(sources) = sources {
        text += &format!("sources = {}\n", json!(sources));
    }
    let (mut source, common) = on.source();
    source.overrides.extend(checkpoints(checkpoint_every));
    source.experiment_text = Some(ExperimentText { name: "command line".into(), text });
    run((together, processes), &source, &common, RunOptions::default(), None)
}

pub(crate) fn resume(args: ResumeArgs, together: Together) -> Result<ExitCode> {
    let ResumeArgs { folder, sets, processes, checkpoint_every, page, verbose, shown: Shown { json, quiet } } =
        args;
    let mut overrides = sets.overrides();
    overrides.extend(checkpoints(checkpoint_every));
    let common = Common { out: Some(folder.clone()), json, quiet, page, verbose, ..Common::default() };
    let load = |quiet| {
        let experiment = Some(weir_run::checkpoint_of(&folder)?);
        load::to_run(&Source { experiment, overrides, out: Some(folder), ..Source::default() }, quiet)
    };
    let options = RunOptions { resume: Resume::Yes, ..RunOptions::default() };
    carry_out((together, processes), load, |_| Ok(()), &common, options, None)
}

/// A program, or several, on so many ranks of a machine.
fn of_program(args: ProgramArgs) -> (Source, Common) {
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
    fn source(self) -> (Source, Common) {
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
) -> Result<ExitCode> {
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

/// The end of the run in simulated time, where that is known before it.
fn end_of(scenario: &Scenario) -> Option<Time> {
    match &scenario.workload.kind {
        Workload::Synthetic(traffic) => Some(Time::ZERO + traffic.warmup + traffic.duration),
        _ => None,
    }
}

impl<'a> Run<'a> {
    pub(crate) fn begin(scenario: &'a Scenario, common: &'a Common, live: Option<Live>) -> Result<Self> {
        let file = common.progress.as_deref().map(ProgressFile::begin).transpose()?;
        let redirected = common.json.then(ToStandardError::begin).transpose().context("standard output")?;
        Ok(Self { scenario, common, redirected, live, file })
    }

    pub(crate) fn watched<R>(&self, carry_out: impl FnOnce(Watch<'_>) -> R) -> R {
        let shower = Shower::begin(self.common.quiet, self.scenario.messages());
        let mut shower = shower.until(end_of(self.scenario));
        let result = carry_out(&mut |progress| {
            shower.show(progress);
            self.live.iter().for_each(|live| live.note(progress));
            self.file.iter().for_each(|file| file.note(progress));
        });
        shower.end();
        result
    }

    pub(crate) fn end(self, result: Result<Report, RunError>, cycles: Option<&Path>) -> Result<ExitCode> {
        let Self { scenario, common, redirected, live, file: _ } = self;
        drop(redirected);
        if let Some(live) = live {
            let outcome = result.as_ref().map_or_else(ToString::to_string, text::outcome);
            let folder = scenario.output.dir.as_deref().map(Path::to_string_lossy);
            let summary = result.as_ref().ok().map(|report| &report.summary);
            live.end(&outcome, folder.as_deref(), summary);
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
        if let Some(warning) = report.summary.skeleton.as_ref().and_then(summary_text::skeleton_warning) {
            eprintln!("{warning}");
        }
        if !common.json && !common.quiet {
            let detail = if common.verbose { Detail::All } else { Detail::Short };
            let table = summary_text::summary(&report, detail);
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
