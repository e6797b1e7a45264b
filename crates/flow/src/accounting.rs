//! Trails of messages, where the causes of time are kept.

use crate::crossings::Link;
use crate::interfaces::Interfaces;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use weir_network::Message;
use weir_network::causes::{ByClass, CLASSES, Carriage, Cause, Narrowest, Narrowing, Trail};
use weir_topology::{LinkClasses, Shares, Topology};
use weir_units::{Bandwidth, Bytes, Duration, LinkId, Time};

const _: () = assert!(LinkClasses::MOST <= CLASSES);

/// The way of a slot's active message.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Way {
    links: u64,
    by_class: ByClass,
    /// Within a node: how fast one copies.
    within: Option<Option<Bandwidth>>,
    /// Which link held up the message most when it began.
    first: Narrowing,
}

/// Ways, and messages that have left for those behind them; what follows from the machine, and what is only used within an
/// instant, is in no checkpoint.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Accounting {
    /// By slot; empty where no causes are kept.
    ways: Vec<Way>,
    /// By link of the machine, and then of interfaces; likewise.
    #[serde(skip)]
    classes: Vec<u8>,
    #[serde(skip)]
    links: usize,
    /// Slots whose message begins at this instant.
    #[serde(skip)]
    begun: Vec<usize>,
}

impl Accounting {
    pub(crate) fn new(topology: &Topology, interfaces: &Interfaces, keeps_causes: bool) -> Self {
        let (mut ways, mut classes) = (Vec::new(), Vec::new());
        if keeps_causes {
            ways.resize(interfaces.slots(), Way::default());
            classes = LinkClasses::by_link(topology);
            classes.extend(interfaces.own_classes());
        }
        Self { ways, classes, links: topology.links(), begun: Vec::new() }
    }

    /// Takes the place of what is there before a run begins; `None` if that has other slots.
    pub(crate) fn replace(&mut self, fresh: &mut Self) -> Option<()> {
        let is_alike = self.ways.len() >= fresh.ways.len() && self.is_on() == fresh.is_on();
        (self.classes, self.links) = (std::mem::take(&mut fresh.classes), fresh.links);
        is_alike.then_some(())
    }

    pub(crate) fn add_slot(&mut self) {
        if self.is_on() {
            self.ways.push(Way::default());
        }
    }

    #[inline]
    pub(crate) const fn is_on(&self) -> bool {
        !self.ways.is_empty()
    }

    /// The way of a slot, which a message of no bytes leaves to the one behind it ([`Self::give_back`]): that may take it over.
    pub(crate) fn way(&self, slot: usize) -> Option<Way> {
        self.ways.get(slot).copied()
    }

    /// The way of a slot is again what it was.
    pub(crate) fn give_back(&mut self, slot: usize, way: Option<Way>) {
        if let Some(way) = way {
            self.ways[slot] = way;
        }
    }

    /// The active message of a slot goes within its node, which copies at this speed.
    pub(crate) fn take_way_within(&mut self, slot: usize, speed: Option<Bandwidth>) {
        self.ways[slot] = Way { within: Some(speed), ..Way::default() };
    }

    /// The active message of a slot takes this route, which has this latency in all.
    pub(crate) fn take_way(
        &mut self,
        slot: usize,
        (route, whole): (&Shares, Duration),
        latencies: &Latencies,
    ) {
        let way = &mut self.ways[slot];
        *way = Way::default();
        let (mut links, mut by_class) = (0.0, [0.0; CLASSES]);
        for (link, weight) in route.iter().filter(|(link, _)| link.index() < self.links) {
            links += weight;
            by_class[self.classes[link.index()] as usize] += weight * latencies.of_link(link).as_ps() as f64;
        }
        way.links = f64::round(links) as u64;
        // Parts of several ways are no whole picoseconds: rounded one behind the other they add up to that of the route.
        let (mut sum, mut before) = (0.0, Duration::ZERO);
        for (latency, part) in way.by_class.iter_mut().zip(by_class).filter(|(_, part)| *part > 0.0) {
            sum += part;
            let until = Duration::from_ps(f64::round(sum) as u64).min(whole);
            (*latency, before) = (until - before, until);
        }
        if let Some(most) = way.by_class.iter_mut().max() {
            *most += whole - before;
        }
    }

