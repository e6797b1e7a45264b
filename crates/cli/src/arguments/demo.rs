//! Options of `weir demo`.

use crate::arguments::{EngineAndThreads, SetsAnd};
use clap::Args;
use std::path::PathBuf;

#[derive(Args)]
pub(crate) struct DemoArgs {
    /// The results folder, with the page in it
    #[arg(long, value_name = "DIR", default_value = "weir-demo")]
    pub(crate) out: PathBuf,
    #[command(flatten)]
    pub(crate) sets: SetsAnd<EngineAndThreads>,
    /// Only write the page, and say where it is
    #[arg(long)]
    pub(crate) no_open: bool,
}
