//! Ranks of a part and their messages in a checkpoint.

use super::{Hosts, Queued, State};
use crate::flights::{FlightName, FlightNumbers};
use crate::nic::SavedNics;
use serde::{Deserialize, Serialize};
use weir_network::{Pending, Program, SavedRanks};
use weir_pdes::Window;
use weir_units::{NodeId, Rank};

/// A part as it is read: its ranks and its nodes, by which its state is divided again.
type SavedHosts<B> = (SavedRanks, Vec<NodeId>, SavedNics, State<B>);

impl<P: Program> Hosts<'_, P>
where
    P::Body: Serialize + for<'de> Deserialize<'de>,
{
    /// This part before a window, when the mail for it has been taken: the flights to it, and the rest in bytes.
    pub(super) fn saved(&mut self) -> (Vec<FlightName>, Vec<u8>) {
        let nodes = self.shared.nodes(self.first, self.part);
        let saved = (self.ranks.save(), nodes, self.nics.save(), &self.state);
        let bytes = postcard::to_stdvec(&saved).expect("memory takes all that is written");
        (self.state.incoming.names(self.part), bytes)
    }

    /// Notes the receivers of the flights from this part, in the order of their numbers.
    pub(super) fn take_over_names(&mut self, names: &[FlightName], numbers: &FlightNumbers) -> Option<()> {
        for name in names {
            let id = numbers.of_name(name)?;
            if id.from == self.part {
                let receiver = name.ranks[1];
                let to = self.shared.home(self.placement.node(receiver));
                self.state.outgoing.note_receiver(id, to, receiver);
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
        let (ranks, nodes, nics, mut saved): SavedHosts<P::Body> = postcard::from_bytes(bytes).ok()?;
        let with_counts = self.part == 0;
        self.ranks.restore(&ranks, with_counts)?;
        self.nics.restore(nics, window.number)?;
        let Self { network, placement, shared, part, place_of, node_place, state: own, .. } = self;
        let place_in = |places: &[u32], index: usize| {
            places.get(index).filter(|&&place| place != u32::MAX).map(|&place| place as usize)
        };
        let place = |rank: Rank| place_in(place_of, rank.index());
        own.calendar.take_over(saved.calendar, |key, what| {
            let is_own = place(key.rank).is_some();
            if let Some(Pending::Arrival(_, Some(id))) = what.as_mut().filter(|_| is_own) {
                *id = numbers.of(*id, from)?;
            }
            Some(is_own)
        })?;
        let ranks: Vec<Rank> = ranks.numbers().collect();
        for (then, &rank) in ranks.iter().enumerate() {
            if let Some(place) = place(rank) {
                let home = |receiver| numbers.home(placement.node(receiver));
                own.outgoing.take_over(place, (&saved.outgoing, from, then), home, numbers);
                take(&mut own.node_memory.copied, place, &mut saved.node_memory.copied, then);
            }
        }
        for (&(from, to), &at) in &saved.node_memory.last {
            if let (Some(from), Some(to)) = (place(*ranks.get(from)?), place(*ranks.get(to)?)) {
                own.node_memory.last.insert((from, to), at);
            }
        }
        for (then, node) in nodes.iter().enumerate() {
            let Some(place) = place_in(node_place, node.index()) else { continue };
            take(&mut own.handed_over, place, &mut saved.handed_over, then);
            take(&mut own.node_memory.carried, place, &mut saved.node_memory.carried, then);
            let (nics, services) = (network.nics_per_node as usize, network.services());
            for (place, then) in (place * nics..).zip(then * nics..(then + 1) * nics) {
                take(&mut own.loads, place, &mut saved.loads, then);
            }
            let lines = nics * services;
            for (place, then) in (place * lines..).zip(then * lines..(then + 1) * lines) {
                take(&mut own.tags, place, &mut saved.tags, then);
                take(&mut own.sending, place, &mut saved.sending, then);
                take(&mut own.rings, place, &mut saved.rings, then);
                take(&mut own.queues, place, &mut saved.queues, then);
                let ring = own.rings.get_mut(place).into_iter();
                let in_ring = ring.flat_map(|ring| ring.control.iter_mut().chain(&mut ring.others));
                let in_queue = own.queues[place].iter_mut().filter_map(|queued| match queued {
                    Queued::InFlight(sending) => Some(sending),
                    Queued::Waiting(_) => None,
                });
                for sending in own.sending[place].iter_mut().chain(in_ring).chain(in_queue) {
                    sending.flight = numbers.word(sending.flight, numbers.home(sending.to))?;
                }
            }
        }
        let is_own = |rank: Rank| place(rank).is_some();
        own.stripes
            .messages
            .extend(saved.stripes.messages.into_iter().filter(|((rank, _), _)| is_own(*rank)));
        own.leaving.extend(saved.leaving.into_iter().filter(|((rank, _), _)| is_own(*rank)));
        let is_here = |rank| shared.home(placement.node(rank)) == *part;
        own.incoming.take_over(saved.incoming, from, numbers, is_here)?;
        if with_counts {
            own.packets += saved.packets;
            own.latency.join(&saved.latency);
            own.late = own.late.into_iter().chain(saved.late).min();
        }
        Some(())
    }
}

/// Moves an entry to its place from another one of then, if both lists have it.
fn take<T: Default>(own: &mut [T], place: usize, saved: &mut [T], then: usize) {
    if let (Some(own), Some(saved)) = (own.get_mut(place), saved.get_mut(then)) {
        *own = std::mem::take(saved);
    }
}
