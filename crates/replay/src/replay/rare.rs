//! Rare events: matched probes, requests of the program's own, files, windows, partitioned messages.

use super::{Replay, ReplayState};
use std::collections::BTreeMap;
use weir_message::window::{Access as Asked, Layout, Until, Update};
use weir_message::{
    Actions, CommunicatorId, Completion, Data, Ending, Group, MemoryWork, MessageId, MpiError, PROC_NULL,
    PartitionChannel, RequestId, Result, Selector, SendChoices, Status,
};
use weir_operations::{Access, Asks, Operation, Over, Side, Step, WindowOperation};
use weir_units::Rank;

/// State that few ranks need.
#[derive(Debug, Default)]
pub(super) struct Rare {
    /// Messages that are taken out of the queue, by number.
    messages: BTreeMap<u32, MessageId>,
    /// Sides of partitioned operations.
    channels: BTreeMap<u32, PartitionChannel>,
    /// Partitioned sends under way, by request.
    sends: BTreeMap<u32, PartitionChannel>,
    /// Timers that end accesses to files.
    ends: Vec<(u64, RequestId)>,
}

impl Replay {
    fn rare(&mut self) -> &mut Rare {
        self.rare.get_or_insert_default()
    }

    fn id(&self, RequestId(number): RequestId) -> RequestId {
        self.requests[number as usize]
    }

    pub(super) fn start_rare(&mut self, operation: &Operation, actions: &mut Actions) -> Result<()> {
        match operation {
            Operation::Match { from, communicator, .. } => {
                let (source, tag) = self.shared.ground.asked(*from);
                let id = self.communicator(*communicator)?;
                self.state = ReplayState::Probe(id, self.process.selector(id, source, tag)?);
            }
            Operation::ReceiveMatched { message, bytes, request } => {
                let found = self.rare().messages.remove(&message.0).ok_or(MpiError::Request)?;
                let id = self.process.receive_matched(actions, found, *bytes)?;
                self.started(id, *request);
            }
            Operation::Cancel { request } => {
                let id = self.id(*request);
                self.process.cancel(actions, id)?;
                self.state = ReplayState::Cancel(id);
            }
            Operation::See { .. } => self.state = ReplayState::Several(0),
            Operation::Open { request } => {
                let id = self.process.open();
                self.keep(*request, id);
            }
            Operation::Choose(choices) => {
                self.process.choose(SendChoices::on(self.shared.ground.setting.interfaces, choices));
                self.over();
            }
            Operation::Fulfil { request } => {
                self.process.fulfil(actions, self.id(*request))?;
                self.finish_released();
                self.over();
            }
            Operation::File { lasts, request, .. } => {
                let status = Status::empty();
                let id = self.process.start_outside(Completion { status, data: Data::default(), from: None });
                if lasts.as_ps() == 0 {
                    self.process.end_outside(actions, id);
                } else {
                    self.tokens += 1;
                    let token = self.tokens;
                    actions.set_timer(actions.now() + *lasts, token);
                    self.rare().ends.push((token, id));
                }
                self.started(id, *request);
            }
            Operation::Access { access, target, bytes, communicator, request } => {
                self.reach(actions, (*access, *target, *bytes), *communicator, *request)?;
            }
            Operation::Window { communicator, operation } => {
                self.start_at_window(operation, *communicator, actions)?
            }
            Operation::Channel { channel, side, peer, tag, communicator } => {
                let id = self.communicator(*communicator)?;
                let peer = peer.map_or(PROC_NULL, |peer| peer as i32);
                let made = match side {
                    Side::Send => self.process.partitioned_send(id, peer, *tag)?,
                    Side::Receive => self.process.partitioned_receive(id, peer, *tag)?,
                };
                self.rare().channels.insert(*channel, made);
                self.over();
            }
            Operation::StartSend { channel, partitions, request } => {
                let channel = self.channel(*channel)?;
                let id = self.process.start_partitioned_send(actions, &channel, *partitions as usize);
                self.rare().sends.insert(request.0, channel);
                self.keep(*request, id);
            }
            Operation::StartReceive { channel, bytes, request } => {
                let channel = self.channel(*channel)?;
                let id = self.process.start_partitioned_receive(actions, &channel, Data::Length(*bytes));
                self.keep(*request, id);
            }
            Operation::Ready { request, number, bytes } => {
                let id = self.id(*request);
                let channel = self.rare().sends.get(&request.0).copied().ok_or(MpiError::Request)?;
                self.process.partition_ready(actions, id, &channel, *number, Data::Length(*bytes));
                self.over();
            }
            _ => self.over(),
        }
        Ok(())
    }

    fn channel(&mut self, number: u32) -> Result<PartitionChannel> {
        self.rare().channels.get(&number).copied().ok_or(MpiError::Request)
    }

    /// A message is there: a matched probe takes it.
    pub(super) fn take_message(&mut self, step: &Step, selector: &Selector) {
        self.process.makes_progress();
        if let Operation::Match { message, .. } = &step.operation
            && let Some((id, _)) = self.process.match_message(selector)
        {
            self.rare().messages.insert(message.0, id);
        }
    }

