//! Receives and messages that find each other.

/// Which of a receive and a message that belong together came last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MatchedBy {
    /// The receive: the message had come before.
    Receive,
    /// The message, now. The rank may have posted the receive for a later instant.
    Message,
}
