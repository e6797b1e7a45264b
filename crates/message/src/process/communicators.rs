//! Making and ending communicators: of one group, of two, and of groups that have no communicator in common.

use super::Process;
use crate::communicator::{context_among, context_between};
use crate::request::{Owner, Request, State};
use crate::{Communicator, CommunicatorId, Group, Half, MpiError, RequestId, Result, UNDEFINED};
use weir_units::{Rank, mix};

/// Open communicators of a rank, at most.
const MOST_COMMUNICATORS: usize = 1 << 16;

/// Which of two groups comes first in the communicator that is made of both.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MergeOrder {
    /// The rank's own.
    LocalFirst,
    /// The other.
    RemoteFirst,
}

/// Keeps communicators made of groups alone apart from those made from other communicators.
const OF_GROUP: u64 = 0x6f66_5f67_726f_7570;

/// The context of messages to ports, which all ranks know.
const PORTS: u64 = 0x706f_7274_735f_6f66;

impl Process {
    /// A communicator of this rank.
    pub fn communicator(&self, id: CommunicatorId) -> Result<&Communicator> {
        match self.communicators.get(id.0 as usize) {
            Some(Some(communicator)) => Ok(communicator),
            _ => Err(MpiError::Communicator),
        }
    }

    /// A communicator of this rank, to be changed.
    pub fn communicator_mut(&mut self, id: CommunicatorId) -> Result<&mut Communicator> {
        match self.communicators.get_mut(id.0 as usize) {
            Some(Some(communicator)) => Ok(communicator),
            _ => Err(MpiError::Communicator),
        }
    }

    /// The communicator whose messages have this context, unless it is freed.
    pub(super) fn communicator_of(&self, context: u64) -> Option<CommunicatorId> {
        let has = |comm: &Option<Communicator>| comm.as_ref().is_some_and(|comm| comm.context == context);
        self.communicators.iter().position(has).map(|index| CommunicatorId(index as u32))
    }

    pub(super) fn communicator_name(&self, context: u64) -> String {
        let comm = self.communicator_of(context).and_then(|id| self.communicator(id).ok());
        comm.map_or_else(|| "a communicator that is freed".into(), |comm| comm.name.to_string())
    }

    /// # Errors
    /// When the program has made very many and freed few of them: other libraries have no more numbers then, and here there
    /// would be no memory left.
    pub(super) fn add_communicator(&mut self, communicator: Communicator) -> Result<CommunicatorId> {
        if self.communicators_held() >= MOST_COMMUNICATORS {
            return Err(MpiError::Other(format!(
                "{MOST_COMMUNICATORS} communicators are open, and there are no more: the program seems to make them over and \
                 over without MPI_Comm_free"
            )));
        }
        Ok(self.keep_communicator(communicator))
    }

    /// The number of communicators that this rank holds.
    pub const fn communicators_held(&self) -> usize {
        self.communicators.len() - self.freed_communicators as usize
    }

    pub(super) fn keep_communicator(&mut self, communicator: Communicator) -> CommunicatorId {
        self.communicators.push(Some(communicator));
        CommunicatorId(self.communicators.len() as u32 - 1)
    }

    /// A copy whose messages never meet the original's. Collective, but needs no message.
    pub fn duplicate(&mut self, id: CommunicatorId) -> Result<CommunicatorId> {
        let comm = self.communicator_mut(id)?;
        let context = comm.next_context(0);
        let topology = comm.topology.clone();
        let remote = comm.remote.clone();
        let copy = Communicator::new(context, comm.group.clone(), comm.rank, format!("dup of {}", comm.name));
        self.add_communicator(Communicator { topology, remote, ..copy })
    }

    /// The communicator of the members of `group`; `None` for the others. Collective, but needs no message.
    pub fn create(&mut self, id: CommunicatorId, group: &Group) -> Result<Option<CommunicatorId>> {
        let own = self.rank;
        let comm = self.communicator_mut(id)?;
        let context = comm.next_context(group.member(0).map_or(0, |rank| rank.0 as i32));
        let name = format!("part of {}", comm.name);
        group
            .rank_of(own)
            .map(|rank| self.add_communicator(Communicator::new(context, group.clone(), rank, name)))
            .transpose()
    }

