//! Envelopes of messages, and the bodies that travel.

use crate::Data;
use crate::constants::{ANY_SOURCE, ANY_TAG};
use crate::window::WindowMessage;

/// The envelope of a message: its communicator, its sender, its tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Envelope {
    /// The communicator's context. Collectives have a context of their own, so that they never meet the program's
    /// own messages.
    pub context: u64,
    /// Rank of the sender in that communicator.
    pub source: u32,
    /// The tag, not negative.
    pub tag: i32,
}

/// The envelopes that a receive or a probe takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Selector {
    /// The communicator's context.
    pub context: u64,
    /// Rank of the sender in that communicator, or [`ANY_SOURCE`].
    pub source: i32,
    /// The tag, or [`ANY_TAG`].
    pub tag: i32,
}

impl Selector {
    /// Returns whether it takes a message with this envelope.
    #[must_use]
    pub fn takes(&self, envelope: &Envelope) -> bool {
        self.context == envelope.context
            && (self.source == ANY_SOURCE || self.source == envelope.source as i32)
            && (self.tag == ANY_TAG || self.tag == envelope.tag)
    }
}

/// A message that travels through the network between two processes. `send` and `receive` are the requests of sender and receiver.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[allow(missing_docs)] // fields have the names of their types
pub enum Body {
    /// A whole message.
    Eager { envelope: Envelope, data: Data },
    /// May I send so many bytes? (rendezvous, first step)
    RequestToSend { envelope: Envelope, bytes: u64, send: u32 },
    /// Yes. (rendezvous, second step)
    ClearToSend { send: u32, receive: u32 },
    /// Here it is. (rendezvous, third step)
    Data { receive: u32, data: Data },
    /// A message between windows.
    Window(Box<WindowMessage>),
    /// [`Self::Eager`] or [`Self::RequestToSend`] of a ready send: its sender promises that the receive is posted.
    Ready(Box<Self>),
    /// Forget that I have asked to send. (cancelling, first step)
    Withdraw { send: u32 },
    /// Forgotten: no receive had matched it. (cancelling, second step)
    Withdrawn { send: u32 },
}
