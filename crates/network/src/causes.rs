//! Where the simulated time of a run goes: an account of every rank, and the critical path.
//!
//! ```text
//!   rank 0   |##compute##|s|--wait----|                      s: start-up    q: behind others
//!                          \                                 b: bytes       l: latency
//!   message                 qqbbbbll
//!                                   \
//!   rank 1   |#compute#|-- waits ----|s|##compute##|
//!                      ^late sender^qqbbbbll: so the wait of rank 1 is charged
//! ```
//! # Model
//! A rank has a [`Ledger`] that is closed up to its clock: every step of the clock has a [`Cause`]. A rank that waits is charged with what
//! the message that ends its wait was doing meanwhile ([`Trail`]). So the causes of a rank add up to the end of the run, in
//! whole picoseconds.
//!
//! Beside its account a ledger has a [`Path`]: of what the longest chain of work and messages consists that ends at the clock of the
//! rank. A message takes the path of its sender along, and a receiver that has waited for it goes on with that one. The path of the rank
//! that is done last is the critical path of the run (Yang, Miller: "Critical path analysis for the execution of parallel and
//! distributed programs", ICDCS 1988; computed while running as in Hollingsworth: "An online computation of critical path profiling",
//! SPDT 1996). Its memory does not grow with the run: sums, not events.

mod accounts;
mod cause;
mod ledger;
mod name;
mod path;
mod place;
mod so_far;
mod steps;
mod tally;
mod trail;
mod wires;

pub(crate) use accounts::Standing;
pub use accounts::{Accounts, CriticalPath, RankAccount};
pub use cause::{Cause, Causes};
pub use ledger::{Ledger, Sending};
pub use name::Name;
pub use path::Path;
pub use so_far::{SoFar, SumsDue};
pub use steps::{DrawnPath, PathPart, PathPlace};
pub use tally::{Share, Tally};
pub use trail::{Carriage, Trail};
pub use wires::{ByClass, CLASSES, Narrowest, Narrowing, Wires};
