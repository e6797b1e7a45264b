//! The command line: commands, their options and what is said of each; here those that run something.

mod launch;
mod looks;
mod recording;
mod studies;

use crate::keys::{self, KeyAnd};
use crate::why;
use clap::error::ErrorKind;
use clap::{Arg, ArgMatches, Args, Error, FromArgMatches, Parser, Subcommand};
pub(crate) use launch::{Launch, arguments, programs};
pub(crate) use looks::{
    CompareArgs, CompareProfilesArgs, ConvertArgs, ExamplesArgs, ExtrapolateArgs, LookArgs, MachinesArgs,
    PatternArgs, ProfileArgs, ProfileCommand, ReportArgs, RoutesArgs, TopologyArgs,
};
pub(crate) use recording::RecordArgs;
use std::ffi::OsString;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use studies::threads;
pub(crate) use studies::{
    AdviseCommand, BoundArgs, CalibrateArgs, CheckArgs, CollectivesArgs, DemoArgs, EstimateArgs, FoldedBy,
    InterferenceArgs, LoadStudyArgs, LossForm, MakeArgs, Method, PacingArgs, PapersArgs, PlacingArgs,
    SkeletonCommand, SweepArgs,
};
use weir_experiment::{SiNumbers, unset};

/// Predicts how long the communication of a parallel program takes on an interconnect that may not exist yet.
#[derive(Parser)]
#[command(name = "weir", version)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Run an experiment file
    Run(RunArgs),
    /// Run an MPI program on a machine, in the manner of mpirun
    Mpirun(MpirunArgs),
    /// Run an MPI program without a network and write what it does as a communication profile
    Log(LogArgs),
    /// Run an MPI program under its own MPI, on the machine there is, and write what it does as a communication profile
    Record(RecordArgs),
    /// Run a communication profile, or a graph of work, on a machine
    Replay(ReplayArgs),
    /// Go on with a run that was interrupted or lost, from the last checkpoint in its results folder
    Resume(ResumeArgs),
    /// Check a communication profile and say what is in it; write it in the other form
    Profile(ProfileArgs),
    /// Write what every rank of an experiment sends and awaits into a file
    Pattern(PatternArgs),
    /// Look at a machine: its size, distances and narrowest cuts; write it into a file
    Topology(TopologyArgs),
    /// Write a file of another tool as one of weir, or a machine as one of another tool
    Convert(ConvertArgs),
    /// Show the route from one node to another, or all routes of a node
    Routes(RoutesArgs),
    /// Draw a results folder as one HTML file (needs Python with the package weir)
    Report(ReportArgs),
    /// Draw several results folders side by side as one HTML file (needs Python with the package weir)
    Compare(CompareArgs),
    /// Run an example, draw it as an animated page, and open the page (needs Python with the package weir)
    Demo(DemoArgs),
    /// Lower bounds of the simulated time of an experiment, without running it
    Bound(BoundArgs),
    /// Run each victim beside each aggressor, two of the jobs of an experiment, and say how many times as long it takes
    Interference(InterferenceArgs),
    /// Skeletons: programs in which code is replaced by the time it takes
    #[command(subcommand)]
    Skeleton(SkeletonCommand),
    /// Run an experiment for all combinations of some values, and say which are best
    Sweep(SweepArgs),
    /// Advice on how a machine or a program could do better
    #[command(subcommand)]
    Advise(AdviseCommand),
    /// Fit keys of a machine file to measured times of messages and collectives
    Calibrate(CalibrateArgs),
    /// Run all algorithms of collectives on a machine, and say which is best for which sizes and ranks
    Collectives(CollectivesArgs),
    /// Say what a key of an experiment means; without one, list all keys
    Keys(keys::KeysArgs),
    /// Say why a run took as long as it did: the causes of its time, and the changes that would help most
    Why(why::WhyArgs),
    /// The old form of `weir keys` and `weir why`
    #[command(hide = true)]
    Explain(keys::ExplainArgs),
    /// Print a JSON Schema of experiments, with which editors complete and check them
    Schema,
    /// Print what a shell reads to complete commands and options
    Completion(keys::CompletionArgs),
    /// Write a manual page for each command into a folder
    Man(keys::ManArgs),
    /// List the experiments, machines and programs that ship with weir, print one, or copy them into a folder
    Examples(ExamplesArgs),
    /// List the machines that ship with weir, or print one
    Machines(MachinesArgs),
    /// List the experiments of the papers that weir follows, or run some of them
    Papers(PapersArgs),
    /// Run what standard input says, for a command that runs many
    #[command(hide = true)]
    ServeRun,
    /// Compile an MPI program in C, in the manner of mpicc (the compiler is cc, or what WEIR_CC names)
    #[command(disable_help_flag = true)]
    Cc(CompilerArgs),
    /// Compile an MPI program in C++, in the manner of mpicxx (the compiler is c++, or what WEIR_CXX names)
    #[command(name = "c++", visible_alias = "cxx", disable_help_flag = true)]
    Cxx(CompilerArgs),
    /// Compile an MPI program in Fortran, in the manner of mpifort (the compiler is gfortran, or what WEIR_FC names)
    #[command(disable_help_flag = true)]
    Fort(CompilerArgs),
}

