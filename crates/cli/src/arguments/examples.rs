//! Options of `weir examples` and `weir machines`.

use clap::Args;
use std::path::PathBuf;

#[derive(Args)]
pub(crate) struct ExamplesArgs {
    /// Files to print or copy: a file, or all of a folder; without one, all files are listed
    #[arg(value_name = "NAME")]
    pub(crate) names: Vec<String>,
    /// Copy into this folder, all files if none is named; what is there already is never replaced
    #[arg(long, value_name = "DIR")]
    pub(crate) copy: Option<PathBuf>,
    /// Print what there is, or what is named with its text, as JSON to standard output
    #[arg(long, conflicts_with = "copy")]
    pub(crate) json: bool,
}

#[derive(Args)]
pub(crate) struct MachinesArgs {
    /// The machine whose file is written; without one, a list of what there is
    pub(crate) name: Option<String>,
    /// Print them, or the one that is named with its text, as JSON to standard output
    #[arg(long)]
    pub(crate) json: bool,
}
