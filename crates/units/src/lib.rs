//! Quantities of the simulated machine, each with its own type, so that bytes are never added to seconds.
//!
//! [`Time`] and [`Duration`] count integer picoseconds, [`Bytes`] counts bytes, [`Bandwidth`] is bytes per second, [`Frequency`] cycles per second;
//! [`Rank`], [`NodeId`], [`RouterId`] and [`LinkId`] are indices that cannot be mixed up. [`parse`] reads what a
//! person writes (`"8 GB/s"`, `"100 ns"`) and [`Time`], [`Bytes`] and [`Bandwidth`] print in the same form.

mod bandwidth;
mod id;
mod mix;
pub mod parse;
mod pool;
mod time;
mod visible;

pub use bandwidth::{Bandwidth, Bytes, Frequency};
pub use id::{LinkId, NodeId, Rank, RouterId};
pub use mix::{GOLDEN, mix};
pub use pool::side_by_side;
pub use time::{Duration, Time};
pub use visible::visible;
