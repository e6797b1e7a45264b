//! Allocation of virtual channels before the crossbar, the gates of nodes, and stays: the steps of routers that few runs need.

use super::NEVER;
use super::arbiter::{PRIORITY_BITS, is_behind};
use super::kept::HeldChannels;
use super::router::{Due, Router};
use crate::Arbiter;
use crate::labels::Origin;
use crate::network::{Output, PacketNetwork};
use weir_network::record::PacketStay;
use weir_units::{Bytes, LinkId, RouterId, Time};

impl<const HELD: bool> Router<'_, '_, HELD> {
    /// Returns whether a packet has to take a virtual channel before anything else.
    #[inline(always)]
    pub(super) fn lacks_channel(&self, head: &Due) -> bool {
        HELD && self.needs_channel(head)
    }

    fn needs_channel(&self, head: &Due) -> bool {
        let to_node = self.state.outputs[self.output(head)].to & Output::NODE != 0;
        !to_node && self.state.held.of(self.own_lane(head)).is_none()
    }

    /// From when on a packet could be granted with one of the virtual channels of its class that others have left.
    pub(super) fn channel_free(&self, head: &Due) -> u64 {
        let first = self.output(head) * self.network.vcs as usize;
        let (low, high) = self.network.class_range(head.class);
        let free = &self.state.held.free[first + low as usize..first + high as usize];
        free.iter().copied().min().unwrap_or(NEVER)
    }

    /// The place of the packet that takes a virtual channel first, of all that could at the same instant at the same output as
    /// the one at this place could do something; `None` if there is none. In turn are the lanes, not the ports: an allocator
    /// has a request of every virtual channel.
    pub(super) fn taker(&self, due: &[Due], place: usize) -> Option<usize> {
        let at = |due: &Due| due.key >> PRIORITY_BITS;
        let start = self.state.held.start[self.output(&due[place])];
        let rank = |head: &Due| {
            let (birth, lane) = match self.network.arbiter {
                Arbiter::OldestFirst => (self.labels.read(head.packet.label()).birth, head.lane),
                Arbiter::FixedPriority => (0, head.lane),
                Arbiter::RoundRobin | Arbiter::TransitFirst | Arbiter::InjectionFirst => {
                    (0, head.lane.wrapping_sub(start))
                }
            };
            (is_behind(head.priority), birth, lane)
        };
        let rivals = due.iter().enumerate();
        let rivals = rivals.filter(|(_, rival)| at(rival) == at(&due[place]) && self.lacks_channel(rival));
        rivals.min_by_key(|(_, rival)| rank(rival)).map(|(place, _)| place)
    }

    /// Takes the first virtual channel that is free, beginning after the last one taken.
    pub(super) fn take_channel(&mut self, head: &Due, now: u64) {
        let (output, lane) = (self.output(head), self.own_lane(head));
        let (low, high) = self.network.class_range(head.class);
        let port = &mut self.state.outputs[output];
        let last = u32::from(port.last_vc);
        let first = if (low..high).contains(&last) { last + 1 } else { low };
        let of_output = &mut self.state.held.free[output * self.network.vcs as usize..];
        let free = (first..high).chain(low..first).find(|&vc| of_output[vc as usize] <= now);
        if let Some(vc) = free {
            of_output[vc as usize] = NEVER;
            port.last_vc = vc as u16;
            self.state.held.start[output] = head.lane + 1;
            self.state.held.of_lanes[lane] = vc as u16;
        }
    }

    /// After a virtual channel has changed hands: all keys anew, from an instant on.
    pub(super) fn renew(&self, due: &mut [Due], now: u64) {
        for head in due {
            head.key = self.key(head, self.ready(head).max(now));
        }
    }
}

impl<const HELD: bool> Router<'_, '_, HELD> {
    /// Until when a packet waits that could cross at an instant, but for the limit of the node that sends it.
    #[inline(always)]
    pub(super) fn hold_back(&mut self, head: &Due, now: u64) -> Option<u64> {
        if self.state.gates.is_some() { self.wait_at_gate(head, now) } else { None }
    }

    /// When a packet that crosses at an instant may leave, if it leaves for a node with a limit; takes its turn there.
    #[inline(always)]
    pub(super) fn gate_opens(&mut self, head: &Due, now: u64) -> u64 {
        if self.state.gates.is_some() { self.turn_at_receiver(head, now) } else { 0 }
    }

    #[cold]
    #[inline(never)]
    fn turn_at_receiver(&mut self, head: &Due, now: u64) -> u64 {
        let output = self.output(head);
        if self.state.outputs[output].to & Output::NODE == 0 {
            return 0;
        }
        let (bytes, at) = (self.network.bytes_of(head.packet, self.labels), now + self.network.switch_delay);
        self.state.gates.as_mut().map_or(0, |gates| gates.receive(output, bytes, at))
    }

    #[cold]
    #[inline(never)]
    fn wait_at_gate(&mut self, head: &Due, now: u64) -> Option<u64> {
        let bytes = self.network.bytes_of(head.packet, self.labels);
        let (lane, input) = (self.own_lane(head), (self.inputs + u32::from(head.input)) as usize);
        let later = self.state.gates.as_mut()?.hold_back((lane, input), bytes, now)?;
        self.state.turned[lane] = self.state.turned[lane].max(later);
        Some(later)
    }

    /// Notes the stay of a packet that has been granted at an instant, if it is requested: from when until when.
    #[inline(never)]
    pub(super) fn note_stay(&mut self, head: &Due, (now, entered, left): (u64, u64, u64)) {
        let (network, labels, position) = (self.network, self.labels, self.position);
        let (Some(history), Some(origins)) = (&mut self.state.history, &labels.origins) else { return };
        if !history.keeps(position, entered, left) {
            return;
        }
        let port = self.first_lane / network.vcs + u32::from(head.input);
        let Origin { source, destination, sequence } = origins.read(head.packet.label());
        let stay = PacketStay {
            router: RouterId(network.numbers[position as usize]),
            link: LinkId(network.inputs[port as usize].link),
            vc: u32::from(head.lane) - u32::from(head.input) * network.vcs,
            source,
            destination,
            sequence,
            bytes: Bytes(network.bytes_of(head.packet, labels).into()),
            entered: Time::from_ps(entered),
            left: Time::from_ps(left),
        };
        history.stays.push((Time::from_ps(now), stay));
    }
}

/// The virtual channels that the head packet of a lane may take: the one that it has, or those of its class.
#[inline(always)]
pub(super) fn channels_of<const HELD: bool>(
    network: &PacketNetwork,
    held: &HeldChannels,
    class: u8,
    lane: usize,
) -> (u32, u32) {
    let class = network.class_range(class);
    if HELD { held.of(lane).map_or(class, |vc| (vc, vc + 1)) } else { class }
}
