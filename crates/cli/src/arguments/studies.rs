//! Options of commands that run many experiments, or advise; and values of options that clap does not read.

use super::{SetsAndBoth, SetsAndEngine, Shown};
use crate::keys;
use clap::{Args, Subcommand, ValueEnum};
use std::num::{NonZeroU32, NonZeroUsize};
use std::path::PathBuf;
use weir_units::{Bytes, parse};

#[derive(Args)]
pub(crate) struct DemoArgs {
    /// The results folder, with the page in it
    #[arg(long, value_name = "DIR", default_value = "weir-demo")]
    pub(crate) out: PathBuf,
    #[command(flatten)]
    pub(crate) sets: SetsAndBoth,
    /// Only write the page, and say where it is
    #[arg(long)]
    pub(crate) no_open: bool,
}

#[derive(Args)]
pub(crate) struct BoundArgs {
    /// The experiment; with --worst also a machine, by its file or its name (weir machines)
    pub(crate) experiment: PathBuf,
    #[command(flatten)]
    pub(crate) sets: SetsAndEngine,
    /// Find a permutation of nodes that loads a link as much as any does with the routes of the machine, whatever its workload
    #[arg(long)]
    pub(crate) worst: bool,
    /// Seed of the pairs of nodes that are looked at where a machine has too many for all of them
    #[arg(long, value_name = "SEED", requires = "worst", default_value = "1")]
    pub(crate) seed: u64,
    /// Write the permutation into this file: NAME.pattern (text) or NAME.parquet
    #[arg(long, short, value_name = "FILE", requires = "worst")]
    pub(crate) out: Option<PathBuf>,
    /// Print the bounds as one JSON object to standard output
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Args)]
pub(crate) struct InterferenceArgs {
    /// The experiment: its jobs are the victims and the aggressors, which need not fit the machine all together
    pub(crate) experiment: PathBuf,
    #[command(flatten)]
    pub(crate) sets: SetsAndBoth,
    /// Jobs whose slowdown is looked at; without it all that have an end
    #[arg(long, value_name = "NAME,...", value_delimiter = ',')]
    pub(crate) victims: Vec<String>,
    /// Jobs that disturb them; without it all that go on until others are over
    #[arg(long, value_name = "NAME,...", value_delimiter = ',')]
    pub(crate) aggressors: Vec<String>,
    /// Write the table into this file, as CSV
    #[arg(long, value_name = "FILE")]
    pub(crate) csv: Option<PathBuf>,
    /// Draw the table into this file, as SVG
    #[arg(long, value_name = "FILE")]
    pub(crate) picture: Option<PathBuf>,
    /// Print the table as one JSON object to standard output
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Subcommand)]
pub(crate) enum SkeletonCommand {
    /// Run a program and its skeleton, and compare their messages, simulated times and clock calls
    Check(CheckArgs),
    /// Measure the code that a skeleton leaves out: the time of an iteration of measured blocks, or of an instruction
    Estimate(EstimateArgs),
    /// Make a skeleton of a program in C: what decides messages stays, the rest becomes its time
    Make(MakeArgs),
}

#[derive(Args)]
pub(crate) struct MakeArgs {
    /// The program: one file in C, with its main
    pub(crate) program: PathBuf,
    /// Write the skeleton into this file
    #[arg(long, short = 'o', value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Write the program with its blocks measured into this file, for weir skeleton estimate
    #[arg(long, value_name = "FILE")]
    pub(crate) measure: Option<PathBuf>,
    /// Times of the blocks, as weir skeleton estimate --json prints them; none charges nothing
    #[arg(long, value_name = "FILE|none", conflicts_with = "sample")]
    pub(crate) times: Option<PathBuf>,
    /// Measure the first N executions of each block while the skeleton runs, and skip the others
    #[arg(long, value_name = "N")]
    pub(crate) sample: Option<NonZeroU32>,
    /// Let a function stay with all of its loops and conditions, so that blocks are within them
    #[arg(long, value_name = "FUNCTION")]
    pub(crate) keep: Vec<String>,
    /// Define a macro, as for the compiler: NAME or NAME=VALUE
    #[arg(short = 'D', value_name = "NAME")]
    pub(crate) defines: Vec<String>,
    /// Take back the definition of a macro
    #[arg(short = 'U', value_name = "NAME")]
    pub(crate) undefines: Vec<String>,
    /// Look for headers in this folder
    #[arg(short = 'I', value_name = "FOLDER")]
    pub(crate) includes: Vec<String>,
    /// Print what was found as one JSON object to standard output
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Args)]
pub(crate) struct EstimateArgs {
    /// The program and its arguments, in quotation marks: "./ft-measure -n 64,64,64"
    pub(crate) program: String,
    /// Number of ranks
    #[arg(short = 'n', long = "ranks", visible_alias = "np", default_value_t = 1)]
    pub(crate) ranks: usize,
    /// Quantity to find out: the time of an iteration of each WEIR_MEASURE block, or cycles per instruction
    #[arg(long, value_enum, default_value_t = Method::Loop)]
    pub(crate) method: Method,
    /// For the method cpi: a skeleton on level 1 of the program, which counts the instructions
    #[arg(long, value_name = "SKELETON", required_if_eq("method", "cpi"))]
    pub(crate) counting: Option<String>,
    /// For the method cpi: the clock of this computer. Only CPI divided by it counts
    #[arg(long, value_name = "FREQUENCY", default_value = "1 GHz")]
    pub(crate) clock: String,
    /// Number of runs; the run with the median time counts
    #[arg(long, value_name = "N", default_value = "3", value_parser = threads)]
    pub(crate) runs: NonZeroUsize,
    #[command(flatten)]
    pub(crate) sets: SetsAndBoth,
    /// Write the times as macros for C, or [node] for a machine file
    #[arg(long, short = 'o', value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) shown: Shown,
}

