//! Shortest ways between routers.

use crate::{Metric, NodeLink};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use weir_units::{Bytes, LinkId};

/// Routers and the links between them.
#[derive(Debug)]
pub(crate) struct Wires {
    /// By link; 0 for links of nodes.
    heads: Vec<u32>,
    tails: Vec<u32>,
    /// `None` where all are alike.
    lengths: Option<Lengths>,
    out: Lists,
    into: Lists,
}

/// A link between routers: its number, the router it starts from, the one it ends at, and its length.
pub(crate) type Between = (u32, u32, u32, Option<u64>);

impl Wires {
    /// The routers, and those of the links that join routers. Links out of a router are in the order of what `key`
    /// says of the routers at their other ends, then in the order given: that decides which of several equally short ways is
    /// taken.
    pub(crate) fn new(routers: usize, links: usize, between: &[Between], key: impl Fn(u32) -> u32) -> Self {
        let (mut heads, mut tails) = (vec![0; links], vec![0; links]);
        for &(link, from, to, _) in between {
            (tails[link as usize], heads[link as usize]) = (from, to);
        }
        let out = Lists::new(routers, between.iter().map(|&(link, from, ..)| (from, link)));
        let out = out.sorted(|link| key(heads[link as usize]));
        let into = Lists::new(routers, between.iter().map(|&(link, _, to, _)| (to, link)));
        let lengths = Lengths::new(links, between.iter().map(|&(link, .., length)| (link, length)));
        Self { heads, tails, lengths, out, into }
    }

    pub(crate) fn routers(&self) -> usize {
        self.out.first.len() - 1
    }

    /// Links from a router to routers.
    pub(crate) fn out(&self, router: u32) -> &[u32] {
        self.out.of(router)
    }

    /// Links from routers to a router.
    pub(crate) fn incoming(&self, router: u32) -> &[u32] {
        self.into.of(router)
    }

    /// The router a link ends at.
    pub(crate) fn head(&self, link: u32) -> u32 {
        self.heads[link as usize]
    }

    /// The router a link starts from.
    pub(crate) fn tail(&self, link: u32) -> u32 {
        self.tails[link as usize]
    }

    /// Number of links in the lists of links out of the routers before this one.
    fn first_place(&self, router: u32) -> usize {
        self.out.first[router as usize] as usize
    }
}

/// The lengths of links, by the number of the link.
#[derive(Debug)]
struct Lengths {
    /// Those that there are, ascending.
    different: Vec<u64>,
    of_link: Vec<u32>,
}

impl Lengths {
    /// The lengths of so many links, of which these come with one; `None` where it is the same for all of these, or where only hops count:
    /// then hops say all.
    fn new(links: usize, lengths: impl Iterator<Item = (u32, Option<u64>)> + Clone) -> Option<Self> {
        let mut different: Vec<u64> = lengths.clone().filter_map(|(_, length)| length).collect();
        different.sort_unstable();
        different.dedup();
        if different.len() < 2 {
            return None;
        }
        let mut of_link = vec![0; links];
        for (link, length) in lengths {
            let place = length.and_then(|length| different.binary_search(&length).ok());
            of_link[link as usize] = place.map_or(0, |place| place as u32);
        }
        Some(Self { different, of_link })
    }

    fn of(&self, link: u32) -> u64 {
        self.different[self.of_link[link as usize] as usize]
    }
}

impl Metric {
    /// The length of a link, in picoseconds; the number of hops counts beside it. `None` where nothing else counts.
    pub(crate) fn length(self, link: NodeLink) -> Option<u64> {
        match self {
            Self::Time => Some((link.latency + link.bandwidth.serialization_time(MEBIBYTE)).as_ps()),
            Self::Latency => Some(link.latency.as_ps()),
            Self::Hops => None,
        }
    }
}

/// The message of [`Metric::Time`].
const MEBIBYTE: Bytes = Bytes(1 << 20);

/// One list of links per router, all in one.
#[derive(Debug)]
struct Lists {
    first: Vec<u32>,
    items: Vec<u32>,
}

impl Lists {
    /// Each link in the list of the router that comes with it, in the order given.
    fn new(routers: usize, links: impl Iterator<Item = (u32, u32)> + Clone) -> Self {
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
    fn sorted(mut self, key: impl Fn(u32) -> u32) -> Self {
        for pair in self.first.windows(2) {
            self.items[pair[0] as usize..pair[1] as usize].sort_by_key(|&link| key(link));
        }
        self
    }

    fn of(&self, router: u32) -> &[u32] {
        &self.items[self.first[router as usize] as usize..self.first[router as usize + 1] as usize]
    }
}

/// Length and hops of a way.
pub(crate) type Length = (u64, u32);

const UNREACHED: Length = (u64::MAX, u32::MAX);

/// The links that begin a shortest way to one router, at all routers.
#[derive(Debug)]
pub(crate) enum Ways {
    /// The hops from each router, where all links are of one length.
    Hops(Box<[u32]>),
    /// A bit for each link in the lists of links out of routers: whether a shortest way begins with it.
    Links(Box<[u64]>),
}

impl Ways {
    /// To a router. O(links), with links of very many lengths O(links log links).
    pub(crate) fn to(destination: u32, wires: &Wires) -> Self {
        let Some(of_links) = &wires.lengths else {
            return Self::Hops(by_hops(destination, wires));
        };
        let lengths = by_length(destination, wires, of_links);
        let mut links = vec![0; wires.out.items.len().div_ceil(BITS)].into_boxed_slice();
        for router in 0..wires.routers() as u32 {
            let of_router = lengths[router as usize];
            for (place, &link) in (wires.first_place(router)..).zip(wires.out(router)) {
                let rest = lengths[wires.head(link) as usize];
                // The number of hops falls by one with each link, so such a way has an end.
                if rest.1 != u32::MAX && longer(rest, of_links.of(link)) == of_router {
                    links[place / BITS] |= 1 << (place % BITS);
                }
            }
        }
        Self::Links(links)
    }

