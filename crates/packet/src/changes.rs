//! A machine that becomes another one while a run goes on: links and routers fail, slow down, and are whole again.
//!
//! Routes of two machines, each without circles, can make one together. So the network runs empty between them, which the
//! literature calls static reconfiguration:
//!
//! 1. At the instant of a change all interfaces close: none begins with a packet.
//! 2. Packets in the network go to their ends as they would have, over the old links and routes.
//! 3. When the last tail has left the last link, the machine is the new one. All that waits at interfaces gets new routes.
//! 4. Interfaces open when the new machine has been known for the lookahead of the machine, the least time in which one part of
//!    it can affect another, and not before the change plus that time.
//!
//! Ranks compute, and hand over messages, all the while. A message without a way waits at its interface for another change.
//!
//! So a change happens at an instant that depends on nothing but what packets do, and in every way of running it between the same two
//! packets: a window behind the last one is never later than the lookahead behind it. The window of the change is always run, and
//! the parts stand still behind it and each one after, until there are no packets left.

use crate::network::PacketNetwork;
use crate::parts::{AnyWorker, Endpoints, Halt, Worker};
use serde::{Deserialize, Serialize};
use std::cmp::{max, min};
use weir_pdes::{Gathering, Next, RunPosition, Window};

/// State of a run between two windows.
#[derive(Clone, Copy, Serialize, Deserialize)]
struct Standing {
    is_over: bool,
    packets: i64,
    /// True if something waits at a node.
    waits: bool,
    /// When the last packet has left its router, in picoseconds.
    last: u64,
    /// The need of the next window, see [`Next::urgency`].
    urgency: u64,
}

/// The next step of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum Step {
    /// The run has ended, or is to be run again for another reason.
    Nothing,
    Run,
    /// The machine becomes another one, and interfaces open at this instant, in picoseconds.
    Change(u64),
}

impl Standing {
    fn of(worker: &mut AnyWorker<'_>, from: u64) -> Self {
        Self {
            is_over: worker.endpoints.is_over(),
            packets: worker.routers.balance(),
            waits: worker.endpoints.waits(),
            last: worker.routers.last(),
            urgency: worker.need(from).urgency(),
        }
    }

    fn join(self, other: Self) -> Self {
        Self {
            is_over: self.is_over || other.is_over,
            packets: self.packets + other.packets,
            waits: self.waits || other.waits,
            last: max(self.last, other.last),
            urgency: min(self.urgency, other.urgency),
        }
    }

    /// The step before the window with this number, of a machine that changes in the window `due`.
    fn step(self, network: &PacketNetwork, from: u64, due: u64) -> Step {
        let idle = self.urgency == Next::Nothing.urgency();
        let drained = self.packets == 0;
        if self.is_over || (idle && !(drained && self.waits)) {
            Step::Nothing
        } else if drained && (idle || from > due) {
            Step::Change(max(self.last, network.changes_at()) + network.lookahead.as_ps())
        } else if from > due {
            Step::Run
        } else {
            Step::Nothing
        }
    }
}

/// Changes the machine if it is time to, where a run stands still before a window. Called by all processes; returns whether it is
/// to be run again.
pub(crate) fn change(halt: &mut Halt<'_, '_>, gathering: &mut Gathering<'_>) -> bool {
    let (network, place) = (halt.network(), halt.place);
    let Some(due) = halt.workers[0].routers.change_due() else { return false };
    // What has been sent in the last window may be all that there is.
    halt.take_mail();
    let own = halt.workers.iter_mut().map(|worker| Standing::of(worker, place.from)).reduce(Standing::join);
    let own = own.map(|own| Standing { is_over: own.is_over || halt.is_over, ..own });
    let own = own.expect("there is at least one part");
    let all = gathering.join(own, Standing::join).map(|all| all.step(network, place.from, due));
    match gathering.spread(all) {
        Some(Step::Change(opens)) => {
            halt.workers.iter_mut().for_each(|worker| worker.change(opens, place));
            true
        }
        Some(Step::Run) => true,
        Some(Step::Nothing) | None => false,
    }
}

impl<E: Endpoints + ?Sized> Worker<'_, E> {
    /// The machine becomes what it is at an instant, in picoseconds: interfaces open then.
    pub(crate) fn change(&mut self, opens: u64, place: RunPosition) {
        let window: Window = place.window(self.routers.network.width);
        while self.routers.network.changes_at() <= opens {
            self.routers.change();
            self.endpoints.change(opens, &window);
        }
        self.opens = opens;
    }
}
