//! Use of the links.

use crate::json::Seconds;
use serde_json::{Value, json};
use std::cmp::Reverse;
use std::collections::BTreeSet;
use weir_units::{Bandwidth, Bytes, Duration, LinkId};

/// Counts of one link by an engine.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LinkCount {
    /// Bytes that it carried (a flow engine may count parts of bytes).
    pub bytes: f64,
    /// Most flows or routes that shared it at a time; 0 where packets take turns.
    pub share: u32,
    /// Its packets, where there are packets.
    pub traffic: Option<LinkTraffic>,
}

/// Counts of a link by an engine with packets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LinkTraffic {
    /// Number of packets that it carried.
    pub packets: u64,
    /// Bytes that it carried.
    pub bytes: Bytes,
    /// Time in which packets held it. A packet holds a link also while it waits for its own rest.
    pub busy: Duration,
    /// Time that its packets were kept waiting for their turn, all together.
    pub waited: Duration,
    /// Injection links: how long its packets could have left their interface and had no credit, all together.
    pub stalled: Duration,
    /// Most packets that waited in one virtual channel of the buffer at its end.
    pub max_queue: u32,
}

impl From<LinkTraffic> for LinkCount {
    fn from(traffic: LinkTraffic) -> Self {
        Self { bytes: traffic.bytes.as_f64(), share: 0, traffic: Some(traffic) }
    }
}

impl LinkTraffic {
    /// Mean time that a packet was kept waiting for its turn.
    pub fn mean_wait(&self) -> Duration {
        Duration::from_ps(self.waited.as_ps() / self.packets.max(1))
    }

    /// Mean time that a packet waited at its interface for a credit.
    pub fn mean_stall(&self) -> Duration {
        Duration::from_ps(self.stalled.as_ps() / self.packets.max(1))
    }
}

/// One link and what it carried.
#[derive(Clone, Debug, PartialEq)]
pub struct BusyLink {
    /// Which link.
    pub link: LinkId,
    /// Its ends, for people.
    pub name: String,
    /// Its counts.
    pub count: LinkCount,
    /// Bytes carried over the bytes it could have carried in the simulated time, 0 to 1.
    pub utilization: f64,
    /// Busy rate: the part of the simulated time in which packets held it, 0 to 1, not less than the utilization. 0 without packets.
    pub busy: f64,
}

