//! Counts of a run beside those that every run has: of its engine, its checkpoints, the mail between its processes.

use crate::json::{Fields, Seconds, seconds, seconds_if_any};
use crate::link_use::LinkUse;
use serde::{Deserialize, Serialize, Serializer};
use serde_json::json;
use std::fmt;
use std::time::Duration as WallTime;
use weir_units::{Duration, Time};

/// Counts that one engine has and no other.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum EngineCounts {
    /// An engine without a network.
    #[default]
    None,
    /// Flows that share links.
    Flow(FlowCounts),
    /// Packets in buffers.
    Packet(PacketCounts),
}

impl EngineCounts {
    /// Those of the flow engine; `None` on another.
    pub fn flow(&self) -> Option<&FlowCounts> {
        match self {
            Self::Flow(counts) => Some(counts),
            _ => None,
        }
    }

    /// Those of the flow engine, to add what further runs have shown; `None` on another.
    pub fn flow_mut(&mut self) -> Option<&mut FlowCounts> {
        match self {
            Self::Flow(counts) => Some(counts),
            _ => None,
        }
    }

    /// Those of the packet engine; `None` on another.
    pub fn packet(&self) -> Option<&PacketCounts> {
        match self {
            Self::Packet(counts) => Some(counts),
            _ => None,
        }
    }

    /// The circle of virtual channels in which packets wait for each other; empty if there is none.
    pub fn stuck(&self) -> &[StuckChannel] {
        self.packet().map_or(&[], |counts| &counts.stuck)
    }

    pub(crate) fn fields(&self, wall: WallTime, links: &LinkUse) -> Fields {
        let mut fields = Fields::default();
        match self {
            Self::None => {}
            Self::Flow(counts) => fields.add_all(counts),
            Self::Packet(counts) => counts.add_to(&mut fields, wall, links),
        }
        fields
    }
}

/// Counts of the flow engine alone.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct FlowCounts {
    /// Method by which rates were found: `incremental`, `quotient` or `sweep`.
    pub method: &'static str,
    /// Instants at which rates changed.
    pub cycles: u64,
    /// Iterations the fair share solver needed altogether: links looked at in max-min, repetitions of Step 5 in Mode N.
    pub solver_iterations: u64,
    /// Most iterations the fair share solver needed for one of the cycles.
    pub solver_iterations_max: u64,
    /// Comparison with max-min, if that was asked for.
    #[serde(rename = "compared_with_max_min", skip_serializing_if = "Option::is_none")]
    pub fairness: Option<Fairness>,
    /// By which part of its size a message was made larger or smaller at most; not in `summary.json`.
    #[serde(skip)]
    pub jitter: f64,
    /// Runs with other ties, if that was asked for.
    #[serde(rename = "tie_sensitivity", skip_serializing_if = "Option::is_none")]
    pub ties: Option<TieSensitivity>,
    /// Steps of a parallel sweep, in their order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<SweepStep>,
}

/// A run of another sharing rule against max-min.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Fairness {
    /// The least that a flow ever got, as a part of its max-min fair rate.
    pub least_rate: f64,
    /// The most that a flow ever got, as a part of its max-min fair rate.
    pub most_rate: f64,
    /// Bytes of all flows over the whole run, as a part of those that max-min would have given the same flows.
    pub throughput: f64,
    /// Simulated time of the same workload with max-min; `None` where it was not run again.
    #[serde(
        rename = "max_min_simulated_s",
        serialize_with = "seconds_if_any",
        skip_serializing_if = "Option::is_none"
    )]
    pub max_min: Option<Time>,
}

/// Runs of the same experiment with ties broken in different ways.
#[derive(Clone, Debug, PartialEq)]
pub struct TieSensitivity {
    /// By how much, as a part of its size, each message was made larger or smaller at most.
    pub jitter: f64,
    /// Simulated times: first the run as it is, then those with perturbed ties.
    pub simulated: Vec<Time>,
}

/// A step of a parallel sweep.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct SweepStep {
    /// Its name.
    pub name: &'static str,
    /// Mean time of a thread at work in it.
    #[serde(rename = "work_s", serialize_with = "seconds")]
    pub work: WallTime,
    /// Mean time of a thread at the barrier behind it.
    #[serde(rename = "wait_s", serialize_with = "seconds")]
    pub wait: WallTime,
    /// Work of the busiest thread over the mean; 1 is balanced.
    pub imbalance: f64,
}

