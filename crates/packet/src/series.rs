//! Reports of a part while a run goes on, and how the parts put them together.
//!
//! Windows are cut so that every interval is a whole number of them ([`PacketNetwork::for_intervals`]). So when the first window
//! of another interval begins, all that was granted before is counted, and nothing that was granted after. Each part
//! closes its counters then and mails them to the first part, which puts them together in the next window and reports.

use crate::meters::Interval;
use crate::network::{Output, PacketNetwork};
use crate::parts::{Endpoints, Worker};
use crate::reports::{PartReport, Samples};
use crate::shared::Shared;
use weir_network::record::{Pairs, Recorder, Requested};
use weir_pdes::Window;
use weir_units::{Duration, LinkId, Time};

/// State of the reports of a part.
#[derive(Debug)]
pub(crate) struct Reporter {
    interval: Option<Interval>,
    /// The end of the last window.
    reached: u64,
    report: PartReport,
}

impl Reporter {
    pub(crate) fn new(requested: Option<&Requested>) -> Option<Self> {
        let interval = requested?.interval.map(|length| Interval::first(length.as_ps()));
        Some(Self { interval, reached: 0, report: PartReport::default() })
    }
}

impl<E: Endpoints + ?Sized> Worker<'_, E> {
    /// Closes the intervals that are over when a window begins.
    pub(crate) fn close_intervals(&mut self, window: &Window) {
        let Some(Reporter { interval: Some(interval), .. }) = self.reporter else { return };
        let start = window.start.as_ps();
        if start >= interval.end {
            self.close_until(interval, start);
        }
    }

    /// Closes the counters of an interval at an instant, in this room.
    fn close(&mut self, interval: Interval, at: u64, mut samples: Samples) -> Samples {
        self.endpoints.nics().into_iter().for_each(|nics| nics.close(&mut samples));
        self.routers.close(interval, at, &mut samples);
        samples.put_in_order();
        samples
    }

    /// Begins another interval, when the one before it is closed.
    fn open(&mut self, interval: Interval) {
        self.routers.begin(interval);
        self.endpoints.nics().into_iter().for_each(|nics| nics.begin_interval(interval));
    }

    /// The first instant after the interval at which something that is known will happen.
    fn first_later(&mut self) -> Option<u64> {
        let of_nics = self.endpoints.nics().and_then(|nics| nics.first_later());
        self.routers.first_later().into_iter().chain(of_nics).min()
    }

    /// Closes the interval, and others up to that of an instant.
    fn close_until(&mut self, mut interval: Interval, at: u64) {
        let shared = self.routers.shared;
        while interval.end <= at {
            let samples = self.close(interval, interval.end, shared.pool.take());
            let mut next = interval.next();
            if samples.is_empty() {
                shared.pool.give(samples);
                // Nothing happens until something does that is known, or until now.
                next = next.of(self.first_later().map_or(at, |later| later.min(at)).max(next.start));
            } else if let Some(reporter) = &mut self.reporter {
                reporter.report.intervals.push((interval.start, samples));
            }
            self.open(next);
            interval = next;
        }
        self.reporter.iter_mut().for_each(|reporter| reporter.interval = Some(interval));
    }

    /// Sends what there is to report to the first part, at the end of a window.
    pub(crate) fn report(&mut self, window: &Window) {
        let Some(reporter) = &mut self.reporter else { return };
        reporter.reached = window.end.as_ps();
        self.endpoints.close_latencies(window.start, &mut reporter.report);
        self.endpoints.report(&mut reporter.report);
        self.routers.report(&mut reporter.report);
        if !reporter.report.is_empty() {
            let report = std::mem::take(&mut reporter.report);
            self.routers.shared.report.put(window.turn, self.part, 0, &mut vec![report]);
        }
    }

    /// Returns the rest of the reports at the end of a run, the interval that is not over included.
    pub(crate) fn rest(&mut self) -> PartReport {
        let Some(Reporter { interval, reached, mut report }) = self.reporter.take() else {
            return PartReport::default();
        };
        let reached = reached.min(self.routers.last_instant().saturating_add(1));
        if let Some(interval) = interval {
            // Packets in buffers were there until the run ended; what has been granted happens all the same.
            let end = reached.clamp(interval.start, interval.end);
            report.intervals.push((interval.start, self.close(interval, end, Samples::default())));
            let mut open = interval.next();
            while let Some(later) = self.first_later() {
                open = open.of(later.max(open.start));
                self.open(open);
                report.intervals.push((open.start, self.close(open, open.start, Samples::default())));
                open = open.next();
            }
        }
        self.endpoints.close_latencies(Time::MAX, &mut report);
        self.endpoints.report_rest(&mut report);
        report
    }
}

/// By the first part, while others run the same window: reports what all parts have sent in the one before.
pub(crate) fn report_mail(shared: &Shared<'_>, turn: u64, recorder: &mut dyn Recorder) {
    let mut all = PartReport::default();
    shared.report.take(turn, 0, |_, report| all.join(report));
    all.report(recorder, &shared.pool);
}

/// When all is over: reports what has been sent last, and then what remains.
pub(crate) fn report_rest(
    shared: &Shared<'_>,
    turns: u64,
    rest: impl Iterator<Item = PartReport>,
    pairs: Option<Pairs>,
    recorder: &mut dyn Recorder,
) {
    report_mail(shared, turns, recorder);
    let mut all = PartReport::default();
    rest.for_each(|report| all.join(report));
    all.report(recorder, &shared.pool);
    if let Some(pairs) = pairs {
        recorder.pairs(&pairs);
    }
}

impl PacketNetwork {
    /// The same machine with windows of which a whole number fills an interval, as samples need it.
    ///
    /// # Errors
    /// The machine as it is, if these would be less than a quarter as wide as they can be, and not because the interval is
    /// short.
    #[expect(clippy::result_large_err, reason = "a machine is as large either way")]
    pub fn for_intervals(mut self, interval: Duration) -> Result<Self, Self> {
        let (length, widest) = (interval.as_ps(), self.window().as_ps());
        let fewest = length.div_ceil(widest).max(1);
        match (fewest..=fewest.saturating_mul(4)).find(|windows| length.is_multiple_of(*windows)) {
            Some(windows) => {
                self.set_width(Duration::from_ps(length / windows));
                Ok(self)
            }
            None => Err(self),
        }
    }

    /// An interval near to this one for which [`Self::for_intervals`] has windows.
    pub fn nearest_interval(&self, interval: Duration) -> Duration {
        let widest = self.window().as_ps();
        Duration::from_ps((interval.as_ps() + widest / 2) / widest * widest).max(self.window())
    }

    /// The places of these outputs and their links, by link. Numbers of outputs are those in the part.
    pub(crate) fn by_link(outputs: &[Output]) -> Vec<(LinkId, u32)> {
        let used = (0..).zip(outputs).filter(|(_, output)| output.link != u32::MAX);
        let mut all: Vec<_> = used.map(|(place, output)| (LinkId(output.link), place)).collect();
        all.sort_unstable();
        all
    }
}
