//! The command line: commands, their options and what is said of each.

mod calibrate;
mod collectives;
mod demo;
mod examples;
mod launch;
mod page;
pub(crate) mod programs;
mod report;
mod sets;
mod skeleton;

use crate::{keys, values, why};
pub(crate) use calibrate::{CalibrateArgs, FoldedBy, LossForm};
use clap::{Args, Parser, Subcommand};
pub(crate) use collectives::CollectivesArgs;
pub(crate) use demo::DemoArgs;
pub(crate) use examples::{ExamplesArgs, MachinesArgs};
pub(crate) use launch::{Launch, arguments};
pub(crate) use page::Page;
pub(crate) use report::{CompareArgs, ReportArgs};
pub(crate) use sets::{Engine, EngineAndThreads, Sets, SetsAnd, Threads};
pub(crate) use skeleton::{CheckArgs, EstimateArgs, Method, SkeletonCommand};
use std::ffi::OsString;
use std::num::NonZeroUsize;
use std::path::PathBuf;

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
    /// Run a communication profile on a machine
    Replay(ReplayArgs),
    /// Go on with a run that was interrupted or lost, from the last checkpoint in its results folder
    Resume(ResumeArgs),
    /// Check a communication profile and say what is in it; write it in the other form
    Profile(ProfileArgs),
    /// Write what every rank of an experiment sends and awaits into a file
    Pattern(PatternArgs),
    /// Look at a machine: its size, distances and narrowest cuts; write it into a file
    Topology(TopologyArgs),
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

/// Options of all runs.
#[derive(Args, Default)]
pub(crate) struct Common {
    #[command(flatten)]
    pub(crate) sets: SetsAnd<EngineAndThreads>,
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
    /// Write the cycles of the flow engine as CSV: start, length, number of flows
    #[arg(long, value_name = "FILE")]
    pub(crate) cycles: Option<PathBuf>,
    /// A program and its arguments, instead of the experiment's workload
    #[arg(last = true, value_name = "PROGRAM ARGS")]
    pub(crate) program: Vec<String>,
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
    pub(crate) sets: SetsAnd<Threads>,
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
    /// The profile: NAME.profile (text) or NAME.parquet
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

#[derive(Args)]
pub(crate) struct ProfileArgs {
    /// The profile: NAME.profile (text) or NAME.parquet
    pub(crate) profile: PathBuf,
    /// Write it into this file, in the form that its name stands for
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// Print what is in it as one JSON object to standard output
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Args)]
pub(crate) struct PatternArgs {
    /// The experiment
    pub(crate) experiment: PathBuf,
    /// The file to write: NAME.pattern (text), NAME.parquet, or - for text on standard output
    #[arg(long, value_name = "FILE")]
    pub(crate) out: PathBuf,
    #[command(flatten)]
    pub(crate) sets: Sets,
}

#[derive(Args)]
pub(crate) struct TopologyArgs {
    /// The machine: a machine file, a name (weir machines), or an experiment, whose workload is not looked at
    pub(crate) machine: PathBuf,
    #[command(flatten)]
    pub(crate) sets: Sets,
    /// Print what is known as one JSON object to standard output
    #[arg(long)]
    pub(crate) json: bool,
    /// Take the time to look at all pairs of nodes of a large graph
    #[arg(long)]
    pub(crate) full: bool,
    /// Write the machine as a graph: NAME.graphml, NAME.json (node-link) or NAME.csv (edge list)
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// Write the routes of all pairs of nodes, for topology.routes beside the file of --out
    #[arg(long, value_name = "FILE", requires = "out")]
    pub(crate) routes: Option<PathBuf>,
}

#[derive(Args)]
pub(crate) struct RoutesArgs {
    /// The machine: a machine file, or an experiment
    pub(crate) machine: PathBuf,
    /// The node to start from: its number, its coordinates such as 3,0,2, or its name in a graph
    #[arg(value_name = "NODE", required_unless_present = "pairs", conflicts_with = "pairs")]
    pub(crate) from: Option<String>,
    /// The node to go to; without one, all other nodes, one per line
    #[arg(value_name = "NODE")]
    pub(crate) to: Option<String>,
    #[command(flatten)]
    pub(crate) sets: Sets,
    /// Print one JSON object per route to standard output
    #[arg(long)]
    pub(crate) json: bool,
    /// Say which of the pairs of --pairs have routes over these links
    #[arg(long, value_name = "LINK", value_delimiter = ',', requires = "pairs")]
    pub(crate) over: Vec<usize>,
    /// Show instead the routes of pairs of ranks: a file with lines of from, to and bytes, or - for standard input
    #[arg(long, value_name = "FILE")]
    pub(crate) pairs: Option<PathBuf>,
    /// Number of ranks that the machine's mapping places; default: as many as the pairs need
    #[arg(long, value_name = "N", requires = "pairs")]
    pub(crate) ranks: Option<usize>,
}

