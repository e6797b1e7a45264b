//! Messages on their way, between the part that sends them and the part that receives them.
//!
//! A packet carries 40 bits about its message: the sending part and a number. The sending part gives the numbers, one list
//! for each receiving part; the receiving part keeps the messages under them. A number is given back once the receiver has
//! got the event of the message. Parts exchange both by mail; a message is there long before its first packet.
//!
//! # Order of the messages of a pair
//! Three things happen to the messages of one pair of ranks, and each has an order:
//!
//! ```text
//!   numbered    by the sending rank: Message::sequence
//!   registered  when an interface of its node has got them: by instant, at one instant by number
//!   released    when the receiver gets their events: by instant, at one instant by number
//! ```
//!
//! The second is not the first: a rank that has sent messages at instants to come may answer another one before these
//! instants. Such an answer has a later number and is registered earlier. A rank's own clock does not go back, so of two messages
//! that it sends by its own doing the first is first in both.
//!
//! Packets may overtake each other in different virtual channels or interfaces. So a flight knows the one before it of the
//! same pair that has not been released, waits for it, and arrives at the later one of their instants. From this follows:
//!
//! 1. *The instants of arrival do not fall in the order of registration.* By induction over the flights of a pair.
//! 2. *What is first in both orders is released first*: not at a later instant by 1, and at the same instant by its number. That is
//!    all that a program can know of the order, and what the joint promises.
//! 3. *At one instant, what is first in one order and second in the other is released by number.* So flights of a pair are not released
//!    in the order of registration, and [`Outgoing::release`] counts those of each pair instead of relying on it.
//! 4. *Nothing waits for what has been released.* When the last flight of a pair to have been registered is released, at an instant T, those that
//!    have not been released arrive at T as well, by 1. A later one is registered at T or after it and arrives after T, because every
//!    route takes time. So it need not know a flight before it.
//!
//! Where a node has one interface that sends one message after the other, messages are registered when it begins with them, in the order in
//! which it got them. Else they do when they are handed over, since a later one may begin or end before an earlier one. Where messages
//! share an interface, those that [keep no order](Message::keeps_order) are no part of all this: none waits for them, and they wait for
//! none. Messages within a node
//! are no flights: memory carries those of a rank one after the other, and 1 to 3 hold for them as well. All of this is about
//! one sender, whose flights one part numbers, so it does not depend on threads: mail between parts only makes a number free
//! later.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use weir_network::{Message, Placement};
use weir_units::{Duration, NodeId, Rank, Time};

const NONE: u32 = u32::MAX;
/// Bits of a flight's number within its pair of parts.
pub(crate) const NUMBER_BITS: u32 = 26;

/// Name of a message in its packets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct FlightId {
    /// The part that sends it.
    pub(crate) from: usize,
    number: u32,
}

impl FlightId {
    pub(crate) fn to_word(self) -> u64 {
        (self.from as u64) << NUMBER_BITS | u64::from(self.number)
    }

    pub(crate) fn from_word(word: u64) -> Self {
        Self { from: (word >> NUMBER_BITS) as usize, number: word as u32 & ((1 << NUMBER_BITS) - 1) }
    }
}

/// A message that has been registered by its sender's part.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Departure<B> {
    id: FlightId,
    message: Message<B>,
    packets: u64,
    /// The flight before it of the same pair of ranks.
    previous: u32,
}

/// The sending side of a part. A checkpoint keeps the pairs.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Outgoing {
    #[serde(skip)]
    part: usize,
    /// By receiving part: numbers that have been given back.
    #[serde(skip)]
    unused: Vec<Vec<u32>>,
    /// By receiving part, by number: who receives it.
    #[serde(skip)]
    receivers: Vec<Vec<Rank>>,
    /// By rank of this part, counted from zero: to whom it has messages on their way, in ascending order.
    in_flight: Vec<Vec<Pair>>,
    /// Messages on their way, of all ranks.
    #[serde(skip)]
    count: usize,
}

/// The messages of a pair of ranks that are on their way.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Pair {
    to: Rank,
    /// The one that was registered last, if it has not been released.
    last: u32,
    /// Number of messages; at least 1.
    count: u32,
}