/// Methods of estimating (paper 001, sections 5.2 and 5.3).
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Method {
    /// Seconds of an inner iteration
    Loop,
    /// Cycles per instruction
    Cpi,
}

#[derive(Args)]
pub(crate) struct CheckArgs {
    /// The program and its arguments, in quotation marks: "./eri -n 394"
    pub(crate) program: String,
    /// The skeleton and its arguments, in quotation marks
    pub(crate) skeleton: String,
    /// Number of ranks
    #[arg(short = 'n', long = "ranks", visible_alias = "np")]
    pub(crate) ranks: usize,
    /// The machine; without one, no network at all (engine ideal)
    #[arg(long, value_name = "FILE")]
    pub(crate) machine: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) sets: SetsAndBoth,
    /// Time of their own work: none, measured, or a factor for the measured time
    #[arg(long, value_name = "none|measured|FACTOR", default_value = "measured")]
    pub(crate) compute: String,
    /// The same for the skeleton alone
    #[arg(long, value_name = "none|measured|FACTOR")]
    pub(crate) skeleton_compute: Option<String>,
    /// Do not move the data of the skeleton's messages, only their lengths
    #[arg(long)]
    pub(crate) skeleton_no_data: bool,
    /// Exit with 1 if the simulated times differ by more than so many percent
    #[arg(long, value_name = "PERCENT", value_parser = percent)]
    pub(crate) max_error: Option<f64>,
    #[command(flatten)]
    pub(crate) shown: Shown,
}

/// The study of latency and accepted load over the load that is offered.
#[derive(Args, Clone, Default)]
pub(crate) struct LoadStudyArgs {
    /// Run synthetic traffic from light loads to all that nodes can send, search for the load at which the network saturates, and draw
    /// latency and accepted load. --vary workload.offered_load=VALUES names other loads
    #[arg(long)]
    pub(crate) load: bool,
    /// Patterns to run, separated by commas, with keys of their own behind colons: uniform,router-shift:shift=4; default: that of the
    /// experiment
    #[arg(long, value_name = "PATTERNS", value_delimiter = ',', value_parser = word, requires = "load")]
    pub(crate) patterns: Vec<String>,
    /// Values of topology.routing to run, separated by commas; default: that of the experiment
    #[arg(long, value_name = "RULES", value_delimiter = ',', value_parser = word, requires = "load")]
    pub(crate) rules: Vec<String>,
}

