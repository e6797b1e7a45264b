//! `weir cc`, `weir c++` and `weir fort`: the system's compilers with our headers, our runtime, and the options that
//! make a program loadable.
//!
//! The runtime is C (`runtime/`), compiled once into a folder of the user's cache (`support.rs`), and a jump table
//! (`jump_table.rs`) with a slot for each function that [`weir_capi`] offers; `fortran.rs` makes the bindings of Fortran from
//! the headers. How a program is loaded and run is `weir_capi`'s business.

mod fortran;
mod jump_table;
mod support;
#[cfg(test)]
mod tests;

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::PathBuf;
use std::process::{Command, ExitStatus};
use support::Support;
use thiserror::Error;

/// The language of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// C: `weir cc`
    C,
    /// C++: `weir c++`
    Cxx,
    /// Fortran: `weir fort`
    Fortran,
}

impl Language {
    /// The environment variable that names the compiler, and the compiler where it is not set.
    fn names(self) -> (&'static str, &'static str) {
        match self {
            Self::C => ("WEIR_CC", "cc"),
            Self::Cxx => ("WEIR_CXX", "c++"),
            Self::Fortran => ("WEIR_FC", "gfortran"),
        }
    }

    fn compiler(self) -> OsString {
        let (variable, usual) = self.names();
        std::env::var_os(variable).unwrap_or_else(|| usual.into())
    }
}

/// Why nothing was compiled.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum CompileError {
    /// The compiler cannot be started.
    #[error(
        "cannot start the compiler {compiler:?}: {reason}\n\nhint: install a compiler of the language, or name one in \
         the environment variable {variable}"
    )]
    NoCompiler {
        /// The program that was to be started.
        compiler: OsString,
        /// Why it was not.
        reason: io::Error,
        /// The environment variable that names another one.
        variable: &'static str,
    },
    /// Header and runtime cannot be written.
    #[error("cannot write {path}: {reason}\n\nhint: set XDG_CACHE_HOME to a folder that can be written")]
    NoSupport {
        /// The file or folder.
        path: PathBuf,
        /// Why not.
        reason: io::Error,
    },
    /// The runtime does not compile.
    #[error("the compiler {compiler:?} does not compile the runtime of weir ({status})")]
    Runtime {
        /// The compiler.
        compiler: OsString,
        /// The exit status.
        status: ExitStatus,
    },
    /// An option cannot be combined with what a loadable program needs.
    #[error("the option {option:?} makes programs that cannot be loaded: {hint}")]
    Option {
        /// The option.
        option: String,
        /// A remedy.
        hint: &'static str,
    },
}

/// Options with which the compiler does not link a program.
const NOT_LINKING: [&str; 7] = ["-c", "-S", "-E", "-M", "-MM", "-fsyntax-only", "-shared"];

/// The command that `weir cc` (or its kin) with these arguments stands for.
///
/// # Errors
/// When headers and runtime cannot be set up, or an option is impossible.
pub fn command(language: Language, args: &[OsString]) -> Result<Command, CompileError> {
    let is = |arg: &OsString, option: &str| arg.as_os_str() == OsStr::new(option);
    if args.iter().any(|arg| is(arg, "-static")) {
        let hint = "leave it out; a program for weir is a shared object";
        return Err(CompileError::Option { option: "-static".into(), hint });
    }
    let support = Support::set_up(language)?;
    let mut command = Command::new(language.compiler());
    command.arg("-fPIC").arg("-fstack-clash-protection").arg("-I").arg(support.include());
    if let Some(modules) = support.modules() {
        // One subroutine sends arrays of any type. So it is in MPI, and older programs have no module that says so.
        command.arg("-fallow-argument-mismatch").arg("-I").arg(modules);
    }
    let has_input = args.iter().any(|arg| !arg.as_encoded_bytes().starts_with(b"-"));
    let links = has_input && !args.iter().any(|arg| NOT_LINKING.iter().any(|option| is(arg, option)));
    if links {
        command.args(support.first_object());
    }
    command.args(args.iter().filter(|arg| !is(arg, "-pie") && !is(arg, "-no-pie")));
    if links {
        command.args(["-x", "none"]).args(support.objects()).arg("-shared");
        // The library of the language has variables, too, and every rank needs its own.
        match language {
            Language::C => {}
            Language::Cxx => _ = command.arg("-static-libstdc++"),
            Language::Fortran => _ = command.arg("-static-libgfortran"),
        }
        // Nothing else asks for main, which may be in a library.
        command.arg("-Wl,-u,main,-Bsymbolic,-z,defs,-z,now,-z,relro");
        let mut script = OsString::from("-Wl,-T,");
        script.push(support.script());
        command.arg(script);
        command.args(jump_table::wrapped().chain(support.wrapped()).map(|name| format!("-Wl,--wrap={name}")));
    }
    Ok(command)
}

/// Carries out `weir cc` (or its kin) with these arguments. What the compiler prints goes where ours goes.
///
/// # Errors
/// When the compiler cannot be started or set up; a program that does not compile is reported by the exit status.
pub fn run(language: Language, args: &[OsString]) -> Result<ExitStatus, CompileError> {
    let mut command = command(language, args)?;
    let compiler = command.get_program().to_owned();
    let variable = language.names().0;
    command.status().map_err(|reason| CompileError::NoCompiler { compiler, reason, variable })
}
