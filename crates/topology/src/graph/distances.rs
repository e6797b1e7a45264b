//! How far all routers are from one.

use super::Metric;
use super::check::Wiring;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Latency and hops; only the second counts where the metric is hops.
type Length = (u64, u32);

const UNREACHED: Length = (u64::MAX, u32::MAX);

/// The lengths of the shortest ways from all routers to one.
#[derive(Debug)]
pub(super) enum Distances {
    Hops(Box<[u32]>),
    Latency(Box<[Length]>),
}

impl Distances {
    /// To a router. O(links), by latency O(links log links).
    pub(super) fn to(destination: u32, wiring: &Wiring, metric: Metric) -> Self {
        match metric {
            Metric::Hops => Self::Hops(by_hops(destination, wiring)),
            Metric::Latency => Self::Latency(by_latency(destination, wiring)),
        }
    }

    fn of(&self, router: u32) -> Length {
        match self {
            Self::Hops(hops) => (0, hops[router as usize]),
            Self::Latency(lengths) => lengths[router as usize],
        }
    }

    /// Whether a link that leaves a router begins a shortest way. The number of hops falls by one with each, so such a
    /// way has an end.
    pub(super) fn is_on_the_way(&self, router: u32, link: u32, wiring: &Wiring) -> bool {
        let rest = self.of(wiring.head(link));
        let latency = match self {
            Self::Hops(_) => 0,
            Self::Latency(_) => latency(link, wiring),
        };
        rest != UNREACHED && rest.1 != u32::MAX && longer(rest, latency) == self.of(router)
    }
}

fn latency(link: u32, wiring: &Wiring) -> u64 {
    wiring.links[link as usize].cable.map_or(0, |cable| cable.latency.as_ps())
}

fn longer((latency, hops): Length, link: u64) -> Length {
    (latency.saturating_add(link), hops + 1)
}

/// Breadth first.
fn by_hops(destination: u32, wiring: &Wiring) -> Box<[u32]> {
    let mut hops = vec![u32::MAX; wiring.routers.len()].into_boxed_slice();
    hops[destination as usize] = 0;
    let mut reached = vec![destination];
    let mut next = 0;
    while let Some(&router) = reached.get(next) {
        next += 1;
        for &link in wiring.into(router) {
            let tail = wiring.tail(link);
            if hops[tail as usize] == u32::MAX {
                hops[tail as usize] = hops[router as usize] + 1;
                reached.push(tail);
            }
        }
    }
    hops
}

/// Dijkstra's algorithm.
fn by_latency(destination: u32, wiring: &Wiring) -> Box<[Length]> {
    let mut lengths = vec![UNREACHED; wiring.routers.len()].into_boxed_slice();
    lengths[destination as usize] = (0, 0);
    let mut open = BinaryHeap::from([Reverse(((0, 0), destination))]);
    while let Some(Reverse((length, router))) = open.pop() {
        if length > lengths[router as usize] {
            continue;
        }
        for &link in wiring.into(router) {
            let tail = wiring.tail(link);
            let candidate = longer(length, latency(link, wiring));
            if candidate < lengths[tail as usize] {
                lengths[tail as usize] = candidate;
                open.push(Reverse((candidate, tail)));
            }
        }
    }
    lengths
}
