//! `weir log`

use crate::arguments::LogArgs;
use crate::live::Live;
use crate::load;
use crate::run::{self, Run};
use crate::status::INPUT;
use std::process::ExitCode;
use weir_capi::stdio;
use weir_scenario::Logged;

pub(crate) fn log(args: LogArgs) -> anyhow::Result<ExitCode> {
    let LogArgs { profile, program } = args;
    let (source, common) = run::of_program(program);
    let scenario = load::scenario(&source)?;
    let outputs = [profile.as_path()].into_iter().chain(common.progress.as_deref());
    load::run_spares(&source, &scenario, outputs)?;
    let ranks = scenario.workload.ranks;
    let (live, scenario) = Live::asked_for(common.page.live, scenario)?;
    let run = Run::begin(&scenario, &common, live)?;
    let result = run.watched(|watch| scenario.log(&profile, run::verify(&common), watch));
    stdio::flush();
    let (report, written) = match result {
        Ok(Logged { report, written }) => (Ok(report), written),
        Err(error) => (Err(error), None),
    };
    let status = run.end(report, None)?;
    match written {
        Some(written) => {
            if !common.quiet {
                eprintln!("{}: {} events of {ranks} ranks", profile.display(), written);
            }
            Ok(status)
        }
        None => {
            if status != ExitCode::from(INPUT) {
                eprintln!("error: no profile: the program did not run to its end");
            }
            Ok(status)
        }
    }
}