#[derive(Args)]
pub(crate) struct CompilerArgs {
    /// Arguments of the compiler; -show prints its command instead of running it
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, required = true)]
    pub(crate) args: Vec<OsString>,
}

/// Output of commands that run much.
#[derive(Args)]
pub(crate) struct Shown {
    /// Print one JSON object to standard output
    #[arg(long)]
    pub(crate) json: bool,
    /// Show no progress
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

/// Keys that are set, and keys that are taken back.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct Sets {
    /// Set a key, for example engine.sharing=iterative, in all runs of the command; may be given several times
    #[arg(long, value_name = "KEY=VALUE", value_parser = KeyAnd("="), hide_possible_values = true)]
    set: Vec<String>,
    /// Take back a key or a whole table that the experiment or its machine file sets, as if it had not been said; may be given several
    /// times
    #[arg(long, value_name = "KEY", value_parser = KeyAnd(""), hide_possible_values = true)]
    unset: Vec<String>,
}

impl Sets {
    /// Assignments with which an experiment is read.
    pub(crate) fn overrides(&self) -> Vec<String> {
        self.unset.iter().map(|key| unset(key)).chain(self.set.iter().cloned()).collect()
    }
}

/// [`Sets`], and options that are short for some of them: of the engine, of its threads. Two that say different things are refused.
#[derive(Default)]
pub(crate) struct SetsAnd<const ENGINE: bool, const THREADS: bool>(Sets);

pub(crate) type SetsAndEngine = SetsAnd<true, false>;
pub(crate) type SetsAndThreads = SetsAnd<false, true>;
pub(crate) type SetsAndBoth = SetsAnd<true, true>;

impl<const ENGINE: bool, const THREADS: bool> SetsAnd<ENGINE, THREADS> {
    /// Assignments with which an experiment is read.
    pub(crate) fn overrides(&self) -> Vec<String> {
        self.0.overrides()
    }
}

impl<const ENGINE: bool, const THREADS: bool> FromArgMatches for SetsAnd<ENGINE, THREADS> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        let mut sets = Sets::from_arg_matches(matches)?;
        let engine = if ENGINE { matches.get_one::<String>("engine").cloned() } else { None };
        let threads = if THREADS { matches.get_one::<NonZeroUsize>("threads").copied() } else { None };
        let short = [("engine", engine), ("threads", threads.map(|threads| threads.to_string()))];
        for (option, value) in short.into_iter().filter_map(|(option, value)| Some((option, value?))) {
            let key = if option == "engine" { "engine.kind" } else { "engine.threads" };
            let of_key = |set: &String| set.split_once('=').is_some_and(|(name, _)| name.trim() == key);
            let same = |set: &String| {
                set.split_once('=').is_some_and(|(_, other)| other.trim().trim_matches(['"', '\'']) == value)
            };
            if let Some(other) = sets.set.iter().find(|set| of_key(set) && !same(set)) {
                let what = format!(
                    "--{option} {value} and --set {other} say different things: leave one of them out\n"
                );
                return Err(Error::raw(ErrorKind::ArgumentConflict, what));
            }
            sets.set.push(format!("{key}={value}"));
        }
        Ok(Self(sets))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl<const ENGINE: bool, const THREADS: bool> Args for SetsAnd<ENGINE, THREADS> {
    fn augment_args(command: clap::Command) -> clap::Command {
        let engine = Arg::new("engine").long("engine").value_name("KIND");
        let threads = Arg::new("threads").long("threads").value_name("N").value_parser(threads);
        let engine = engine.help("The engine: ideal, flow or packet (short for --set engine.kind=...)");
        let threads =
            threads.help("Number of threads that the engine uses (short for --set engine.threads=...)");
        let short = ENGINE.then_some(engine).into_iter().chain(THREADS.then_some(threads));
        Sets::augment_args(command).args(short)
    }

    fn augment_args_for_update(command: clap::Command) -> clap::Command {
        Self::augment_args(command)
    }
}

