//! A rank that does what the program outside says.

use crate::requests::{Completion, CompletionKind, Outside, Request};
use std::collections::BTreeMap;
use std::sync::Arc;
use weir_message::{
    ANY_SOURCE, ANY_TAG, Actions, Body, CommunicatorId, Costs, Data, Mode, Process, RequestId,
};
use weir_network::causes::Ledger;
use weir_network::{Event, Program, Stepper, WAKE, Waiting};
use weir_units::{Bytes, Rank, Time};

pub(crate) struct OutsideRank<'y> {
    outside: &'y Outside<'y>,
    process: Process,
    /// Number of timers so far, which is the token of the last one; and the token outside of each that is set.
    tokens: u64,
    timers: BTreeMap<u64, u64>,
}

impl<'y> OutsideRank<'y> {
    /// All ranks.
    pub(crate) fn all(outside: &'y Outside<'y>, costs: &Arc<Costs>) -> Vec<Self> {
        let size = outside.shared.ranks();
        let rank = |rank| Self {
            outside,
            process: Process::new(rank, size, Arc::clone(costs)),
            tokens: 0,
            timers: BTreeMap::new(),
        };
        (0..size).map(Rank::new).map(rank).collect()
    }

    fn complete(&self, now: Time, kind: CompletionKind, token: u64, at: Time) {
        let completion = Completion { kind, rank: self.process.rank(), token, at: at.max(now) };
        self.outside.complete(now, completion);
    }

    /// Begins what the program outside has asked for, and lets it know what is complete, until neither is left.
    fn go_on(&mut self, actions: &mut Actions) -> Result<(), String> {
        let (shared, rank, now) = (self.outside.shared, self.process.rank(), actions.now());
        while !shared.is_over.get() {
            while let Some(id) = self.process.next_released() {
                let completion = self.process.finish(id).map_err(|error| error.to_string())?;
                let Some(request) = shared.end(rank, id.0) else { continue };
                let status = completion.status;
                if let Some(error) = status.error {
                    return Err(format!("a receive of rank {rank} from rank {}: {error}", status.source));
                }
                let kind = match request {
                    Request::Receive { .. } => CompletionKind::Received {
                        from: Rank(status.source.unsigned_abs()),
                        tag: status.tag.unsigned_abs(),
                        bytes: Bytes(status.bytes),
                    },
                    Request::Send { .. } | Request::Timer { .. } => CompletionKind::Sent,
                };
                self.complete(now, kind, request.token(), self.process.clock());
            }
            let Some(request) = shared.take(rank) else { break };
            self.begin(actions, request).map_err(|error| format!("rank {rank}: {error}"))?;
        }
        Ok(())
    }

    fn begin(&mut self, actions: &mut Actions, request: Request) -> weir_message::Result<()> {
        let (world, now) = (CommunicatorId::WORLD, actions.now());
        let begun: Option<RequestId> = match request {
            Request::Send { to, tag, bytes, token } => {
                let data = Data::Length(bytes.0);
                let begun = self.process.send(actions, Mode::Standard, world, to.0 as i32, tag, data)?;
                if begun.is_none() {
                    self.complete(now, CompletionKind::Sent, token, self.process.clock());
                }
                begun
            }
            Request::Receive { from, tag, bytes, .. } => {
                let (from, tag) = (from.map_or(ANY_SOURCE, |from| from.0 as i32), tag.unwrap_or(ANY_TAG));
                Some(self.process.receive(actions, world, from, tag, bytes.0)?)
            }
            Request::Timer { at, token } if at <= now => {
                self.complete(now, CompletionKind::Scheduled, token, now);
                None
            }
            Request::Timer { at, token } => {
                self.tokens += 1;
                self.timers.insert(self.tokens, token);
                actions.set_timer(at, self.tokens);
                None
            }
        };
        if let Some(id) = begun {
            self.outside.shared.begin(self.process.rank(), id.0, request);
            self.process.release(id)?;
        }
        Ok(())
    }
}

impl Program for OutsideRank<'_> {
    type Body = Body;

    fn react(&mut self, event: Event<Body>, actions: &mut Actions) {
        self.process.begin_event(actions);
        match event {
            Event::Start => {}
            Event::Arrived(message) => self.process.arrived(actions, message),
            Event::Departed { sequence } => self.process.departed(actions, sequence),
            Event::Timer { token: WAKE } => self.outside.shared.is_awake(self.process.rank()),
            Event::Timer { token } => {
                if let Some(token) = self.timers.remove(&token) {
                    self.complete(actions.now(), CompletionKind::Scheduled, token, actions.now());
                }
            }
        }
        if let Err(why) = self.go_on(actions) {
            actions.stop(why);
        }
    }

    fn waiting(&self) -> Option<Waiting> {
        let (rank, mut open) = (self.process.rank(), self.outside.shared.open_of(self.process.rank()));
        let (id, request) = open.next()?;
        let ids: Vec<RequestId> = std::iter::once(id).chain(open.map(|(id, _)| id)).map(RequestId).collect();
        let (peer, details) = self.process.explain(&ids);
        Some(Waiting { rank, call: request.name().into(), peer, details })
    }

    fn ledger(&mut self) -> Option<&mut Option<Box<Ledger>>> {
        Some(self.process.ledger())
    }

    fn stepper(&self) -> Option<&dyn Stepper> {
        Some(self.outside)
    }
}
