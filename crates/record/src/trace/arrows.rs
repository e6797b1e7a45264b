//! Which slices an arrow joins: the calls themselves where one is over before the other one begins, else marks inside them.
//!
//! # Model
//! Perfetto draws an arrow from the end of a slice to the beginning of another one, and has it point to the one that begins
//! later. So an arrow between two calls is right only where the call that received began when the call that sent was over. A
//! call that was still going on has a mark at the instant: `message sent`, `message received`.
//!
//! Perfetto follows arrows on through a slice that has some to it and some from it, without end. So a call that both sends and
//! receives has only those that it sends; the others end at marks in it.
//!
//! ```text
//!   rank 0   [MPI_Send]--.                [ MPI_Send   | sent   ]--.
//!   rank 1                '-->[MPI_Recv]  [      MPI_Recv      | received ]
//!              arrow joins the calls           arrow joins marks
//! ```

use super::Arrow;
use std::collections::BTreeMap;
use weir_units::{Rank, Time};

/// A message that no receive has taken yet.
#[derive(Clone, Copy, Debug)]
struct Flight {
    arrow: Arrow,
    posted: Time,
    /// Where the arrow begins, once that is known: at the end of the call, or at a mark.
    begins: Option<Time>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mark {
    /// On the track of the sender.
    Sent(Arrow, Time),
    /// On the track of the receiver. `Early`: its time is before the arrow begins, as the clock of its sender was ahead.
    Received(Arrow, Time, Order),
}

/// Order in time of the two ends of an arrow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    InOrder,
    Early,
}

/// The end of an arrow in a call that is not over.
#[derive(Clone, Copy, Debug)]
struct Taken {
    arrow: Arrow,
    at: Time,
    begins: Time,
}

impl Taken {
    fn mark(&self) -> Mark {
        let order = if self.begins <= self.at { Order::InOrder } else { Order::Early };
        Mark::Received(self.arrow, self.at, order)
    }
}

/// The messages of a call that is not over.
#[derive(Debug, Default)]
pub(super) struct Open {
    sent: Vec<u64>,
    taken: Vec<Taken>,
}

/// Marks before the end of a call, and numbers of arrows that begin or end at the call itself.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Ends {
    pub(super) marks: Vec<Mark>,
    pub(super) from: Vec<u64>,
    pub(super) to: Vec<u64>,
}

/// All arrows that have begun and not ended.
#[derive(Debug, Default)]
pub(super) struct Arrows(BTreeMap<u64, Flight>);

impl Arrows {
    /// A message leaves its rank, in a call or outside of one.
    pub(super) fn sent(&mut self, arrow: Arrow, at: Time, open: Option<&mut Open>) -> Option<Mark> {
        let begins = open.is_none().then_some(at);
        if let Some(open) = open {
            open.sent.push(arrow.id());
        }
        self.0.insert(arrow.id(), Flight { arrow, posted: at, begins });
        begins.map(|at| Mark::Sent(arrow, at))
    }

    /// A receive takes a message, in a call or outside of one: what is to be drawn now. A message whose sender is not drawn has
    /// nothing.
    pub(super) fn taken(&mut self, arrow: &Arrow, at: Time, open: Option<&mut Open>) -> [Option<Mark>; 2] {
        let Some(flight) = self.0.remove(&arrow.id()) else { return [None, None] };
        let sent = flight.begins.is_none().then_some(Mark::Sent(flight.arrow, flight.posted));
        let taken = Taken { arrow: *arrow, at, begins: flight.begins.unwrap_or(flight.posted) };
        match open {
            Some(open) => {
                open.taken.push(taken);
                [sent, None]
            }
            None => [sent, Some(taken.mark())],
        }
    }

    /// Forgets a message whose receiver is not drawn.
    pub(super) fn forget(&mut self, arrow: &Arrow) {
        self.0.remove(&arrow.id());
    }

    /// A call is over at an instant, or will not be over any more.
    pub(super) fn end(&mut self, open: Open, start: Time, end: Option<Time>) -> Ends {
        let mut ends = Ends::default();
        for id in open.sent {
            if let (Some(flight), Some(end)) = (self.0.get_mut(&id), end) {
                flight.begins = Some(end);
                ends.from.push(id);
            }
        }
        let joins = end.is_some() && ends.from.is_empty();
        for taken in open.taken {
            if joins && taken.begins <= start {
                ends.to.push(taken.arrow.id());
            } else {
                ends.marks.push(taken.mark());
            }
        }
        ends
    }
}

impl Mark {
    pub(super) fn rank(&self) -> Rank {
        match self {
            Self::Sent(arrow, _) => arrow.from,
            Self::Received(arrow, ..) => arrow.to,
        }
    }
}
