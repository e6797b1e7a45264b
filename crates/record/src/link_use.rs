//! Use of the links.

use crate::json::Seconds;
use serde_json::{Value, json};
use std::cmp::Reverse;
use std::collections::BTreeSet;
use weir_units::{Bandwidth, Bytes, Duration, LinkId};

/// One link and what it carried.
#[derive(Clone, Debug, PartialEq)]
pub struct BusyLink {
    /// Which link.
    pub link: LinkId,
    /// Its ends, for people.
    pub name: String,
    /// Bytes that it carried (a flow engine may count parts of bytes).
    pub bytes: f64,
    /// Bytes carried over the bytes it could have carried in the simulated time, 0 to 1.
    pub utilization: f64,
    /// Most flows or routes that shared it at a time; 0 where packets take turns.
    pub max_share: u32,
    /// Its packets, where there are packets.
    pub packets: Option<LinkPackets>,
}

/// The packets of one link.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LinkPackets {
    /// Number of packets that passed.
    pub packets: u64,
    /// Busy rate: the part of the simulated time in which packets held it, 0 to 1. Not less than the utilisation: a packet
    /// holds a link also while it waits for its own rest.
    pub busy: f64,
    /// Time that packets were kept waiting for their turn, all together.
    pub waited: Duration,
    /// Injection links: how long packets could have left their interface and had no credit, all together.
    pub stalled: Duration,
    /// Most packets that waited in one virtual channel of the buffer at its end.
    pub max_queue: u32,
}

impl LinkPackets {
    /// Mean time that a packet was kept waiting for its turn.
    #[must_use]
    pub fn mean_wait(&self) -> Duration {
        Duration::from_ps(self.waited.as_ps() / self.packets.max(1))
    }

    /// Mean time that a packet waited at its interface for a credit.
    #[must_use]
    pub fn mean_stall(&self) -> Duration {
        Duration::from_ps(self.stalled.as_ps() / self.packets.max(1))
    }
}

/// Counts of a link by an engine with packets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LinkTraffic {
    /// Number of packets that it carried.
    pub packets: u64,
    /// Bytes that it carried.
    pub bytes: Bytes,
    /// Time in which packets held it.
    pub busy: Duration,
    /// Time that its packets were kept waiting for their turn, all together.
    pub waited: Duration,
    /// Injection links: how long its packets could have left their interface and had no credit, all together.
    pub stalled: Duration,
    /// Most packets that waited in one virtual channel of the buffer at its end.
    pub max_queue: u32,
}

/// Busy rates of all links, and the longest queue behind one.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BusyRates {
    /// Mean busy rate over all links, 0 to 1.
    pub mean: f64,
    /// The largest busy rate of a link, 0 to 1.
    pub max: f64,
    /// Most packets that waited in one virtual channel of any buffer.
    pub max_queue: u32,
}

impl BusyLink {
    pub(crate) fn to_json(&self) -> Value {
        let mut object = json!({
            "name": self.name,
            "bytes": self.bytes.round() as u64,
            "utilization": self.utilization,
            "max_share": self.max_share,
        });
        if let Some(of) = self.packets {
            object["packets"] = json!(of.packets);
            object["busy"] = json!(of.busy);
            object["mean_wait_s"] = json!(of.mean_wait().seconds());
            object["waited_s"] = json!(of.waited.seconds());
            object["max_queue"] = json!(of.max_queue);
            if of.stalled > Duration::ZERO {
                object["mean_stall_s"] = json!(of.mean_stall().seconds());
                object["stalled_s"] = json!(of.stalled.seconds());
            }
        }
        object
    }
}

