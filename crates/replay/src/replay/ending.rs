//! The end of a rank, behind its last event.

use super::{Doing, Replay};
use weir_message::Body;
use weir_network::Actions;

impl Replay {
    /// The rank is at its end: the run comes up to its clock.
    pub(super) fn end(&mut self, actions: &mut Actions<Body>) {
        let clock = self.process.clock();
        self.doing = Doing::Over;
        if clock > actions.now() {
            self.tokens += 1;
            actions.set_timer(clock, self.tokens);
            self.doing = Doing::Ending(self.tokens);
        }
    }
}
