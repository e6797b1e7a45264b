//! Who is in the crowd of a link, and how the other links on the routes of a crowd are left alone.
//!
//! When the level of a link moves, so do the rates of all flows in its crowd, on all links that they cross. Those other links
//! have no level, and most have much room. So each gives the flows of crowds *ceilings* for limits, which together it has room
//! for: as long as the level of a crowd is below the ceilings of its flows, none of these links can be full. The lowest ceiling of a
//! crowd is in `ceilings`. What may then happen, and costs as much as looking at each flow:
//!
//! - the level rises above it: the ceilings are raised, out of what the links have to spare;
//! - a link has little to spare: the ceilings there are lowered to what the flows use, and what is left is divided again.
//!
//! Both need levels to have changed by a part, [`ROOM`], since the last time. A flow that finds no room leaves the crowd.

use super::{Flow, MaxMin, Spare};
use crate::crossings::{Crossings, Hop, Seat};
use crate::crowds::CrowdChange;
use crate::water_level::{two_lowest, water_level};

/// By which part of the level a ceiling is above it at least, when it is given.
const ROOM: f64 = 0.25;

impl MaxMin {
    /// Takes flows that no other link holds back into the crowd of a link, if there are enough of them; dissolves it when few
    /// remain.
    #[cold]
    pub(super) fn gather_crowd(&mut self, number: usize) {
        let link = &self.crossings.links[number];
        let (capacity, crowd, level) = (link.capacity, link.crowd as usize, link.share);
        let seats = link.seats_beside_crowd();
        let may_join = |&seat: &usize| {
            let slot = self.crossings.seats[seat].slot;
            self.crossings.limits[seat] == capacity && !self.flows[slot as usize].crowded
        };
        let joining: Vec<u32> = seats.filter(may_join).map(|seat| self.crossings.seats[seat].slot).collect();
        // A crowd fills its link: at least two flows have the link's capacity for their bound.
        let enough = self.crowd_from.div_ceil(if crowd > 0 { 4 } else { 2 }).max(2);
        if crowd + joining.len() < enough {
            for seat in link.crowd_seats().rev() {
                self.leave_crowd(self.crossings.seats[seat].slot as usize);
            }
            return;
        }
        let expected = if level < f64::INFINITY { level } else { capacity / link.count() as f64 };
        let joined =
            joining.into_iter().filter(|&slot| self.join_crowd(slot, number as u32, expected)).count();
        if joined > 0 && level < f64::INFINITY {
            self.crowd_changes.push(CrowdChange::Rate(number as u32, level));
        }
    }

    /// Takes a flow into the crowd of a link, unless another link on its route has too little room for it.
    fn join_crowd(&mut self, slot: u32, number: u32, level: f64) -> bool {
        let hops = self.flows[slot as usize].hops();
        let own = hops.clone().find(|&hop| self.crossings.hops[hop].link == number);
        self.bring_to_front(slot as usize, own.expect("the link is watched, and the flow crosses it"));
        let Some(ceiling) = self.give_ceilings(slot as usize, level) else { return false };
        let lowest = self.ceilings.entry(number).or_insert(f64::INFINITY);
        *lowest = lowest.min(ceiling);
        self.flows[slot as usize].crowded = true;
        let link = &mut self.crossings.links[number as usize];
        link.crowd += 1;
        let last = link.crowd_seats().end - 1;
        self.crossings.swap_seats(self.crossings.hops[hops.start].seat as usize, last);
        self.crowd_changes.push(CrowdChange::Join(slot, number));
        true
    }

    /// Moves a hop at a watched link to the first place.
    fn bring_to_front(&mut self, slot: usize, hop: usize) {
        let Self { crossings, flows, .. } = self;
        let flow = &mut flows[slot];
        let first = flow.first as usize;
        crossings.swap_hops(first, hop);
        flow.at = match flow.at as usize {
            at if at == hop => first as u32,
            at if at == first => hop as u32,
            _ => flow.at,
        };
    }

    /// Gives a flow whose crowd has this level ceilings on all links but the first; returns the lowest, or nothing and changes
    /// nothing where one has too little room.
    fn give_ceilings(&mut self, slot: usize, level: f64) -> Option<f64> {
        let Self { crossings, flows, spare, .. } = self;
        let others = flows[slot].hops().skip(1);
        let ceiling = |crossings: &Crossings, spare: &Spare, hop: usize| {
            let Hop { link: number, seat } = crossings.hops[hop];
            let link = &crossings.links[number as usize];
            let was = crossings.limits[seat as usize];
            if link.count() == 1 {
                return link.capacity;
            }
            let least = was.max(level);
            least + (spare.of(number) - (least - was)) / link.count() as f64
        };
        let has_room = |hop: usize| {
            crossings.levels[hop] == f64::INFINITY && ceiling(crossings, spare, hop) >= (1.0 + ROOM) * level
        };
        if !others.clone().all(has_room) {
            return None;
        }
        Some(others.fold(f64::INFINITY, |lowest, hop| {
            let Hop { link, seat } = crossings.hops[hop];
            let is = ceiling(crossings, spare, hop);
            let was = std::mem::replace(&mut crossings.limits[seat as usize], is);
            spare.change(link, is - was);
            crossings.links[link as usize].has_guests = true;
            lowest.min(is)
        }))
    }

