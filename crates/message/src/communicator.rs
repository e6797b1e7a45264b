//! Communicators and groups.

use crate::{MpiError, Result, VirtualTopology};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;
use weir_collectives::{Place, Sides};
use weir_units::{Rank, mix};

/// A communicator of one rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct CommunicatorId(pub u32);

impl CommunicatorId {
    /// `MPI_COMM_WORLD`.
    pub const WORLD: Self = Self(0);
    /// `MPI_COMM_SELF`.
    pub const SELF: Self = Self(1);
}

/// An ordered set of ranks of the world.
#[derive(Clone, Debug)]
pub enum Group {
    /// `first, first + stride, ...`: takes no memory however large it is.
    Strided {
        /// The member with rank 0.
        first: u32,
        /// From one member to the next.
        stride: i64,
        /// The number of members.
        size: u32,
    },
    /// The members in order.
    List(Arc<[Rank]>),
}

impl Group {
    /// The first `size` ranks of the world.
    pub const fn world(size: u32) -> Self {
        Self::Strided { first: 0, stride: 1, size }
    }

    /// The group of these members in this order; strided where they are.
    pub fn new(members: &[Rank]) -> Self {
        let size = members.len() as u32;
        let first = members.first().map_or(0, |rank| rank.0);
        let stride = members.get(1).map_or(1, |second| i64::from(second.0) - i64::from(first));
        let strided = Self::Strided { first, stride, size };
        let same =
            members.iter().enumerate().all(|(index, &rank)| strided.member(index as u32) == Some(rank));
        if same { strided } else { Self::List(members.into()) }
    }

    /// The number of members.
    pub fn size(&self) -> usize {
        match self {
            Self::Strided { size, .. } => *size as usize,
            Self::List(members) => members.len(),
        }
    }

    /// The member with this rank.
    pub fn member(&self, rank: u32) -> Option<Rank> {
        match self {
            Self::Strided { first, stride, size } => {
                (rank < *size).then(|| Rank((i64::from(*first) + stride * i64::from(rank)) as u32))
            }
            Self::List(members) => members.get(rank as usize).copied(),
        }
    }

    /// The rank of this member, if it is one. O(1) if strided, else O(size).
    pub fn rank_of(&self, member: Rank) -> Option<u32> {
        match self {
            Self::Strided { first, stride, size } => {
                let offset = i64::from(member.0) - i64::from(*first);
                let rank = if offset == 0 { 0 } else { offset.checked_div(*stride)? };
                (rank * stride == offset && (0..i64::from(*size)).contains(&rank)).then_some(rank as u32)
            }
            Self::List(members) => members.iter().position(|&m| m == member).map(|rank| rank as u32),
        }
    }

    /// All members in order.
    pub fn members(&self) -> impl Iterator<Item = Rank> + '_ {
        (0..self.size() as u32).filter_map(|rank| self.member(rank))
    }
}

/// Keeps the small numbers of the first communicators apart from colors and tags.
const PARENT: u64 = 0x7061_7265_6e74_5f6f;

/// Keeps communicators made by their members alone apart from those that all have made.
const AMONG: u64 = 0x616d_6f6e_675f_7573;

/// Which of the two groups of an intercommunicator: both know them in the same order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Half {
    /// The group whose rank 0 comes first in the world.
    First,
    /// The other one.
    Second,
}

/// The other side of an intercommunicator.
#[derive(Clone, Debug)]
pub struct Remote {
    /// The remote group.
    pub group: Group,
    /// The members of both groups, the first half before the second: so collectives count them.
    pub(crate) all: Group,
    /// Which half this rank's own group is.
    pub half: Half,
}

impl Remote {
    /// The other side as it is seen from the group `local`; both have members, and they have none in common.
    fn new(local: &Group, group: Group) -> Self {
        let half = if local.member(0) < group.member(0) { Half::First } else { Half::Second };
        let (first, second) = match half {
            Half::First => (local, &group),
            Half::Second => (&group, local),
        };
        let all = Group::new(&first.members().chain(second.members()).collect::<Vec<_>>());
        Self { group, all, half }
    }
}

