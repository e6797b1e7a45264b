//! The node of MFS (paper 000, section 3.2): a queue of entries of which one is active.
//!
//! # Model
//! A send blocks: the next entry becomes the head when the last byte of the message has left. Receiving never
//! blocks: any number of messages may arrive at a time. A message may have a wait, which counts from the instant the
//! message reaches the head of the queue. An await blocks the head until the next message of that sender that no
//! earlier await has consumed has arrived whole; messages that no step awaits are just received.
//!
//! Beyond paper 000 a message may be posted: the next entry becomes the head at once, as behind an asynchronous send of
//! MPI (paper 004, section 5.1). And a rank may pause, as if it computed.

use crate::{Entry, Sequence};
use std::collections::BTreeMap;
use std::sync::Arc;
use weir_network::causes::{Cause, Ledger, Sending};
use weir_network::{Actions, Class, Event, Notice, Peer, Program, Send as Message, SendOptions, Waiting};
use weir_units::{Bytes, Duration, Rank};

/// Plays the entries of one rank. The contents of its messages are not looked at: `()`, or those of other programs of the run.
#[derive(Debug)]
pub struct Queue<O, B = ()> {
    order: Arc<O>,
    rank: Rank,
    /// The sender that the head of the queue awaits.
    awaited: Option<Rank>,
    /// Number of the entry at the head of the queue.
    index: u64,
    /// Messages that have arrived and that no await has consumed, by sender; none where the order has no awaits.
    #[expect(clippy::box_collection, reason = "one word instead of three in each of a million queues")]
    unconsumed: Option<Box<BTreeMap<Rank, u64>>>,
    /// If what time goes into is kept.
    ledger: Option<Box<Ledger>>,
    body: B,
}

impl<O: Sequence> Queue<O> {
    /// One queue per rank, in rank order.
    pub fn all(order: Arc<O>) -> Vec<Self> {
        let ranks = order.ranks();
        Self::some(order, (0..ranks).map(Rank::new))
    }

    /// The queues of these ranks.
    pub fn some(order: Arc<O>, ranks: impl Iterator<Item = Rank>) -> Vec<Self> {
        ranks.map(|rank| Self::new(Arc::clone(&order), rank, ())).collect()
    }
}

impl<O: Sequence, B: Clone> Queue<O, B> {
    /// The queue of a rank whose messages have these contents.
    pub fn new(order: Arc<O>, rank: Rank, body: B) -> Self {
        Self { order, rank, awaited: None, index: 0, unconsumed: None, ledger: None, body }
    }

    /// Acts on the entries from the head on, up to the first that blocks.
    fn go_on(&mut self, actions: &mut Actions<B>) {
        while let Some(entry) = self.order.entry(self.rank, self.index) {
            if let Some(ledger) = &mut self.ledger {
                ledger.enter(entry.name(), "");
            }
            match entry {
                Entry::Send { to, bytes, wait } => {
                    return self.send(to, bytes, wait, Notice::Departed, actions);
                }
                Entry::Post { to, bytes, wait } => {
                    self.send(to, bytes, wait, Notice::None, actions);
                    self.index += 1;
                }
                Entry::Pause { time } => return actions.set_timer(actions.now() + time, self.index),
                Entry::Await { from } if self.consume(from) => self.index += 1,
                Entry::Await { from } => {
                    self.awaited = Some(from);
                    return;
                }
            }
        }
    }

    fn send(&mut self, to: Rank, bytes: Bytes, wait: Duration, notice: Notice, actions: &mut Actions<B>) {
        let at = actions.now() + wait;
        let gap = self.order.gap(self.rank, self.index);
        let way = gap.map(|gap| Box::new(SendOptions::default().with_gap(Some(gap.packet_times()))));
        actions.send_by(Message { at, to, bytes, class: Class::Data, notice, body: self.body.clone() }, way);
        if let Some(ledger) = &mut self.ledger {
            actions.attach(|at| ledger.send(at, Sending::Own(Cause::Compute)));
        }
    }

    /// Keeps account of the time up to an event, which ends a wait or a pause of the rank if `goes_on`.
    #[inline(never)]
    fn account(&mut self, event: &Event<B>, goes_on: bool, actions: &mut Actions<B>) {
        if let Event::Start = event {
            self.ledger = Some(Box::new(Ledger::new(actions.rank()).keeping_steps(actions.path_steps())));
        }
        let Some(ledger) = &mut self.ledger else { return };
        ledger.begin_event(actions.take_trail());
        if goes_on {
            let rest = if let Event::Timer { .. } = event { Cause::Compute } else { Cause::Other };
            ledger.wait(actions.now(), rest);
        }
    }

    /// Takes one message of this sender off the unconsumed ones; `false` if there is none.
    fn consume(&mut self, from: Rank) -> bool {
        let Some(unconsumed) = &mut self.unconsumed else { return false };
        let Some(count) = unconsumed.get_mut(&from) else { return false };
        *count -= 1;
        if *count == 0 {
            unconsumed.remove(&from);
        }
        true
    }
}

impl<O: Sequence, B: Clone> Program for Queue<O, B> {
    type Body = B;

    fn react(&mut self, event: Event<B>, actions: &mut Actions<B>) {
        if actions.keeps_causes() {
            let goes_on =
                if let Event::Arrived(message) = &event { self.awaited == Some(message.from) } else { true };
            self.account(&event, goes_on, actions);
        }
        match event {
            Event::Start => self.go_on(actions),
            Event::Departed { .. } | Event::Timer { .. } => {
                self.index += 1;
                self.go_on(actions);
            }
            Event::Arrived(message) if self.awaited == Some(message.from) => {
                self.awaited = None;
                self.index += 1;
                self.go_on(actions);
            }
            Event::Arrived(message) if self.order.awaits() => {
                *self.unconsumed.get_or_insert_default().entry(message.from).or_insert(0) += 1;
            }
            Event::Arrived(_) => {}
        }
    }

    fn is_over(&self) -> bool {
        self.order.entry(self.rank, self.index).is_none()
    }

    fn ledger(&mut self) -> Option<&mut Option<Box<Ledger>>> {
        Some(&mut self.ledger)
    }

    /// The entry at the head of the queue, with its number.
    fn waiting(&self) -> Option<Waiting> {
        let entry = self.order.entry(self.rank, self.index)?;
        let peer = entry.peer().map_or(Peer::Any, Peer::Rank);
        let details = vec![("entry", self.index.to_string())];
        Some(Waiting { rank: self.rank, call: entry.name().into(), peer, details })
    }

    fn save(&self) -> Option<Vec<u8>> {
        let state = (self.awaited, self.index, &self.unconsumed);
        Some(postcard::to_stdvec(&state).expect("memory takes all that is written"))
    }

    fn restore(&mut self, saved: &[u8]) -> Option<()> {
        (self.awaited, self.index, self.unconsumed) = postcard::from_bytes(saved).ok()?;
        Some(())
    }
}

#[cfg(test)]
mod tests;
