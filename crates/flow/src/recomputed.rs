//! Rules that compute all rates anew at every change, as the paper has it, and report those that differ.

use crate::crossings::{Crossings, Link};
use crate::water_level::{Worklist, lower};
use serde::{Deserialize, Serialize};
use weir_units::LinkId;

/// A rule that computes the rates of all flows, in bytes per second by slot. It finds the rates of the change before, zero of
/// new flows, and returns the number of its iterations.
pub(crate) trait Recompute {
    fn compute(&mut self, crossings: &mut Crossings, rates: &mut [f64]) -> u64;
}

/// The rule, with the flows it shares links among.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Recomputed<R> {
    pub(crate) crossings: Crossings,
    /// Per slot, in bytes per second: the rate that was reported last.
    reported: Vec<f64>,
    rates: Vec<f64>,
    rule: R,
}

impl<R: Recompute> Recomputed<R> {
    pub(crate) fn new(crossings: Crossings, rule: R) -> Self {
        let slots = crossings.slots();
        Self { crossings, reported: vec![0.0; slots], rates: vec![0.0; slots], rule }
    }

    pub(crate) fn add_slot(&mut self) {
        self.crossings.add_slot();
        self.reported.push(0.0);
        self.rates.push(0.0);
    }

    pub(crate) fn attach(&mut self, slot: usize, route: &[LinkId], weights: &[f64]) {
        assert!(weights.is_empty(), "this rule shares links among flows of one route each");
        self.crossings.attach(slot, route, weights);
    }

    pub(crate) fn detach(&mut self, slot: usize, bytes: f64) {
        self.crossings.detach(slot, bytes);
        (self.reported[slot], self.rates[slot]) = (0.0, 0.0);
    }

    /// Computes all rates and reports those that changed. Returns the number of iterations.
    pub(crate) fn settle(&mut self, mut report: impl FnMut(usize, f64)) -> u64 {
        let Self { crossings, reported, rates, rule } = self;
        let iterations = rule.compute(crossings, rates);
        for slot in crossings.active() {
            if rates[slot] != reported[slot] {
                reported[slot] = rates[slot];
                report(slot, rates[slot]);
            }
        }
        iterations
    }
}

/// After so many iterations the loop ends, whatever still changes. The paper's threshold needs about ten.
const MOST_ITERATIONS: u64 = 100_000;

/// Mode N of paper 000: Steps 2 to 5, section 3.3.
///
/// Starts like Mode F, with `eb_k = pb_k / c_k` and `fb = min eb_k` over the route, and then hands what is left over on
/// a link to its flows:
///
/// ```text
///   repeat  { eb_k += (pb_k - sum of fb on k) / c_k;  fb = min eb_k over the route }
///   until every flow has changed by at most the threshold, as a part of what it was
/// ```
///
/// Its fixed point is max-min fair. On the way a link can be promised twice: while its flows are held back elsewhere
/// its `eb` grows past what it has, and if they are then set free at once they use more than its capacity, and may not
/// change for a while until its `eb` has come down. So the loop also goes on while a link carries more than its
/// capacity by more than the threshold, and what remains of such an excess at the end is cut: each flow by the
/// largest excess on its route. The paper leaves both open.
///
/// All flows are computed anew at every change, for the loop ends for all at once. Sums are taken in the order of
/// slots.
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

/// Left-over capacity up to this part of a link's capacity is rounding.
const ROUNDING: f64 = 1e-12;

/// The loop of Step 5 of paper 000, section 3.3, as its text and its example have it.
///
/// Starts like Mode F, with `eb_k = pb_k / c_k` and `fb = min eb_k` over the route. Then every link that has something
/// left over gives it to those of its flows that have room, in equal parts:
///
/// ```text
///   repeat  { left_k = pb_k - sum of fb on k
///             r_k    = flows on k with room: something is left over on every link of their route
///             fb    += min left_k / r_k over the route, for each flow with room }
///   until no flow has changed by more than the threshold, as a part of what it was
/// ```
///
/// A flow that another link holds back takes no part, so in the paper's example the 1/6 that f1 cannot use goes to f0
/// in one step. The rule [`Iterative`] divides it among all flows of the link, again and again, and comes to the
/// same 2/3 only in the limit.
///
/// No link ever carries more than its capacity: its flows together take at most what it has left over. The loop ends
/// whatever the threshold is: in every iteration the link with the least `left_k / r_k` gets full, and no link gets
/// less full. Where it ends, no flow could be faster without another one being slower; but the rates are not max-min
/// fair, since what is left over goes in equal parts to flows that have had unequal parts before.
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

