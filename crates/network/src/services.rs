//! Service classes: messages that have buffers of their own, and their turns on links.

use crate::{Class, Message};
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;
use std::ops::RangeInclusive;
use weir_units::{Bytes, Rank};

/// A service class: which messages are in it, and what it has of each link.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServiceClass {
    /// Its name.
    pub name: String,
    /// Virtual channels of each link that are its own, at least 1.
    pub channels: u32,
    /// A class with a higher one goes first.
    pub priority: u32,
    /// Its part of a link beside those of other classes of the same priority, at least 1.
    pub weight: u32,
    /// The messages that are in it, beside those of protocols.
    pub messages: Selected,
    /// True if what protocols need beside data is in it, whatever its sender: requests, clearances, acknowledgements.
    pub control: bool,
}

/// Which messages are in a service class.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Selected {
    /// None.
    None,
    /// Those that fit.
    Fitting(Fitting),
    /// All that are in no other class.
    Others,
}

/// Messages of some ranks, of some sizes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fitting {
    /// The ranks that send them; all if there are none here.
    pub ranks: Vec<RangeInclusive<u32>>,
    /// Their least size.
    pub from: Bytes,
    /// They are smaller than that, if it is said.
    pub below: Option<Bytes>,
}

impl Fitting {
    fn fits(&self, rank: Rank, bytes: Bytes) -> bool {
        (self.ranks.is_empty() || self.ranks.iter().any(|ranks| ranks.contains(&rank.0)))
            && bytes >= self.from
            && self.below.is_none_or(|below| bytes < below)
    }

    /// Returns whether a message may fit both.
    pub fn meets(&self, other: &Self) -> bool {
        let one = |first: &RangeInclusive<u32>| {
            other.ranks.iter().any(|second| first.start() <= second.end() && second.start() <= first.end())
        };
        let ranks = self.ranks.is_empty() || other.ranks.is_empty() || self.ranks.iter().any(one);
        let ends_before =
            |one: &Self, other: &Self| one.below.is_some_and(|below| below <= other.from.max(one.from));
        ranks && !ends_before(self, other) && !ends_before(other, self)
    }
}

/// The service classes of a machine, at least two, in an order that does not depend on how they were given: the highest priority first, of
/// one priority the heaviest, and of one weight by name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServiceClasses(Vec<ServiceClass>);

/// The most service classes of a machine.
pub const MOST_SERVICES: usize = 16;

impl ServiceClasses {
    /// All of them; `None` if there is only one, which changes nothing.
    ///
    /// # Panics
    /// When there are more than [`MOST_SERVICES`], or not exactly one takes the messages that are in no other.
    pub fn new(mut classes: Vec<ServiceClass>) -> Option<Self> {
        let others = classes.iter().filter(|class| class.messages == Selected::Others).count();
        assert!(classes.len() <= MOST_SERVICES && (classes.is_empty() || others == 1), "classes are checked");
        classes.sort_by(|one, other| {
            let key = |class: &ServiceClass| (Reverse(class.priority), Reverse(class.weight));
            key(one).cmp(&key(other)).then_with(|| one.name.cmp(&other.name))
        });
        (classes.len() > 1).then_some(Self(classes))
    }

    /// The classes, in their order.
    pub fn all(&self) -> &[ServiceClass] {
        &self.0
    }

    /// The class of a message: its place in the order.
    pub fn of<B>(&self, message: &Message<B>) -> usize {
        self.of_one(message.from, message.bytes, message.class)
    }

    /// The class of a message of a rank, of so many bytes.
    pub fn of_one(&self, from: Rank, bytes: Bytes, class: Class) -> usize {
        let place = |is: &dyn Fn(&ServiceClass) -> bool| self.0.iter().position(is);
        let control = if class.is_data() { None } else { place(&|class| class.control) };
        let fits = |class: &ServiceClass| matches!(&class.messages, Selected::Fitting(fitting) if fitting.fits(from, bytes));
        let found = control.or_else(|| place(&fits));
        found.or_else(|| place(&|class| class.messages == Selected::Others)).unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn class(name: &str, messages: Selected) -> ServiceClass {
        ServiceClass { name: name.into(), channels: 1, priority: 0, weight: 1, messages, control: false }
    }

    fn fitting(ranks: &[RangeInclusive<u32>], from: u64, below: Option<u64>) -> Fitting {
        Fitting { ranks: ranks.to_vec(), from: Bytes(from), below: below.map(Bytes) }
    }

    /// Two ranks and short messages have classes of their own, what protocols need another one; the rest is in the last.
    #[test]
    fn a_message_is_in_one_class() {
        let victims = class("victims", Selected::Fitting(fitting(&[2..=3], 0, None)));
        let short = class("short", Selected::Fitting(fitting(&[0..=1, 4..=9], 0, Some(100))));
        let control = ServiceClass { control: true, priority: 7, ..class("control", Selected::None) };
        let bulk = ServiceClass { weight: 3, ..class("bulk", Selected::Others) };
        let mut given = vec![victims, short, control, bulk];
        let classes = ServiceClasses::new(given.clone()).expect("there are four");
        let names: Vec<&str> = classes.all().iter().map(|class| class.name.as_str()).collect();
        assert_eq!(names, ["control", "bulk", "short", "victims"]);
        given.rotate_left(1);
        assert_eq!(ServiceClasses::new(given), Some(classes.clone()));
        let of = |rank, bytes, class| names[classes.of_one(Rank(rank), Bytes(bytes), class)];
        assert_eq!(of(2, 1000, Class::Data), "victims");
        assert_eq!(of(4, 99, Class::UnorderedData), "short");
        assert_eq!(of(4, 100, Class::Data), "bulk");
        assert_eq!(of(10, 1, Class::Data), "bulk");
        assert_eq!(of(2, 0, Class::Control), "control");
        assert_eq!(of(10, 0, Class::UnorderedControl), "control");
        assert_eq!(ServiceClasses::new(vec![class("one", Selected::Others)]), None);
    }

    #[test]
    fn classes_meet_where_a_message_may_fit_both() {
        let (low, high) = (fitting(&[0..=3], 0, None), fitting(&[4..=7], 0, None));
        assert!(!low.meets(&high) && low.meets(&low));
        assert!(low.meets(&fitting(&[9..=9, 3..=4], 0, None)));
        let (short, long) = (fitting(&[], 0, Some(100)), fitting(&[], 100, None));
        assert!(!short.meets(&long) && !long.meets(&short) && short.meets(&low) && low.meets(&long));
        assert!(short.meets(&fitting(&[], 99, Some(200))));
        // A class without any size has no message.
        assert!(!fitting(&[], 50, Some(50)).meets(&low));
    }
}
