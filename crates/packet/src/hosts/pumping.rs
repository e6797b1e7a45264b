//! Sending of packets by interfaces: message after message, or a packet of each message in turn.
//!
//! # Interfaces that messages share
//! An interface sends a packet of each of its messages in turn, and what has no data before all others. So which packet leaves at an instant
//! depends on the messages that it has by then. In a window, events of ranks and packets of interfaces therefore go forward
//! together, in the order of time:
//!
//! ```text
//!   before an event       each interface by which a message might have left before it, so that its rank may have something to send
//!                         by then, sends what leaves before the event
//!   at an injection       its interface sends what leaves before it
//!   behind all events     all interfaces send what leaves in the rest of the window
//! ```
//! No packet leaves earlier or later for it than if there were no windows. Interfaces that send one message after the other need none of this:
//! what they send first does not depend on what they get later.

use super::{Hosts, State};
pub(super) use crate::nic::Until;
use crate::nic::{Parcel, Sent};
use crate::prefetch::prefetch;
use crate::routers::Routers;
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap, VecDeque};
use weir_network::{Message, Notice, Program};
use weir_units::{Bytes, Duration, NodeId, Rank, Time};

/// Messages that a line sends beside the one whose turn it is, where messages take turns.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Ring {
    /// Messages without data, in the order in which the interface got them.
    pub(super) control: VecDeque<Sending>,
    /// The messages whose turn comes later.
    pub(super) others: VecDeque<Sending>,
    /// The number of those that wait for a place and whose rank asks when they have left.
    asked: u32,
    /// One more than the number of the last window in which it was in [`Sharing::listed`].
    #[serde(skip)]
    window: u64,
}

/// The interfaces of a part that messages share, in one window.
#[derive(Debug, Default)]
pub(super) struct Sharing {
    /// Interfaces that are to send.
    listed: Vec<u32>,
    /// The soonest departure by each interface by which a message might leave in this window whose rank asks for that.
    soonest: BinaryHeap<Reverse<(u64, u32)>>,
}