impl Outgoing {
    pub(crate) fn new(part: usize, parts: usize, ranks: usize) -> Self {
        Self {
            part,
            unused: vec![Vec::new(); parts],
            receivers: vec![Vec::new(); parts],
            in_flight: vec![Vec::new(); ranks],
            count: 0,
        }
    }

    /// Registers a message of a rank of this part to a part, in so many packets: in the order of its pair, or apart from that.
    ///
    /// # Panics
    /// When 2^26 messages are on their way between two parts.
    pub(crate) fn register<B>(
        &mut self,
        rank: usize,
        to: usize,
        message: Message<B>,
        packets: u64,
        is_in_order: bool,
    ) -> Departure<B> {
        self.count += 1;
        let receivers = &mut self.receivers[to];
        let number = self.unused[to].pop().unwrap_or(receivers.len() as u32);
        assert!(number < 1 << NUMBER_BITS, "fewer than 2^26 messages are on their way at a time");
        match receivers.get_mut(number as usize) {
            Some(receiver) => *receiver = message.to,
            None => receivers.push(message.to),
        }
        let pairs = &mut self.in_flight[rank];
        let previous = match pairs.binary_search_by_key(&message.to, |pair| pair.to) {
            Ok(place) => {
                pairs[place].count += 1;
                if is_in_order { std::mem::replace(&mut pairs[place].last, number) } else { NONE }
            }
            Err(place) => {
                let last = if is_in_order { number } else { NONE };
                pairs.insert(place, Pair { to: message.to, last, count: 1 });
                NONE
            }
        };
        Departure { id: FlightId { from: self.part, number }, message, packets, previous }
    }

    /// The receiver of a message of a rank has got its event. Those of one instant may come in any order.
    pub(crate) fn release(&mut self, rank: usize, to: usize, id: FlightId) {
        let (pairs, receiver) = (&mut self.in_flight[rank], self.receivers[to][id.number as usize]);
        let place = pairs.binary_search_by_key(&receiver, |pair| pair.to);
        let place = place.expect("what is released was registered");
        let pair = &mut pairs[place];
        pair.count -= 1;
        if pair.last == id.number {
            pair.last = NONE;
        }
        if pair.count == 0 {
            pairs.remove(place);
        }
        self.unused[to].push(id.number);
        self.count -= 1;
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.count == 0
    }
}

impl<B> Departure<B> {
    pub(crate) fn id(&self) -> FlightId {
        self.id
    }
}

/// The receiving side of a part.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Incoming<B> {
    /// By sending part, by number.
    flights: Vec<Vec<Option<Flight<B>>>>,
}

#[derive(Debug, Serialize, Deserialize)]
struct Flight<B> {
    /// Its sender and its receiver.
    ranks: [Rank; 2],
    message: Option<Message<B>>,
    /// Packets that have not arrived.
    packets: u64,
    /// When the last packet has arrived so far.
    latest: u64,
    /// When the last of its own packets has, and how long that one had stalled.
    last: u64,
    stalled: u64,
    /// When the first of those that have arrived had left.
    started: u64,
    /// The next message of the same pair, if it waits for this one.
    next: u32,
    /// True if the message before it of the same pair has not arrived.
    waits: bool,
}

impl<B> Incoming<B> {
    pub(crate) fn new(parts: usize) -> Self {
        Self { flights: (0..parts).map(|_| Vec::new()).collect() }
    }

    /// A message has been registered.
    pub(crate) fn announce(&mut self, departure: Departure<B>) {
        let Departure { id, message, packets, previous } = departure;
        let flights = &mut self.flights[id.from];
        let before = flights.get_mut(previous as usize).and_then(Option::as_mut);
        let waits = before.is_some_and(|before| {
            before.next = id.number;
            // Delivered already means that it arrives at an instant that is known.
            before.message.is_some()
        });
        let latest = match flights.get(previous as usize) {
            Some(Some(before)) if !waits => before.latest,
            _ => 0,
        };
        let flight = Flight {
            ranks: [message.from, message.to],
            message: Some(message),
            packets,
            latest,
            last: 0,
            stalled: 0,
            started: u64::MAX,
            next: NONE,
            waits,
        };
        self.put(id, flight);
    }

    fn put(&mut self, id: FlightId, flight: Flight<B>) {
        let flights = &mut self.flights[id.from];
        if flights.len() <= id.number as usize {
            flights.resize_with(id.number as usize + 1, || None);
        }
        flights[id.number as usize] = Some(flight);
    }

