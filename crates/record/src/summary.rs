//! The summary of a run, and `summary.json`.

use crate::causes::{self, WhereTimeWent};
use crate::class_counts::ClassCounts;
use crate::counts::{CheckpointCounts, EngineCounts, GpuUse, MailCounts};
use crate::error::Result;
use crate::explanation::{explanation, outcome_word};
use crate::job_counts::JobCounts;
use crate::json::{Fields, SCHEMA_VERSION, Seconds};
use crate::run_folder::{BEGUN, RunFolder};
use crate::{Assumed, BusyLink, Faults, Finding, LinkUse, ProgramCounts, RecordError, Remnant, write_whole};
use serde_json::{Map, Value, json};
use std::fs;
use std::io::Write;
use std::path::PathBuf;
use weir_network::{Digest, Outcome, SkeletonCounts, Traffic};
use weir_units::{Bandwidth, Duration, Time};

/// Facts of a run in one object.
#[derive(Clone, Debug)]
pub struct Summary {
    /// Title of the experiment.
    pub title: String,
    /// End of the run.
    pub outcome: Outcome,
    /// Name of the engine.
    pub engine: &'static str,
    /// Nodes of the machine.
    pub nodes: usize,
    /// Routers of the machine.
    pub routers: usize,
    /// One-way links of the machine, those between node and router included.
    pub links: usize,
    /// Faults of the machine.
    pub faults: Option<Faults>,
    /// Ranks of the workload.
    pub ranks: usize,
    /// Messages and bytes that were carried.
    pub traffic: Traffic,
    /// The instant the run got to: that of the last event, or the limit of simulated time that ended it.
    pub simulated: Time,
    /// Time of the run on the clock on the wall. Not part of the digest.
    pub wall: std::time::Duration,
    /// Largest memory of the process so far, in bytes; `None` where the system does not report it. Not part of the
    /// digest.
    pub peak_memory_bytes: Option<u64>,
    /// Threads the engine used.
    pub threads: usize,
    /// Processes the engine used.
    pub processes: usize,
    /// Mail between these, if there were several. Not part of the digest.
    pub mail: Option<MailCounts>,
    /// The GPU that has run it, if one has. Not part of the digest.
    pub gpu: Option<GpuUse>,
    /// The checkpoints that it has written, if it was to write some or has gone on from one.
    pub checkpoints: Option<CheckpointCounts>,
    /// Fingerprint of all events in their order.
    pub digest: Digest,
    /// Use of the links; all zero for an engine without links.
    pub link_use: LinkUse,
    /// The whole experiment with every default filled in.
    pub experiment: Value,
    /// The defaults on which the result hangs, and which the input did not say.
    pub assumed: Vec<Assumed>,
    /// Counts of this engine alone.
    pub counts: EngineCounts,
    /// Messages of each service class; empty if there is one only.
    pub classes: Vec<ClassCounts>,
    /// Counts of each of several jobs, in their order; empty if there is one only.
    pub jobs: Vec<JobCounts>,
    /// Counts of MPI programs.
    pub program: Option<ProgramCounts>,
    /// Clock calls of MPI programs that let time pass for code left out.
    pub skeleton: Option<SkeletonCounts>,
    /// Objects that an MPI program has left behind, if it was asked.
    pub remnants: Option<Vec<Remnant>>,
    /// Time of each repetition of a collective at the rank that took longest.
    pub repetitions: Vec<Duration>,
    /// Times between which the run lies, if that was asked for.
    pub band: Option<Band>,
    /// Causes of time, if that was asked for.
    pub causes: Option<WhereTimeWent>,
    /// Sentences that say what held the run up, the most important first; at most three.
    pub verdict: Vec<Finding>,
    /// `none` if quantities are written without units.
    pub units: Option<&'static str>,
    /// Warnings about the input, in sentences.
    pub warnings: Vec<String>,
    /// The files of the input that ship with weir.
    pub shipped: Vec<&'static str>,
    /// The tables beside the summary in its folder; `None` without a folder.
    pub tables: Option<Vec<&'static str>>,
}