impl<P: Program> Hosts<'_, P> {
    /// All that interfaces send and ranks do in a window.
    pub(super) fn send_and_react(&mut self, routers: &mut Routers<'_>) {
        let until = Until { at: routers.end, is_all: true };
        let mut awake = std::mem::take(&mut self.awake);
        self.nics.begin(&routers.window, &mut awake);
        if self.network.takes_turns() {
            awake.iter().for_each(|&place| self.list(place, 0, routers));
            self.react(routers);
            std::mem::swap(&mut awake, &mut self.sharing.listed);
            self.sharing.listed.clear();
        }
        for (turn, &place) in awake.iter().enumerate() {
            if let Some(later) = self.nics.prefetch_ahead(&awake, turn, routers) {
                prefetch(&self.state.sending, later);
            }
            if self.network.takes_turns() {
                self.pump_in_turn(place, until, routers);
            } else {
                self.pump(place, until, routers);
            }
        }
        awake.clear();
        self.awake = awake;
        if !self.network.takes_turns() {
            self.react(routers);
        }
    }

    /// All events of a window, with the departures from shared interfaces that come between them.
    fn react(&mut self, routers: &mut Routers<'_>) {
        let end = routers.end;
        loop {
            let next = self.state.calendar.next_time().filter(|next| *next < routers.window.end);
            // What leaves up to a pause leaves before it.
            let event = next.map_or(end, Time::as_ps).min(self.ranks.next_pause().as_ps());
            if let Some(&Reverse((soonest, place))) = self.sharing.soonest.peek()
                && soonest <= event
            {
                self.sharing.soonest.pop();
                let others = self.sharing.soonest.peek().map_or(u64::MAX, |&Reverse((soonest, _))| soonest);
                let at = event.min(others.max(soonest)).min(end);
                let from = self.pump_in_turn(place, Until { at, is_all: false }, routers);
                self.list(place, from, routers);
                continue;
            }
            if self.pauses_before(next.unwrap_or(routers.window.end)) {
                continue;
            }
            let Some(next) = next else { break };
            if self.over || self.ranks.must_end_before(next) {
                self.over = true;
                break;
            }
            let Some((key, what)) = self.state.calendar.take() else { break };
            self.process(key, what, routers);
        }
        self.sharing.soonest.clear();
    }

    /// Lets whoever steps the run act before an instant, which is not after the window; returns whether something else may come first.
    fn pauses_before(&mut self, next: Time) -> bool {
        let Self { ranks, state: State { calendar, outgoing, .. }, .. } = self;
        let is_idle = calendar.next_time().is_none() && outgoing.is_empty();
        let next = Some(next).filter(|_| !is_idle);
        ranks.pause_before(next, |rank, timer| calendar.add_output(rank, timer)) && !ranks.must_end()
    }

    /// An interface that messages share is to send in this window, but nothing before an instant, in picoseconds.
    pub(super) fn list(&mut self, place: u32, from: u64, routers: &Routers<'_>) {
        let first = self.lines_of(place).start;
        let ring = &mut self.state.rings[first];
        if ring.window != routers.window.number + 1 {
            ring.window = routers.window.number + 1;
            self.sharing.listed.push(place);
        }
        let soonest = self.soonest_departure(place, from);
        if soonest < routers.end {
            self.sharing.soonest.push(Reverse((soonest, place)));
        }
    }

    /// No message whose rank asks for that leaves an interface sooner, if no packet does before an instant; in picoseconds.
    fn soonest_departure(&self, place: u32, from: u64) -> u64 {
        let of_line = |line: usize| {
            let ring = &self.state.rings[line];
            // One that waits comes in when another has left, and may leave in the same window.
            let may_come_in = ring.asked > 0;
            let all = self.state.sending[line].iter().chain(&ring.others).chain(&ring.control);
            let asked = all.filter(|sending| {
                (may_come_in || sending.notice == Notice::Departed) && sending.address.is_some()
            });
            let alone = |sending: &Sending| {
                let start = self.nics.soonest(place as usize, sending.ready).max(from);
                start.saturating_add(self.nics.time_of(place as usize, sending.left, self.network))
            };
            asked.map(alone).min().unwrap_or(u64::MAX)
        };
        if self.network.services.is_none() {
            return of_line(place as usize);
        }
        self.lines_of(place).map(of_line).min().unwrap_or(u64::MAX)
    }

    /// A message, or a share of one, reaches an interface at an instant.
    pub(super) fn hand_to(&mut self, place: u32, sending: Sending, routers: &mut Routers<'_>) {
        let nic = place as usize;
        if let Some(load) = self.state.loads.get_mut(nic) {
            load.add(sending.share);
        }
        if !self.network.takes_turns() {
            if self.state.sending[nic].is_none() {
                self.state.sending[nic] = Some(sending);
                self.pump(place, Until { at: routers.end, is_all: true }, routers);
            } else {
                self.state.queues[nic].push_back(Queued::InFlight(sending));
            }
            return;
        }
        // What leaves before it does not know of it.
        let from = self.pump_in_turn(place, Until { at: sending.ready, is_all: false }, routers);
        let line = self.lines_of(place).start + usize::from(sending.service);
        let (ring, serving) = (&mut self.state.rings[line], self.network.node.serving);
        if !serving.takes_place(Bytes(sending.left)) {
            ring.control.push_back(sending);
        } else if self.state.sending[line].is_none() {
            self.state.sending[line] = Some(sending);
        } else if (1 + ring.others.len()) < serving.at_once() as usize {
            ring.others.push_back(sending);
        } else {
            ring.asked += u32::from(sending.notice == Notice::Departed);
            self.state.queues[line].push_back(Queued::InFlight(sending));
        }
        // The latest instant of all also says that the interface had nothing to send. And what holds back other lines does not hold back this one.
        let is_known = from < u64::MAX && self.network.services.is_none();
        self.list(place, if is_known { from } else { 0 }, routers);
    }

    /// Sends packets of an interface, message after message.
    pub(super) fn pump(&mut self, place: u32, until: Until, routers: &mut Routers<'_>) {
        let mtu = u64::from(self.network.mtu);
        while let Some(sending) = &mut self.state.sending[place as usize] {
            let bytes = sending.left.min(mtu);
            let Some(parcel) = sending.parcel(bytes) else { return };
            let Ok(sent) = self.nics.send(place as usize, parcel, sending.ready, until, routers) else {
                return;
            };
            sending.left -= bytes;
            sending.stalled += sent.stalled;
            if sending.left == 0 {
                let sending = *sending;
                self.leave(place, &sending, sent);
                self.state.sending[place as usize] = self.next_in_queue(place as usize);
            }
        }
    }

    /// Sends packets of an interface, of each message in turn, and none behind the departure of a message whose rank asks for it. Returns
    /// when the next one leaves at the soonest, in picoseconds; `u64::MAX` if nothing is known of that.
    pub(super) fn pump_in_turn(&mut self, place: u32, mut until: Until, routers: &mut Routers<'_>) -> u64 {
        let mtu = u64::from(self.network.mtu);
        loop {
            let (line, waiting) = match self.line_in_turn(place, until, routers) {
                Ok(found) => found,
                Err(later) => return later,
            };
            let Some((turn, own_gap)) = self.whose_turn(line) else { return u64::MAX };
            let sending = self.at_turn(line, turn);
            let (bytes, ready) = (sending.left.min(mtu), sending.ready);
            let Some(parcel) = sending.parcel(bytes) else { return u64::MAX };
            let gap = if own_gap { 0.0 } else { parcel.gap };
            let parcel = Parcel { gap, ..parcel };
            let sent = match self.nics.send(place as usize, parcel, ready, until, routers) {
                Ok(sent) => sent,
                Err(later) => return later,
            };
            self.note_turn(place, line, bytes, waiting);
            let sending = self.at_turn(line, turn);
            sending.left -= bytes;
            sending.stalled += sent.stalled;
            if own_gap {
                let time = sent.tail - sent.start;
                sending.ready = sent.tail + (time as f64 * sending.gap).round() as u64;
            }
            let sending = *sending;
            if sending.left > 0 {
                self.turn_over(line, turn);
                continue;
            }
            self.leave(place, &sending, sent);
            self.remove(line, turn);
            if sending.notice == Notice::Departed && !until.is_all {
                until.at = until.at.min(sent.tail);
            }
        }
    }

    /// The message of a line that sends the next packet: the place of it among [`Ring::others`], and whether its gap is only between its own
    /// packets.
    pub(super) fn whose_turn(&self, line: usize) -> Option<(Turn, bool)> {
        let (ring, nic) = (&self.state.rings[line], self.interface_of(line));
        if let Some(place) = ring.control.iter().position(|sending| sending.address.is_some()) {
            return Some((Turn::Control(place), false));
        }
        let first = self.state.sending[line].as_ref()?;
        if first.address.is_some() && !first.has_own_gap {
            return Some((Turn::First, false));
        }
        // Of those with a way the first in turn that may leave when the first of all may.
        let all = || {
            let others = ring.others.iter().enumerate().map(|(place, sending)| (Turn::Other(place), sending));
            let all = std::iter::once((Turn::First, first)).chain(others);
            all.filter(|(_, sending)| sending.address.is_some())
        };
        let soonest = all().map(|(_, sending)| self.nics.soonest(nic, sending.ready)).min()?;
        let (turn, sending) = all().find(|(_, sending)| sending.ready <= soonest)?;
        Some((turn, sending.has_own_gap))
    }

    pub(super) fn at_turn(&mut self, line: usize, turn: Turn) -> &mut Sending {
        let ring = &mut self.state.rings[line];
        let found = match turn {
            Turn::Control(place) => ring.control.get_mut(place),
            Turn::First => self.state.sending[line].as_mut(),
            Turn::Other(place) => ring.others.get_mut(place),
        };
        found.expect("it has just been found")
    }

    /// A message has sent a packet, and is behind the others now.
    fn turn_over(&mut self, line: usize, turn: Turn) {
        let others = &mut self.state.rings[line].others;
        match turn {
            // What has no data has one packet.
            Turn::Control(_) => {}
            Turn::First => {
                if let Some(next) = others.pop_front() {
                    others.extend(self.state.sending[line].replace(next));
                }
            }
            Turn::Other(place) => {
                let own = others.remove(place);
                others.extend(own);
            }
        }
    }

    /// A message has left a line: one that waits comes in behind all others.
    fn remove(&mut self, line: usize, turn: Turn) {
        let ring = &mut self.state.rings[line];
        match turn {
            Turn::Control(place) => {
                ring.control.remove(place);
                return;
            }
            Turn::First => self.state.sending[line] = ring.others.pop_front(),
            Turn::Other(place) => _ = ring.others.remove(place),
        }
        let Some(next) = self.next_in_queue(line) else { return };
        self.state.rings[line].asked -= u32::from(next.notice == Notice::Departed);
        match &mut self.state.sending[line] {
            Some(_) => self.state.rings[line].others.push_back(next),
            first => *first = Some(next),
        }
    }

    /// Takes the message that has waited longest in a line out of its queue.
    fn next_in_queue(&mut self, line: usize) -> Option<Sending> {
        let next = self.state.queues[line].pop_front()?;
        Some(match next {
            Queued::Waiting(waiting) => self.register(waiting),
            Queued::InFlight(sending) => sending,
        })
    }

    /// A message, or a share of one, has left an interface with a packet.
    fn leave(&mut self, place: u32, sending: &Sending, sent: Sent) {
        let Sending { from, sequence, notice, stalled, share, .. } = *sending;
        if let Some(load) = self.state.loads.get_mut(place as usize) {
            load.leaves(sent.tail, share);
        }
        let left = self.state.stripes.leaves((from, sequence), (sent.tail, Duration::from_ps(stalled)));
        if let Some((tail, stalled)) = left.filter(|_| notice == Notice::Departed) {
            self.depart(Time::from_ps(tail), stalled, from, sequence);
        }
    }
}

