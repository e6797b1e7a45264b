//! Options of `weir report` and `weir compare`.

use clap::Args;
use std::path::PathBuf;

#[derive(Args, Default)]
pub(crate) struct ReportArgs {
    /// The results folder: what `weir run --out DIR` has written
    #[arg(value_name = "DIR")]
    pub(crate) folder: PathBuf,
    /// The page to write; default: report.html in the results folder
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// The language in which the page opens, of the two that it has: en or ja
    #[arg(long, value_name = "LANGUAGE", value_parser = ["en", "ja"])]
    pub(crate) language: Option<String>,
    /// Take also a folder that has lost tables
    #[arg(long)]
    pub(crate) allow_incomplete: bool,
}

#[derive(Args)]
pub(crate) struct CompareArgs {
    /// The results folders, at least two; the others are measured by the first
    #[arg(value_name = "DIR", required = true, num_args = 1..)]
    pub(crate) folders: Vec<PathBuf>,
    /// The page to write
    #[arg(long, short, visible_alias = "output", value_name = "FILE", default_value = "compare.html")]
    pub(crate) out: PathBuf,
    /// The language in which the page opens, of the two that it has: en or ja
    #[arg(long, value_name = "LANGUAGE", value_parser = ["en", "ja"])]
    pub(crate) language: Option<String>,
    /// Take also folders that have lost tables
    #[arg(long)]
    pub(crate) allow_incomplete: bool,
}
