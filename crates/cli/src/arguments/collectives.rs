//! The command line of `weir collectives`.

use crate::arguments::{Engine, SetsAnd};
use crate::values;
use clap::Args;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use weir_units::Bytes;

#[derive(Args)]
pub(crate) struct CollectivesArgs {
    /// The machine: a file with the tables [topology], [node], ..., or a name (weir machines)
    #[arg(long, value_name = "FILE")]
    pub(crate) machine: PathBuf,
    /// Collectives, separated by commas, such as allreduce,bcast; default: all
    #[arg(long, value_name = "NAMES", value_delimiter = ',', value_parser = values::word)]
    pub(crate) operation: Vec<String>,
    /// Algorithms, separated by commas, by their names with the machine's collectives.preset; default: all
    #[arg(long, value_name = "NAMES", value_delimiter = ',', value_parser = values::word)]
    pub(crate) algorithms: Vec<String>,
    /// Bytes of the whole vector of a rank, separated by commas: "8 B,1 KiB,1 MiB"; default: 8 B to 2 MiB, where ranks can share them
    #[arg(long, value_name = "SIZES", value_delimiter = ',', value_parser = values::bytes)]
    pub(crate) sizes: Vec<Bytes>,
    /// Numbers of ranks that take part, separated by commas: 8,64,512; default: those of the machine, and fewer by factors of four
    #[arg(long, value_name = "COUNTS", value_delimiter = ',', value_parser = values::threads)]
    pub(crate) ranks: Vec<NonZeroUsize>,
    #[command(flatten)]
    pub(crate) sets: SetsAnd<Engine>,
    /// Print the time of every algorithm
    #[arg(long)]
    pub(crate) all: bool,
    /// Print all times as CSV
    #[arg(long, conflicts_with = "all")]
    pub(crate) csv: bool,
    /// Print all times as one JSON object
    #[arg(long, conflicts_with_all = ["all", "csv"])]
    pub(crate) json: bool,
    /// Draw where which algorithm is best into this file: NAME.svg or NAME.html
    #[arg(long, value_name = "FILE", value_parser = values::picture)]
    pub(crate) out: Option<PathBuf>,
    /// Write rows of [[selection]] that take the best algorithm everywhere into this file
    #[arg(long, value_name = "FILE")]
    pub(crate) selection: Option<PathBuf>,
    /// Runs at a time; default: as many as there are processors
    #[arg(long, value_name = "N", value_parser = values::threads)]
    pub(crate) threads: Option<NonZeroUsize>,
    /// Show no progress
    #[arg(long, short)]
    pub(crate) quiet: bool,
    /// Print for each cell how to run its best algorithm alone
    #[arg(long, short, conflicts_with_all = ["csv", "json"])]
    pub(crate) verbose: bool,
}
