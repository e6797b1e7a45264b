//! Skeletons.
mod calls; mod expanded; mod expressions; mod facts; mod library; mod loops; mod memory; mod mpi; mod slice; mod statements; mod summaries; mod tokens; mod types; mod unit;
