//! Handles as numbers: the functions of `mpi_handles.h`.

use super::offers::offers;
use crate::mpi::handles;

offers! {
    "MPI_" {
        "Comm_fromint" handles::from_int,
        "Comm_toint" handles::to_int,
        "Errhandler_fromint" handles::from_int,
        "Errhandler_toint" handles::to_int,
        "File_fromint" handles::from_int,
        "File_toint" handles::to_int,
        "Group_fromint" handles::from_int,
        "Group_toint" handles::to_int,
        "Info_fromint" handles::from_int,
        "Info_toint" handles::to_int,
        "Message_fromint" handles::from_int,
        "Message_toint" handles::to_int,
        "Op_fromint" handles::from_int,
        "Op_toint" handles::to_int,
        "Request_fromint" handles::from_int,
        "Request_toint" handles::to_int,
        "Session_fromint" handles::from_int,
        "Session_toint" handles::to_int,
        "Type_fromint" handles::from_int,
        "Type_toint" handles::to_int,
        "Win_fromint" handles::from_int,
        "Win_toint" handles::to_int,
    }
}
