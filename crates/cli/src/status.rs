//! The exit status of a command: docs/reference/command-line.md has the table.

use std::process::ExitCode;
use weir_network::Outcome;
use weir_scenario::Report;
use weir_units::Rank;

/// Input error.
pub(crate) const INPUT: u8 = 2;
/// The simulated program deadlocked.
const DEADLOCK: u8 = 3;
/// A limit was reached.
const LIMIT: u8 = 4;

/// The exit status that a run comes to.
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

/// The exit status of a run that ended like this.
pub(crate) fn of_outcome(outcome: &Outcome, exit_codes: &[(Rank, i32)]) -> ExitCode {
    match outcome {
        Outcome::Finished if exit_codes.is_empty() => ExitCode::SUCCESS,
        Outcome::Finished | Outcome::Aborted { .. } => ExitCode::from(1),
        Outcome::Deadlock(_) => ExitCode::from(DEADLOCK),
        Outcome::Limit(_) => interrupted().unwrap_or(ExitCode::from(LIMIT)),
    }
}
