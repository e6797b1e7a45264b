//! The loop of Step 5 of paper 000, section 3.3, as its text and its example have it.
//!
//! Starts like Mode F, with `eb_k = pb_k / c_k` and `fb = min eb_k` over the route. Then every link that has something
//! left over gives it to those of its flows that have room, in equal parts:
//!
//! ```text
//!   repeat  { left_k = pb_k - sum of fb on k
//!             r_k    = flows on k with room: something is left over on every link of their route
//!             fb    += min left_k / r_k over the route, for each flow with room }
//!   until no flow has changed by more than the threshold, as a part of what it was
//! ```
//!
//! A flow that another link holds back takes no part, so in the paper's example the 1/6 that f1 cannot use goes to f0
//! in one step. The rule of `iterative.rs` divides it among all flows of the link, again and again, and comes to the
//! same 2/3 only in the limit.
//!
//! No link ever carries more than its capacity: its flows together take at most what it has left over. The loop ends
//! whatever the threshold is: in every iteration the link with the least `left_k / r_k` gets full, and no link gets
//! less full. Where it ends, no flow could be faster without another one being slower; but the rates are not max-min
//! fair, since what is left over goes in equal parts to flows that have had unequal parts before.

use crate::crossings::Crossings;
use weir_units::LinkId;

/// What is left over of a link up to this part of its capacity is rounding.
const ROUNDING: f64 = 1e-12;

/// The rule iterative-literal.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(crate) struct Literal {
    crossings: Crossings,
    threshold: f64,
    /// Per slot, in bytes per second: what was reported last.
    reported: Vec<f64>,
    /// Per slot, in bytes per second: within `settle`.
    rates: Vec<f64>,
    /// Per link, within `settle`: what it has left over, in bytes per second, and how many of its flows have room.
    left: Vec<f64>,
    with_room: Vec<u32>,
}

impl Literal {
    pub(crate) fn new(crossings: Crossings, threshold: f64) -> Self {
        let (slots, links) = (crossings.slots(), crossings.links.len());
        Self {
            crossings,
            threshold,
            reported: vec![0.0; slots],
            rates: vec![0.0; slots],
            left: vec![0.0; links],
            with_room: vec![0; links],
        }
    }

    pub(crate) fn crossings(&self) -> &Crossings {
        &self.crossings
    }

    pub(crate) fn crossings_mut(&mut self) -> &mut Crossings {
        &mut self.crossings
    }

    /// Adds a slot, behind all others.
    pub(crate) fn add_slot(&mut self) {
        self.crossings.add_slot();
        self.reported.push(0.0);
        self.rates.push(0.0);
    }

    pub(crate) fn into_crossings(self) -> Crossings {
        self.crossings
    }

    pub(crate) fn attach(&mut self, slot: usize, route: &[LinkId]) {
        self.crossings.attach(slot, route);
    }

    pub(crate) fn detach(&mut self, slot: usize, bytes: f64) {
        self.crossings.detach(slot, bytes);
        (self.reported[slot], self.rates[slot]) = (0.0, 0.0);
    }

    /// Computes all rates anew and reports those that changed. Returns the number of iterations of Step 5.
    pub(crate) fn settle(&mut self, mut report: impl FnMut(usize, f64)) -> u64 {
        self.divide_equally();
        let mut iterations = 1;
        while self.hand_out_what_is_left() > self.threshold {
            iterations += 1;
        }
        for slot in self.crossings.active() {
            if self.rates[slot] != self.reported[slot] {
                self.reported[slot] = self.rates[slot];
                report(slot, self.rates[slot]);
            }
        }
        iterations
    }

    /// Steps 2 to 4.
    fn divide_equally(&mut self) {
        let Self { crossings, rates, .. } = self;
        for slot in crossings.active() {
            let part = |link: usize| crossings.links[link].capacity / crossings.links[link].count() as f64;
            rates[slot] = crossings.route(slot).map(part).fold(f64::INFINITY, f64::min);
        }
    }

    /// One iteration of Step 5. Returns the largest change of a rate as a part of the rate before.
    fn hand_out_what_is_left(&mut self) -> f64 {
        self.find_what_is_left();
        let Self { crossings, rates, left, with_room, .. } = self;
        with_room.fill(0);
        for slot in crossings.active().filter(|&slot| has_room(crossings, left, slot)) {
            for link in crossings.route(slot) {
                with_room[link] += 1;
            }
        }
        let mut largest: f64 = 0.0;
        for slot in crossings.active().filter(|&slot| has_room(crossings, left, slot)) {
            let part = |link: usize| left[link] / f64::from(with_room[link]);
            let more = crossings.route(slot).map(part).fold(f64::INFINITY, f64::min);
            largest = largest.max(more / rates[slot]);
            rates[slot] += more;
        }
        largest
    }

    fn find_what_is_left(&mut self) {
        let Self { crossings, rates, left, .. } = self;
        for (left, link) in left.iter_mut().zip(&crossings.links) {
            *left = link.capacity;
        }
        for slot in crossings.active() {
            for link in crossings.route(slot) {
                left[link] -= rates[slot];
            }
        }
        for (left, link) in left.iter_mut().zip(&crossings.links) {
            if *left <= ROUNDING * link.capacity {
                *left = 0.0;
            }
        }
    }
}

/// Whether every link of the route has something left over.
fn has_room(crossings: &Crossings, left: &[f64], slot: usize) -> bool {
    crossings.route(slot).all(|link| left[link] > 0.0)
}
