//! The end of a rank, behind its last event.

use super::{Replay, ReplayState};
use weir_message::Body;
use weir_network::Actions;

impl Replay {
    /// The rank is at its end: the run comes up to its clock.
    pub(super) fn end(&mut self, actions: &mut Actions<Body>) {
        let clock = self.process.clock();
        self.state = ReplayState::Over;
        if clock > actions.now() {
            self.tokens += 1;
            actions.set_timer(clock, self.tokens);
            self.state = ReplayState::Ending(self.tokens);
        }
    }
}
