//! What is asked for before routers are run, so that it is near when it is needed.
//!
//! Where few lanes of a router have packets, only what belongs to these is asked for; to find out which outputs that are,
//! their routes are computed once more than needed. Else everything is, which needs no looking.

use super::{Lane, Mask, Routers, bits};
use crate::machine::RouterPlace;
use crate::prefetch::prefetch;

/// The most lanes with packets that are few.
const FEW: u32 = 3;

impl Routers<'_> {
    /// A router of this part, its lanes that have packets and lack no credit, and which of them have got one only now.
    #[inline]
    fn lanes_of(&self, local: usize) -> (usize, RouterPlace, impl Iterator<Item = (u32, u64, u64)> + '_) {
        let number = local + self.post.routers.start;
        let (place, after) = (self.machine.routers[number], self.machine.routers[number + 1]);
        let words = (place.mask..after.mask).map(move |mask| {
            let word = (mask - self.state.first.mask) as usize;
            let Mask { filled, blocked } = self.state.masks[word];
            let news = self.post.news(word) & !filled;
            ((mask - place.mask) * 64, filled & !blocked, news)
        });
        (number, place, words)
    }

    fn are_few(&self, local: usize) -> bool {
        let (_, _, words) = self.lanes_of(local);
        words.map(|(_, filled, news)| (filled | news).count_ones()).sum::<u32>() <= FEW
    }

    #[inline]
    pub(super) fn ask_for_masks(&self, local: usize) {
        let number = local + self.post.routers.start;
        prefetch(&self.machine.routers, number);
        // A little wrong for routers of more than sixty-four lanes, and only slower then.
        self.post.ask_for_news(local);
        prefetch(&self.state.masks, local);
    }

    #[inline]
    pub(super) fn ask_for_lanes(&self, local: usize) {
        let (state, vcs) = (&self.state, self.machine.vcs as usize);
        let few = self.are_few(local);
        let (number, place, words) = self.lanes_of(local);
        let input = (place.input - state.first.input) as usize;
        let output = (place.output - state.first.output) as usize;
        let after = &self.machine.routers[number + 1];
        let (inputs, outputs) =
            ((after.input - place.input) as usize, (after.output - place.output) as usize);
        ask_for(&state.tails, output * vcs, outputs * vcs);
        if few {
            for (first, filled, news) in words {
                for bit in bits(filled | news) {
                    let lane = (first + bit) as usize;
                    prefetch(&state.lanes, input * vcs + lane);
                    prefetch(&state.inputs, input + usize::from(self.machine.input_of[lane]));
                }
            }
        } else {
            ask_for(&state.lanes, input * vcs, inputs * vcs);
            ask_for(&state.inputs, input, inputs);
            ask_for(&state.outputs, output, outputs);
        }
    }

    #[inline]
    pub(super) fn ask_for_heads(&self, local: usize, end: u64) {
        let (_, place, words) = self.lanes_of(local);
        let (state, vcs) = (&self.state, self.machine.vcs);
        let first_lane = (place.input - state.first.input) * vcs;
        for (first, filled, news) in words {
            for bit in bits(filled | news) {
                let lane = first_lane + first + bit;
                let Lane { head, ready, .. } = state.lanes[lane as usize];
                if ready < end || news >> bit & 1 == 1 {
                    self.shared.slots.ask_for(lane + state.first.input * vcs, head, 2);
                }
            }
        }
    }

    #[inline]
    pub(super) fn ask_for_outputs(&self, local: usize) {
        if !self.are_few(local) {
            return;
        }
        let (number, place, words) = self.lanes_of(local);
        let state = &self.state;
        let first_lane = place.input * self.machine.vcs;
        for (first, filled, news) in words {
            for bit in bits(filled | news) {
                let lane = first_lane + first + bit;
                let own = state.lanes[(lane - state.first.input * self.machine.vcs) as usize];
                let output = if news >> bit & 1 == 1 {
                    let packet = self.shared.slots.packet(self.shared.slots.place(lane, own.head));
                    self.machine.routing.hop(number as u32, packet.address(), packet.nic()).output
                } else {
                    own.output
                };
                prefetch(&state.outputs, (place.output - state.first.output) as usize + usize::from(output));
            }
        }
    }
}

/// Asks for every cache line of some elements of a list.
#[inline(always)]
fn ask_for<T>(list: &[T], first: usize, count: usize) {
    let step = (64 / size_of::<T>()).max(1);
    let mut place = first;
    while place < first + count {
        prefetch(list, place);
        place += step;
    }
    prefetch(list, first + count - 1);
}
