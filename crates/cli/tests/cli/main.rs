//! The `weir` command from outside: what its users, their scripts and their MPI programs see.
//!
//! Open MPI is the reference for what a program must print; it and the example programs of the MPI packages come with
//! `make setup`.

#![allow(clippy::unwrap_used, reason = "helpers of tests are no test functions to clippy")]

mod band;
mod benches;
mod budget;
mod calibrate;
mod calls;
mod checkpoints;
mod collective;
mod collectives;
mod command;
mod command_line;
mod compare;
mod crash_places;
mod crossed;
mod damaged;
mod digests;
mod divisions;
mod dual_run;
mod eager_messages;
mod elsewhere;
mod endings;
mod examples;
mod extensions;
mod faults;
mod file_access;
mod globals;
mod keys;
mod languages;
mod launch;
mod leaving;
mod limits_of_programs;
mod live;
mod machines;
mod memory;
mod null_pointers;
mod outcomes;
mod pacing;
mod package_examples;
mod packet;
mod papers;
mod pattern;
mod placing;
mod profiles;
mod python;
mod random_plans;
mod real_programs;
mod refused;
mod report;
mod results;
mod several_programs;
mod shipped;
mod skeletons;
mod studies;
mod sweeps;
mod threads;
mod tidy;
mod together;
mod unseen;
mod why;
