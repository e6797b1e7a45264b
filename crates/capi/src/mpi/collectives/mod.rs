//! Collectives. Each is written once, in the file of its family, as a function that takes the program's arguments and
//! returns a [`Prepared`]: a plan, and the memory that goes into its workspace and comes out of it. The macro
//! [`forms!`](forms) makes the C functions of it: one that waits, one that goes on (`MPI_I...`), and one that only
//! prepares (`MPI_..._init`), each with counts of C's `int` and of `MPI_Count` (`..._c`).

mod agreed;
mod allgather;
mod alltoall;
mod barrier;
mod bcast;
mod between;
mod forms;
mod gather;
mod memory;
mod neighbours;
mod own;
mod prepared;
mod reduce;
mod reduce_scatter;
mod scan;
mod scatter;
mod setting;

pub(crate) use own::OwnAlgorithms;
pub(crate) use prepared::{place, place_of_all, run};
pub(crate) use setting::weir_collective_set;

use crate::calls::Function;

/// All forms of all collectives: names and functions.
pub(crate) fn list() -> Vec<Function> {
    let families = [
        barrier::list(),
        bcast::list(),
        reduce::list(),
        gather::list(),
        scatter::list(),
        allgather::list(),
        alltoall::list(),
        scan::list(),
        reduce_scatter::list(),
        neighbours::list(),
    ];
    families.concat()
}
