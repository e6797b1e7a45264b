//! A run in a checkpoint: all that there is between two instants, as it is.
//!
//! The rates of the solver depend, in their last bits, on the order in which they were changed. So nothing is computed anew but what
//! follows from the machine alone: a run that goes on has the same bits in the same places.

use super::{Engine, State};
use serde::Serialize;
use serde::de::DeserializeOwned;
use weir_network::{Checkpoints, Looks, Program, SavedRanks};
use weir_units::Time;

/// Where a run is kept, if it is, and when it asks whether to.
pub(super) struct Checkpointing<'k> {
    checkpoints: Option<&'k mut dyn Checkpoints>,
    looks: Looks,
    /// Number of instants since it began or went on.
    instants: u64,
}

impl<'k> Checkpointing<'k> {
    pub(super) fn new(checkpoints: Option<&'k mut dyn Checkpoints>) -> Self {
        Self { checkpoints, looks: Looks::default(), instants: 0 }
    }

    /// Returns whether the run is kept; only then does it end between two instants.
    pub(super) const fn is_on(&self) -> bool {
        self.checkpoints.is_some()
    }
}

impl<P: Program> Engine<'_, P> {
    /// Between two instants: keeps the run if it is time to, or if the clock on the wall or a signal ends it here. `now` is the next
    /// instant. Returns whether it goes on.
    pub(super) fn keep_if_due(
        &mut self,
        keeping: &mut Checkpointing<'_>,
        last: Option<Time>,
        now: Time,
    ) -> bool
    where
        P::Body: Serialize,
    {
        let ends = self.ranks.apply_pending_limit();
        // Nothing has happened before the first instant.
        if let (Some(last), Some(checkpoints)) = (last, &mut keeping.checkpoints) {
            keeping.instants += 1;
            if keeping.looks.are_due(keeping.instants) && checkpoints.is_due() || ends {
                checkpoints.keep(now, &self.saved(last));
            }
        }
        !ends
    }

    /// Puts the run into the state from which it goes on, if it is to: the last instant there. At its beginning there is none.
    pub(super) fn go_on(&mut self, keeping: &mut Checkpointing<'_>) -> Option<Time>
    where
        P::Body: DeserializeOwned,
    {
        let checkpoints = keeping.checkpoints.as_mut()?;
        self.ranks.stop_between_instants_only();
        let last = self.restore(&checkpoints.take()?);
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
        let saved = (last, self.network.machines.done, self.ranks.save(), &self.network.state);
        postcard::to_stdvec(&saved).expect("memory takes all that is written")
    }

    /// Takes over a kept run, before the first event: the last instant; `None` if it is not of this run.
    fn restore(&mut self, bytes: &[u8]) -> Option<Time>
    where
        P::Body: DeserializeOwned,
    {
        let saved: (Time, usize, SavedRanks, State<P::Body>) = postcard::from_bytes(bytes).ok()?;
        let (last, changed, ranks, mut state) = saved;
        let fresh = &mut self.network.state;
        let slots = state.flows.slots();
        let fixed = |state: &State<P::Body>| (state.queues.len(), state.node_memory.copied.len());
        let fits = (state.active.len(), state.route_latency.len()) == (slots, slots);
        if !fits || fixed(&state) != fixed(fresh) || !state.lanes.fit(&fresh.lanes, slots) {
            return None;
        }
        state.flows.replace(&mut fresh.flows)?;
        state.accounting.replace(&mut fresh.accounting)?;
        self.network.machines.skip(changed)?;
        self.ranks.restore(&ranks, true)?;
        self.network.state = state;
        Some(last)
    }
}