    /// The communicator of the members of `group` that all of them know by this number, beside those that ranks make
    /// in the standard's ways: a run uses the one or the other. 0 is the world, 1 is each rank alone.
    pub fn join(&mut self, number: u32, group: Group) -> Result<CommunicatorId> {
        if number <= CommunicatorId::SELF.0 {
            return Ok(CommunicatorId(number));
        }
        let rank = group.rank_of(self.rank).ok_or(MpiError::Group)?;
        let context = 2 * u64::from(number);
        self.add_communicator(Communicator::new(context, group, rank, format!("communicator {number}")))
    }

    /// The same between a group that this rank is in and another one.
    pub fn join_between(&mut self, number: u32, group: Group, remote: Group) -> Result<CommunicatorId> {
        let id = self.join(number, group)?;
        let comm = self.communicator_mut(id)?;
        *comm = comm.clone().with_remote(remote);
        Ok(id)
    }

    /// The communicator of the members of `group`, as they make it among themselves: no other rank takes part. Collective
    /// over the group, but needs no message.
    pub fn create_among(&mut self, id: CommunicatorId, group: &Group, tag: i32) -> Result<CommunicatorId> {
        let rank = group.rank_of(self.rank).ok_or(MpiError::Group)?;
        let comm = self.communicators.get(id.0 as usize).and_then(Option::as_ref);
        let comm = comm.ok_or(MpiError::Communicator)?;
        let context = comm.next_context_among(group, tag, &mut self.rare.get_or_insert_default().made_among);
        let name = format!("part of {}", comm.name);
        self.add_communicator(Communicator::new(context, group.clone(), rank, name))
    }

    /// Splits by color, ordered by key: `table` has color and key of everybody, in the order of
    /// [`Communicator::everybody`], as the collective before has gathered them. `None` for [`UNDEFINED`], and between two
    /// groups, where the other group has no rank of this color.
    pub fn split(&mut self, id: CommunicatorId, table: &[(i32, i32)]) -> Result<Option<CommunicatorId>> {
        let own = self.rank;
        let comm = self.communicator_mut(id)?;
        let (color, _) = table[comm.place().rank];
        if color == UNDEFINED {
            comm.next_context(0);
            return Ok(None);
        }
        let context = comm.next_context(color);
        let part = |group: &Group, before: usize| {
            let entries = (0u32..).zip(&table[before..before + group.size()]);
            let mut members: Vec<(i32, u32)> =
                entries.filter(|(_, entry)| entry.0 == color).map(|(rank, entry)| (entry.1, rank)).collect();
            members.sort_unstable();
            let members: Vec<Rank> = members.iter().filter_map(|&(_, rank)| group.member(rank)).collect();
            Group::new(&members)
        };
        let before = comm.sides().map_or((0, 0), |sides| (sides.before, sides.remote_before));
        let group = part(&comm.group, before.0);
        let remote = comm.remote.as_ref().map(|remote| part(&remote.group, before.1));
        let name = format!("split of {}", comm.name);
        let rank = group.rank_of(own).expect("a rank is in the part of its own color");
        let made = Communicator::new(context, group, rank, name);
        Ok(match remote {
            None => Some(self.add_communicator(made)?),
            Some(remote) if remote.size() == 0 => None,
            Some(remote) => Some(self.add_communicator(made.with_remote(remote))?),
        })
    }

    /// Checks that a communicator can be ended.
    pub fn may_free(&self, id: CommunicatorId) -> Result<()> {
        self.communicator(id)?;
        if id <= CommunicatorId::SELF {
            return Err(MpiError::Argument("a predefined communicator cannot be freed".into()));
        }
        Ok(())
    }

    /// Ends a communicator. Messages under way on it still arrive.
    ///
    /// # Errors
    /// When there is no such communicator, or it is the world or self.
    pub fn free(&mut self, id: CommunicatorId) -> Result<()> {
        self.may_free(id)?;
        if let Some(freed) = self.communicators[id.0 as usize].take() {
            self.begun.forget(mix(freed.context));
            self.freed_communicators += 1;
        }
        Ok(())
    }