impl TieSensitivity {
    /// From the shortest to the longest run, as a part of the shortest.
    pub fn spread(&self) -> f64 {
        let (least, most) = (self.simulated.iter().min(), self.simulated.iter().max());
        match (least, most) {
            (Some(least), Some(most)) if *least > Time::ZERO => {
                most.as_secs_f64() / least.as_secs_f64() - 1.0
            }
            _ => 0.0,
        }
    }

    /// Returns whether the result hangs on ties: the spread is 0.1 % or more, and ten times the jitter or more. Where little
    /// hangs on them it stays near the jitter.
    pub fn is_sensitive(&self) -> bool {
        self.spread() >= (10.0 * self.jitter).max(1e-3)
    }
}

impl Serialize for TieSensitivity {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let object = json!({
            "jitter": self.jitter,
            "simulated_s": self.simulated.iter().map(Seconds::seconds).collect::<Vec<_>>(),
            "spread": self.spread(),
            "sensitive": self.is_sensitive(),
        });
        object.serialize(to)
    }
}

/// Counts of the packet engine alone. Of synthetic traffic it is the measured part of the run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PacketCounts {
    /// Packets that have arrived.
    pub packets: u64,
    /// Packets that are in the network for ever, where the run has ended because they do not move any more.
    pub remaining: u64,
    /// Routers they have passed, each with the link behind it; ejection links included, injection links not.
    pub packet_hops: u64,
    /// Windows the run took.
    pub windows: u64,
    /// Length of a window in simulated time.
    pub window: Duration,
    /// Latencies of packets; `None` if none has arrived.
    pub latency: Option<LatencyFacts>,
    /// Classes of virtual channels.
    pub classes: u32,
    /// Rule that decides on the class of a packet, in words.
    pub class_rule: &'static str,
    /// Loads of synthetic traffic.
    pub synthetic: Option<SyntheticCounts>,
    /// The circle of virtual channels in which packets wait for each other; empty unless they have stopped moving.
    pub stuck: Vec<StuckChannel>,
}

/// Times of packets from the start on the injection link until all of them was at the node.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LatencyFacts {
    /// The mean, in seconds.
    pub mean_s: f64,
    /// 99 % of the packets took no longer.
    pub p99: Duration,
    /// The shortest.
    pub least: Duration,
    /// The longest.
    pub most: Duration,
}

/// Loads of synthetic traffic. They are parts of the bandwidth of the injection links.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct SyntheticCounts {
    /// Load that the nodes generated.
    pub offered_load: f64,
    /// Load that the nodes received.
    pub accepted_load: f64,
    /// True if the network took less than was offered.
    pub saturated: bool,
    /// Mean time from the generation of a packet, with its wait at the source, until all of it was at its node, in
    /// seconds; `None` if none has arrived.
    pub generation_latency_mean_s: Option<f64>,
    /// 99 % of packets took no longer from their generation, in seconds; up to 1/32 too large.
    pub generation_latency_p99_s: Option<f64>,
}

/// A virtual channel whose packets wait for room in another one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StuckChannel {
    /// The link at whose end its buffer is, in words.
    pub link: String,
    /// Number of the virtual channel among those of the link.
    #[serde(rename = "virtual_channel")]
    pub vc: u32,
    /// Number of packets in it.
    pub packets: u32,
    /// The link of the virtual channel they wait for.
    #[serde(rename = "waits_for_link")]
    pub waits_for: String,
    /// Number of that virtual channel.
    #[serde(rename = "waits_for_virtual_channel")]
    pub waits_for_vc: u32,
}

impl fmt::Display for StuckChannel {
    /// `channel 0 of A -> B: 16 packets wait for channel 0 of B -> C`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { link, vc, packets, waits_for, waits_for_vc } = self;
        let wait = if *packets == 1 { "packet waits" } else { "packets wait" };
        write!(f, "channel {vc} of {link}: {packets} {wait} for channel {waits_for_vc} of {waits_for}")
    }
}

