//! `weir report`, `weir compare` and `weir demo`: run the Python package `weir`, which draws.

use crate::arguments::{Common, CompareArgs, DemoArgs, ReportArgs};
use crate::load;
use crate::together::{Together, carry_out};
use anyhow::Context;
use std::env::var_os;
use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use weir_experiment::{ExperimentText, Shipped, Source};
use weir_run::RunOptions;

/// Names the interpreter that has the package.
const PYTHON: &str = "WEIR_PYTHON";
/// Names this command for the package, which asks it for bounds and routes.
const WEIR: &str = "WEIR";

/// Draws a results folder. The exit status is that of the package: 0, 2 for a folder that is none, 1 for anything else.
pub(crate) fn report(args: &ReportArgs) -> anyhow::Result<ExitCode> {
    let mut arguments = vec![args.folder.as_os_str()];
    if let Some(output) = &args.output {
        arguments.extend([OsStr::new("--output"), output.as_os_str()]);
    }
    if args.play {
        arguments.push(OsStr::new("--play"));
    }
    draw("report", "weir.report", arguments, args.language.as_deref(), args.allow_incomplete)
}

/// Draws several results folders side by side. The exit status is that of the package, as of a report.
pub(crate) fn compare(args: &CompareArgs) -> anyhow::Result<ExitCode> {
    let mut arguments: Vec<&OsStr> = args.folders.iter().map(|folder| folder.as_os_str()).collect();
    arguments.extend([OsStr::new("--output"), args.out.as_os_str()]);
    draw("compare", "weir.comparing", arguments, args.language.as_deref(), args.allow_incomplete)
}

/// Runs a command of the package, which has it in a module of its own.
fn draw<'a>(
    command: &str,
    module: &str,
    mut arguments: Vec<&'a OsStr>,
    language: Option<&'a str>,
    allow_incomplete: bool,
) -> anyhow::Result<ExitCode> {
    let python = python();
    if !has_module(&python, module) {
        let python = python.display();
        eprintln!(
            "error: {python} has no package weir with the module {module}, which draws (or there is no such interpreter)\n\n\
             hint: {python} -m pip install weir-sim, or in weir's source folder: {python} -m pip install .\n      \
             or name another interpreter: {PYTHON}=PATH weir {command} ..."
        );
        return Ok(ExitCode::from(1));
    }
    if let Some(language) = language {
        arguments.extend(["--language", language].map(OsStr::new));
    }
    if allow_incomplete {
        arguments.push(OsStr::new("--allow-incomplete"));
    }
    let mut command_line = Command::new(&python);
    command_line.args(["-m", "weir", command]).args(arguments);
    if var_os(WEIR).is_none() {
        command_line.env(WEIR, std::env::current_exe().context("this command's own file")?);
    }
    let status = command_line.status().with_context(|| format!("{}", python.display()))?;
    Ok(ExitCode::from(status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(1)))
}

fn python() -> OsString {
    var_os(PYTHON).unwrap_or_else(|| "python3".into())
}

/// Returns whether the interpreter has the package with this module. A folder `weir` without a package in it has no loader.
fn has_module(python: &OsString, module: &str) -> bool {
    let code = format!(
        "import importlib.util as u, sys; \
         s = u.find_spec('weir'); sys.exit(0 if s and s.origin and u.find_spec('{module}') else 3)"
    );
    succeeds(Command::new(python).arg("-c").arg(code))
}

/// Runs a command without input and output; whether it ends well.
fn succeeds(command: &mut Command) -> bool {
    let command = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

/// Records who sends to whom, and what links carry in each interval, so that the page moves; causes are in the example.
const RECORDED: [&str; 2] = ["output.pairs=true", "output.sample_interval=50 us"];
/// Opens a page in a window of its own, if there is a browser with one.
const OPEN: &str = "import sys, webbrowser; sys.exit(0 if webbrowser.open_new(sys.argv[1]) else 1)";

pub(crate) fn demo(args: DemoArgs) -> anyhow::Result<ExitCode> {
    let DemoArgs { out, no_open, sets } = args;
    let text = Shipped::named("demo").expect("it ships").text.to_owned();
    let text = ExperimentText { name: "demo.toml".to_owned(), text };
    let overrides = [RECORDED.map(str::to_owned).to_vec(), sets.overrides()].concat();
    let source =
        Source { experiment_text: Some(text), overrides, out: Some(out.clone()), ..Source::default() };
    let load = |quiet| load::to_run(&source, quiet);
    let common = Common { out: Some(out.clone()), ..Common::default() };
    let options = RunOptions::default();
    let together = (Together::alone(), None);
    let spares = |scenario: &_| load::run_spares(&source, scenario, None);
    let ended = carry_out(together, load, spares, &common, options, None)?;
    if ended != ExitCode::SUCCESS {
        return Ok(ended);
    }
    let drawn = report(&ReportArgs { folder: out.clone(), play: true, ..ReportArgs::default() })?;
    if drawn != ExitCode::SUCCESS {
        return Ok(drawn);
    }
    let page = out.join("report.html");
    let page = page.canonicalize().with_context(|| format!("{}", page.display()))?;
    if no_open || !opens(&page) {
        eprintln!("open it in a browser: {}", page.display());
    }
    Ok(ExitCode::SUCCESS)
}

/// Opens a page; whether that worked. A browser that runs in the terminal would take it over: without a screen there is none.
fn opens(page: &Path) -> bool {
    let has_screen = cfg!(target_os = "macos")
        || ["DISPLAY", "WAYLAND_DISPLAY"].into_iter().any(|name| var_os(name).is_some());
    has_screen && succeeds(Command::new(python()).args(["-c", OPEN]).arg(page))
}
