//! Ranks of a part and their messages in a checkpoint.

use super::accounting::Leaving;
use super::choosing::Load;
use super::stripes::Stripe;
use super::{Happening, Hosts, Queued, Sending, Waiting};
use crate::Latencies;
use crate::flights::{FlightId, FlightNumbers, SavedFlight, SavedPair};
use crate::nic::SavedNic;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, VecDeque};
use weir_network::causes::Trail;
use weir_network::{Calendar, Message, Notice, Program, SavedCalendar, SavedRanks};
use weir_pdes::Window;
use weir_units::{NodeId, Rank, Time};

/// What is kept, with messages as `M` has them.
#[derive(Serialize, Deserialize)]
struct SavedHosts<M> {
    ranks: SavedRanks,
    calendar: SavedCalendar<SavedHappening<M>>,
    handed_over: Vec<(NodeId, u32)>,
    /// By number of the interface, where the rule asks for it.
    loads: Vec<(u32, Load)>,
    nics: Vec<SavedNic>,
    /// By number of the interface: what it sends, and what waits behind it.
    sending: Vec<(u32, SavedSending)>,
    /// What it sends in turn with that: messages without data, and others.
    rings: Vec<(u32, [Vec<SavedSending>; 2])>,
    queues: Vec<(u32, Vec<SavedQueued<M>>)>,
    stripes: Vec<(Rank, u64, Stripe)>,
    pairs: Vec<SavedPair>,
    /// Of flights to this part that have not been handed out, in the order of [`SavedFlight`]s.
    messages: Vec<(FlightId, M)>,
    /// What memory has to carry, by sender and receiver, by receiver, and by node.
    sent_within: Vec<([Rank; 2], Time)>,
    copied_within: Vec<(Rank, Time)>,
    carried_within: Vec<(NodeId, Time)>,
    leaving: Leaving,
    packets: u64,
    latency: Latencies,
    late: Option<u64>,
}

#[derive(Serialize, Deserialize)]
enum SavedHappening<M> {
    Injection(M, Notice),
    Arrival(M, Option<FlightId>),
    Timer(u64),
    Departure(Box<Trail>),
}

#[derive(Serialize, Deserialize)]
enum SavedQueued<M> {
    Waiting { message: M, notice: Notice, ready: u64, address: Option<u32> },
    Flying(SavedSending),
}

/// A message that an interface sends, and the part that receives it.
#[derive(Serialize, Deserialize)]
struct SavedSending {
    sending: Sending,
    part: usize,
}

