//! Output on standard error, which may be closed, and on standard output.

use anyhow::Context;
use std::io::Write;
use std::process::ExitCode;

/// A line on standard error. Where that is closed there is nowhere to report to: a run goes on without.
macro_rules! eprintln {
    ($($what:tt)*) => {{
        use std::io::Write as _;
        _ = writeln!(std::io::stderr(), $($what)*);
    }};
}

/// The same without the end of a line.
macro_rules! eprint {
    ($($what:tt)*) => {{
        use std::io::Write as _;
        _ = write!(std::io::stderr(), $($what)*);
    }};
}

/// Writes a text to standard output, with which the command has done its work.
pub(crate) fn print(text: &str) -> anyhow::Result<ExitCode> {
    std::io::stdout().write_all(text.as_bytes()).context("standard output")?;
    Ok(ExitCode::SUCCESS)
}
