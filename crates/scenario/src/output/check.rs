//! Whether the rest of an experiment can give what the output asks for.

use super::{OutputSection, router};
use crate::scenario::Check;
use crate::workload::Workload;
use crate::{EngineSection, Method, NodeSection, PacketSection};
use weir_capi::executable::Kind;
use weir_network::record::Keep;
use weir_topology::Topology;
use weir_units::Duration;

impl Check<'_> {
    /// Refuses what the engine cannot tell of, and intervals that its windows do not fit.
    pub(crate) fn output_fits(
        &mut self,
        output: &OutputSection,
        engine: &EngineSection,
        workload: &Workload,
        machine: Option<(&Topology, &NodeSection, Option<&PacketSection>)>,
    ) {
        for key in output.asked() {
            if let Some((what, hint)) = refusal(key, engine, workload) {
                self.section("output").problem(key, what, Some(hint.to_owned()));
            }
        }
        let buffers = output.series.is_some_and(|series| series.buffers == Keep::Yes);
        if buffers && matches!(engine, EngineSection::Flow { .. }) {
            let what = "asks for buffers, and with \"flow\" there are none";
            let hint = "write engine.kind = \"packet\", or ask for links or latencies";
            self.section("output").problem("series", what, Some(hint.to_owned()));
        }
        let Some((topology, node, packet)) = machine else { return };
        self.routers_exist(output, topology);
        if let (EngineSection::Packet { .. }, Some(packet), Some(interval)) =
            (engine, packet, output.sample_interval)
        {
            self.interval_fits(interval, topology, node, packet);
        }
    }

    fn routers_exist(&mut self, output: &OutputSection, topology: &Topology) {
        let Some(stays) = &output.packets else { return };
        for text in stays.routers.iter().filter(|text| router(topology, text).is_none()) {
            let form = match topology {
                Topology::Torus(_) => " or its coordinates such as \"(0,0)\"",
                Topology::Graph(_) => " or the name of a router",
                Topology::FatTree(_) | Topology::Hypercrossbar(_) => "",
            };
            let hint = format!("take a number from 0 to {}{form}", topology.routers() - 1);
            let what = format!("routers: there is no router {text:?}");
            self.section("output").problem("packets", what, Some(hint));
        }
    }

    fn interval_fits(
        &mut self,
        interval: Duration,
        topology: &Topology,
        node: &NodeSection,
        packet: &PacketSection,
    ) {
        if interval == Duration::ZERO || self.findings.concern(&["topology", "node", "packet"]) {
            return;
        }
        let built = self.building.build(&packet.model(), &node.model(), topology);
        let Ok(Some(machine)) = built else { return };
        if machine.for_intervals(interval).is_none() {
            let what = format!(
                "does not fit: a whole number of windows, each of {} at most, has to fill an interval, and they \
                 would have to be less than a quarter as wide",
                machine.window()
            );
            let hint = format!("take a round number, or {}", machine.nearest_interval(interval));
            self.section("output").problem("sample_interval", what, Some(hint));
        }
    }
}

/// Why an engine cannot give what a key asks for, and what would do.
fn refusal(key: &str, engine: &EngineSection, workload: &Workload) -> Option<(String, &'static str)> {
    let synthetic = matches!(workload, Workload::Synthetic(_));
    let kind = engine.name();
    match (key, engine) {
        ("calls" | "trace", _) => no_calls(workload),
        ("sample_interval", EngineSection::Ideal { .. }) => Some((
            "is for engines with links; with \"ideal\" there are none".into(),
            "write engine.kind = \"flow\" or \"packet\"",
        )),
        ("packets", EngineSection::Ideal { .. } | EngineSection::Flow { .. }) => Some((
            format!("is for engine.kind = \"packet\"; with {kind:?} there are no packets"),
            "write engine.kind = \"packet\", or leave [output.packets] out",
        )),
        (_, EngineSection::Flow { method: Method::Sweep { .. } | Method::Quotient, .. }) => Some((
            "is not told by this engine.method, which does not follow single messages".into(),
            "leave out engine.method: \"incremental\" tells everything",
        )),
        ("messages" | "pairs", _) if synthetic => Some((
            "is for workloads with messages; synthetic traffic has packets only".into(),
            "take a pattern, or ask for sample_interval or [output.packets]",
        )),
        _ => None,
    }
}

/// Why nobody knows the calls of the ranks, and what would do.
fn no_calls(workload: &Workload) -> Option<(String, &'static str)> {
    match workload {
        Workload::Profile(_) => None,
        Workload::Program(program) if program.kind == Kind::Loadable => None,
        Workload::Program(_) => Some((
            "is not known of a program whose ranks are processes of their own".into(),
            "build the program with weir cc",
        )),
        _ => Some((
            "is for MPI programs and profiles; ranks of this workload call nothing".into(),
            "run a program or a profile, or ask for messages",
        )),
    }
}
