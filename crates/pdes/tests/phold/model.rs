//! PHOLD, the usual benchmark of parallel simulators (Fujimoto: "Performance of Time Warp under synthetic workloads",
//! 1990): each event of a unit makes another one, later, of the same unit or of any. Used by the tests and by the bench.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::Range;
use weir_pdes::{
    Activity, Border, Division, Exchange, Gathering, Letterbox, Next, Part, RunPosition, ThreadAsProcess,
    Transport, Width, Window,
};
use weir_units::{Duration, GOLDEN, Time, mix};

/// What happens.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Phold {
    pub(crate) units: u32,
    /// Of each unit at the beginning, and as a mean at any time.
    pub(crate) events: u32,
    /// The part of all events that go to a unit drawn from all; the others stay where they are.
    pub(crate) remote: f64,
    /// The least time from an event to the one that it makes, and the mean of what an exponential distribution adds.
    pub(crate) lookahead: Duration,
    pub(crate) mean: Duration,
    /// Nothing happens from here on.
    pub(crate) end: Time,
}

/// How it is run; no result depends on it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct How {
    pub(crate) width: Width,
    /// Threads that stand for processes, and the parts of each.
    pub(crate) processes: usize,
    pub(crate) parts: usize,
    pub(crate) order: Order,
}

/// In which order the units of a part are visited in a window.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Order {
    Ascending,
    Descending,
    /// Another one in every window.
    Shuffled(u64),
}

/// What is left.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) struct Ended {
    /// Fingerprint of all events: of each unit in order.
    pub(crate) digest: u64,
    pub(crate) happened: u64,
    /// Events that have not happened.
    pub(crate) pending: u64,
}

/// An event; equal times are ordered by who made it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
struct Event {
    at: u64,
    source: u32,
    number: u32,
}

struct Unit {
    random: u64,
    made: u32,
    history: u64,
    pending: BinaryHeap<Reverse<Event>>,
    /// The window in which it is awake next, as far as its part knows.
    due: u64,
}

/// The window that never comes.
const NEVER: u64 = u64::MAX;

impl Phold {
    /// Runs it in windows; what is left, and how many windows were run. Panics when an event comes too late.
    pub(crate) fn run(&self, how: &How) -> (Ended, u64) {
        let mut transports = ThreadAsProcess::several(how.processes);
        let (first, others) = transports.split_first_mut().expect("there is at least one process");
        std::thread::scope(|scope| {
            for transport in others {
                scope.spawn(|| self.run_process(how, transport));
            }
            self.run_process(how, first).expect("no process is lost")
        })
    }

    /// Runs the units of one process; in the first one, what is left of all.
    fn run_process(&self, how: &How, transport: &mut ThreadAsProcess) -> Option<(Ended, u64)> {
        let division = Division::new(transport.process(), how.processes, how.parts);
        let bound = |part: usize| (self.units as usize * part / division.parts()) as u32;
        let bounds = (0..=division.parts()).map(bound).collect();
        let shared = Shared { letterbox: Letterbox::new(division), bounds };
        let exchange = Exchange::new(vec![&shared.letterbox], how.processes);
        let mut meetings = Meetings { exchange, gathering: Gathering::new(transport) };
        let mut shares: Vec<_> = division.here().map(|part| Share::new(self, how, &shared, part)).collect();
        let (here, others) = shares.split_first_mut().expect("there is at least one part");
        let border: Option<&mut dyn Border> = if how.processes > 1 { Some(&mut meetings) } else { None };
        let turns = weir_pdes::run(how.width, RunPosition::default(), here, others, border).turn;
        // What was put into boxes in the last window is there still.
        let mut in_boxes = 0;
        division.here().for_each(|part| shared.letterbox.take(turns, part, |_, _| in_boxes += 1));
        let units = shares.iter().flat_map(|share| share.own.clone().zip(&share.units));
        let ended = Ended::of(units, shares.iter().map(|share| share.happened).sum());
        let ended = Ended { pending: ended.pending + in_boxes, ..ended };
        assert_eq!(meetings.gathering.counts.mail > 0, how.processes > 1, "things go to other processes");
        Some((meetings.gathering.join(ended, Ended::and)?, turns))
    }

