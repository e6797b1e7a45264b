//! Patterns in which all ranks do the same, on machines that look the same from all nodes: one node stands for all.

use super::{FlowEngine, MANY, Method, ONE_INTERFACE};
use crate::run::engine_result::EngineResult;
use crate::run::engine_result::LinkTotals;
use crate::run::simulation::link_use;
use crate::{Mapping, MappingSection, NodeSection};
use weir_flow::quotient::{Quotient, Steps};
use weir_network::{Digest, Ended, Latencies, Limits, Outcome, Traffic, Watch};
use weir_record::{EngineCounts, FlowCounts};
use weir_topology::Topology;
use weir_units::{Bytes, Duration, Time};
use weir_workload::{Pattern, Sequence, Totals, Uniform};

pub(super) struct QuotientRun<'a> {
    topology: &'a Topology,
    quotient: Quotient<'a>,
    uniform: Uniform,
}

/// Why one node cannot stand for all; `None` if it can, as far as the description shows.
pub(super) fn obstacle(
    topology: &Topology,
    pattern: &Pattern,
    mapping: &MappingSection,
    node: &NodeSection,
    resolution: Duration,
) -> Option<String> {
    let Some(uniform) = pattern.uniform() else {
        return Some("the pattern is not the same for all ranks".into());
    };
    let Some(shape) = topology.translations() else {
        let which = "a hypercrossbar does, and a torus of which every dimension wraps or has two routers, with \
                     tie = \"spread\" or \"plus\"";
        return Some(format!("the machine does not look the same from all nodes ({which})"));
    };
    let wide = |sizes: &[u32]| -> Vec<u32> { sizes.iter().copied().filter(|&size| size > 1).collect() };
    if wide(&shape) != wide(&uniform.grid) {
        let grid = &uniform.grid;
        return Some(format!("the pattern is the same on the grid {grid:?}, not on the machine's {shape:?}"));
    }
    if mapping.kind != Mapping::Linear || mapping.ranks_per_node != 1 || pattern.ranks() != topology.nodes() {
        return Some("it takes the linear mapping with one rank on each node".into());
    }
    if !node.sends_one_message() {
        return Some(ONE_INTERFACE.into());
    }
    (resolution > Duration::ZERO).then(|| "it takes engine.resolution = 0".into())
}

impl FlowEngine {
    pub(super) fn quotient<'a>(
        &self,
        topology: &'a Topology,
        pattern: &Pattern,
        mapping: &MappingSection,
        node: &NodeSection,
    ) -> Option<QuotientRun<'a>> {
        let requested = match self.method {
            Method::Quotient => true,
            Method::Auto => pattern.messages() >= MANY,
            Method::Incremental | Method::Sweep { .. } => false,
        };
        if !requested || obstacle(topology, pattern, mapping, node, self.resolution).is_some() {
            return None;
        }
        let uniform = pattern.uniform()?;
        let quotient = Quotient::of(topology, &uniform.grid)?;
        Some(QuotientRun { topology, quotient, uniform })
    }
}

impl QuotientRun<'_> {
    pub(super) fn run(self, limits: Limits, watch: Watch<'_>) -> EngineResult {
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
