//! Output: on standard error, which may be closed, on standard output, and files.

use anyhow::Context;
use serde_json::Value;
use std::io::Write;
use std::path::Path;
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

/// Prints an object in one line, or a text for people.
pub(crate) fn print_as(
    json: bool,
    object: impl FnOnce() -> Value,
    text: impl FnOnce() -> String,
) -> anyhow::Result<ExitCode> {
    print(&if json { format!("{}\n", object()) } else { text() })
}

/// Something was written to standard output, or its reader has gone.
pub(crate) fn unless_closed(written: std::io::Result<()>) -> std::io::Result<()> {
    match written {
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        other => other,
    }
}

/// Writes a whole file.
///
/// # Errors
/// When that fails; then there is what was there before.
pub(crate) fn write_file(path: &Path, text: impl AsRef<[u8]>) -> anyhow::Result<()> {
    weir_record::write_whole(path, |out| out.write_all(text.as_ref()))
        .with_context(|| path.display().to_string())
}

/// A word as a shell reads it.
pub(crate) fn shell_word(word: &str) -> String {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "_./=:,-+%@".contains(letter);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_for_a_shell() {
        assert_eq!(shell_word("a.b=1e-3"), "a.b=1e-3");
        assert_eq!(shell_word("size=96 KiB"), "'size=96 KiB'");
        assert_eq!(shell_word("it's"), "'it'\\''s'");
        assert_eq!(shell_word(""), "''");
    }
}
