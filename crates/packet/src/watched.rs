//! The loop over windows as the calling thread sees it: it shows how far the run is, and ends it when it has taken too long.

use crate::checkpoint::Keeping;
use crate::network::PacketNetwork;
use crate::parts::{Endpoints, Worker};
use crate::processes::{Left, Processes, Reached};
use crate::series::report_mail;
use std::time::{Duration as WallTime, Instant};
use weir_network::{Console, Limits, Prints, Progress, Recorder, Watch, interrupted_by};
use weir_pdes::{Gathering, Next, Part, Place, Window};
use weir_units::Bytes;

/// The part on the calling thread: shows how far the run is, and ends it when it has taken too long.
struct Watched<'a, 'b, 'r, 'k, E> {
    worker: &'a mut Worker<'b, E>,
    watch: Watch<'a>,
    recorder: Option<&'r mut dyn Recorder>,
    limits: Limits,
    started: Instant,
    looks: Looks,
    /// Why it was ended.
    limit: Option<String>,
    keeping: Keeping<'k>,
    /// Whether it has been stopped to be kept.
    pauses: bool,
    /// Whether it has been kept because the clock on the wall ends it.
    is_kept: bool,
    /// If what ranks print goes to the first process, and there what has come.
    console: Option<&'a dyn Console>,
    prints: Prints,
}

/// Runs all parts of this process to the end, together with the others.
pub(crate) fn run_all<'t, E: Endpoints, O: Endpoints + Send>(
    network: &PacketNetwork,
    here: &mut Worker<'_, E>,
    others: &mut [Worker<'_, O>],
    (limits, watch): (Limits, Watch<'_>),
    recorder: Option<&mut dyn Recorder>,
    mut keeping: Keeping<'_>,
    mut processes: Processes<'_, 't>,
) -> (Left, Gathering<'t>) {
    let (started, looks) = (Instant::now(), Looks::default());
    // Only the first part records; the others may only need to know what.
    let recorder = recorder.filter(|_| here.part == 0);
    let (console, prints) = (processes.console, Prints::default());
    let from = keeping.go_on(network, here, others, &mut processes.gathering);
    let (mut place, limit) =
        from.map_or_else(|why| (Place::default(), Some(why.to_owned())), |place| (place, None));
    let mut watched = Watched {
        worker: here,
        watch,
        recorder,
        limits,
        started,
        looks,
        limit,
        keeping,
        pauses: false,
        is_kept: false,
        console,
        prints,
    };
    loop {
        place = weir_pdes::run(network.width, place, &mut watched, others, processes.border());
        if !watched.keep(network, others, place, &mut processes.gathering) {
            break;
        }
    }
    let Watched { worker: here, recorder, limit, prints, .. } = watched;
    processes.end(network, here, others, Reached { turns: place.turn, limit, prints }, recorder)
}

impl<E: Endpoints> Watched<'_, '_, '_, '_, E> {
    /// Keeps what the run has reached, if it is to be kept; returns whether it goes on.
    fn keep<O: Endpoints>(
        &mut self,
        network: &PacketNetwork,
        others: &mut [Worker<'_, O>],
        place: Place,
        gathering: &mut Gathering<'_>,
    ) -> bool {
        let wish = (self.pauses, self.limit.is_some());
        let goes_on = self.keeping.keep(network, wish, self.worker, others, place, gathering);
        self.pauses = false;
        self.is_kept |= interrupted_by().is_some();
        goes_on
    }

    /// Whether the run has taken too long; if what it has reached is to be kept, only when it has been.
    fn look_at_the_clock(&mut self) {
        let limit = self.limits.wall_is_over(self.started);
        if let Some(checkpoints) = &mut self.keeping.checkpoints
            && (checkpoints.is_due() || limit.is_some() && !self.is_kept)
        {
            self.pauses = true;
            self.is_kept |= limit.is_some();
        } else {
            self.limit = self.limit.take().or(limit);
        }
    }
}

/// When to look at the clock on the wall: after so many windows that it costs nothing, and so few that a limit holds also
/// where a window takes long.
struct Looks {
    last: Instant,
    /// After this turn, and after how many more behind it.
    next: u64,
    every: u64,
}

impl Default for Looks {
    fn default() -> Self {
        Self { last: Instant::now(), next: 0, every: 1 }
    }
}

impl Looks {
    const MOST: u64 = 256;
    const OFTEN: WallTime = WallTime::from_millis(50);

    /// Whether to look after this turn.
    fn are_due(&mut self, turn: u64) -> bool {
        if turn < self.next {
            return false;
        }
        let now = Instant::now();
        let quick = now.duration_since(self.last) < Self::OFTEN;
        self.every = if quick { (2 * self.every).min(Self::MOST) } else { (self.every / 4).max(1) };
        (self.last, self.next) = (now, turn + self.every);
        true
    }
}

impl<E: Endpoints> Part for Watched<'_, '_, '_, '_, E> {
    fn run(&mut self, window: Window) {
        let shared = self.worker.routers.shared;
        if self.worker.part == 0 {
            shared.progress.take(window.turn, 0, |_, [messages, bytes, events]| {
                shared.done.add(messages, bytes, events);
            });
        }
        if let Some(recorder) = &mut self.recorder {
            report_mail(shared, window.turn, *recorder);
            if recorder.has_failed() {
                self.limit = Some("the results cannot be written".into());
            }
        }
        if let Some(console) = self.console.filter(|_| self.worker.part == 0) {
            shared.prints.take(window.turn, 0, |_, print| self.prints.add([print]));
            self.prints.show_before(window.start, console);
        }
        self.worker.run(window);
        if let Some(console) = self.console {
            shared.prints.put(window.turn, self.worker.part, 0, &mut console.take());
        }
        if self.looks.are_due(window.turn) || interrupted_by().is_some() {
            let [messages, bytes, events] = if self.worker.part == 0 {
                shared.done.load()
            } else {
                let done = shared.done.take();
                shared.progress.put(window.turn, self.worker.part, 0, &mut vec![done]);
                done
            };
            (self.watch)(Progress { now: window.start, messages, bytes: Bytes(bytes), events, stage: None });
            self.look_at_the_clock();
        }
    }

    fn next(&mut self, from: u64) -> Next {
        if self.limit.is_some() || self.pauses { Next::Stop } else { self.worker.next(from) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ops::Range;

    /// While windows are quick the clock is looked at after twice as many each time, up to 256; where one takes long, after a
    /// quarter of them.
    #[test]
    fn looks_at_the_clock() {
        let mut looks = Looks::default();
        let mut due = |turns: Range<u64>, ago: WallTime| -> Vec<u64> {
            let is_due = |&turn: &u64| {
                // In the future: nothing is quicker.
                looks.last = Instant::now() + WallTime::from_secs(3600) - ago;
                looks.are_due(turn)
            };
            turns.filter(is_due).collect()
        };
        let (quick, slow) = (WallTime::ZERO, WallTime::from_secs(3601));
        assert_eq!(due(0..1200, quick), [0, 2, 6, 14, 30, 62, 126, 254, 510, 766, 1022]);
        // Due at 1278: 64 more, 16 more and so on, and one more each time in the end.
        assert_eq!(due(1200..1370, slow), [1278, 1342, 1358, 1362, 1363, 1364, 1365, 1366, 1367, 1368, 1369]);
        assert_eq!(due(1370..1390, quick), [1370, 1372, 1376, 1384]);
    }
}