    /// Runs it with one queue of all events, one after the other.
    pub(crate) fn run_one_queue(&self) -> Ended {
        let mut units: Vec<_> = (0..self.units).map(|number| Unit::new(self, number)).collect();
        let mut queue = BinaryHeap::new();
        for (number, unit) in (0..).zip(&mut units) {
            queue.extend(unit.pending.drain().map(|Reverse(event)| Reverse((event, number))));
        }
        let mut happened = 0;
        while let Some(&Reverse((event, number))) = queue.peek()
            && event.at < self.end.as_ps()
        {
            queue.pop();
            let (to, next) = units[number as usize].happen(self, number, event);
            queue.push(Reverse((next, to)));
            happened += 1;
        }
        Ended { pending: queue.len() as u64, ..Ended::of((0..).zip(&units), happened) }
    }
}

impl Ended {
    fn of<'a>(units: impl IntoIterator<Item = (u32, &'a Unit)>, happened: u64) -> Self {
        let (mut digest, mut pending) = (0_u64, 0);
        for (number, unit) in units {
            digest = digest.wrapping_add(mix(unit.history ^ mix(number.into())));
            pending += unit.pending.len() as u64;
        }
        Self { digest, happened, pending }
    }

    fn and(self, other: Self) -> Self {
        let (happened, pending) = (self.happened + other.happened, self.pending + other.pending);
        Self { digest: self.digest.wrapping_add(other.digest), happened, pending }
    }
}

/// What processes do between two windows.
struct Meetings<'s, 't> {
    exchange: Exchange<'s>,
    gathering: Gathering<'t>,
}

impl Border for Meetings<'_, '_> {
    fn meet(&mut self, _: u64, next: Next) -> Next {
        let mut words = [next.urgency()];
        self.exchange.meet(&mut self.gathering, &mut words).expect("no process is lost");
        Next::of_urgency(words[0])
    }
}

impl Unit {
    fn new(model: &Phold, number: u32) -> Self {
        let random = mix(u64::from(number));
        let mut unit = Self { random, made: 0, history: 0, pending: BinaryHeap::new(), due: NEVER };
        for _ in 0..model.events {
            let event = unit.make(model, number, 0);
            unit.pending.push(Reverse(event));
        }
        unit
    }

    /// A random number of SplitMix64.
    fn random(&mut self) -> u64 {
        let number = mix(self.random);
        self.random = self.random.wrapping_add(GOLDEN);
        number
    }

    /// In (0, 1]: its logarithm is finite.
    fn uniform(&mut self) -> f64 {
        ((self.random() >> 11) as f64 + 1.0) * 2f64.powi(-53)
    }

    /// An event after `now`.
    fn make(&mut self, model: &Phold, own: u32, now: u64) -> Event {
        let pause = (-self.uniform().ln() * model.mean.as_ps() as f64) as u64;
        self.made += 1;
        Event { at: now + model.lookahead.as_ps() + pause, source: own, number: self.made }
    }

    /// Does what an event does; returns the event that it makes, and whose it is.
    fn happen(&mut self, model: &Phold, own: u32, event: Event) -> (u32, Event) {
        let Event { at, source, number } = event;
        self.history = mix(self.history ^ mix(at) ^ (u64::from(source) << 32 | u64::from(number)));
        let to = if self.uniform() <= model.remote {
            ((u128::from(self.random()) * u128::from(model.units)) >> 64) as u32
        } else {
            own
        };
        (to, self.make(model, own, at))
    }
}

struct Shared {
    /// The first unit of each part, and where the last one ends.
    bounds: Vec<u32>,
    letterbox: Letterbox<(u32, Event)>,
}

