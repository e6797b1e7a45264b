//! Choices of a program for the messages it sends, beyond MPI: the extensions of paper 003, section 4.1.

use weir_network::Way;
use weir_units::Bytes;

/// Choices for the messages that a rank sends from now on. The default leaves all to the machine.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SendChoices {
    /// Eager or rendezvous.
    pub protocol: Protocol,
    /// Copied first or not.
    pub copying: Copying,
    /// Interface and inter-packet gap.
    pub way: Way,
}

/// Which way a message of [`Mode::Standard`](crate::Mode::Standard), buffered or ready goes; synchronous ones are always
/// by rendezvous, since their sender waits for the receiver.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Protocol {
    /// Eager up to [`Costs::eager_limit`](crate::Costs::eager_limit).
    #[default]
    Auto,
    /// Without asking, however long.
    Eager,
    /// The receiver is asked, however short.
    Rendezvous,
}

/// Copying of a message into a buffer of the library before it leaves (paper 003, section 3.1). Messages of
/// [`Mode::Buffered`](crate::Mode::Buffered) always are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Copying {
    /// Eager messages are copied, those by rendezvous are not.
    #[default]
    Auto,
    /// Not copied: no processor time for it, but the send is complete only when the data have left the node.
    ZeroCopy,
    /// Copied, at [`Costs::memory_bandwidth`](crate::Costs::memory_bandwidth).
    OneCopy,
}

/// The same for one message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Copies {
    None,
    One,
}

/// Choices that programs have among the interfaces of their nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Interfaces {
    /// Interfaces of a node.
    pub count: u16,
    /// Inter-packet gaps of single messages.
    pub gaps: Gaps,
}

/// Presence of inter-packet gaps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Gaps {
    /// The engine knows no packets.
    None,
    /// Each message may have its own.
    PerMessage,
}

impl Interfaces {
    /// Those of engines that know nothing of packets.
    pub const PLAIN: Self = Self { count: 1, gaps: Gaps::None };
}

impl Default for Interfaces {
    fn default() -> Self {
        Self::PLAIN
    }
}

impl Protocol {
    /// Returns whether a message of so many bytes goes without asking where [`Self::Auto`] does up to a limit.
    pub(crate) fn is_eager(self, limit: Bytes, bytes: Bytes) -> bool {
        match self {
            Self::Auto => bytes <= limit,
            Self::Eager => true,
            Self::Rendezvous => false,
        }
    }
}

impl Copying {
    /// Copies of a message that is copied where nothing is chosen, or not.
    pub(crate) fn or(self, automatic: Copies) -> Copies {
        match self {
            Self::Auto => automatic,
            Self::ZeroCopy => Copies::None,
            Self::OneCopy => Copies::One,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_nothing_is_known_of_interfaces_there_is_one() {
        assert_eq!(Interfaces::default(), Interfaces { count: 1, gaps: Gaps::None });
    }
}
