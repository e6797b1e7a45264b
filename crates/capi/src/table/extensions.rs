//! What MPI lacks: the functions of `weir.h`.

use super::offers;
use crate::extensions;

offers! {
    "weir_" {
        "compute" extensions::compute,
        "now" extensions::now,
        "nics" extensions::nics,
        "has_send_gap" extensions::has_send_gap,
        "send_protocol" extensions::send_protocol,
        "send_copy" extensions::send_copy,
        "send_nic" extensions::send_nic,
        "send_gap" extensions::send_gap,
    }
}
