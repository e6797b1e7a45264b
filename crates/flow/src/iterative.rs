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
use crate::recomputed::Recompute;

/// After so many iterations the loop ends, whatever still changes. The paper's threshold needs about ten.
const MOST_ITERATIONS: u64 = 100_000;

#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(crate) struct Iterative {
    threshold: f64,
    /// Per link, in bytes per second: within `compute`.
    #[serde(skip)]
    used: Vec<f64>,
}

impl Iterative {
    pub(crate) fn new(threshold: f64) -> Self {
        Self { threshold, used: Vec::new() }
    }
}

impl Recompute for Iterative {
    fn compute(&mut self, crossings: &mut Crossings, rates: &mut [f64]) -> u64 {
        for link in &mut crossings.links {
            link.share = link.capacity / link.count() as f64;
        }
        follow_shares(crossings, rates);
        let used = &mut self.used;
        used.resize(crossings.links.len(), 0.0);
        add_up(crossings, rates, used);
        let mut iterations = 0;
        loop {
            iterations += 1;
            hand_out_what_is_left(crossings, used);
            let change = follow_shares(crossings, rates);
            let excess = add_up(crossings, rates, used);
            if change.max(excess) <= self.threshold || iterations == MOST_ITERATIONS {
                break;
            }
        }
        cut_excess(crossings, rates, used);
        iterations
    }
}

/// Slows flows down where a link would carry more than its capacity.
fn cut_excess(crossings: &Crossings, rates: &mut [f64], used: &[f64]) {
    for slot in crossings.active() {
        let part = |link: usize| crossings.links[link].capacity / used[link];
        rates[slot] *= crossings.route(slot).map(part).fold(1.0, f64::min);
    }
}

fn hand_out_what_is_left(crossings: &mut Crossings, used: &[f64]) {
    for (link, used) in crossings.links.iter_mut().zip(used) {
        if link.count() > 0 {
            link.share += (link.capacity - used) / link.count() as f64;
        }
    }
}

/// Sets each rate to the lowest share on the route. Returns the largest change as a part of the rate before.
fn follow_shares(crossings: &Crossings, rates: &mut [f64]) -> f64 {
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
fn add_up(crossings: &Crossings, rates: &[f64], used: &mut [f64]) -> f64 {
    used.fill(0.0);
    for (slot, rate) in rates.iter().enumerate() {
        for link in crossings.route(slot) {
            used[link] += rate;
        }
    }
    let excess = |(link, used): (&Link, &f64)| used / link.capacity - 1.0;
    crossings.links.iter().zip(&*used).map(excess).fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recomputed::Recomputed;
    use crate::harness::links;

    /// The first flow on link 0, of `scale`, whose other flow has only a quarter of that from link 1; and the iterations.
    fn first_rate(scale: f64, threshold: f64) -> (f64, u64) {
        let mut rule = Recomputed::new(Crossings::new([scale, 0.25 * scale], 2), Iterative::new(threshold));
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
