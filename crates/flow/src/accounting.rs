//! What led to where messages are, where the causes of time are kept.

use crate::interfaces::Interfaces;
use crate::latencies::Latencies;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use weir_network::Message;
use weir_network::causes::{ByClass, CLASSES, Carriage, Cause, Narrowest, Path};
use weir_topology::{LinkClasses, Topology};
use weir_units::{Bandwidth, Bytes, Duration, LinkId, Time};

const _: () = assert!(LinkClasses::MOST <= CLASSES);

/// The way of a slot's active message.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Way {
    links: u64,
    by_class: ByClass,
    /// What its narrowest part carries.
    narrowest: Option<Bandwidth>,
    /// Which link that is, and what it carries.
    alone: (Narrowest, f64),
    /// Which link held up the message most when it began, and what that link had for it.
    first: (Narrowest, f64),
}

/// What is kept of ways, and of messages that have left for those behind them; what follows from the machine, and what is only used within an
/// instant, is in no checkpoint.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Accounting {
    /// By slot; empty where no causes are kept.
    ways: Vec<Way>,
    /// By link of the machine, and then of interfaces; likewise.
    #[serde(skip)]
    classes: Vec<u8>,
    /// How many links the machine has.
    #[serde(skip)]
    links: usize,
    /// Slots whose message begins at this instant.
    #[serde(skip)]
    begun: Vec<usize>,
    /// By slot: what led to the end of its last message, if another one waits behind that.
    ends: BTreeMap<usize, Path>,
}

impl Accounting {
    /// Of all slots, if causes are kept.
    pub(crate) fn new(topology: &Topology, interfaces: &Interfaces, keeps_causes: bool) -> Self {
        let (mut ways, mut classes) = (Vec::new(), Vec::new());
        if keeps_causes {
            ways.resize(interfaces.slots(), Way::default());
            classes = LinkClasses::by_link(topology);
            classes.extend(interfaces.own_classes());
        }
        Self { ways, classes, links: topology.links(), begun: Vec::new(), ends: BTreeMap::new() }
    }

    /// Takes the place of what is there before a run begins; `None` if that has other slots.
    pub(crate) fn in_place_of(self, fresh: &mut Self) -> Option<Self> {
        let is_alike = self.ways.len() == fresh.ways.len();
        is_alike.then(|| Self { classes: std::mem::take(&mut fresh.classes), links: fresh.links, ..self })
    }

    /// Whether causes are kept.
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

    /// The active message of a slot goes within its node, at most at this speed.
    pub(crate) fn take_way_within(&mut self, slot: usize, narrowest: Option<Bandwidth>) {
        self.ways[slot] = Way { narrowest, ..Way::default() };
    }

    /// The active message of a slot takes this route, over parts with these capacities, in bytes per second, none for one
    /// of no bytes.
    pub(crate) fn take_way(
        &mut self,
        slot: usize,
        route: &[LinkId],
        latencies: &Latencies,
        capacities: impl Iterator<Item = f64>,
    ) {
        let mut by_class = ByClass::default();
        let of_machine = route.iter().copied().filter(|link| link.index() < self.links);
        for link in of_machine.clone() {
            by_class[self.classes[link.index()] as usize] += latencies.of_link(link);
        }
        let alone = self.narrowest(route.iter().map(|link| link.index()).zip(capacities));
        let (links, narrowest) = (of_machine.count() as u64, Bandwidth::new(alone.1));
        self.ways[slot] = Way { links, by_class, narrowest, alone, ..Way::default() };
    }

    /// Links are shared now, also with the messages that begin at this instant: what each link gives is known for those.
    pub(crate) fn look<S: Iterator<Item = (usize, f64)>>(&mut self, shares: impl Fn(usize) -> Option<S>) {
        let mut begun = std::mem::take(&mut self.begun);
        for slot in begun.drain(..) {
            self.ways[slot].first = self.narrowest_now(slot, shares(slot));
        }
        self.begun = begun;
    }

    /// The link that holds up a slot's message most now, and what it has for each of its flows; `shares` has the links that it takes, if it
    /// shares one.
    fn narrowest_now(
        &self,
        slot: usize,
        shares: Option<impl Iterator<Item = (usize, f64)>>,
    ) -> (Narrowest, f64) {
        shares.map_or(self.ways[slot].alone, |shares| self.narrowest(shares))
    }

    /// The link that holds up a message most, of these, each with what it has for each of its flows; and what that is.
    fn narrowest(&self, shares: impl Iterator<Item = (usize, f64)>) -> (Narrowest, f64) {
        let class = |link: usize| self.classes.get(link).copied();
        Narrowest::of(shares.map(|(link, share)| (LinkId::new(link), class(link), share)))
    }

    /// How so many bytes have got to the receiver on the way of a slot; `shares` as in [`Self::narrowest_now`].
    ///
    /// # Model
    /// Which link holds a message up may change while it is under way. Looked at are its beginning and its end, and what was narrower then.
    pub(crate) fn carriage(
        &self,
        slot: usize,
        bytes: Bytes,
        latency: Duration,
        shares: Option<impl Iterator<Item = (usize, f64)>>,
    ) -> Carriage {
        let Way { links, by_class, narrowest, first, .. } = self.ways[slot];
        let alone = narrowest.map_or(Duration::ZERO, |narrowest| narrowest.serialization_time(bytes));
        let mut link = Narrowest::default();
        if bytes > Bytes::ZERO {
            let last = self.narrowest_now(slot, shares);
            link = if first.1 > 0.0 && first.1 < last.1 { first.0 } else { last.0 };
        }
        Carriage { alone, latency, links, by_class, narrowest: link }
    }

    /// A message becomes the active one of its slot.
    pub(crate) fn start<B>(&mut self, slot: usize, message: &mut Message<B>, now: Time) {
        let Some(trail) = &mut message.trail else { return };
        self.begun.push(slot);
        if trail.end() < now
            && let Some(behind) = self.ends.remove(&slot)
        {
            trail.wait_behind(&behind);
        }
        trail.extend(Cause::Contention, now);
    }

    /// The active message of a slot has left it.
    /// If there is one behind it, that has waited for it.
    pub(crate) fn leave<B>(
        &mut self,
        (slot, has_next): (usize, bool),
        message: &mut Message<B>,
        now: Time,
        carriage: &Carriage,
    ) {
        let Some(trail) = &mut message.trail else { return };
        trail.extend(Cause::Contention, message.started);
        trail.transfer_along(carriage, now);
        if has_next {
            self.ends.insert(slot, *trail.path());
        }
    }

    /// The message has left and is on its way.
    pub(crate) fn arrive<B>(message: &mut Message<B>, now: Time, carriage: &Carriage) {
        if let Some(trail) = &mut message.trail {
            trail.arrive_along(now + carriage.latency, carriage);
        }
    }
}
