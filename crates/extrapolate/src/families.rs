//! Families of communicators: those that one call has made, on all the ranks that called it.
//!
//! A profile numbers communicators in the order in which they were made. Each goes, in this order, to the first family none of whose
//! members it shares: rows of a grid become one family and its columns another.

use std::collections::BTreeMap;
use weir_formats::profile::Profile;
use weir_operations::{ALONE, WORLD};
use weir_units::Rank;

/// One communicator each for some of the ranks, without ranks in common.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Family {
    /// The members of each, in the order of their ranks in it.
    pub(crate) groups: Vec<Vec<u32>>,
    /// The group of each rank, and its rank there.
    places: BTreeMap<u32, (usize, usize)>,
}

impl Family {
    pub(crate) fn add(&mut self, members: Vec<u32>) {
        let group = self.groups.len();
        self.places.extend(members.iter().enumerate().map(|(place, &rank)| (rank, (group, place))));
        self.groups.push(members);
    }

    fn has_any(&self, members: &[Rank]) -> bool {
        members.iter().any(|rank| self.places.contains_key(&rank.0))
    }

    /// The group of a rank, and its rank there.
    pub(crate) fn place(&self, rank: u32) -> Option<(usize, usize)> {
        self.places.get(&rank).copied()
    }
}

/// The families of a profile.
#[derive(Clone, Debug, Default)]
pub(crate) struct Families {
    pub(crate) list: Vec<Family>,
    /// The family of each communicator.
    of: BTreeMap<u32, u32>,
}

/// The number of the first family among operations, behind the two communicators that all profiles have.
pub(crate) const FIRST: u32 = 2;

impl Families {
    /// The families of a profile.
    ///
    /// # Errors
    /// A communicator between two groups.
    pub(crate) fn of(profile: &Profile) -> Result<Self, String> {
        let mut families = Self::default();
        for (number, members) in profile.communicators.iter() {
            if profile.communicators.between(number).is_some() {
                return Err(format!(
                    "communicator {number} is between two groups, which is not extrapolated"
                ));
            }
            let found = families.list.iter().position(|family| !family.has_any(members));
            let place = found.unwrap_or_else(|| {
                families.list.push(Family::default());
                families.list.len() - 1
            });
            families.list[place].add(members.iter().map(|rank| rank.0).collect());
            families.of.insert(number, place as u32);
        }
        Ok(families)
    }

    pub(crate) fn code(&self, communicator: u32) -> u32 {
        self.of.get(&communicator).map_or(communicator, |family| FIRST + family)
    }
}

/// The rank of a rank of the world in its communicator of this code, and how many there are; `None` where it is in none.
pub(crate) fn local(list: &[Family], ranks: u32, code: u32, rank: u32) -> Option<(u32, u32)> {
    match code {
        WORLD => Some((rank, ranks)),
        ALONE => Some((0, 1)),
        _ => {
            let family = list.get((code - FIRST) as usize)?;
            let (group, place) = family.place(rank)?;
            Some((place as u32, family.groups[group].len() as u32))
        }
    }
}
