//! Which of its interfaces a node gives a message to.
//!
//! # Model
//! The rule knows the node alone: whose turn it is, who sends to whom, and what its own interfaces have not sent. So the choice depends on
//! nothing that another node does at the same time. Of several cables of a node, those come into question by which there is a way.

use crate::Message;
use serde::{Deserialize, Serialize};
use weir_units::{Bytes, NodeId, Rank, mix};

/// Which of its interfaces a node gives a message to, where its program does not say it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Choose {
    /// The next one: message after message.
    #[default]
    RoundRobin,
    /// One that follows from the ranks of sender and receiver, as hashes of connections do.
    Hash,
    /// One that follows from the node of the receiver.
    ByDestination,
    /// The one that would have sent all it has, and this message, first; of equal ones the next in turn.
    LeastLoaded,
}

/// The rules by which the messages of a node are spread over its interfaces.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Choice {
    /// The rule for a message that one interface sends, and for the first one of several.
    pub choose: Choose,
    /// Which messages several send together.
    pub striping: Striping,
}

/// The interfaces that send a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Chosen {
    /// One interface.
    One(u32),
    /// Several, each a share of so many bytes.
    Several(Vec<(u32, Bytes)>),
}

/// The interfaces that come into question for a message.
pub struct Candidates<'a> {
    /// Their numbers, ascending; at least one.
    pub usable: &'a [u32],
    /// Number of interfaces of the node.
    pub count: u32,
    /// By number: what it has to send, in bytes. Asked for with [`Choose::LeastLoaded`] only.
    pub load: &'a dyn Fn(u32) -> u64,
    /// By number: how much it sends in a second; where all are alike, anything.
    pub speed: &'a dyn Fn(u32) -> f64,
}

impl Choice {
    /// Chooses the interfaces for a message, of which units of so many bytes are not divided. `turn` is the interface that is next, and becomes the one behind
    /// those that are chosen; messages of a rail do not change it.
    ///
    /// # Panics
    /// When there is no interface, or a unit has no bytes.
    pub fn choose<B>(
        &self,
        message: &Message<B>,
        to: NodeId,
        unit: Bytes,
        turn: &mut u32,
        candidates: &Candidates<'_>,
    ) -> Chosen {
        let &Candidates { usable, count, .. } = candidates;
        let rail = message.way.as_deref().and_then(|way| way.rail).map(|rail| u32::from(rail) % count);
        let from_on = |number: u32| usable.iter().position(|&usable| usable >= number).unwrap_or(0);
        let first = match (rail, self.choose) {
            (Some(rail), _) => from_on(rail),
            (None, Choose::RoundRobin) => from_on(*turn),
            (None, Choose::Hash) => (hash(message.from, message.to) % usable.len() as u64) as usize,
            (None, Choose::ByDestination) => to.index() % usable.len(),
            (None, Choose::LeastLoaded) => least_loaded(message.bytes, from_on(*turn), candidates),
        };
        let parts = self.striping.parts(message.bytes, unit).min(usable.len() as u32);
        let at = |behind: usize| usable[(first + behind) % usable.len()];
        if rail.is_none() {
            *turn = (at(parts as usize - 1) + 1) % count;
        }
        if parts == 1 {
            return Chosen::One(at(0));
        }
        let numbers: Vec<u32> = (0..parts as usize).map(at).collect();
        let speeds: Vec<f64> = numbers.iter().map(|&number| (candidates.speed)(number)).collect();
        let shares = Striping::shares_by_speed(&speeds, message.bytes, unit);
        // A slow one beside fast ones may have no unit of a short message.
        let shares = numbers.into_iter().zip(shares).filter(|(_, share)| *share > Bytes::ZERO);
        Chosen::Several(shares.collect())
    }
}

/// The place of the interface that is done first, looked for from one on.
fn least_loaded(bytes: Bytes, first: usize, candidates: &Candidates<'_>) -> usize {
    let Candidates { usable, load, speed, .. } = candidates;
    let done = |place: usize| {
        let number = usable[place];
        (load(number).saturating_add(bytes.0)) as f64 / speed(number)
    };
    let places = (0..usable.len()).map(|behind| (first + behind) % usable.len());
    places.reduce(|best, place| if done(place) < done(best) { place } else { best }).unwrap_or(first)
}

fn hash(from: Rank, to: Rank) -> u64 {
    mix((from.index() as u64) << 32 | to.index() as u64)
}

