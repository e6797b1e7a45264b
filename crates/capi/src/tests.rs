//! Tests of the functions of MPI, group by group as in `mpi.h`: every one runs ranks in this process ([`crate::harness`]).

#![expect(clippy::too_many_lines, reason = "a test may hold a long table of cases")]

mod agreement;
mod answers;
mod arguments;
mod children;
mod clocks;
mod collectives;
mod combining;
mod communicators;
mod completion;
mod datatypes;
mod dynamic;
mod edges;
mod environment;
mod files;
mod forms;
mod handlers;
mod handles;
mod inherited;
mod leftovers;
mod lenient;
mod limits;
mod mistakes;
mod operations;
mod own_algorithms;
mod parts;
mod point_to_point;
mod processes;
mod progress;
mod reaching;
mod requests;
mod rules;
mod sampling;
mod together;
mod tools;
mod topologies;
mod views;
mod waiting;
mod windows;

use crate::harness::apart;