/// The use of all links of a machine over a run.
///
/// Counts one-way links, those between node and router (injection and ejection) included.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LinkUse {
    /// Most flows or routes that shared one link at a time; 0 where packets take turns.
    pub max_share: u32,
    /// Mean utilisation over all links, 0 to 1.
    pub mean_utilization: f64,
    /// Utilisation of the busiest link, 0 to 1.
    pub max_utilization: f64,
    /// Bytes per second that a link carried, mean over all links and the simulated time.
    pub mean_throughput: f64,
    /// Where there are packets.
    pub busy: Option<BusyRates>,
    /// The busiest links: by utilisation, most first, those of the same utilisation by number.
    pub busiest: Vec<BusyLink>,
    /// The link for which packets waited longest, all together: where congestion comes from (paper 004, section 5.2). Of
    /// equal ones the first; `None` if no packet waited, or there are none.
    pub most_contended: Option<BusyLink>,
}

impl LinkUse {
    /// Condenses what an engine counted: link `k` carried `bytes[k]` and was shared by at most `shares[k]` flows at
    /// a time. Utilisation of a link = bytes / (capacity x simulated time); zero if no time has passed. Keeps the
    /// `keep` busiest of the links that carried something. Means are summed in the order of the links. O(n log keep).
    ///
    /// # Panics
    /// When the two lists differ in length.
    #[must_use]
    pub fn measure(
        bytes: &[f64],
        shares: &[u32],
        simulated: Duration,
        capacity: impl Fn(LinkId) -> Bandwidth,
        name: impl Fn(LinkId) -> String,
        keep: usize,
    ) -> Self {
        assert_eq!(bytes.len(), shares.len(), "one count of bytes and one share per link");
        let used = condense(bytes.len(), |k| bytes[k], simulated, capacity, name, keep);
        let share = |link: BusyLink| BusyLink { max_share: shares[link.link.index()], ..link };
        Self {
            max_share: shares.iter().copied().max().unwrap_or(0),
            busiest: used.busiest.into_iter().map(share).collect(),
            ..used
        }
    }

    /// The same for an engine with packets, with the busy rates of links and what waited behind them.
    #[must_use]
    pub fn of_packets(
        links: &[LinkTraffic],
        simulated: Duration,
        capacity: impl Fn(LinkId) -> Bandwidth,
        name: impl Fn(LinkId) -> String,
        keep: usize,
    ) -> Self {
        let used = condense(links.len(), |k| links[k].bytes.as_f64(), simulated, &capacity, &name, keep);
        let rate = |busy: Duration| part(busy.as_ps() as f64, simulated.as_ps() as f64);
        let packets = |of: &LinkTraffic| LinkPackets {
            packets: of.packets,
            busy: rate(of.busy),
            waited: of.waited,
            stalled: of.stalled,
            max_queue: of.max_queue,
        };
        let with_packets =
            |link: BusyLink| BusyLink { packets: Some(packets(&links[link.link.index()])), ..link };
        let most_contended = (0..links.len()).rev().max_by_key(|&k| links[k].waited);
        let most_contended = most_contended.filter(|&k| links[k].waited > Duration::ZERO).map(|k| {
            let (link, bytes) = (LinkId::new(k), links[k].bytes.as_f64());
            let utilization = utilization(bytes, capacity(link), simulated);
            with_packets(BusyLink { link, name: name(link), bytes, utilization, max_share: 0, packets: None })
        });
        let busy = BusyRates {
            mean: links.iter().map(|link| rate(link.busy)).sum::<f64>() / links.len().max(1) as f64,
            max: links.iter().map(|link| rate(link.busy)).fold(0.0, f64::max),
            max_queue: links.iter().map(|link| link.max_queue).max().unwrap_or(0),
        };
        let busiest = used.busiest.into_iter().map(with_packets).collect();
        Self { busy: Some(busy), busiest, most_contended, ..used }
    }
}

/// At most 1: what counts as finished may be the last picosecond's bytes too early. 0 of nothing.
fn part(of: f64, whole: f64) -> f64 {
    if whole > 0.0 { (of / whole).min(1.0) } else { 0.0 }
}

