//! Service classes at a router: which class goes first, and what it keeps free for that.
//!
//! A packet with a credit that waits for its input or its output port holds back packets of lower priorities that would take one of the two:
//! else an input and an output that become free in turns could be taken by others for ever. So it waits for what has been granted before
//! it, and for what is in the output buffer. Packets without a credit, and those of the same priority, hold back nothing.

use super::RouterStates;
use super::router::{Due, Router};
use crate::network::Output;
use crate::slots::Filling;

impl<const HELD: bool, const CLASSED: bool> Router<'_, '_, HELD, CLASSED> {
    /// The place of the packet that goes first of all that could at an instant. Of those of the highest priority the arbiter chooses one,
    /// whose output is next; of all for this output, that of the class whose turn it is; and of these the one that the arbiter chooses.
    pub(super) fn first_by_class(&self, due: &[Due], now: u64) -> usize {
        let (Some(services), Some(turns)) = (&self.network.services, &self.state.turns) else { return 0 };
        let could = || due.iter().enumerate().filter(|(_, head)| head.at == now);
        let level = |head: &Due| services.all[services.of_channel(head.vc)].level;
        let Some((_, next)) = could().min_by_key(|(_, head)| (level(head), self.rank(head))) else {
            return 0;
        };
        let rivals = could().filter(|(_, head)| (level(head), head.output) == (level(next), next.output));
        let rank = |head: &Due| {
            let service = services.of_channel(head.vc);
            let tag = turns.tags[self.output(head) * turns.services + service];
            (tag, service, self.rank(head))
        };
        rivals.min_by_key(|(_, head)| rank(head)).map_or(0, |(place, _)| place)
    }

    /// Until when a packet waits that could cross at an instant, but for one of a higher priority that waits for one of its ports.
    pub(super) fn reserved(&self, due: &[Due], place: usize, now: u64) -> Option<u64> {
        let services = self.network.services.as_ref()?;
        let level = |head: &Due| services.all[services.of_channel(head.vc)].level;
        let own = &due[place];
        let holds_back = |other: &&Due| {
            (other.input == own.input || other.output == own.output)
                && level(other) < level(own)
                && self.waits(other, now)
        };
        let until = due.iter().filter(holds_back).map(|other| other.at);
        until.filter(|&until| until > now).min()
    }

    /// Returns whether a packet waits at an instant for nothing but ports.
    fn waits(&self, head: &Due, now: u64) -> bool {
        let RouterStates { turned, outputs, tails, .. } = &*self.state;
        let turned = turned.get(self.own_lane(head)).copied().unwrap_or(0);
        let (output, vcs) = (self.output(head), self.network.vcs as usize);
        let port = &outputs[output];
        let has_credit = || {
            let tails = &tails[output * vcs..][..vcs];
            let filling = Filling { slots: self.slots, first_lane: port.lane, tails };
            let range = self.network.class_range(head.class);
            filling.find_credit(range, range.0, now, self.end).is_ok()
        };
        head.eligible.max(turned) <= now && (port.to & Output::NODE != 0 || has_credit())
    }

    /// A packet of so many bytes has been granted at an instant: it was the turn of its class.
    pub(super) fn note_turn(&mut self, due: &[Due], (place, bytes): (usize, u32), now: u64) {
        let Some(services) = &self.network.services else { return };
        let (own, output) = (&due[place], self.output(&due[place]));
        let rivals = due
            .iter()
            .enumerate()
            .filter(|&(other, head)| other != place && head.output == own.output && self.waits(head, now));
        let waiting = rivals.fold(0, |waiting, (_, head)| waiting | 1 << services.of_channel(head.vc));
        if let Some(turns) = &mut self.state.turns {
            let tags = &mut turns.tags[output * turns.services..][..turns.services];
            services.served(tags, services.of_channel(own.vc), bytes, waiting);
        }
    }
}