/// Mode F of paper 000: one pass of Steps 2 to 4, section 3.3, without the loop of Step 5.
///
/// Each link divides its capacity by the number of its flows, `eb_k = pb_k / c_k`, and each flow runs at the smallest
/// such part of its route, `fb = min eb_k`. What a flow limited elsewhere leaves over is lost. Only links whose number
/// of flows has changed are divided again, and only flows on them looked at, unless another link certainly gives them
/// less.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct SinglePass {
    pub(crate) crossings: Crossings,
    flows: Vec<Flow>,
    /// Links whose number of flows has changed.
    queue: Worklist,
    marked: Worklist,
}

#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
struct Flow {
    /// In bytes per second: what was reported last, zero for a new flow.
    rate: f64,
    /// True if it is in the list of flows to look at.
    marked: bool,
}

impl SinglePass {
    pub(crate) fn new(crossings: Crossings) -> Self {
        let slots = crossings.slots();
        Self {
            crossings,
            flows: vec![Flow::default(); slots],
            queue: Worklist::default(),
            marked: Worklist::default(),
        }
    }

    pub(crate) fn add_slot(&mut self) {
        self.crossings.add_slot();
        self.flows.push(Flow::default());
    }

    pub(crate) fn attach(&mut self, slot: usize, route: &[LinkId], weights: &[f64]) {
        assert!(weights.is_empty(), "this rule shares links among flows of one route each");
        self.crossings.attach(slot, route, weights);
        self.enqueue_route(slot);
        // Even if another flow has just left the same links, whose shares then do not change.
        self.marked.add(slot as u32, &mut self.flows[slot].marked);
    }

    pub(crate) fn detach(&mut self, slot: usize, bytes: f64) {
        self.enqueue_route(slot);
        self.crossings.detach(slot, bytes);
        self.flows[slot].rate = 0.0;
    }

    /// Computes the rates anew and reports those that changed. Returns 0: there is no loop.
    pub(crate) fn settle(&mut self, mut report: impl FnMut(usize, f64)) -> u64 {
        let Self { crossings, flows, queue, marked } = self;
        for &number in queue.as_slice() {
            let link = &mut crossings.links[number as usize];
            link.queued = false;
            let share = link.capacity / link.count() as f64;
            if share == link.share {
                continue;
            }
            let before = std::mem::replace(&mut link.share, share);
            // If all flows here end on one link with no more capacity, its part is no larger and it has reported theirs.
            let (end, capacity, seats) = (link.end(), link.capacity, link.seats());
            if end.is_some_and(|end| end != number as usize && capacity >= crossings.links[end].capacity) {
                continue;
            }
            // A rate changes if the link was what held the flow back, or does so now.
            for seat in &crossings.seats[seats] {
                let flow = &mut flows[seat.slot as usize];
                marked.add_if((flow.rate == before) | (share < flow.rate), seat.slot, &mut flow.marked);
            }
        }
        queue.clear();
        for slot in marked.as_slice().iter().map(|&slot| slot as usize) {
            flows[slot].marked = false;
            if crossings.hops(slot).is_empty() {
                continue;
            }
            let rate =
                crossings.route(slot).map(|link| crossings.links[link].share).fold(f64::INFINITY, lower);
            if rate != flows[slot].rate {
                flows[slot].rate = rate;
                report(slot, rate);
            }
        }
        marked.clear();
        0
    }

    fn enqueue_route(&mut self, slot: usize) {
        let Self { crossings, queue, .. } = self;
        for hop in crossings.hops(slot) {
            let number = crossings.hops[hop].link;
            queue.add(number, &mut crossings.links[number as usize].queued);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harness::links;
    use crate::recomputed::Recomputed;

    /// The first flow on link 0, of `scale`, whose other flow has only a quarter of that from link 1; and the iterations.
    fn first_rate(scale: f64, threshold: f64) -> (f64, u64) {
        let mut rule = Recomputed::new(Crossings::new([scale, 0.25 * scale], 2), Iterative::new(threshold));
        rule.attach(0, &links([0]), &[]);
        rule.attach(1, &links([0, 1]), &[]);
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
