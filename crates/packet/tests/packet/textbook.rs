//! A torus of routers as textbooks have them, flit by flit and cycle by cycle: written after what is published of BookSim2's
//! input-queued router, to have figures where none of BookSim2 itself are at hand, and to see what a rule does.
//!
//! In every cycle a router computes the route of packets that have become the first ones of their virtual channels; gives
//! virtual channels of outputs, which no other packet has, to packets with a route, in one round: each channel is offered to one
//! lane, each lane accepts one offer, both in turn; and gives the crossbar, in one such round of ports, to packets with a
//! channel that has room for a flit. A packet keeps the crossbar while its flits come and there is room for them, its channel
//! until its tail has gone. A flit is at the next router four cycles after it was granted, at its node three; a credit is of
//! use four cycles after its flit has left, at a node two.

use std::collections::VecDeque;
use std::ops::Range;
use weir_units::{GOLDEN, mix};

/// Flits of a packet.
const FLITS: usize = 8;
/// More than any delay.
const AHEAD: usize = 8;

/// A torus of so many routers in each of some dimensions, with a node each.
pub(crate) struct Textbook {
    pub(crate) size: usize,
    pub(crate) dimensions: usize,
    pub(crate) channels: usize,
    /// Flits of a virtual channel.
    pub(crate) buffer: usize,
    /// Half way round a ring: by chance, as in BookSim2, or the positive way from every other router.
    pub(crate) ties_by_chance: bool,
    /// Flits per node and cycle.
    pub(crate) offered: f64,
}

/// What came out.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Found {
    /// Flits per node and cycle.
    pub(crate) accepted: f64,
    /// Cycles from when a packet is made to its tail at the node.
    pub(crate) latency: f64,
}

#[derive(Clone, Copy, Debug)]
struct Flit {
    packet: usize,
    is_tail: bool,
}

#[derive(Clone, Copy)]
struct Packet {
    to: usize,
    made: u64,
    /// Where it is on its way: the dimension, whether it goes in the positive way, whether it crosses the dateline.
    dimension: usize,
    plus: bool,
    crosses: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Idle,
    Unrouted,
    /// It needs a virtual channel of its output.
    Routed,
    Ready,
}

/// A virtual channel of an input port.
struct Lane {
    flits: VecDeque<Flit>,
    state: State,
    /// From this cycle on.
    since: u64,
    output: usize,
    /// Of the output: what it may have, then what it has.
    class: Range<usize>,
    channel: usize,
}

/// Ports are two for each dimension, positive way first, then that of the node; lanes and channels are numbered port by port.
struct Router {
    lanes: Vec<Lane>,
    credits: Vec<usize>,
    /// Channels that a packet has.
    taken: Vec<bool>,
    /// By input: the lane that keeps the crossbar. By output: whether it is kept.
    keeper: Vec<Option<usize>>,
    kept: Vec<bool>,
    /// Whose turn it is: inputs at outputs, outputs at inputs, lanes at channels, channels at lanes, channels of an input.
    turns: [Vec<usize>; 5],
}

struct Node {
    waiting: VecDeque<usize>,
    /// The packet that is being sent, its channel, and flits that are left.
    sending: Option<(usize, usize, usize)>,
    last_channel: usize,
    credits: Vec<usize>,
}

enum Event {
    Arrival { router: usize, lane: usize, flit: Flit },
    Ejection(Flit),
    Credit { router: usize, channel: usize },
    NodeCredit { node: usize, channel: usize },
}

struct Simulator<'a> {
    setting: &'a Textbook,
    ports: usize,
    routers: Vec<Router>,
    nodes: Vec<Node>,
    packets: Vec<Packet>,
    /// By cycle.
    events: [Vec<Event>; AHEAD],
    now: u64,
    random: u64,
}

