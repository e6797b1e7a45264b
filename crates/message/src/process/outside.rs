//! Requests for something beside messages: whoever does it ends them.

use super::Process;
use crate::observer::Deed;
use crate::request::{About, Owner, Request, State};
use crate::{Body, Completion, MpiError, RequestId};
use weir_network::Actions;

impl Process {
    /// A request that is complete when [`Self::end_outside`] says so; its completion is known now.
    pub fn start_outside(&mut self, completion: Completion) -> RequestId {
        let state = State::Outside(completion);
        self.requests.add(Request { state, owner: Owner::Program, about: About::NOBODY })
    }

    /// Ends request `id` now.
    ///
    /// # Panics
    /// When it is not a request that [`Self::start_outside`] has made and that has not ended.
    pub fn end_outside(&mut self, actions: &mut Actions<Body>, id: RequestId) {
        let request = self.requests.get_mut(id).expect("such a request lives until it is ended");
        let State::Outside(completion) = std::mem::replace(&mut request.state, State::Leaving) else {
            unreachable!("it is ended once")
        };
        self.complete(actions, id, actions.now(), completion);
    }

    /// A request that is complete when [`Self::fulfil`] says so.
    pub fn open(&mut self) -> RequestId {
        let id =
            self.requests.add(Request { state: State::Open, owner: Owner::Program, about: About::NOBODY });
        self.observe(Deed::Open(id));
        id
    }

    /// Completes a request of [`Self::open`].
    ///
    /// # Errors
    /// When there is no such request, or it is not open.
    pub fn fulfil(&mut self, actions: &mut Actions<Body>, id: RequestId) -> Result<(), MpiError> {
        match self.requests.get(id) {
            Some(Request { state: State::Open, .. }) => {
                self.complete(actions, id, self.clock, Completion::empty());
                self.observe(Deed::Fulfil(id));
                Ok(())
            }
            _ => Err(MpiError::Request),
        }
    }
}
