//! A run in a checkpoint: all that there is between two instants, as it is.
//!
//! The rates of the solver depend, in their last bits, on the order in which they were changed. So nothing is computed anew but what
//! follows from the machine alone: a run that goes on has the same bits in the same places.

use super::{Engine, Network};
use crate::accounting::Accounting;
use crate::arrivals::ArrivalOrder;
use crate::behind::Behind;
use crate::flows::Flows;
use crate::interfaces::Turns;
use crate::keeping::Keeping;
use crate::lanes::Lanes;
use crate::queues::Queues;
use crate::stripes::{Queued, Stripes};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use weir_network::{Calendar, NodeMemory, Pending, Program, SavedCalendar, SavedRanks};
use weir_units::{Duration, NodeId, Time};

/// What is kept. `E`: events to come, `Q`: queues, `O`: the order of arrivals, `S`: messages in several queues, `F`: flows, `L`: lanes and turns of
/// interfaces, `A`: where time went; as they are in the run, or of their own.
#[derive(Serialize, Deserialize)]
struct SavedRun<E, Q, O, S, F, L, A> {
    /// The last instant.
    last: Time,
    /// How many changes of the machine are over.
    changed: usize,
    ranks: SavedRanks,
    calendar: SavedCalendar<E>,
    active: Q,
    queues: Q,
    order: O,
    stripes: S,
    flows: F,
    waiting: Vec<u32>,
    lanes: L,
    arrivals: BTreeMap<(NodeId, NodeId), Time>,
    jitter: f64,
    route_latency: Vec<Duration>,
    node_memory: NodeMemory,
    accounting: A,
    behind: Behind,
}

/// A run as it is read.
type OwnRun<B> =
    SavedRun<Pending<B>, Queues<Queued<B>>, ArrivalOrder<B>, Stripes<B>, Flows, (Turns, Lanes), Accounting>;

impl<P: Program> Engine<'_, P> {
    /// Between two instants: keeps the run if it is time to, or if the clock on the wall or a signal ends it here. `now` is the next
    /// instant. Returns whether it goes on.
    #[inline]
    pub(super) fn keep_if_due(&mut self, keeping: &mut Keeping<'_>, last: Option<Time>, now: Time) -> bool
    where
        P::Body: Serialize,
    {
        let is_late = self.ranks.is_late();
        // Nothing has happened before the first instant.
        if let Some(last) = last
            && keeping.is_due(is_late)
        {
            keeping.keep(now, &self.saved(last));
        }
        if is_late {
            self.ranks.end_late();
        }
        !is_late
    }

    /// Puts the run into the state from which it goes on, if it is to: the last instant there. At its beginning there is none.
    pub(super) fn go_on(&mut self, keeping: &mut Keeping<'_>) -> Option<Time>
    where
        P::Body: DeserializeOwned,
    {
        if keeping.keeps() {
            self.ranks.be_patient();
        }
        let state = keeping.take()?;
        let last = self.restore(&state);
        if last.is_none() {
            self.ranks.end_because("the checkpoint is not of this run".into());
        }
        last
    }

    /// The run between two instants.
    fn saved(&mut self, last: Time) -> Vec<u8>
    where
        P::Body: Serialize,
    {
        // Field by field, so that none is left out. What follows from the machine, and what is only used within an instant, is not
        // kept.
        let Network {
            machines,
            waiting,
            arrivals,
            placement: _,
            node: _,
            interfaces: _,
            turns,
            lanes,
            order,
            latencies: _,
            calendar,
            active,
            queues,
            stripes,
            flows,
            ties: _,
            fastest: _,
            jitter,
            route_latency,
            node_memory,
            finished: _,
            departed: _,
            departed_at_once: _,
            injects_later: _,
            route: _,
            accounting,
            behind,
        } = &self.network;
        let saved = SavedRun {
            last,
            changed: machines.done,
            ranks: self.ranks.save(),
            calendar: calendar.save(|what| what),
            active,
            queues,
            order,
            stripes,
            flows,
            waiting: waiting.clone(),
            lanes: (turns, lanes),
            arrivals: arrivals.clone(),
            jitter: *jitter,
            route_latency: route_latency.clone(),
            node_memory: node_memory.clone(),
            accounting,
            behind: behind.clone(),
        };
        postcard::to_stdvec(&saved).expect("memory takes all that is written")
    }

    /// Takes over what was kept, before the first event: the last instant; `None` if it is not of this run.
    fn restore(&mut self, state: &[u8]) -> Option<Time>
    where
        P::Body: DeserializeOwned,
    {
        let saved: OwnRun<P::Body> = postcard::from_bytes(state).ok()?;
        let SavedRun {
            calendar,
            active,
            queues,
            flows,
            route_latency,
            node_memory,
            lanes: (turns, lanes),
            ..
        } = saved;
        let Self { ranks, network, .. } = self;
        let slots = flows.slots();
        let sizes = (active.len(), route_latency.len(), queues.len(), node_memory.copied.len());
        let fresh = (slots, slots, network.queues.len(), network.node_memory.copied.len());
        if sizes != fresh || !lanes.fit(&network.lanes, slots) {
            return None;
        }
        let flows = flows.in_place_of(&mut network.flows)?;
        let accounting = saved.accounting.in_place_of(&mut network.accounting)?;
        network.machines.skip(saved.changed)?;
        ranks.restore(&saved.ranks, true)?;
        network.flows = flows;
        network.calendar = Calendar::new();
        network.calendar.go_on_after(calendar.last, calendar.last_work);
        for (key, what) in calendar.events {
            match what {
                Some(what) => network.calendar.add(key, what),
                None => network.calendar.add_bare(key),
            }
        }
        network.active = active;
        network.queues = queues;
        network.order = saved.order;
        network.stripes = saved.stripes;
        network.waiting = saved.waiting;
        network.turns = turns;
        network.lanes = lanes;
        network.arrivals = saved.arrivals;
        network.jitter = saved.jitter;
        network.route_latency = route_latency;
        network.node_memory = node_memory;
        network.accounting = accounting;
        network.behind = saved.behind;
        Some(saved.last)
    }
}
