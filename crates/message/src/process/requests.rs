//! Queries of a program about its requests, and their ends.

use super::Process;
use crate::observer::Deed;
use crate::request::{About, Owner, Request, State};
use crate::{Completion, MpiError, RequestId};

impl Process {
    /// Returns whether a request is complete.
    ///
    /// # Errors
    /// When there is no such request.
    pub fn is_complete(&self, id: RequestId) -> Result<bool, MpiError> {
        match self.requests.get(id) {
            Some(request) => Ok(matches!(request.state, State::Complete { .. })),
            None => Err(MpiError::Request),
        }
    }

    /// The result of a complete request, without ending it; `None` if it is not complete.
    ///
    /// # Errors
    /// When there is no such request.
    pub fn completion(&self, id: RequestId) -> Result<Option<&Completion>, MpiError> {
        let request = self.requests.get(id).ok_or(MpiError::Request)?;
        Ok(match &request.state {
            State::Complete { completion, .. } => Some(completion),
            _ => None,
        })
    }

    /// Ends a complete request: the rank has seen its completion, which costs the overhead of a received message.
    ///
    /// # Errors
    /// When there is no such request, or it is not complete.
    pub fn finish(&mut self, id: RequestId) -> Result<Completion, MpiError> {
        if !self.is_complete(id)? {
            return Err(MpiError::Other("the request is not complete".into()));
        }
        let Some((at, completion)) = self.requests.take_completion(id) else { return Err(MpiError::Request) };
        self.wait_for_completion(at);
        self.makes_progress();
        if completion.status.source >= 0 {
            self.pay_for_receive(completion.from, &completion.data);
        }
        self.observe(Deed::Finish { request: id, status: &completion.status });
        Ok(completion)
    }

    /// A request that is complete, for sends that were complete at once.
    pub fn completed(&mut self) -> RequestId {
        let state = State::Complete { at: self.clock, completion: Completion::empty() };
        let id = self.requests.add(Request { state, owner: Owner::Program, about: About::NOBODY });
        self.observe(Deed::Completed(id));
        id
    }

    /// The program gives up this request, which goes on: [`Self::next_released`] names it when it is complete.
    ///
    /// # Errors
    /// When there is no such request.
    pub fn release(&mut self, id: RequestId) -> Result<(), MpiError> {
        if self.is_complete(id)? {
            self.rare().released.push_back(id);
        } else if let Some(request) = self.requests.get_mut(id) {
            request.owner = Owner::None;
        }
        self.observe(Deed::Release(id));
        Ok(())
    }

    /// Returns whether [`Self::next_released`] names one.
    #[must_use]
    #[inline]
    pub fn has_released(&self) -> bool {
        self.rare.as_ref().is_some_and(|rare| !rare.released.is_empty())
    }

    /// A complete request that the program has given up, each once, in the order of completion. What it has received
    /// still goes where the program asked for; then it is to be finished.
    pub fn next_released(&mut self) -> Option<RequestId> {
        self.rare.as_mut()?.released.pop_front()
    }
}
