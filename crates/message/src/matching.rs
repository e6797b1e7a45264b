//! Envelopes of messages, the bodies that travel, and which receive gets which message.
//!
//! The rule of the standard (MPI 5.0, section 3.5): messages do not overtake. Of the messages a receive could take
//! it takes the one that arrived first (messages of one sender arrive in the order they were sent), and of the
//! receives that could take a message the one posted first gets it. Both sides prefer in one common order, so the
//! pairs do not depend on how arrivals and receives interleave: a rank may post its receives ahead of the clock.

use crate::window::WindowMessage;
use crate::{ANY_SOURCE, ANY_TAG, Data, RequestId, Status};
use std::collections::VecDeque;
use weir_units::{Rank, Time};

/// The actions with which a rank answers an event.
pub type Actions = weir_network::Actions<Body>;

/// A message that has arrived, or has asked to be sent, before a receive matched it.
#[derive(Clone, Debug)]
pub(crate) struct Unexpected {
    pub(crate) envelope: Envelope,
    /// Rank of the sender in the world.
    pub(crate) from: Rank,
    /// Its number among the messages of its sender.
    pub(crate) sequence: u64,
    pub(crate) at: Time,
    /// [`Body::Eager`] or [`Body::RequestToSend`].
    pub(crate) body: Body,
}

impl Unexpected {
    /// The status that a probe returns.
    pub(crate) fn status(&self) -> Status {
        let Envelope { source, tag, .. } = self.envelope;
        Status { source: source as i32, tag, bytes: self.bytes(), cancelled: false, error: None }
    }

    /// Length of the message in bytes.
    pub(crate) fn bytes(&self) -> u64 {
        match &self.body {
            Body::Eager { data, .. } | Body::Data { data, .. } => data.length(),
            Body::RequestToSend { bytes, .. } => *bytes,
            _ => 0,
        }
    }
}

/// The posted and the unexpected queue of one rank. Searching is linear in what waits.
#[derive(Debug, Default)]
pub(crate) struct Matching {
    /// The receive that was posted first, which is the only one of most ranks: it lies in the rank itself.
    first: Option<(Selector, RequestId)>,
    /// Those that were posted after it.
    others: VecDeque<(Selector, RequestId)>,
    unexpected: VecDeque<Unexpected>,
}

impl Matching {
    /// A receive waits, because [none of the messages](Self::take_unexpected) that have come is for it.
    pub(crate) fn post(&mut self, selector: Selector, request: RequestId) {
        match self.first {
            None => self.first = Some((selector, request)),
            Some(_) => self.others.push_back((selector, request)),
        }
    }

    /// A message comes: the receive that takes it, if one waits.
    pub(crate) fn take_posted(&mut self, envelope: &Envelope) -> Option<RequestId> {
        let (selector, request) = self.first?;
        if selector.takes(envelope) {
            self.first = self.others.pop_front();
            return Some(request);
        }
        let index = self.others.iter().position(|(selector, _)| selector.takes(envelope))?;
        self.others.remove(index).map(|(_, request)| request)
    }

    /// The messages that no receive has matched yet, in the order in which they came.
    pub(crate) fn waiting(&self) -> impl Iterator<Item = &Unexpected> {
        self.unexpected.iter()
    }

    /// Keeps a message that no receive has matched yet.
    pub(crate) fn keep(&mut self, message: Unexpected) {
        self.unexpected.push_back(message);
    }

    /// The message that a receive with these wishes would take now.
    pub(crate) fn probe(&self, selector: &Selector) -> Option<&Unexpected> {
        self.unexpected.iter().find(|message| selector.takes(&message.envelope))
    }

    /// Takes the message that a receive with these wishes would take now out of the queue: no other receive gets it.
    #[inline]
    pub(crate) fn take_unexpected(&mut self, selector: &Selector) -> Option<Unexpected> {
        let index = self.unexpected.iter().position(|message| selector.takes(&message.envelope))?;
        self.unexpected.remove(index)
    }

    /// Forgets that `from` has asked to send with its request `send`; whether it was still waiting.
    pub(crate) fn withdraw(&mut self, from: Rank, send: u32) -> bool {
        let asks = |message: &Unexpected| {
            message.from == from
                && matches!(message.body, Body::RequestToSend { send: known, .. } if known == send)
        };
        self.unexpected.iter().position(asks).and_then(|index| self.unexpected.remove(index)).is_some()
    }

    /// The posted receive that would take this message.
    pub(crate) fn taker(&self, envelope: &Envelope) -> Option<RequestId> {
        let mut posted = self.first.iter().chain(&self.others);
        posted.find(|(selector, _)| selector.takes(envelope)).map(|(_, request)| *request)
    }

    /// Withdraws a posted receive; whether it was still waiting.
    pub(crate) fn cancel(&mut self, request: RequestId) -> bool {
        if self.first.is_some_and(|(_, posted)| posted == request) {
            self.first = self.others.pop_front();
            return true;
        }
        let place = self.others.iter().position(|(_, posted)| *posted == request);
        place.and_then(|place| self.others.remove(place)).is_some()
    }

