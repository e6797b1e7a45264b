//! Global cables: those that join equal groups of routers, each group with each other one.
//!
//! A group has global *slots*, places for a cable, which are used in rounds of one cable to every other group. The place of the
//! cable to a group in its round is the [`Arrangement`] (Camarero, Vallejo, Beivide: "Topological characterization of Hamming and
//! dragonfly networks and its implications on routing", ACM TACO 11(4), 2014; Hastings et al.: "Comparing global link arrangements
//! for dragonfly networks", CLUSTER 2015). With `G` groups, place `j` of group `g` leads to group `g - j - 1` (palm tree) or
//! `g + j + 1` (relative), modulo `G`, or to `j`, and from `g` on to `j + 1` (absolute).

use crate::error::Mistake;
use crate::mapping::{Generator, permutation};

/// Which global slot of a group leads to which group.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Arrangement {
    /// The groups before, the nearest one first: the middle of each group meets that of the next.
    #[default]
    PalmTree,
    /// The groups by their numbers.
    Absolute,
    /// The groups behind, the nearest one first.
    Relative,
    /// A drawing, the same for every machine of this size.
    Random,
}

/// The global cables of so many groups.
#[derive(Clone, Debug)]
pub(super) struct GlobalCables {
    pub(super) groups: u32,
    pub(super) links_per_pair: u32,
    pub(super) arrangement: Arrangement,
    /// In a random arrangement, by group: the slot of each place, and then the place of each slot.
    drawn: Vec<u32>,
}

impl GlobalCables {
    /// Cables of which so many join any two groups, whose numbers have been checked.
    pub(super) fn new((groups, links_per_pair): (u32, u32), arrangement: Arrangement) -> Self {
        let mut cables = Self { groups, links_per_pair, arrangement, drawn: Vec::new() };
        if arrangement == Arrangement::Random {
            cables.draw();
        }
        cables
    }

    /// The mistakes in numbers of groups of so many routers, of the kind named, that have so many slots each.
    pub(super) fn mistakes(
        (groups, links_per_pair): (u32, u32),
        (routers, kind, global_links): (u32, &str, u32),
    ) -> Vec<Mistake> {
        let mut mistakes = Vec::new();
        let mut refuse = |key, what: String, hint: String| mistakes.push(Mistake { key, what, hint });
        if groups == 0 {
            refuse("groups", "is 0".into(), "take 1 or more".into());
        }
        if links_per_pair == 0 && groups > 1 {
            refuse("links_per_pair", "is 0".into(), "any two groups are joined by one cable at least".into());
        }
        let there_are = u64::from(routers) * u64::from(global_links);
        let needed = u64::from(groups.saturating_sub(1)) * u64::from(links_per_pair);
        if needed > there_are {
            let what = format!(
                "is {groups}: a group needs {needed} global cables, {links_per_pair} to each other group, and has \
                 {routers} {kind} with {global_links} each"
            );
            let most = there_are / u64::from(links_per_pair.max(1)) + 1;
            refuse("groups", what, format!("take at most {most} groups, or more global_links"));
        }
        mistakes
    }

    /// Number of slots of a group that have a cable; they are the first ones.
    fn used(&self) -> u32 {
        self.links_per_pair * (self.groups - 1)
    }

    /// Number of slots with a cable among so many from this one on.
    pub(super) fn used_of(&self, first: u32, slots: u32) -> u32 {
        self.used().saturating_sub(first).min(slots)
    }

    fn draw(&mut self) {
        let used = self.used();
        for group in 0..self.groups {
            let slots = permutation(used as usize, u64::from(group), Generator::SplitMix);
            let mut places = vec![0; used as usize];
            (0..).zip(&slots).for_each(|(place, &slot)| places[slot as usize] = place);
            self.drawn.extend(slots);
            self.drawn.extend(places);
        }
    }

    /// The slot of a group that has a place, or the other way round.
    fn drawn(&self, group: u32, number: u32, place_of_slot: bool) -> u32 {
        let part = 2 * group + u32::from(place_of_slot);
        self.drawn.get((part * self.used() + number) as usize).copied().unwrap_or(number)
    }

    /// The place of the cable to another group, in a round.
    fn place(&self, group: u32, other: u32, round: u32) -> u32 {
        let in_round = match self.arrangement {
            Arrangement::PalmTree => (group + self.groups - other) % self.groups - 1,
            Arrangement::Relative => (other + self.groups - group) % self.groups - 1,
            Arrangement::Absolute | Arrangement::Random => other - u32::from(other > group),
        };
        round * (self.groups - 1) + in_round
    }

    /// The group to which the cable at a place leads.
    fn group_at(&self, group: u32, place: u32) -> u32 {
        let in_round = place % (self.groups - 1);
        match self.arrangement {
            Arrangement::PalmTree => (group + self.groups - in_round - 1) % self.groups,
            Arrangement::Relative => (group + in_round + 1) % self.groups,
            Arrangement::Absolute | Arrangement::Random => in_round + u32::from(in_round >= group),
        }
    }

    /// The slot of a group by which it is joined to another one, in a round.
    fn slot(&self, group: u32, other: u32, round: u32) -> u32 {
        self.drawn(group, self.place(group, other, round), false)
    }

    /// The group and the slot at the other end of the cable at a slot.
    pub(super) fn other_end(&self, group: u32, slot: u32) -> (u32, u32) {
        let place = self.drawn(group, slot, true);
        let (other, round) = (self.group_at(group, place), place / (self.groups - 1));
        (other, self.slot(other, group, round))
    }

    /// The slots at both ends of each cable from one group to another.
    pub(super) fn between(&self, group: u32, other: u32) -> impl Iterator<Item = (u32, u32)> + '_ {
        (0..self.links_per_pair)
            .map(move |round| (self.slot(group, other, round), self.slot(other, group, round)))
    }
}