/// The page that follows a run.
#[derive(Args, Default)]
pub(crate) struct Page {
    /// Follow the run on a page of this computer, and stop it there if need be; at this port, or at any that is free
    #[arg(long, value_name = "PORT", num_args = 0..=1, require_equals = true, default_missing_value = "0")]
    pub(crate) live: Option<u16>,
}

/// Options of all runs.
#[derive(Args, Default)]
pub(crate) struct Common {
    #[command(flatten)]
    pub(crate) sets: SetsAndBoth,
    /// Write the results folder: summary, tables, series. Earlier results there are replaced
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    /// Print the summary as JSON to standard output; what the simulated program prints then goes to standard error
    #[arg(long)]
    pub(crate) json: bool,
    /// Do not move the data of an MPI program's messages, only their lengths (workload.data = false)
    #[arg(long)]
    pub(crate) no_data: bool,
    /// Time of an MPI program's own work: none, measured, or a factor for the measured time (workload.compute)
    #[arg(long, value_name = "none|measured|FACTOR")]
    pub(crate) compute: Option<String>,
    /// Refuse to begin a run that takes more memory than this, for example 8GB (limits.memory)
    #[arg(long, value_name = "SIZE")]
    pub(crate) max_memory: Option<String>,
    /// Refuse to begin a run that is expected to take longer than this, for example 10min (limits.expected_wall_time)
    #[arg(long, value_name = "TIME")]
    pub(crate) max_wall: Option<String>,
    /// Show no progress and no summary, only what the program prints and what went wrong
    #[arg(long, short)]
    pub(crate) quiet: bool,
    #[command(flatten)]
    pub(crate) page: Page,
    /// Write the progress of the run into this file, as an object in JSON, ten times a second
    #[arg(long, value_name = "FILE")]
    pub(crate) progress: Option<PathBuf>,
    /// Show also what the run took the engine: cycles, iterations, windows, context switches; and what was assumed
    #[arg(long, short, conflicts_with_all = ["quiet", "json"])]
    pub(crate) verbose: bool,
    /// Check at the end of an MPI program that it leaves no requests, messages or objects behind; any of them is an error
    #[arg(long)]
    pub(crate) verify: bool,
}

/// The machine of a run without an experiment file.
#[derive(Args)]
pub(crate) struct MachineArgs {
    /// The machine: a file with the tables [topology], [node], ..., or a name (weir machines); without one, no network at all (engine ideal)
    #[arg(long, value_name = "FILE")]
    pub(crate) machine: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) launch: Launch,
    #[command(flatten)]
    pub(crate) common: Common,
}

/// An MPI program on so many ranks of a machine.
#[derive(Args)]
pub(crate) struct ProgramArgs {
    /// Number of ranks; default: as many as the files name
    #[arg(short = 'n', long = "ranks", visible_alias = "np", required_unless_present_any = ["hostfile", "rankfile"])]
    pub(crate) ranks: Option<usize>,
    #[command(flatten)]
    pub(crate) on: MachineArgs,
    /// The program, built by weir cc, and its arguments; further programs of the same job behind it, as in ./a : -n 2 ./b
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, required = true, value_name = "PROGRAM ARGS")]
    pub(crate) program: Vec<String>,
}

