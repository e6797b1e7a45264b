//! Partitioned messages (MPI 5.0, chapter 4): the program says of each partition when it is ready.
//!
//! # Model
//! Every partition of the sender is a message of its own, eager or by rendezvous as its length asks for, that goes when
//! the partition is ready. Its tag is its number; the pair of operations that it belongs to has a context of its own,
//! which both sides compute alike, since operations of one pair of ranks, communicator and tag match in the order in
//! which they are made. The partitions of a sender are equally long, so a number and a length say where data belong,
//! and the receiver may have other partitions than the sender. It posts one receive after the other until it has been
//! promised all bytes. Without bytes there is no message.

use super::Process;
use super::sending::Outgoing;
use crate::request::{About, Gathering, Owner, Request, State};
use crate::{
    ANY_TAG, Actions, CommunicatorId, Completion, Data, Envelope, Mode, MpiError, PROC_NULL,
    PartitionChannel, RequestId, Result, Selector, Status,
};
use std::ops::Range;
use weir_network::causes::Sending;
use weir_operations::{Operation, Side};
use weir_units::{Time, mix};

impl Gathering {
    fn has(&self, asked: &Range<usize>) -> bool {
        let overlap =
            |range: &Range<usize>| range.end.min(asked.end).saturating_sub(range.start.max(asked.start));
        self.there.iter().map(overlap).sum::<usize>() == asked.len()
    }
}

/// Keeps contexts of partitioned operations apart from those of communicators.
const PARTITIONED: u64 = 0x7061_7274_6974_696f;

/// A side for the observer.
fn made(channel: &PartitionChannel, side: Side) -> Operation {
    let About { communicator, peer, tag } = channel.about;
    let (peer, communicator) = (u32::try_from(peer).ok(), communicator.0);
    Operation::Channel { channel: channel.number, side, peer, tag, communicator }
}

impl Process {
    /// Makes the sending side of a partitioned operation.
    pub fn partitioned_send(&mut self, id: CommunicatorId, to: i32, tag: i32) -> Result<PartitionChannel> {
        self.check_send(id, to, tag)?;
        let own = self.communicator(id)?.rank;
        let channel = self.channel(About { communicator: id, peer: to, tag }, own, 0)?;
        self.observe(|| made(&channel, Side::Send));
        Ok(channel)
    }

    /// Makes the receiving side of a partitioned operation. There are no wildcards.
    pub fn partitioned_receive(
        &mut self,
        id: CommunicatorId,
        from: i32,
        tag: i32,
    ) -> Result<PartitionChannel> {
        self.check_send(id, from, tag)?;
        // The number of the sender distinguishes the channels of different senders.
        let channel = self.channel(About { communicator: id, peer: from, tag }, from as u32, 1)?;
        self.observe(|| made(&channel, Side::Receive));
        Ok(channel)
    }

    /// The channel to or from `about.peer` whose messages are those of `sender`.
    fn channel(&mut self, about: About, sender: u32, side: u64) -> Result<PartitionChannel> {
        let comm = self.communicator(about.communicator)?;
        let (start, own) = (comm.context, comm.rank);
        let peer = if about.peer == PROC_NULL { None } else { Some(comm.world_rank(about.peer)?) };
        let receiver = if side == 0 { about.peer as u32 } else { own };
        let pair = mix(u64::from(sender) << 32 | u64::from(receiver));
        let kind = mix(mix(start ^ PARTITIONED) ^ pair ^ mix(about.tag as u64));
        let made = &mut self.rare().partitioned;
        let key = mix(kind ^ side);
        let place = made.iter().position(|(known, _)| *known == key).unwrap_or_else(|| {
            made.push((key, 0));
            made.len() - 1
        });
        made[place].1 += 1;
        let number = made.iter().map(|(_, count)| *count as u32).sum::<u32>() - 1;
        Ok(PartitionChannel { context: mix(kind ^ made[place].1), number, own, peer, about })
    }

    /// Starts a partitioned send: its request is complete when all partitions have been sent.
    pub fn start_partitioned_send(
        &mut self,
        actions: &mut Actions,
        channel: &PartitionChannel,
        partitions: usize,
    ) -> RequestId {
        self.begin(actions.now());
        let request = self.start_whole(if channel.peer.is_some() { partitions } else { 0 }, channel.about);
        let (channel, partitions) = (channel.number, partitions as u32);
        self.observe(|| Operation::StartSend { channel, partitions, request });
        request
    }

