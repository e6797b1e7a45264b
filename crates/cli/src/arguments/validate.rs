//! The command line of `weir validate`.

use crate::values;
use clap::Args;
use std::num::NonZeroUsize;
use std::path::PathBuf;

#[derive(Args)]
pub(crate) struct ValidateArgs {
    /// The study: a name (NAME stands for validation/NAME.toml), a file, or all; without one, a list of what there is
    pub(crate) study: Option<String>,
    /// Fit the machine's values to the rows that calibrate, too, and show them beside those of the machine file
    #[arg(long, requires = "study")]
    pub(crate) fit: bool,
    /// Predict without each part of the model that the study names, too
    #[arg(long, requires = "study")]
    pub(crate) ablations: bool,
    /// Print what was found as JSON to standard output
    #[arg(long)]
    pub(crate) json: bool,
    /// Write a page (Markdown), pictures (SVG) and all rows (CSV) of each study into this folder; of all studies a page README.md, too
    #[arg(long, value_name = "DIR", requires = "study")]
    pub(crate) out: Option<PathBuf>,
    /// What the pages are to say that weir was built from: a commit
    #[arg(long, value_name = "COMMIT", requires = "out")]
    pub(crate) built_from: Option<String>,
    /// Runs at a time; default: as many as there are processors
    #[arg(long, value_name = "N", value_parser = values::threads)]
    pub(crate) threads: Option<NonZeroUsize>,
    /// Show no progress
    #[arg(long, short)]
    pub(crate) quiet: bool,
}
