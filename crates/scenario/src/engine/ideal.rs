//! `kind = "ideal"`: no network, or the parameters of LogGP.

use super::{BANDWIDTH, Engine, LATENCY, MESSAGE_GAP, WorkFacts};
use crate::keys::resolved::Resolved;
use crate::run::simulation::{Context, Ran};
use crate::source::reader::Section;
use weir_network::{Ideal, Program, RunContext};
use weir_units::{Bandwidth, Duration};

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

    pub(super) fn run<P: Program>(&self, programs: &mut [P], context: Context<'_>) -> Ran {
        let Self { latency, message_gap, bandwidth } = *self;
        let engine = Ideal { latency, message_gap, bandwidth };
        let Context { scenario, limits, watch, recorder, .. } = context;
        Ran::without_links(engine.run(
            programs,
            RunContext::new(scenario.placement()).limits(limits).watch(watch).recorder(recorder),
        ))
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
            "checkpoint_every" => Some(super::packet::no_checkpoints(self.name())),
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
