//! Conservative parallel simulation in windows. Knows no network.
//!
//! # Model
//! A model consists of *units* (routers, for example). What a unit does at an instant can reach another unit only after
//! the *lookahead*, some simulated time. So time is cut into *windows* not wider than the lookahead, and a unit runs a
//! whole window by itself: whatever the others do in the same window does not concern it yet. Within a window units
//! may be run in any order, and at the same time on several threads; the result is the same. There is no queue of
//! events, and nothing is rolled back. PROTOCOL.md beside this crate's manifest has the rules and the proof.
//!
//! ```text
//!   part 0 (thread 0)   | units of window k | agree on the next window |  units of window k' | ...
//!   part 1 (thread 1)   | units of window k |        (minimum)         |  units of window k' | ...
//! ```
//!
//! - [`run()`] is the loop: each thread has a [`Part`] of the units; after each window the parts agree on the next one.
//!   One thread runs all parts while that is faster.
//!   Windows in which nothing happens are skipped.
//! - [`Activity`] knows which units have something to do in which window, near ones as bits, far ones in lists.
//! - [`Mailbox`] carries anything from one part to another, wake-ups too, to be read in the next window that is run.
//! - Parts may be in several processes ([`Division`]), which meet between windows ([`Border`], [`Transport`]): a [`Letterbox`]
//!   is a mailbox across them.

mod activity;
mod agreement;
mod construction;
mod letterbox;
mod pace;
mod run;
mod sync;
mod transport;

pub use activity::Activity;
pub use letterbox::{Division, Exchange, Letterbox, Letters, Mailbox};
pub use run::{Border, Next, Part, RunPosition, Width, Window, run};

#[doc(hidden)]
pub use construction::make_all;
#[doc(hidden)]
pub use run::begin_thread;
pub use transport::harness::check as check_transport;
pub use transport::{Gathering, Lost, OneProcess, ProcessCounts, Receive, ThreadAsProcess, Transport};
