//! Requests that are not to be carried out.

use super::sending::CONTROL_BYTES;
use super::{Process, cancelled};
use crate::observer::Deed;
use crate::request::State;
use crate::{Body, Completion, MpiError, RequestId};
use weir_network::Actions;
use weir_network::causes::Cause;

impl Process {
    /// Withdraws a receive if no message has come for it, or a send by rendezvous if no receive has taken it: the
    /// receiver is asked, so the send is complete a while later. Other requests go on (MPI 5.0, section 3.8.4, allows
    /// it to succeed or not).
    ///
    /// # Errors
    /// When there is no such request.
    pub fn cancel(&mut self, actions: &mut Actions<Body>, id: RequestId) -> Result<(), MpiError> {
        self.wake(actions.now());
        self.observe(Deed::Cancel(id));
        let request = self.requests.get(id).ok_or(MpiError::Request)?;
        match request.state {
            State::AwaitsClearance { to, .. } => {
                self.spend(self.send_time(to, CONTROL_BYTES), Cause::StartUp);
                self.control(actions, self.clock, to, Body::Withdraw { send: id.0 });
                self.account_for_send(actions);
            }
            State::Receiving { .. } if self.matching.cancel(id) => {
                let completion = Completion { status: cancelled(), ..Completion::empty() };
                self.complete(actions, id, self.clock, completion);
            }
            _ => {}
        }
        Ok(())
    }

    /// Returns whether this is a send by rendezvous that no receive has taken yet, as far as its rank knows.
    #[must_use]
    pub fn awaits_clearance(&self, id: RequestId) -> bool {
        self.requests.get(id).is_some_and(|request| matches!(request.state, State::AwaitsClearance { .. }))
    }
}
