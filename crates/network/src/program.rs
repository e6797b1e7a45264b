//! Programs of endpoints.

use crate::causes::{Ledger, Trail};
use crate::{Actions, SendOptions, Stepper, Waiting};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::num::NonZeroU64;
use weir_units::{Bytes, Rank, Time};

/// A message between two ranks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message<B> {
    /// The rank that sends.
    pub from: Rank,
    /// The rank that receives.
    pub to: Rank,
    /// Bytes that the network carries; the body may be larger or smaller.
    pub bytes: Bytes,
    /// The class that it is counted as.
    pub class: Class,
    /// Number of this message among those of its sender, from zero, in the order of sending.
    pub sequence: u64,
    /// Which of the receiver's messages it replies to, if it is a reply of a protocol: see [`Actions::reply`](crate::Actions::reply).
    pub replies_to: Option<MessageNumber>,
    /// When its node's interface got it.
    pub posted: Time,
    /// When its first byte left; as far as the engine knows, until then the same as `posted`.
    pub started: Time,
    /// The way by which it is to leave its node; `None`: as the machine has it.
    pub way: Option<Box<SendOptions>>,
    /// Its states and the path that led to it, where [causes](crate::causes) are kept.
    pub trail: Option<Box<Trail>>,
    /// Contents that only programs understand.
    pub body: B,
}

impl<B> Message<B> {
    /// Returns whether it may not be there before messages that the same rank has sent to the same receiver earlier, and that keep this order, too.
    pub fn keeps_order(&self) -> bool {
        self.replies_to.is_none() && matches!(self.class, Class::Data | Class::Control)
    }
}

impl Class {
    /// Returns whether the simulated program sends it.
    pub const fn is_data(self) -> bool {
        matches!(self, Self::Data | Self::UnorderedData)
    }
}

/// The number of a message among those of its sender, in eight bytes also where there may be none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct MessageNumber(NonZeroU64);

impl MessageNumber {
    /// Number of the message with this [`Message::sequence`].
    pub const fn new(sequence: u64) -> Self {
        Self(NonZeroU64::MIN.saturating_add(sequence))
    }

    /// The [`Message::sequence`].
    pub const fn sequence(self) -> u64 {
        self.0.get() - 1
    }
}

/// Class of a message in the summary.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Class {
    /// Something the simulated program sends.
    Data,
    /// Something a protocol needs: a request to send, a clearance.
    Control,
    /// Data that the receiver has asked for, which need not come in the order of sending.
    UnorderedData,
    /// Something a protocol needs that need not come in the order of sending: an acknowledgement.
    UnorderedControl,
}

/// An event for a program.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Event<B> {
    /// The run begins; delivered once to every rank, at time zero.
    Start,
    /// All of a message has arrived at this rank's node.
    Arrived(Message<B>),
    /// The last byte of this rank's own message has left its node (delivered only where [`Notice`](crate::Notice) asks).
    Departed {
        /// Which message: the number [`Actions::send`](crate::Actions::send) gave it.
        sequence: u64,
    },
    /// A timer set by this rank has fired.
    Timer {
        /// The number that the rank gave when it set the timer.
        token: u64,
    },
}

/// Program of an endpoint: one rank of a simulated program. It knows itself and the events it gets, nothing else.
pub trait Program {
    /// Contents of its messages beside their size.
    type Body;

    /// Reacts to one event, at [`Actions::now`].
    ///
    /// The one of two messages of a pair of ranks that was sent first is delivered first, unless it was sent for a later
    /// instant ([`Send::at`](crate::Send::at)) than the other one, or one of them [keeps no order](Message::keeps_order).
    fn react(&mut self, event: Event<Self::Body>, actions: &mut Actions<Self::Body>);

    /// Returns the wait of the rank, asked when nothing will ever happen again; `None` if it has nothing left to do.
    fn waiting(&self) -> Option<Waiting> {
        None
    }

    /// Returns whether it has nothing left to do of its own: only messages may still come.
    fn is_over(&self) -> bool {
        self.waiting().is_none()
    }

    /// Where the account of its time is, if it keeps one: asked for by [`Actions::keeps_causes`] at its start. Whoever runs it takes it out
    /// when the run is over, looks at it before, and puts another one there when the run goes on from a checkpoint.
    fn ledger(&mut self) -> Option<&mut Option<Box<Ledger>>> {
        None
    }

