//! Looks in vain: a rank sleeps as long as it did when it was logged, and goes on at the same place among what happens to it.
//!
//! ```text
//!   begin -> time comes up to the rank's clock -> sleep until `time` -> has what came then woken the rank?
//!                                                                        no: over    yes: until it has come
//! ```
//! A message that comes meanwhile finds a rank that sleeps, not one that is ahead. Where several things happen at the instant at which
//! a look is over, what the rank does next comes between them.

use super::{Replay, ReplayState};
use weir_formats::profile::{Act, PollFirst};
use weir_message::Body;
use weir_network::Actions;
use weir_units::{Duration, Time};

/// Nothing that happens ends the look in vain.
pub(super) const NEVER: u64 = u64::MAX;

/// Returns whether a call first lets time come up to the rank's clock.
pub(crate) fn looks(act: &Act) -> bool {
    match act {
        Act::Poll { .. }
        | Act::Wait { look: PollFirst::Yes, .. }
        | Act::Probe { look: PollFirst::Yes, .. } => true,
        act => super::rare::looks(act),
    }
}

impl Replay {
    /// A look in vain: sleeps until an instant, and if something is to come at that instant, until it has come. On another
    /// machine nothing may come then: the look ends a picosecond later, when nothing more can come at the instant.
    pub(super) fn sleep(&mut self, until: Time, actions: &mut Actions<Body>) {
        let now = actions.now();
        if until <= now && !self.awaits_more() {
            return self.over();
        }
        let at = if until > now { until } else { now + Duration::from_ps(1) };
        self.tokens += 1;
        actions.set_timer(at, self.tokens);
        self.state = ReplayState::Sleep { until, token: self.tokens };
    }

    /// Returns whether something is still to come that ends the look in vain.
    fn awaits_more(&self) -> bool {
        self.awaited != NEVER && self.process.changes() < self.awaited
    }

    /// The timer of a look in vain fires.
    pub(super) fn end_sleep(&mut self, until: Time, actions: &mut Actions<Body>) {
        if actions.now() == until && self.awaits_more() {
            return self.sleep(until, actions);
        }
        self.wake(actions);
        self.over();
    }
}
