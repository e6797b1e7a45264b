//! Answers about experiments and machines.

#![allow(clippy::unwrap_used, reason = "helpers of tests are no test functions to clippy")]

mod bounds;
#[path = "../../../experiment/tests/experiment/common.rs"]
mod common;
mod contests;
mod faults;
mod limitations;
mod machines;
mod pacing;
mod packets;
mod placing;
mod profiles;
mod upgrades;
mod within_nodes;

use common::{Folder, TORUS, again, check_problems, load, load_with, program, table};