    /// The program outside that steps the run, asked for once, at its start; the same for all ranks, which are on one thread.
    fn stepper(&self) -> Option<&dyn Stepper> {
        None
    }

    /// All that it has come to know since it was new, between two events, for a checkpoint, but for its
    /// account; `None` if it cannot be saved.
    fn save(&self) -> Option<Vec<u8>> {
        None
    }

    /// Puts a new program, made as the one that was saved, into its state; `None` if the bytes are not those of one.
    fn restore(&mut self, _saved: &[u8]) -> Option<()> {
        None
    }
}

/// Programs of any type as ones of a single type. An engine is large, and compiled anew for each type of its programs.
pub fn erased<P: Program>(programs: &mut [P]) -> Vec<&mut dyn Program<Body = P::Body>> {
    programs.iter_mut().map(|program| program as _).collect()
}

/// A program that is kept elsewhere.
impl<P: Program + ?Sized> Program for &mut P {
    type Body = P::Body;

    fn react(&mut self, event: Event<P::Body>, actions: &mut Actions<P::Body>) {
        (**self).react(event, actions);
    }

    fn waiting(&self) -> Option<Waiting> {
        (**self).waiting()
    }

    fn is_over(&self) -> bool {
        (**self).is_over()
    }

    fn ledger(&mut self) -> Option<&mut Option<Box<Ledger>>> {
        (**self).ledger()
    }

    fn stepper(&self) -> Option<&dyn Stepper> {
        (**self).stepper()
    }

    fn save(&self) -> Option<Vec<u8>> {
        (**self).save()
    }

    fn restore(&mut self, saved: &[u8]) -> Option<()> {
        (**self).restore(saved)
    }
}

/// Parts that only some messages have, in one byte for those that have none.
#[derive(Serialize, Deserialize)]
enum Beside<W, T> {
    Nothing,
    SendOptions(W),
    Trail(T),
    Both(W, T),
}

impl<B: Serialize> Serialize for Message<B> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        // Field by field, so that none is left out.
        let Self {
            from,
            to: receiver,
            bytes,
            class,
            sequence,
            replies_to,
            posted,
            started,
            way,
            trail,
            body,
        } = self;
        let beside = match (way, trail) {
            (None, None) => Beside::Nothing,
            (Some(way), None) => Beside::SendOptions(way),
            (None, Some(trail)) => Beside::Trail(trail),
            (Some(way), Some(trail)) => Beside::Both(way, trail),
        };
        (from, receiver, bytes, class, sequence, replies_to, posted, started, beside, body).serialize(to)
    }
}

impl<'de, B: Deserialize<'de>> Deserialize<'de> for Message<B> {
    fn deserialize<D: Deserializer<'de>>(bytes: D) -> Result<Self, D::Error> {
        let (from, to, bytes, class, sequence, replies_to, posted, started, beside, body) =
            Deserialize::deserialize(bytes)?;
        let (way, trail): (Option<Box<SendOptions>>, Option<Box<Trail>>) = match beside {
            Beside::Nothing => (None, None),
            Beside::SendOptions(way) => (Some(way), None),
            Beside::Trail(trail) => (None, Some(trail)),
            Beside::Both(way, trail) => (Some(way), Some(trail)),
        };
        Ok(Self { from, to, bytes, class, sequence, replies_to, posted, started, way, trail, body })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Class;
    use crate::causes::{Ledger, Sending};
    use weir_units::{Bytes, Rank, Time};

    /// With a way and without, with a trail and without; one that has neither takes one byte for that.
    #[test]
    fn what_is_read_is_what_was_written() {
        let trail = Ledger::new(Rank(3)).send(Time::from_ps(7), Sending::Late);
        let mut lengths = Vec::new();
        for has_way in [false, true] {
            for has_trail in [false, true] {
                let message = Message {
                    from: Rank(3),
                    to: Rank(1),
                    bytes: Bytes(8),
                    class: Class::Data,
                    sequence: 5,
                    replies_to: None,
                    posted: Time::from_ps(7),
                    started: Time::from_ps(9),
                    way: has_way.then(|| Box::new(SendOptions::default().with_nic(Some(1)))),
                    trail: has_trail.then(|| trail.clone()),
                    body: 'b',
                };
                let bytes = postcard::to_stdvec(&message).expect("memory takes all that is written");
                assert_eq!(postcard::from_bytes(&bytes), Ok(message));
                lengths.push(bytes.len());
            }
        }
        assert_eq!(lengths[0], 11, "{lengths:?}");
    }
}
