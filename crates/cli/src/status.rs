//! The exit status of a command: docs/reference/command-line.md has the table.

use std::fmt;
use std::process::ExitCode;
use weir_network::Outcome;
use weir_run::Report;
use weir_units::Rank;

pub(crate) const INPUT: u8 = 2;
const DEADLOCK: u8 = 3;
const LIMIT: u8 = 4;

/// An error of the input: the command ends with a description and the status of an input error.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
struct Refused(String);

pub(crate) fn refused(what: impl fmt::Display) -> anyhow::Error {
    Refused(what.to_string()).into()
}

pub(crate) trait OrRefused<T> {
    fn or_refused(self) -> anyhow::Result<T>;
}

impl<T, E: fmt::Display> OrRefused<T> for Result<T, E> {
    fn or_refused(self) -> anyhow::Result<T> {
        self.map_err(refused)
    }
}

/// Prints an error, and returns the status that it stands for.
pub(crate) fn of_error(error: &anyhow::Error) -> ExitCode {
    eprintln!("error: {error:#}");
    if error.is::<Refused>() {
        return ExitCode::from(INPUT);
    }
    interrupted().unwrap_or(ExitCode::from(1))
}

pub(crate) fn of_report(report: &Report) -> ExitCode {
    let left_nothing = report.summary.remnants.as_ref().is_none_or(Vec::is_empty);
    let nothing_simulated =
        report.summary.program.is_some_and(|counts| counts.without_mpi == report.summary.ranks);
    match of_outcome(&report.outcome, &report.exit_codes) {
        ExitCode::SUCCESS if !left_nothing || nothing_simulated => ExitCode::from(1),
        status => status,
    }
}

/// The exit status of a command that a signal has ended: 128 and the signal's number, as shells have it.
pub(crate) fn interrupted() -> Option<ExitCode> {
    let signal = u8::try_from(weir_network::interrupted_by()?).ok()?;
    Some(ExitCode::from(signal.saturating_add(128)))
}

pub(crate) fn of_outcome(outcome: &Outcome, exit_codes: &[(Rank, i32)]) -> ExitCode {
    match outcome {
        Outcome::Finished if exit_codes.is_empty() => ExitCode::SUCCESS,
        Outcome::Finished | Outcome::Aborted { .. } => ExitCode::from(1),
        Outcome::Deadlock(_) => ExitCode::from(DEADLOCK),
        Outcome::Limit(_) => interrupted().unwrap_or(ExitCode::from(LIMIT)),
    }
}

/// Returns whether standard output is a pipe whose reader has gone: it has seen enough, as `head` does.
pub(crate) fn is_closed_pipe(error: &anyhow::Error) -> bool {
    let kind = |cause: &(dyn std::error::Error + 'static)| {
        cause.downcast_ref::<std::io::Error>().map(std::io::Error::kind)
    };
    error.chain().any(|cause| kind(cause) == Some(std::io::ErrorKind::BrokenPipe))
}
