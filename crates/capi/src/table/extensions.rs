//! What MPI lacks: the functions of `weir.h`.

use super::offers::offers;
use crate::mpi::extensions;
use crate::skeleton;
use crate::skeleton::{phases, sampling};

offers! {
    "weir_" {
        "compute" skeleton::compute,
        "compute_at_once" skeleton::compute,
        "compute_instructions_at_once" skeleton::compute_instructions,
        "compute_block" skeleton::compute_block,
        "sample_begin" sampling::begin,
        "sample_end" sampling::end,
        "phase" phases::phase,
        "now" extensions::now,
        "nics" extensions::nics,
        "has_send_gap" extensions::has_send_gap,
        "send_protocol" extensions::send_protocol,
        "send_copy" extensions::send_copy,
        "send_nic" extensions::send_nic,
        "send_gap" extensions::send_gap,
    }
}
