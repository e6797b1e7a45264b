//! `kind = "ideal"`: no network, or the parameters of LogGP.

use super::{Engine, WorkFacts};
use crate::keys::form::{RATE, TIME};
use crate::keys::resolved::Resolved;
use crate::keys::section;
use crate::run::context::Context;
use crate::run::engine_result::EngineResult;
use crate::run::multi_process::ranks_of;
use crate::source::reader::Section;
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
    pub(super) fn read(section: &mut Section<'_>) -> Self {
        Self::read_keys(section).expect("no key is required")
    }

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

impl Engine for IdealEngine {
    fn name(&self) -> &'static str {
        "ideal"
    }

    fn has_links(&self) -> bool {
        false
    }

    fn threads(&self) -> usize {
        1
    }

    fn resolve(&self, section: &mut Resolved) {
        self.put(section);
    }

    fn refuses_output(&self, key: &str) -> Option<(String, &'static str)> {
        match key {
            "sample_interval" => Some((
                "is for engines with links; with \"ideal\" there are none".into(),
                "write engine.kind = \"flow\" or \"packet\"",
            )),
            "checkpoint_every" => Some((
                "is for the packet and the flow engine; \"ideal\" writes no checkpoints".into(),
                "write engine.kind = \"packet\" or \"flow\", or leave it out",
            )),
            "packets" => Some(super::packet::no_stays(self.name())),
            _ => None,
        }
    }

    fn refuses_changes(&self) -> Option<&'static str> {
        Some("belongs to engine.kind = \"flow\"; with \"ideal\" no message meets a link")
    }

    fn refuses_comparison(&self) -> Option<&'static str> {
        Some("engine.kind = \"ideal\" shares no links")
    }

    fn refuses_perturbed_ties(&self) -> Option<&'static str> {
        Some("on the ideal engine messages do not meet")
    }

    fn least_memory(&self, _: &WorkFacts<'_>) -> (u64, bool) {
        (0, true)
    }
}
