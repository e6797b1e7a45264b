//! Tests of the functions of MPI, group by group as in `mpi.h`: every one runs ranks in this process ([`crate::harness`]).

mod apart;
mod arguments;
mod collectives;
mod communicators;
mod compilers;
mod completion;
mod datatypes;
mod dynamic;
mod environment;
mod files;
mod forms;
mod handlers;
mod inherited;
mod mistakes;
mod operations;
mod own_algorithms;
mod parts;
mod point_to_point;
mod processes;
mod programs;
mod requests;
mod tools;
mod topologies;
mod waiting;
mod windows;