/// The units of one part.
struct Share<'a> {
    model: &'a Phold,
    how: &'a How,
    shared: &'a Shared,
    part: usize,
    own: Range<u32>,
    units: Vec<Unit>,
    activity: Activity,
    awake: Vec<u32>,
    /// Events for other parts.
    away: Vec<Vec<(u32, Event)>>,
    /// The first window of one of these.
    called: u64,
    happened: u64,
}

impl<'a> Share<'a> {
    fn new(model: &'a Phold, how: &'a How, shared: &'a Shared, part: usize) -> Self {
        let own = shared.bounds[part]..shared.bounds[part + 1];
        let units: Vec<_> = own.clone().map(|number| Unit::new(model, number)).collect();
        let mut share = Self {
            model,
            how,
            shared,
            part,
            activity: Activity::new(units.len()),
            units,
            own,
            awake: Vec::new(),
            away: vec![Vec::new(); how.processes * how.parts],
            called: NEVER,
            happened: 0,
        };
        (0..share.units.len()).for_each(|place| share.wake_for_first(place));
        share
    }

    fn window_of(&self, event: Event) -> u64 {
        self.how.width.number(Time::from_ps(event.at))
    }

    /// Wakes a unit for its first event, if it is not awake in time.
    fn wake_for_first(&mut self, place: usize) {
        if let Some(&Reverse(first)) = self.units[place].pending.peek() {
            let due = self.window_of(first);
            if due < self.units[place].due {
                self.units[place].due = due;
                self.activity.wake(place as u32, due);
            }
        }
    }

    fn take_mail(&mut self, window: &Window) {
        let shared = self.shared;
        shared.letterbox.take(window.turn, self.part, |_, (to, event)| {
            let place = (to - self.own.start) as usize;
            self.units[place].pending.push(Reverse(event));
            self.wake_for_first(place);
        });
    }

    fn run_unit(&mut self, place: usize, window: &Window) {
        let end = window.end.min(self.model.end).as_ps();
        let own = self.own.start + place as u32;
        // Until it has run it needs no other wake-up.
        self.units[place].due = window.number;
        while let Some(&Reverse(event)) = self.units[place].pending.peek()
            && event.at < end
        {
            assert!(event.at >= window.start.as_ps(), "an event in the past");
            let unit = &mut self.units[place];
            unit.pending.pop();
            let (to, next) = unit.happen(self.model, own, event);
            self.happened += 1;
            self.send(to, next);
        }
        self.units[place].due = NEVER;
        self.wake_for_first(place);
    }

    fn send(&mut self, to: u32, event: Event) {
        if self.own.contains(&to) {
            let place = (to - self.own.start) as usize;
            self.units[place].pending.push(Reverse(event));
            return self.wake_for_first(place);
        }
        let part = self.shared.bounds.partition_point(|&first| first <= to) - 1;
        self.away[part].push((to, event));
        self.called = self.called.min(self.window_of(event));
    }
}

impl Part for Share<'_> {
    fn run(&mut self, window: Window) {
        self.take_mail(&window);
        let mut awake = std::mem::take(&mut self.awake);
        self.activity.take(window.number, &mut awake);
        match self.how.order {
            Order::Ascending => {}
            Order::Descending => awake.reverse(),
            Order::Shuffled(seed) => {
                awake.sort_by_cached_key(|&unit| mix(seed ^ window.turn ^ mix(u64::from(unit))))
            }
        }
        for &place in &awake {
            self.run_unit(place as usize, &window);
        }
        self.awake = awake;
        for (part, away) in self.away.iter_mut().enumerate() {
            self.shared.letterbox.put(window.turn, self.part, part, away);
        }
    }

    fn next(&mut self, from: u64) -> Next {
        let called = std::mem::replace(&mut self.called, NEVER);
        let next = self.activity.next(from).map_or(called, |own| own.min(called));
        let begins = next.saturating_mul(self.how.width.duration().as_ps());
        if begins < self.model.end.as_ps() { Next::Window(next) } else { Next::Nothing }
    }
}