    /// A packet that has left at `birth` arrives at an instant, and has stalled for some time; hands out the messages that arrive complete
    /// with it, when, and how long their last packets have stalled.
    pub(crate) fn arrive(
        &mut self,
        id: FlightId,
        (birth, stalled): (u64, u64),
        at: u64,
        mut hand_out: impl FnMut(FlightId, Message<B>, Time, Duration),
    ) {
        let flights = &mut self.flights[id.from];
        let flight =
            |number: u32, flights: &mut Vec<Option<Flight<B>>>| -> Option<(Message<B>, [u64; 2], u32)> {
                let flight = flights.get_mut(number as usize)?.as_mut()?;
                let complete = flight.packets == 0 && !flight.waits;
                let mut message = if complete { flight.message.take() } else { None }?;
                message.started = Time::from_ps(flight.started);
                Some((message, [flight.latest, flight.stalled], flight.next))
            };
        let own = flights[id.number as usize].as_mut().expect("a packet belongs to a message on its way");
        own.packets -= 1;
        own.latest = own.latest.max(at);
        own.started = own.started.min(birth);
        // Of packets that arrive together the one that has stalled longest, in whatever order they are known.
        (own.last, own.stalled) = (own.last, own.stalled).max((at, stalled));
        let mut number = id.number;
        while let Some((message, [latest, stalled], next)) = flight(number, flights) {
            hand_out(
                FlightId { from: id.from, number },
                message,
                Time::from_ps(latest),
                Duration::from_ps(stalled),
            );
            if let Some(Some(after)) = flights.get_mut(next as usize) {
                after.waits = false;
                after.latest = after.latest.max(latest);
            }
            number = next;
        }
    }

    /// The receiver has got the event of a message.
    pub(crate) fn release(&mut self, id: FlightId) {
        self.flights[id.from][id.number as usize] = None;
    }
}

/// The name of a flight in a checkpoint: its number of then, the part of then that receives it, its sender and its receiver.
///
/// Numbers of flights belong to a pair of parts. So a run that goes on, whose parts may be others, gives all of them new
/// numbers first, in all processes alike.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct FlightName {
    id: FlightId,
    to: usize,
    pub(crate) ranks: [Rank; 2],
}

/// The numbers that flights have in a run that goes on.
#[derive(Debug, Default)]
pub(crate) struct FlightNumbers {
    /// By sending part, receiving part and number of then.
    numbers: BTreeMap<(usize, usize, u32), FlightId>,
    /// By node: the part of then with its endpoint. Empty if they were all in the first one.
    homes: Vec<u16>,
}

impl FlightNumbers {
    /// Gives a number to each of these flights; `home` is the part of a node now.
    pub(crate) fn new<'f>(
        names: impl Iterator<Item = &'f FlightName>,
        homes: &[u16],
        placement: &Placement,
        home: impl Fn(NodeId) -> usize,
    ) -> Self {
        let mut given: BTreeMap<(usize, usize), u32> = BTreeMap::new();
        let number = |name: &'f FlightName| {
            let [from, to] = name.ranks.map(|rank| home(placement.node(rank)));
            let next = given.entry((from, to)).or_default();
            *next += 1;
            ((name.id.from, name.to, name.id.number), FlightId { from, number: *next - 1 })
        };
        Self { numbers: names.map(number).collect(), homes: homes.to_vec() }
    }

    /// The part of then with the endpoint of a node.
    pub(crate) fn home(&self, node: NodeId) -> usize {
        self.homes.get(node.index()).copied().unwrap_or(0).into()
    }

    /// The word of packets for a message, from the word of then to a part of then; `None` if there was no such flight.
    pub(crate) fn word(&self, word: u64, to: usize) -> Option<u64> {
        self.of(FlightId::from_word(word), to).map(FlightId::to_word)
    }

    pub(crate) fn of(&self, FlightId { from, number }: FlightId, to: usize) -> Option<FlightId> {
        self.numbers.get(&(from, to, number)).copied()
    }

    pub(crate) fn of_name(&self, name: &FlightName) -> Option<FlightId> {
        self.of(name.id, name.to)
    }

    /// The number of a flight that may be [`NONE`].
    fn or_none(&self, from: usize, to: usize, number: u32) -> u32 {
        self.of(FlightId { from, number }, to).map_or(NONE, |id| id.number)
    }
}

