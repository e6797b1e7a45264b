//! The run: one instant after the other, and within each until nothing moves.

use super::journey::{Journey, Message};
use super::network::{Network, Settings, time_of};
use super::nic::Nic;
use super::packet::{Packet, cut_messages, ways};
use super::router::{Credits, Input, Output, Router, Stay};
use super::ruling::{Ruling, decide_ways};
use super::wire::{Last, Wire, put_on_wire};
use std::collections::{BTreeSet, VecDeque};
use weir_topology::{End, Topology};
use weir_units::{LinkId, NodeId};

struct Simulator<'a> {
    settings: &'a Settings,
    network: Network<'a>,
    /// If a rule decides for each packet.
    ruling: Option<Ruling<'a>>,
    packets: Vec<Packet>,
    nics: Vec<Nic>,
    wires: Vec<Wire>,
    credits: Vec<Credits>,
    /// By link: places of each virtual channel.
    rooms: Vec<usize>,
    routers: Vec<Router>,
    /// Of the routers.
    kinds: Vec<u16>,
    /// Instants at which something may happen.
    agenda: BTreeSet<u64>,
    /// What the machine becomes, and when; and how long interfaces wait then.
    changes: &'a [(u64, Topology)],
    pause: u64,
    /// Interfaces send from here on.
    opens: u64,
}

/// Sends all messages through the machine; a node's messages in the order of their times, then as listed.
///
/// # Panics
/// When packets stop moving, when a buffer overflows, or when a message goes from a node to itself.
pub(crate) fn simulate(topology: &Topology, settings: &Settings, messages: &[Message]) -> Vec<Journey> {
    simulate_changing(topology, settings, messages, (&[], 0))
}

/// The same, on a machine that becomes others at instants: interfaces close then, and open so long after the last packet has left
/// the last router.
pub(crate) fn simulate_changing(
    topology: &Topology,
    settings: &Settings,
    messages: &[Message],
    (changes, pause): (&[(u64, Topology)], u64),
) -> Vec<Journey> {
    let mut simulator = Simulator { pause, ..Simulator::new(topology, settings, messages, changes, 0) };
    simulator.agenda.extend(changes.iter().map(|&(at, _)| at));
    simulator.run()
}

/// The same on a machine whose rule decides for each packet, where nothing is known sooner than after this time.
pub(crate) fn simulate_deciding(
    topology: &Topology,
    settings: &Settings,
    messages: &[Message],
    least: u64,
) -> Vec<Journey> {
    Simulator::new(topology, settings, messages, &[], least).run()
}

impl<'a> Simulator<'a> {
    fn run(mut self) -> Vec<Journey> {
        while let Some(now) = self.agenda.pop_first() {
            while self.move_edges(now) || self.decide(now) {}
            self.change_if_empty(now);
        }
        self.check_end();
        let journey = |p: Packet| {
            assert!(p.done, "a packet of message {} is stuck after {:?}", p.message, p.passages);
            Journey { message: p.message, passages: p.passages, arrived: p.arrived }
        };
        self.packets.into_iter().map(journey).collect()
    }

    fn new(
        topology: &'a Topology,
        settings: &'a Settings,
        messages: &[Message],
        changes: &'a [(u64, Topology)],
        least: u64,
    ) -> Self {
        let ruling = Ruling::of(topology, least);
        let network = Network::new(topology, settings, ruling.as_ref().map(Ruling::classes));
        let mut routers: Vec<_> = (0..topology.routers()).map(|_| Router::default()).collect();
        let (_, kinds) = topology.router_kinds();
        let (mut wires, mut credits, mut rooms) = (Vec::new(), Vec::new(), Vec::new());
        let machines = || std::iter::once(topology).chain(changes.iter().map(|(_, machine)| machine));
        for (id, link) in network.links() {
            let channels = network.channels_of(link);
            let late = match link.from {
                End::Router(router) => {
                    let late = settings.delay(kinds[router.index()]);
                    let output = Output {
                        link: id.index(),
                        port: 0,
                        buffer: VecDeque::new(),
                        taken: false,
                        untaken: vec![Some(0); channels],
                    };
                    routers[router.index()].outputs.push(output);
                    late
                }
                End::Node(_) => 0,
            };
            if let End::Router(router) = link.to {
                let lanes = (0..channels).map(|_| VecDeque::new()).collect();
                routers[router.index()].inputs.push(Input {
                    link: id.index(),
                    port: 0,
                    from_node: matches!(link.from, End::Node(_)),
                    lanes,
                    taken: vec![None; channels],
                    turns_until: vec![0; channels],
                    won: vec![0; channels],
                    port_won: vec![0; channels],
                    passing: None,
                });
            }
            let credit_delay = settings.credit_delay.unwrap_or(link.latency.as_ps());
            wires.push(Wire { index: id.index(), link, edges: VecDeque::new(), late, credit_delay });
            let most =
                machines().map(|machine| settings.room(machine, id)).max().expect("there is a machine");
            credits.push(Credits::new(channels, most));
            rooms.push(most);
        }
        number_ports(&mut routers, &network);
        let mut nics: Vec<_> = (0..topology.nodes()).map(|_| Nic::new()).collect();
        let (packets, handed_over) = cut_messages(&network, settings, messages, ruling.is_some());
        for (from, numbers) in handed_over {
            nics[from as usize].to_come.push_back(numbers.collect());
        }
        let agenda = messages.iter().map(|message| message.at).collect();
        let (pause, opens) = (0, 0);
        Self {
            settings,
            network,
            ruling,
            packets,
            nics,
            wires,
            credits,
            rooms,
            routers,
            agenda,
            changes,
            pause,
            opens,
            kinds,
        }
    }

