//! Mode F of paper 000: one pass of Steps 2 to 4, section 3.3, without the loop of Step 5.
//!
//! Each link divides its capacity by the number of its flows, `eb_k = pb_k / c_k`, and each flow runs at the smallest
//! such part of its route, `fb = min eb_k`. What a flow limited elsewhere leaves over is lost. Only links whose number
//! of flows has changed are divided again, and only flows on them looked at, unless another link certainly gives them
//! less.

use crate::crossings::Crossings;
use crate::water_level::lower;
use crate::worklist::Worklist;
use serde::{Deserialize, Serialize};
use weir_units::LinkId;

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

    pub(crate) fn attach(&mut self, slot: usize, route: &[LinkId]) {
        self.crossings.attach(slot, route);
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