    /// The level of a link becomes another one: that of its crowd, too.
    #[cold]
    pub(super) fn move_crowd(&mut self, number: usize, level: f64) {
        if self.ceilings.get(&(number as u32)).is_some_and(|&ceiling| ceiling < level) {
            self.raise_ceilings(number, level);
        }
        if self.crossings.links[number].crowd > 0 {
            self.crowd_changes.push(CrowdChange::Rate(number as u32, level));
        }
    }

    /// Gives all flows in the crowd of a link ceilings above this level; those that get none leave it.
    fn raise_ceilings(&mut self, number: usize, level: f64) {
        let mut lowest = f64::INFINITY;
        for seat in self.crossings.links[number].crowd_seats().rev() {
            let slot = self.crossings.seats[seat].slot as usize;
            match self.give_ceilings(slot, level) {
                Some(ceiling) => lowest = lowest.min(ceiling),
                None => self.leave_crowd(slot),
            }
        }
        if let Some(ceiling) = self.ceilings.get_mut(&(number as u32)) {
            *ceiling = lowest;
        }
    }

    /// Where a link without a level has little to spare by its limits, lowers the ceilings among these to what the flows use, and
    /// divides what is left anew. Returns whether limits have changed.
    #[cold]
    pub(super) fn lower_ceilings(&mut self, number: usize, found: Result<f64, f64>) -> bool {
        let link = &self.crossings.links[number];
        let (capacity, crowd, count) = (link.capacity, link.crowd as usize, link.count());
        if count < 2 || found.is_err_and(|sum| (1.0 + ROOM) * sum <= capacity) {
            return false;
        }
        let seats = link.seats_beside_crowd();
        let crowd_of = |seat: &Seat| {
            let flow = &self.flows[seat.slot as usize];
            let elsewhere = flow.crowded && flow.first != seat.hop;
            elsewhere.then(|| self.crossings.hops[flow.first as usize].link)
        };
        let guests = seats.clone().filter_map(|seat| Some((seat, crowd_of(&self.crossings.seats[seat])?)));
        let guests: Vec<(usize, u32)> = guests.collect();
        for &(seat, crowd) in &guests {
            self.crossings.limits[seat] = self.crossings.links[crowd as usize].share;
        }
        if guests.is_empty() {
            self.crossings.links[number].has_guests = false;
            return false;
        }
        let left = water_level(&self.crossings.limits[seats], crowd, capacity, f64::INFINITY)
            .map_or_else(|sum| Spare::beside(capacity, sum), |_| 0.0);
        let each = left / count as f64;
        for (seat, crowd) in guests {
            let used = self.crossings.limits[seat];
            if each < ROOM * used {
                self.leave_crowd(self.crossings.seats[seat].slot as usize);
                continue;
            }
            self.crossings.limits[seat] = used + each;
            let lowest = self.ceilings.get_mut(&crowd).expect("each crowd has a lowest ceiling");
            *lowest = lowest.min(used + each);
        }
        true
    }

    /// A flow in a crowd has a rate of its own from now on: that of its link, at first.
    #[cold]
    pub(super) fn leave_crowd(&mut self, slot: usize) {
        self.leave_first_seats(slot);
        let Self { crossings, flows, spare, .. } = self;
        let flow = &mut flows[slot];
        let hops = flow.hops();
        let own = crossings.hops[hops.start].link;
        crossings.levels[hops.start] = crossings.links[own as usize].share;
        (flow.lowest, flow.second, flow.at) =
            two_lowest(flow.bound, &crossings.levels[hops.clone()], hops.start);
        for hop in hops {
            let Hop { link: number, seat } = crossings.hops[hop];
            let is = flow.limit(hop);
            let was = std::mem::replace(&mut crossings.limits[seat as usize], is);
            // The rate is not above the ceiling, so that no link is fuller by this.
            spare.change(number, is - was);
        }
        spare.forget(own);
        flow.reported = 0.0;
        self.crowd_changes.push(CrowdChange::Leave(slot as u32));
        self.mark(slot);
    }

    #[cold]
    pub(super) fn leave_first_seats(&mut self, slot: usize) {
        let flow: &mut Flow = &mut self.flows[slot];
        flow.crowded = false;
        let place = self.crossings.hops[flow.first as usize];
        let link = &mut self.crossings.links[place.link as usize];
        link.crowd -= 1;
        if link.crowd == 0 {
            self.ceilings.remove(&place.link);
        }
        let last = link.crowd_seats().end;
        self.crossings.swap_seats(place.seat as usize, last);
    }
}