impl Summary {
    /// The bytes of all messages over the simulated time; `None` if that is zero, or nothing was sent.
    pub fn effective_bandwidth(&self) -> Option<Bandwidth> {
        Bandwidth::new(self.traffic.bytes.as_f64() / (self.simulated.as_ps() as f64 / 1e12))
    }

    /// The object of `summary.json`: names, meanings and order are a contract, see [`SCHEMA_VERSION`].
    pub fn to_json(&self) -> Value {
        let mut fields = Fields::default();
        fields.add("schema_version", SCHEMA_VERSION);
        fields.add("weir_version", env!("CARGO_PKG_VERSION"));
        fields.add("title", &self.title);
        fields.add("outcome", outcome_word(&self.outcome));
        fields.add("engine", self.engine);
        fields.add("nodes", self.nodes);
        fields.add("routers", self.routers);
        fields.add("links", self.links);
        fields.add("ranks", self.ranks);
        fields.add("messages", self.traffic.messages);
        fields.add("bytes", self.traffic.bytes);
        fields.add("simulated_s", self.simulated.seconds());
        fields.add("simulated_ps", self.simulated);
        fields.add("effective_bandwidth", self.effective_bandwidth());
        fields.add("wall_s", self.wall.seconds());
        fields.add("peak_memory_bytes", self.peak_memory_bytes);
        fields.add("threads", self.threads);
        fields.add("processes", self.processes);
        fields.add_any("checkpoints", self.checkpoints);
        fields.add_any("mail", self.mail);
        fields.add_any("gpu", &self.gpu);
        fields.add("digest", self.digest.to_string());
        fields.add("events", self.traffic.events);
        fields.add("max_link_share", self.link_use.max_share);
        fields.add("mean_link_utilization", self.link_use.mean_utilization);
        fields.add("max_link_utilization", self.link_use.max_utilization);
        fields.add("experiment", &self.experiment);
        fields.add("assumed", &self.assumed);
        let counts = self.counts.fields(self.wall, &self.link_use).0;
        fields.0.extend(counts.clone());
        if let Some(program) = self.program {
            fields.add("mpi_calls", program.mpi_calls);
            fields.add("context_switches", program.context_switches);
            fields.add_any("ranks_without_mpi", Some(program.without_mpi).filter(|&ranks| ranks > 0));
        }
        if let Some(skeleton) = &self.skeleton {
            let mut object = json!(skeleton);
            object["clock_calls_cost_s"] = json!(skeleton.cost_s());
            fields.add("skeleton", object);
        }
        if let Some(remnants) = &self.remnants {
            fields.add("remnants", remnants.iter().map(Remnant::to_json).collect::<Vec<_>>());
        }
        fields.add_any("classes", self.classes.iter().map(ClassCounts::to_json).collect::<Vec<_>>());
        fields.add_any("jobs", self.jobs.iter().map(JobCounts::to_json).collect::<Vec<_>>());
        fields.add_any("repetitions_ps", &self.repetitions);
        self.band.iter().for_each(|band| band.add_to(&mut fields));
        fields.add_any("verdict", &self.verdict);
        let busiest = self.link_use.max_utilization;
        fields.add_any("causes", self.causes.as_ref().map(|found| causes::to_json(found, busiest)));
        fields.add_any("units", self.units);
        fields.add_any("warnings", &self.warnings);
        fields.add_any("shipped", &self.shipped);
        fields.add("control_messages", self.traffic.control_messages);
        fields.add_any("faults", &self.faults);
        if let Some(tables) = &self.tables {
            fields.add("tables", tables);
        }
        fields.add_any("busiest_link", self.link_use.busiest.first().map(BusyLink::to_json));
        fields.add_any("most_contended_link", self.link_use.most_contended.as_ref().map(BusyLink::to_json));
        fields.add_any("explanation", explanation(&self.outcome, self.counts.stuck()));
        // The same fields in an object, but for those that change from run to run.
        let own =
            counts.into_iter().filter(|(name, _)| !["packet_hops_per_s", "steps"].contains(&name.as_str()));
        fields.add(self.engine, own.collect::<Map<_, _>>());
        Value::Object(fields.0)
    }

