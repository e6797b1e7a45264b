//! Programs are logged and replayed. The programs are functions of these tests that call MPI (`weir_capi::harness`).
#![allow(clippy::unwrap_used, reason = "helpers of tests are no test functions to clippy")]

mod acts;
mod by_hand;
mod graphs;
mod laws;
mod logged;
mod logger;
mod looks;
