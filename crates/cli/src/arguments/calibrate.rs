//! The command line of `weir calibrate`.

use crate::arguments::{Engine, SetsAnd};
use crate::{keys, values};
use clap::{Args, ValueEnum};
use std::num::NonZeroUsize;
use std::path::PathBuf;

#[derive(Args)]
#[command(override_usage = "weir calibrate [OPTIONS] <MEASURED>... <MACHINE>")]
pub(crate) struct CalibrateArgs {
    /// Measured times: tables in CSV, and what OSU Micro-Benchmarks, IMB-MPI1 or nccl-tests have printed; each file counts as much as
    /// another. Last comes the machine file, with a first guess of each key that is fitted
    #[arg(required = true, value_name = "MEASURED|MACHINE")]
    pub(crate) files: Vec<PathBuf>,
    /// The keys to fit, separated by commas, such as node.send_overhead,node.nic_bandwidth; of a list its elements, counted
    /// from 0: node.send_overhead.0,node.send_overhead.1; or auto: those of the machine file that the times determine
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
    pub(crate) sets: SetsAnd<Engine>,
    /// By which factor a key may differ from its first guess at most
    #[arg(long, value_name = "FACTOR", default_value = "1000", value_parser = values::factor)]
    pub(crate) within: f64,
    /// Weight of errors: their squares, or for those above --loss-scale less, so that rows whose algorithm weir has wrong do not move
    /// the keys (huber and soft-l1: by their sizes; cauchy: hardly at all)
    #[arg(long, value_name = "FORM", default_value = "square")]
    pub(crate) loss: LossForm,
    /// Up to which error rows count in full, of a loss other than square: 0.1 stands for a factor of 1.1
    #[arg(long, value_name = "ERROR", default_value = "0.1", value_parser = values::error_scale)]
    pub(crate) loss_scale: f64,
    /// In how many parts the rows are divided for cross-validation, each left out in turn; 0: none
    #[arg(long, value_name = "K", default_value = "5")]
    pub(crate) folds: usize,
    /// Group that is left out together: every k-th row, or all rows of an algorithm
    #[arg(long, value_name = "WHAT", default_value = "rows")]
    pub(crate) fold_by: FoldedBy,
    /// Try each way in which the job may lie in a Tofu (mapping.axes, mapping.fold), fit with the best one, and report the errors of all
    #[arg(long)]
    pub(crate) layouts: bool,
    /// Runs at a time; default: as many as there are processors
    #[arg(long, value_name = "N", value_parser = values::threads)]
    pub(crate) threads: Option<NonZeroUsize>,
    /// Print what was found as one JSON object to standard output
    #[arg(long)]
    pub(crate) json: bool,
    /// Show no progress
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

impl CalibrateArgs {
    /// The files of measured times, and the machine file; `None` where only one file is given.
    pub(crate) fn measured_and_machine(&self) -> Option<(&[PathBuf], &PathBuf)> {
        let (machine, measured) = self.files.split_last()?;
        (!measured.is_empty()).then_some((measured, machine))
    }
}

/// Weight of errors.
#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum LossForm {
    /// By their squares
    Square,
    /// Large ones by their sizes
    Huber,
    /// The same without a bend
    SoftL1,
    /// Large ones hardly at all
    Cauchy,
}

/// Group that cross-validation leaves out together.
#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum FoldedBy {
    /// Every k-th row of the file
    Rows,
    /// All rows of an algorithm
    Algorithm,
}