    /// The machine becomes another one, if it is time to and all packets that have set out are on their last link.
    fn change_if_empty(&mut self, now: u64) {
        let Some(&(at, _)) = self.changes.first().filter(|&&(at, _)| at <= now) else { return };
        let in_router = |router: &Router| {
            router.inputs.iter().any(|input| input.lanes.iter().any(|lane| !lane.is_empty()))
                || router.outputs.iter().any(|output| !output.buffer.is_empty())
        };
        let to_router = |wire: &Wire| !wire.edges.is_empty() && matches!(wire.link.to, End::Router(_));
        if self.nics.iter().any(|nic| nic.sending.is_some())
            || self.wires.iter().any(to_router)
            || self.routers.iter().any(in_router)
        {
            return;
        }
        let left =
            self.packets.iter().filter_map(|packet| packet.passages.last()).map(|passage| passage.tail);
        self.opens = left.max().unwrap_or(0).max(at) + self.pause;
        self.agenda.insert(self.opens);
        while let Some(((_, topology), later)) =
            self.changes.split_first().filter(|((at, _), _)| *at <= self.opens)
        {
            self.changes = later;
            self.take_ways(topology, now);
        }
    }

    /// Links and ways of packets that have not set out are those of this machine.
    fn take_ways(&mut self, topology: &Topology, now: u64) {
        let network = Network::new(topology, self.settings, None);
        for (id, link) in network.links() {
            self.wires[id.index()].link = link;
        }
        for (from, nic) in (0..).zip(&self.nics) {
            for number in nic.packets() {
                let packet = &mut self.packets[number];
                assert!(packet.passages.is_empty(), "a packet has set out before {now}");
                let End::Node(to) = topology.link(LinkId::new(*packet.route.last().expect("a way"))).to
                else {
                    unreachable!("a way ends at a node")
                };
                (packet.route, packet.channels) = ways(&network, from, to.0, false);
            }
        }
    }

    /// Everything that needs no decision; whether anything moved.
    fn move_edges(&mut self, now: u64) -> bool {
        let mut moved = false;
        for link in 0..self.wires.len() {
            moved |= self.give_back(link, now);
            moved |= self.arrive(link, now);
        }
        for router in 0..self.routers.len() {
            moved |= self.cross(router, now);
            moved |= self.leave(router, now);
        }
        if moved {
            return true;
        }
        // An interface chooses a virtual channel when all credits of this instant are back.
        (0..self.nics.len()).any(|node| self.inject(node, now))
    }

    fn give_back(&mut self, link: usize, now: u64) -> bool {
        let Credits { free, returning, .. } = &mut self.credits[link];
        let Some(&(_, channel)) = returning.front().filter(|&&(at, _)| at <= now) else { return false };
        returning.pop_front();
        free[channel] += 1;
        true
    }

    /// The end of a link.
    fn arrive(&mut self, link: usize, now: u64) -> bool {
        let wire = &mut self.wires[link];
        let Some(&(_, number, edge, channel)) = wire.edges.front().filter(|&&(at, ..)| at <= now) else {
            return false;
        };
        wire.edges.pop_front();
        let packet = &mut self.packets[number];
        let is_tail = edge == packet.flits.len();
        match wire.link.to {
            End::Node(_) if is_tail => {
                (packet.arrived, packet.done) = (now, true);
            }
            End::Node(_) => {}
            End::Router(router) => {
                let inputs = &mut self.routers[router.index()].inputs;
                let input = inputs.iter_mut().find(|i| i.link == link).expect("the port of the link");
                let lane = &mut input.lanes[channel];
                if edge == 0 {
                    let eligible = now + self.settings.pipeline;
                    self.agenda.insert(eligible);
                    lane.push_back(Stay::new(number, eligible));
                    // One may be on its way out, with its place given back.
                    let leaving = usize::from(self.settings.given_back_behind.is_some());
                    let places = self.rooms[link] + leaving;
                    assert!(lane.len() <= places, "a full input buffer got a packet");
                }
                let stay = lane.back_mut().expect("its head has come");
                assert_eq!((stay.packet, stay.come), (number, edge), "packets are mixed up on a link");
                stay.come += 1;
            }
        }
        true
    }

