//! Collectives and operations: the functions of `mpi_collectives.h` that we offer.

use super::offers;
use crate::{collectives, neighbourhood, operations};

offers! {
    "MPI_" {
        "Barrier" collectives::barrier,
        "Bcast" collectives::bcast,
        "Reduce" collectives::reduce,
        "Allreduce" collectives::allreduce,
        "Gather" collectives::gather,
        "Gatherv" collectives::gatherv,
        "Scatter" collectives::scatter,
        "Scatterv" collectives::scatterv,
        "Allgather" collectives::allgather,
        "Allgatherv" collectives::allgatherv,
        "Alltoall" collectives::alltoall,
        "Alltoallv" collectives::alltoallv,
        "Scan" collectives::scan,
        "Exscan" collectives::exscan,
        "Reduce_scatter" collectives::reduce_scatter,
        "Reduce_scatter_block" collectives::reduce_scatter_block,
        "Reduce_local" operations::reduce_local,
        "Op_create" operations::op_create,
        "Op_free" operations::op_free,
        "Op_commutative" operations::op_commutative,
        "Neighbor_allgather" neighbourhood::neighbor_allgather,
        "Neighbor_allgatherv" neighbourhood::neighbor_allgatherv,
        "Neighbor_alltoall" neighbourhood::neighbor_alltoall,
        "Neighbor_alltoallv" neighbourhood::neighbor_alltoallv,
        "Neighbor_alltoallw" neighbourhood::neighbor_alltoallw,
    }
}
