//! Tests of the functions of MPI, group by group as in `mpi.h`: every one runs ranks in this process ([`crate::harness`]).

#![expect(clippy::too_many_lines, reason = "a test may hold a long table of cases")]

mod answers;
mod arguments;
mod c_library;
mod collectives;
mod communicators;
mod completion;
mod datatypes;
mod dynamic;
mod edges;
mod environment;
mod files;
mod forms;
mod handlers;
mod inherited;
mod leftovers;
mod operations;
mod parts;
mod processes;
mod requests;
mod rules;
mod sampling;
mod sections;
mod threads;
mod together;
mod tools;
mod views;
mod windows;

use crate::harness::apart;