impl Textbook {
    /// Runs so many cycles, and counts in so many more.
    pub(crate) fn run(&self, warmup: u64, measured: u64) -> Found {
        let mut simulator = Simulator::new(self);
        let (mut flits, mut packets, mut waited) = (0_u64, 0_u64, 0_u64);
        while simulator.now < warmup + measured {
            let counts = simulator.now >= warmup;
            for flit in simulator.cycle() {
                flits += u64::from(counts);
                if flit.is_tail && counts {
                    packets += 1;
                    waited += simulator.now - simulator.packets[flit.packet].made;
                }
            }
            simulator.now += 1;
        }
        let nodes = simulator.nodes.len() as f64;
        Found {
            accepted: flits as f64 / nodes / measured as f64,
            latency: waited as f64 / packets.max(1) as f64,
        }
    }
}

/// The first one in a turn of `count` that begins at `first`.
fn in_turn(count: usize, first: usize, may: impl Fn(usize) -> bool) -> Option<usize> {
    (first..count).chain(0..first).find(|&one| may(one))
}

impl Router {
    fn new(ports: usize, channels: usize, buffer: usize) -> Self {
        let lanes = ports * channels;
        let lane = |_| Lane {
            flits: VecDeque::new(),
            state: State::Idle,
            since: 0,
            output: 0,
            class: 0..0,
            channel: 0,
        };
        Self {
            lanes: (0..lanes).map(lane).collect(),
            credits: vec![buffer; lanes],
            taken: vec![false; lanes],
            keeper: vec![None; ports],
            kept: vec![false; ports],
            turns: [ports, ports, lanes, lanes, ports].map(|count| vec![0; count]),
        }
    }

    /// Lanes that get a virtual channel.
    fn allocate_channels(&mut self, now: u64) -> Vec<(usize, usize)> {
        let asks = |lane: &Lane| lane.state == State::Routed && lane.since < now;
        let asking: Vec<_> = (0..self.lanes.len()).filter(|&lane| asks(&self.lanes[lane])).collect();
        let mut offers = vec![None; self.taken.len()];
        for &lane in &asking {
            for channel in self.lanes[lane].class.clone().filter(|&channel| !self.taken[channel]) {
                let asks = |lane: usize| asks(&self.lanes[lane]) && self.lanes[lane].class.contains(&channel);
                offers[channel] = in_turn(self.lanes.len(), self.turns[2][channel], asks);
            }
        }
        let accept = |&lane: &usize| {
            let channel =
                in_turn(offers.len(), self.turns[3][lane], |channel| offers[channel] == Some(lane))?;
            Some((lane, channel))
        };
        let given: Vec<_> = asking.iter().filter_map(accept).collect();
        for &(lane, channel) in &given {
            self.turns[2][channel] = (lane + 1) % self.lanes.len();
            self.turns[3][lane] = (channel + 1) % offers.len();
        }
        given
    }

    /// Lanes that get the crossbar.
    fn allocate_crossbar(&mut self, now: u64, channels: usize) -> Vec<usize> {
        let ports = self.kept.len();
        let mut requests = vec![None; ports * ports];
        for input in (0..ports).filter(|&input| self.keeper[input].is_none()) {
            for vc in (0..channels).rev() {
                // The last one that is written has the first turn.
                let lane = input * channels + (self.turns[4][input] + vc) % channels;
                let Lane { flits, state, since, output, channel, .. } = &self.lanes[lane];
                let ready = *state == State::Ready && *since < now && !flits.is_empty();
                if ready && !self.kept[*output] && self.credits[*channel] > 0 {
                    requests[input * ports + output] = Some(lane);
                }
            }
        }
        let asks = |input: usize, output: usize| requests[input * ports + output].is_some();
        let offers: Vec<_> = (0..ports)
            .map(|output| in_turn(ports, self.turns[0][output], |input| asks(input, output)))
            .collect();
        let accept = |input: usize| {
            let output = in_turn(ports, self.turns[1][input], |output| offers[output] == Some(input))?;
            Some((input, output))
        };
        let matched: Vec<_> = (0..ports).filter_map(accept).collect();
        for &(input, output) in &matched {
            self.turns[0][output] = (input + 1) % ports;
            self.turns[1][input] = (output + 1) % ports;
        }
        matched.iter().filter_map(|&(input, output)| requests[input * ports + output]).collect()
    }
}

