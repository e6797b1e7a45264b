//! The `weir` command from outside: what its users, their scripts and their MPI programs see.
//!
//! Open MPI is the reference for what a program must print; it and the example programs of the MPI packages come with
//! `make setup`.

#![allow(clippy::unwrap_used, reason = "helpers of tests are no test functions to clippy")]

mod benches;
mod calls;
mod cases;
mod checkpoints;
mod collective;
mod collectives;
mod command;
mod crossed;
mod damaged;
mod digests;
mod divisions;
mod dual_run;
mod endings;
mod examples;
mod gpu;
mod live;
mod made_skeletons;
mod memory;
mod null_pointers;
mod outcomes;
mod pacing;
mod package_examples;
mod papers;
mod placing;
mod profiles;
mod python;
mod random_plans;
mod ranks_on_threads;
mod real_programs;
mod recorded;
mod references;
mod report;
mod results;
mod shipped;
mod skeletons;
mod studies;
mod tables;
mod threads;
mod tidy;
mod together;
mod ways;
mod why;
