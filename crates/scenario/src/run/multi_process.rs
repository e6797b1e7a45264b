//! The part of a process in a run that several carry out together, and how it becomes one again.

use serde::Serialize;
use serde::de::DeserializeOwned;
use std::collections::BTreeSet;
use weir_network::record::{
    BufferSample, LatencySample, LinkSample, MessageTimes, PacketStay, Pairs, Recorder, Requested,
};
use weir_network::{LatencyKind, Placement};
use weir_pdes::{Gathering, Transport};
use weir_units::{Rank, Time};

/// The ranks of this process, by the processes of nodes, in ascending order.
pub(crate) fn ranks_of(placement: &Placement, homes: &[u32], process: usize) -> Vec<Rank> {
    let here = |rank: &Rank| homes[placement.node(*rank).index()] as usize == process;
    (0..placement.ranks()).map(Rank::new).filter(here).collect()
}

/// The things of these ranks, which are in ascending order; those of all if none are named.
pub(crate) fn only<T>(ranks: Option<&[Rank]>, of_all: Vec<T>) -> Vec<T> {
    let Some(ranks) = ranks else { return of_all };
    let chosen: BTreeSet<Rank> = ranks.iter().copied().collect();
    let numbered = of_all.into_iter().enumerate();
    numbered.filter(|&(rank, _)| chosen.contains(&Rank::new(rank))).map(|(_, thing)| thing).collect()
}

/// The parts of all processes as one, in the first process; in the others their own part.
pub(crate) fn joined<T: Clone + Serialize + DeserializeOwned>(
    processes: &mut dyn Transport,
    own: T,
    join: impl FnMut(T, T) -> T,
) -> T {
    Gathering::new(processes).join(own.clone(), join).unwrap_or(own)
}

/// In the processes that write nothing: what the first one records is counted, and sent there.
pub(crate) struct CountingRecorder(pub(crate) Requested);

impl Recorder for CountingRecorder {
    fn requested(&self) -> &Requested {
        &self.0
    }

    fn links(&mut self, _: Time, _: &[LinkSample]) {}

    fn buffers(&mut self, _: Time, _: &[BufferSample]) {}

    fn latencies(&mut self, _: Time, _: LatencyKind, _: LatencySample) {}

    fn messages(&mut self, _: &[MessageTimes]) {}

    fn stays(&mut self, _: &[PacketStay]) {}

    fn pairs(&mut self, _: &Pairs) {}

    fn has_failed(&self) -> bool {
        false
    }
}
