//! What is written on a message, and what travels.

use crate::Data;
use crate::constants::{ANY_SOURCE, ANY_TAG};
use crate::window::WindowMessage;

/// What is written on a message: which communicator, from whom, which tag.
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

/// What a receive or a probe asks for.
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
    /// Whether a message with this envelope will do.
    #[must_use]
    pub fn takes(&self, envelope: &Envelope) -> bool {
        self.context == envelope.context
            && (self.source == ANY_SOURCE || self.source == envelope.source as i32)
            && (self.tag == ANY_TAG || self.tag == envelope.tag)
    }
}

/// What travels through the network between two processes.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Body {
    /// A whole message.
    Eager {
        /// What is written on it.
        envelope: Envelope,
        /// The data.
        data: Data,
    },
    /// May I send so much? (rendezvous, first step)
    RequestToSend {
        /// What is written on the message to come.
        envelope: Envelope,
        /// Its length in bytes.
        bytes: u64,
        /// The sender's request.
        send: u32,
    },
    /// Yes. (rendezvous, second step)
    ClearToSend {
        /// The sender's request.
        send: u32,
        /// The receiver's request.
        receive: u32,
    },
    /// Here it is. (rendezvous, third step)
    Data {
        /// The receiver's request.
        receive: u32,
        /// The data.
        data: Data,
    },
    /// What windows say to each other.
    Window(Box<WindowMessage>),
    /// [`Self::Eager`] or [`Self::RequestToSend`] of a ready send: its sender promises that the receive is posted.
    Ready(Box<Self>),
    /// Forget that I have asked to send. (cancelling, first step)
    Withdraw {
        /// The sender's request.
        send: u32,
    },
    /// Forgotten: no receive had matched it. (cancelling, second step)
    Withdrawn {
        /// The sender's request.
        send: u32,
    },
}