#[derive(Args)]
pub(crate) struct RunArgs {
    /// The experiment: a file, or a name (weir examples)
    pub(crate) experiment: PathBuf,
    /// The machine, instead of the one the experiment names: a machine file, or a name (weir machines)
    #[arg(long, value_name = "FILE")]
    pub(crate) machine: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) launch: Launch,
    #[command(flatten)]
    pub(crate) common: Common,
    /// Do not run: print how many messages and packets there are, and what memory and time the run takes
    #[arg(long, conflicts_with_all = ["live", "progress"])]
    pub(crate) dry_run: bool,
    /// Number of processes on this computer (packet engine; ideal engine if engine.latency is set); 1: do not use those of mpirun. Results do not change
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    pub(crate) processes: Option<u16>,
    /// Run the routers of synthetic traffic or of a pattern on the GPU of this computer (packet engine). Results do not change
    #[arg(long, conflicts_with_all = ["processes", "threads"])]
    pub(crate) gpu: bool,
    /// Write a checkpoint into the results folder each time this time has passed, for weir resume (output.checkpoint_every)
    #[arg(long, value_name = "TIME")]
    pub(crate) checkpoint_every: Option<String>,
    /// Report how far the rates of single-pass or iterative are from max-min, at each instant and over the run
    #[arg(long)]
    pub(crate) compare_sharing: bool,
    /// Repeat the run with perturbed ties, 8 times by default, and report the spread
    #[arg(long, value_name = "RUNS", num_args = 0..=1, require_equals = true, default_missing_value = "8",
        value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) tie_sensitivity: Option<u16>,
    /// Report the times between which the run lies by the intervals of calibrated keys: two more runs for each key (output.band)
    #[arg(long)]
    pub(crate) band: bool,
    /// Run each of several jobs again while the others stand still, and report how many times as long it takes beside them (output.alone)
    #[arg(long)]
    pub(crate) alone: bool,
    /// Write the cycles of the flow engine as CSV: start, length, number of flows
    #[arg(long, value_name = "FILE")]
    pub(crate) cycles: Option<PathBuf>,
    /// Where numbers without a unit are in SI base units: for the Python package, which runs MPI programs by this command
    #[arg(long, hide = true, default_value = "nowhere", value_parser = si_numbers)]
    pub(crate) si_numbers: SiNumbers,
    /// A program and its arguments, instead of the experiment's workload
    #[arg(last = true, value_name = "PROGRAM ARGS")]
    pub(crate) program: Vec<String>,
}

fn si_numbers(text: &str) -> Result<SiNumbers, &'static str> {
    match text {
        "nowhere" => Ok(SiNumbers::Nowhere),
        "overrides" => Ok(SiNumbers::InOverrides),
        "everywhere" => Ok(SiNumbers::Everywhere),
        _ => Err("must be nowhere, overrides or everywhere"),
    }
}

#[derive(Args)]
pub(crate) struct MpirunArgs {
    /// Do not run: print how many messages and packets there are, and what memory and time the run takes
    #[arg(long, conflicts_with_all = ["live", "progress"])]
    pub(crate) dry_run: bool,
    /// Number of processes on this computer (packet engine; ideal engine if engine.latency is set); 1: do not use those of mpirun. Results do not change
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    pub(crate) processes: Option<u16>,
    #[command(flatten)]
    pub(crate) program: ProgramArgs,
}

#[derive(Args)]
pub(crate) struct LogArgs {
    /// The profile to write: NAME.profile (text) or NAME.parquet
    #[arg(short = 'o', long, value_name = "FILE")]
    pub(crate) profile: PathBuf,
    #[command(flatten)]
    pub(crate) program: ProgramArgs,
}

#[derive(Args)]
pub(crate) struct ResumeArgs {
    /// The results folder of a run that has written a checkpoint. The experiment stays as it is: of its keys engine.threads, limits.wall_time,
    /// limits.memory and output.checkpoint_every may be set or taken back
    pub(crate) folder: PathBuf,
    #[command(flatten)]
    pub(crate) sets: SetsAndThreads,
    /// Number of processes on this computer; 1: do not use those of mpirun. Results do not change
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    pub(crate) processes: Option<u16>,
    /// Write a checkpoint into the results folder each time this time has passed, for weir resume (output.checkpoint_every)
    #[arg(long, value_name = "TIME")]
    pub(crate) checkpoint_every: Option<String>,
    #[command(flatten)]
    pub(crate) page: Page,
    /// Show also what the run took the engine: windows, threads
    #[arg(long, short, conflicts_with_all = ["quiet", "json"])]
    pub(crate) verbose: bool,
    #[command(flatten)]
    pub(crate) shown: Shown,
}

#[derive(Args)]
pub(crate) struct ReplayArgs {
    /// The profile: NAME.profile (text) or NAME.parquet; or a graph of work, of weir (NAME.graph or NAME.parquet) or of another tool (weir convert --formats)
    pub(crate) profile: PathBuf,
    /// Source of a receive that asked for any source: recorded or as-posted
    #[arg(long, value_name = "RULE")]
    pub(crate) sources: Option<String>,
    /// Number of processes on this computer (packet engine; ideal engine if engine.latency is set); 1: do not use those of mpirun. Results do not change
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    pub(crate) processes: Option<u16>,
    /// Write a checkpoint into the results folder each time this time has passed, for weir resume (output.checkpoint_every)
    #[arg(long, value_name = "TIME")]
    pub(crate) checkpoint_every: Option<String>,
    #[command(flatten)]
    pub(crate) on: MachineArgs,
}
