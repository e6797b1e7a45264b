//! The options of `weir record`.

use clap::Args;
use std::ffi::OsString;
use std::path::PathBuf;

#[derive(Args)]
pub(crate) struct RecordArgs {
    /// The profile to write: NAME.profile (text) or NAME.parquet
    #[arg(short = 'o', long, value_name = "FILE", required_unless_present = "env")]
    pub(crate) profile: Option<PathBuf>,
    /// Write also where each event was called, as CSV: rank, number of the event among those of the rank, place
    #[arg(long, value_name = "FILE")]
    pub(crate) sites: Option<PathBuf>,
    /// The compiler of the MPI that the program runs with; otherwise the mpicc beside the launcher, or in PATH
    #[arg(long, value_name = "FILE")]
    pub(crate) mpicc: Option<PathBuf>,
    /// The new folder that the ranks write into, which they all reach; it stays. Otherwise FILE.ranks, which does not
    #[arg(long, value_name = "FOLDER")]
    pub(crate) folder: Option<PathBuf>,
    /// Print the environment in which programs are recorded, as lines of a shell, and run nothing: for batch scripts
    #[arg(long, requires = "folder", conflicts_with_all = ["join", "profile", "sites"])]
    pub(crate) env: bool,
    /// Make a profile of what ranks have written into this folder, and run nothing
    #[arg(long, value_name = "FOLDER", conflicts_with_all = ["folder", "mpicc", "command"])]
    pub(crate) join: Option<PathBuf>,
    /// The command that runs the program, as in mpirun -n 4 ./program; with --env only the program, to know its MPI
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "COMMAND",
        required_unless_present_any = ["env", "join"])]
    pub(crate) command: Vec<OsString>,
}
