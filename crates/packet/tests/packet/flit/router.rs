//! Buffers, crossbar and arbiter of a router.

use super::network::{Precedence, Settings};
use super::simulator::Packet;
use std::collections::VecDeque;
use std::ops::Range;

/// A packet in a buffer.
#[derive(Debug)]
pub(crate) struct Stay {
    pub(crate) packet: usize,
    /// How many edges have come in so far.
    pub(crate) come: usize,
    /// How many have left.
    pub(crate) gone: usize,
    /// When the next one may leave.
    pub(crate) next: u64,
    /// The virtual channel it has at the end of the link it leaves by; known once it is in the output buffer.
    pub(crate) channel: usize,
    /// How long it could have been there before; known likewise.
    pub(crate) waited: u64,
}

impl Stay {
    pub(crate) fn new(packet: usize, next: u64) -> Self {
        Self { packet, come: 0, gone: 0, next, channel: 0, waited: 0 }
    }

    /// Passes the next edge if it has come and it is time; says which.
    pub(crate) fn pass(&mut self, now: u64, flit_times: &[u64]) -> Option<usize> {
        let edge = self.gone;
        if edge == self.come || now < self.next {
            return None;
        }
        self.gone += 1;
        self.next = now + flit_times.get(edge).copied().unwrap_or(0);
        Some(edge)
    }
}

/// An input port: a link's end.
#[derive(Debug)]
pub(crate) struct Input {
    pub(crate) link: usize,
    /// Its number.
    pub(crate) port: usize,
    pub(crate) lanes: Vec<VecDeque<Stay>>,
    /// By virtual channel: until when the last packet that has left it keeps the next one from going.
    pub(crate) turns_until: Vec<u64>,
    /// The virtual channel that has won last, 0 at first.
    pub(crate) last_channel: usize,
    /// The virtual channel and the output whose packet is passing.
    pub(crate) passing: Option<(usize, usize)>,
}

/// An output port: a link's start.
#[derive(Debug)]
pub(crate) struct Output {
    pub(crate) link: usize,
    /// Its number.
    pub(crate) port: usize,
    pub(crate) buffer: VecDeque<Stay>,
    /// Whether a packet is passing to it.
    pub(crate) taken: bool,
    /// The port that has won last, 0 at first, whether there is one or not.
    pub(crate) last_winner: usize,
}

/// Ports in the order of their numbers.
#[derive(Debug, Default)]
pub(crate) struct Router {
    pub(crate) inputs: Vec<Input>,
    pub(crate) outputs: Vec<Output>,
}

/// What the sender on a link knows of the buffer at its end.
#[derive(Debug)]
pub(crate) struct Credits {
    /// Places per virtual channel.
    pub(crate) free: Vec<usize>,
    /// When places come back, and of which virtual channel.
    pub(crate) returning: VecDeque<(u64, usize)>,
    /// Channel 0 at first.
    last_used: usize,
}

impl Credits {
    pub(crate) fn new(channels: usize, places: usize) -> Self {
        Self { free: vec![places; channels], returning: VecDeque::new(), last_used: 0 }
    }

    /// The virtual channel to take among these: the first with a credit after the one used last.
    pub(crate) fn choose(&self, channels: Range<usize>) -> Option<usize> {
        let first = if channels.contains(&self.last_used) { self.last_used + 1 } else { channels.start };
        let order = (first..channels.end).chain(channels.start..first);
        order.into_iter().find(|&channel| self.free[channel] > 0)
    }

    pub(crate) fn take(&mut self, channel: usize) {
        self.free[channel] -= 1;
        self.last_used = channel;
    }
}

impl Router {
    /// The input and the virtual channel whose head packet this output takes now, if any.
    pub(crate) fn winner(
        &self,
        output: usize,
        now: u64,
        settings: &Settings,
        packets: &[Packet],
        credits: &[Credits],
    ) -> Option<(usize, usize)> {
        let out = &self.outputs[output];
        if out.taken || out.buffer.len() == settings.output_buffer {
            return None;
        }
        let may = |input: &Input, channel: usize| {
            let Some(stay) = input.lanes[channel].front() else { return false };
            let packet = &packets[stay.packet];
            let next = packet.route.iter().position(|&link| link == input.link).expect("it came by it") + 1;
            input.passing.is_none()
                && now >= stay.next
                && now >= input.turns_until[channel]
                && packet.route[next] == out.link
                && packet.channels[next]
                    .as_ref()
                    .is_none_or(|c| credits[out.link].choose(c.clone()).is_some())
        };
        let mut able = Vec::new();
        for (i, input) in self.inputs.iter().enumerate() {
            let channels = (0..input.lanes.len()).filter(|&channel| may(input, channel));
            able.extend(channels.map(|channel| (i, channel)));
        }
        let start =
            |&(input, channel): &(usize, usize)| packets[self.inputs[input].lanes[channel][0].packet].started;
        able.into_iter().min_by_key(|place| {
            let (&Input { port, last_channel, .. }, channel) = (&self.inputs[place.0], place.1);
            match settings.precedence {
                Precedence::FixedPriority => (0, port, false, channel),
                Precedence::OldestFirst => (start(place), port, false, channel),
                Precedence::RoundRobin => {
                    (u64::from(port <= out.last_winner), port, channel <= last_channel, channel)
                }
            }
        })
    }
}