/// Bytes over what a link could have carried in a time, 0 to 1.
#[must_use]
pub fn utilization(bytes: f64, capacity: Bandwidth, time: Duration) -> f64 {
    part(bytes, capacity.bytes_per_second() * time.as_secs_f64())
}

/// Facts that follow from the bytes of the links alone.
fn condense(
    links: usize,
    bytes: impl Fn(usize) -> f64,
    simulated: Duration,
    capacity: impl Fn(LinkId) -> Bandwidth,
    name: impl Fn(LinkId) -> String,
    keep: usize,
) -> LinkUse {
    let seconds = simulated.as_secs_f64();
    let (mut sum, mut most, mut carried) = (0.0, 0.0_f64, 0.0);
    // Utilisations are not negative, so the order of their bits is the order of the numbers.
    let mut busiest: BTreeSet<(Reverse<u64>, usize)> = BTreeSet::new();
    for k in (0..links).filter(|&k| bytes(k) > 0.0) {
        let utilization = utilization(bytes(k), capacity(LinkId::new(k)), simulated);
        carried += bytes(k);
        sum += utilization;
        most = most.max(utilization);
        let place = (Reverse(utilization.to_bits()), k);
        if busiest.len() < keep || busiest.last().is_some_and(|last| place < *last) {
            busiest.insert(place);
            if busiest.len() > keep {
                busiest.pop_last();
            }
        }
    }
    let busy = |(Reverse(bits), k): (Reverse<u64>, usize)| BusyLink {
        link: LinkId::new(k),
        name: name(LinkId::new(k)),
        bytes: bytes(k),
        utilization: f64::from_bits(bits),
        max_share: 0,
        packets: None,
    };
    LinkUse {
        max_share: 0,
        mean_utilization: sum / links.max(1) as f64,
        max_utilization: most,
        mean_throughput: if seconds > 0.0 { carried / links.max(1) as f64 / seconds } else { 0.0 },
        busy: None,
        busiest: busiest.into_iter().map(busy).collect(),
        most_contended: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn measure(bytes: &[f64], simulated: Duration, keep: usize) -> LinkUse {
        let shares: Vec<u32> = (1..=bytes.len() as u32).collect();
        let capacity = |_| Bandwidth::new(1e9).unwrap();
        LinkUse::measure(bytes, &shares, simulated, capacity, |link| format!("link {link}"), keep)
    }

    /// Four links of 1 GB/s for 1 ms could carry 1 MB each. They carry 0, 1 MB, 0.5 MB and 1 MB: utilisations
    /// 0, 1, 0.5, 1, mean 0.625. The busiest two are links 1 and 3, in this order.
    #[test]
    fn utilisation_is_bytes_over_capacity_times_time() {
        let used = measure(&[0.0, 1e6, 5e5, 1e6], Duration::from_ns(1_000_000), 2);
        assert_eq!((used.mean_utilization, used.max_utilization, used.max_share), (0.625, 1.0, 4));
        // 2.5 MB on four links in 1 ms.
        assert!((used.mean_throughput / 6.25e8 - 1.0).abs() < 1e-12 && used.busy.is_none());
        let names: Vec<_> = used.busiest.iter().map(|link| link.name.as_str()).collect();
        assert_eq!(names, ["link 1", "link 3"]);
        assert_eq!(used.busiest[1].max_share, 4);
    }

    #[test]
    fn a_run_that_took_no_time_used_nothing() {
        let used = measure(&[0.0, 0.0], Duration::ZERO, 2);
        assert_eq!((used.mean_utilization, used.max_utilization, used.busiest.len()), (0.0, 0.0, 0));
        assert_eq!(LinkUse::default(), measure(&[], Duration::from_ns(1), 5));
    }

    /// Two links of 1 GB/s for 1 us. The first carries two packets of 250 B in 600 ns, of which 100 ns it waits for the
    /// rest of one; together they waited 51 ps. The second one carries nothing.
    #[test]
    fn busy_rates_are_the_time_held_over_the_time() {
        let first = LinkTraffic {
            packets: 2,
            bytes: Bytes(500),
            busy: Duration::from_ns(600),
            waited: Duration::from_ps(51),
            stalled: Duration::ZERO,
            max_queue: 3,
        };
        let capacity = |_| Bandwidth::new(1e9).unwrap();
        let name = |link| format!("link {link}");
        let links = [first, LinkTraffic::default()];
        let used = LinkUse::of_packets(&links, Duration::from_ns(1000), capacity, name, 5);
        assert_eq!((used.mean_utilization, used.max_utilization, used.max_share), (0.25, 0.5, 0));
        assert_eq!(used.busy, Some(BusyRates { mean: 0.3, max: 0.6, max_queue: 3 }));
        let (waited, stalled) = (Duration::from_ps(51), Duration::ZERO);
        let packets = LinkPackets { packets: 2, busy: 0.6, waited, stalled, max_queue: 3 };
        assert_eq!(used.busiest.len(), 1);
        assert_eq!(used.busiest[0].packets, Some(packets));
        assert_eq!(packets.mean_wait(), Duration::from_ps(25));
        assert_eq!(used.most_contended, Some(used.busiest[0].clone()));
        let json = used.busiest[0].to_json();
        let expected = json!({
            "name": "link 0", "bytes": 500, "utilization": 0.5, "max_share": 0,
            "packets": 2, "busy": 0.6, "mean_wait_s": 2.5e-11, "waited_s": 5.1e-11, "max_queue": 3,
        });
        assert_eq!(json, expected);
        // As an injection link, whose packets have waited for credits.
        let links = [LinkTraffic { waited: Duration::ZERO, stalled: Duration::from_ps(90), ..first }];
        let used = LinkUse::of_packets(&links, Duration::from_ns(1000), capacity, name, 5);
        let json = used.busiest[0].to_json();
        assert_eq!((&json["mean_stall_s"], &json["stalled_s"]), (&json!(4.5e-11), &json!(9e-11)));
        assert_eq!((&json["waited_s"], used.most_contended), (&json!(0.0), None));
        let nothing = LinkUse::of_packets(&links, Duration::ZERO, capacity, name, 5);
        assert_eq!((nothing.busy.unwrap().max, nothing.mean_throughput), (0.0, 0.0));
    }

    /// Three packets wait 5 ps each for the busiest link, one waits 20 ps for another one. Of equal ones the first counts.
    #[test]
    fn the_most_contended_link_is_the_one_waited_for_longest() {
        let link = |packets, waited| LinkTraffic {
            packets,
            bytes: Bytes(100 * packets),
            waited: Duration::from_ps(waited),
            ..LinkTraffic::default()
        };
        let measure = |links: &[LinkTraffic]| {
            let capacity = |_| Bandwidth::new(1e9).unwrap();
            LinkUse::of_packets(links, Duration::from_ns(1000), capacity, |link| format!("link {link}"), 1)
        };
        let used = measure(&[link(3, 15), link(1, 20), link(2, 20)]);
        let contended = used.most_contended.unwrap();
        assert_eq!((used.busiest[0].name.as_str(), contended.name.as_str()), ("link 0", "link 1"));
        assert_eq!((contended.bytes, contended.utilization), (100.0, 0.1));
        assert_eq!(measure(&[link(3, 0), link(1, 0)]).most_contended, None);
    }

    proptest! {
        #[test]
        fn mean_is_at_most_the_maximum_and_the_busiest_are_sorted(
            bytes in proptest::collection::vec(0.0..1e6_f64, 1..40),
        ) {
            let used = measure(&bytes, Duration::from_ns(1_000_000), 10);
            prop_assert!(used.mean_utilization <= used.max_utilization + 1e-12);
            prop_assert!(used.busiest.is_sorted_by(|a, b| a.utilization >= b.utilization));
            prop_assert!(used.busiest.first().is_none_or(|link| link.utilization == used.max_utilization));
        }
    }
}
