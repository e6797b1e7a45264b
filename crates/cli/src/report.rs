//! `weir report`: runs the Python package `weir`, which draws.

use crate::arguments::ReportArgs;
use anyhow::Context;
use std::ffi::OsString;
use std::process::{Command, ExitCode, Stdio};

/// Names the interpreter that has the package.
const PYTHON: &str = "WEIR_PYTHON";
/// Names this command for the package, which asks it for bounds and routes.
const WEIR: &str = "WEIR";
/// What the interpreter is asked first. A folder `weir` without a package in it has no loader.
const HAS_PACKAGE: &str = "import importlib.util as u, sys; \
    s = u.find_spec('weir'); sys.exit(0 if s and s.origin and u.find_spec('weir.report') else 3)";

/// Draws a results folder. The exit status is that of the package: 0, 2 for a folder that is none, 1 for anything else.
pub(crate) fn report(args: &ReportArgs) -> anyhow::Result<ExitCode> {
    let python = python();
    if !has_package(&python) {
        let python = python.display();
        eprintln!(
            "error: {python} has no package weir (or there is no such interpreter), which draws reports\n\n\
             hint: {python} -m pip install weir-sim, or in weir's source folder: {python} -m pip install .\n      \
             or name another interpreter: {PYTHON}=PATH weir report ..."
        );
        return Ok(ExitCode::from(1));
    }
    let mut command = Command::new(&python);
    command.args(["-m", "weir", "report"]).arg(&args.folder);
    if let Some(output) = &args.output {
        command.arg("--output").arg(output);
    }
    if let Some(language) = &args.language {
        command.args(["--language", language]);
    }
    if args.allow_incomplete {
        command.arg("--allow-incomplete");
    }
    if std::env::var_os(WEIR).is_none() {
        command.env(WEIR, std::env::current_exe().context("this command's own file")?);
    }
    let status = command.status().with_context(|| format!("{}", python.display()))?;
    Ok(ExitCode::from(status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(1)))
}

/// The interpreter that draws.
pub(crate) fn python() -> OsString {
    std::env::var_os(PYTHON).unwrap_or_else(|| "python3".into())
}

fn has_package(python: &OsString) -> bool {
    let mut ask = Command::new(python);
    ask.args(["-c", HAS_PACKAGE]).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    ask.status().is_ok_and(|status| status.success())
}