#[derive(Args)]
pub(crate) struct BoundArgs {
    /// The experiment
    pub(crate) experiment: PathBuf,
    #[command(flatten)]
    pub(crate) sets: SetsAnd<Engine>,
    /// Print the bounds as one JSON object to standard output
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Args)]
pub(crate) struct SweepArgs {
    /// The experiment; or a study, a file with a table [study] that says what is varied; or the name of one (weir examples)
    pub(crate) experiment: PathBuf,
    /// A key and its values: FROM:TO:STEP, with a unit behind it if need be, or values separated by ; such as "workload.message_size=96 KiB; 288 KiB"; may
    /// be given several times. The best value of the first key is searched for all combinations of the others
    #[arg(long, value_name = "KEY=VALUES")]
    pub(crate) vary: Vec<String>,
    /// Keep points in this folder as they are done, each run in a process of its own, with a table, a picture and a list of failures
    /// in the end. A sweep that was ended goes on when it is begun again
    #[arg(long, short, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    /// Run points of the folder that went wrong once more
    #[arg(long, requires = "out")]
    pub(crate) again: bool,
    #[command(flatten)]
    pub(crate) sets: SetsAnd<Engine>,
    /// Points to run at a time; default: as many as there are processors
    #[arg(long, value_name = "N", value_parser = values::threads)]
    pub(crate) threads: Option<NonZeroUsize>,
    /// Print one row per point as CSV to standard output
    #[arg(long, conflicts_with = "json")]
    pub(crate) csv: bool,
    #[command(flatten)]
    pub(crate) shown: Shown,
}

#[derive(Subcommand)]
pub(crate) enum AdviseCommand {
    /// The gap between packets that each message should have, from its max-min fair rate
    Pacing(PacingArgs),
    /// The node on which each rank should be, from the messages between ranks, judged by runs
    Mapping(PlacingArgs),
    /// The algorithm that each collective should have, by size and ranks: as `weir collectives`, with the rows for the machine file
    Collectives(CollectivesArgs),
}

#[derive(Args)]
pub(crate) struct PlacingArgs {
    /// The experiment: a pattern, a collective, a profile or an MPI program (which runs once, and is logged) on a machine
    pub(crate) experiment: PathBuf,
    #[command(flatten)]
    pub(crate) sets: SetsAnd<EngineAndThreads>,
    /// Largest number of runs of the experiment
    #[arg(long, value_name = "N", default_value = "60", value_parser = values::threads)]
    pub(crate) runs: NonZeroUsize,
    /// Seed of random changes; the same seed gives the same advice
    #[arg(long, value_name = "SEED", default_value = "1")]
    pub(crate) seed: u64,
    /// Write the mapping into this file, for mapping.kind = "file"
    #[arg(long, short, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// Run what was given and the advice on the packet engine, too
    #[arg(long, requires = "out")]
    pub(crate) confirm: bool,
    #[command(flatten)]
    pub(crate) shown: Shown,
}

#[derive(Args)]
pub(crate) struct PacingArgs {
    /// The experiment, with engine.kind = "packet"
    pub(crate) experiment: PathBuf,
    #[command(flatten)]
    pub(crate) sets: SetsAnd<EngineAndThreads>,
    /// Part by which the time between two packets is longer than the fair rate demands
    #[arg(long, value_name = "PART", default_value = "0.08", value_parser = values::margin)]
    pub(crate) margin: f64,
    /// Print all gaps as one JSON object to standard output
    #[arg(long)]
    pub(crate) json: bool,
    /// Write the pattern with its gaps into this file: NAME.pattern (text) or NAME.parquet
    #[arg(long, short, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
}

#[derive(Args)]
pub(crate) struct PapersArgs {
    /// The paper: 000, 001, 002, 003, 004, or all; without one, a list of what there is
    pub(crate) paper: Option<String>,
    /// The figure or table; without one, all of the paper
    pub(crate) item: Option<String>,
    /// The same as the item figure-N
    #[arg(long, value_name = "N", requires = "paper", conflicts_with = "item")]
    pub(crate) figure: Option<String>,
    /// Run also the points that take long
    #[arg(long)]
    pub(crate) full: bool,
    /// Print the points as JSON to standard output
    #[arg(long)]
    pub(crate) json: bool,
    /// Points to run at a time; default: 1 for items that report run times, otherwise as many as there are processors
    #[arg(long, value_name = "N", value_parser = values::threads)]
    pub(crate) threads: Option<NonZeroUsize>,
    /// Show no progress
    #[arg(long, short)]
    pub(crate) quiet: bool,
}