/// A communicator as one of its ranks sees it.
#[derive(Clone, Debug)]
pub struct Communicator {
    /// Messages with this number belong to it; even, and the collectives have the odd number behind it. All members
    /// compute it alike from the parent's, so that no message is needed to agree on it.
    pub context: u64,
    /// Its members.
    pub group: Group,
    /// This rank's number in it.
    pub rank: u32,
    /// For explanations and `MPI_Comm_get_name`.
    pub name: Cow<'static, str>,
    /// The other group, if it is an intercommunicator; `group` is the local one.
    pub remote: Option<Arc<Remote>>,
    /// Who the neighbors are, if the program has said so.
    pub topology: Option<Arc<VirtualTopology>>,
    /// The number of communicators that its members have made from it; all know the same.
    pub children: u64,
    /// The number of collectives that this rank has started on it, one behind the other.
    pub collectives: u64,
    /// Numbers given out for collectives that are started later.
    pub(crate) reserved: u32,
}

impl Communicator {
    pub(crate) fn new(context: u64, group: Group, rank: u32, name: impl Into<Cow<'static, str>>) -> Self {
        Self {
            context: context & !1,
            group,
            rank,
            name: name.into(),
            remote: None,
            topology: None,
            children: 0,
            collectives: 0,
            reserved: 0,
        }
    }

    pub(crate) fn with_remote(self, remote: Group) -> Self {
        let remote = Some(Arc::new(Remote::new(&self.group, remote)));
        Self { remote, ..self }
    }

    /// The group that ranks in sends and receives belong to: the remote one, if there is one.
    pub fn peers(&self) -> &Group {
        self.remote.as_ref().map_or(&self.group, |remote| &remote.group)
    }

    /// All members, in the order in which collectives count them: those of both groups, if there are two.
    pub fn everybody(&self) -> &Group {
        self.remote.as_ref().map_or(&self.group, |remote| &remote.all)
    }

    /// This rank's place among [`Self::everybody`].
    pub fn place(&self) -> Place {
        let before = match &self.remote {
            Some(remote) if remote.half == Half::Second => remote.group.size(),
            _ => 0,
        };
        Place { rank: before + self.rank as usize, size: self.everybody().size() }
    }

    /// The two groups of an intercommunicator, as its collectives see them.
    pub fn sides(&self) -> Option<Sides> {
        let remote = self.remote.as_ref()?;
        let (local, others) = (self.group.size(), remote.group.size());
        let (before, others_before) = if remote.half == Half::First { (0, local) } else { (others, 0) };
        Some(Sides {
            local: Place { rank: self.rank as usize, size: local },
            before,
            remote: others,
            remote_before: others_before,
        })
    }

    pub(crate) fn world_rank(&self, rank: i32) -> Result<Rank> {
        let known = u32::try_from(rank).ok().and_then(|rank| self.peers().member(rank));
        known.ok_or_else(|| MpiError::Rank { rank, size: self.peers().size() })
    }

    /// The context of the next communicator made from this one for the members with this color. Every member calls
    /// it the same number of times, since making communicators is collective.
    pub(crate) fn next_context(&mut self, color: i32) -> u64 {
        self.children += 1;
        // With 64 well mixed bits, two communicators of a program never meet. The contexts of the world and of a rank
        // alone are small numbers, as colors are: so they are mixed before they meet.
        mix(mix(self.context ^ PARENT) ^ (self.children << 32) ^ u64::from(color as u32))
    }

    /// The context of the next communicator that `members` make among themselves with this tag. Only they call it, so
    /// it depends on nothing but what they have made so before: `made` has a number for communicator, members and tag,
    /// and how many there have been.
    pub(crate) fn next_context_among(&self, members: &Group, tag: i32, made: &mut BTreeMap<u64, u64>) -> u64 {
        context_among(mix(self.context ^ PARENT) ^ u64::from(tag as u32), members, made)
    }

    /// The share of this rank's group in the context of an intercommunicator. Every member calls it the same number of
    /// times, and no other group that this rank can meet has the same number.
    pub(crate) fn next_half_context(&mut self) -> u64 {
        let first = self.group.member(0).map_or(0, |rank| u64::from(rank.0));
        mix(self.next_context(0) ^ mix(first))
    }
}

/// The context of an intercommunicator, of what both groups bring; the same on both sides.
pub(crate) fn context_between(local: u64, remote: u64) -> u64 {
    mix(local.wrapping_add(remote))
}

