//! Which of its interfaces a node gives a message to.
//!
//! # Model
//! The rule knows the node alone: whose turn it is, who sends to whom, and what its own interfaces have not sent. So the choice depends on
//! nothing that another node does at the same time. Of several cables of a node, those come into question by which there is a way.

use crate::{Message, Striping, Way};
use serde::{Deserialize, Serialize};
use weir_units::{Bytes, NodeId, Rank};

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
        let rail = message.way.as_deref().and_then(Way::rail).map(|rail| u32::from(rail) % count);
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

/// Hash of a pair of ranks (the finalizer of `SplitMix64`).
fn hash(from: Rank, to: Rank) -> u64 {
    let mut x = (from.index() as u64) << 32 | to.index() as u64;
    x = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

#[cfg(test)]
mod tests;
