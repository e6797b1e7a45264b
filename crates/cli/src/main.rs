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
mod cc;
mod collectives;
mod crossings;
mod demo;
mod elsewhere;
mod endings;
mod estimate;
mod examples;
mod keys;
mod live;
mod load;
mod log;
mod mistake;
mod overdue;
mod packet_text;
mod papers;
mod pattern;
mod profile;
mod progress;
mod progress_file;
mod report;
mod resume;
mod routes;
mod run;
mod skeleton;
mod skeleton_text;
mod status;
mod sweep;
mod text;
mod together;
mod topology;
mod values;
mod whole;
mod why;
mod why_text;

use arguments::{Cli, Command, SkeletonCommand, arguments};
use clap::{CommandFactory, Parser};
use std::process::ExitCode;
use together::Together;
use weir_capi::signals;
use weir_compiler::Language;

/// Whatever there is no memory for ends the command with a message and the status of a wrong input.
#[global_allocator]
static MEMORY: weir_capi::MemoryOrEnd = weir_capi::MemoryOrEnd;

fn main() -> ExitCode {
    mistake::report_panics();
    let cli = match Cli::try_parse_from(arguments()) {
        Ok(cli) => cli,
        Err(error) => return elsewhere::refused(&error),
    };
    let together = if cli.command.runs_together() { Together::joined() } else { Ok(Together::alone()) };
    if cli.command.ends_by_signals() {
        signals::take();
    }
    let result = match cli.command {
        Command::Run(args) => together.and_then(|together| run::experiment(args, together)),
        Command::Mpirun(args) => together.and_then(|together| run::mpirun(args, together)),
        Command::Log(args) => log::log(args),
        Command::Replay(args) => together.and_then(|together| profile::replay(args, together)),
        Command::Resume(args) => together.and_then(|together| resume::resume(args, together)),
        Command::Profile(args) => profile::look(&args),
        Command::Pattern(args) => pattern::write(args),
        Command::Topology(args) => topology::look(args),
        Command::Routes(args) => routes::show(args),
        Command::Report(args) => report::report(&args),
        Command::Compare(args) => report::compare(&args),
        Command::Demo(args) => demo::demo(args),
        Command::Bound(args) => bound::bound(args),
        Command::Skeleton(SkeletonCommand::Check(args)) => skeleton::check(&args),
        Command::Skeleton(SkeletonCommand::Estimate(args)) => estimate::estimate(&args),
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
        Command::Papers(args) => papers::papers(&args),
        Command::ServeRun => endings::serve(),
        Command::Cc(args) => cc::compile(Language::C, &args.args),
        Command::Cxx(args) => cc::compile(Language::Cxx, &args.args),
        Command::Fort(args) => cc::compile(Language::Fortran, &args.args),
    };
    result.unwrap_or_else(|error| {
        if endings::is_closed_pipe(&error) {
            return ExitCode::SUCCESS;
        }
        status::of_error(&error)
    })
}
