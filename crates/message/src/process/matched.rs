//! Matched probes: a message is taken out of the queue when it is found, and received later, by that name alone
//! (MPI 5.0, section 3.8.2).

use super::Process;
use super::matched_by::MatchedBy;
use crate::observer::Deed;
use crate::request::{About, Owner, Request, State};
use crate::{Body, CommunicatorId, MpiError, RequestId, Selector, Status};
use weir_network::Actions;

/// A message that a matched probe has found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MessageId(pub u32);

impl Process {
    /// Takes the message that a receive with these wishes would take now out of the queue: its name and its status.
    pub fn match_message(&mut self, selector: &Selector) -> Option<(MessageId, Status)> {
        let message = self.matching.take_unexpected(selector)?;
        self.makes_progress();
        let status = message.status();
        let messages = &mut self.rare().matched;
        let free = messages.iter().position(Option::is_none).unwrap_or_else(|| {
            messages.push(None);
            messages.len() - 1
        });
        let context = message.envelope.context;
        messages[free] = Some(message);
        let message = MessageId(free as u32);
        if self.is_observed()
            && let Some(id) = self.communicator_of(context)
        {
            let (source, tag, status) = (selector.source, selector.tag, &status);
            self.observe_on(id, |communicator| Deed::Match { source, tag, message, status, communicator });
        }
        Some((message, status))
    }

    /// Starts to receive a message found before, into a buffer of `capacity` bytes.
    ///
    /// # Errors
    /// `MPI_ERR_REQUEST` when there is no such message (MPI 5.0 has no class of its own for it).
    pub fn receive_matched(
        &mut self,
        actions: &mut Actions<Body>,
        id: MessageId,
        capacity: u64,
    ) -> Result<RequestId, MpiError> {
        let name = Some(id);
        let known = self.rare().matched.get_mut(id.0 as usize).and_then(Option::take);
        let message = known.ok_or(MpiError::Request)?;
        self.wake(actions.now());
        self.makes_progress();
        let communicator = self.communicator_of(message.envelope.context).unwrap_or(CommunicatorId::WORLD);
        let about = About { communicator, peer: message.envelope.source as i32, tag: message.envelope.tag };
        let state = State::Receiving { capacity, posted: self.clock, envelope: None };
        let id = self.requests.add(Request { state, owner: Owner::Program, about });
        self.take(actions, id, message, MatchedBy::Receive);
        self.observe(Deed::ReceiveMatched { message: name, capacity, request: id });
        Ok(id)
    }

    /// A receive of the message of nobody, which is complete.
    pub fn receive_nothing(&mut self) -> RequestId {
        let request = self.received_from_nobody(About::NOBODY);
        self.observe(Deed::ReceiveMatched { message: None, capacity: 0, request });
        request
    }
}
