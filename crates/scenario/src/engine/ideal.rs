//! `kind = "ideal"`: no network, or the parameters of LogGP.

use super::{BANDWIDTH, Engine, LATENCY, MESSAGE_GAP, WorkFacts};
use crate::keys::resolved::Resolved;
use crate::run::divided::ranks_of;
use crate::run::simulation::{Context, Ran};
use crate::source::reader::Section;
use serde::Serialize;
use serde::de::DeserializeOwned;
use weir_network::ideal::homes;
use weir_network::{Ideal, Placement, Program, RunContext};
use weir_pdes::Transport;
use weir_units::{Bandwidth, Duration, Rank};

/// Its keys.
#[derive(Clone, Debug, PartialEq)]
pub struct IdealEngine {
    /// L: from the last byte leaving to the message being there.
    pub latency: Duration,
    /// g: least time between the starts of two messages of one node.
    pub message_gap: Duration,
    /// 1 / G: how fast bytes leave a node; `None` is infinitely fast.
    pub bandwidth: Option<Bandwidth>,
}

impl IdealEngine {
    pub(super) fn read(section: &mut Section<'_>) -> Self {
        Self {
            latency: section.get_or_default(&LATENCY),
            message_gap: section.get_or_default(&MESSAGE_GAP),
            bandwidth: section.get(&BANDWIDTH),
        }
    }

    pub(super) fn run<P: Program>(&self, programs: &mut [P], context: Context<'_>) -> Ran
    where
        P::Body: Serialize + DeserializeOwned,
    {
        let Self { latency, message_gap, bandwidth } = *self;
        let Context { scenario, limits, watch, recorder, processes, ranks, console, .. } = context;
        let engine = Ideal { latency, message_gap, bandwidth, within: scenario.node.within(None) };
        let context = RunContext::new(scenario.placement()).limits(limits).watch(watch).recorder(recorder);
        let context = context.processes(processes, ranks).console(console);
        let context = scenario.accounting(context);
        let (ended, processes) = engine.run_together(programs, context);
        Ran { processes, ..Ran::without_links(ended) }
    }

    /// The ranks of one of several processes.
    pub(super) fn ranks(placement: &Placement, processes: &mut dyn Transport) -> Vec<Rank> {
        ranks_of(placement, &homes(placement, processes.processes()), processes.process())
    }

    /// Why so many processes cannot run ranks that are placed like this; `None` if they can.
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
        section.put(&LATENCY, self.latency);
        section.put(&MESSAGE_GAP, self.message_gap);
        section.put_some(&BANDWIDTH, self.bandwidth);
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