    /// The crossbar: from input to output buffer.
    fn cross(&mut self, router: usize, now: u64) -> bool {
        let kind = self.kinds[router];
        let Router { inputs, outputs } = &mut self.routers[router];
        let mut moved = false;
        for input in inputs {
            let Some((channel, out)) = input.passing else { continue };
            let (lane, output) = (&mut input.lanes[channel], &mut outputs[out]);
            let stay = lane.front_mut().expect("a packet is passing");
            let packet = &self.packets[stay.packet];
            let times: Vec<_> = packet.flits.iter().map(|&f| self.settings.crossbar(kind, f)).collect();
            let Some(edge) = stay.pass(now, &times) else { continue };
            moved = true;
            self.agenda.insert(stay.next);
            output.buffer.back_mut().expect("its place is there since the grant").come += 1;
            if edge == packet.flits.len() {
                lane.pop_front();
                (input.passing, output.taken) = (None, false);
                if let (Some(taken), Some(turnaround)) =
                    (input.taken[channel].take(), self.settings.vc_turnaround)
                {
                    output.untaken[taken] = Some(now + turnaround);
                    self.agenda.insert(now + turnaround);
                }
                input.turns_until[channel] = now + self.settings.turnaround;
                self.agenda.insert(input.turns_until[channel]);
                if self.settings.given_back_behind.is_none() {
                    let back = now + self.wires[input.link].credit_delay;
                    self.agenda.insert(back);
                    self.credits[input.link].returning.push_back((back, channel));
                }
            }
        }
        moved
    }

    /// The start of a link behind a router: the packets of the output buffer one after the other.
    fn leave(&mut self, router: usize, now: u64) -> bool {
        let mut moved = false;
        for output in &mut self.routers[router].outputs {
            let Some(stay) = output.buffer.front_mut() else { continue };
            if let Some(last) = put_on_wire(
                &mut self.wires[output.link],
                stay,
                &mut self.packets[stay.packet],
                &mut self.agenda,
                now,
            ) {
                moved = true;
                if last == Last::Yes {
                    output.buffer.pop_front();
                }
            }
        }
        moved
    }

    /// The NIC: starts a packet if it may, and sends the flits of the one it has started.
    fn inject(&mut self, node: usize, now: u64) -> bool {
        let nic = &mut self.nics[node];
        let link = node;
        if nic.sending.is_none() {
            nic.take(&self.packets, self.settings.at_once, now);
            let Some((number, since)) = nic.next(&self.packets) else { return false };
            let packet = &mut self.packets[number];
            let closes = self.changes.first().map_or(u64::MAX, |&(at, _)| at);
            let ready = since.max(nic.free).max(self.opens);
            if now < ready || now >= closes {
                return false;
            }
            let channels = packet.channels[0].clone().expect("a router follows");
            let Some(channel) = self.credits[link].choose(channels) else { return false };
            self.credits[link].take(channel);
            packet.started = now;
            if let Some(ruling) = &self.ruling {
                packet.way = ruling.injected(NodeId::new(node), packet.to, now);
            }
            nic.turn_over(self.settings.at_once);
            let come = packet.flits.len() + 1;
            nic.sending = Some(Stay { come, channel, waited: now - ready, ..Stay::new(number, now) });
        }
        let stay = nic.sending.as_mut().expect("just seen to");
        let packet = &mut self.packets[stay.packet];
        let Some(last) = put_on_wire(&mut self.wires[link], stay, packet, &mut self.agenda, now) else {
            return false;
        };
        if last == Last::Yes {
            let time = time_of(packet.bytes.max(1), self.wires[link].link.capacity);
            nic.free = now + (self.settings.packet_gap * time as f64).round() as u64;
            self.agenda.insert(nic.free);
            nic.sending = None;
        }
        true
    }

