//! Rare events: matched probes, requests of their own, files, windows, partitioned messages.

use super::{Logger, RankLog, asked, found, received};
use crate::twins::Twin;
use std::collections::BTreeMap;
use std::io::Write;
use weir_formats::profile::{Access, Act, Asks, Over, PollFirst, Request, Side, WindowAct};
use weir_message::window::{Until, What};
use weir_message::{ANY_TAG, Communicator, Deed, PROC_NULL, PartitionedDeed, RequestId, WindowDeed};
use weir_units::{Rank, Time};

#[derive(Default)]
pub(super) struct Rare {
    /// Numbers of messages that are taken out of the queue.
    messages: BTreeMap<u32, u32>,
    /// Numbers of the sides of partitioned operations.
    channels: BTreeMap<(u64, bool), u32>,
}

impl<W: Write + Send> Logger<W> {
    pub(super) fn does_rarely(&mut self, rank: Rank, at: Time, deed: Deed<'_>) {
        match deed {
            Deed::Match { source, tag, message, status, communicator } => {
                let communicator = self.number(communicator);
                let from = found(asked(source, tag), status);
                let log = self.log(rank);
                let (look, number) = (log.look(), log.take_number());
                log.rare().messages.insert(message.0, number);
                log.push(at, Act::Match { from, communicator, look, message: Request(number) });
            }
            Deed::ReceiveMatched { message, capacity: bytes, request } => {
                let log = self.log(rank);
                let known = message.and_then(|message| log.rare().messages.remove(&message.0));
                let act = match known.map(Request) {
                    Some(message) => Act::ReceiveMatched { message, bytes, request: Some(message) },
                    None => received(0, (PROC_NULL, ANY_TAG), bytes, Request(log.take_number())),
                };
                self.start(rank, at, act, Some(request));
            }
            Deed::Open(id) => {
                let request = self.new_request(rank);
                self.start(rank, at, Act::Open { request }, Some(id));
            }
            Deed::File { direction, bytes, lasts, request: id } => {
                let request = Some(self.new_request(rank));
                let act = Act::File { direction: direction.twin(), bytes, lasts, request };
                self.start(rank, at, act, Some(id));
            }
            Deed::Window { communicator, deed } => self.uses_window(rank, at, communicator, deed),
            Deed::Partitioned { channel, deed } => self.uses_partitions(rank, at, channel, deed),
            _ => unreachable!("all other deeds are frequent"),
        }
    }

    fn uses_window(&mut self, rank: Rank, at: Time, window: &Communicator, deed: WindowDeed<'_>) {
        let communicator = self.number(window);
        if let WindowDeed::Access { what, target, given, bytes, request: id } = deed {
            let access = match what {
                What::Put => Access::Put,
                What::Accumulate(_) => Access::Accumulate,
                What::GetAccumulate(_) if given > 0 => Access::GetAccumulate,
                What::Get | What::GetAccumulate(_) => Access::Get,
                What::CompareAndSwap => Access::CompareAndSwap,
            };
            let request = id.map(|_| self.new_request(rank));
            let target = target as u32;
            return self.start(rank, at, Act::Access { access, target, bytes, communicator, request }, id);
        }
        if let Some(act) = window_act(window, deed, self.log(rank).look()) {
            self.start(rank, at, Act::Window { communicator, act: Box::new(act) }, None);
        }
    }

    fn uses_partitions(&mut self, rank: Rank, at: Time, context: u64, deed: PartitionedDeed<'_>) {
        let side = match deed {
            PartitionedDeed::Receive { .. } | PartitionedDeed::StartReceive { .. } => Side::Receive,
            _ => Side::Send,
        };
        let known = &mut self.log(rank).rare().channels;
        let next = known.len() as u32;
        let channel = *known.entry((context, side == Side::Send)).or_insert(next);
        let (act, id) = match deed {
            PartitionedDeed::Send { communicator, to: peer, tag }
            | PartitionedDeed::Receive { communicator, source: peer, tag } => {
                let (communicator, peer) = (self.number(communicator), u32::try_from(peer).ok());
                (Act::Channel { channel, side, peer, tag, communicator }, None)
            }
            PartitionedDeed::StartSend { partitions, request: id } => {
                let (partitions, request) = (partitions as u32, self.new_request(rank));
                (Act::StartSend { channel, partitions, request }, Some(id))
            }
            PartitionedDeed::StartReceive { capacity: bytes, request: id } => {
                (Act::StartReceive { channel, bytes, request: self.new_request(rank) }, Some(id))
            }
            PartitionedDeed::Ready { number, bytes, request } => {
                let Some(request) = self.log(rank).number_of(request) else { return };
                (Act::Ready { request, number, bytes }, None)
            }
        };
        self.start(rank, at, act, id);
    }
}

/// The event of a step at a window, if it is one.
fn window_act(window: &Communicator, deed: WindowDeed<'_>, look: PollFirst) -> Option<WindowAct> {
    let rank_of = |world: Rank| window.group.rank_of(world);
    let group = |group: &weir_message::Group| group.members().filter_map(rank_of).collect();
    Some(match deed {
        WindowDeed::Access { .. } | WindowDeed::Wait(Until::Granted | Until::Posted | Until::Completed) => {
            return None;
        }
        WindowDeed::Wait(Until::Done(target)) => {
            WindowAct::Flush { rank: target.and_then(rank_of), over: Over::There }
        }
        WindowDeed::Wait(Until::DoneHere(target)) => {
            WindowAct::Flush { rank: target.and_then(rank_of), over: Over::Here }
        }
        WindowDeed::Open => WindowAct::Open,
        WindowDeed::Close => WindowAct::Close,
        WindowDeed::Fence(after) => WindowAct::Fence { after: after.twin() },
        WindowDeed::Post(who, conflicts) => {
            WindowAct::Post { group: group(who), conflicts: conflicts.twin() }
        }
        WindowDeed::Start(who, conflicts) => {
            WindowAct::Start { group: group(who), conflicts: conflicts.twin() }
        }
        WindowDeed::Complete => WindowAct::Complete,
        WindowDeed::EndExposure => WindowAct::Wait { look },
        WindowDeed::Lock { rank, lock, conflicts } => {
            WindowAct::Lock { rank: rank as u32, lock: lock.twin(), conflicts: conflicts.twin() }
        }
        WindowDeed::Unlock(rank) => WindowAct::Unlock { rank: rank as u32 },
        WindowDeed::LockAll(asked, conflicts) => WindowAct::LockAll {
            asks: if asked.is_empty() { Asks::WhenReached } else { Asks::AtOnce },
            conflicts: conflicts.twin(),
        },
        WindowDeed::UnlockAll => WindowAct::UnlockAll,
    })
}

impl RankLog {
    fn rare(&mut self) -> &mut Rare {
        self.rare.get_or_insert_default()
    }

    /// The profile's number of a request under way, if it has one of its own.
    pub(super) fn number_of(&self, id: RequestId) -> Option<Request> {
        match self.requests.get(id.0 as usize)? {
            Some(super::Open::One(started)) => Some(Request(started.number)),
            _ => None,
        }
    }
}
