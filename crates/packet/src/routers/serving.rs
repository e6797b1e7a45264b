//! Service classes at a router: which class goes first, and what it keeps free for that.
//!
//! A packet with a credit that waits for its input or its output port holds back packets of lower priorities that would take one of the two:
//! else an input and an output that become free in turns could be taken by others for ever. So it waits for what has been granted before
//! it, and for what is in the output buffer. Packets without a credit, and those of the same priority, hold back nothing.

use super::due::DueHeads;
use super::kinds::Kind;
use super::router::{Due, Router};
use crate::network::Output;

impl<K: Kind> Router<'_, '_, K> {
    /// The place of the packet that goes first of all that could at an instant. Of those of the highest priority the arbiter chooses one,
    /// whose output is next; of all for this output, that of the class whose turn it is; and of these the one that the arbiter chooses.
    pub(super) fn first_by_class(&self, due: &DueHeads, now: u64) -> usize {
        let (Some(services), Some(turns)) = (&self.network.services, &self.extras.turns) else { return 0 };
        let could = || due.ready(now);
        let level = |head: &Due| services.all[services.of_channel(head.vc)].level;
        let Some((_, next)) = could().min_by_key(|(_, head)| (level(head), self.ranking().rank(head))) else {
            return 0;
        };
        let rivals = could().filter(|(_, head)| (level(head), head.output) == (level(next), next.output));
        let rank = |head: &Due| {
            let service = services.of_channel(head.vc);
            let tag = turns.tags[self.place_of_output(head) * turns.services + service];
            (tag, service, self.ranking().rank(head))
        };
        rivals.min_by_key(|(_, head)| rank(head)).map_or(0, |(place, _)| place)
    }

    /// Until when a packet waits that could cross at an instant, but for one of a higher priority that waits for one of its ports.
    pub(super) fn reserved(&self, due: &DueHeads, place: usize, now: u64) -> Option<u64> {
        let services = self.network.services.as_ref()?;
        let level = |head: &Due| services.all[services.of_channel(head.vc)].level;
        let own = due.head(place);
        let holds_back = |other: &Due| {
            (other.input == own.input || other.output == own.output)
                && level(other) < level(own)
                && self.waits(other, now)
        };
        let until = due.iter().filter(|(_, _, other)| holds_back(other)).map(|(_, at, _)| at);
        until.filter(|&until| until > now).min()
    }

    /// Returns whether a packet waits at an instant for nothing but ports.
    fn waits(&self, head: &Due, now: u64) -> bool {
        let turned = self.extras.turned.get(self.place_of_lane(head)).copied().unwrap_or(0);
        let port = &self.outputs[usize::from(head.output)];
        let has_credit = || {
            let range = self.network.class_range(head.class);
            self.filling(head).find_credit(range, range.0, now, self.end).is_ok()
        };
        head.eligible.max(turned) <= now && (port.to & Output::NODE != 0 || has_credit())
    }

    /// A packet of so many bytes has been granted at an instant: it was the turn of its class.
    pub(super) fn note_turn(&mut self, due: &DueHeads, (place, bytes): (usize, u32), now: u64) {
        let Some(services) = &self.network.services else { return };
        let (own, output) = (due.head(place), self.place_of_output(due.head(place)));
        let rivals = due
            .iter()
            .filter(|&(other, _, head)| other != place && head.output == own.output && self.waits(head, now));
        let waiting = rivals.fold(0, |waiting, (_, _, head)| waiting | 1 << services.of_channel(head.vc));
        if let Some(turns) = &mut self.extras.turns {
            let tags = &mut turns.tags[output * turns.services..][..turns.services];
            services.served(tags, services.of_channel(own.vc), bytes, waiting);
        }
    }
}