    /// Writes `summary.json` into the folder, with what the folder calls the run, and returns the path of the file. The
    /// file is complete or untouched: it is written beside its place and then moved there. Then `begun.json` is removed, and the
    /// checkpoint of a run that has come to its end: not before, or a run that is lost between the two had neither.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn write(&self, folder: &RunFolder) -> Result<PathBuf> {
        let path = folder.path().join("summary.json");
        let mut object = self.to_json();
        object["run"] = json!(folder.run());
        let written = write_whole(&path, |out| writeln!(out, "{object:#}"));
        written.map_err(|source| RecordError::File { path: path.clone(), source })?;
        // It says less, and does no harm if it cannot be removed.
        let _ = fs::remove_file(folder.path().join(BEGUN));
        if self.checkpoints.is_some_and(|checkpoints| !checkpoints.is_left) {
            folder.remove_checkpoint();
        }
        Ok(path)
    }
}

/// Times between which a run lies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Band {
    /// The earliest.
    pub low: Time,
    /// The latest.
    pub high: Time,
    /// Times by key.
    pub keys: Vec<OfKey>,
}

/// The simulated times with a key at the ends of its interval.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OfKey {
    /// The key.
    pub key: String,
    /// With its lowest value.
    pub at_low: Time,
    /// With its highest.
    pub at_high: Time,
}

impl Band {
    /// The band around a time: what keys add, and what they take, in quadrature.
    pub fn around(simulated: Time, keys: Vec<OfKey>) -> Self {
        let ps = |time: Time| time.as_ps() as f64;
        let most = |differs: fn(f64, f64) -> f64| {
            let of = |key: &OfKey| {
                [key.at_low, key.at_high]
                    .map(|time| differs(ps(time), ps(simulated)))
                    .into_iter()
                    .fold(0.0, f64::max)
            };
            let sum: f64 = keys.iter().map(of).map(|most| most * most).sum();
            Duration::from_ps(sum.sqrt().round() as u64)
        };
        let (more, less) =
            (most(|time, simulated| time - simulated), most(|time, simulated| simulated - time));
        let low = Time::from_ps(simulated.as_ps().saturating_sub(less.as_ps()));
        Self { low, high: simulated + more, keys }
    }

    pub(crate) fn add_to(&self, fields: &mut Fields) {
        let times = |low: Time, high: Time| json!([low.seconds(), high.seconds()]);
        fields.add("band_s", times(self.low, self.high));
        let of_key = |key: &OfKey| (key.key.clone(), times(key.at_low, key.at_high));
        fields.add("band_by_key_s", self.keys.iter().map(of_key).collect::<Map<_, _>>());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Begun, FlowCounts, LinkCount, PacketCounts, StuckChannel};
    use weir_network::{Peer, Waiting};
    use weir_units::{Bytes, LinkId, Rank};

    fn summary(outcome: Outcome) -> Summary {
        Summary {
            title: "two nodes".into(),
            outcome,
            engine: "flow",
            nodes: 2,
            routers: 1,
            links: 4,
            faults: None,
            ranks: 2,
            traffic: Traffic { messages: 3, bytes: Bytes(30), control_messages: 1, events: 9 },
            simulated: Time::from_ps(1_500_000),
            wall: std::time::Duration::from_millis(250),
            peak_memory_bytes: Some(4096),
            threads: 1,
            processes: 1,
            mail: None,
            gpu: None,
            checkpoints: None,
            digest: Digest(0xab),
            link_use: LinkUse {
                max_share: 2,
                mean_utilization: 0.25,
                max_utilization: 0.5,
                mean_throughput: 5e6,
                busy: None,
                busiest: vec![BusyLink {
                    link: LinkId(3),
                    name: "router 0 -> node 1".into(),
                    count: LinkCount { bytes: 20.0, share: 2, traffic: None },
                    utilization: 0.5,
                    busy: 0.0,
                }],
                most_contended: None,
            },
            experiment: json!({ "title": "two nodes" }),
            assumed: vec![Assumed { key: "node.eager_limit".into(), value: json!("16 KiB"), why: "Why." }],
            counts: EngineCounts::Flow(FlowCounts {
                method: "incremental",
                cycles: 5,
                solver_iterations: 8,
                solver_iterations_max: 2,
                ..FlowCounts::default()
            }),
            classes: Vec::new(),
            jobs: Vec::new(),
            program: Some(ProgramCounts { mpi_calls: 7, context_switches: 8, without_mpi: 0 }),
            skeleton: None,
            remnants: None,
            band: None,
            repetitions: Vec::new(),
            causes: None,
            verdict: Vec::new(),
            units: None,
            warnings: Vec::new(),
            shipped: Vec::new(),
            tables: None,
        }
    }