    /// Arbitration in every router; whether anything was granted.
    fn decide(&mut self, now: u64) -> bool {
        let mut granted = false;
        for r in 0..self.routers.len() {
            loop {
                // A grant makes another packet the first of its lane.
                if self.ruling.is_some() {
                    decide_ways((&self.ruling, &self.network), (r, &self.routers[r]), &mut self.packets, now);
                }
                let router = &self.routers[r];
                let Some(winner) = router.winner(now, self.settings, &self.packets, &self.credits) else {
                    break;
                };
                self.grant(r, winner, now);
                granted = true;
            }
        }
        granted
    }

    /// The head packet of a virtual channel of an input goes to an output, or takes a virtual channel there.
    fn grant(&mut self, r: usize, (out, input, channel): (usize, usize, usize), now: u64) {
        if !self.take_channel(r, (input, channel), out, now) {
            let router = &mut self.routers[r];
            let link = router.inputs[input].link;
            router.inputs[input].passing = Some((channel, out));
            router.note_turn((out, input, channel), &self.packets, now);
            let Stay { packet: number, next: eligible, .. } = router.inputs[input].lanes[channel][0];
            let output = &mut router.outputs[out];
            let packet = &self.packets[number];
            let hop = packet.route.iter().position(|&l| l == output.link).expect("its way");
            let mut stay = Stay { waited: now - eligible, ..Stay::new(number, now) };
            if let Some(channels) = packet.channels[hop].clone() {
                let credits = &mut self.credits[output.link];
                if let Some(taken) = router.inputs[input].taken[channel] {
                    stay.channel = taken;
                    credits.take_place(taken);
                } else {
                    stay.channel = credits.choose(channels).expect("the winner has a credit");
                    credits.take(stay.channel);
                }
            }
            output.buffer.push_back(stay);
            output.taken = true;
            if let Some(ruling) = &mut self.ruling {
                let time = |bytes: u64| self.settings.crossbar(self.kinds[r], bytes);
                let passes = time(packet.bytes.max(1));
                let stays = self
                    .settings
                    .given_back_behind
                    .map_or(passes, |bytes| time(bytes.min(packet.bytes.max(1))));
                let credit = self.wires[link].credit_delay;
                let known = (now + stays + credit, credit);
                ruling.granted(number, packet.bytes, (link, output.link), (now, passes), known);
            }
            self.give_back_early((r, link), channel, number, now);
        }
    }

    /// Whether the head packet of a lane had to take a virtual channel before the switch: it has one now.
    fn take_channel(&mut self, r: usize, (input, channel): (usize, usize), out: usize, now: u64) -> bool {
        let Router { inputs, outputs } = &mut self.routers[r];
        let (input, output) = (&mut inputs[input], &mut outputs[out]);
        if self.settings.vc_turnaround.is_none() || input.taken[channel].is_some() {
            return false;
        }
        let packet = &self.packets[input.lanes[channel][0].packet];
        let hop = packet.route.iter().position(|&link| link == output.link).expect("its way");
        let Some(channels) = packet.channels[hop].clone() else { return false };
        let credits = &mut self.credits[output.link];
        let found = credits.choose_untaken(channels, &output.untaken, now).expect("the winner may take one");
        credits.last_taken(found);
        (output.untaken[found], input.taken[channel]) = (None, Some(found));
        true
    }

    /// The place of a packet that has been granted, where it is given back before the packet has left.
    fn give_back_early(&mut self, (router, link): (usize, usize), channel: usize, packet: usize, now: u64) {
        let Some(bytes) = self.settings.given_back_behind else { return };
        let bytes = bytes.min(self.packets[packet].bytes.max(1));
        let back = now + self.settings.crossbar(self.kinds[router], bytes) + self.wires[link].credit_delay;
        self.agenda.insert(back);
        self.credits[link].returning.push_back((back, channel));
    }

    /// All credits are back where they began.
    fn check_end(&self) {
        if self.packets.iter().all(|p| p.done) {
            for (credits, &room) in self.credits.iter().zip(&self.rooms) {
                assert!(credits.returning.is_empty());
                assert!(credits.free.iter().all(|&free| free == room), "a credit is lost");
            }
        }
    }
}

/// Gives all ports their numbers, and puts them into that order.
fn number_ports(routers: &mut [Router], network: &Network<'_>) {
    for router in routers {
        let id = |link: usize| LinkId::new(link);
        let ports = network.ports(&router.inputs.iter().map(|i| id(i.link)).collect::<Vec<_>>());
        router.inputs.iter_mut().zip(ports).for_each(|(input, port)| input.port = port);
        router.inputs.sort_by_key(|input| input.port);
        let ports = network.ports(&router.outputs.iter().map(|o| id(o.link)).collect::<Vec<_>>());
        router.outputs.iter_mut().zip(ports).for_each(|(output, port)| output.port = port);
        router.outputs.sort_by_key(|output| output.port);
    }
}
