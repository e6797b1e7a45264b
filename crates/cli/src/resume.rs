//! `weir resume`

use crate::arguments::{Common, ResumeArgs, SetsAnd, Shown};
use crate::load;
use crate::run::checkpoints;
use crate::together::{Together, carry_out};
use std::process::ExitCode;
use weir_scenario::{Resume, RunOptions, Source};

pub(crate) fn resume(args: ResumeArgs, together: Together) -> anyhow::Result<ExitCode> {
    let ResumeArgs { folder, sets, processes, checkpoint_every, page, verbose, shown: Shown { json, quiet } } =
        args;
    let overrides = [sets.overrides(), checkpoints(checkpoint_every)].concat();
    let common = Common {
        sets: SetsAnd::default(),
        out: Some(folder.clone()),
        json,
        no_data: false,
        compute: None,
        max_memory: None,
        max_wall: None,
        quiet,
        page,
        progress: None,
        verbose,
        verify: false,
    };
    let load = |quiet| {
        let experiment = Some(weir_scenario::checkpoint_of(&folder)?);
        load::to_run(&Source { experiment, overrides, out: Some(folder), ..Source::default() }, quiet)
    };
    let options = RunOptions { resume: Resume::Yes, ..RunOptions::default() };
    carry_out((together, processes), load, |_| Ok(()), &common, options, None)
}
