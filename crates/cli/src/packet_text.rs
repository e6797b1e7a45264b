//! Results of the packet engine, as text for people.

use crate::text::{Detail, grouped, short};
use weir_record::{BusyLink, PacketCounts, StuckChannel, Summary};
use weir_units::{Bandwidth, Bytes, Duration};

const MOST_LINKS: usize = 5;
/// Virtual channels listed of a deadlock; all are in the summary.
const MOST_CHANNELS: usize = 40;

pub(crate) fn rows(packet: &PacketCounts, summary: &Summary, detail: Detail) -> Vec<(&'static str, String)> {
    let remaining = match packet.remaining {
        0 => String::new(),
        remaining => format!(" have arrived, {} remain in the network", grouped(remaining)),
    };
    let mut rows = vec![("packets", grouped(packet.packets) + &remaining)];
    if let Some(latency) = &packet.latency {
        let mean = short(latency.mean_s);
        rows.push(("packet latency", format!("{mean} on average, 99 % within {}", latency.p99)));
        rows.push(("", format!("from {} to {}", latency.least, latency.most)));
    }
    if let Some(synthetic) = &packet.synthetic {
        let saturated = if synthetic.saturated { "saturated" } else { "not saturated" };
        rows.push(("offered load", format!("{:.4}", synthetic.offered_load)));
        rows.push(("accepted load", format!("{:.4} ({saturated})", synthetic.accepted_load)));
        if let Some(mean) = synthetic.generation_latency_mean_s {
            rows.push(("from generation", format!("{} on average", short(mean))));
        }
    }
    let links = &summary.link_use;
    let names = ["busiest links"].into_iter().chain(std::iter::repeat(""));
    match links.busiest.is_empty() {
        true => rows.push(("busiest links", "none: no message went over a link".into())),
        false => rows.extend(names.zip(links.busiest.iter().take(MOST_LINKS).map(link))),
    }
    rows.extend(links.most_contended.as_ref().and_then(contended).map(|text| ("most contended link", text)));
    rows.extend(links.busy.map(|busy| ("longest queue", of_packets(busy.max_queue))));
    rows.push(("mean link utilisation", format!("{:.1} %", 100.0 * links.mean_utilization)));
    if detail == Detail::All {
        rows.extend(work_rows(packet, summary));
    }
    rows
}

fn work_rows(packet: &PacketCounts, summary: &Summary) -> Vec<(&'static str, String)> {
    let links = &summary.link_use;
    let mut rows = Vec::new();
    if let Some(busy) = links.busy {
        let throughput = Bandwidth::new(links.mean_throughput).map(|rate| format!(", {rate}"));
        let throughput = throughput.unwrap_or_default();
        rows.push(("mean over all links", format!("{:.1} % busy{throughput}", 100.0 * busy.mean)));
    }
    if packet.classes > 1 {
        let classes = format!("{} classes: {}", packet.classes, packet.class_rule);
        rows.push(("virtual channels", classes));
    }
    let speed = packet.hops_per_second(summary.wall);
    rows.push(("packet-hops", format!("{} ({speed:.3e} per second)", grouped(packet.packet_hops))));
    rows.push(("windows", format!("{} of {}", grouped(packet.windows), packet.window)));
    rows
}

fn of_packets(count: impl Into<u64>) -> String {
    match count.into() {
        1 => "1 packet".into(),
        count => format!("{} packets", grouped(count)),
    }
}

fn link(link: &BusyLink) -> String {
    let utilised = 100.0 * link.utilization;
    let bytes = Bytes(link.count.bytes.round() as u64);
    let packets = link.count.traffic.map(|of| {
        let queue = match of.max_queue {
            // Nothing waits behind a link that ends at a node.
            0 => String::new(),
            queue => format!(", longest queue {}", of_packets(queue)),
        };
        let waited = match of.mean_stall() {
            Duration::ZERO => format!("packets waited {} on average", of.mean_wait()),
            stall => format!("packets waited {stall} on average for credits"),
        };
        format!(", {:.1} % busy, {waited}{queue}", 100.0 * link.busy)
    });
    format!("{}: {utilised:.1} % utilised, {bytes}{}", link.name, packets.unwrap_or_default())
}

fn contended(link: &BusyLink) -> Option<String> {
    let of = link.count.traffic?;
    let (packets, waited, mean) = (of_packets(of.packets), of.waited, of.mean_wait());
    Some(format!("{}: {packets} waited {mean} on average ({waited} in sum)", link.name))
}

/// The circle of virtual channels in which packets wait for each other, one line each, in their order.
pub(crate) fn channels(stuck: &[StuckChannel]) -> String {
    let mut lines = vec![format!("packets wait in a circle of {} virtual channels:", stuck.len())];
    lines.extend(stuck.iter().take(MOST_CHANNELS).map(|channel| format!("  {channel}")));
    if let Some(more) = stuck.len().checked_sub(MOST_CHANNELS).filter(|&more| more > 0) {
        lines.push(format!("  ... and {more} more (all with --json)"));
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_circles_are_cut() {
        let channel = |vc| StuckChannel {
            link: "a -> b".into(),
            vc,
            packets: 2,
            waits_for: "b -> a".into(),
            waits_for_vc: 0,
        };
        let text = channels(&[channel(0), channel(1)]);
        let expected = "packets wait in a circle of 2 virtual channels:\n  \
                        channel 0 of a -> b: 2 packets wait for channel 0 of b -> a\n  \
                        channel 1 of a -> b: 2 packets wait for channel 0 of b -> a";
        assert_eq!(text, expected);
        let long = channels(&vec![channel(0); 43]);
        assert_eq!(long.lines().count(), 42);
        assert!(long.ends_with("... and 3 more (all with --json)"), "{long}");
    }
}
