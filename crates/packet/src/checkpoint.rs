//! State of a run between two windows, and a run that goes on from there.
//!
//! Between two windows, when all mail has been taken, nothing is on its way but packets in buffers and messages of which the parts
//! know. So what all parts are then is all that there is. Each part keeps what it has under numbers of the machine: routers, links,
//! nodes and ranks. A run that goes on may be divided among other threads and processes: each of its parts looks through what all
//! parts of then have kept, and takes what belongs to it. What they have counted together goes to the first part.

use crate::flights::{FlightName, FlightNumbers};
use crate::parts::{AnyWorker, Halt};
use serde::{Deserialize, Serialize};
use weir_network::{Checkpoints, Placement};
use weir_pdes::{Gathering, RunPosition, Window};

/// Where a run keeps what it has reached.
pub(crate) struct Keeping<'a> {
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

impl Keeping<'_> {
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
