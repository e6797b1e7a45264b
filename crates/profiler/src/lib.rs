//! Records MPI programs that run on real machines as communication profiles.
//!
//! A library in C stands before the MPI of a program (`MPI_X` and `PMPI_X`) and writes each call into a file of its rank (`source.rs`
//! makes its text from the headers and from the folder `runtime`, `library.rs` has it compiled). The files become a profile when
//! the program has ended (`join.rs`): `file.rs` reads records, `rank.rs` makes events of them.

mod clock;
mod collectives;
mod fields;
mod file;
mod groups;
mod join;
mod library;
mod messages;
mod rank;
mod rare;
mod sites;
mod source;

pub use file::FileError;
pub use join::{Joined, join};
pub use library::{Launcher, LibraryError, Mpi};
