//! `weir collectives`

mod picture;
mod table;

use crate::arguments::CollectivesArgs;
use crate::status::{INPUT, interrupted};
use crate::{load, whole};
use anyhow::Context;
use std::io::Write;
use std::num::NonZeroUsize;
use std::process::ExitCode;
use weir_scenario::contest::{Contest, ContestError, ContestRequest};

/// Prints the table of a contest, and the rows of `[[selection]]` unless a file is named for them.
pub(crate) fn advise(args: &CollectivesArgs) -> anyhow::Result<ExitCode> {
    run(args, args.selection.is_none() && !args.csv && !args.json)
}

/// Runs every algorithm everywhere, prints which is best and writes the files that are asked for.
pub(crate) fn collectives(args: &CollectivesArgs) -> anyhow::Result<ExitCode> {
    run(args, false)
}

fn run(args: &CollectivesArgs, shows_selection: bool) -> anyhow::Result<ExitCode> {
    let outputs = [args.out.as_deref(), args.selection.as_deref()];
    if !load::spares(std::slice::from_ref(&args.machine), outputs.into_iter().flatten()) {
        return Ok(ExitCode::from(INPUT));
    }
    let request = ContestRequest {
        machine: args.machine.clone(),
        sets: args.sets.overrides(),
        operations: args.operation.clone(),
        algorithms: args.algorithms.clone(),
        sizes: args.sizes.clone(),
        ranks: args.ranks.iter().copied().map(NonZeroUsize::get).collect(),
        threads: args.threads,
    };
    let show = |done: usize, all: usize| {
        if !args.quiet && (done == all || done.is_multiple_of(all.div_ceil(10))) {
            eprintln!("{done} of {all} runs");
        }
    };
    let contest = match Contest::run(&request, &show) {
        Ok(contest) => contest,
        Err(ContestError::Input(problems)) => {
            eprintln!("error: {problems}");
            return Ok(ExitCode::from(INPUT));
        }
        Err(ContestError::Interrupted) => {
            eprintln!("interrupted: nothing is written");
            return Ok(interrupted().unwrap_or(ExitCode::from(1)));
        }
    };
    let mut text = match (args.csv, args.json) {
        (true, _) => table::to_csv(&contest),
        (_, true) => format!("{}\n", table::to_json(&contest)),
        _ => table::to_text(&contest, &request, args.all, args.verbose),
    };
    if shows_selection {
        text += &format!("\n# For the machine file: the best algorithm everywhere\n{}", contest.selection());
    }
    std::io::stdout().write_all(text.as_bytes()).context("standard output")?;
    if let Some(path) = &args.out {
        let drawing = picture::picture(&contest);
        let is_page = path.extension().is_some_and(|extension| extension == "html");
        whole::write(path, if is_page { drawing.to_page("Collectives") } else { drawing.to_string() })?;
    }
    if let Some(path) = &args.selection {
        whole::write(path, contest.selection())?;
    }
    Ok(ExitCode::SUCCESS)
}
