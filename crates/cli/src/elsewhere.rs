//! A command line that names what other tools have.

use crate::status::INPUT;
use clap::Error;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use std::process::ExitCode;
use weir_scenario::foreign;

/// Says what is wrong with the command line: of a command or an option that other tools have, what it is called here.
pub(crate) fn refused(error: &Error) -> ExitCode {
    let words = || std::env::args().skip(1);
    let option = |word: String| foreign::option(&word).map(|sentence| format!("{word}: {sentence}"));
    let invalid = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text.clone()),
        _ => None,
    };
    let known = match error.kind() {
        ErrorKind::InvalidSubcommand => invalid(ContextKind::InvalidSubcommand)
            .and_then(|name| foreign::command(&name).map(|sentence| format!("weir {name}: {sentence}"))),
        // Of -platform clap takes -p alone.
        ErrorKind::UnknownArgument => invalid(ContextKind::InvalidArg)
            .and_then(|begin| words().filter(|word| word.starts_with(&begin)).find_map(option)),
        // Before -n RANKS an option that is not known is taken for the program, and the rest for its arguments.
        ErrorKind::MissingRequiredArgument => words().skip(1).find_map(option),
        _ => None,
    };
    match known {
        Some(text) => {
            eprintln!("error: {text}");
            ExitCode::from(INPUT)
        }
        None => error.exit(),
    }
}
