//! How much the links were used.

use serde_json::{Value, json};
use std::cmp::Reverse;
use std::collections::BTreeSet;
use weir_units::{Bandwidth, Duration, LinkId};

/// One link and what it carried.
#[derive(Clone, Debug, PartialEq)]
pub struct BusyLink {
    /// Which link.
    pub link: LinkId,
    /// Its ends, for people.
    pub name: String,
    /// How many bytes it carried (a flow engine may count parts of bytes).
    pub bytes: f64,
    /// Bytes carried over the bytes it could have carried in the simulated time, 0 to 1.
    pub utilization: f64,
    /// Most flows or routes that shared it at a time.
    pub max_share: u32,
}

impl BusyLink {
    pub(crate) fn to_json(&self) -> Value {
        json!({
            "name": self.name,
            "bytes": self.bytes.round() as u64,
            "utilization": self.utilization,
            "max_share": self.max_share,
        })
    }
}

/// The use of all links of a machine over a run.
///
/// Counts one-way links, those between node and router (injection and ejection) included.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LinkUse {
    /// Most flows or routes that shared one link at a time.
    pub max_share: u32,
    /// Mean utilisation over all links, 0 to 1.
    pub mean_utilization: f64,
    /// Utilisation of the busiest link, 0 to 1.
    pub max_utilization: f64,
    /// The busiest links: by utilisation, most first, those of the same utilisation by number.
    pub busiest: Vec<BusyLink>,
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
        let seconds = simulated.as_secs_f64();
        let utilization = |k: usize| {
            let could = capacity(LinkId::new(k)).bytes_per_second() * seconds;
            // What counts as finished may be the last picosecond's bytes too early.
            if could > 0.0 { (bytes[k] / could).min(1.0) } else { 0.0 }
        };
        let (mut sum, mut most) = (0.0, 0.0_f64);
        // Utilisations are not negative, so the order of their bits is the order of the numbers.
        let mut busiest: BTreeSet<(Reverse<u64>, usize)> = BTreeSet::new();
        for k in (0..bytes.len()).filter(|&k| bytes[k] > 0.0) {
            let utilization = utilization(k);
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
            bytes: bytes[k],
            utilization: f64::from_bits(bits),
            max_share: shares[k],
        };
        Self {
            max_share: shares.iter().copied().max().unwrap_or(0),
            mean_utilization: sum / bytes.len().max(1) as f64,
            max_utilization: most,
            busiest: busiest.into_iter().map(busy).collect(),
        }
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