impl<'a> Simulator<'a> {
    fn new(setting: &'a Textbook) -> Self {
        let Textbook { size, dimensions, channels, buffer, .. } = *setting;
        let (nodes, ports) = (size.pow(dimensions as u32), 2 * dimensions + 1);
        let node = |_| Node {
            waiting: VecDeque::new(),
            sending: None,
            last_channel: 0,
            credits: vec![buffer; channels],
        };
        Self {
            setting,
            ports,
            routers: (0..nodes).map(|_| Router::new(ports, channels, buffer)).collect(),
            nodes: (0..nodes).map(node).collect(),
            packets: Vec::new(),
            events: Default::default(),
            now: 0,
            random: 1,
        }
    }

    /// A number below `count`.
    fn draw(&mut self, count: usize) -> usize {
        self.random = self.random.wrapping_add(GOLDEN);
        ((u128::from(mix(self.random)) * count as u128) >> 64) as usize
    }

    fn after(&mut self, cycles: u64, event: Event) {
        self.events[(self.now + cycles) as usize % AHEAD].push(event);
    }

    /// One cycle; the flits that nodes get in it.
    fn cycle(&mut self) -> Vec<Flit> {
        let mut ejected = Vec::new();
        for event in std::mem::take(&mut self.events[self.now as usize % AHEAD]) {
            match event {
                Event::Arrival { router, lane, flit } => {
                    let lane = &mut self.routers[router].lanes[lane];
                    lane.flits.push_back(flit);
                    if lane.state == State::Idle {
                        (lane.state, lane.since) = (State::Unrouted, self.now);
                    }
                }
                Event::Ejection(flit) => ejected.push(flit),
                Event::Credit { router, channel } => self.routers[router].credits[channel] += 1,
                Event::NodeCredit { node, channel } => self.nodes[node].credits[channel] += 1,
            }
        }
        for number in 0..self.nodes.len() {
            self.node(number);
            self.router(number);
        }
        ejected
    }

    fn node(&mut self, number: usize) {
        let channels = self.setting.channels;
        if (self.draw(1 << 40) as f64) < self.setting.offered / FLITS as f64 * (1_u64 << 40) as f64 {
            let to = self.draw(self.nodes.len());
            let (dimension, made) = (usize::MAX, self.now);
            self.packets.push(Packet { to, made, dimension, plus: false, crosses: false });
            self.nodes[number].waiting.push_back(self.packets.len() - 1);
        }
        let node = &mut self.nodes[number];
        if node.sending.is_none() && !node.waiting.is_empty() {
            let first = (node.last_channel + 1) % channels;
            if let Some(channel) = in_turn(channels, first, |channel| node.credits[channel] > 0) {
                node.last_channel = channel;
                node.sending = node.waiting.pop_front().map(|packet| (packet, channel, FLITS));
            }
        }
        let Some((packet, channel, left)) = node.sending.filter(|&(_, channel, _)| node.credits[channel] > 0)
        else {
            return;
        };
        node.credits[channel] -= 1;
        node.sending = (left > 1).then_some((packet, channel, left - 1));
        let lane = (self.ports - 1) * channels + channel;
        let flit = Flit { packet, is_tail: left == 1 };
        self.after(2, Event::Arrival { router: number, lane, flit });
    }

