//! Mode N of paper 000: Steps 2 to 5, section 3.3.
//!
//! Starts like Mode F, with `eb_k = pb_k / c_k` and `fb = min eb_k` over the route, and then hands what is left over on
//! a link to its flows:
//!
//! ```text
//!   repeat  { eb_k += (pb_k - sum of fb on k) / c_k;  fb = min eb_k over the route }
//!   until every flow has changed by at most the threshold, as a part of what it was
//! ```
//!
//! Its fixed point is max-min fair. On the way a link can be promised twice: while its flows are held back elsewhere
//! its `eb` grows past what it has, and if they are then set free at once they use more than its capacity, and may not
//! change for a while until its `eb` has come down. So the loop also goes on while a link carries more than its
//! capacity by more than the threshold, and what remains of such an excess at the end is cut: each flow by the
//! largest excess on its route. The paper leaves both open.
//!
//! All flows are computed anew at every change, for the loop ends for all at once. Sums are taken in the order of
//! slots.

use crate::crossings::{Crossings, Link};
use weir_units::LinkId;

/// After so many iterations the loop ends, whatever still changes. The paper's threshold needs about ten.
const MOST_ITERATIONS: u64 = 100_000;

/// The rule iterative.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(crate) struct Iterative {
    crossings: Crossings,
    threshold: f64,
    /// Per slot, in bytes per second: what was reported last.
    reported: Vec<f64>,
    /// Per slot and per link, in bytes per second: within `settle`.
    rates: Vec<f64>,
    used: Vec<f64>,
}

impl Iterative {
    pub(crate) fn new(crossings: Crossings, threshold: f64) -> Self {
        let (slots, links) = (crossings.slots(), crossings.links.len());
        Self {
            crossings,
            threshold,
            reported: vec![0.0; slots],
            rates: vec![0.0; slots],
            used: vec![0.0; links],
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
        for link in &mut self.crossings.links {
            link.share = link.capacity / link.count() as f64;
        }
        self.follow_shares();
        self.add_up();
        let mut iterations = 0;
        loop {
            iterations += 1;
            self.hand_out_what_is_left();
            let change = self.follow_shares();
            let excess = self.add_up();
            if change.max(excess) <= self.threshold || iterations == MOST_ITERATIONS {
                break;
            }
        }
        self.cut_excess();
        for slot in self.crossings.active() {
            if self.rates[slot] != self.reported[slot] {
                self.reported[slot] = self.rates[slot];
                report(slot, self.rates[slot]);
            }
        }
        iterations
    }

    /// Slows flows down where a link would carry more than its capacity.
    fn cut_excess(&mut self) {
        let Self { crossings, rates, used, .. } = self;
        for slot in crossings.active() {
            let part = |link: usize| crossings.links[link].capacity / used[link];
            rates[slot] *= crossings.route(slot).map(part).fold(1.0, f64::min);
        }
    }

    fn hand_out_what_is_left(&mut self) {
        for (link, used) in self.crossings.links.iter_mut().zip(&self.used) {
            if link.count() > 0 {
                link.share += (link.capacity - used) / link.count() as f64;
            }
        }
    }

    /// Sets each rate to the lowest share on the route. Returns the largest change as a part of the rate before.
    fn follow_shares(&mut self) -> f64 {
        let Self { crossings, rates, .. } = self;
        let mut largest: f64 = 0.0;
        for slot in crossings.active() {
            let rate =
                crossings.route(slot).map(|link| crossings.links[link].share).fold(f64::INFINITY, f64::min);
            largest = largest.max((rate - rates[slot]).abs() / rates[slot]);
            rates[slot] = rate;
        }
        largest
    }

    /// Adds up what the flows use of each link. Returns the largest excess over a capacity, as a part of it.
    fn add_up(&mut self) -> f64 {
        let Self { crossings, rates, used, .. } = self;
        used.fill(0.0);
        for (slot, rate) in rates.iter().enumerate() {
            for link in crossings.route(slot) {
                used[link] += rate;
            }
        }
        let excess = |(link, used): (&Link, &f64)| used / link.capacity - 1.0;
        crossings.links.iter().zip(&*used).map(excess).fold(0.0, f64::max)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::links;

    /// The first flow on link 0, of `scale`, whose other flow has only a quarter of that from link 1; and the iterations.
    fn first_rate(scale: f64, threshold: f64) -> (f64, u64) {
        let mut rule = Iterative::new(Crossings::new([scale, 0.25 * scale], 2), threshold);
        rule.attach(0, &links([0]));
        rule.attach(1, &links([0, 1]));
        let mut rates = [0.0; 2];
        let iterations = rule.settle(|slot, rate| rates[slot] = rate);
        assert_eq!(rates[1], 0.25 * scale);
        (rates[0] / scale, iterations)
    }

    /// Half the link each; then half of what is left over goes to the first flow, again and again:
    ///
    /// ```text
    ///   rate    1/2   5/8   11/16   23/32   47/64   95/128   ...   3/4
    ///   change        1/4   1/10    1/22    1/46    1/94
    /// ```
    ///
    /// It ends when the change is not above the threshold, whatever the unit of capacities.
    #[test]
    fn iterations_end_at_the_threshold() {
        for scale in [1.0, 1024.0, 1.0 / 1024.0] {
            for (threshold, rate, iterations) in [
                (0.5, 5.0 / 8.0, 1),
                (0.25, 5.0 / 8.0, 1),
                (0.249, 11.0 / 16.0, 2),
                (0.11, 11.0 / 16.0, 2),
                (0.09, 23.0 / 32.0, 3),
                (0.04, 47.0 / 64.0, 4),
                (0.02, 95.0 / 128.0, 5),
            ] {
                assert_eq!(
                    first_rate(scale, threshold),
                    (rate, iterations),
                    "threshold {threshold}, {scale} B/s"
                );
            }
        }
    }

    /// Iterations come to rest by themselves, long before the most there can be.
    #[test]
    fn iterations_come_to_rest() {
        let (rate, iterations) = first_rate(1.0, 1e-15);
        assert!((rate - 0.75).abs() < 1e-14 && (45..55).contains(&iterations), "{rate} {iterations}");
    }
}