#[derive(Args)]
pub(crate) struct SweepArgs {
    /// The experiment; or a study, a file with a table [study] that says what is varied; or the name of one (weir examples)
    pub(crate) experiment: PathBuf,
    /// A key and its values: FROM:TO:STEP, with a unit behind it if need be, or values separated by ; such as "workload.message_size=96 KiB; 288 KiB"; may
    /// be given several times. The best value of the first key is searched for all combinations of the others
    #[arg(long, value_name = "KEY=VALUES")]
    pub(crate) vary: Vec<String>,
    #[command(flatten)]
    pub(crate) study: LoadStudyArgs,
    /// Keep points in this folder as they are done, each run in a process of its own, with a table, a picture and a list of failures
    /// in the end. A sweep that was ended goes on when it is begun again
    #[arg(long, short, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    /// Run points of the folder that went wrong once more
    #[arg(long, requires = "out")]
    pub(crate) again: bool,
    #[command(flatten)]
    pub(crate) sets: SetsAndEngine,
    /// Points to run at a time; default: as many as there are processors
    #[arg(long, value_name = "N", value_parser = threads)]
    pub(crate) threads: Option<NonZeroUsize>,
    /// Run points of synthetic traffic on the GPU of this computer, up to 112 side by side. Results do not change
    #[arg(long, conflicts_with = "threads")]
    pub(crate) gpu: bool,
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
    pub(crate) sets: SetsAndBoth,
    /// Largest number of runs of the experiment
    #[arg(long, value_name = "N", default_value = "60", value_parser = threads)]
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
    pub(crate) sets: SetsAndBoth,
    /// Part by which the time between two packets is longer than the fair rate demands
    #[arg(long, value_name = "PART", default_value = "0.08", value_parser = margin)]
    pub(crate) margin: f64,
    /// Print all gaps as one JSON object to standard output
    #[arg(long)]
    pub(crate) json: bool,
    /// Write the pattern with its gaps into this file: NAME.pattern (text) or NAME.parquet
    #[arg(long, short, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
}

#[derive(Args)]
pub(crate) struct CollectivesArgs {
    /// The machine: a file with the tables [topology], [node], ..., or a name (weir machines)
    #[arg(long, value_name = "FILE")]
    pub(crate) machine: PathBuf,
    /// Collectives, separated by commas, such as allreduce,bcast; default: all
    #[arg(long, value_name = "NAMES", value_delimiter = ',', value_parser = word)]
    pub(crate) operation: Vec<String>,
    /// Algorithms, separated by commas, by their names with the machine's collectives.preset; default: all
    #[arg(long, value_name = "NAMES", value_delimiter = ',', value_parser = word)]
    pub(crate) algorithms: Vec<String>,
    /// Bytes of the whole vector of a rank, separated by commas: "8 B,1 KiB,1 MiB"; default: 8 B to 2 MiB, where ranks can share them
    #[arg(long, value_name = "SIZES", value_delimiter = ',', value_parser = bytes)]
    pub(crate) sizes: Vec<Bytes>,
    /// Numbers of ranks that take part, separated by commas: 8,64,512; default: those of the machine, and fewer by factors of four
    #[arg(long, value_name = "COUNTS", value_delimiter = ',', value_parser = threads)]
    pub(crate) ranks: Vec<NonZeroUsize>,
    #[command(flatten)]
    pub(crate) sets: SetsAndEngine,
    /// Print the time of every algorithm
    #[arg(long, conflicts_with = "json")]
    pub(crate) all: bool,
    /// Print all times as CSV
    #[arg(long, conflicts_with_all = ["all", "json"])]
    pub(crate) csv: bool,
    /// Draw where which algorithm is best into this file: NAME.svg or NAME.html
    #[arg(long, value_name = "FILE", value_parser = picture)]
    pub(crate) out: Option<PathBuf>,
    /// Write rows of [[selection]] that take the best algorithm everywhere into this file
    #[arg(long, value_name = "FILE")]
    pub(crate) selection: Option<PathBuf>,
    /// Runs at a time; default: as many as there are processors
    #[arg(long, value_name = "N", value_parser = threads)]
    pub(crate) threads: Option<NonZeroUsize>,
    /// Print for each cell how to run its best algorithm alone
    #[arg(long, short, conflicts_with_all = ["csv", "json"])]
    pub(crate) verbose: bool,
    #[command(flatten)]
    pub(crate) shown: Shown,
}

