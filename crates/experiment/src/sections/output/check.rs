//! Checks that the rest of an experiment can give what the output and the disks ask for.

use super::{CAUSES, CHECKPOINTS, OutputSection, router};
use crate::EngineSection;
use crate::check::{Check, Parts};
use crate::sections::workload::Workload;
use weir_capi::executable::Kind;
use weir_network::record::Keep;
use weir_packet::PacketNetwork;
use weir_record::Buffers;
use weir_topology::Topology;
use weir_units::Duration;

impl Check<'_> {
    pub(crate) fn output_fits(&mut self, output: &OutputSection, parts: &Parts) {
        let Parts { engine: Some(engine), workload: Some(workload), .. } = parts else { return };
        let account = Some(CAUSES).filter(|key| output.asks_for(key));
        let alone = output.alone.then_some("alone");
        for key in output.asked().chain(account).chain(alone) {
            if let Some((what, hint)) = refusal(key, engine, workload) {
                self.section("output").report(key, what, hint);
            }
        }
        if let Some(table) = output.asks_for_table().filter(|_| output.checkpoint_every.is_some()) {
            let what = format!("does not go with output.{table}: what has been recorded is in no checkpoint");
            self.section("output").report(CHECKPOINTS, what, "leave one of them out");
        }
        let buffers = output.series.is_some_and(|series| series.buffers == Keep::Yes);
        if buffers && engine.has_links() && engine.buffers() == Buffers::None {
            let what = format!("asks for buffers, and with {:?} there are none", engine.name());
            let hint = "write engine.kind = \"packet\", or ask for links or latencies";
            self.section("output").report("series", what, hint);
        }
        if let Some(topology) = parts.machine() {
            self.routers_exist(output, topology);
        }
    }

    fn routers_exist(&mut self, output: &OutputSection, topology: &Topology) {
        let Some(stays) = &output.packets else { return };
        for text in stays.routers.iter().filter(|text| router(topology, text).is_none()) {
            let form = match topology.whole() {
                Topology::Torus(_) => " or its coordinates such as \"(0,0)\"",
                Topology::Graph(_) => " or the name of a router",
                _ => "",
            };
            let hint = format!("take a number from 0 to {}{form}", topology.routers() - 1);
            let what = format!("routers: there is no router {text:?}");
            self.section("output").report("packets", what, hint);
        }
    }

    /// The network with windows that fit the packets of the workload, and the interval of samples; refuses intervals that no windows fit.
    pub(crate) fn with_windows(
        &mut self,
        network: PacketNetwork,
        workload: Option<&Workload>,
        output: &OutputSection,
    ) -> PacketNetwork {
        let network = match workload {
            Some(Workload::Synthetic(traffic)) => network.for_packets_of(traffic.packet),
            _ => network,
        };
        let Some(interval) = output.sample_interval.filter(|&interval| interval > Duration::ZERO) else {
            return network;
        };
        network.for_intervals(interval).unwrap_or_else(|network| {
            let what = format!(
                "does not fit: a whole number of windows, each of {} at most, has to fill an interval, and they \
                 would have to be less than a quarter as wide",
                network.window()
            );
            let hint = format!("take a round number, or {}", network.nearest_interval(interval));
            self.section("output").report("sample_interval", what, hint);
            network
        })
    }

    /// Ranks share the disks that are simulated, in one process.
    pub(crate) fn storage_fits(&mut self, workload: Option<&Workload>) {
        if let (Some(entry), Some(Workload::Program(program))) =
            (self.input.tree.entries.get("storage"), workload)
            && program.kind == Kind::Separate
        {
            let what = "is for programs of weir cc; ranks that are processes of their own share no disks";
            let hint =
                "build the program with weir cc, or leave [storage] out: accesses to files take no time then";
            self.findings.add(&entry.place, "storage", "", what.into(), Some(hint.into()));
        }
    }
}

fn refusal(key: &str, engine: &EngineSection, workload: &Workload) -> Option<(String, &'static str)> {
    let synthetic = matches!(workload, Workload::Synthetic(_));
    match key {
        "calls" | "trace" => no_calls(workload),
        CHECKPOINTS if matches!(workload, Workload::Jobs(jobs) if jobs.any_endless()) => Some((
            "does not go with repeat = \"until-others-end\": who is over is in no checkpoint".into(),
            "write how many times the job does its workload",
        )),
        "alone" if !matches!(workload, Workload::Jobs(_)) => Some((
            "is for several jobs: one has the machine for itself".into(),
            "leave it out, or write [[jobs]]",
        )),
        CHECKPOINTS if workload.is_program() => Some((
            "is not for MPI programs: what they have in memory is in no checkpoint".into(),
            "write a profile of the program (weir log), and run that",
        )),
        CAUSES if matches!(workload, Workload::Program(program) if program.kind == Kind::Separate) => Some((
            "is not known of a program whose ranks are processes of their own".into(),
            "build the program with weir cc",
        )),
        CAUSES if synthetic => Some((
            "is for workloads with ranks; synthetic traffic has none that wait".into(),
            "take a pattern, or ask for sample_interval",
        )),
        _ => engine.refuses_output(key).or_else(|| {
            (synthetic && matches!(key, "messages" | "pairs")).then(|| {
                (
                    "is for workloads with messages; synthetic traffic has packets only".into(),
                    "take a pattern, or ask for sample_interval or [output.packets]",
                )
            })
        }),
    }
}

fn no_calls(workload: &Workload) -> Option<(String, &'static str)> {
    match workload {
        Workload::Profile(_) | Workload::Collective(_) => None,
        Workload::Graph(_) => Some((
            "is not known of a graph of work, whose tasks are no calls".into(),
            "ask for messages (output.messages), or leave it away",
        )),
        Workload::Program(program) if program.kind == Kind::Loadable => None,
        Workload::Program(_) => Some((
            "is not known of a program whose ranks are processes of their own".into(),
            "build the program with weir cc",
        )),
        Workload::Jobs(_) => {
            Some(("is not known of several jobs".into(), "leave it out, or run one job as [workload]"))
        }
        _ => Some((
            "is for MPI programs and profiles; ranks of this workload call nothing".into(),
            "run a program or a profile, or ask for messages",
        )),
    }
}
