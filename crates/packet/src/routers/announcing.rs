//! A router announces what waits for its outputs, see [`crate::announced`].

use super::kinds::Kind;
use super::router::Router;
use super::ruling::Ruling;
use crate::announced::word;
use crate::network::Output;

impl<K: Kind> Router<'_, '_, K> {
    /// Announces what waited at the beginning of the interval of an instant, unless that has been done; before anything is changed or
    /// looked at there.
    #[inline(always)]
    pub(super) fn announce(&mut self, now: u64) {
        if self.extras.ruling.as_ref().is_some_and(|ruling| ruling.last_announced.is_some()) {
            self.announce_interval_of(now);
        }
    }

    #[inline(never)]
    fn announce_interval_of(&mut self, now: u64) {
        let Some(ruling) = &mut self.extras.ruling else { return };
        let Ruling { queues, last_announced: Some(last), .. } = &mut **ruling else { return };
        let (first, length) = (self.before.outputs, self.network.announcement_interval());
        let interval = now / length;
        if last[first] >= interval {
            return;
        }
        last[first] = interval;
        let (at, vcs) = (interval * length, self.network.vcs as usize);
        for (place, port) in (first..).zip(&*self.outputs) {
            if port.to & Output::NODE == 0 {
                let bytes = queues.at(place, vcs, (self.slots, port.lane), at);
                if bytes > 0 {
                    let output = self.place.output + (place - first) as u32;
                    self.outbox.announce(output, word(interval, bytes));
                }
            }
        }
    }

    /// At the end of a window: announces what the beginning of its last interval needs, and wakes for the next one where anything waits.
    #[inline(always)]
    pub(super) fn end_announcing(&mut self) {
        if self.extras.ruling.as_ref().is_some_and(|ruling| ruling.last_announced.is_some()) {
            self.announce_to_the_end();
        }
    }

    #[inline(never)]
    fn announce_to_the_end(&mut self) {
        let end = self.window.end.as_ps();
        self.announce_interval_of(end - 1);
        let Some(ruling) = &mut self.extras.ruling else { return };
        let Ruling { queues, .. } = &mut **ruling;
        let length = self.network.announcement_interval();
        let next = ((end - 1) / length + 1) * length;
        let vcs = self.network.vcs as usize;
        let mut ports = (self.before.outputs..).zip(&*self.outputs);
        let waits = ports.any(|(place, port)| {
            port.to & Output::NODE == 0 && queues.holds(place, vcs, (self.slots, port.lane), end)
        });
        if waits {
            self.outbox.wake(self.position, next, self.window);
        }
    }
}