    /// The number of messages that no receive has matched.
    pub(crate) fn unexpected(&self) -> usize {
        self.unexpected.len()
    }
}

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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ANY_SOURCE, ANY_TAG, Data};
    use proptest::prelude::*;

    fn message(source: u32, tag: i32) -> Unexpected {
        let envelope = Envelope { context: 0, source, tag };
        let data = Data::default();
        Unexpected {
            envelope,
            from: Rank(source),
            sequence: 0,
            at: Time::ZERO,
            body: Body::Eager { envelope, data },
        }
    }

    /// One step of a rank: a receive is posted or a message comes.
    #[derive(Clone, Debug)]
    enum Step {
        Post(i32, i32),
        Come(u32, i32),
    }

    /// Pairs (number of the receive, number of the message) after all steps.
    fn pairs(steps: &[Step]) -> Vec<(u32, usize)> {
        let mut matching = Matching::default();
        let mut pairs = Vec::new();
        let (mut receives, mut messages) = (0, Vec::new());
        for step in steps {
            match *step {
                Step::Post(source, tag) => {
                    let selector = Selector { context: 0, source, tag };
                    match matching.take_unexpected(&selector) {
                        Some(found) => pairs.push((receives, found.at.as_ps() as usize)),
                        None => matching.post(selector, RequestId(receives)),
                    }
                    receives += 1;
                }
                Step::Come(source, tag) => {
                    let number = messages.len();
                    messages.push((source, tag));
                    let mut new = message(source, tag);
                    new.at = Time::from_ps(number as u64);
                    match matching.take_posted(&new.envelope) {
                        Some(RequestId(receive)) => pairs.push((receive, number)),
                        None => matching.keep(new),
                    }
                }
            }
        }
        pairs.sort_unstable();
        pairs
    }

    #[test]
    fn first_come_first_matched() {
        use Step::{Come, Post};
        // A wildcard receive posted first takes the first message, although a later receive asks for just that one.
        assert_eq!(pairs(&[Post(ANY_SOURCE, 7), Post(1, 7), Come(1, 7), Come(2, 7)]), [(0, 0)]);
        // Two messages of one sender are received in the order of sending; another tag may be taken before.
        assert_eq!(
            pairs(&[Come(1, 7), Come(1, 8), Come(1, 7), Post(1, 8), Post(1, ANY_TAG), Post(1, 7)]),
            [(0, 1), (1, 0), (2, 2)]
        );
    }

    /// Requests of two senders may have the same number: only the one that is named, of the sender that names it, goes.
    #[test]
    fn a_sender_withdraws_its_own_message() {
        let mut matching = Matching::default();
        for (from, send) in [(1, 5), (2, 5), (2, 6), (1, 6)] {
            let envelope = Envelope { context: 0, source: from, tag: 0 };
            let body = Body::RequestToSend { envelope, bytes: 1, send };
            matching.keep(Unexpected { body, ..message(from, 0) });
        }
        matching.keep(message(2, 0));
        assert!(matching.withdraw(Rank(2), 6));
        assert!(!matching.withdraw(Rank(2), 6), "only once");
        assert!(!matching.withdraw(Rank(3), 5), "it has none");
        let left = std::iter::from_fn(|| {
            matching.take_unexpected(&Selector { context: 0, source: ANY_SOURCE, tag: 0 })
        });
        let left: Vec<_> =
            left.map(|message| (message.from.0, matches!(message.body, Body::Eager { .. }))).collect();
        assert_eq!(left, [(1, false), (2, false), (1, false), (2, true)]);
    }

    /// A receive that is withdrawn takes nothing; the one behind it does.
    #[test]
    fn a_receive_is_withdrawn_once() {
        let mut matching = Matching::default();
        let any = Selector { context: 0, source: ANY_SOURCE, tag: 0 };
        [3, 4].iter().for_each(|&id| matching.post(any, RequestId(id)));
        assert_eq!((matching.cancel(RequestId(3)), matching.cancel(RequestId(3))), (true, false));
        let envelope = Envelope { context: 0, source: 1, tag: 0 };
        assert_eq!([(); 2].map(|()| matching.take_posted(&envelope)), [Some(RequestId(4)), None]);
    }

    fn any_post() -> impl Strategy<Value = Step> {
        (-1..3, -1..3).prop_map(|(source, tag)| Step::Post(source, if tag < 0 { ANY_TAG } else { tag }))
    }

    fn any_message() -> impl Strategy<Value = Step> {
        (0..3u32, 0..3).prop_map(|(source, tag)| Step::Come(source, tag))
    }

    proptest! {
        /// The law that lets a rank post its receives ahead of the clock.
        #[test]
        fn pairs_do_not_depend_on_the_interleaving(
            posts in prop::collection::vec(any_post(), 0..12),
            messages in prop::collection::vec(any_message(), 0..12),
            choices in prop::collection::vec(any::<bool>(), 24),
        ) {
            let posts_first: Vec<Step> = posts.iter().chain(&messages).cloned().collect();
            let (mut posts, mut messages) = (posts.into_iter().peekable(), messages.into_iter().peekable());
            let mut mixed = Vec::new();
            for choice in choices {
                mixed.extend(if choice { posts.next() } else { messages.next() });
            }
            mixed.extend(posts);
            mixed.extend(messages);
            prop_assert_eq!(pairs(&posts_first), pairs(&mixed));
        }
    }
}