    #[test]
    fn the_object_has_the_names_and_values_of_the_contract() {
        let object = summary(Outcome::Finished).to_json();
        let expected = json!({
            "schema_version": 2, "weir_version": env!("CARGO_PKG_VERSION"), "title": "two nodes",
            "outcome": "finished", "engine": "flow", "nodes": 2, "routers": 1, "links": 4, "ranks": 2,
            "messages": 3, "bytes": 30, "simulated_s": 1.5e-6, "simulated_ps": 1_500_000,
            "effective_bandwidth": 2e7, "wall_s": 0.25, "peak_memory_bytes": 4096, "threads": 1, "processes": 1, "digest": "00000000000000ab", "events": 9,
            "max_link_share": 2, "mean_link_utilization": 0.25, "max_link_utilization": 0.5,
            "experiment": { "title": "two nodes" },
            "assumed": [{ "key": "node.eager_limit", "value": "16 KiB", "why": "Why." }], "method": "incremental", "cycles": 5, "solver_iterations": 8, "solver_iterations_max": 2, "mpi_calls": 7,
            "context_switches": 8, "control_messages": 1,
            "busiest_link": { "name": "router 0 -> node 1", "bytes": 20, "utilization": 0.5, "max_share": 2 },
            "flow": { "method": "incremental", "cycles": 5, "solver_iterations": 8, "solver_iterations_max": 2 },
        });
        assert_eq!(object, expected);
        let order = |value: &Value| value.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
        assert_eq!(order(&object), order(&expected));
    }

    #[test]
    fn runs_that_did_not_finish_say_why() {
        let waiting = Waiting {
            rank: Rank(1),
            call: "MPI_Recv".into(),
            peer: Peer::Rank(Rank(0)),
            details: vec![("tag", "7".into())],
        };
        let any = Waiting { rank: Rank(2), call: "MPI_Wait".into(), peer: Peer::Any, details: Vec::new() };
        let cases = [
            (
                Outcome::Deadlock(vec![waiting, any]),
                "deadlock",
                json!({ "waiting": [
                    { "rank": 1, "call": "MPI_Recv", "peer": 0, "details": { "tag": "7" } },
                    { "rank": 2, "call": "MPI_Wait", "peer": "any", "details": {} },
                ] }),
            ),
            (
                Outcome::Aborted { rank: Rank(3), why: "MPI_Abort(1)".into() },
                "aborted",
                json!({ "rank": 3, "why": "MPI_Abort(1)" }),
            ),
            (Outcome::Limit("1 s is over".into()), "limit", json!({ "limit": "1 s is over" })),
        ];
        for (outcome, word, explanation) in cases {
            let object = summary(outcome).to_json();
            assert_eq!(object["outcome"], word);
            assert_eq!(object["explanation"], explanation);
        }
    }

