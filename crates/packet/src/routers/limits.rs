//! Limits on what all interfaces of a node send together, and receive.
//!
//! ```text
//!   interface 0 --> input buffer --.                  .--> output buffer --> interface 0
//!   interface 1 --> input buffer --|-> gate   ...  gate ->|--> output buffer --> interface 1
//! ```
//! The gates of a node are at its router, which knows of each packet in the order of time, whatever windows, threads and processes there are. A
//! gate lets packets pass one after the other, each in its bytes over the limit, in the order in which they ask: those that interfaces send
//! when they could cross but for the gate, those that they receive when they cross. So what waits stands in buffers, whose credits hold back the
//! interfaces behind it, or other routers. A packet that has its turn keeps it, also if it cannot go on at once: then others pass meanwhile, and
//! the gate loses nothing.

use crate::speed::Speed;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use weir_units::Bandwidth;

/// The limits of every node, ready for packets.
#[derive(Clone, Debug, Default)]
pub(crate) struct NodeLimits {
    pub(crate) injection: Option<Speed>,
    pub(crate) ejection: Option<Speed>,
}

impl NodeLimits {
    pub(crate) fn new([injection, ejection]: [Option<Bandwidth>; 2], mtu: u32) -> Self {
        let speed = |limit| Speed::new(limit, mtu);
        Self { injection: injection.map(speed), ejection: ejection.map(speed) }
    }

    pub(crate) fn is_some(&self) -> bool {
        self.injection.is_some() || self.ejection.is_some()
    }
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Gates {
    injection: Option<Gate>,
    ejection: Option<Gate>,
    /// By lane: whether its head packet has had its turn at the gate.
    pub(super) turned: Vec<bool>,
}

#[derive(Debug, Serialize, Deserialize)]
struct Gate {
    speed: Speed,
    /// By port: its node, in the order of first ports; [`NONE`] where no node is behind it.
    of_port: Vec<u32>,
    /// By node: when the packets are through that have had their turn, in picoseconds.
    free: Vec<u64>,
}

const NONE: u32 = u32::MAX;

impl Gate {
    fn new(speed: &Speed, nodes: impl Iterator<Item = Option<u32>>) -> Self {
        let mut numbers = BTreeMap::new();
        let number = |node: Option<u32>| {
            let next = numbers.len() as u32;
            node.map_or(NONE, |node| *numbers.entry(node).or_insert(next))
        };
        let of_port: Vec<u32> = nodes.map(number).collect();
        Self { speed: speed.clone(), of_port, free: vec![0; numbers.len()] }
    }

    /// A packet of so many bytes asks at an instant: when it passes, if there is a gate at this port.
    fn turn(&mut self, port: usize, bytes: u32, now: u64) -> u64 {
        let Some(free) = self.free.get_mut(self.of_port[port] as usize) else { return now };
        let passes = now.max(*free);
        *free = passes + self.speed.time(bytes);
        passes
    }

    fn take_over(&mut self, saved: &Self, [first, then]: [u32; 2]) {
        for (port, &node) in (first..).zip(&self.of_port) {
            let place = port.checked_sub(then).and_then(|port| saved.of_port.get(port as usize));
            let free = place.and_then(|&node| saved.free.get(node as usize));
            if let (Some(own), Some(&free)) = (self.free.get_mut(node as usize), free) {
                *own = free;
            }
        }
    }
}

impl Gates {
    /// Gates of routers with so many lanes, and these nodes at the other ends of inputs and outputs; `None` without limits.
    pub(super) fn new(
        limits: &NodeLimits,
        senders: impl Iterator<Item = Option<u32>>,
        receivers: impl Iterator<Item = Option<u32>>,
        lanes: usize,
    ) -> Option<Box<Self>> {
        let NodeLimits { injection, ejection } = limits;
        limits.is_some().then(|| {
            Box::new(Self {
                injection: injection.as_ref().map(|speed| Gate::new(speed, senders)),
                ejection: ejection.as_ref().map(|speed| Gate::new(speed, receivers)),
                turned: vec![false; if injection.is_some() { lanes } else { 0 }],
            })
        })
    }

    /// The head packet of a lane could cross at an instant but for the gate of its sender: when it may, if that is later. It asks once.
    pub(super) fn hold_back(&mut self, (lane, input): (usize, usize), bytes: u32, now: u64) -> Option<u64> {
        let gate = self.injection.as_mut()?;
        if std::mem::replace(&mut self.turned[lane], true) {
            return None;
        }
        Some(gate.turn(input, bytes, now)).filter(|&passes| passes > now)
    }

    /// The head packet of a lane has gone.
    pub(super) fn went(&mut self, lane: usize) {
        self.turned.get_mut(lane).into_iter().for_each(|turned| *turned = false);
    }

    /// When a packet leaves for a node that could at an instant, but for the gate there.
    pub(super) fn receive(&mut self, output: usize, bytes: u32, at: u64) -> u64 {
        self.ejection.as_mut().map_or(at, |gate| gate.turn(output, bytes, at))
    }

    /// From a checkpoint: when gates are free. Inputs and outputs begin with these numbers, here and in the other one.
    pub(super) fn take_over(&mut self, saved: &Self, inputs: [u32; 2], outputs: [u32; 2]) {
        let gates =
            [(&mut self.injection, &saved.injection, inputs), (&mut self.ejection, &saved.ejection, outputs)];
        for (own, saved, firsts) in gates {
            if let (Some(own), Some(saved)) = (own, saved) {
                own.take_over(saved, firsts);
            }
        }
    }
}
