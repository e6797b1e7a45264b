//! `weir demo`

use crate::arguments::{Common, DemoArgs, ReportArgs};
use crate::load;
use crate::report::{self, python};
use crate::together::{Together, carry_out};
use anyhow::Context;
use std::env::var_os;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use weir_scenario::{ExperimentText, RunOptions, Shipped, Source};

/// Samples for a page that moves.
const SAMPLES: &str = "output.sample_interval=50 us";
/// Opens a page in a window of its own, if there is a browser with one.
const OPEN: &str = "import sys, webbrowser; sys.exit(0 if webbrowser.open_new(sys.argv[1]) else 1)";

pub(crate) fn demo(args: DemoArgs) -> anyhow::Result<ExitCode> {
    let DemoArgs { out, no_open, sets } = args;
    let text = Shipped::named("demo").expect("it ships").text.to_owned();
    let text = ExperimentText { name: "demo.toml".to_owned(), text };
    let overrides = [vec![SAMPLES.to_owned()], sets.overrides()].concat();
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
    let drawn = report::report(&ReportArgs { folder: out.clone(), ..ReportArgs::default() })?;
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
    let mut command = Command::new(python());
    command.args(["-c", OPEN]).arg(page).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    has_screen && command.status().is_ok_and(|status| status.success())
}
