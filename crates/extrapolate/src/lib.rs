//! Profiles of more ranks than were recorded: the structure of profiles of fewer ranks is fitted, and carried on.
//!
//! ```text
//!   profile of 4 ranks  --.   tokens    trees of loops     classes of ranks       rules
//!   profile of 8 ranks  --+-> of all -> that they all  --> by predicates of  -->  for each number --> profile of 64
//!   profile of 16 ranks --'   ranks     repeat             the rank               of each token
//! ```
//! # Model
//! A program is a tree of loops and operations. A number in it (a partner, a tag, bytes, how often a loop repeats) is a form in the
//! rank, the number of ranks and the counts of the loops around. A form must have every value that was seen, exactly; among those
//! that do the simplest is taken, and those that are nearly as simple and differ at the size that is asked for are named. Times of
//! work are fitted, and never exact. What comes out is checked: each message is sent and received.
//!
//! Prior art: X. Wu and F. Mueller, ScalaExtrap: trace-based communication extrapolation for SPMD programs, PPoPP 2011, which fits
//! partners in grids by linear equations and times by curves.

mod cells;
mod classes;
mod compare;
mod families;
mod fit;
mod fold;
mod forms;
mod generate;
mod groups;
mod matching;
mod members;
mod periods;
mod predicates;
mod quantities;
mod report;
mod rules;
mod times;
mod tokens;
mod totals;

pub use compare::{Difference, Sameness, compare};
pub use generate::Ambiguity;
pub use report::{Extrapolation, ExtrapolationError};
pub use totals::{ClassReport, CommunicatorReport, RuleReport, Totals};