/// Which of the messages of a line.
#[derive(Clone, Copy, Debug)]
pub(super) enum Turn {
    Control(usize),
    First,
    Other(usize),
}

/// A message that an interface sends.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct Sending {
    pub(super) ready: u64,
    /// Bytes that have not left.
    pub(super) left: u64,
    /// Bytes that it was given.
    pub(super) share: u64,
    pub(super) to: NodeId,
    /// None if there is no way now.
    pub(super) address: Option<u32>,
    pub(super) service: u8,
    /// Pause of the interface behind each packet, in times that the packet takes.
    pub(super) gap: f64,
    /// True if the message itself asks for this gap.
    pub(super) has_own_gap: bool,
    /// Time for which its packets have stalled at the interface, in picoseconds.
    pub(super) stalled: u64,
    pub(super) flight: u64,
    pub(super) from: Rank,
    pub(super) sequence: u64,
    pub(super) notice: Notice,
}

impl Sending {
    /// The next packet, of so many bytes; none without a way.
    pub(super) fn parcel(&self, bytes: u64) -> Option<Parcel> {
        let Self { to, flight, from, service, gap, stalled, .. } = *self;
        Some(Parcel {
            address: self.address?,
            to,
            message: flight,
            from,
            bytes: bytes as u32,
            service,
            gap,
            stalled,
        })
    }
}

