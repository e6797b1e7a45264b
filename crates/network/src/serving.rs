//! Order in which an interface serves its messages.

use serde::{Deserialize, Serialize};
use weir_units::Bytes;

/// Order in which an interface serves the messages that it has been given.
///
/// # Model
/// The interfaces of InfiniBand, RoCE and Slingshot have a queue for each connection and serve all queues that have something in turn.
/// So messages to different receivers share the interface, and none waits until another one has left. The node of MFS (paper 000,
/// section 3.2) and the interface of NSIM (paper 003) send one message after the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Serving {
    /// One message after the other, in the order in which the interface has got them, also those without data.
    InOrder,
    /// Messages share the interface, and those without data (requests, clearances, acknowledgements) never wait for others.
    Shared {
        /// The most messages with data that an interface sends at once, at least 1. Those behind them wait in the order in which the
        /// interface has got them.
        at_once: u32,
    },
}

impl Default for Serving {
    fn default() -> Self {
        Self::Shared { at_once: Self::AT_ONCE }
    }
}

impl Serving {
    /// The most messages that a shared interface sends at once by default.
    pub const AT_ONCE: u32 = 64;

    /// The most messages of those that [take a place](Self::takes_place) that an interface sends at once.
    #[must_use]
    pub const fn at_once(self) -> u32 {
        match self {
            Self::InOrder => 1,
            Self::Shared { at_once } => at_once,
        }
    }

    /// Returns whether messages share the interface.
    #[must_use]
    pub const fn is_shared(self) -> bool {
        matches!(self, Self::Shared { .. })
    }

    /// Returns whether a message of so many bytes is one of those of which only so many are sent at once.
    #[must_use]
    pub fn takes_place(self, bytes: Bytes) -> bool {
        !self.is_shared() || bytes > Bytes::ZERO
    }
}
