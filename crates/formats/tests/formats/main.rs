//! Pattern files, profiles and graphs of work, as a user of the crate reads and writes them: one program, so that it is linked once.

#![allow(clippy::unwrap_used, reason = "helpers of tests are no test functions to clippy")]

mod bit_flips;
mod graph_tables;
mod graphs;
mod profiles;
mod round_trip;