/// Entry of the queue of an interface.
#[derive(Serialize, Deserialize)]
pub(super) enum Queued<B> {
    Waiting(Waiting<B>),
    /// Its receiver knows of it already.
    InFlight(Sending),
}

/// A message that has been handed over.
#[derive(Serialize, Deserialize)]
pub(super) struct Waiting<B> {
    pub(super) message: Message<B>,
    pub(super) notice: Notice,
    pub(super) ready: u64,
    pub(super) address: Option<u32>,
}

/// The messages that several interfaces of a node send, packet after packet in turn, by sender and number: each has those packets
/// in its queue that are its own. All that is to be known is when the last of them has left.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Stripes {
    pub(super) messages: BTreeMap<(Rank, u64), Stripe>,
}

/// Progress of a message.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct Stripe {
    /// Interfaces that have packets of it.
    left: u32,
    /// When the last packet of the others has left, in picoseconds, and how long those of its interface have stalled.
    tail: (u64, Duration),
}

impl Stripes {
    /// An interface has sent what it has of a message, at an instant in picoseconds, after so much stalling: when all of it has left, if it
    /// has, and how long the packets of that interface had stalled.
    #[inline]
    pub(super) fn leaves(&mut self, of: (Rank, u64), tail: (u64, Duration)) -> Option<(u64, Duration)> {
        if self.messages.is_empty() {
            return Some(tail);
        }
        let Some(stripe) = self.messages.get_mut(&of) else { return Some(tail) };
        stripe.left -= 1;
        stripe.tail = stripe.tail.max(tail);
        let Stripe { left, tail } = *stripe;
        (left == 0).then(|| {
            self.messages.remove(&of);
            tail
        })
    }

    /// A message of which so many interfaces have packets.
    pub(super) fn add(&mut self, of: (Rank, u64), left: u32) {
        self.messages.insert(of, Stripe { left, tail: (0, Duration::ZERO) });
    }
}
