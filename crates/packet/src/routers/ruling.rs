//! The decisions of rules for the head packets of a part, and the queues that they look at.

use super::bits;
use crate::network::PacketNetwork;
use crate::prefetch::prefetch;
use crate::routing::Hop;
use crate::routing::ruled::Decision;
use crate::slots::{Packet, Slot, Slots};
use serde::{Deserialize, Serialize};
use weir_topology::Candidates;

/// A head packet whose way has not been decided.
#[derive(Clone, Copy, Debug)]
pub(super) struct Undecided {
    /// When it is: when it is the first of its lane and eligible.
    pub(super) at: u64,
    pub(super) lane: u16,
    pub(super) packet: Packet,
}

/// A packet that has been granted an output.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sent {
    pub(super) bytes: u32,
    /// Output and virtual channel.
    pub(super) channel: (usize, usize),
    /// Virtual channels of an output.
    pub(super) vcs: usize,
    /// From when until when it passes the crossbar.
    pub(super) crosses: (u64, u64),
}

/// The decisions for the head packets of all lanes of a part, and the bytes that each output has in front of it.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Ruling {
    /// By lane.
    pub(super) decided: Vec<Decision>,
    pub(super) queues: Queues,
    /// If rules weigh the queues of other routers, by first output of a router: the interval that it has announced last.
    pub(super) last_announced: Option<Vec<u64>>,
    #[serde(skip)]
    pub(super) found: Candidates,
}

/// The bytes that each output has in front of it: in its buffer, on its link, and in the next input buffer until the credit is back. The
/// bytes of a packet come and go one by one: as it passes this crossbar, and as the sender learns that it passes the next one.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Queues {
    /// By output.
    pub(super) fronts: Vec<Front>,
    /// By output and virtual channel.
    pub(super) channels: Vec<Queue>,
}

/// All virtual channels of an output have this in common.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(super) struct Front {
    /// From when until when the last packet passes the crossbar.
    crosses: (u64, u64),
    /// Its bytes.
    size: u32,
    /// A bit for every virtual channel that may have packets in front of it; the bit of a channel is its number modulo 64.
    occupied: u64,
}

/// The packets in front of a virtual channel of an output. Places are taken and become free in one order, so those that are still taken
/// begin with the oldest one. That is looked at when a rule asks: instants do not go back, so each place is passed once.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(super) struct Queue {
    /// Bytes of the packets in the places that may be taken.
    bytes: u64,
    /// The oldest of these places, and how many they are.
    oldest: u16,
    places: u16,
}

impl Queue {
    /// The packet in the oldest place has left it.
    fn pop(&mut self, (slots, lane): (&Slots<'_>, u32), place: usize) {
        self.bytes -= u64::from(slots.departure(place).bytes());
        self.oldest = slots.after(lane, self.oldest);
        self.places -= 1;
    }

    /// The bytes at an instant.
    fn at(&mut self, slots: &Slots<'_>, lane: u32, now: u64) -> u64 {
        while self.places > 0 {
            let place = slots.place(lane, self.oldest);
            match slots.state(place) {
                Slot::Free(from) if from <= now => self.pop((slots, lane), place),
                Slot::Free(from) => {
                    let departure = slots.departure(place);
                    return self.bytes - part(departure.bytes(), (departure.begins(from), from), now);
                }
                Slot::Taken(_) => break,
            }
        }
        self.bytes
    }
}

impl Queues {
    /// The bytes in front of an output at an instant; the first of its lanes at the other end has a number.
    pub(super) fn at(
        &mut self,
        output: usize,
        vcs: usize,
        (slots, first_lane): (&Slots<'_>, u32),
        now: u64,
    ) -> u64 {
        let Front { crosses, size, occupied } = &mut self.fronts[output];
        let channels = &mut self.channels[output * vcs..][..vcs];
        let mut bytes = 0;
        for bit in bits(*occupied) {
            let mut is_empty = true;
            for vc in (bit as usize..vcs).step_by(64) {
                bytes += channels[vc].at(slots, first_lane + vc as u32, now);
                is_empty &= channels[vc].places == 0;
            }
            *occupied &= !(u64::from(is_empty) << bit);
        }
        bytes.saturating_sub(u64::from(*size) - part(*size, *crosses, now))
    }

    /// Returns whether packets are in front of an output at an instant, also one of which not a byte has passed the crossbar yet.
    pub(super) fn holds(&mut self, output: usize, vcs: usize, lane: (&Slots<'_>, u32), now: u64) -> bool {
        self.at(output, vcs, lane, now);
        self.fronts[output].occupied != 0
    }

    /// Asks for what a packet needs that takes a virtual channel.
    #[inline(always)]
    pub(super) fn prefetch(&self, output: usize, vcs: u32, vc: u32) {
        prefetch(&self.fronts, output);
        prefetch(&self.channels, output * vcs as usize + vc as usize);
    }

    fn add(&mut self, sent: &Sent, (slots, to): (&Slots<'_>, u32)) {
        let queue = &mut self.channels[sent.channel.0 * sent.vcs + sent.channel.1];
        // The place that it takes is the oldest one, which has become free unseen.
        if usize::from(queue.places) == slots.depth(to) {
            queue.pop((slots, to), slots.place(to, queue.oldest));
        }
        queue.places += 1;
        queue.bytes += u64::from(sent.bytes);
        let front = &mut self.fronts[sent.channel.0];
        (front.crosses, front.size) = (sent.crosses, sent.bytes);
        front.occupied |= 1 << (sent.channel.1 % 64);
    }
}

/// The bytes of a packet that have passed at an instant, if they do from one instant until another one.
fn part(size: u32, (begins, ends): (u64, u64), now: u64) -> u64 {
    let (passed, all) = (now.saturating_sub(begins), ends.saturating_sub(begins));
    if now >= ends {
        return size.into();
    }
    match u64::from(size).checked_mul(passed) {
        _ if passed == 0 || all == 0 => 0,
        Some(product) => product / all,
        None => (u128::from(size) * u128::from(passed) / u128::from(all)) as u64,
    }
}

impl Ruling {
    pub(super) fn new(network: &PacketNetwork, lanes: usize, outputs: usize) -> Option<Box<Self>> {
        if !network.routing.decides() {
            return None;
        }
        let channels = vec![Queue::default(); outputs * network.vcs as usize];
        Some(Box::new(Self {
            decided: vec![Decision::default(); lanes],
            queues: Queues { fronts: vec![Front::default(); outputs], channels },
            last_announced: network.routing.announces().then(|| vec![0; outputs]),
            found: Candidates::default(),
        }))
    }

    pub(super) fn is_decided(&self, lane: usize) -> bool {
        self.decided[lane].is_made
    }

    pub(super) fn hop(&self, lane: usize) -> Hop {
        let Decision { output, class, .. } = self.decided[lane];
        Hop { output, class }
    }

    /// The head packet of a lane takes a place of another router; its address behind that.
    pub(super) fn goes(&mut self, lane: usize, sent: &Sent, to: (&Slots<'_>, u32)) -> u32 {
        self.queues.add(sent, to);
        self.decided[lane].address
    }

    /// The head packet of a lane leaves it.
    pub(super) fn ends(&mut self, lane: usize) {
        self.decided[lane] = Decision::default();
    }
}
