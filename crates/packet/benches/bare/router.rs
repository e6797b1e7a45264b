//! A router with its node: where packets go, and which one is next.

use crate::Nanoseconds;
use crate::lanes::{LANES, NEVER};
use crate::slots::{CHANNELS, Packet, Slot, free_from, packet_before, place, prefetch, ring};

/// The lane behind those of links holds the packet that the node will send.
pub(crate) const SOURCE: usize = CHANNELS;
/// The output behind those of links leads to the node.
pub(crate) const EJECTION: usize = CHANNELS;
/// The output of a lane without a packet.
pub(crate) const NO_OUTPUT: u8 = 30;
/// Links and the node's, and one that is none.
const PORTS: usize = LANES / 2;
/// Differs between the numbers of virtual channels that go up and down in one dimension.
pub(crate) const OPPOSITE: usize = 2;

/// A router and its node, in four lines of the cache.
#[repr(C, align(64))]
#[derive(Clone)]
pub(crate) struct Router {
    /// By lane: from when on its first packet can be granted, as far as is known.
    pub(crate) due: [Nanoseconds; LANES],
    /// By link, and for the node: from when on it is free.
    pub(crate) outputs: [Nanoseconds; PORTS],
    pub(crate) inputs: [Nanoseconds; PORTS],
    /// By lane: the virtual channel in which its first packet will leave.
    pub(crate) output: [u8; LANES],
    /// By output link: the lanes whose first packets will leave there, as bits.
    pub(crate) waiting: [u16; PORTS],
    /// By lane: the slot of its first packet.
    pub(crate) heads: [u8; LANES],
    /// By virtual channel: the slot that the next packet takes at the neighbor.
    pub(crate) tails: [u8; LANES],
    /// By link: the neighbor.
    pub(crate) neighbors: [u32; CHANNELS / 2],
    /// By output link: the lane behind the one that was granted last.
    pub(crate) turns: [u8; PORTS],
    random: u64,
    /// The packet that the node will send.
    pub(crate) source: Packet,
    /// Coordinates of eight bits each.
    pub(crate) position: u32,
    /// Virtual channels without a credit, as bits.
    pub(crate) blocked: u32,
}

const _: () = assert!(size_of::<Router>() == 256);

/// What all threads share and none changes.
pub(crate) struct Machine<'m> {
    pub(crate) shape: [u32; 3],
    /// The mean time between two packets of a node, in nanoseconds.
    pub(crate) gap: f64,
    /// Packets that arrive later do not count.
    pub(crate) until: Nanoseconds,
    pub(crate) slots: &'m [Slot],
}

/// The numbers of the bits that are set, beginning with the lowest.
#[inline(always)]
pub(crate) fn bits(mut set: u32) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let lowest = (set != 0).then(|| set.trailing_zeros() as usize);
        set &= set.wrapping_sub(1);
        lowest
    })
}

/// The next number of an xorshift generator.
fn draw(state: &mut u64) -> u64 {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    state.wrapping_mul(0x2545_F491_4F6C_DD1D)
}

#[inline(always)]
fn coordinate(position: u32, dimension: u32) -> u32 {
    position >> (8 * dimension) & 0xff
}

impl Router {
    /// A router without packets but the first one of its node.
    pub(crate) fn new(machine: &Machine<'_>, position: u32, neighbors: [u32; CHANNELS / 2]) -> Self {
        let mut router = Self {
            due: [NEVER; LANES],
            outputs: [0; PORTS],
            inputs: [0; PORTS],
            output: [NO_OUTPUT; LANES],
            waiting: [0; PORTS],
            heads: [0; LANES],
            tails: [0; LANES],
            neighbors,
            turns: [0; PORTS],
            random: (u64::from(position) + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15),
            source: Packet::default(),
            position,
            blocked: 0,
        };
        draw(&mut router.random);
        draw(&mut router.random);
        router.due[SOURCE] = router.make_packet(machine);
        router
    }

    /// The next packet of the node goes to any other one, after an exponentially distributed time. Returns when it is due.
    #[inline(always)]
    pub(crate) fn make_packet(&mut self, machine: &Machine<'_>) -> Nanoseconds {
        let shape = machine.shape;
        let (number, destination) = loop {
            let number = draw(&mut self.random);
            let coordinate = |dimension: u32| {
                let part = (number >> (16 * dimension)) as u32 & 0xffff;
                ((part * shape[dimension as usize]) >> 16) << (8 * dimension)
            };
            let destination = coordinate(0) | coordinate(1) | coordinate(2);
            if destination != self.position {
                break (number, destination);
            }
        };
        let mut header = destination;
        for dimension in 0..3 {
            let size = shape[dimension as usize];
            let (from, to) = (coordinate(self.position, dimension), coordinate(destination, dimension));
            let distance = if to >= from { to - from } else { to + size - from };
            // Halfway round a ring both directions are as long.
            let is_drawn_up = number >> (60 + dimension) & 1 == 1;
            let is_up = if 2 * distance == size { is_drawn_up } else { 2 * distance < size };
            header |= u32::from(is_up) << (24 + dimension);
        }
        let part = ((draw(&mut self.random) >> 11) as f64 + 0.5) / (1u64 << 53) as f64;
        let gap = (-part.ln() * machine.gap).round().max(1.0) as Nanoseconds;
        let (birth, serial) = (self.source.birth + gap, self.source.serial + 1);
        self.source = Packet { header, birth, serial };
        self.come_to_front(machine, SOURCE, header, birth)
    }

