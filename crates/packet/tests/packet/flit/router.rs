//! Buffers, crossbar and arbiter of a router.

use super::network::{Precedence, Settings};
use super::packet::Packet;
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
    /// Whether a node sends to it.
    pub(crate) from_node: bool,
    pub(crate) lanes: Vec<VecDeque<Stay>>,
    /// By virtual channel: what its first packet has taken before the switch.
    pub(crate) taken: Vec<Option<usize>>,
    /// By virtual channel: until when the last packet that has left it keeps the next one from going.
    pub(crate) turns_until: Vec<u64>,
    /// By virtual channel: when a packet of it has won last, and when one of this port has that goes where its first packet goes, in the
    /// same class; 0 at first.
    pub(crate) won: Vec<u64>,
    pub(crate) port_won: Vec<u64>,
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
    /// By virtual channel behind it: from when on a packet that takes it before the switch may go; `None` while one has it.
    pub(crate) untaken: Vec<Option<u64>>,
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

    /// The virtual channel to take before the switch: as [`Self::choose`], among those that no packet has.
    pub(crate) fn choose_untaken(
        &self,
        channels: Range<usize>,
        untaken: &[Option<u64>],
        now: u64,
    ) -> Option<usize> {
        let first = if channels.contains(&self.last_used) { self.last_used + 1 } else { channels.start };
        let mut order = (first..channels.end).chain(channels.start..first);
        order.find(|&channel| untaken[channel].is_some_and(|from| from <= now))
    }

    pub(crate) fn last_taken(&mut self, channel: usize) {
        self.last_used = channel;
    }

    /// Takes a place in a virtual channel that was taken before.
    pub(crate) fn take_place(&mut self, channel: usize) {
        self.free[channel] -= 1;
    }
}

impl Router {
    /// The head packet that goes on now, if any, or, if it has to take a virtual channel first, may take one: its output, its input and
    /// its virtual channel.
    pub(crate) fn winner(
        &self,
        now: u64,
        settings: &Settings,
        packets: &[Packet],
        credits: &[Credits],
    ) -> Option<(usize, usize, usize)> {
        let (mut able, mut takers) = (Vec::new(), Vec::new());
        for output in 0..self.outputs.len() {
            let [first, second] = self.able(output, now, settings, packets, credits);
            let with = |(input, channel)| (output, input, channel);
            takers.extend(first.into_iter().map(with));
            able.extend(second.into_iter().map(with));
        }
        let behind = |input: &Input| match settings.precedence {
            Precedence::TransitFirst => input.from_node,
            Precedence::InjectionFirst => !input.from_node,
            Precedence::RoundRobin | Precedence::OldestFirst | Precedence::FixedPriority => false,
        };
        let turn = |input: &Input, channel: usize, since: &[u64]| match settings.precedence {
            Precedence::FixedPriority => 0,
            Precedence::OldestFirst => packets[input.lanes[channel][0].packet].started,
            _ => input.lanes[channel][0].next.max(since[channel]),
        };
        let taker = takers.into_iter().min_by_key(|&(output, i, channel)| {
            let input = &self.inputs[i];
            (output, behind(input), turn(input, channel, &input.won), input.port, channel)
        });
        let winner = able.into_iter().min_by_key(|&(_, i, channel)| {
            let input = &self.inputs[i];
            let [port, own] = [&input.port_won, &input.won].map(|since| turn(input, channel, since));
            (behind(input), port, own, input.port, channel)
        });
        taker.or(winner)
    }

    /// The inputs and virtual channels whose head packets may take a virtual channel of an output before the switch, and those whose
    /// head packets may go.
    fn able(
        &self,
        output: usize,
        now: u64,
        settings: &Settings,
        packets: &[Packet],
        credits: &[Credits],
    ) -> [Vec<(usize, usize)>; 2] {
        let out = &self.outputs[output];
        let full = out.taken || out.buffer.len() == settings.output_buffer;
        let may = |input: &Input, channel: usize| {
            let Some(stay) = input.lanes[channel].front() else { return false };
            let packet = &packets[stay.packet];
            let next = packet.route.iter().position(|&link| link == input.link).expect("it came by it") + 1;
            let there = now >= stay.next
                && now >= input.turns_until[channel]
                && packet.route.get(next) == Some(&out.link);
            if !there {
                return false;
            }
            let credits = &credits[out.link];
            let room = match (&packet.channels[next], input.taken[channel]) {
                (None, _) => true,
                (Some(_), Some(taken)) => credits.free[taken] > 0,
                (Some(channels), None) if settings.vc_turnaround.is_some() => {
                    let leaving = input.passing.is_some_and(|(passing, _)| passing == channel);
                    let untaken = credits.choose_untaken(channels.clone(), &out.untaken, now);
                    return !leaving && untaken.is_some();
                }
                (Some(channels), None) => credits.choose(channels.clone()).is_some(),
            };
            room && !full && input.passing.is_none()
        };
        let (mut able, mut takers) = (Vec::new(), Vec::new());
        for (i, input) in self.inputs.iter().enumerate() {
            let channels = (0..input.lanes.len()).filter(|&channel| may(input, channel));
            let (lacking, ready): (Vec<_>, Vec<_>) = channels.partition(|&channel| {
                let packet = &packets[input.lanes[channel][0].packet];
                let next = packet.route.iter().position(|&link| link == out.link).expect("its way");
                settings.vc_turnaround.is_some()
                    && input.taken[channel].is_none()
                    && packet.channels[next].is_some()
            });
            able.extend(ready.into_iter().map(|channel| (i, channel)));
            takers.extend(lacking.into_iter().map(|channel| (i, channel)));
        }
        [takers, able]
    }

    /// The head packet of a virtual channel of an input goes to an output: the other ones of this port that go there in the same class wait
    /// anew.
    pub(crate) fn note_turn(
        &mut self,
        (output, input, channel): (usize, usize, usize),
        packets: &[Packet],
        now: u64,
    ) {
        let link = self.outputs[output].link;
        let input = &mut self.inputs[input];
        let needs = |lane: &VecDeque<Stay>| {
            let packet = &packets[lane.front()?.packet];
            let next = packet.route.iter().position(|&other| other == input.link)? + 1;
            (packet.route.get(next) == Some(&link)).then(|| packet.channels[next].clone())
        };
        let own = needs(&input.lanes[channel]);
        for (lane, won) in input.lanes.iter().zip(&mut input.port_won) {
            if needs(lane) == own {
                *won = now;
            }
        }
        input.won[channel] = now;
    }
}