    /// The share of this rank's group in the context of the next intercommunicator made from it. Every member of the
    /// communicator calls it.
    pub fn half_context(&mut self, local: CommunicatorId) -> Result<u64> {
        Ok(self.communicator_mut(local)?.next_half_context())
    }

    /// The intercommunicator between the group of `local` and the group `remote`, of what both bring into its context.
    ///
    /// # Errors
    /// When there is no such communicator, or the groups have a member in common.
    pub fn create_between(
        &mut self,
        local: CommunicatorId,
        halves: [u64; 2],
        remote: Group,
    ) -> Result<CommunicatorId> {
        let comm = self.communicator(local)?;
        if remote.members().any(|member| comm.group.rank_of(member).is_some()) {
            let what = "the two groups of an intercommunicator have a member in common";
            return Err(MpiError::Argument(what.into()));
        }
        let context = context_between(halves[0], halves[1]);
        let made = Communicator::new(context, comm.group.clone(), comm.rank, "an intercommunicator");
        self.add_communicator(made.with_remote(remote))
    }

    /// The communicator of both groups of an intercommunicator. Collective over both, but needs no message: all know
    /// the order.
    pub fn merge(&mut self, id: CommunicatorId, order: MergeOrder) -> Result<CommunicatorId> {
        let own = self.rank;
        let comm = self.communicator_mut(id)?;
        let remote = comm.remote.clone().ok_or(MpiError::Communicator)?;
        let (first, second) = match order {
            MergeOrder::LocalFirst => (&comm.group, &remote.group),
            MergeOrder::RemoteFirst => (&remote.group, &comm.group),
        };
        let group = Group::new(&first.members().chain(second.members()).collect::<Vec<_>>());
        let context = comm.next_context(0);
        let name = format!("merge of {}", comm.name);
        let rank = group.rank_of(own).expect("a rank is in its own group");
        self.add_communicator(Communicator::new(context, group, rank, name))
    }

    /// The order that puts the group first whose members say that they are not high; where both say the same, the
    /// first half.
    pub fn order(&self, id: CommunicatorId, high: bool, others_high: bool) -> Result<MergeOrder> {
        let remote = self.communicator(id)?.remote.as_ref().ok_or(MpiError::Communicator)?;
        let local_first = if high == others_high { remote.half == Half::First } else { others_high };
        Ok(if local_first { MergeOrder::LocalFirst } else { MergeOrder::RemoteFirst })
    }

    /// The communicator of a group that has no communicator in common: its members know it by `name`. Collective over
    /// the group, but needs no message.
    pub fn create_of_group(&mut self, group: &Group, name: &[u8]) -> Result<CommunicatorId> {
        let rank = group.rank_of(self.rank).ok_or(MpiError::Group)?;
        let start = name.iter().fold(OF_GROUP, |sum, &byte| mix(sum ^ u64::from(byte)));
        let context = context_among(start, group, &mut self.rare().made_among);
        let name = format!("of group {}", String::from_utf8_lossy(name));
        self.add_communicator(Communicator::new(context, group.clone(), rank, name))
    }

    /// A communicator of the whole world for messages to ports: every rank may make it when it needs it.
    pub fn create_for_ports(&mut self) -> CommunicatorId {
        let world = self.communicators.iter().flatten().next().expect("the world is not freed");
        let made = Communicator::new(PORTS, world.group.clone(), self.rank.0, "ports");
        self.keep_communicator(made)
    }

    /// The program's requests on a communicator that are under way.
    pub fn pending(&self, id: CommunicatorId) -> Vec<RequestId> {
        let is_pending = |request: &Request| {
            matches!(request.owner, Owner::Program | Owner::None)
                && request.about.communicator == id
                && !matches!(request.state, State::Complete { .. })
        };
        self.requests.which(is_pending)
    }
}

#[cfg(test)]
mod tests;
