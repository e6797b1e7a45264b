//! Messages on their way, in a checkpoint.
//!
//! Numbers of flights belong to a pair of parts. So what is kept names a flight by both parts and the number of then; a run that
//! goes on, whose parts may be others, gives all of them new numbers first, in all processes alike.

use super::{Flight, FlightId, InFlight, Incoming, NONE, NUMBER_BITS, Outgoing};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use weir_network::{Message, Placement};
use weir_units::Rank;

/// A message on its way, without what it carries.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct SavedFlight {
    id: FlightId,
    /// The part that receives it.
    to: usize,
    sender: Rank,
    receiver: Rank,
    packets: u64,
    latest: u64,
    last: u64,
    stalled: u64,
    started: u64,
    next: u32,
    waits: bool,
}

/// The messages of a pair of ranks that are on their way.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct SavedPair {
    sender: Rank,
    receiver: Rank,
    /// The part that receives them.
    to: usize,
    last: u32,
    count: u32,
}

/// The numbers that flights have in a run that goes on, by sending part, receiving part and number of then.
#[derive(Debug, Default)]
pub(crate) struct FlightNumbers(BTreeMap<(usize, usize, u32), FlightId>);

impl FlightNumbers {
    /// Gives a number to each of these flights; `home` is the part of a node.
    pub(crate) fn new<'f>(
        flights: impl Iterator<Item = &'f SavedFlight>,
        placement: &Placement,
        home: impl Fn(weir_units::NodeId) -> usize,
    ) -> Self {
        let mut given: BTreeMap<(usize, usize), u32> = BTreeMap::new();
        let number = |flight: &'f SavedFlight| {
            let [from, to] = [flight.sender, flight.receiver].map(|rank| home(placement.node(rank)));
            let next = given.entry((from, to)).or_default();
            *next += 1;
            ((flight.id.from, flight.to, flight.id.number), FlightId { from, number: *next - 1 })
        };
        Self(flights.map(number).collect())
    }

    /// What packets say of a message, from what they said then to a part of then; `None` if there was no such flight.
    pub(crate) fn word(&self, word: u64, to: usize) -> Option<u64> {
        self.of_saved(FlightId::from_word(word), to).map(FlightId::to_word)
    }

    /// The flight with an id of then to a part of then.
    pub(crate) fn of_saved(&self, id: FlightId, to: usize) -> Option<FlightId> {
        self.of(id.from, to, id.number)
    }

    fn of(&self, from: usize, to: usize, number: u32) -> Option<FlightId> {
        self.0.get(&(from, to, number)).copied()
    }
}

impl Outgoing {
    /// By sender and receiver: what of them is on its way. `rank` and `home` are of ranks of this part by place, and of receivers.
    pub(crate) fn save(&self, rank: impl Fn(usize) -> Rank, home: impl Fn(Rank) -> usize) -> Vec<SavedPair> {
        let pairs = self
            .flying
            .iter()
            .enumerate()
            .flat_map(|(place, pairs)| pairs.iter().map(move |pair| (place, pair)));
        let saved = |(place, &InFlight { to: receiver, last, count }): (usize, &InFlight)| SavedPair {
            sender: rank(place),
            receiver,
            to: home(receiver),
            last,
            count,
        };
        pairs.map(saved).collect()
    }

    /// Takes over what is on its way of a rank of this part with this place, from a part of then.
    pub(crate) fn restore(&mut self, place: usize, pair: &SavedPair, from: usize, numbers: &FlightNumbers) {
        let last = numbers.of(from, pair.to, pair.last).filter(|_| pair.last != NONE);
        let last = last.map_or(NONE, |id| id.number);
        self.flying[place].push(InFlight { to: pair.receiver, last, count: pair.count });
        self.flying[place].sort_unstable_by_key(|pair| pair.to);
        self.count += pair.count as usize;
    }

    /// Notes the receiver of a flight of this part, numbers in ascending order.
    pub(crate) fn restore_flight(&mut self, flight: &SavedFlight, id: FlightId, to: usize) {
        debug_assert_eq!(self.receivers[to].len(), id.number as usize);
        self.receivers[to].push(flight.receiver);
    }
}

impl SavedPair {
    pub(crate) fn sender(&self) -> Rank {
        self.sender
    }
}

impl SavedFlight {
    /// The ranks that send and receive it.
    pub(crate) fn ranks(&self) -> [Rank; 2] {
        [self.sender, self.receiver]
    }

    /// Its number in a run that goes on.
    pub(crate) fn number(&self, numbers: &FlightNumbers) -> Option<FlightId> {
        numbers.of(self.id.from, self.to, self.id.number)
    }
}

impl<B> Incoming<B> {
    /// What is on its way to this part `to`, and the messages of those that have not been handed out; `sender_of` says who sent and
    /// receives one that has.
    pub(crate) fn save(
        &self,
        to: usize,
        handed_out: &BTreeMap<u64, [Rank; 2]>,
    ) -> (Vec<SavedFlight>, Vec<(FlightId, &Message<B>)>) {
        let (mut flights, mut messages) = (Vec::new(), Vec::new());
        for (from, numbered) in self.flights.iter().enumerate() {
            for (number, flight) in (0..).zip(numbered) {
                let &Some(Flight { ref message, packets, latest, last, stalled, started, next, waits }) =
                    flight
                else {
                    continue;
                };
                let id = FlightId { from, number };
                let known = message.as_ref().map(|message| [message.from, message.to]);
                let [sender, receiver] = known
                    .or_else(|| handed_out.get(&id.to_word()).copied())
                    .expect("what has not landed is an event");
                flights.push(SavedFlight {
                    id,
                    to,
                    sender,
                    receiver,
                    packets,
                    latest,
                    last,
                    stalled,
                    started,
                    next,
                    waits,
                });
                messages.extend(message.as_ref().map(|message| (id, message)));
            }
        }
        (flights, messages)
    }

    /// Takes over a flight to this part, without its message.
    pub(crate) fn restore(&mut self, saved: &SavedFlight, numbers: &FlightNumbers) -> Option<()> {
        let id = saved.number(numbers)?;
        let &SavedFlight { packets, latest, last, stalled, started, waits, .. } = saved;
        let next = if saved.next == NONE { None } else { numbers.of(saved.id.from, saved.to, saved.next) };
        let flights = &mut self.flights[id.from];
        if flights.len() <= id.number as usize {
            flights.resize_with(id.number as usize + 1, || None);
        }
        let next = next.map_or(NONE, |next| next.number);
        flights[id.number as usize] =
            Some(Flight { message: None, packets, latest, last, stalled, started, next, waits });
        Some(())
    }

    /// The message of a flight that has been taken over, if it has not been handed out.
    pub(crate) fn carry(&mut self, id: FlightId, message: Message<B>) -> Option<()> {
        self.flights.get_mut(id.from)?.get_mut(id.number as usize)?.as_mut()?.message = Some(message);
        Some(())
    }
}

const _: () = assert!(NUMBER_BITS < u32::BITS);