impl PacketCounts {
    /// Packet-hops per second of wall-clock time; 0 if none has passed.
    pub fn hops_per_second(&self, wall: WallTime) -> f64 {
        if wall.is_zero() { 0.0 } else { self.packet_hops as f64 / wall.as_secs_f64() }
    }

    fn add_to(&self, fields: &mut Fields, wall: WallTime, links: &LinkUse) {
        fields.add("packets", self.packets);
        fields.add_any("packets_remaining", Some(self.remaining).filter(|&remaining| remaining > 0));
        fields.add("packet_hops", self.packet_hops);
        fields.add("packet_hops_per_s", self.hops_per_second(wall));
        fields.add("windows", self.windows);
        fields.add("window_s", self.window.seconds());
        let latency = self.latency.as_ref();
        fields.add("latency_mean_s", latency.map(|latency| latency.mean_s));
        fields.add("latency_p99_s", latency.map(|latency| latency.p99.seconds()));
        fields.add("latency_min_s", latency.map(|latency| latency.least.seconds()));
        fields.add("latency_max_s", latency.map(|latency| latency.most.seconds()));
        let busy = links.busy.unwrap_or_default();
        fields.add("mean_link_busy", busy.mean);
        fields.add("max_link_busy", busy.max);
        fields.add("mean_link_throughput_bytes_per_s", links.mean_throughput);
        fields.add("max_buffer_packets", busy.max_queue);
        fields.add("virtual_channel_classes", self.classes);
        fields.add("class_rule", self.class_rule);
        fields.add_all(self.synthetic);
    }
}

/// Mail that the first of several processes has sent to the others.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct MailCounts {
    /// Number of times that processes have met between windows.
    pub meetings: u64,
    /// Packets, credits, messages that set out or have been delivered, reports.
    pub things: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Time in these meetings, on the clock on the wall: waiting for the others, most of all.
    #[serde(rename = "waited_s", serialize_with = "seconds")]
    pub waited: WallTime,
}

/// The checkpoints of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct CheckpointCounts {
    /// Number of checkpoints that were written.
    pub written: u64,
    /// The size of the last one.
    pub bytes: u64,
    /// Time that writing took, all together; the run stood still meanwhile.
    #[serde(rename = "took_s", serialize_with = "seconds")]
    pub took: WallTime,
    /// From where in simulated time the run went on; `None` if it began at its beginning.
    #[serde(rename = "resumed_ps")]
    pub resumed: Option<Time>,
    /// True if there is one from which the run can go on.
    #[serde(skip)]
    pub is_left: bool,
}

