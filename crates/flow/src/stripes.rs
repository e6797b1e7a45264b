//! Messages that several interfaces send: what stands in the queue of each, and the message that waits for all of them.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use weir_network::{Class, Message, Notice};
use weir_units::{Bytes, Rank, Time};

/// A message or a share of one that an interface sends, or is to send.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum Queued<B> {
    /// A message, and whether its sender asks for an event at its departure.
    Whole(Message<B>, Notice),
    /// The share of a message that this interface sends.
    Part(Part),
}

impl<B> Queued<B> {
    pub(crate) fn bytes(&self) -> Bytes {
        match self {
            Self::Whole(message, _) => message.bytes,
            Self::Part(part) => part.bytes,
        }
    }

    /// Returns whether it is a whole message of the program.
    pub(crate) fn is_data(&self) -> bool {
        matches!(self, Self::Whole(message, _) if matches!(message.class, Class::Data | Class::UnorderedData))
    }

    pub(crate) fn whole(&mut self) -> Option<&mut Message<B>> {
        if let Self::Whole(message, _) = self { Some(message) } else { None }
    }
}

/// A share of a message.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Part {
    /// The sender, and the number of the message among its messages.
    pub(crate) of: (Rank, u64),
    pub(crate) to: Rank,
    pub(crate) bytes: Bytes,
}

/// The messages of which parts have not left, by sender and number.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Stripes<B> {
    messages: BTreeMap<(Rank, u64), Striped<B>>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Striped<B> {
    message: Message<B>,
    notice: Notice,
    has_started: bool,
    /// Parts that have not left.
    left: u32,
    /// When those that have are there.
    arrives: Time,
}

impl<B> Default for Stripes<B> {
    fn default() -> Self {
        Self { messages: BTreeMap::new() }
    }
}

impl<B> Stripes<B> {
    /// A message is handed over in so many parts.
    pub(crate) fn add(&mut self, message: Message<B>, notice: Notice, left: u32) {
        let of = (message.from, message.sequence);
        let arrives = Time::ZERO;
        self.messages.insert(of, Striped { message, notice, has_started: false, left, arrives });
    }

    /// A part becomes active; the first of a message is when it starts.
    pub(crate) fn starts(&mut self, part: &Part, now: Time) {
        if let Some(striped) = self.messages.get_mut(&part.of)
            && !std::mem::replace(&mut striped.has_started, true)
        {
            striped.message.started = now;
        }
    }

    /// A part has left, and is there at an instant. With the last one: the message, and when all of it is there.
    pub(crate) fn leaves(&mut self, part: &Part, arrives: Time) -> Option<(Message<B>, Notice, Time)> {
        let striped = self.messages.get_mut(&part.of).expect("a message waits for all its parts");
        striped.left -= 1;
        striped.arrives = striped.arrives.max(arrives);
        if striped.left > 0 {
            return None;
        }
        let Striped { message, notice, arrives, .. } = self.messages.remove(&part.of)?;
        Some((message, notice, arrives))
    }
}