impl Outgoing {
    /// Takes over the messages of a rank of this part, which has another place in the part `from` of then; `to` is the part of then of a
    /// receiver.
    pub(crate) fn take_over(
        &mut self,
        rank: usize,
        (saved, from, then): (&Self, usize, usize),
        to: impl Fn(Rank) -> usize,
        numbers: &FlightNumbers,
    ) {
        for pair in saved.in_flight.get(then).into_iter().flatten() {
            let last = numbers.or_none(from, to(pair.to), pair.last);
            self.in_flight[rank].push(Pair { last, ..*pair });
            self.count += pair.count as usize;
        }
    }

    /// Notes the receiver of a flight of this part, numbers in ascending order.
    pub(crate) fn note_receiver(&mut self, id: FlightId, to: usize, receiver: Rank) {
        debug_assert_eq!(self.receivers[to].len(), id.number as usize);
        self.receivers[to].push(receiver);
    }
}

impl<B> Incoming<B> {
    pub(crate) fn names(&self, to: usize) -> Vec<FlightName> {
        let numbered = self.flights.iter().enumerate().flat_map(|(from, flights)| {
            (0..).zip(flights).map(move |(number, flight)| (FlightId { from, number }, flight))
        });
        numbered
            .filter_map(|(id, flight)| Some(FlightName { id, to, ranks: flight.as_ref()?.ranks }))
            .collect()
    }

    /// Takes over the flights to the part `to` of then whose receivers are here; `None` if one has no number.
    pub(crate) fn take_over(
        &mut self,
        saved: Self,
        to: usize,
        numbers: &FlightNumbers,
        is_here: impl Fn(Rank) -> bool,
    ) -> Option<()> {
        for (from, flights) in saved.flights.into_iter().enumerate() {
            for (number, flight) in (0..).zip(flights) {
                if let Some(flight) = flight.filter(|flight| is_here(flight.ranks[1])) {
                    let id = numbers.of(FlightId { from, number }, to)?;
                    self.put(id, Flight { next: numbers.or_none(from, to, flight.next), ..flight });
                }
            }
        }
        Some(())
    }
}

const _: () = assert!(NUMBER_BITS < u32::BITS);

#[cfg(test)]
mod tests {
    use super::*;
    use weir_network::Class;
    use weir_units::Bytes;

    fn message(sequence: u64) -> Message<()> {
        Message {
            from: Rank(0),
            to: Rank(1),
            bytes: Bytes(1),
            class: Class::Data,
            sequence,
            replies_to: None,
            posted: Time::ZERO,
            started: Time::ZERO,
            way: None,
            trail: None,
            body: (),
        }
    }

    /// Three messages of a pair, of two, one and one packets; the second is complete first, the third before the first.
    #[test]
    fn messages_of_a_pair_do_not_overtake_each_other() {
        let (mut outgoing, mut incoming) = (Outgoing::new(0, 1, 1), Incoming::new(1));
        let ids: Vec<FlightId> = [2, 1, 1]
            .into_iter()
            .zip(0..)
            .map(|(packets, sequence)| {
                let departure = outgoing.register(0, 0, message(sequence), packets, true);
                let id = departure.id();
                incoming.announce(departure);
                id
            })
            .collect();
        let mut delivered = Vec::new();
        for (flight, at) in [(1, 10), (0, 20), (2, 25), (0, 30)] {
            incoming.arrive(ids[flight], (at - 7, flight as u64), at, |id, message, at, stalled| {
                assert_eq!(FlightId::from_word(id.to_word()), id);
                delivered.push((message.sequence, message.started.as_ps(), at.as_ps(), stalled.as_ps()));
            });
        }
        assert_eq!(delivered, [(0, 13, 30, 0), (1, 3, 30, 1), (2, 18, 30, 2)]);
        for id in ids {
            assert!(!outgoing.is_empty());
            incoming.release(id);
            outgoing.release(0, 0, id);
        }
        assert!(outgoing.is_empty());
        assert!(incoming.flights[0].iter().all(Option::is_none));
        assert!(outgoing.in_flight[0].is_empty(), "nothing is kept of a pair without messages on their way");
        let again = outgoing.register(0, 0, message(3), 1, true);
        assert_eq!(again.previous, NONE);
    }
}
