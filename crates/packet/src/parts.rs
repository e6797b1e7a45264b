//! A machine cut into parts, one for each thread of each process.

use crate::crossing::{Delivery, Sink};
use crate::flights::{FlightName, FlightNumbers};
use crate::network::PacketNetwork;
use crate::nic::Nics;
use crate::prefetch::begin_window;
use crate::remote::RemoteCounts;
use crate::reports::PartReport;
use crate::routers::{Measurement, Routers};
use crate::series::Reporter;
use crate::shared::Shared;
use weir_network::Moment;
use weir_network::record::Pairs;
use weir_pdes::{Next, Part, RunPosition, Window};
use weir_units::Time;

/// By part of then: names of the messages on their way to it, and the rest of what its endpoints have kept.
pub(crate) type Saved<'s> = [(&'s [FlightName], &'s [u8])];

/// Endpoints at the nodes of a part: they send packets into the injection links and take those from the ejection links.
pub(crate) trait Endpoints: Sink {
    /// Runs all nodes in the window of the routers.
    fn run(&mut self, routers: &mut Routers<'_>);

    /// Their need after it.
    fn next(&mut self, from: u64) -> Next;

    /// Returns whether anything here waits for its turn to be sent.
    fn waits(&self) -> bool {
        false
    }

    /// The machine has become another one: interfaces open at this instant, which is not before the window.
    fn change(&mut self, _opens: u64, _window: &Window) {}

    /// Returns whether programs have handed over packets that have not left, and when the last one has left an interface.
    fn remains(&self) -> (bool, Time);

    /// Their interfaces, if they have any.
    fn nics(&mut self) -> Option<&mut Nics> {
        None
    }

    /// Takes the latencies of the intervals that are over at an instant.
    fn close_latencies(&mut self, _until: Time, _report: &mut PartReport) {}

    /// Takes all that is reported one by one.
    fn report(&mut self, _report: &mut PartReport) {}

    /// When all is over: takes the rest.
    fn report_rest(&mut self, _report: &mut PartReport) {}

    /// When all is over: takes the pairs of ranks, if they were requested.
    fn pairs(&mut self) -> Option<Pairs> {
        None
    }

    /// Takes the mail for a window before it is run.
    fn take_mail(&mut self, _window: &Window) {}

    /// Returns whether something has ended the run.
    fn is_over(&self) -> bool {
        false
    }

    /// The event at which a program has ended the run, if one has.
    fn stopped_at(&self) -> Option<Moment> {
        None
    }

    /// State before a window, when the mail for it has been taken: names of messages on their way to this part, and the rest.
    fn save(&mut self) -> (Vec<FlightName>, Vec<u8>) {
        (Vec::new(), Vec::new())
    }

    /// Takes over the state of this part from that of all parts of then, with new numbers of flights; `None` if it cannot be
    /// read.
    fn restore(&mut self, _saved: &Saved<'_>, _numbers: &FlightNumbers, _window: &Window) -> Option<()> {
        Some(())
    }
}

/// One thread's share of a machine.
pub(crate) struct Worker<'a, E: ?Sized> {
    pub(crate) part: usize,
    pub(crate) routers: Routers<'a>,
    /// If anything is to be reported while the run goes on.
    pub(crate) reporter: Option<Reporter>,
    /// When interfaces have opened last, because the machine has changed, in picoseconds.
    pub(crate) opens: u64,
    pub(crate) endpoints: E,
}

/// The share of a thread with whatever endpoints.
pub(crate) type AnyWorker<'a> = Worker<'a, dyn Endpoints + 'a>;

/// A run of this process that stands still before a window.
pub(crate) struct Halt<'w, 'a> {
    pub(crate) workers: Vec<&'w mut AnyWorker<'a>>,
    pub(crate) place: RunPosition,
    /// True if something outside of the parts has ended it.
    pub(crate) is_over: bool,
}