    pub(crate) fn bytes(&self) -> usize {
        match self {
            Self::Hops(hops) => size_of_val(&**hops),
            Self::Links(links) => size_of_val(&**links),
        }
    }

    /// Returns whether there is a way from a router to another one, to which these are.
    pub(crate) fn reach(&self, (here, destination): (u32, u32), wires: &Wires) -> bool {
        here == destination || self.beginning(here, wires).next().is_some()
    }

    /// The length of a shortest way from a router to the one to which these are; `None` if there is none.
    pub(crate) fn length(&self, (mut here, destination): (u32, u32), wires: &Wires) -> Option<Length> {
        let mut length = (0, 0);
        while here != destination {
            let link = self.beginning(here, wires).next()?;
            length = longer(length, wires.lengths.as_ref().map_or(0, |lengths| lengths.of(link)));
            here = wires.head(link);
        }
        Some(length)
    }

    /// The links of a router that begin a shortest way, in their order.
    fn beginning(&self, router: u32, wires: &Wires) -> impl Iterator<Item = u32> + Clone {
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
        wires: &Wires,
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
            // Links to one router, which are neighbors in their order, split what leads there, and the router gets all of it.
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
fn by_hops(destination: u32, wires: &Wires) -> Box<[u32]> {
    let mut hops = vec![u32::MAX; wires.routers()].into_boxed_slice();
    hops[destination as usize] = 0;
    let mut reached = vec![destination];
    let mut next = 0;
    while let Some(&router) = reached.get(next) {
        next += 1;
        for &link in wires.incoming(router) {
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
fn by_length(destination: u32, wires: &Wires, of_links: &Lengths) -> Vec<Length> {
    let mut lengths = vec![UNREACHED; wires.routers()];
    lengths[destination as usize] = (0, 0);
    let mut open = Open::new(of_links.different.len());
    open.add(0, ((0, 0), destination));
    while let Some((length, router)) = open.next() {
        if length > lengths[router as usize] {
            continue;
        }
        for &link in wires.incoming(router) {
            let tail = wires.tail(link);
            let candidate = longer(length, of_links.of(link));
            if candidate < lengths[tail as usize] {
                lengths[tail as usize] = candidate;
                open.add(of_links.of_link[link as usize], (candidate, tail));
            }
        }
    }
    lengths
}

/// Routers from which to go on, the nearest first.
enum Open {
    /// By the length of the last link: what is added to one of these is never nearer than what is in it.
    Queues(Vec<VecDeque<(Length, u32)>>),
    /// Where there are many lengths.
    Heap(BinaryHeap<Reverse<(Length, u32)>>),
}

impl Open {
    /// More than these are no faster than a heap.
    const MOST_QUEUES: usize = 8;

    fn new(lengths: usize) -> Self {
        match lengths {
            0..=Self::MOST_QUEUES => Self::Queues(vec![VecDeque::new(); lengths]),
            _ => Self::Heap(BinaryHeap::new()),
        }
    }

    fn add(&mut self, last: u32, router: (Length, u32)) {
        match self {
            Self::Queues(queues) => queues[last as usize].push_back(router),
            Self::Heap(heap) => heap.push(Reverse(router)),
        }
    }

    fn next(&mut self) -> Option<(Length, u32)> {
        match self {
            Self::Queues(queues) => {
                let with_some = queues.iter_mut().filter(|queue| !queue.is_empty());
                with_some.min_by_key(|queue| queue[0].0)?.pop_front()
            }
            Self::Heap(heap) => heap.pop().map(|Reverse(router)| router),
        }
    }
}

/// The routers that can be reached from one, or those that reach it.
pub(crate) fn reach(start: u32, forward: bool, wires: &Wires) -> Vec<bool> {
    let mut reached = vec![false; wires.routers()];
    reached[start as usize] = true;
    let mut open = vec![start];
    while let Some(router) = open.pop() {
        for &link in if forward { wires.out(router) } else { wires.incoming(router) } {
            let next = if forward { wires.head(link) } else { wires.tail(link) };
            if !std::mem::replace(&mut reached[next as usize], true) {
                open.push(next);
            }
        }
    }
    reached
}
