//! Options of `weir demo`.

use clap::Args;
use std::path::PathBuf;

#[derive(Args)]
pub(crate) struct DemoArgs {
    /// The results folder, with the page in it
    #[arg(long, value_name = "DIR", default_value = "weir-demo")]
    pub(crate) out: PathBuf,
    /// Only write the page, and say where it is
    #[arg(long)]
    pub(crate) no_open: bool,
}