/// The GPU that has run the routers, and how long that took on the clock on the wall.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct GpuUse {
    /// The name of the product, such as "NVIDIA H200".
    pub name: String,
    /// Number of runs that it had side by side, this one included: the times are those of all together.
    pub runs: usize,
    /// Time to put machines into its memory.
    #[serde(rename = "placing_s", serialize_with = "seconds")]
    pub placing: WallTime,
    /// Time in which it ran.
    #[serde(rename = "running_s", serialize_with = "seconds")]
    pub running: WallTime,
    /// Time to read results back.
    #[serde(rename = "reading_s", serialize_with = "seconds")]
    pub reading: WallTime,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::BusyRates;
    use serde_json::{Value, json};

    #[test]
    fn a_spread_far_above_the_jitter_is_sensitive() {
        let ties = |last| TieSensitivity {
            jitter: 1e-8,
            simulated: vec![Time::from_ps(1_000_000_000), Time::from_ps(1_000_000_100), Time::from_ps(last)],
        };
        let calm = ties(1_000_000_050);
        assert!((calm.spread() - 1e-7).abs() < 1e-12 && !calm.is_sensitive());
        let chaotic = ties(1_010_000_000);
        assert!((chaotic.spread() - 0.01).abs() < 1e-12 && chaotic.is_sensitive());
        let short_messages = TieSensitivity { jitter: 2e-3, ..chaotic };
        assert!(!short_messages.is_sensitive());
        assert_eq!(TieSensitivity { jitter: 1e-8, simulated: Vec::new() }.spread(), 0.0);
    }

    #[test]
    fn names_in_the_summary() {
        let counts = FlowCounts {
            method: "sweep",
            cycles: 4,
            solver_iterations: 3,
            solver_iterations_max: 2,
            fairness: Some(Fairness {
                least_rate: 0.5,
                most_rate: 1.0,
                throughput: 0.75,
                max_min: Some(Time::from_ps(1_500_000_000_000)),
            }),
            ties: Some(TieSensitivity { jitter: 1e-8, simulated: vec![Time::from_ps(1_000_000_000_000); 2] }),
            jitter: 0.0,
            steps: vec![SweepStep {
                name: "clear counters",
                work: WallTime::from_millis(500),
                wait: WallTime::from_millis(250),
                imbalance: 1.5,
            }],
        };
        let expected = json!({
            "method": "sweep", "cycles": 4, "solver_iterations": 3, "solver_iterations_max": 2,
            "compared_with_max_min": {
                "least_rate": 0.5, "most_rate": 1.0, "throughput": 0.75, "max_min_simulated_s": 1.5,
            },
            "tie_sensitivity": { "jitter": 1e-8, "simulated_s": [1.0, 1.0], "spread": 0.0, "sensitive": false },
            "steps": [{ "name": "clear counters", "work_s": 0.5, "wait_s": 0.25, "imbalance": 1.5 }],
        });
        assert_eq!(json!(counts), expected);
    }

    fn json_of(counts: &PacketCounts) -> Value {
        let links = LinkUse {
            mean_throughput: 5e8,
            busy: Some(BusyRates { mean: 0.25, max: 0.75, max_queue: 12, waited_s: 0.5 }),
            ..LinkUse::default()
        };
        Value::Object(EngineCounts::Packet(counts.clone()).fields(WallTime::from_millis(500), &links).0)
    }

    #[test]
    fn names_of_packets_in_the_summary() {
        let latency = LatencyFacts {
            mean_s: 1.5e-6,
            p99: Duration::from_ns(2500),
            least: Duration::from_ns(700),
            most: Duration::from_ns(3000),
        };
        let counts = PacketCounts {
            packets: 100,
            packet_hops: 450,
            windows: 7,
            window: Duration::from_ns(100),
            latency: Some(latency),
            classes: 3,
            class_rule: "links passed",
            ..PacketCounts::default()
        };
        let expected = json!({
            "packets": 100, "packet_hops": 450, "packet_hops_per_s": 900.0, "windows": 7, "window_s": 1e-7,
            "latency_mean_s": 1.5e-6, "latency_p99_s": 2.5e-6, "latency_min_s": 7e-7, "latency_max_s": 3e-6,
            "mean_link_busy": 0.25, "max_link_busy": 0.75, "mean_link_throughput_bytes_per_s": 5e8,
            "max_buffer_packets": 12, "virtual_channel_classes": 3, "class_rule": "links passed",
        });
        assert_eq!(json_of(&counts), expected);
    }

    #[test]
    fn synthetic_traffic_has_loads_and_nothing_has_no_latency() {
        let synthetic = SyntheticCounts {
            offered_load: 0.3,
            accepted_load: 0.25,
            saturated: true,
            generation_latency_mean_s: None,
            generation_latency_p99_s: None,
        };
        let object = json_of(&PacketCounts { synthetic: Some(synthetic), ..PacketCounts::default() });
        assert_eq!((&object["offered_load"], &object["accepted_load"]), (&json!(0.3), &json!(0.25)));
        assert_eq!((&object["saturated"], &object["latency_mean_s"]), (&json!(true), &Value::Null));
        assert!(object.as_object().unwrap().contains_key("generation_latency_mean_s"));
        assert_eq!(object["packet_hops_per_s"], 0.0);
    }

    #[test]
    fn a_stuck_channel_in_words() {
        let channel = |packets| StuckChannel {
            link: "router (1,0) -> router (2,0)".into(),
            vc: 0,
            packets,
            waits_for: "router (2,0) -> router (3,0)".into(),
            waits_for_vc: 1,
        };
        assert_eq!(
            channel(16).to_string(),
            "channel 0 of router (1,0) -> router (2,0): 16 packets wait for channel 1 of router (2,0) -> router (3,0)"
        );
        assert!(channel(1).to_string().contains(": 1 packet waits for channel 1"));
    }
}
