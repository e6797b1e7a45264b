//! The program that has started this process as one of several, as its environment shows.

use rustix::thread::sched_getaffinity;
use std::fs::read_to_string;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::PathBuf;

/// Whose launcher it is: which library can know of the other processes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Family {
    /// The launcher of Open MPI.
    OpenMpi,
    /// One that speaks PMI: Hydra of MPICH, Intel MPI, Slurm with its PMI, which Open MPI may speak too.
    Pmi,
    /// One that speaks PMIx: Slurm, PRRTE; libraries of any family may.
    Pmix,
}

/// A launcher that has started more than one process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Launcher {
    pub(super) family: Family,
    /// Number of processes it has started; not all say.
    pub(super) processes: Option<usize>,
}

impl Launcher {
    /// From the environment; `None` if this process has been started alone.
    pub(super) fn of_environment(variable: impl Fn(&str) -> Option<String>) -> Option<Self> {
        let number = |name: &str| variable(name)?.parse::<usize>().ok();
        // Open MPI's launchers speak PMIx as well, so its own variables come first. Within a job of Slurm all processes
        // have SLURM_NTASKS, also those that `srun` has not started; those of a launcher have one of the ranks besides.
        let families = [
            (Family::OpenMpi, "OMPI_COMM_WORLD_RANK", Some("OMPI_COMM_WORLD_SIZE")),
            (Family::Pmi, "PMI_RANK", Some("PMI_SIZE")),
            // Intel's count of processes is that of one host.
            (Family::Pmi, "MPI_LOCALRANKID", None),
            (Family::Pmix, "PMIX_RANK", Some("SLURM_STEP_NUM_TASKS")),
        ];
        let (family, _, size) = families.into_iter().find(|(_, rank, _)| number(rank).is_some())?;
        let processes = size.and_then(number);
        (processes != Some(1)).then_some(Self { family, processes })
    }

    /// In words for people.
    pub(super) fn name(&self) -> String {
        match self.family {
            Family::OpenMpi => "the launcher of Open MPI",
            Family::Pmi => "a launcher of MPICH or its like",
            Family::Pmix => "a launcher that speaks PMIx",
        }
        .to_owned()
    }

    /// The names of libraries that may belong to it, the likeliest first.
    pub(super) fn libraries(&self) -> &'static [&'static str] {
        match self.family {
            Family::OpenMpi => &["libmpi.so.40", "libmpi_abi.so.1"],
            Family::Pmi => &["libmpi_abi.so.1", "libmpi.so.12", "libmpich.so.12", "libmpi.so.40"],
            Family::Pmix => &["libmpi.so.40", "libmpi_abi.so.1", "libmpi.so.12", "libmpich.so.12"],
        }
    }
}

/// The folders of libraries beside the programs that have started this process, the nearest first, and beside the launchers
/// that the shell would find.
pub(super) fn folders() -> Vec<PathBuf> {
    let mut programs = ancestors();
    let path = std::env::var_os("PATH").unwrap_or_default();
    for folder in std::env::split_paths(&path) {
        programs.extend(["mpirun", "mpiexec"].map(|name| folder.join(name)));
    }
    let mut folders = Vec::new();
    for program in programs {
        let Ok(program) = program.canonicalize() else { continue };
        let Some(place) = program.parent().and_then(|folder| folder.parent()) else { continue };
        let folder = place.join("lib");
        if !folders.contains(&folder) {
            folders.push(folder);
        }
    }
    folders
}

/// The programs that have started this process, from its parent on: between it and a launcher there may be a shell.
fn ancestors() -> Vec<PathBuf> {
    const MOST: usize = 8;
    let parent = |process: &str| {
        let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
        let line = status.lines().find_map(|line| line.strip_prefix("PPid:"))?;
        Some(line.trim().to_owned())
    };
    let processes = std::iter::successors(parent("self"), |process| parent(process)).take(MOST);
    processes.filter_map(|process| std::fs::read_link(format!("/proc/{process}/exe")).ok()).collect()
}

/// The cores of this thread: of the same host, as long as that has been running, and the same ones there. Launchers may bind
/// processes to cores; then those that share none divide none. Two that share some only count as sharing none.
pub(super) fn own() -> u64 {
    let mut hasher = DefaultHasher::new();
    // Containers may have names of their own, and processes of several share a host's cores.
    let host = read_to_string("/proc/sys/kernel/random/boot_id");
    host.or_else(|_| read_to_string("/proc/sys/kernel/hostname")).unwrap_or_default().hash(&mut hasher);
    if let Ok(cores) = sched_getaffinity(None) {
        let cores: Vec<_> = (0..rustix::thread::CpuSet::MAX_CPU).filter(|&core| cores.is_set(core)).collect();
        cores.hash(&mut hasher);
    }
    // The largest number is what others bring.
    hasher.finish() >> 1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(variables: &[(&str, &str)], expected: Option<(Family, Option<usize>)>) {
        let find = |name: &str| {
            let found = variables.iter().find(|(known, _)| *known == name);
            found.map(|(_, content)| (*content).to_owned())
        };
        let expected = expected.map(|(family, processes)| Launcher { family, processes });
        assert_eq!(Launcher::of_environment(find), expected, "{variables:?}");
    }

    #[test]
    fn launchers_are_known_by_what_they_set() {
        check(&[], None);
        check(&[("PMI_RANK", "0"), ("PMI_SIZE", "2")], Some((Family::Pmi, Some(2))));
        check(&[("PMI_RANK", "0"), ("PMI_SIZE", "1")], None);
        check(&[("PMI_RANK", ""), ("PMI_SIZE", "2")], None);
        let open_mpi = [("OMPI_COMM_WORLD_RANK", "3"), ("OMPI_COMM_WORLD_SIZE", "4"), ("PMIX_RANK", "3")];
        check(&open_mpi, Some((Family::OpenMpi, Some(4))));
        check(&[("MPI_LOCALRANKID", "0"), ("MPI_LOCALNRANKS", "1")], Some((Family::Pmi, None)));
        check(&[("PMIX_RANK", "3")], Some((Family::Pmix, None)));
        check(&[("PMIX_RANK", "3"), ("SLURM_STEP_NUM_TASKS", "9")], Some((Family::Pmix, Some(9))));
        // A job of Slurm, outside of `srun`.
        check(&[("SLURM_PROCID", "0"), ("SLURM_NTASKS", "9")], None);
    }
}
