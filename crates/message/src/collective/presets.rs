//! What `auto` stands for: the tables of MPI libraries.

mod fujitsu;
mod mpich;
mod open_mpi;

use super::choice::Tables;
use serde::{Deserialize, Serialize};

/// Bytes of a KiB.
const KIB: u64 = 1024;

/// Bytes of a MiB.
const MIB: u64 = 1024 * KIB;

/// A library whose decisions `auto` takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Preset {
    /// MPICH.
    #[default]
    Mpich,
    /// Open MPI.
    OpenMpi,
    /// Fujitsu MPI on Fugaku, with stand-ins for the algorithms that are not published.
    Fujitsu,
}

impl Preset {
    /// All of them by their names in an experiment file.
    pub const ALL: [(&str, Self); 3] =
        [("mpich", Self::Mpich), ("open-mpi", Self::OpenMpi), ("fujitsu", Self::Fujitsu)];

    pub(super) fn tables(self) -> &'static Tables {
        match self {
            Self::Mpich => &mpich::TABLES,
            Self::OpenMpi => &open_mpi::TABLES,
            Self::Fujitsu => &fujitsu::TABLES,
        }
    }
}

#[cfg(test)]
mod tests;