    /// Links are shared now, also with the messages that begin at this instant: what each link gives is known for those. `links` has those
    /// that a slot's message takes.
    pub(crate) fn look<'a, L: Iterator<Item = (usize, &'a Link, f64)>>(
        &mut self,
        links: impl Fn(usize) -> L,
    ) {
        if self.begun.is_empty() {
            return;
        }
        let mut begun = std::mem::take(&mut self.begun);
        for slot in begun.drain(..) {
            self.ways[slot].first = self.narrowing(links(slot)).0;
        }
        self.begun = begun;
    }

    /// Which link holds up a message most that takes these and shares them with others, and what the least of them carries in all.
    fn narrowing<'a>(&self, links: impl Iterator<Item = (usize, &'a Link, f64)>) -> (Narrowing, f64) {
        let (mut narrowing, mut least) = (Narrowing::default(), f64::INFINITY);
        for (number, link, weight) in links {
            let class = self.classes.get(number).copied();
            narrowing.pass(LinkId(number as u32), class, link.capacity / link.count() as f64 / weight);
            least = least.min(link.capacity / weight);
        }
        (narrowing, least)
    }

    /// Returns how so many bytes have got to the receiver on the way of a slot, over these links.
    ///
    /// # Model
    /// Which link holds a message up may change while it is under way. Looked at are its beginning and its end, and what was narrower then.
    pub(crate) fn carriage<'a>(
        &self,
        slot: usize,
        (bytes, latency): (Bytes, Duration),
        links: impl Iterator<Item = (usize, &'a Link, f64)>,
    ) -> Carriage {
        let Way { links: passed, by_class, within, first } = self.ways[slot];
        let (mut alone, mut narrowest) = (Duration::ZERO, Narrowest::default());
        if bytes > Bytes::ZERO {
            let (last, least) = self.narrowing(links);
            let speed = within.unwrap_or_else(|| Bandwidth::new(least));
            alone = speed.map_or(Duration::ZERO, |speed| speed.serialization_time(bytes));
            let was_narrower = first.rate < last.rate;
            narrowest = if was_narrower { first } else { last }.narrowest;
        }
        Carriage { alone, latency, links: passed, by_class, narrowest }
    }

    /// A message becomes the active one of its slot.
    pub(crate) fn start<B>(&mut self, slot: usize, message: &mut Message<B>, now: Time) {
        if let Some(trail) = &mut message.trail {
            self.begun.push(slot);
            trail.extend(Cause::Contention, now);
        }
    }

    /// The active message of a slot has left it. The next one there, if there is one, has waited for that.
    pub(crate) fn leave<B>(
        message: &mut Message<B>,
        next: Option<&mut Trail>,
        now: Time,
        carriage: &Carriage,
    ) {
        let Some(trail) = &mut message.trail else { return };
        trail.extend(Cause::Contention, message.started);
        trail.transfer_along(carriage, now);
        if let Some(next) = next {
            next.wait_behind(trail.path());
        }
    }

    /// The message has left and is on its way.
    pub(crate) fn arrive<B>(message: &mut Message<B>, now: Time, carriage: &Carriage) {
        if let Some(trail) = &mut message.trail {
            trail.arrive_along(now + carriage.latency, carriage);
        }
    }
}

/// The latency of every link.
#[derive(Clone, Debug)]
pub(crate) enum Latencies {
    /// All links have the same; most machines, and a machine of a million nodes has millions of links.
    Same(Duration),
    /// By link.
    Each(Vec<Duration>),
}

impl Latencies {
    pub(crate) fn of(topology: &Topology) -> Self {
        let latency = |link| topology.link(LinkId::new(link)).latency;
        let mut all = (0..topology.links()).map(latency);
        let first = all.next().unwrap_or_default();
        if all.all(|latency| latency == first) {
            Self::Same(first)
        } else {
            Self::Each((0..topology.links()).map(latency).collect())
        }
    }

    pub(crate) fn of_link(&self, link: LinkId) -> Duration {
        match self {
            Self::Same(latency) => *latency,
            Self::Each(latencies) => latencies[link.index()],
        }
    }

    /// The sum along a route; the mean over all, if there are several. Of its links these are of the machine, those before and behind them of
    /// interfaces, which have none.
    pub(crate) fn along(&self, route: &Shares, links: usize) -> Duration {
        let of_machine = route.iter().filter(|(link, _)| link.index() < links);
        if !route.weights.is_empty() {
            let part = |(link, weight): (LinkId, f64)| weight * self.of_link(link).as_ps() as f64;
            return Duration::from_ps(of_machine.map(part).sum::<f64>().round() as u64);
        }
        of_machine.fold(Duration::ZERO, |sum, (link, _)| sum + self.of_link(link))
    }
}

