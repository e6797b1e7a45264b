//! `kind = "ideal"`: no network, or the parameters of LogGP.

use crate::keys::form::{RATE, TIME};
use crate::keys::section;
use crate::run::context::Context;
use crate::run::engine_result::EngineResult;
use crate::run::multi_process::ranks_of;
use serde::Serialize;
use serde::de::DeserializeOwned;
use weir_network::ideal::homes;
use weir_network::{Ideal, Placement, Program};
use weir_pdes::Transport;
use weir_units::{Bandwidth, Duration, Rank};

section! {
    /// Its keys.
    #[derive(Clone, Debug, PartialEq)]
    pub struct IdealEngine of kinds &["ideal"];
    latency: Duration = TIME, Is("0"), "Time from the last byte leaving to the message being there (L of LogGP).", Less(Latency);
    message_gap: Duration = TIME, Is("0"), "Least time between the starts of two messages of one node (g of LogGP).", Less(StartUp);
    bandwidth: Bandwidth = RATE, Words("infinite"), "Rate at which bytes leave a node (1 / G of LogGP).", More(Serialization);
}

impl IdealEngine {
    pub(super) fn run<P: Program>(&self, programs: &mut [P], context: Context<'_>) -> EngineResult
    where
        P::Body: Serialize + DeserializeOwned,
    {
        let Self { latency, message_gap, bandwidth } = *self;
        let within = context.scenario.node.within(None);
        let engine = Ideal { latency, message_gap, bandwidth, within };
        let (ended, processes) = engine.run_together(programs, context.run);
        EngineResult { processes, ..EngineResult::without_links(ended) }
    }

    pub(super) fn ranks(placement: &Placement, processes: &mut dyn Transport) -> Vec<Rank> {
        ranks_of(placement, &homes(placement, processes.processes()), processes.process())
    }

    pub(crate) fn refuses_processes(&self, processes: usize, placement: &Placement) -> Option<String> {
        let most = Ideal::most_processes(placement);
        if self.latency == Duration::ZERO {
            let why = "engine.kind = \"ideal\" runs in one process if messages take no time: ranks of different processes must not \
                       meet at one instant; give engine.latency";
            return Some(why.into());
        }
        let what = if most == 1 { "node" } else { "nodes" };
        (processes > most).then(|| {
            format!("{processes} processes for ranks on {most} {what}: each process needs one at least")
        })
    }
}
