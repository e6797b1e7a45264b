//! Rare events: matched probes, requests of the program's own, files, windows, partitioned messages.

use super::{Replay, ReplayState};
use std::collections::BTreeMap;
use weir_message::{
    Actions, Completion, Data, MemoryWork, MessageId, MpiError, PROC_NULL, PartitionChannel, RequestId,
    Result, Selector, SendChoices, Status,
};
use weir_operations::{Operation, Side, Step, WindowOperation};

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

    /// Comes to a step at a window: does it, or waits for what has to come before.
    fn start_at_window(
        &mut self,
        operation: &WindowOperation,
        communicator: u32,
        actions: &mut Actions,
    ) -> Result<()> {
        let id = self.communicator(communicator)?;
        match self.process.begin_at_window(actions, id, operation)? {
            Some(until) => self.state = ReplayState::Window(id, until),
            None => self.over(),
        }
        if let WindowOperation::Close = operation {
            self.known.forget(communicator);
        }
        Ok(())
    }
}
