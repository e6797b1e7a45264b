//! Messages on their way, in a checkpoint.
//!
//! Numbers of flights belong to a pair of parts. So a checkpoint names a flight by both parts and its number of then; a run that
//! goes on, whose parts may be others, gives all of them new numbers first, in all processes alike.

use super::{Flight, FlightId, Incoming, NONE, NUMBER_BITS, Outgoing, Pair};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use weir_network::Placement;
use weir_units::{NodeId, Rank};

/// The name of a flight: its number of then, the part of then that receives it, its sender and its receiver.
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