    /// Returns whether a timer ends an access to a file.
    pub(super) fn ends_access(&mut self, token: u64, actions: &mut Actions) -> bool {
        let Some(rare) = &mut self.rare else { return false };
        let Some(place) = rare.ends.iter().position(|&(known, _)| known == token) else { return false };
        let (_, id) = rare.ends.swap_remove(place);
        self.process.end_outside(actions, id);
        true
    }

    /// Does what others ask of this rank's memory, of which there is none.
    pub(super) fn serve(&mut self, actions: &mut Actions) {
        while let Some(work) = self.process.next_memory_work() {
            if let MemoryWork::Access { asker, access, .. } = work {
                let fetched = if access.what.fetches() { access.layout.bytes() as u64 } else { 0 };
                self.process.answer(actions, asker, Ok(Data::Length(fetched)));
            }
        }
    }

    fn reach(
        &mut self,
        actions: &mut Actions,
        (access, target, bytes): (Access, u32, u64),
        window: u32,
        request: Option<RequestId>,
    ) -> Result<()> {
        let window = self.communicator(window)?;
        let (layout, data) = (Layout::contiguous(bytes as usize), Data::Length(access.given(bytes)));
        let ending = if request.is_some() { Ending::Requested } else { Ending::Synchronised };
        // There are no data that could be combined.
        let asked = Asked { what: access, update: Update::default(), displacement: 0, layout, data };
        let started = self.process.access(actions, window, target as i32, asked, ending)?;
        match (started.request, request) {
            (Some(id), Some(request)) => self.keep(request, id),
            _ => self.over(),
        }
        Ok(())
    }

    /// Comes to a step at a window: does it, or waits for what has to come before.
    fn start_at_window(
        &mut self,
        operation: &WindowOperation,
        communicator: u32,
        actions: &mut Actions,
    ) -> Result<()> {
        let id = self.communicator(communicator)?;
        let until = match operation {
            WindowOperation::Open => {
                self.process.make_window(id)?;
                None
            }
            WindowOperation::Close => {
                self.process.may_close_window(id)?;
                self.process.close_window(id)?;
                self.known.forget(communicator);
                None
            }
            WindowOperation::Fence { after } => {
                self.process.begin_fence(id)?;
                self.process.end_fence(id, *after)?;
                None
            }
            WindowOperation::Post { group, conflicts } => {
                let group = self.group(id, group)?;
                self.process.post_window(actions, id, &group, *conflicts)?;
                None
            }
            WindowOperation::Flush { rank, over } => {
                let target = rank.map(|rank| self.process.window_rank(id, rank as i32)).transpose()?;
                Some(if *over == Over::There { Until::Done(target) } else { Until::DoneHere(target) })
            }
            WindowOperation::Start { group, conflicts } => {
                let group = self.group(id, group)?;
                self.process.start_window(id, group, *conflicts)?;
                Some(Until::Posted)
            }
            WindowOperation::Lock { rank, lock, conflicts } => {
                self.process.lock_window(actions, id, *rank as i32, *lock, *conflicts)?;
                Some(Until::Granted)
            }
            WindowOperation::LockAll { asks, conflicts } => {
                let members: Vec<Rank> = match asks {
                    Asks::AtOnce => self.process.communicator(id)?.group.members().collect(),
                    Asks::WhenReached => Vec::new(),
                };
                self.process.lock_all(actions, id, &members, *conflicts)?;
                Some(Until::Granted)
            }
            WindowOperation::Complete => {
                self.process.may_complete(id)?;
                Some(Until::Done(None))
            }
            WindowOperation::Wait { .. } => {
                self.process.is_exposed(id)?;
                Some(Until::Completed)
            }
            WindowOperation::Unlock { rank } => {
                Some(Until::Done(Some(self.process.may_unlock(id, *rank as i32)?)))
            }
            WindowOperation::UnlockAll => {
                self.process.may_unlock_all(id)?;
                Some(Until::Done(None))
            }
        };
        match until {
            Some(until) => self.state = ReplayState::Window(id, until),
            None => self.over(),
        }
        Ok(())
    }

    /// Does the step at a window that follows the wait.
    pub(super) fn end_at_window(
        &mut self,
        operation: &Operation,
        id: CommunicatorId,
        actions: &mut Actions,
    ) -> Result<()> {
        let Operation::Window { operation, .. } = operation else { return Ok(()) };
        match &**operation {
            WindowOperation::Complete => self.process.complete_window(actions, id),
            WindowOperation::Wait { .. } => self.process.end_exposure(id),
            WindowOperation::Unlock { rank } => self.process.unlock_window(actions, id, *rank as i32),
            WindowOperation::UnlockAll => self.process.unlock_all(actions, id),
            _ => Ok(()),
        }
    }

    /// The group of these ranks of a window.
    fn group(&self, window: CommunicatorId, ranks: &[u32]) -> Result<Group> {
        let rank = |&rank: &u32| self.process.window_rank(window, rank as i32);
        Ok(Group::new(&ranks.iter().map(rank).collect::<Result<Vec<Rank>>>()?))
    }
}
