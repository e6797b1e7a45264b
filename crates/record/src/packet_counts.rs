//! Counts of the packet engine.

use crate::LinkUse;
use crate::fields::Fields;
use crate::seconds::Seconds;
use serde::{Deserialize, Serialize};
use std::fmt;
use weir_units::Duration;

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
    #[must_use]
    pub fn hops_per_second(&self, wall: std::time::Duration) -> f64 {
        if wall.is_zero() { 0.0 } else { self.packet_hops as f64 / wall.as_secs_f64() }
    }

    pub(crate) fn fields(&self, wall: std::time::Duration, links: &LinkUse) -> Fields {
        let mut fields = Fields::default();
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
        fields
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::BusyRates;
    use serde_json::{Value, json};

    fn json_of(counts: &PacketCounts) -> Value {
        let links = LinkUse {
            mean_throughput: 5e8,
            busy: Some(BusyRates { mean: 0.25, max: 0.75, max_queue: 12 }),
            ..LinkUse::default()
        };
        Value::Object(counts.fields(std::time::Duration::from_millis(500), &links).0)
    }

    #[test]
    fn names_in_the_summary() {
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
