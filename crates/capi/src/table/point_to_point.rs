//! Sends, receives, and their completion: the functions of `mpi_point_to_point.h` that we offer.

use super::offers;
use crate::{completion, counts, point_to_point};

offers! {
    "MPI_" {
        "Send" point_to_point::send,
        "Ssend" point_to_point::ssend,
        "Rsend" point_to_point::rsend,
        "Bsend" point_to_point::bsend,
        "Buffer_attach" point_to_point::buffer_attach,
        "Buffer_detach" point_to_point::buffer_detach,
        "Recv" point_to_point::recv,
        "Sendrecv" point_to_point::sendrecv,
        "Sendrecv_replace" point_to_point::sendrecv_replace,
        "Isend" point_to_point::isend,
        "Issend" point_to_point::issend,
        "Irsend" point_to_point::irsend,
        "Ibsend" point_to_point::ibsend,
        "Irecv" point_to_point::irecv,
        "Probe" point_to_point::probe,
        "Iprobe" point_to_point::iprobe,
        "Wait" completion::wait,
        "Waitall" completion::waitall,
        "Waitany" completion::waitany,
        "Waitsome" completion::waitsome,
        "Test" completion::test,
        "Testall" completion::testall,
        "Testany" completion::testany,
        "Testsome" completion::testsome,
        "Request_get_status" completion::request_get_status,
        "Request_free" completion::request_free,
        "Cancel" completion::cancel,
        "Test_cancelled" completion::test_cancelled,
        "Get_count" counts::get_count,
        "Get_elements" counts::get_elements,
        "Get_elements_x" counts::get_elements_x,
        "Status_set_elements" counts::status_set_elements,
        "Status_set_elements_x" counts::status_set_elements_x,
    }
}
