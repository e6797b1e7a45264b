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
use crate::recomputed::Recompute;

/// Left-over capacity up to this part of a link's capacity is rounding.
const ROUNDING: f64 = 1e-12;

/// The rule iterative-literal.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(crate) struct Literal {
    threshold: f64,
    /// Per link, within `compute`: what it has left over, in bytes per second, and how many of its flows have room.
    #[serde(skip)]
    left: Vec<f64>,
    #[serde(skip)]
    with_room: Vec<u32>,
}

impl Literal {
    pub(crate) fn new(threshold: f64) -> Self {
        Self { threshold, left: Vec::new(), with_room: Vec::new() }
    }

    /// One iteration of Step 5. Returns the largest change of a rate as a part of the rate before.
    fn hand_out_what_is_left(&mut self, crossings: &Crossings, rates: &mut [f64]) -> f64 {
        self.find_what_is_left(crossings, rates);
        let Self { left, with_room, .. } = self;
        with_room.clear();
        with_room.resize(left.len(), 0);
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

    fn find_what_is_left(&mut self, crossings: &Crossings, rates: &[f64]) {
        let left = &mut self.left;
        left.clear();
        left.extend(crossings.links.iter().map(|link| link.capacity));
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

impl Recompute for Literal {
    fn compute(&mut self, crossings: &mut Crossings, rates: &mut [f64]) -> u64 {
        // Steps 2 to 4.
        for slot in crossings.active() {
            let part = |link: usize| crossings.links[link].capacity / crossings.links[link].count() as f64;
            rates[slot] = crossings.route(slot).map(part).fold(f64::INFINITY, f64::min);
        }
        let mut iterations = 1;
        while self.hand_out_what_is_left(crossings, rates) > self.threshold {
            iterations += 1;
        }
        iterations
    }
}

/// Returns whether every link of the route has something left over.
fn has_room(crossings: &Crossings, left: &[f64], slot: usize) -> bool {
    crossings.route(slot).all(|link| left[link] > 0.0)
}