    /// 2000 hops in a quarter of a second of wall-clock time.
    #[test]
    fn packets_that_wait_for_each_other_are_named() {
        let channel = StuckChannel {
            link: "a -> b".into(),
            vc: 0,
            packets: 16,
            waits_for: "b -> a".into(),
            waits_for_vc: 1,
        };
        let packet = PacketCounts { packet_hops: 2000, stuck: vec![channel], ..PacketCounts::default() };
        let remnant =
            Remnant { rank: Rank(1), kind: "request".into(), details: vec![("tag".into(), "7".into())] };
        let skeleton = SkeletonCounts { clock_calls: 2, call_cost_s: 0.5, ..SkeletonCounts::default() };
        let stuck = Summary {
            counts: EngineCounts::Packet(packet),
            skeleton: Some(skeleton),
            remnants: Some(vec![remnant]),
            ..summary(Outcome::Deadlock(Vec::new()))
        };
        let object = stuck.to_json();
        assert_eq!(object["packet_hops_per_s"], 8000.0);
        assert_eq!(object["skeleton"]["clock_calls_cost_s"], 1.0);
        assert_eq!(object["remnants"], json!([{ "rank": 1, "kind": "request", "tag": "7" }]));
        let channel = json!({
            "link": "a -> b", "virtual_channel": 0, "packets": 16,
            "waits_for_link": "b -> a", "waits_for_virtual_channel": 1,
        });
        assert_eq!(object["explanation"], json!({ "channels": [channel], "waiting": [] }));
    }

    #[test]
    fn writing_makes_the_folder_and_leaves_one_whole_file() {
        let folder = tempfile::tempdir().unwrap();
        let results = folder.path().join("results/torus");
        let begun = RunFolder::begin(&results, "run").unwrap();
        let Summary { title, engine, nodes, routers, links, ranks, experiment, assumed, .. } =
            summary(Outcome::Finished);
        Begun { title, engine, nodes, routers, links, ranks, experiment, assumed }.write(&begun).unwrap();
        let known = fs::read_to_string(results.join("begun.json")).unwrap();
        let known: Map<String, Value> = serde_json::from_str(&known).unwrap();
        let mut all = summary(Outcome::Finished).to_json();
        all["run"] = json!("run");
        assert_eq!(known.len(), 11);
        assert!(known.iter().all(|(name, value)| all[name] == *value), "{known:?}");
        for outcome in [Outcome::Finished, Outcome::Limit("again".into())] {
            let summary = summary(outcome);
            let path = summary.write(&begun).unwrap();
            let mut read: Value = serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
            assert_eq!(read.as_object_mut().unwrap().remove("run"), Some("run".into()));
            assert_eq!(read, summary.to_json());
        }
        assert_eq!(fs::read_dir(&results).unwrap().count(), 1);
    }

    #[test]
    fn writing_says_which_path_failed() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        fs::write(&file, "").unwrap();
        let error = RunFolder::begin(&file.join("results"), "run").unwrap_err();
        assert!(error.to_string().starts_with("cannot make the folder "), "{error}");
        let begun = RunFolder::begin(&folder.path().join("r"), "run").unwrap();
        fs::create_dir_all(folder.path().join("r/summary.json/taken")).unwrap();
        let error = summary(Outcome::Finished).write(&begun).unwrap_err();
        assert!(error.to_string().starts_with("cannot write "), "{error}");
        assert_eq!(fs::read_dir(folder.path().join("r")).unwrap().count(), 1);
    }

    /// 100 ps: one key takes 3 or adds 4, one takes 4 or adds 3, the time of one only grows: 5 less, and the root of 16 + 9 + 144 more.
    #[test]
    fn what_keys_add_and_take_is_added_in_quadrature() {
        let key =
            |low, high| OfKey { key: "k".into(), at_low: Time::from_ps(low), at_high: Time::from_ps(high) };
        let band = Band::around(Time::from_ps(100), vec![key(97, 104), key(103, 96), key(112, 105)]);
        assert_eq!((band.low, band.high), (Time::from_ps(95), Time::from_ps(113)));
        let none = Band::around(Time::from_ps(100), Vec::new());
        assert_eq!((none.low, none.high), (Time::from_ps(100), Time::from_ps(100)));
    }
}
