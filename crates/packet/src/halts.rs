//! A run that stands still between two windows: the machine becomes another one, or what the run has reached is kept.
//!
//! # A machine that changes while a run goes on
//! Links and routers fail, slow down, and are whole again. Routes of two machines, each without circles, can make one together. So the network runs empty between them, which the
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
//!
//! # What is kept, and a run that goes on from there
//! Between two windows, when all mail has been taken, nothing is on its way but packets in buffers and messages of which the parts
//! know. So what all parts are then is all that there is. Each part keeps what it has under numbers of the machine: routers, links,
//! nodes and ranks. A run that goes on may be divided among other threads and processes: each of its parts looks through what all
//! parts of then have kept, and takes what belongs to it. What they have counted together goes to the first part.

use crate::flights::{FlightName, FlightNumbers};
use crate::network::PacketNetwork;
use crate::parts::{AnyWorker, Endpoints, Halt, Worker};
use serde::{Deserialize, Serialize};
use std::cmp::{max, min};
use weir_network::{Checkpoints, Placement};
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

/// Where a run keeps what it has reached.
pub(crate) struct Checkpointing<'a> {
    pub(crate) checkpoints: Option<&'a mut dyn Checkpoints>,
    pub(crate) placement: Option<&'a Placement>,
}

#[derive(Serialize, Deserialize)]
struct SavedRun {
    /// The number of the first window that has not been run.
    window: u64,
    /// In how many windows packets have moved.
    moved: u64,
    /// When interfaces have opened since the machine has changed, see [`Worker::change`]; 0 if it has not.
    opens: u64,
    /// By node: the part with its endpoint. Empty if they are all in the first one.
    homes: Vec<u16>,
    parts: Vec<SavedPart>,
}

#[derive(Serialize, Deserialize)]
struct SavedPart {
    routers: Vec<u8>,
    flights: Vec<FlightName>,
    endpoints: Vec<u8>,
}

impl SavedPart {
    fn of(worker: &mut AnyWorker<'_>, window: &Window) -> Self {
        let (flights, endpoints) = worker.endpoints.save();
        Self { routers: worker.routers.save(window), flights, endpoints }
    }
}

impl Checkpointing<'_> {
    /// Keeps what the run has reached, if it is to be kept: one process asks for that and nothing has ended it. Called by all
    /// processes; returns whether the run goes on.
    pub(crate) fn keep(
        &mut self,
        is_due: bool,
        halt: &mut Halt<'_, '_>,
        gathering: &mut Gathering<'_>,
    ) -> bool {
        let Some(checkpoints) = &mut self.checkpoints else { return false };
        let is_over = halt.is_over || halt.workers.iter().any(|worker| worker.endpoints.is_over());
        let join = |one: (bool, bool), other: (bool, bool)| (one.0 || other.0, one.1 || other.1);
        let all = gathering.join((is_due, is_over), join);
        let Some((true, false)) = gathering.spread(all) else { return false };
        let window = halt.take_mail();
        let here = &halt.workers[0];
        // Behind the last instant at which anything happens, a window more than is needed would count.
        if window.start.as_ps() > here.routers.last_instant() {
            return true;
        }
        let (shared, opens) = (here.routers.shared, here.opens);
        let own: Vec<_> = halt.workers.iter_mut().map(|worker| SavedPart::of(worker, &window)).collect();
        let moved = shared.moved.windows();
        if let Some(all) = gathering.gather(own) {
            let parts = all.into_iter().flatten().collect();
            let homes = shared.homes.clone();
            let run = SavedRun { window: halt.place.from, moved, opens, homes, parts };
            checkpoints
                .keep(window.start, &postcard::to_stdvec(&run).expect("memory takes all that is written"));
        }
        gathering.counts.lost.is_none()
    }

    /// Puts all parts of this process into the state in which a run was, and returns where it goes on; at its beginning, if
    /// it is not to go on.
    ///
    /// # Errors
    /// When what is to be taken over is not of this run.
    pub(crate) fn go_on(
        &mut self,
        halt: &mut Halt<'_, '_>,
        gathering: &mut Gathering<'_>,
    ) -> Result<RunPosition, &'static str> {
        let Some(checkpoints) = &mut self.checkpoints else { return Ok(RunPosition::default()) };
        let Some(Some(bytes)) = gathering.spread(Some(checkpoints.take())) else {
            return Ok(RunPosition::default());
        };
        let run: Option<SavedRun> = postcard::from_bytes(&bytes).ok();
        run.and_then(|run| {
            let shared = halt.workers[0].routers.shared;
            let flights = run.parts.iter().flat_map(|part| &part.flights);
            let numbers = self.placement.map(|placement| {
                FlightNumbers::new(flights, &run.homes, placement, |node| shared.home(node))
            });
            halt.workers.iter_mut().try_for_each(|worker| run.restore(numbers.as_ref(), worker))?;
            shared.moved.go_on_after(run.moved);
            Some(RunPosition::at(run.window))
        })
        .ok_or("the checkpoint is not of this run")
    }
}

impl SavedRun {
    /// Puts a part into its state; `numbers` are those that flights have now, none if packets belong to no messages.
    fn restore(&self, numbers: Option<&FlightNumbers>, worker: &mut AnyWorker<'_>) -> Option<()> {
        let place = RunPosition::at(self.window);
        let window = place.window(worker.routers.network.width);
        if self.opens > 0 {
            worker.change(self.opens, place);
        }
        for part in &self.parts {
            worker.routers.restore(&part.routers, &window, worker.part == 0, |word, to| match numbers {
                Some(numbers) => numbers.word(word, to),
                None => Some(word),
            })?;
        }
        let saved: Vec<_> = self.parts.iter().map(|part| (&*part.flights, &*part.endpoints)).collect();
        worker.endpoints.restore(&saved, numbers.unwrap_or(&FlightNumbers::default()), &window)
    }
}
