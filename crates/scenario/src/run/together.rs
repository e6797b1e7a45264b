//! Runs that several processes carry out together.
//!
//! Each process reads and checks the experiment by itself, and has the ranks and routers that belong to it. The first one has the
//! results folder and the whole result; the others write nothing.

use crate::engine::Prepared;
use crate::{RunError, Scenario, Workload};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::collections::BTreeSet;
use std::fs::File;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::Read;
use weir_capi::executable::Kind;
use weir_network::record::{
    BufferSample, LatencySample, LinkSample, MessageTimes, PacketStay, Pairs, Recorder, Requested,
};
use weir_network::{LatencyKind, Placement};
use weir_pdes::{Gathering, Lost, Transport};
use weir_units::{Rank, Time};

impl Scenario {
    /// Whether these processes can run it together, and are all about to: each calls this.
    pub(crate) fn check_processes(&self, processes: &mut dyn Transport) -> Result<(), RunError> {
        let count = processes.processes();
        if count == 1 {
            return Ok(());
        }
        if let Some(why) = self.one_process_only(count) {
            return Err(RunError::Options(format!(
                "{why}\n\nhint: run it without --processes and without mpirun"
            )));
        }
        let facts = (self.resolved().to_string(), build());
        let own = facts.clone();
        let mut gathering = Gathering::new(processes);
        let all = gathering.gather(own);
        let differs = all.map(|all| {
            let other = |which: fn(&(String, u64), &(String, u64)) -> bool| {
                all.iter().position(|other| which(other, &facts))
            };
            other(|one, other| one.1 != other.1)
                .map(|process| (process, "is another build of weir"))
                .or(other(|one, other| one.0 != other.0).map(|process| (process, "has another experiment")))
                .map(|(process, what)| format!("process {process} {what} than process 0"))
        });
        match gathering.spread(differs) {
            Some(None) => Ok(()),
            Some(Some(why)) => {
                let hint =
                    "start the same command in all processes, with files that are the same on all hosts";
                Err(RunError::Options(format!("{why}\n\nhint: {hint}")))
            }
            None => Err(lost(&gathering.counts.lost, count)),
        }
    }

    /// Why so many processes cannot run it; `None` if they can.
    fn one_process_only(&self, processes: usize) -> Option<String> {
        let why = match (&self.prepared, &self.workload.kind) {
            (Ok(Prepared::Flow(..)), _) => {
                "engine.kind = \"flow\" runs in one process: the rate of a flow may depend on every other one, at every instant"
            }
            (Ok(Prepared::Ideal(_)), _) => "engine.kind = \"ideal\" runs in one process",
            (_, Workload::Program(program)) if program.kind == Kind::Separate => {
                "a program whose ranks are processes of their own is run by one process; build it with weir cc"
            }
            (_, Workload::Program(_)) if self.storage.is_some() => {
                "storage is simulated in one process: all ranks share the disks"
            }
            (_, Workload::Program(_) | Workload::Profile(_)) if self.output.kept_calls().is_some() => {
                "calls of ranks (output.calls, output.trace) are kept by one process"
            }
            (Ok(Prepared::Packet(packets)), _) => {
                let most = packets.network.most_processes();
                return (processes > most).then(|| {
                    format!("{processes} processes for {most} routers: each process needs one at least")
                });
            }
            (Err(_), _) => return None,
        };
        Some(why.to_owned())
    }
}

/// What this executable is: of the same bytes the same number.
fn build() -> u64 {
    let mut hasher = DefaultHasher::new();
    env!("CARGO_PKG_VERSION").hash(&mut hasher);
    if let Ok(mut executable) = File::open("/proc/self/exe") {
        let mut piece = vec![0; 1 << 16];
        while let Ok(1..) = executable.read(&mut piece).inspect(|&read| hasher.write(&piece[..read])) {}
    }
    hasher.finish()
}

/// What a run ends with that has lost a process.
pub(crate) fn lost(lost: &Option<Lost>, processes: usize) -> RunError {
    RunError::Process(lost.as_ref().map(|lost| lost.in_words(processes)).unwrap_or_default())
}

/// The ranks of this process, by the processes of nodes, in ascending order.
pub(crate) fn ranks_of(placement: &Placement, homes: &[u32], process: usize) -> Vec<Rank> {
    let here = |rank: &Rank| homes[placement.node(*rank).index()] as usize == process;
    (0..placement.ranks()).map(Rank::new).filter(here).collect()
}

/// Of things by rank those of these ranks, which are in ascending order; of all if none are named.
pub(crate) fn only<T>(ranks: Option<&[Rank]>, of_all: Vec<T>) -> Vec<T> {
    let Some(ranks) = ranks else { return of_all };
    let chosen: BTreeSet<Rank> = ranks.iter().copied().collect();
    let numbered = of_all.into_iter().enumerate();
    numbered.filter(|&(rank, _)| chosen.contains(&Rank::new(rank))).map(|(_, thing)| thing).collect()
}

/// What all processes have as one, in the first process; in the others what they have.
pub(crate) fn joined<T: Clone + Serialize + DeserializeOwned>(
    processes: &mut dyn Transport,
    own: T,
    join: impl FnMut(T, T) -> T,
) -> T {
    Gathering::new(processes).join(own.clone(), join).unwrap_or(own)
}

/// In the processes that write nothing: what the first one records is counted, and sent there.
pub(crate) struct RecordedElsewhere(pub(crate) Requested);

impl Recorder for RecordedElsewhere {
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