impl<P: Program> Hosts<'_, P>
where
    P::Body: Serialize + for<'de> Deserialize<'de>,
{
    /// What is here before a window, when the mail for it has been taken: the flights to this part, and the rest in bytes, with
    /// the ranks, as they are saved.
    pub(super) fn saved(&self, saved_ranks: SavedRanks) -> (Vec<SavedFlight>, Vec<u8>) {
        let flying: BTreeMap<u64, [Rank; 2]> = self
            .calendar
            .contents()
            .filter_map(|what| match what {
                Happening::Arrival(message, Some(id)) => Some((id.to_word(), [message.from, message.to])),
                _ => None,
            })
            .collect();
        let (flights, messages) = self.incoming.save(self.part, &flying);
        let ranks: Vec<Rank> = self.ranks.numbers().collect();
        let home = |rank| self.shared.home(self.placement.node(rank));
        let queues = self.queues.iter().enumerate().filter(|(_, queue)| !queue.is_empty());
        let nodes = self.node_place.iter().enumerate().filter(|(_, place)| **place != u32::MAX);
        let nodes: Vec<_> = nodes.map(|(node, &place)| (NodeId::new(node), place as usize)).collect();
        let of_ranks = |times: &[Time]| ranks.iter().copied().zip(times.iter().copied()).collect();
        let sent = self.node_memory.last.iter().map(|(&(from, to), &last)| ([ranks[from], ranks[to]], last));
        let carried =
            nodes.iter().filter_map(|&(node, place)| Some((node, *self.node_memory.carried.get(place)?)));
        let saved = SavedHosts {
            ranks: saved_ranks,
            calendar: self.calendar.save(|what| match what {
                Happening::Injection(message, notice) => SavedHappening::Injection(message, *notice),
                Happening::Arrival(message, flight) => SavedHappening::Arrival(message, *flight),
                Happening::Timer(token) => SavedHappening::Timer(*token),
                Happening::Departure(trail) => SavedHappening::Departure(trail.clone()),
            }),
            handed_over: nodes.iter().map(|&(node, place)| (node, self.handed_over[place])).collect(),
            loads: (0..)
                .zip(&self.loads)
                .map(|(place, load)| (self.nics.number(place), load.clone()))
                .collect(),
            nics: self.nics.save(),
            sending: (0..)
                .zip(&self.sending)
                .filter_map(|(place, own)| Some((self.nics.number(place), self.saved_sending((*own)?))))
                .collect(),
            rings: self.saved_rings(),
            queues: queues
                .map(|(place, queue)| {
                    (self.nics.number(place), queue.iter().map(|queued| self.saved_queued(queued)).collect())
                })
                .collect(),
            stripes: self.stripes.save(),
            pairs: self.outgoing.save(|place| ranks[place], home),
            messages,
            sent_within: sent.collect(),
            copied_within: of_ranks(&self.node_memory.copied),
            carried_within: carried.collect(),
            leaving: self.leaving.clone(),
            packets: self.packets,
            latency: self.latency.clone(),
            late: self.late,
        };
        (flights, postcard::to_stdvec(&saved).expect("memory takes all that is written"))
    }

    fn saved_rings(&self) -> Vec<(u32, [Vec<SavedSending>; 2])> {
        let all = self.sharing.rings.iter().enumerate();
        let busy = all.filter(|(_, ring)| !ring.control.is_empty() || !ring.others.is_empty());
        let saved =
            |list: &VecDeque<Sending>| list.iter().map(|&sending| self.saved_sending(sending)).collect();
        busy.map(|(place, ring)| (self.nics.number(place), [saved(&ring.control), saved(&ring.others)]))
            .collect()
    }

    fn saved_sending(&self, sending: Sending) -> SavedSending {
        SavedSending { sending, part: self.shared.home(sending.to) }
    }

    fn saved_queued<'q>(&self, queued: &'q Queued<P::Body>) -> SavedQueued<&'q Message<P::Body>> {
        match *queued {
            Queued::Waiting(Waiting { ref message, notice, ready, address }) => {
                SavedQueued::Waiting { message, notice, ready, address }
            }
            Queued::Flying(flying) => SavedQueued::Flying(self.saved_sending(flying)),
        }
    }

    /// Before anything of a checkpoint is taken over: forgets how a run begins.
    pub(super) fn empty(&mut self) {
        self.calendar = Calendar::new();
    }

    /// The flights to and from this part, in the order of their numbers.
    pub(super) fn take_over_flights(
        &mut self,
        flights: &[SavedFlight],
        numbers: &FlightNumbers,
    ) -> Option<()> {
        for flight in flights {
            let id = flight.number(numbers)?;
            let [_, to] = flight.ranks().map(|rank| self.shared.home(self.placement.node(rank)));
            if id.from == self.part {
                self.outgoing.restore_flight(flight, id, to);
            }
            if to == self.part {
                self.incoming.restore(flight, numbers)?;
            }
        }
        Some(())
    }

    /// Takes over what belongs to this part of what a part of then has kept; `None` if it cannot be read, or is not of this
    /// run.
    pub(super) fn take_over(
        &mut self,
        from: usize,
        bytes: &[u8],
        numbers: &FlightNumbers,
        window: &Window,
    ) -> Option<()> {
        let saved: SavedHosts<Message<P::Body>> = postcard::from_bytes(bytes).ok()?;
        let with_counts = self.part == 0;
        self.ranks.restore(&saved.ranks, with_counts)?;
        self.take_over_events(from, saved.calendar, numbers)?;
        for (node, count) in saved.handed_over {
            let place = *self.node_place.get(node.index())?;
            self.handed_over.get_mut(place as usize).into_iter().for_each(|own| *own = count);
        }
        for (number, load) in saved.loads {
            if let Some(place) = self.nics.place(number) {
                *self.loads.get_mut(place)? = load;
            }
        }
        self.nics.restore(&saved.nics, window.number)?;
        let sending = |saved: SavedSending| -> Option<Sending> {
            let flight = numbers.word(flight_of(from, saved.sending.flight)?, saved.part)?;
            Some(Sending { flight, ..saved.sending })
        };
        for (number, saved) in saved.sending {
            if let Some(place) = self.nics.place(number) {
                self.sending[place] = Some(sending(saved)?);
            }
        }
        for (number, [control, others]) in saved.rings {
            let Some(ring) = self.nics.place(number).map(|place| self.sharing.rings.get_mut(place)) else {
                continue;
            };
            let ring = ring?;
            ring.control = control.into_iter().map(sending).collect::<Option<_>>()?;
            ring.others = others.into_iter().map(sending).collect::<Option<_>>()?;
        }
        for (number, queue) in saved.queues {
            let Some(place) = self.nics.place(number) else { continue };
            for queued in queue {
                self.queues[place].push_back(match queued {
                    SavedQueued::Waiting { message, notice, ready, address } => {
                        Queued::Waiting(Waiting { message, notice, ready, address })
                    }
                    SavedQueued::Flying(flying) => Queued::Flying(sending(flying)?),
                });
            }
        }
        for (rank, sequence, stripe) in saved.stripes {
            if self.place_of_own(rank).is_some() {
                self.stripes.restore(rank, sequence, stripe);
            }
        }
        for pair in &saved.pairs {
            if let Some(place) = self.place_of_own(pair.sender()) {
                self.outgoing.restore(place, pair, from, numbers);
            }
        }
        for (id, message) in saved.messages {
            if self.shared.home(self.placement.node(message.to)) == self.part {
                self.incoming.carry(numbers.of_saved(id, from)?, message)?;
            }
        }
        for (message, left) in saved.leaving {
            if self.place_of_own(message.0).is_some() {
                self.leaving.insert(message, left);
            }
        }
        self.take_over_memory(&saved.sent_within, &saved.copied_within, &saved.carried_within)?;
        if with_counts {
            self.packets += saved.packets;
            self.latency.join(&saved.latency);
            self.late = self.late.into_iter().chain(saved.late).min();
        }
        Some(())
    }

    fn take_over_events(
        &mut self,
        from: usize,
        saved: SavedCalendar<SavedHappening<Message<P::Body>>>,
        numbers: &FlightNumbers,
    ) -> Option<()> {
        self.calendar.go_on_after(saved.last, saved.last_work);
        for (key, what) in saved.events {
            if self.place_of_own(key.rank).is_none() {
                continue;
            }
            match what {
                None => self.calendar.add_bare(key),
                Some(what) => {
                    let what = match what {
                        SavedHappening::Injection(message, notice) => Happening::Injection(message, notice),
                        SavedHappening::Timer(token) => Happening::Timer(token),
                        SavedHappening::Departure(trail) => Happening::Departure(trail),
                        SavedHappening::Arrival(message, None) => Happening::Arrival(message, None),
                        SavedHappening::Arrival(message, Some(id)) => {
                            Happening::Arrival(message, Some(numbers.of_saved(id, from)?))
                        }
                    };
                    self.calendar.add(key, what);
                }
            }
        }
        Some(())
    }

    /// What memory has to carry; `None` if it is of other nodes than there are.
    fn take_over_memory(
        &mut self,
        sent: &[([Rank; 2], Time)],
        copied: &[(Rank, Time)],
        carried: &[(NodeId, Time)],
    ) -> Option<()> {
        for &(pair, at) in sent {
            if let [Some(from), Some(to)] = pair.map(|rank| self.place_of_own(rank)) {
                self.node_memory.last.insert((from, to), at);
            }
        }
        for &(rank, at) in copied {
            if let Some(place) = self.place_of_own(rank) {
                *self.node_memory.copied.get_mut(place)? = at;
            }
        }
        for &(node, at) in carried {
            match *self.node_place.get(node.index())? {
                u32::MAX => {}
                place => *self.node_memory.carried.get_mut(place as usize)? = at,
            }
        }
        Some(())
    }

    fn place_of_own(&self, rank: Rank) -> Option<usize> {
        let place = *self.place_of.get(rank.index())?;
        (place != u32::MAX).then_some(place as usize)
    }
}

/// The word of a flight that an interface of a part sends; `None` if it is of another part.
fn flight_of(from: usize, word: u64) -> Option<u64> {
    (FlightId::from_word(word).from == from).then_some(word)
}