/// Order in which an interface serves the messages that it has been given.
///
/// # Model
/// The interfaces of InfiniBand, RoCE and Slingshot have a queue for each connection and serve all queues that have something in turn.
/// So messages to different receivers share the interface, and none waits until another one has left. The node of MFS (paper 000,
/// section 3.2) and the interface of NSIM (paper 003) send one message after the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Serving {
    /// One message after the other, in the order in which the interface has got them, also those without data.
    InOrder,
    /// Messages share the interface, and those without data (requests, clearances, acknowledgements) never wait for others.
    Shared {
        /// The most messages with data that an interface sends at once, at least 1. Those behind them wait in the order in which the
        /// interface has got them.
        at_once: u32,
    },
}

impl Default for Serving {
    fn default() -> Self {
        Self::Shared { at_once: Self::AT_ONCE }
    }
}

impl Serving {
    /// The most messages that a shared interface sends at once by default.
    pub const AT_ONCE: u32 = 64;

    /// The most messages of those that [take a place](Self::takes_place) that an interface sends at once.
    pub const fn at_once(self) -> u32 {
        match self {
            Self::InOrder => 1,
            Self::Shared { at_once } => at_once,
        }
    }

    /// Returns whether messages share the interface.
    pub const fn is_shared(self) -> bool {
        matches!(self, Self::Shared { .. })
    }

    /// Returns whether a message of so many bytes is one of those of which only so many are sent at once.
    pub fn takes_place(self, bytes: Bytes) -> bool {
        !self.is_shared() || bytes > Bytes::ZERO
    }
}

/// Which messages are striped, over how many interfaces: each of these sends a share.
///
/// # Model
/// Libraries with several rails do it like this (Open MPI's `ob1` over several transports, UCX with several lanes; Liu, Vishnu, Panda: "Building
/// multirail InfiniBand clusters", 2004: even striping): shares are as equal as whole units make them, or where interfaces are not equally
/// fast, as their speeds are, and the message has left, or is there, when all of it has left, or is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Striping {
    /// Over so many interfaces, at least 1; not more than a node has.
    pub over: u32,
    /// From so many bytes on; shorter ones go through one interface.
    pub from: Bytes,
}

impl Default for Striping {
    /// None: each message goes through one interface.
    fn default() -> Self {
        Self { over: 1, from: Bytes::ZERO }
    }
}

impl Striping {
    /// Over how many interfaces a message is striped that is made of units of so many bytes: a unit is not divided.
    ///
    /// # Panics
    /// When a unit has no bytes.
    #[inline]
    pub fn parts(&self, bytes: Bytes, unit: Bytes) -> u32 {
        if self.over == 1 || bytes < self.from {
            return 1;
        }
        let units = bytes.0.div_ceil(unit.0);
        self.over.min(u32::try_from(units).unwrap_or(u32::MAX)).max(1)
    }

    /// The bytes of each of so many parts, if units are dealt out to them in turn; together those of the message.
    ///
    /// # Panics
    /// When there is no part, or a unit has no bytes.
    pub fn shares(parts: u32, bytes: Bytes, unit: Bytes) -> impl Iterator<Item = Bytes> {
        let (parts, units) = (u64::from(parts), bytes.0.div_ceil(unit.0));
        let rest = units.saturating_mul(unit.0) - bytes.0;
        (0..parts).map(move |part| {
            let own = (units + parts - 1 - part) / parts;
            let has_the_last = units > 0 && (units - 1) % parts == part;
            Bytes(own * unit.0 - if has_the_last { rest } else { 0 })
        })
    }

    /// The bytes of parts that are sent at these speeds, so that all are sent in nearly the same time. A part may be nothing.
    ///
    /// # Panics
    /// When there is no part, a unit has no bytes, or a speed is not above zero.
    pub fn shares_by_speed(speeds: &[f64], bytes: Bytes, unit: Bytes) -> Vec<Bytes> {
        assert!(speeds.iter().all(|&speed| speed > 0.0), "speeds are above zero");
        if speeds.windows(2).all(|pair| pair[0] == pair[1]) {
            return Self::shares(speeds.len() as u32, bytes, unit).collect();
        }
        let (units, all) = (bytes.0.div_ceil(unit.0), speeds.iter().sum::<f64>());
        let (mut before, mut so_far) = (0, 0.0);
        let mut share = |&speed: &f64| {
            so_far += speed;
            let end = ((units as f64 * (so_far / all)).round() as u64).clamp(before, units);
            let [begin, end] =
                [std::mem::replace(&mut before, end), end].map(|units| units.saturating_mul(unit.0));
            Bytes(end.min(bytes.0) - begin.min(bytes.0))
        };
        let mut shares: Vec<Bytes> = speeds.iter().map(&mut share).collect();
        // What rounding has left over.
        let left = bytes.0 - shares.iter().map(|share| share.0).sum::<u64>();
        shares.last_mut().into_iter().for_each(|last| last.0 += left);
        shares
    }
}

#[cfg(test)]
mod tests;