/// Short messages that crossed links which long ones filled: what they wait for there, a fluid does not show.
///
/// A flow has its share of a link at once, so a message of few bytes takes as long as on an empty network, whoever else is there. In
/// a network of packets it stands in the queues before a full link, and in those that have filled up behind it. How long cannot be
/// known here; that it happened can. A link counts as filled if a long flow has half of it, or is held up by it, or by the link into
/// its own receiver: then what it has sent stands in buffers all along its way. One long flow of a link is looked at, among the
/// first two, so that a message costs the links of its route at most, and nothing while there is no long flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BehindOthers {
    /// Number of them.
    pub crossed: u64,
    /// Number of short messages.
    pub short: u64,
    /// The link where most of them did.
    pub link: LinkId,
    /// Number of messages that did there.
    pub there: u64,
}

impl BehindOthers {
    /// Up to so many bytes a message is short: a packet or less on most networks.
    pub const SHORT: Bytes = Bytes(4096);
    /// From so many on it is long: it is on its way for longer than a short one.
    pub const LONG: Bytes = Bytes(64 * 1024);
}

/// Counts so far.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Behind {
    /// Long flows that are there now.
    long: u64,
    short: u64,
    crossed: u64,
    by_link: BTreeMap<u32, u64>,
}

impl Behind {
    pub(crate) fn begin(&mut self, bytes: Bytes) {
        self.long += u64::from(bytes >= BehindOthers::LONG);
    }

    pub(crate) fn end(&mut self, bytes: Bytes) {
        self.long -= u64::from(bytes >= BehindOthers::LONG);
    }

    /// A short message has crossed its links; `filled` looks for one that long flows fill.
    #[inline]
    pub(crate) fn note(&mut self, filled: impl FnOnce() -> Option<usize>) {
        self.short += 1;
        if self.long == 0 {
            return;
        }
        if let Some(link) = filled() {
            self.crossed += 1;
            *self.by_link.entry(link as u32).or_default() += 1;
        }
    }

    pub(crate) fn found(&self) -> Option<BehindOthers> {
        let Self { short, crossed, by_link, .. } = self;
        let (&link, &there) =
            by_link.iter().max_by_key(|&(&link, &there)| (there, std::cmp::Reverse(link)))?;
        Some(BehindOthers { crossed: *crossed, short: *short, link: LinkId(link), there })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use weir_topology::{Graph, Metric, NodeLink, Vertex, VertexKind, Wire};
    use weir_units::Bandwidth;

    /// Two nodes at a router. Link by link: the four links have the same latency, or one of them another one. A route has the
    /// sum of those that it takes.
    #[test]
    fn one_link_that_is_longer() {
        let capacity = Bandwidth::new(1e9).expect("positive");
        for longer in [None, Some(0), Some(1), Some(2), Some(3)] {
            let vertex = |name: &str, kind| Vertex { name: name.into(), kind };
            let vertices = vec![
                vertex("a", VertexKind::Node),
                vertex("b", VertexKind::Node),
                vertex("r", VertexKind::Router),
            ];
            let ends = [(0, 2), (1, 2), (2, 0), (2, 1)];
            let latency = |wire| Duration::from_ns(if longer == Some(wire) { 7 } else { 5 });
            let wire = |(number, (from, to))| Wire { from, to, capacity, latency: latency(number) };
            let wires: Vec<Wire> = ends.into_iter().enumerate().map(wire).collect();
            let node = NodeLink { bandwidth: capacity, latency: Duration::ZERO };
            let graph = Graph::new(vertices, &wires, Metric::Hops, node).expect("a star");
            let latencies = Latencies::of(&Topology::Graph(graph));
            assert_eq!(matches!(latencies, Latencies::Same(_)), longer.is_none());
            // Injection links by node, then ejection links by node.
            for (route, sum) in [([0, 3], 10), ([1, 2], 10)] {
                let more = if longer.is_some_and(|link| route.contains(&link)) { 2 } else { 0 };
                let route = route.map(LinkId::new);
                assert_eq!(
                    latencies.along(&Shares { links: route.to_vec(), weights: Vec::new() }, 4),
                    Duration::from_ns(sum + more),
                    "link {longer:?} is longer"
                );
            }
        }
    }
}
