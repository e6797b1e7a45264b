//! What the packet engine leaves, as text for people.

use weir_record::{BusyLink, PacketCounts, StuckChannel, Summary};
use weir_units::{Bandwidth, Bytes, Duration};

/// Links listed.
const MOST_LINKS: usize = 5;
/// Virtual channels listed of a deadlock; all are in the summary.
const MOST_CHANNELS: usize = 40;

/// What packets tell of a run, one row per fact.
pub(crate) fn rows(packet: &PacketCounts, summary: &Summary) -> Vec<(&'static str, String)> {
    let speed = packet.hops_per_second(summary.wall);
    let mut rows = vec![(
        "packets",
        format!("{}, {} packet-hops ({speed:.3e} per second)", packet.packets, packet.packet_hops),
    )];
    if let Some(latency) = &packet.latency {
        let mean = seconds(latency.mean_s);
        rows.push(("packet latency", format!("{mean} in the mean, 99 % within {}", latency.p99)));
        rows.push(("", format!("from {} to {}", latency.least, latency.most)));
    }
    if let Some(synthetic) = &packet.synthetic {
        let saturated = if synthetic.saturated { "saturated" } else { "not saturated" };
        rows.push(("offered load", format!("{:.4}", synthetic.offered_load)));
        rows.push(("accepted load", format!("{:.4} ({saturated})", synthetic.accepted_load)));
        if let Some(mean) = synthetic.generation_latency_mean_s {
            rows.push(("from generation", format!("{} in the mean", seconds(mean))));
        }
    }
    let links = &summary.link_use;
    let names = ["busiest links"].into_iter().chain(std::iter::repeat(""));
    match links.busiest.is_empty() {
        true => rows.push(("busiest links", "none: nothing was on a link".into())),
        false => rows.extend(names.zip(links.busiest.iter().take(MOST_LINKS).map(link))),
    }
    rows.extend(links.most_contended.as_ref().and_then(contended).map(|text| ("most contended link", text)));
    if let Some(busy) = links.busy {
        let throughput = Bandwidth::new(links.mean_throughput).map(|rate| format!(", {rate}"));
        rows.push((
            "mean over all links",
            format!(
                "{:.1} % utilised, {:.1} % busy{}",
                100.0 * links.mean_utilization,
                100.0 * busy.mean,
                throughput.unwrap_or_default()
            ),
        ));
        rows.push(("most packets in a channel", busy.max_queue.to_string()));
    }
    if packet.classes > 1 {
        let classes = format!("{} classes: {}", packet.classes, packet.class_rule);
        rows.push(("virtual channels", classes));
    }
    rows.push(("windows", format!("{} of {}", packet.windows, packet.window)));
    rows
}

fn seconds(seconds: f64) -> Duration {
    Duration::from_secs_f64(seconds).unwrap_or(Duration::MAX)
}

fn link(link: &BusyLink) -> String {
    let utilised = 100.0 * link.utilization;
    let bytes = Bytes(link.bytes.round() as u64);
    let packets = link.packets.map(|of| {
        let (busy, wait) = (100.0 * of.busy, of.mean_wait());
        let queue = match of.max_queue {
            // Nothing waits behind a link that ends at a node.
            0 => String::new(),
            queue => format!(", at most {queue} in a channel behind it"),
        };
        format!(", {busy:.1} % busy, a packet waits {wait}{queue}")
    });
    format!("{}: {utilised:.1} % utilised, {bytes}{}", link.name, packets.unwrap_or_default())
}

/// Where congestion comes from.
fn contended(link: &BusyLink) -> Option<String> {
    let of = link.packets?;
    let (waited, mean) = (of.waited, of.mean_wait());
    Some(format!("{}: its {} packets waited {waited} all together, {mean} each", link.name, of.packets))
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