impl<'w, 'a> Halt<'w, 'a> {
    pub(crate) fn new<E: Endpoints + 'a, O: Endpoints + 'a>(
        here: &'w mut Worker<'a, E>,
        others: &'w mut [Worker<'a, O>],
        place: RunPosition,
    ) -> Self {
        let mut workers: Vec<&'w mut AnyWorker<'a>> = vec![here];
        workers.extend(others.iter_mut().map(|other| other as &mut AnyWorker<'a>));
        Self { workers, place, is_over: false }
    }

    /// The machine as it is.
    pub(crate) fn network(&self) -> &'a PacketNetwork {
        self.workers[0].routers.network
    }

    /// The window, of which all parts have taken the mail.
    pub(crate) fn take_mail(&mut self) -> Window {
        let window = self.place.window(self.network().width);
        self.workers.iter_mut().for_each(|worker| worker.take_mail(&window));
        window
    }
}

/// Takes what routers of other parts have sent endpoints.
fn take_packets<E: Endpoints + ?Sized>(
    shared: &Shared<'_>,
    endpoints: &mut E,
    window: &Window,
    local: usize,
) {
    shared.deliveries.take(window.turn, local, |_, delivery| endpoints.deliver(delivery));
    shared.credits.take(window.turn, local, |_, (nic, due)| endpoints.credit(nic, due));
}

impl<'a, E> Worker<'a, E> {
    pub(crate) fn new(
        network: &'a PacketNetwork,
        shared: &'a Shared<'a>,
        part: usize,
        endpoints: E,
        kept: Measurement<'_>,
    ) -> Self {
        let routers = Routers::new(network, shared, part, kept);
        Self { part, routers, endpoints, reporter: Reporter::new(kept.requested), opens: 0 }
    }
}

impl<E: Endpoints + ?Sized> Worker<'_, E> {
    /// Takes all mail for a window before it is run.
    pub(crate) fn take_mail(&mut self, window: &Window) {
        let Self { part, routers, endpoints, .. } = self;
        let shared = routers.shared;
        take_packets(shared, endpoints, window, shared.division.local(*part));
        endpoints.take_mail(window);
        routers.take_mail(window);
    }

    /// Takes what has left the routers of another processor in the last window, and all that these have counted.
    pub(crate) fn end_remote(&mut self, counts: &RemoteCounts)
    where
        E: Sized,
    {
        self.routers.take_remote(&mut self.endpoints);
        self.routers.take_counts(counts);
    }

    /// The need of routers and endpoints from a window on.
    pub(crate) fn need(&mut self, from: u64) -> Next {
        let next = match (self.endpoints.next(from), self.routers.next(from)) {
            (Next::Window(first), Some(second)) => Next::Window(first.min(second)),
            (Next::Nothing, Some(number)) => Next::Window(number),
            (next, _) => next,
        };
        match (next, self.routers.change_to_come()) {
            // The window of the change is run, so that the run stands still behind it.
            (Next::Window(number), Some(due)) => Next::Window(number.min(due.max(from))),
            (next, _) => next,
        }
    }
}

impl<E: Endpoints> Part for Worker<'_, E> {
    fn run(&mut self, window: Window) {
        begin_window();
        self.close_intervals(&window);
        let Self { part, routers, endpoints, .. } = self;
        let shared = routers.shared;
        let local = shared.division.local(*part);
        if local == 0 {
            shared.moved.count(window.turn);
        }
        take_packets(shared, endpoints, &window, local);
        routers.enter(window);
        if shared.remote.is_some() {
            routers.take_mail(&window);
            routers.take_remote(endpoints);
        }
        endpoints.run(routers);
        routers.run(endpoints);
        self.report(&window);
    }

    fn next(&mut self, from: u64) -> Next {
        self.need(from)
    }
}

/// The endpoints of a part that has none: they are all in the first one.
pub(crate) struct NoEndpoints;

impl Sink for NoEndpoints {
    fn deliver(&mut self, _: Delivery) {
        unreachable!("deliveries go to the part with the endpoints");
    }

    fn credit(&mut self, _: u32, _: u64) {
        unreachable!("interfaces are in the part with the endpoints");
    }
}

impl Endpoints for NoEndpoints {
    fn run(&mut self, _: &mut Routers<'_>) {}

    fn next(&mut self, _: u64) -> Next {
        Next::Nothing
    }

    fn remains(&self) -> (bool, Time) {
        (false, Time::ZERO)
    }
}
