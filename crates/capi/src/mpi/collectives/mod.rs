//! Collectives. Each is written once, in the file of its family, as a function that takes the program's arguments and
//! returns a [`Prepared`](prepared::Prepared): a plan, and the memory that goes into its workspace and comes out of it. The build
//! script makes the C functions of it by [`forms`]: one that waits, one that goes on (`MPI_I...`), and one that only
//! prepares (`MPI_..._init`), each with counts of C's `int` and of `MPI_Count` (`..._c`).

mod agreed;
mod between;
pub(crate) mod combining;
pub(crate) mod forms;
pub(crate) mod memory;
pub(crate) mod moving;
pub(crate) mod neighbours;
mod own;
mod prepared;
mod setting;

pub(crate) use own::OwnAlgorithms;
pub(crate) use prepared::{place, place_of_all, run};
pub(crate) use setting::weir_collective_set;