#[derive(Args)]
#[command(override_usage = "weir calibrate [OPTIONS] <MEASURED>... <MACHINE>")]
pub(crate) struct CalibrateArgs {
    /// Measured times: tables in CSV, and what OSU Micro-Benchmarks, IMB-MPI1 or nccl-tests have printed; each file counts as much as
    /// another. Last comes the machine file, with a first guess of each key that is fitted
    #[arg(required = true, value_name = "MEASURED|MACHINE")]
    pub(crate) files: Vec<PathBuf>,
    /// The keys to fit, separated by commas, such as node.send_overhead,node.nic_bandwidth; of a list its elements, counted
    /// from 0: node.send_overhead.0,node.send_overhead.1; or auto: those of the machine file that the times determine; or none: only
    /// predict the measured times, and say how far off the predictions are
    #[arg(long, value_name = "KEYS", default_value = "auto", value_delimiter = ',',
        value_parser = keys::KeyAnd(""), hide_possible_values = true)]
    pub(crate) fit: Vec<String>,
    /// Number of ranks that took part, where a log does not say it (logs of OSU do not)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) ranks: Option<u64>,
    /// Write the machine file with the fitted values into this file
    #[arg(long, short, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// Write all rows with their errors into this file, as CSV
    #[arg(long, value_name = "FILE")]
    pub(crate) residuals: Option<PathBuf>,
    /// Draw predicted over measured times into this file, as SVG
    #[arg(long, value_name = "FILE")]
    pub(crate) picture: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) sets: SetsAndEngine,
    /// Largest factor by which a key may differ from its first guess
    #[arg(long, value_name = "FACTOR", default_value = "1000", value_parser = factor)]
    pub(crate) within: f64,
    /// Weight of errors: by their squares, or those above --loss-scale less, so that rows whose algorithm weir has wrong do not move
    /// the keys (huber and soft-l1: by their sizes; cauchy: hardly at all)
    #[arg(long, value_name = "FORM", default_value = "square")]
    pub(crate) loss: LossForm,
    /// Largest error of a row that counts in full, with a loss other than square: 0.1 stands for a factor of 1.1
    #[arg(long, value_name = "ERROR", default_value = "0.1", value_parser = error_scale)]
    pub(crate) loss_scale: f64,
    /// Number of parts into which the rows are divided for cross-validation, each left out in turn; 0: none
    #[arg(long, value_name = "K", default_value = "5")]
    pub(crate) folds: usize,
    /// Rows that are left out together: every k-th row, or all rows of an algorithm
    #[arg(long, value_name = "WHAT", default_value = "rows")]
    pub(crate) fold_by: FoldedBy,
    /// Try each way in which the job may lie in a Tofu (mapping.axes, mapping.fold), fit with the best one, and report the errors of all
    #[arg(long)]
    pub(crate) layouts: bool,
    /// Runs at a time; default: as many as there are processors
    #[arg(long, value_name = "N", value_parser = threads)]
    pub(crate) threads: Option<NonZeroUsize>,
    #[command(flatten)]
    pub(crate) shown: Shown,
}

/// Weight of errors.
#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum LossForm {
    /// Errors count by their squares
    Square,
    /// Large errors count by their sizes
    Huber,
    /// Huber without a bend
    SoftL1,
    /// Large errors hardly count
    Cauchy,
}

/// Rows that cross-validation leaves out together.
#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum FoldedBy {
    /// Every k-th row of the file
    Rows,
    /// All rows of an algorithm
    Algorithm,
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
    #[arg(long, value_name = "N", value_parser = threads)]
    pub(crate) threads: Option<NonZeroUsize>,
    /// Show no progress
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

fn word(text: &str) -> Result<String, String> {
    let word = text.trim();
    if word.is_empty() { Err("a name is empty".to_owned()) } else { Ok(word.to_owned()) }
}

fn bytes(text: &str) -> Result<Bytes, String> {
    let bytes = parse::bytes(text.trim()).map_err(|error| error.to_string())?;
    if bytes == Bytes(0) { Err("must be at least 1 B".to_owned()) } else { Ok(bytes) }
}

fn picture(text: &str) -> Result<PathBuf, String> {
    let path = PathBuf::from(text);
    let is_known = path.extension().is_some_and(|extension| extension == "svg" || extension == "html");
    if is_known { Ok(path) } else { Err("must end in .svg or .html".to_owned()) }
}

pub(super) fn threads(text: &str) -> Result<NonZeroUsize, String> {
    text.trim().parse().map_err(|_| "must be a whole number, at least 1".to_owned())
}

fn percent(text: &str) -> Result<f64, String> {
    let number = text.trim_end_matches('%').trim().parse().ok();
    number
        .filter(|percent: &f64| *percent >= 0.0 && percent.is_finite())
        .ok_or_else(|| "must be a number, 0 or more".to_owned())
}

fn margin(text: &str) -> Result<f64, String> {
    let margin = text.parse().ok().filter(|&margin: &f64| (0.0..=10.0).contains(&margin));
    margin.ok_or_else(|| "must be a number from 0 to 10: 0.08 loads links to 93 %".to_owned())
}

/// Reads an error from which on rows count less: a factor, less 1.
fn error_scale(text: &str) -> Result<f64, String> {
    let scale = text.parse().ok().filter(|&scale: &f64| scale > 0.0 && scale <= 1e3);
    scale.ok_or_else(|| "must be a number above 0, such as 0.1 for a factor of 1.1".to_owned())
}

fn factor(text: &str) -> Result<f64, String> {
    let factor = text.parse().ok().filter(|&factor: &f64| factor > 1.0 && factor <= 1e9);
    factor.ok_or_else(|| "must be a number above 1, at most 1e9".to_owned())
}
