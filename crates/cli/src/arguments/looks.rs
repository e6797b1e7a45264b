//! Options of commands that look at files, or write some.

use super::Sets;
use clap::{Args, Subcommand};
use std::path::PathBuf;

#[derive(Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct ProfileArgs {
    #[command(subcommand)]
    pub(crate) command: Option<ProfileCommand>,
    #[command(flatten)]
    pub(crate) look: Option<LookArgs>,
}

#[derive(Subcommand)]
pub(crate) enum ProfileCommand {
    /// Fit profiles of a program on few ranks, and write that of more
    Extrapolate(ExtrapolateArgs),
    /// Say whether the ranks of two profiles do the same, or from where on they do not
    Compare(CompareProfilesArgs),
}

#[derive(Args)]
pub(crate) struct ExtrapolateArgs {
    /// Profiles of the program, two or more of different numbers of ranks
    #[arg(required = true, num_args = 2..)]
    pub(crate) profiles: Vec<PathBuf>,
    /// Number of ranks of the profile to write
    #[arg(short = 'n', long)]
    pub(crate) ranks: u32,
    /// The file to write: NAME.profile (text) or NAME.parquet
    #[arg(short, long, value_name = "FILE")]
    pub(crate) out: PathBuf,
    /// Write nothing if two forms fit a number and differ at the size that is asked for
    #[arg(long)]
    pub(crate) strict: bool,
    /// Print what was found as one JSON object to standard output
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Args)]
pub(crate) struct CompareProfilesArgs {
    /// A profile
    pub(crate) first: PathBuf,
    /// Another one
    pub(crate) second: PathBuf,
    /// Print what was found as one JSON object to standard output
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Args)]
pub(crate) struct LookArgs {
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
pub(crate) struct ConvertArgs {
    /// The file to read: of another tool, which is seen from what is in it, or a machine, an experiment or a graph of weir
    #[arg(value_name = "IN", required_unless_present = "formats")]
    pub(crate) input: Option<PathBuf>,
    /// The file to write; its ending says the format
    #[arg(value_name = "OUT", required_unless_present = "formats")]
    pub(crate) out: Option<PathBuf>,
    /// The format of the file to read, where it is not seen from what is in it
    #[arg(long, value_name = "FORMAT")]
    pub(crate) from: Option<String>,
    /// The format to write, where the ending does not say it
    #[arg(long, value_name = "FORMAT")]
    pub(crate) to: Option<String>,
    /// Bandwidth of cables that do not say it, such as "10 GB/s"
    #[arg(long)]
    pub(crate) bandwidth: Option<String>,
    /// Latency of cables that do not say it, such as "100 ns"; where latencies are cycles: the time of one
    #[arg(long)]
    pub(crate) latency: Option<String>,
    /// Speed of hosts where computations are numbers of operations, such as 1Gf: so many in a second
    #[arg(long)]
    pub(crate) speed: Option<String>,
    /// Size of the whole buffer of a collective where the file has parts of it, such as 1MiB
    #[arg(long, value_name = "SIZE")]
    pub(crate) message_size: Option<String>,
    /// Number of ranks of a training step that does not say it
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) ranks: Option<u32>,
    /// Number of ranks of the first dimension, by which a training step with data and model parallelism is divided
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) group: Option<u32>,
    /// Leave out what cannot be represented, and say how often
    #[arg(long)]
    pub(crate) skip: bool,
    /// Write the routes of all pairs of nodes, for topology.routes beside a graph
    #[arg(long, value_name = "FILE")]
    pub(crate) routes: Option<PathBuf>,
    /// List the formats: what is read, what is written, and what is lost
    #[arg(long, conflicts_with_all = ["input", "out"])]
    pub(crate) formats: bool,
    /// Print the list of --formats as one JSON object
    #[arg(long, requires = "formats")]
    pub(crate) json: bool,
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
    /// Begin to play the run when the page opens, if it has a time slider
    #[arg(long)]
    pub(crate) play: bool,
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

#[derive(Args)]
pub(crate) struct ExamplesArgs {
    /// Files to print or copy: a file, or all of a folder; without one, all files are listed
    #[arg(value_name = "NAME")]
    pub(crate) names: Vec<String>,
    /// Copy into this folder, all files if none is named; what is there already is never replaced
    #[arg(long, value_name = "DIR")]
    pub(crate) copy: Option<PathBuf>,
    /// Print the list, or the named files with their texts, as JSON to standard output
    #[arg(long, conflicts_with = "copy")]
    pub(crate) json: bool,
}

#[derive(Args)]
pub(crate) struct MachinesArgs {
    /// The machine whose file is written; without one, a list of what there is
    pub(crate) name: Option<String>,
    /// Print the list, or the named machine with its text, as JSON to standard output
    #[arg(long)]
    pub(crate) json: bool,
}
