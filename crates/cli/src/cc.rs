//! `weir cc`, `weir c++`, `weir fort`

use std::ffi::OsString;
use std::io::Write;
use std::process::ExitCode;
use weir_compiler::Language;

pub(crate) fn compile(language: Language, args: &[OsString]) -> anyhow::Result<ExitCode> {
    if args.iter().any(|arg| arg == "-show") {
        let rest: Vec<OsString> = args.iter().filter(|arg| *arg != "-show").cloned().collect();
        let command = weir_compiler::command(language, &rest)?;
        let words = std::iter::once(command.get_program()).chain(command.get_args());
        let line = words.map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ");
        writeln!(std::io::stdout(), "{line}")?;
        return Ok(ExitCode::SUCCESS);
    }
    let status = weir_compiler::run(language, args)?;
    Ok(ExitCode::from(status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(1)))
}
