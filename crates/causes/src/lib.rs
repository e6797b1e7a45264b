//! Causes of the simulated time of a run: an account of every rank, and the critical path.
//!
//! ```text
//!   rank 0   |##compute##|s|--wait----|                      s: start-up    q: behind others
//!                          \                                 b: bytes       l: latency
//!   message                 qqbbbbll
//!                                   \
//!   rank 1   |#compute#|-- waits ----|s|##compute##|
//!                      ^late sender^qqbbbbll: so the wait of rank 1 is charged
//! ```
//! | name | it is |
//! |---|---|
//! | [`Ledger`] | the account of one rank while it runs, up to its clock: time by [`Cause`], and a path |
//! | [`Path`] | the longest chain of work and messages that ends at an instant, as sums |
//! | [`Trail`] | what a message takes along: its states over time, and the path of its sender |
//! | [`Accounts`] | the closed ledgers of all ranks, and the longest of their paths: the critical path |
//!
//! ```text
//!   sender's Ledger --send--> Trail --extend, transfer, arrive (by the engine)--> Ledger of the receiver: begin_event, wait
//! ```
//! # Model
//! A rank has a [`Ledger`] that is closed up to its clock: every step of the clock has a [`Cause`]. A rank that waits is charged with
//! the states of the message that ends its wait ([`Trail`]). So the causes of a rank add up to the end of the run, in
//! whole picoseconds.
//!
//! Beside its account a ledger has a [`Path`]: the sums of the longest chain of work and messages that ends at the clock of the
//! rank. A message takes the path of its sender along. After a wait the path of the rank is replaced by that of the awaited message. The path of
//! the rank that is done last is the critical path of the run (Yang, Miller: "Critical path analysis for the execution of parallel and
//! distributed programs", ICDCS 1988; computed while running as in Hollingsworth: "An online computation of critical path profiling",
//! SPDT 1996). Its memory does not grow with the run: sums, not events.

mod accounts;
mod cause;
mod harness;
mod ledger;
mod name;
mod path;
mod steps;
mod tally;
mod trail;

pub use accounts::{Accounts, CriticalPath, RankAccount, RankEnd, SoFar, SumsDue};
pub use cause::{Cause, Causes};
#[doc(hidden)]
pub use harness::contradiction;
pub use ledger::{Ledger, Sending};
pub use name::Name;
pub use path::Path;
pub use steps::{DrawnPath, PathPart, PathPlace};
pub use tally::{ByClass, CLASSES, Narrowest, Narrowing, Share, Tally, Wires};
pub use trail::{Carriage, Trail};
