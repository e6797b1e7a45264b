//! Patterns in which all ranks do the same, on machines that look the same from all nodes: one node stands for all.

use crate::engine_result::{EngineResult, LinkTotals};
use crate::results::link_use;
use weir_flow::quotient::{Quotient, Steps};
use weir_network::{Digest, Ended, Latencies, Limits, Outcome, Traffic, Watch};
use weir_record::{EngineCounts, FlowCounts};
use weir_topology::Topology;
use weir_units::{Bytes, Time};
use weir_workload::Uniform;

pub(crate) struct QuotientRun<'a> {
    topology: &'a Topology,
    quotient: Quotient<'a>,
    uniform: Uniform,
}

/// Ready to run, if the machine can be divided so.
pub(crate) fn ready(topology: &Topology, uniform: Uniform) -> Option<QuotientRun<'_>> {
    let quotient = Quotient::of(topology, &uniform.grid)?;
    Some(QuotientRun { topology, quotient, uniform })
}

impl QuotientRun<'_> {
    pub(crate) fn run(self, limits: Limits, watch: Watch<'_>) -> EngineResult {
        let Self { topology, quotient, uniform } = self;
        let steps = Steps {
            steps: uniform.steps,
            bytes: uniform.bytes,
            awaited: uniform.awaited,
            displacement: &|step| uniform.displacement(step),
        };
        let ended = quotient.run(&steps, limits, watch);
        let traffic = Traffic {
            messages: ended.messages,
            bytes: Bytes(ended.messages.saturating_mul(uniform.bytes.0)),
            control_messages: 0,
            events: topology.nodes() as u64 + 2 * ended.messages,
        };
        let flow = FlowCounts { method: "quotient", cycles: ended.cycles, ..FlowCounts::default() };
        let whole = Ended {
            outcome: ended.limit.map_or(Outcome::Finished, Outcome::Limit),
            at: ended.until,
            traffic,
            digest: Digest(ended.digest),
            latency: Latencies::default(),
            causes: None,
        };
        EngineResult {
            link_use: link_use(topology, 1, (&ended.link_bytes, &ended.link_share), ended.until),
            counts: EngineCounts::Flow(flow),
            measured: ended.until.since(Time::ZERO),
            carried: LinkTotals::Flows(ended.link_bytes, ended.link_share, 1),
            ..EngineResult::without_links(whole)
        }
    }
}
