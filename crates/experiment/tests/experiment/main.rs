//! What is accepted, and what is refused and how.

#![allow(clippy::unwrap_used, reason = "helpers of tests are no test functions to clippy")]

mod assumed;
mod bad_input;
mod cases;
mod classes;
mod collectives;
mod common;
mod folded;
mod foreign;
mod graphs;
mod keys;
mod launch;
mod machines;
mod names;
mod output;
mod pacing;
mod packets;
mod resolved;
mod rows;
mod selection;
mod sources;
mod strictness;
mod topologies;
mod trees;
mod unset;

use common::{Folder, TORUS, again, check_problems, load, load_with, program, table};
