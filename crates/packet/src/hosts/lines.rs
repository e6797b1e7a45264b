//! The lines of an interface, one for each service class: which of them sends the next packet.

use super::Hosts;
use super::pumping::Until;
use crate::nic::Parcel;
use crate::routers::Routers;
use std::ops::Range;
use weir_network::Program;

impl<P: Program> Hosts<'_, P> {
    /// The interface of a line.
    #[inline]
    pub(super) fn interface_of(&self, line: usize) -> usize {
        self.network.services.as_ref().map_or(line, |services| line / services.all.len())
    }

    /// The lines of an interface.
    #[inline]
    pub(super) fn lines_of(&self, place: u32) -> Range<usize> {
        let services = self.network.services();
        place as usize * services..(place as usize + 1) * services
    }

    /// The line of an interface that sends the next packet: that whose packet can leave first; of several the one whose turn it is. And a bit
    /// for each class with a packet that could leave then, but for others.
    ///
    /// # Errors
    /// When none sends one before an instant: until when nothing changes that, as far as is known, in picoseconds.
    #[inline]
    pub(super) fn line_in_turn(
        &mut self,
        place: u32,
        until: Until,
        routers: &mut Routers<'_>,
    ) -> Result<(usize, u32), u64> {
        if self.network.services.is_none() {
            Ok((place as usize, 0))
        } else {
            self.class_in_turn(place, until, routers)
        }
    }

    #[inline(never)]
    fn class_in_turn(
        &mut self,
        place: u32,
        until: Until,
        routers: &mut Routers<'_>,
    ) -> Result<(usize, u32), u64> {
        let lines = self.lines_of(place);
        let Some(services) = &self.network.services else { return Ok((lines.start, 0)) };
        let end = until.at.min(self.nics.closes(&routers.window));
        let found: Vec<Next> = (0..)
            .zip(lines.clone())
            .filter_map(|(service, line)| self.next_of(line, service, routers))
            .collect();
        let rank = |next: &&Next| {
            let service = usize::from(next.service);
            (next.leaves, services.all[service].level, self.state.tags[lines.start + service], service)
        };
        let first = found.iter().min_by_key(rank).filter(|next| next.leaves < end);
        // Up to the instant at which one leaves the others have looked for a credit.
        let looked = first.map_or(end, |next| next.leaves + 1);
        for next in found.iter().filter(|next| next.ready < next.leaves.min(looked)) {
            self.nics.note_stall((place as usize, next.service), next.ready, self.network);
        }
        if let Some(first) = first {
            let waiting = found.iter().filter(|next| next.leaves <= first.leaves);
            let waiting = waiting.fold(0, |waiting, next| waiting | 1 << next.service);
            return Ok((lines.start + usize::from(first.service), waiting));
        }
        // Each says when it could send, and is awake then.
        let parcels = found.iter().filter_map(|next| Some((next.asked, next.parcel?)));
        let later = parcels.filter_map(|(asked, parcel)| {
            self.nics.send(place as usize, parcel, asked, until, routers).err()
        });
        Err(later.min().unwrap_or(u64::MAX))
    }

    /// The next packet of a line, if there is one.
    fn next_of(&mut self, line: usize, service: u8, routers: &Routers<'_>) -> Option<Next> {
        let place = self.interface_of(line);
        let (turn, _) = self.whose_turn(line)?;
        let sending = self.at_turn(line, turn);
        let (asked, parcel) = (sending.ready, sending.parcel(0));
        let (ready, leaves) = self.nics.soonest_of((place, service), asked, routers);
        Some(Next { service, asked, parcel, ready, leaves })
    }

    /// A packet of a line, of so many bytes, has left: it was the turn of its class.
    #[inline]
    pub(super) fn note_turn(&mut self, place: u32, line: usize, bytes: u64, waiting: u32) {
        let Some(services) = &self.network.services else { return };
        let lines = self.lines_of(place);
        services.served(&mut self.state.tags[lines.clone()], line - lines.start, bytes as u32, waiting);
    }
}

/// The next packet of a line.
struct Next {
    service: u8,
    /// From when on its message may send it, in picoseconds.
    asked: u64,
    parcel: Option<Parcel>,
    /// When it could leave but for credits, and when with them; see [`Nics::soonest_of`](crate::nic::Nics::soonest_of).
    ready: u64,
    leaves: u64,
}
