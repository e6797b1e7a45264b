//! The arguments of `weir skeleton`.

use crate::arguments::{EngineAndThreads, SetsAnd, Shown};
use crate::values;
use clap::{Args, Subcommand};
use std::num::NonZeroUsize;
use std::path::PathBuf;

#[derive(Subcommand)]
pub(crate) enum SkeletonCommand {
    /// Run a program and its skeleton: the same messages? what is the error of the simulated time? what do clock calls cost?
    Check(CheckArgs),
    /// Measure the code that a skeleton leaves out: the time of an iteration of measured blocks, or of an instruction
    Estimate(EstimateArgs),
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
    #[arg(long, value_name = "N", default_value = "3", value_parser = values::threads)]
    pub(crate) runs: NonZeroUsize,
    #[command(flatten)]
    pub(crate) sets: SetsAnd<EngineAndThreads>,
    /// Write the times as macros for C, or [node] for a machine file
    #[arg(long, short = 'o', value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) shown: Shown,
}

/// Methods of estimating (paper 001, sections 5.2 and 5.3).
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
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
    /// The skeleton and its arguments, likewise
    pub(crate) skeleton: String,
    /// Number of ranks
    #[arg(short = 'n', long = "ranks", visible_alias = "np")]
    pub(crate) ranks: usize,
    /// The machine; without one, no network at all (engine ideal)
    #[arg(long, value_name = "FILE")]
    pub(crate) machine: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) sets: SetsAnd<EngineAndThreads>,
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
    #[arg(long, value_name = "PERCENT", value_parser = values::percent)]
    pub(crate) max_error: Option<f64>,
    #[command(flatten)]
    pub(crate) shown: Shown,
}
