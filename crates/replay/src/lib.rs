//! Profiles from running ranks, and ranks from profiles (paper 001, section 2).
//!
//! ```text
//!   MPI program ---> message::Process ---- Observer ----> Logger ----> profile (weir_formats)
//!                          ^                                               |
//!                          '------------------ Replay <--------------------'
//! ```
//! A [`Logger`] writes what the ranks of a run do as a profile. A [`Replay`] is a rank that does what a profile says,
//! over the same message layer as programs: the same matching, protocols and collective algorithms. The time between two
//! calls is kept; waiting is found anew. So on the machine on which a profile was logged it gives back the logged times
//! exactly, and on any other it gives those of that machine.

mod graph;
mod logger;
mod outline;
mod replay;
mod setting;
mod slots;
mod started;

pub use graph::{GraphReplay, GraphSetting, window_of};
pub use logger::{LogError, Logger};
pub use outline::{Outline, OutlineStep};
pub use replay::Replay;
pub use setting::{Rounds, Setting, Sources, Times};