    /// The virtual channel in which a packet will leave. Dimensions come one after the other. In each of them a packet takes the first
    /// class until it passes the end of the ring, and from there on the second one, so that no ring of packets can wait for itself.
    #[inline(always)]
    fn route(&self, machine: &Machine<'_>, lane: usize, header: u32) -> usize {
        let away = (header ^ self.position) & 0xff_ffff;
        if away == 0 {
            return EJECTION;
        }
        let dimension = away.trailing_zeros() / 8 % 3;
        let up = header >> (24 + dimension) & 1;
        let end = if up == 1 { machine.shape[dimension as usize] - 1 } else { 0 };
        let passes_end = u32::from(coordinate(self.position, dimension) == end);
        let has_passed_end = u32::from(lane as u32 / 4 == dimension) & lane as u32;
        (4 * dimension + 2 * (1 - up) + (has_passed_end | passes_end)) as usize
    }

    /// A packet comes to the front of a lane, eligible from an instant on. Returns when it is due.
    #[inline(always)]
    pub(crate) fn come_to_front(
        &mut self,
        machine: &Machine<'_>,
        lane: usize,
        header: u32,
        eligible: Nanoseconds,
    ) -> Nanoseconds {
        let output = self.route(machine, lane, header) % LANES;
        self.output[lane] = output as u8;
        self.waiting[output / 2] |= 1 << lane;
        if output < EJECTION {
            prefetch(machine.slots.get(self.place_after_link(output)));
        }
        if self.blocked >> output & 1 == 1 {
            return NEVER;
        }
        eligible.max(self.inputs[lane / 2]).max(self.outputs[output / 2])
    }

    /// The place that the next packet in a virtual channel takes at the neighbor.
    #[inline(always)]
    pub(crate) fn place_after_link(&self, channel: usize) -> usize {
        let ring = ring(self.neighbors[channel / 2] as usize, channel ^ OPPOSITE);
        place(ring, self.tails[channel])
    }

    /// Asks for the slot behind the first one of a lane, where it begins a line of the cache.
    #[inline(always)]
    pub(crate) fn prefetch_behind(&self, machine: &Machine<'_>, ring: usize, lane: usize) {
        let behind = self.heads[lane].wrapping_add(1);
        if usize::from(behind).is_multiple_of(64 / size_of::<Slot>()) {
            prefetch(machine.slots.get(place(ring, behind)));
        }
    }

    /// The first packet of a lane leaves, and its tail at an instant. Returns the lanes that cannot be granted sooner: those that go to the
    /// same output or come from the same input, as bits.
    #[inline(always)]
    pub(crate) fn occupy(&mut self, lane: usize, channel: usize, end: Nanoseconds) -> u32 {
        let output = channel / 2 % PORTS;
        self.turns[output] = ((lane + 1) % LANES) as u8;
        self.outputs[output] = end;
        self.inputs[lane / 2] = end;
        self.waiting[output] &= !(1 << lane);
        u32::from(self.waiting[output]) | 3 << (lane / 2 * 2)
    }

    /// The next slot of a virtual channel is taken. Returns the neighbor that has it.
    #[inline(always)]
    pub(crate) fn fill_slot(&mut self, channel: usize) -> usize {
        self.tails[channel] = self.tails[channel].wrapping_add(1);
        self.neighbors[channel / 2] as usize
    }

    /// The packet behind the one that has left comes to the front of a lane, if it is eligible before the window ends. Returns when it is
    /// due.
    #[inline(always)]
    pub(crate) fn move_up(
        &mut self,
        machine: &Machine<'_>,
        (ring, lane): (usize, usize),
        end: Nanoseconds,
    ) -> Nanoseconds {
        self.heads[lane] = self.heads[lane].wrapping_add(1);
        if let Some((header, eligible)) = packet_before(&machine.slots[place(ring, self.heads[lane])], end) {
            self.prefetch_behind(machine, ring, lane);
            return self.come_to_front(machine, lane, header, eligible);
        }
        self.output[lane] = NO_OUTPUT;
        NEVER
    }

    /// Which of the lanes that are due at once is granted: the first one, or one of those that go to the same output, which take turns.
    #[inline(always)]
    pub(crate) fn choose(&self, due: u32) -> usize {
        let first = due.trailing_zeros() as usize % LANES;
        let output = usize::from(self.output[first]) / 2 % PORTS;
        let rivals = due & u32::from(self.waiting[output]);
        if rivals & rivals.wrapping_sub(1) == 0 {
            return first;
        }
        let turn = u32::from(self.turns[output]);
        let behind = rivals >> turn;
        let chosen = if behind == 0 { rivals.trailing_zeros() } else { behind.trailing_zeros() + turn };
        chosen as usize % LANES
    }

    /// The lanes whose first packets will leave in a virtual channel, as bits.
    #[inline(always)]
    pub(crate) fn lanes_to(&self, channel: usize) -> u32 {
        let lanes = bits(u32::from(self.waiting[channel / 2]));
        lanes.filter(|lane| usize::from(self.output[*lane]) == channel).map(|lane| 1 << lane).sum()
    }

    /// Looks again at the virtual channels without a credit.
    pub(crate) fn look_for_credits(&mut self, machine: &Machine<'_>, number: usize) {
        for channel in bits(self.blocked) {
            let from = free_from(&machine.slots[self.place_after_link(channel)]);
            if from == NEVER {
                continue;
            }
            self.blocked &= !(1 << channel);
            for lane in bits(self.lanes_to(channel)) {
                let eligible = if lane == SOURCE {
                    self.source.birth
                } else {
                    let slot = &machine.slots[place(ring(number, lane), self.heads[lane])];
                    packet_before(slot, NEVER).map_or(NEVER, |(_, eligible)| eligible)
                };
                let free = self.inputs[lane / 2].max(self.outputs[channel / 2]);
                self.due[lane] = from.max(eligible).max(free);
            }
        }
    }
}
