//! Making communicators of two groups, and of groups that have no communicator in common.

use super::Process;
use crate::communicator::{context_among, context_between};
use crate::request::Owner;
use crate::{Communicator, CommunicatorId, Group, Half, MpiError, RequestId};
use weir_units::mix;

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
    /// The share of this rank's group in the context of the next intercommunicator made from it. Every member of the
    /// communicator calls it.
    ///
    /// # Errors
    /// When there is no such communicator.
    pub fn half_context(&mut self, local: CommunicatorId) -> Result<u64, MpiError> {
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
    ) -> Result<CommunicatorId, MpiError> {
        let comm = self.communicator(local)?;
        if remote.members().any(|member| comm.group.rank_of(member).is_some()) {
            return Err(MpiError::Argument(
                "the two groups of an intercommunicator have a member in common".into(),
            ));
        }
        let context = context_between(halves[0], halves[1]);
        let made = Communicator::new(context, comm.group.clone(), comm.rank, "an intercommunicator".into());
        self.add_communicator(made.with_remote(remote))
    }

    /// The communicator of both groups of an intercommunicator. Collective over both, but needs no message: all know
    /// the order.
    ///
    /// # Errors
    /// When there is no such intercommunicator.
    pub fn merge(&mut self, id: CommunicatorId, order: MergeOrder) -> Result<CommunicatorId, MpiError> {
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
    ///
    /// # Errors
    /// When there is no such intercommunicator.
    pub fn order(&self, id: CommunicatorId, high: bool, others_high: bool) -> Result<MergeOrder, MpiError> {
        let remote = self.communicator(id)?.remote.as_ref().ok_or(MpiError::Communicator)?;
        let local_first = if high == others_high { remote.half == Half::First } else { others_high };
        Ok(if local_first { MergeOrder::LocalFirst } else { MergeOrder::RemoteFirst })
    }

    /// The communicator of a group that has no communicator in common: its members know it by `name`. Collective over
    /// the group, but needs no message.
    ///
    /// # Errors
    /// When this rank is not in the group.
    pub fn create_of_group(&mut self, group: &Group, name: &[u8]) -> Result<CommunicatorId, MpiError> {
        let rank = group.rank_of(self.rank).ok_or(MpiError::Group)?;
        let start = name.iter().fold(OF_GROUP, |sum, &byte| mix(sum ^ u64::from(byte)));
        let context = context_among(start, group, &mut self.made_among);
        let name = format!("of group {}", String::from_utf8_lossy(name));
        self.add_communicator(Communicator::new(context, group.clone(), rank, name))
    }

    /// A communicator of the whole world for messages to ports: every rank may make it when it needs it.
    #[must_use]
    pub fn create_for_ports(&mut self) -> CommunicatorId {
        let world = self.communicators.iter().flatten().next().expect("the world is not freed");
        let made = Communicator::new(PORTS, world.group.clone(), self.rank.0, "ports".into());
        self.keep_communicator(made)
    }

    /// The program's requests on a communicator that are under way.
    #[must_use]
    pub fn pending(&self, id: CommunicatorId) -> Vec<RequestId> {
        let is_pending = |request: &crate::request::Request| {
            matches!(request.owner, Owner::Program | Owner::None)
                && request.about.communicator == id
                && !matches!(request.state, crate::request::State::Complete { .. })
        };
        self.requests.which(is_pending)
    }
}
