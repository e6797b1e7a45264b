//! Mode F of paper 000: one pass of Steps 2 to 4, section 3.3, without the loop of Step 5.
//!
//! Each link divides its capacity by the number of its flows, `eb_k = pb_k / c_k`, and each flow runs at the smallest
//! such part of its route, `fb = min eb_k`. What a flow limited elsewhere leaves over is lost. Only links whose number
//! of flows has changed are divided again, and only flows on them looked at.

use crate::crossings::Crossings;
use weir_units::LinkId;

/// The rule single-pass.
#[derive(Clone, Debug)]
pub(crate) struct SinglePass {
    crossings: Crossings,
    /// Per slot, in bytes per second: what was told last.
    rates: Vec<f64>,
    /// Links whose number of flows has changed.
    queue: Vec<u32>,
    marked: Vec<u32>,
    is_marked: Vec<bool>,
}

impl SinglePass {
    pub(crate) fn new(crossings: Crossings) -> Self {
        let slots = crossings.slots();
        Self {
            crossings,
            rates: vec![0.0; slots],
            queue: Vec::new(),
            marked: Vec::new(),
            is_marked: vec![false; slots],
        }
    }

    pub(crate) fn crossings(&self) -> &Crossings {
        &self.crossings
    }

    pub(crate) fn into_crossings(self) -> Crossings {
        self.crossings
    }

    pub(crate) fn attach(&mut self, slot: usize, route: &[LinkId]) {
        self.crossings.attach(slot, route);
        self.enqueue_route(slot);
        // Even if another flow has just left the same links, whose shares then do not change.
        mark(&mut self.marked, &mut self.is_marked, slot as u32);
    }

    pub(crate) fn detach(&mut self, slot: usize, bytes: f64) {
        self.enqueue_route(slot);
        self.crossings.detach(slot, bytes);
        self.rates[slot] = 0.0;
    }

    /// Computes the rates anew and tells those that changed. Returns 0: there is no loop.
    pub(crate) fn settle(&mut self, mut tell: impl FnMut(usize, f64)) -> u64 {
        let Self { crossings, rates, queue, marked, is_marked } = self;
        for link in queue.drain(..) {
            let link = &mut crossings.links[link as usize];
            link.queued = false;
            let share = link.capacity / link.count() as f64;
            if share == link.share {
                continue;
            }
            link.share = share;
            for seat in &crossings.seats[link.seats()] {
                mark(marked, is_marked, seat.slot);
            }
        }
        for slot in marked.drain(..).map(|slot| slot as usize) {
            is_marked[slot] = false;
            if crossings.hops(slot).is_empty() {
                continue;
            }
            let rate =
                crossings.route(slot).map(|link| crossings.links[link].share).fold(f64::INFINITY, f64::min);
            if rate != rates[slot] {
                rates[slot] = rate;
                tell(slot, rate);
            }
        }
        0
    }

    fn enqueue_route(&mut self, slot: usize) {
        let Self { crossings, queue, .. } = self;
        for hop in crossings.hops(slot) {
            let number = crossings.hops[hop].link;
            let link = &mut crossings.links[number as usize];
            if !std::mem::replace(&mut link.queued, true) {
                queue.push(number);
            }
        }
    }
}

fn mark(marked: &mut Vec<u32>, is_marked: &mut [bool], slot: u32) {
    if !std::mem::replace(&mut is_marked[slot as usize], true) {
        marked.push(slot);
    }
}
