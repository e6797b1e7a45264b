//! Starts operations as files have them: with the numbers of their communicators, and collectives that have to be planned.

use crate::setting::{Setting, Sources};
use std::collections::BTreeMap;
use std::sync::Arc;
use weir_collectives::{Choice, Place, Plan};
use weir_formats::profile::Communicators;
use weir_message::window::{Access, Layout, Update};
use weir_message::{
    ANY_SOURCE, ANY_TAG, Actions, Communicator, CommunicatorId, Data, Ending, Group, Meeting, MpiError,
    PROC_NULL, Process, RequestId, Result, WithoutData,
};
use weir_operations::{Collective, Combining, Operation, ReceiveSource, Wildcards};

/// Everything about operations that the ranks of a run share.
pub(crate) struct Ground {
    pub(crate) setting: Setting,
    members: BTreeMap<u32, Members>,
}

/// The members of a communicator: one group, or two.
enum Members {
    One(Group),
    Two(Group, Group),
}

impl Ground {
    pub(crate) fn new(communicators: &Communicators, setting: Setting) -> Self {
        let of = |number, members| match communicators.between(number) {
            None => Members::One(Group::new(members)),
            Some((first, second)) => Members::Two(Group::new(first), Group::new(second)),
        };
        let members = communicators.iter().map(|(number, members)| (number, of(number, members))).collect();
        Self { setting, members }
    }

    /// Source and tag for the message layer.
    pub(crate) fn asked(&self, from: ReceiveSource) -> (i32, i32) {
        if from.asked == Wildcards::Nobody {
            return (PROC_NULL, ANY_TAG);
        }
        let (any_source, any_tag) = match self.setting.sources {
            Sources::AsPosted => (from.asked.any_source(), from.asked.any_tag()),
            Sources::Recorded => (false, false),
        };
        let source = from.source.filter(|_| !any_source).map_or(ANY_SOURCE, |source| source as i32);
        (source, from.tag.filter(|_| !any_tag).unwrap_or(ANY_TAG))
    }
}

/// Says how far an operation is that was to be started.
pub(crate) enum Started {
    /// It goes on under this request.
    Under(RequestId),
    /// It is over.
    Over,
    /// It is none of those that every rank starts alike.
    Not,
}

/// The communicators that a rank has joined, and the plans of its last collectives, since programs call the same ones over and over.
#[derive(Default)]
pub(crate) struct Known {
    communicators: Vec<(u32, CommunicatorId)>,
    plans: Vec<(u32, Collective, Arc<Plan>)>,
}

impl Known {
    /// Different collectives that are kept.
    const MOST: usize = 8;

    /// Starts a message, a collective or an access to a window.
    #[inline]
    pub(crate) fn start(
        &mut self,
        process: &mut Process,
        ground: &Ground,
        operation: &Operation,
        actions: &mut Actions,
    ) -> Result<Started> {
        let request = match operation {
            Operation::Send { mode, to, tag, bytes, communicator, .. } => {
                let to = to.map_or(PROC_NULL, |to| to as i32);
                let id = self.communicator(process, ground, *communicator)?;
                process.send(actions, *mode, id, to, *tag, Data::Length(*bytes))?
            }
            Operation::Receive { from, bytes, communicator, .. } => {
                let (source, tag) = ground.asked(*from);
                let id = self.communicator(process, ground, *communicator)?;
                Some(process.receive(actions, id, source, tag, *bytes)?)
            }
            Operation::Collective { collective, communicator, persistent, .. } => {
                let id = self.communicator(process, ground, *communicator)?;
                let plan =
                    self.plan(*communicator, collective, &ground.setting.choice, process.communicator(id)?)?;
                let workspace = Data::Length(plan.workspace as u64);
                let combines = collective.combines;
                // A profile has no data; of some reductions nothing is known.
                let reduction =
                    (combines != Combining::default()).then(|| Arc::new(WithoutData(combines)) as _);
                let meeting = persistent.map_or(Meeting::InOrder, Meeting::Reserved);
                Some(process.start_collective(actions, id, meeting, &plan, workspace, reduction)?)
            }
            Operation::Access { access, target, bytes, communicator, request } => {
                let id = self.communicator(process, ground, *communicator)?;
                let (layout, data) =
                    (Layout::contiguous(*bytes as usize), Data::Length(access.given(*bytes)));
                // There are no data that could be combined.
                let asked =
                    Access { what: *access, update: Update::default(), displacement: 0, layout, data };
                let ending = if request.is_some() { Ending::Requested } else { Ending::Synchronised };
                process.access(actions, id, *target as i32, asked, ending)?.request
            }
            _ => return Ok(Started::Not),
        };
        Ok(request.map_or(Started::Over, Started::Under))
    }

    /// The message layer's name of a communicator, which the rank joins if it has not yet.
    #[inline]
    pub(crate) fn communicator(
        &mut self,
        process: &mut Process,
        ground: &Ground,
        number: u32,
    ) -> Result<CommunicatorId> {
        if number <= CommunicatorId::SELF.0 {
            return Ok(CommunicatorId(number));
        }
        if let Some(&(_, id)) = self.communicators.iter().find(|(other, _)| *other == number) {
            return Ok(id);
        }
        let id = match ground.members.get(&number).ok_or(MpiError::Communicator)? {
            Members::One(group) => process.join(number, group.clone())?,
            Members::Two(first, second) => {
                let in_first = first.rank_of(process.rank()).is_some();
                let (own, other) = if in_first { (first, second) } else { (second, first) };
                process.join_between(number, own.clone(), other.clone())?
            }
        };
        self.communicators.push((number, id));
        Ok(id)
    }

    /// The communicator is a window no more.
    pub(crate) fn forget(&mut self, number: u32) {
        self.communicators.retain(|(known, _)| *known != number);
    }

    /// The plan of a collective on a communicator of this number.
    fn plan(
        &mut self,
        number: u32,
        collective: &Collective,
        choice: &Choice,
        communicator: &Communicator,
    ) -> Result<Arc<Plan>> {
        let known = self.plans.iter().find(|(other, known, _)| *other == number && known == collective);
        if let Some((_, _, plan)) = known {
            return Ok(Arc::clone(plan));
        }
        let plan = Arc::new(plan(collective, choice, communicator)?);
        if self.plans.len() == Self::MOST {
            self.plans.remove(0);
        }
        self.plans.push((number, collective.clone(), Arc::clone(&plan)));
        Ok(plan)
    }
}

/// The plan of a collective for a rank of this communicator, with these algorithms.
pub(crate) fn plan(of: &Collective, choice: &Choice, communicator: &Communicator) -> Result<Plan> {
    let place = Place { rank: communicator.rank as usize, size: communicator.group.size() };
    let sides = communicator.sides().map(|sides| (communicator.place(), sides));
    Plan::of(of, choice, place, sides).map_err(MpiError::Other)
}
