//! Shortest ways between routers.

use crate::Metric;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use weir_units::LinkId;

/// Routers and the links between them.
pub(crate) trait Wires {
    /// How many routers there are.
    fn routers(&self) -> usize;
    /// Links from a router to routers; their order decides which of several equally short ways is taken.
    fn out(&self, router: u32) -> &[u32];
    /// Links from routers to a router.
    fn into(&self, router: u32) -> &[u32];
    /// The router a link ends at.
    fn head(&self, link: u32) -> u32;
    /// The router a link starts from.
    fn tail(&self, link: u32) -> u32;
    /// Of a link, in picoseconds.
    fn latency(&self, link: u32) -> u64;
}

/// One list of links per router, all in one.
#[derive(Debug)]
pub(crate) struct Lists {
    first: Vec<u32>,
    items: Vec<u32>,
}

impl Lists {
    /// Each link in the list of the router that comes with it, in the order given.
    pub(crate) fn new(routers: usize, links: impl Iterator<Item = (u32, u32)> + Clone) -> Self {
        let mut first = vec![0_u32; routers + 1];
        links.clone().for_each(|(router, _)| first[router as usize + 1] += 1);
        for router in 0..routers {
            first[router + 1] += first[router];
        }
        let mut next = first.clone();
        let mut items = vec![0; first[routers] as usize];
        for (router, link) in links {
            let place = &mut next[router as usize];
            items[*place as usize] = link;
            *place += 1;
        }
        Self { first, items }
    }

    /// The same lists, each sorted by what is said of its links; equal ones stay in order.
    pub(crate) fn sorted(mut self, key: impl Fn(u32) -> u32) -> Self {
        for pair in self.first.windows(2) {
            self.items[pair[0] as usize..pair[1] as usize].sort_by_key(|&link| key(link));
        }
        self
    }

    /// How many lists there are.
    pub(crate) fn len(&self) -> usize {
        self.first.len() - 1
    }

    pub(crate) fn of(&self, router: u32) -> &[u32] {
        &self.items[self.first[router as usize] as usize..self.first[router as usize + 1] as usize]
    }
}

/// Latency and hops; only the second counts where the metric is hops.
type Length = (u64, u32);

const UNREACHED: Length = (u64::MAX, u32::MAX);

/// The lengths of the shortest ways from all routers to one.
#[derive(Debug)]
pub(crate) enum Distances {
    Hops(Box<[u32]>),
    Latency(Box<[Length]>),
}

impl Distances {
    /// To a router. O(links), by latency O(links log links).
    pub(crate) fn to(destination: u32, wires: &impl Wires, metric: Metric) -> Self {
        match metric {
            Metric::Hops => Self::Hops(by_hops(destination, wires)),
            Metric::Latency => Self::Latency(by_latency(destination, wires)),
        }
    }

    fn of(&self, router: u32) -> Length {
        match self {
            Self::Hops(hops) => (0, hops[router as usize]),
            Self::Latency(lengths) => lengths[router as usize],
        }
    }

    /// Whether there is a way from a router.
    pub(crate) fn reach(&self, router: u32) -> bool {
        self.of(router).1 != u32::MAX
    }

    /// Whether a link that leaves a router begins a shortest way. The number of hops falls by one with each, so such a
    /// way has an end.
    fn is_on_the_way(&self, router: u32, link: u32, wires: &impl Wires) -> bool {
        let rest = self.of(wires.head(link));
        let latency = match self {
            Self::Hops(_) => 0,
            Self::Latency(_) => wires.latency(link),
        };
        rest.1 != u32::MAX && longer(rest, latency) == self.of(router)
    }

    /// Appends a shortest way from one router to the one to which these distances are. Of the links that begin one those
    /// of the same group as the first of them come into question; of `c` in their order the one numbered `choice mod c` is
    /// taken, and the next choice is made by `choice / c`.
    ///
    /// # Panics
    /// When there is no way.
    pub(crate) fn walk(
        &self,
        (mut here, destination): (u32, u32),
        wires: &impl Wires,
        mut choice: u32,
        group: impl Fn(u32) -> usize,
        route: &mut Vec<LinkId>,
    ) {
        while here != destination {
            let nearest =
                wires.out(here).iter().copied().filter(|&link| self.is_on_the_way(here, link, wires));
            let first = nearest.clone().next().expect("there is a way from here");
            let alike = |link: &u32| group(*link) == group(first);
            let count = nearest.clone().filter(alike).count();
            let count = u32::try_from(count).expect("links are numbered with 32 bits");
            let number = (choice % count) as usize;
            let link = nearest.filter(alike).nth(number).expect("a remainder is less than the divisor");
            choice /= count;
            route.push(LinkId(link));
            here = wires.head(link);
        }
    }
}

fn longer((latency, hops): Length, link: u64) -> Length {
    (latency.saturating_add(link), hops + 1)
}

/// Breadth first.
fn by_hops(destination: u32, wires: &impl Wires) -> Box<[u32]> {
    let mut hops = vec![u32::MAX; wires.routers()].into_boxed_slice();
    hops[destination as usize] = 0;
    let mut reached = vec![destination];
    let mut next = 0;
    while let Some(&router) = reached.get(next) {
        next += 1;
        for &link in wires.into(router) {
            let tail = wires.tail(link);
            if hops[tail as usize] == u32::MAX {
                hops[tail as usize] = hops[router as usize] + 1;
                reached.push(tail);
            }
        }
    }
    hops
}

/// Dijkstra's algorithm.
fn by_latency(destination: u32, wires: &impl Wires) -> Box<[Length]> {
    let mut lengths = vec![UNREACHED; wires.routers()].into_boxed_slice();
    lengths[destination as usize] = (0, 0);
    let mut open = BinaryHeap::from([Reverse(((0, 0), destination))]);
    while let Some(Reverse((length, router))) = open.pop() {
        if length > lengths[router as usize] {
            continue;
        }
        for &link in wires.into(router) {
            let tail = wires.tail(link);
            let candidate = longer(length, wires.latency(link));
            if candidate < lengths[tail as usize] {
                lengths[tail as usize] = candidate;
                open.push(Reverse((candidate, tail)));
            }
        }
    }
    lengths
}

/// The routers that can be reached from one, or those that reach it.
pub(crate) fn reach(start: u32, forward: bool, wires: &impl Wires) -> Vec<bool> {
    let mut reached = vec![false; wires.routers()];
    reached[start as usize] = true;
    let mut open = vec![start];
    while let Some(router) = open.pop() {
        for &link in if forward { wires.out(router) } else { wires.into(router) } {
            let next = if forward { wires.head(link) } else { wires.tail(link) };
            if !std::mem::replace(&mut reached[next as usize], true) {
                open.push(next);
            }
        }
    }
    reached
}