    /// Partition `number` of a started send is ready: it goes. Each partition is to be ready once.
    pub fn partition_ready(
        &mut self,
        actions: &mut Actions,
        id: RequestId,
        channel: &PartitionChannel,
        number: u32,
        data: impl Into<Data>,
    ) {
        let Some(to) = channel.peer else { return };
        let data = data.into();
        let bytes = data.length();
        self.begin(actions.now());
        // Of a message of nothing, only the last partition goes, to say so.
        let sent = if data.length() == 0 && self.parts_left(id) > 1 {
            None
        } else {
            let envelope = Envelope { context: channel.context, source: channel.own, tag: number as i32 };
            let (mode, owner, about) = (Mode::Standard, Owner::Part(id), channel.about);
            self.start_send(actions, Outgoing { mode, envelope, to, data, owner, about })
        };
        if sent.is_none() {
            self.part_of_whole_is_over(actions, id, self.clock, None);
        }
        self.observe(|| Operation::Ready { request: id, number, bytes });
    }

    /// Starts a partitioned receive of as many bytes as `room` has; its completion carries them.
    pub fn start_partitioned_receive(
        &mut self,
        actions: &mut Actions,
        channel: &PartitionChannel,
        room: Data,
    ) -> RequestId {
        self.begin(actions.now());
        let about = channel.about;
        let capacity = room.length();
        let started = |process: &Self, request| {
            process.observe(|| Operation::StartReceive { channel: channel.number, bytes: capacity, request });
            request
        };
        if channel.peer.is_none() {
            let request = self.received_from_nobody(about);
            return started(self, request);
        }
        let gathering =
            Gathering { channel: *channel, data: room, promised: 0, there: Vec::new(), error: None };
        let state = State::Gathering(Box::new(gathering));
        let id = self.requests.add(Request { state, owner: Owner::Program, about });
        self.post_partitions(actions, id, None);
        started(self, id)
    }

    /// These bytes of a partitioned receive, if they are there.
    pub fn partition(&self, id: RequestId, range: Range<usize>) -> Result<Option<&[u8]>> {
        let request = self.requests.get(id).ok_or(MpiError::Request)?;
        Ok(match &request.state {
            // Of a receive of nothing, every part is there when the message has come, which completes it.
            State::Gathering(gathering) => {
                (gathering.data.length() > 0 && gathering.has(&range)).then(|| gathering.data.slice(range))
            }
            State::Complete { completion, .. } => {
                Some(completion.data.bytes().get(range).unwrap_or_default())
            }
            _ => None,
        })
    }

    /// Notes that more bytes of a partitioned receive have been promised; it posts receives until all are.
    pub(super) fn post_partitions(&mut self, actions: &mut Actions, id: RequestId, promised: Option<u64>) {
        let mut promised = promised;
        loop {
            // With its last message, it may be complete by now, or gone.
            let Some(Request { state: State::Gathering(gathering), .. }) = self.requests.get_mut(id) else {
                return;
            };
            gathering.promised += promised.unwrap_or(0);
            // One message comes in any case, also of nothing.
            if promised.is_some() && gathering.promised >= gathering.data.length() {
                return;
            }
            let Gathering { channel, data, .. } = &**gathering;
            let (capacity, channel) = (data.length(), *channel);
            let selector = Selector { context: channel.context, source: channel.about.peer, tag: ANY_TAG };
            let part = self.add_receive(capacity, Owner::Partition(id), channel.about);
            let Some(message) = self.matching.take_unexpected(&selector) else {
                return self.post(actions, selector, part);
            };
            promised = Some(message.bytes());
            self.take(actions, part, message, Sending::Late);
        }
    }

    /// A message of a partitioned receive is there, since `at`.
    pub(super) fn partition_is_there(
        &mut self,
        actions: &mut Actions,
        id: RequestId,
        at: Time,
        part: Completion,
    ) {
        self.wait_for_completion(at);
        self.pay_for_receive(part.from, &part.data);
        let request = self.requests.get_mut(id).expect("a partitioned receive lives until all is there");
        let State::Gathering(gathering) = &mut request.state else {
            unreachable!("partitions belong to partitioned receives")
        };
        let length = part.data.length() as usize;
        let start = part.status.tag as usize * length;
        let (end, room) = (start + length, gathering.data.length() as usize);
        if end <= room {
            gathering.data.put(start, part.data.bytes());
        } else {
            let error = MpiError::Truncate { message: end as u64, buffer: room as u64 };
            gathering.error.get_or_insert(error);
        }
        gathering.there.push(start..end);
        if gathering.there.iter().map(Range::len).sum::<usize>() < room {
            return;
        }
        let About { peer: source, tag, .. } = gathering.channel.about;
        let data = std::mem::take(&mut gathering.data);
        let error = gathering.error.take().map(Box::new);
        let status = Status { source, tag, bytes: data.length(), cancelled: false, error };
        self.complete(actions, id, at, Completion { status, data, from: None });
    }
}
