//! Changes one crate of the project in thousands of small ways, one at a time, and says which changes no test notices.
//!
//! All mutants of the crate are compiled into one build of a copy of the project, each behind a switch that the
//! environment sets (`switch/mutant.rs`). Every test runs once to see how long it takes and which mutants it reaches; then
//! each mutant is tried by the tests that reach it.
//!
//! ```text
//! tree      copy of the project;  sites, changes, rewrite: the crate with its mutants
//! compile   drops mutants until the rest compiles, builds the tests
//! suite     the tests alone: time, mutants reached
//! campaign  mutant by mutant: killed, timed out, survived, not reached
//! report    table and list of survivors
//! ```

pub mod campaign;
mod changes;
pub mod compile;
pub mod report;
pub mod rewrite;
pub mod sites;
pub mod suite;
pub mod tree;
