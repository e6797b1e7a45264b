//! Parameters of ranks that do what a file says.

use std::sync::Arc;
use weir_collectives::Choice;
use weir_message::{Costs, Interfaces};
use weir_network::SendOptions;

/// Parameters of a replay beside the profile.
#[derive(Clone, Debug, Default)]
pub struct Setting {
    /// Costs of messages.
    pub costs: Arc<Costs>,
    /// Algorithms of the collectives.
    pub choice: Choice,
    /// From whom a receive takes that asked for any source or any tag.
    pub sources: Sources,
    /// Says whether the times of the calls are kept.
    pub times: Times,
    /// The interfaces of the nodes, among which programs may choose.
    pub interfaces: Interfaces,
    /// The way in which the messages of each step leave their node, by rank and step; as the machine says behind the end of a list.
    /// `None`: all as the machine says.
    pub ways: Option<Arc<Vec<Vec<SendOptions>>>>,
    /// Number of times that each rank does all its events, one after the other.
    pub rounds: Rounds,
}

/// Number of times that ranks do their events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rounds {
    /// A number of times; 0 and 1 are once.
    Times(u64),
    /// Without an end, but for ranks that need not wait in all of their events.
    Endless,
}

impl Default for Rounds {
    fn default() -> Self {
        Self::Times(1)
    }
}

/// From whom a receive takes that asked for any source or any tag.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sources {
    /// From the rank, and with the tag, from which it took when the profile was logged; as it was posted where that is
    /// not known. What the program did next may hang on it.
    #[default]
    Recorded,
    /// From whoever comes first on this machine.
    AsPosted,
}

/// Says whether the times of the calls are kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Times {
    /// They are not.
    #[default]
    No,
    /// Beginning and end of each step, for [`Replay::times`](crate::Replay::times).
    Kept,
}
