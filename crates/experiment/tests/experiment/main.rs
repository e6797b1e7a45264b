//! What is accepted, and what is refused and how.

#![allow(clippy::unwrap_used, reason = "helpers of tests are no test functions to clippy")]

mod bad_input;
mod bad_workloads;
mod collectives;
mod common;
mod keys;
mod launch;
mod output;
mod pages;
mod resolved;
mod sources;
mod topologies;
mod unset;

use common::{Folder, TORUS, again, check_problems, load, load_with, program, table};
