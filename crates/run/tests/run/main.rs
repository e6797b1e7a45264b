//! Runs of whole experiments, and what they leave.

#![allow(clippy::unwrap_used, reason = "helpers of tests are no test functions to clippy")]

mod band;
mod budget;
mod buffers;
mod combining;
#[path = "../../../experiment/tests/experiment/common.rs"]
mod common;
mod graphs;
mod job_lists;
mod job_waits;
mod jobs;
mod multi_process;
mod node_limits;
mod planes;
mod progress;
mod runs;
mod selection;
mod summaries;
mod trees;
mod verdicts;
mod work;

use common::{Folder, TORUS, again, check_problems, load, load_with, program};
