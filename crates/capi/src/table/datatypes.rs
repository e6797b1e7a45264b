//! Datatypes and packing: the functions of `mpi_datatypes.h` that we offer.

use super::offers;
use crate::{packing, type_constructors, type_queries};

offers! {
    "MPI_" {
        "Type_size" type_queries::size,
        "Type_size_x" type_queries::size_x,
        "Type_get_extent" type_queries::get_extent,
        "Type_get_extent_x" type_queries::get_extent_x,
        "Type_get_true_extent" type_queries::get_true_extent,
        "Type_get_true_extent_x" type_queries::get_true_extent_x,
        "Type_set_name" type_queries::set_name,
        "Type_get_name" type_queries::get_name,
        "Type_get_envelope" type_queries::get_envelope,
        "Type_get_contents" type_queries::get_contents,
        "Type_match_size" type_queries::match_size,
        "Type_contiguous" type_constructors::contiguous,
        "Type_vector" type_constructors::vector,
        "Type_create_hvector" type_constructors::hvector,
        "Type_indexed" type_constructors::indexed,
        "Type_create_hindexed" type_constructors::hindexed,
        "Type_create_indexed_block" type_constructors::indexed_block,
        "Type_create_hindexed_block" type_constructors::hindexed_block,
        "Type_create_struct" type_constructors::structure,
        "Type_create_subarray" type_constructors::subarray,
        "Type_create_darray" type_constructors::darray,
        "Type_create_resized" type_constructors::resized,
        "Type_dup" type_constructors::dup,
        "Type_commit" type_constructors::commit,
        "Type_free" type_constructors::free,
        // Removed from the standard by MPI 3.0, and still called; they are the newer functions under older names.
        "Address" type_constructors::get_address,
        "Type_hvector" type_constructors::hvector,
        "Type_hindexed" type_constructors::hindexed,
        "Type_struct" type_constructors::structure,
        "Type_extent" type_queries::extent,
        "Type_lb" type_queries::lower_bound,
        "Type_ub" type_queries::upper_bound,
        "Pack" packing::pack,
        "Unpack" packing::unpack,
        "Pack_size" packing::pack_size,
        "Pack_external" packing::pack_external,
        "Unpack_external" packing::unpack_external,
        "Pack_external_size" packing::pack_external_size,
    }
}
