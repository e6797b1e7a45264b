//! What `auto` stands for, and names of algorithms: the tables of MPI libraries.

mod fujitsu;
mod mpich;
mod names;
mod open_mpi;

use super::choice::Tables;
pub use names::{Known, Meaning, Name, NameError};
use serde::{Deserialize, Serialize};

/// Bytes of a KiB.
const KIB: u64 = 1024;

/// Bytes of a MiB.
const MIB: u64 = 1024 * KIB;

/// A library whose decisions `auto` takes, and whose names of algorithms come before those of the catalogue.
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

    /// Its name in an experiment file.
    #[must_use]
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(_, preset)| *preset == self).expect("all are listed").0
    }

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
