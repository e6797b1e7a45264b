//! The decisions of rules for the head packets of a part, and the queues that they look at.

use crate::announced::Announcing;
use crate::network::PacketNetwork;
use crate::routing::Hop;
use crate::routing::ruled::Decision;
use crate::slots::{Packet, Slot, Slots};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;
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
    /// Output and virtual channel, and the output alone.
    pub(super) channel: usize,
    pub(super) output: usize,
    /// From when until when it passes the crossbar.
    pub(super) crosses: (u64, u64),
}

/// The decisions for the head packets of all lanes of a part, and the bytes that each output has in front of it: in its buffer, on its
/// link, and in the next input buffer until the credit is back. The bytes of a packet come and go one by one: as it passes this crossbar,
/// and as the sender learns that it passes the next one.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Ruling {
    /// By lane.
    pub(super) decided: Vec<Decision>,
    /// By output and virtual channel.
    pub(super) queues: Vec<Queue>,
    /// By output: from when until when the last packet passes the crossbar, and its bytes.
    pub(super) crossing: Vec<(u64, u64, u32)>,
    /// If rules weigh the queues of other routers.
    pub(super) announcing: Option<Announcing>,
    #[serde(skip)]
    pub(super) found: Candidates,
}

/// The packets in front of a virtual channel of an output. Places are taken and become free in one order, so those that are still taken
/// begin with the oldest one. That is looked at when a rule asks: instants do not go back, so each place is passed once.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Queue {
    /// The oldest place that may be taken.
    oldest: u16,
    /// Bytes of the packets from there on.
    sizes: VecDeque<u32>,
    bytes: u64,
}

impl Queue {
    fn pop(&mut self, slots: &Slots<'_>, lane: u32) {
        self.oldest = slots.after(lane, self.oldest);
        self.bytes -= u64::from(self.sizes.pop_front().unwrap_or(0));
    }

    /// The bytes at an instant.
    pub(super) fn at(&mut self, slots: &Slots<'_>, lane: u32, now: u64) -> u64 {
        while let Some(&size) = self.sizes.front() {
            let place = slots.place(lane, self.oldest);
            match slots.state(place) {
                Slot::Free(from) if from <= now => self.pop(slots, lane),
                Slot::Free(from) => return self.bytes - part(size, (slots.begins(place), from), now),
                Slot::Taken(_) => break,
            }
        }
        self.bytes
    }
}

/// The bytes in front of an output at an instant: those of its virtual channels, of which the first has this lane behind it, but for what
/// has not passed the crossbar.
pub(super) fn waiting(
    slots: &Slots<'_>,
    (queues, (begins, ends, size)): (&mut [Queue], (u64, u64, u32)),
    lane: u32,
    now: u64,
) -> u64 {
    let bytes: u64 = queues.iter_mut().zip(lane..).map(|(queue, lane)| queue.at(slots, lane, now)).sum();
    bytes.saturating_sub(u64::from(size) - part(size, (begins, ends), now))
}

/// The bytes of a packet that have passed at an instant, if they do from one instant until another one.
pub(super) fn part(size: u32, (begins, ends): (u64, u64), now: u64) -> u64 {
    match (now.saturating_sub(begins), ends.saturating_sub(begins)) {
        _ if now >= ends => size.into(),
        (0, _) | (_, 0) => 0,
        (passed, all) => (u128::from(size) * u128::from(passed) / u128::from(all)) as u64,
    }
}

impl Ruling {
    pub(super) fn new(network: &PacketNetwork, lanes: usize, outputs: usize) -> Option<Box<Self>> {
        network.routing.deciding()?;
        Some(Box::new(Self {
            decided: vec![Decision::default(); lanes],
            queues: vec![Queue::default(); outputs * network.vcs as usize],
            crossing: vec![(0, 0, 0); outputs],
            announcing: Announcing::new(network, outputs),
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
    pub(super) fn goes(&mut self, lane: usize, sent: &Sent, (slots, to): (&Slots<'_>, u32)) -> u32 {
        let queue = &mut self.queues[sent.channel];
        // The place that it takes is the oldest one, which has become free unseen.
        if queue.sizes.len() == slots.depth(to) {
            queue.pop(slots, to);
        }
        queue.sizes.push_back(sent.bytes);
        queue.bytes += u64::from(sent.bytes);
        self.crossing[sent.output] = (sent.crosses.0, sent.crosses.1, sent.bytes);
        self.decided[lane].address
    }

    /// The head packet of a lane leaves it.
    pub(super) fn ends(&mut self, lane: usize) {
        self.decided[lane] = Decision::default();
    }
}
