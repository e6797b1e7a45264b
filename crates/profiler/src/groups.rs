//! Communicators, windows and files of all ranks, and their numbers in the profile.

use std::collections::BTreeMap;
use std::io;
use std::rc::Rc;
use weir_formats::profile::Groups;
use weir_operations::{ALONE, WORLD};
use weir_units::Rank;

/// A communicator as one of its ranks sees it.
#[derive(Clone, Debug)]
pub(crate) struct Group {
    /// Its number in the profile.
    pub(crate) number: u32,
    /// Ranks of the world: the own group, and the other one where there are two.
    pub(crate) members: Rc<[u32]>,
    pub(crate) others: Rc<[u32]>,
}

impl Group {
    pub(crate) fn is_between(&self) -> bool {
        !self.others.is_empty()
    }

    /// The number of ranks that messages go to.
    pub(crate) fn peers(&self) -> usize {
        if self.is_between() { self.others.len() } else { self.members.len() }
    }
}

/// The groups of a communicator in an order that all ranks agree on.
type Key = (Rc<[u32]>, Rc<[u32]>);

/// Numbers of communicators. Two of the same members are made in the same order on all of these, as making one is collective: the
/// first on one rank is the first on the others.
pub(crate) struct Numbers {
    ranks: u32,
    rank: u32,
    numbers: BTreeMap<(Key, u32), u32>,
    /// The number of those of the same members that the rank has seen.
    seen: BTreeMap<Key, u32>,
    /// Those that are not in the profile yet.
    new: Vec<(u32, Groups)>,
}

impl Numbers {
    pub(crate) fn new(ranks: u32) -> Self {
        Self { ranks, rank: 0, numbers: BTreeMap::new(), seen: BTreeMap::new(), new: Vec::new() }
    }

    /// Goes on to another rank.
    pub(crate) fn begin(&mut self, rank: u32) {
        self.rank = rank;
        self.seen.clear();
    }

    pub(crate) fn world(&self) -> Group {
        Group { number: WORLD, members: (0..self.ranks).collect(), others: Rc::new([]) }
    }

    pub(crate) fn alone(&self) -> Group {
        Group { number: ALONE, members: Rc::new([self.rank]), others: Rc::new([]) }
    }

    /// A communicator that the rank has just got; `None` if it has members beyond the world.
    pub(crate) fn define(&mut self, members: &[i64], others: &[i64]) -> Option<Group> {
        let in_world = |rank: &i64| u32::try_from(*rank).ok().filter(|&rank| rank < self.ranks);
        let list = |ranks: &[i64]| ranks.iter().map(in_world).collect::<Option<Rc<[u32]>>>();
        let (members, others) = (list(members)?, list(others)?);
        Some(self.another(&members, &others))
    }

    /// Another one of these members.
    pub(crate) fn another(&mut self, members: &Rc<[u32]>, others: &Rc<[u32]>) -> Group {
        let (own, other) = (Rc::clone(members), Rc::clone(others));
        let key = if !other.is_empty() && other < own { (other, own) } else { (own, other) };
        let seen = self.seen.entry(key.clone()).or_default();
        *seen += 1;
        let next = ALONE + 1 + self.numbers.len() as u32;
        let new = &mut self.new;
        let number = *self.numbers.entry((key, *seen)).or_insert_with_key(|((first, second), _)| {
            let ranks = |ranks: &[u32]| ranks.iter().map(|&rank| Rank(rank)).collect();
            new.push((next, (ranks(first), ranks(second))));
            next
        });
        Group { number, members: Rc::clone(members), others: Rc::clone(others) }
    }

    /// Hands on those that are new.
    pub(crate) fn take_new(
        &mut self,
        mut define: impl FnMut(u32, Groups) -> io::Result<()>,
    ) -> io::Result<()> {
        self.new.drain(..).try_for_each(|(number, groups)| define(number, groups))
    }
}
