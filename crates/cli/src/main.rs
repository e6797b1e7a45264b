//! The `weir` command. Only this crate prints.
//!
//! Data go to standard output, everything else to standard error. Exit status: 0 finished, 2 input error, 3 the
//! simulated program deadlocked, 4 a limit was reached, 101 weir has made a mistake, 128 and more a signal, 1 anything else.
#![allow(clippy::print_stdout, clippy::print_stderr)] // this is the crate that prints

#[macro_use]
mod say;

mod advise;
mod arguments;
mod bound;
mod budget;
mod calibrate;
mod collectives;
mod convert;
mod estimate;
mod examples;
mod extrapolate;
mod interference;
mod keys;
mod live;
mod load;
mod make_skeleton;
mod mistake;
mod profile;
mod progress;
mod record;
mod report;
mod routes;
mod run;
mod skeleton;
mod status;
mod summary_text;
mod sweep;
mod text;
mod together;
mod topology;
mod why;

use arguments::{Cli, Command, MpirunArgs, ReplayArgs, ResumeArgs, RunArgs, SkeletonCommand, arguments};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{CommandFactory, Parser};
use progress::Shower;
use std::ffi::OsString;
use std::io::Write;
use std::process::ExitCode;
use together::Together;
use weir_capi::signals;
use weir_compiler::Language;
use weir_experiment::foreign;

/// Whatever there is no memory for ends the command with a message and the status of a wrong input.
#[global_allocator]
static MEMORY: weir_capi::MemoryOrEnd = weir_capi::MemoryOrEnd;

fn main() -> ExitCode {
    mistake::report_panics();
    let cli = match Cli::try_parse_from(arguments()) {
        Ok(cli) => cli,
        Err(error) => return refused(&error),
    };
    let together = if cli.command.runs_together() { Together::joined() } else { Ok(Together::alone()) };
    if cli.command.ends_by_signals() {
        signals::take();
    }
    let result = match cli.command {
        Command::Run(args) => together.and_then(|together| run::experiment(args, together)),
        Command::Mpirun(args) => together.and_then(|together| run::mpirun(args, together)),
        Command::Log(args) => run::log(args),
        Command::Record(args) => record::record(args),
        Command::Replay(args) => together.and_then(|together| run::replay(args, together)),
        Command::Resume(args) => together.and_then(|together| run::resume(args, together)),
        Command::Profile(args) => profile::profile(&args),
        Command::Pattern(args) => profile::write_pattern(args),
        Command::Topology(args) => topology::look(args),
        Command::Convert(args) => convert::convert(&args),
        Command::Routes(args) => routes::show(&args),
        Command::Report(args) => report::report(&args),
        Command::Compare(args) => report::compare(&args),
        Command::Demo(args) => report::demo(args),
        Command::Bound(args) => bound::bound(args),
        Command::Interference(args) => interference::interference(args),
        Command::Skeleton(SkeletonCommand::Check(args)) => skeleton::check(&args),
        Command::Skeleton(SkeletonCommand::Estimate(args)) => estimate::estimate(&args),
        Command::Skeleton(SkeletonCommand::Make(args)) => make_skeleton::make(&args),
        Command::Sweep(args) => sweep::sweep(&args),
        Command::Advise(command) => advise::advise(command),
        Command::Calibrate(args) => calibrate::calibrate(args),
        Command::Collectives(args) => collectives::collectives(&args),
        Command::Keys(args) => keys::keys(args.key.as_deref()),
        Command::Why(args) => why::why(&args),
        Command::Explain(args) => keys::explain(args),
        Command::Schema => keys::schema(),
        Command::Completion(args) => keys::completion(&args, Cli::command()),
        Command::Man(args) => keys::man(&args, Cli::command()),
        Command::Examples(args) => examples::examples(&args),
        Command::Machines(args) => examples::machines(&args),
        Command::Papers(args) => sweep::papers::papers(&args),
        Command::ServeRun => serve(),
        Command::Cc(args) => compile(Language::C, &args.args),
        Command::Cxx(args) => compile(Language::Cxx, &args.args),
        Command::Fort(args) => compile(Language::Fortran, &args.args),
    };
    result.unwrap_or_else(|error| {
        if status::is_closed_pipe(&error) {
            return ExitCode::SUCCESS;
        }
        status::of_error(&error)
    })
}

impl Command {
    /// Returns whether several processes may carry it out together: `--processes=1` is for this one alone, whoever has started it.
    fn runs_together(&self) -> bool {
        let (Self::Run(RunArgs { processes, .. })
        | Self::Mpirun(MpirunArgs { processes, .. })
        | Self::Replay(ReplayArgs { processes, .. })
        | Self::Resume(ResumeArgs { processes, .. })) = self
        else {
            return false;
        };
        *processes != Some(1)
    }

    /// Returns whether a signal ends it as a limit does, with the results up to there.
    fn ends_by_signals(&self) -> bool {
        matches!(
            self,
            Self::Run(_)
                | Self::Mpirun(_)
                | Self::Log(_)
                | Self::Record(_)
                | Self::Replay(_)
                | Self::Resume(_)
                | Self::Skeleton(_)
                | Self::Sweep(_)
                | Self::Calibrate(_)
                | Self::Collectives(_)
                | Self::Interference(_)
                | Self::Papers(_)
                | Self::ServeRun
        )
    }
}

/// Says what is wrong with the command line: of a command or an option that other tools have, what it is called here.
fn refused(error: &clap::Error) -> ExitCode {
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
            ExitCode::from(status::INPUT)
        }
        None => error.exit(),
    }
}

/// Runs one point of a command that runs many; only such a command knows what to say to it.
fn serve() -> anyhow::Result<ExitCode> {
    let mut shower = Shower::begin(false, None);
    let served = weir_run::serve(mistake::happens_in, &mut |progress| shower.show(progress));
    shower.end();
    Ok(if served { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

/// Carries out `weir cc` and its kin.
fn compile(language: Language, args: &[OsString]) -> anyhow::Result<ExitCode> {
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
