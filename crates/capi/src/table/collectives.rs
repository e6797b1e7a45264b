//! Operations: the functions at the end of `mpi_collectives.h` that we offer, and that of `collectives.h`. Those before
//! them, the collectives in all
//! their forms, are listed by [`crate::mpi::collectives::list`].

use super::offers::offers;
use crate::mpi::{collectives, operations};

offers! {
    "MPI_" {
        "Reduce_local" operations::reduce_local,
        "Reduce_local_c" operations::reduce_local_c,
        "Op_create" operations::op_create,
        "Op_create_c" operations::op_create_c,
        "Op_free" operations::op_free,
        "Op_commutative" operations::op_commutative,
    }
    "" {
        "weir_collective_set" collectives::weir_collective_set,
    }
}