    fn router(&mut self, number: usize) {
        let (now, channels) = (self.now, self.setting.channels);
        let router = &mut self.routers[number];
        let given = router.allocate_channels(now);
        let granted = router.allocate_crossbar(now, channels);
        let keepers: Vec<_> = router.keeper.iter().copied().flatten().collect();
        for lane in 0..router.lanes.len() {
            let Lane { state, since, .. } = self.routers[number].lanes[lane];
            if state == State::Unrouted && since <= now {
                self.find_route(number, lane);
            }
        }
        let router = &mut self.routers[number];
        for (lane, channel) in given {
            router.taken[channel] = true;
            let lane = &mut router.lanes[lane];
            (lane.channel, lane.state, lane.since) = (channel, State::Ready, now);
        }
        for lane in keepers {
            let Lane { flits, output, channel, .. } = &self.routers[number].lanes[lane];
            let (output, goes) = (*output, !flits.is_empty() && self.routers[number].credits[*channel] > 0);
            if !goes || !self.send(number, lane) {
                let router = &mut self.routers[number];
                (router.keeper[lane / channels], router.kept[output]) = (None, false);
            }
        }
        for lane in granted {
            let output = self.routers[number].lanes[lane].output;
            self.routers[number].turns[4][lane / channels] = (lane + 1) % channels;
            if self.send(number, lane) {
                let router = &mut self.routers[number];
                (router.keeper[lane / channels], router.kept[output]) = (Some(lane), true);
            }
        }
    }

    /// The output of the first packet of a lane, and the channels it may have there: by dimensions, on the shorter way round,
    /// half way round as is said; the lower half of the channels for packets that cross the dateline in the dimension.
    fn find_route(&mut self, number: usize, lane: usize) {
        let Textbook { size, channels, .. } = *self.setting;
        let packet = self.routers[number].lanes[lane].flits[0].packet;
        let to = self.packets[packet].to;
        let place = |node: usize, dimension: usize| node / size.pow(dimension as u32) % size;
        let dimension = (0..self.setting.dimensions).find(|&d| place(number, d) != place(to, d));
        let (output, class) = if let Some(dimension) = dimension {
            if self.packets[packet].dimension != dimension {
                let (here, there) = (place(number, dimension), place(to, dimension));
                let ahead = (there + size - here) % size;
                let chosen =
                    if self.setting.ties_by_chance { self.draw(2) == 0 } else { here.is_multiple_of(2) };
                let plus = 2 * ahead < size || (2 * ahead == size && chosen);
                let crosses = plus == (there < here);
                self.packets[packet] = Packet { dimension, plus, crosses, ..self.packets[packet] };
            }
            let Packet { plus, crosses, .. } = self.packets[packet];
            let half = channels / 2;
            (2 * dimension + usize::from(!plus), if crosses { 0..half } else { half..channels })
        } else {
            (self.ports - 1, 0..channels)
        };
        let lane = &mut self.routers[number].lanes[lane];
        (lane.output, lane.state, lane.since) = (output, State::Routed, self.now);
        lane.class = output * channels + class.start..output * channels + class.end;
    }

    /// The router behind an output, or before the input of this number.
    fn neighbor(&self, number: usize, port: usize) -> usize {
        let (size, stride) = (self.setting.size, self.setting.size.pow(port as u32 / 2));
        let here = number / stride % size;
        let there = if port.is_multiple_of(2) { (here + 1) % size } else { (here + size - 1) % size };
        number + there * stride - here * stride
    }

    /// Sends a flit of a lane; whether the next one is there and may follow.
    fn send(&mut self, number: usize, place: usize) -> bool {
        let (now, channels, to_node) = (self.now, self.setting.channels, self.ports - 1);
        let router = &mut self.routers[number];
        let lane = &mut router.lanes[place];
        let (output, channel) = (lane.output, lane.channel);
        let flit = lane.flits.pop_front().expect("it is there");
        router.credits[channel] -= 1;
        let more = !lane.flits.is_empty();
        if flit.is_tail {
            router.taken[channel] = false;
            lane.state = if more { State::Unrouted } else { State::Idle };
            lane.since = now + 1;
        }
        if output == to_node {
            self.after(3, Event::Ejection(flit));
            self.after(5, Event::Credit { router: number, channel });
        } else {
            let router = self.neighbor(number, output);
            self.after(4, Event::Arrival { router, lane: channel, flit });
        }
        let input = place / channels;
        if input == to_node {
            self.after(2, Event::NodeCredit { node: number, channel: place % channels });
        } else {
            // It came from the other side, by the output with the number of this input.
            let router = self.neighbor(number, input ^ 1);
            self.after(4, Event::Credit { router, channel: place });
        }
        more && !flit.is_tail
    }
}