/// The context of the next communicator that `members` make among themselves under the number `start`.
pub(crate) fn context_among(start: u64, members: &Group, made: &mut BTreeMap<u64, u64>) -> u64 {
    let key = members.members().fold(mix(start ^ AMONG), |sum, member| mix(sum ^ u64::from(member.0)));
    let number = made.entry(key).or_insert(0);
    *number += 1;
    mix(key ^ (*number << 32))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_know_their_members() {
        for members in [vec![0, 1, 2, 3], vec![5, 3, 1], vec![7], vec![2, 9, 4], vec![]] {
            let members: Vec<Rank> = members.into_iter().map(Rank).collect();
            let group = Group::new(&members);
            assert_eq!(group.members().collect::<Vec<_>>(), members);
            assert_eq!(group.size(), members.len());
            for (rank, &member) in members.iter().enumerate() {
                assert_eq!(group.rank_of(member), Some(rank as u32), "{members:?}");
            }
            assert_eq!(group.rank_of(Rank(100)), None);
            assert_eq!(group.rank_of(Rank(6)), None);
        }
    }

    /// Contexts of whatever is made from communicators with small numbers and with mixed ones, of all colors, tags, members and
    /// halves, the first and later ones, never meet.
    #[test]
    fn contexts_do_not_meet() {
        let parents = (0..100).map(|number| 2 * number).chain((1..20).map(|number| mix(number) & !1));
        let mut all: Vec<u64> = parents.clone().collect();
        let mut made = BTreeMap::new();
        for parent in parents {
            let group = |first: u32| Group::new(&[Rank(first), Rank(first + 1)]);
            let of_parent = || Communicator::new(parent, group(0), 0, "parent");
            for color in 0..10 {
                let mut of_color = of_parent();
                all.extend((0..3).map(|_| of_color.next_context(color)));
            }
            for (first, tag) in (0..10).flat_map(|first| (0..10).map(move |tag| (first, tag))) {
                let members = group(first);
                all.extend((0..3).map(|_| of_parent().next_context_among(&members, tag, &mut made)));
            }
            for first in 0..10 {
                let mut half = Communicator::new(parent, group(first), 0, "half");
                all.extend((0..3).map(|_| half.next_half_context()));
            }
        }
        let count = all.len();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), count);
    }

    #[test]
    fn both_sides_of_an_intercommunicator_count_alike() {
        let group = |ranks: &[u32]| Group::new(&ranks.iter().copied().map(Rank).collect::<Vec<_>>());
        let (a, b) = (group(&[4, 0]), group(&[2, 3, 1]));
        let see = |own: &Group, other: &Group, rank: u32| {
            Communicator::new(8, own.clone(), rank, "between").with_remote(other.clone())
        };
        let (one, other) = (see(&a, &b, 1), see(&b, &a, 2));
        let order: Vec<u32> = one.everybody().members().map(|rank| rank.0).collect();
        assert_eq!(order, [2, 3, 1, 4, 0]);
        assert!(one.everybody().members().eq(other.everybody().members()));
        assert_eq!((one.place().rank, other.place().rank), (4, 2));
        assert_eq!(one.world_rank(2), Ok(Rank(1)), "ranks name the remote group");
        assert!(other.world_rank(2).is_err());
        let sides = other.sides().expect("there are two groups");
        assert_eq!((sides.before, sides.remote_before, sides.remote), (0, 3, 2));
    }

    #[test]
    fn members_agree_on_a_context_though_others_do_not_take_part() {
        let world = Communicator::new(0, Group::world(4), 0, "world");
        let (mut one, mut other) = (BTreeMap::new(), BTreeMap::new());
        let (pair, all) = (Group::new(&[Rank(1), Rank(3)]), Group::world(4));
        let first = world.next_context_among(&pair, 5, &mut one);
        // The other has made something else in between.
        let different = world.next_context_among(&all, 5, &mut other);
        assert_eq!(world.next_context_among(&pair, 5, &mut other), first);
        assert_ne!(first, different);
        assert_ne!(world.next_context_among(&pair, 5, &mut one), first, "a second one is another");
        assert_ne!(world.next_context_among(&pair, 6, &mut one), first);
    }
}
