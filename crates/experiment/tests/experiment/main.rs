//! What is accepted, and what is refused and how.

#![allow(clippy::unwrap_used, reason = "helpers of tests are no test functions to clippy")]

mod assumed;
mod bad_input;
mod bad_workloads;
mod buffers;
mod collectives;
mod combining;
mod common;
mod faults;
mod folded;
mod graphs;
mod keys;
mod launch;
mod machines;
mod names;
mod output;
mod pacing;
mod packets;
mod pages;
mod planes;
mod profiles;
mod resolved;
mod selection;
mod sources;
mod strictness;
mod topologies;
mod trees;
mod unset;
mod upgrades;
mod work;

use common::{Folder, TORUS, again, check_problems, load, load_with, program, table};