impl BusyLink {
    pub(crate) fn to_json(&self) -> Value {
        let mut object = json!({
            "name": self.name,
            "bytes": self.count.bytes.round() as u64,
            "utilization": self.utilization,
            "max_share": self.count.share,
        });
        if let Some(of) = self.count.traffic {
            object["packets"] = json!(of.packets);
            object["busy"] = json!(self.busy);
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

/// Busy rates of all links, and the longest queue behind one.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BusyRates {
    /// Mean busy rate over all links, 0 to 1.
    pub mean: f64,
    /// The largest busy rate of a link, 0 to 1.
    pub max: f64,
    /// Most packets that waited in one virtual channel of any buffer.
    pub max_queue: u32,
    /// Time that packets were kept waiting for their turn, over all links, in seconds.
    pub waited_s: f64,
}

/// The use of all links of a machine over a run.
///
/// Counts one-way links, those between node and router (injection and ejection) included.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LinkUse {
    /// Most flows or routes that shared one link at a time; 0 where packets take turns.
    pub max_share: u32,
    /// Mean utilization over all links, 0 to 1.
    pub mean_utilization: f64,
    /// Utilization of the busiest link, 0 to 1.
    pub max_utilization: f64,
    /// Bytes per second that a link carried, mean over all links and the simulated time.
    pub mean_throughput: f64,
    /// Where there are packets.
    pub busy: Option<BusyRates>,
    /// The busiest links: by utilization, most first, those of the same utilization by number.
    pub busiest: Vec<BusyLink>,
    /// The link for which packets waited longest, all together: where congestion comes from (paper 004, section 5.2). Of
    /// equal ones the first; `None` if no packet waited, or there are none.
    pub most_contended: Option<BusyLink>,
}

impl LinkUse {
    /// Condenses what an engine counted of so many links. Utilization of a link = bytes / (capacity x simulated time); zero if no
    /// time has passed. Keeps the `keep` busiest of the links that carried something. Means are summed in the order of the
    /// links. O(n log keep).
    pub fn measure(
        links: usize,
        count: impl Fn(usize) -> LinkCount,
        simulated: Duration,
        capacity: impl Fn(LinkId) -> Bandwidth,
        name: impl Fn(LinkId) -> String,
        keep: usize,
    ) -> Self {
        let seconds = simulated.as_secs_f64();
        let busy = |of: LinkTraffic| part(of.busy.as_ps() as f64, simulated.as_ps() as f64);
        let utilized = |k: usize, bytes| utilization(bytes, capacity(LinkId::new(k)), simulated);
        let mut used = Self::default();
        let (mut carried, mut longest) = (0.0, (Duration::ZERO, None));
        // Utilizations are not negative, so the order of their bits is the order of the numbers.
        let mut busiest: BTreeSet<(Reverse<u64>, usize)> = BTreeSet::new();
        for k in 0..links {
            let LinkCount { bytes, share, traffic } = count(k);
            used.max_share = used.max_share.max(share);
            if let Some(of) = traffic {
                let rates = used.busy.get_or_insert_default();
                rates.mean += busy(of);
                rates.max = rates.max.max(busy(of));
                rates.max_queue = rates.max_queue.max(of.max_queue);
                rates.waited_s += of.waited.as_secs_f64();
                if of.waited > longest.0 {
                    longest = (of.waited, Some(k));
                }
            }
            if bytes > 0.0 {
                let utilization = utilized(k, bytes);
                carried += bytes;
                used.mean_utilization += utilization;
                used.max_utilization = used.max_utilization.max(utilization);
                busiest.insert((Reverse(utilization.to_bits()), k));
                if busiest.len() > keep {
                    busiest.pop_last();
                }
            }
        }
        let link = |k| {
            let (link, count) = (LinkId::new(k), count(k));
            let utilization = utilized(k, count.bytes);
            BusyLink { link, name: name(link), count, utilization, busy: count.traffic.map_or(0.0, busy) }
        };
        let all = links.max(1) as f64;
        used.mean_utilization /= all;
        used.mean_throughput = if seconds > 0.0 { carried / all / seconds } else { 0.0 };
        used.busy.iter_mut().for_each(|rates| rates.mean /= all);
        used.busiest = busiest.into_iter().map(|(_, k)| link(k)).collect();
        used.most_contended = longest.1.map(link);
        used
    }
}

/// At most 1: what counts as finished may be the last picosecond's bytes too early. 0 of nothing.
fn part(of: f64, whole: f64) -> f64 {
    if whole > 0.0 { (of / whole).min(1.0) } else { 0.0 }
}

/// Bytes over what a link could have carried in a time, 0 to 1.
pub fn utilization(bytes: f64, capacity: Bandwidth, time: Duration) -> f64 {
    part(bytes, capacity.bytes_per_second() * time.as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn measure(bytes: &[f64], simulated: Duration, keep: usize) -> LinkUse {
        let count = |k: usize| LinkCount { bytes: bytes[k], share: k as u32 + 1, traffic: None };
        let capacity = |_| Bandwidth::new(1e9).unwrap();
        LinkUse::measure(bytes.len(), count, simulated, capacity, |link| format!("link {link}"), keep)
    }

    /// Four links of 1 GB/s for 1 ms could carry 1 MB each. They carry 0, 1 MB, 0.5 MB and 1 MB: utilizations
    /// 0, 1, 0.5, 1, mean 0.625. The busiest two are links 1 and 3, in this order.
    #[test]
    fn utilization_is_bytes_over_capacity_times_time() {
        let used = measure(&[0.0, 1e6, 5e5, 1e6], Duration::from_ns(1_000_000), 2);
        assert_eq!((used.mean_utilization, used.max_utilization, used.max_share), (0.625, 1.0, 4));
        // 2.5 MB on four links in 1 ms.
        assert!((used.mean_throughput / 6.25e8 - 1.0).abs() < 1e-12 && used.busy.is_none());
        let names: Vec<_> = used.busiest.iter().map(|link| link.name.as_str()).collect();
        assert_eq!(names, ["link 1", "link 3"]);
        assert_eq!(used.busiest[1].count.share, 4);
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
        let used = LinkUse::measure(2, |k| links[k].into(), Duration::from_ns(1000), capacity, name, 5);
        assert_eq!((used.mean_utilization, used.max_utilization, used.max_share), (0.25, 0.5, 0));
        assert_eq!(used.busy, Some(BusyRates { mean: 0.3, max: 0.6, max_queue: 3, waited_s: 51e-12 }));
        assert_eq!((used.busiest.len(), used.busiest[0].busy), (1, 0.6));
        assert_eq!(used.busiest[0].count, first.into());
        assert_eq!(first.mean_wait(), Duration::from_ps(25));
        assert_eq!(used.most_contended, Some(used.busiest[0].clone()));
        let json = used.busiest[0].to_json();
        let expected = json!({
            "name": "link 0", "bytes": 500, "utilization": 0.5, "max_share": 0,
            "packets": 2, "busy": 0.6, "mean_wait_s": 2.5e-11, "waited_s": 5.1e-11, "max_queue": 3,
        });
        assert_eq!(json, expected);
        // As an injection link, whose packets have waited for credits.
        let links = [LinkTraffic { waited: Duration::ZERO, stalled: Duration::from_ps(90), ..first }];
        let used = LinkUse::measure(1, |k| links[k].into(), Duration::from_ns(1000), capacity, name, 5);
        let json = used.busiest[0].to_json();
        assert_eq!((&json["mean_stall_s"], &json["stalled_s"]), (&json!(4.5e-11), &json!(9e-11)));
        assert_eq!((&json["waited_s"], used.most_contended), (&json!(0.0), None));
        let nothing = LinkUse::measure(1, |k| links[k].into(), Duration::ZERO, capacity, name, 5);
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
            let count = |k: usize| links[k].into();
            let name = |link| format!("link {link}");
            LinkUse::measure(links.len(), count, Duration::from_ns(1000), capacity, name, 1)
        };
        let used = measure(&[link(3, 15), link(1, 20), link(2, 20)]);
        let contended = used.most_contended.unwrap();
        assert_eq!((used.busiest[0].name.as_str(), contended.name.as_str()), ("link 0", "link 1"));
        assert_eq!((contended.count.bytes, contended.utilization), (100.0, 0.1));
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
