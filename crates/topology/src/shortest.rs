//! Shortest ways between routers.

use crate::{Metric, NodeLink};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use weir_units::{Bytes, LinkId};

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
    /// How many links there are from routers to routers.
    fn places(&self) -> usize;
    /// How many links the lists of links out of the routers before this one have.
    fn first_place(&self, router: u32) -> usize;
    /// Whether links have lengths; if not, all are alike.
    fn has_lengths(&self) -> bool;
    /// Of a link.
    fn length(&self, link: u32) -> u64;
}

impl Metric {
    /// How long a link is, in picoseconds; the number of hops counts beside it. `None` where nothing else counts.
    pub(crate) fn length(self, link: NodeLink) -> Option<u64> {
        match self {
            Self::Time => Some((link.latency + link.bandwidth.serialization_time(MEBIBYTE)).as_ps()),
            Self::Latency => Some(link.latency.as_ps()),
            Self::Hops => None,
        }
    }
}

/// How much a link carries in what is [`Metric::Time`].
const MEBIBYTE: Bytes = Bytes(1 << 20);

/// Whether some of these lengths differ: where they do not, hops say the same.
pub(crate) fn differ(mut lengths: impl Iterator<Item = Option<u64>>) -> bool {
    let first = lengths.next();
    lengths.any(|length| Some(length) != first)
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

    /// How many items all lists have.
    pub(crate) fn items(&self) -> usize {
        self.items.len()
    }

    /// How many items the lists before this one have.
    pub(crate) fn first(&self, router: u32) -> usize {
        self.first[router as usize] as usize
    }

    pub(crate) fn of(&self, router: u32) -> &[u32] {
        &self.items[self.first[router as usize] as usize..self.first[router as usize + 1] as usize]
    }
}

/// Length and hops of a way.
type Length = (u64, u32);

const UNREACHED: Length = (u64::MAX, u32::MAX);

/// What begins a shortest way to one router, at all routers.
#[derive(Debug)]
pub(crate) enum Ways {
    /// The hops from each router, where all links are of one length.
    Hops(Box<[u32]>),
    /// A bit for each link in the lists of links out of routers: whether a shortest way begins with it.
    Links(Box<[u64]>),
}

impl Ways {
    /// To a router. O(links), where links have lengths O(links log links).
    pub(crate) fn to(destination: u32, wires: &impl Wires) -> Self {
        if !wires.has_lengths() {
            return Self::Hops(by_hops(destination, wires));
        }
        let lengths = by_length(destination, wires);
        let mut links = vec![0; wires.places().div_ceil(BITS)].into_boxed_slice();
        for router in 0..wires.routers() as u32 {
            let of_router = lengths[router as usize];
            for (place, &link) in (wires.first_place(router)..).zip(wires.out(router)) {
                let rest = lengths[wires.head(link) as usize];
                // The number of hops falls by one with each link, so such a way has an end.
                if rest.1 != u32::MAX && longer(rest, wires.length(link)) == of_router {
                    links[place / BITS] |= 1 << (place % BITS);
                }
            }
        }
        Self::Links(links)
    }

    /// How much memory they take.
    pub(crate) fn bytes(&self) -> usize {
        match self {
            Self::Hops(hops) => size_of_val(&**hops),
            Self::Links(links) => size_of_val(&**links),
        }
    }

    /// Whether there is a way from a router to another one, to which these are.
    pub(crate) fn reach(&self, (here, destination): (u32, u32), wires: &impl Wires) -> bool {
        here == destination || self.beginning(here, wires).next().is_some()
    }

    /// The links of a router that begin a shortest way, in their order.
    fn beginning(&self, router: u32, wires: &impl Wires) -> impl Iterator<Item = u32> + Clone {
        let places = (wires.first_place(router)..).zip(wires.out(router));
        places.filter_map(move |(place, &link)| {
            let begins = match self {
                Self::Hops(hops) => {
                    let rest = hops[wires.head(link) as usize];
                    rest != u32::MAX && rest + 1 == hops[router as usize]
                }
                Self::Links(links) => links[place / BITS] >> (place % BITS) & 1 == 1,
            };
            begins.then_some(link)
        })
    }

    /// Appends a shortest way from one router to the one to which these are. Of the links that begin one those of the same group as
    /// the first of them come into question. Of `c` in their order the one numbered `choice mod c` is taken; and the choices
    /// that lead to the same router as this one are counted anew, for the next link: they are all different there, and
    /// have no gaps.
    ///
    /// # Panics
    /// When there is no way.
    pub(crate) fn walk(
        &self,
        (mut here, destination): (u32, u32),
        wires: &impl Wires,
        mut choice: u64,
        group: impl Fn(u32) -> usize,
        route: &mut Vec<LinkId>,
    ) {
        while here != destination {
            let nearest = self.beginning(here, wires);
            let first = nearest.clone().next().expect("there is a way from here");
            let alike = nearest.filter(|&link| group(link) == group(first));
            let count = alike.clone().count() as u64;
            let number = choice % count;
            let link = alike.clone().nth(number as usize).expect("a remainder is less than the divisor");
            // Links to one router, which are neighbours in their order, split what leads there, and the router gets all of it.
            let parallel = |&other: &u32| wires.head(other) == wires.head(link);
            let before = alike.clone().take_while(|&other| other != link).filter(parallel).count() as u64;
            let parallel = alike.filter(parallel).count() as u64;
            choice = choice / count * parallel + before;
            route.push(LinkId(link));
            here = wires.head(link);
        }
    }
}

const BITS: usize = u64::BITS as usize;

fn longer((length, hops): Length, link: u64) -> Length {
    (length.saturating_add(link), hops + 1)
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
fn by_length(destination: u32, wires: &impl Wires) -> Vec<Length> {
    let mut lengths = vec![UNREACHED; wires.routers()];
    lengths[destination as usize] = (0, 0);
    let mut open = BinaryHeap::from([Reverse(((0, 0), destination))]);
    while let Some(Reverse((length, router))) = open.pop() {
        if length > lengths[router as usize] {
            continue;
        }
        for &link in wires.into(router) {
            let tail = wires.tail(link);
            let candidate = longer(length, wires.length(link));
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
