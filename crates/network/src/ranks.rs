//! Delivers events to programs and keeps what belongs to each rank.

mod saved;
mod stepped;

use crate::actions::{Sent, TimerKind};
use crate::causes::{Cause, SumsDue, Trail};
use crate::outcome::Chain;
use crate::record::{Keep, LatencySample, MessageRecords, MessageTimes, Pairs, Recorder, Requested};
use crate::{
    Actions, Digest, Ended, Event, EventKind, Latencies, Limits, Looks, Message, Moment, Outcome, Program,
    Progress, Send, ServiceClasses, ServiceCounts, Stepper, Traffic, Watch,
};
pub use saved::SavedRanks;
use std::time::Instant;
use weir_units::{Rank, Time};

#[derive(Clone, Copy, Debug, Default, serde::Serialize, serde::Deserialize)]
struct State {
    next_sequence: u64,
    next_timer: u64,
    chain: Chain,
}

/// The ranks of a run, or of a part of one, as an engine sees them: it delivers events to them and gets back their actions.
pub struct Ranks<'a, P: Program> {
    programs: Programs<'a, P>,
    states: Vec<State>,
    actions: Actions<P::Body>,
    traffic: Traffic,
    latency: Latencies,
    /// The service classes, and what has been counted of each, if there are some.
    services: Option<(&'a ServiceClasses, Vec<ServiceCounts>)>,
    keeper: Option<Box<MessageRecords>>,
    now: Time,
    aborted: Option<(Moment, String)>,
    limits: Limits,
    started: Instant,
    limit: Option<String>,
    /// True if the clock on the wall and signals end the run between two instants only; and the limit that does.
    between_instants_only: bool,
    pending_limit: Option<String>,
    watch: Option<Watch<'a>>,
    /// Events delivered, and other work between two looks at the wall clock.
    work: u64,
    looks: Looks,
    /// If the watch is shown what the time of ranks went into: when that is due.
    sums_due: Option<SumsDue>,
    /// True if a program outside steps the run.
    is_stepped: bool,
}

enum Programs<'a, P> {
    /// Rank r has the place r.
    All(&'a mut [P]),
    /// Some, in ascending order.
    Some { programs: Vec<(Rank, &'a mut P)>, place_of: Vec<u32> },
}

impl<P> Programs<'_, P> {
    fn place(&self, rank: Rank) -> usize {
        match self {
            Self::All(_) => rank.index(),
            Self::Some { place_of, .. } => place_of[rank.index()] as usize,
        }
    }

    fn place_if_here(&self, rank: Rank) -> Option<usize> {
        match self {
            Self::All(programs) => Some(rank.index()).filter(|&place| place < programs.len()),
            Self::Some { place_of, .. } => {
                place_of.get(rank.index()).filter(|&&place| place != u32::MAX).map(|&place| place as usize)
            }
        }
    }

    fn at(&mut self, place: usize) -> &mut P {
        match self {
            Self::All(programs) => &mut programs[place],
            Self::Some { programs, .. } => programs[place].1,
        }
    }

    fn len(&self) -> usize {
        match self {
            Self::All(programs) => programs.len(),
            Self::Some { programs, .. } => programs.len(),
        }
    }

    fn each(&self) -> impl Iterator<Item = (Rank, &P)> {
        let (all, some) = match self {
            Self::All(programs) => (Some(programs.iter()), None),
            Self::Some { programs, .. } => (None, Some(programs.iter())),
        };
        let all = all.into_iter().flatten().enumerate().map(|(rank, program)| (Rank::new(rank), program));
        all.chain(some.into_iter().flatten().map(|(rank, program)| (*rank, &**program)))
    }
}

impl<P: Program> Programs<'_, P> {
    /// Whoever steps the run: all ranks have the same, or none.
    fn stepper(&self) -> Option<&dyn Stepper> {
        self.each().next().and_then(|(_, program)| program.stepper())
    }
}

/// Output of a rank's program after an event, to be put into the engine's queues.
pub enum Output<B> {
    /// A message for the node's interface, with whether the sender asks for an event at its departure.
    Inject(Time, Message<B>, crate::Notice),
    /// A timer: when, its kind ([`EventKind::Timer`] or [`EventKind::Poll`]), its number within the rank and its token.
    Timer(Time, EventKind, u64, u64),
}

impl<'a, P: Program> Ranks<'a, P> {
    /// Before the start: program `r` is rank `r`.
    pub fn new(programs: &'a mut [P], limits: Limits, watch: Watch<'a>) -> Self {
        Self::with(Programs::All(programs), limits, Some(watch))
    }

    /// Some ranks of a parallel run, before the start. There is no watch, and the clock on the wall is not looked at.
    ///
    /// # Panics
    /// When the ranks are not in ascending order.
    pub fn some(programs: Vec<(Rank, &'a mut P)>, limits: Limits) -> Self {
        assert!(programs.is_sorted_by(|one, other| one.0 < other.0), "ranks are in ascending order");
        let mut place_of = vec![u32::MAX; programs.last().map_or(0, |last| last.0.index() + 1)];
        for (place, (rank, _)) in (0..).zip(&programs) {
            place_of[rank.index()] = place;
        }
        Self::with(Programs::Some { programs, place_of }, limits, None)
    }

    fn with(programs: Programs<'a, P>, limits: Limits, watch: Option<Watch<'a>>) -> Self {
        let is_stepped = programs.stepper().is_some();
        Self {
            states: vec![State::default(); programs.len()],
            programs,
            actions: Actions::new(),
            traffic: Traffic::default(),
            latency: Latencies::default(),
            services: None,
            keeper: None,
            now: Time::ZERO,
            aborted: None,
            limits,
            started: Instant::now(),
            limit: None,
            between_instants_only: false,
            pending_limit: None,
            watch,
            work: 0,
            looks: Looks::of_events(),
            sums_due: None,
            is_stepped,
        }
    }

    /// Keeps of messages what is requested; from the start on.
    #[must_use]
    pub fn keeping(self, requested: Option<&Requested>) -> Self {
        let mut ranks =
            Self { keeper: requested.map(|requested| Box::new(MessageRecords::new(requested))), ..self };
        ranks.actions.notes =
            requested.filter(|requested| requested.messages == Keep::Yes).map(|_| Vec::new());
        ranks
    }

    /// Counts the messages of each service class; from the start on.
    #[must_use]
    pub fn counting(self, services: Option<&'a ServiceClasses>) -> Self {
        let counts = |services: &'a ServiceClasses| vec![ServiceCounts::default(); services.all().len()];
        Self { services: services.map(|services| (services, counts(services))), ..self }
    }

    /// Lets ranks keep account of their time, and keeps the steps of paths of each that the context asks for; from the start on.
    #[must_use]
    pub fn accounting(mut self, causes: Keep, path_steps: usize) -> Self {
        self.actions.keeps_causes = causes == Keep::Yes;
        self.actions.path_steps = path_steps;
        self
    }

    /// Returns whether ranks keep account of their time.
    pub const fn keeps_causes(&self) -> bool {
        self.actions.keeps_causes
    }

    /// Says what led to the event that is delivered next, beside what a message has with it.
    #[inline]
    pub fn set_cause(&mut self, trail: Option<Box<Trail>>) {
        self.actions.trail = trail;
    }

    /// Takes the messages of which nothing more will be known, in the order in which that came out, each with when it did.
    pub fn take_messages(&mut self) -> Vec<(Time, MessageTimes)> {
        self.keeper
            .as_mut()
            .and_then(|keeper| keeper.messages.as_mut())
            .map(std::mem::take)
            .unwrap_or_default()
    }

    /// When all is over: the messages that have come and that their ranks have not taken, by receiver, sender and number.
    pub fn take_kept(&mut self) -> Vec<MessageTimes> {
        let kept = self.keeper.as_mut().map(|keeper| std::mem::take(&mut keeper.kept));
        kept.unwrap_or_default().into_values().collect()
    }

    /// Passes the messages of which nothing more will be known to a recorder.
    pub fn report(&mut self, recorder: &mut dyn Recorder) {
        let messages = self.take_messages();
        if !messages.is_empty() {
            recorder.messages(&messages.into_iter().map(|(_, message)| message).collect::<Vec<_>>());
        }
    }

    /// When all is over: passes a recorder the messages and pairs that it has not got yet.
    pub fn report_rest(&mut self, recorder: &mut dyn Recorder) {
        self.report(recorder);
        recorder.messages(&self.take_kept());
        if let Some(pairs) = self.take_pairs() {
            recorder.pairs(&pairs);
        }
    }

    /// Takes the latencies of data messages in the intervals that end at an instant or before, each with its beginning;
    /// at [`Time::MAX`] all.
    pub fn take_latencies(&mut self, until: Time) -> Vec<(Time, LatencySample)> {
        let latencies = self.keeper.as_mut().and_then(|keeper| keeper.latencies.as_mut());
        latencies.map(|latencies| latencies.take(until)).unwrap_or_default()
    }

    /// Takes what pairs of ranks have exchanged.
    pub fn take_pairs(&mut self) -> Option<Pairs> {
        self.keeper.as_mut().and_then(|keeper| keeper.pairs.take())
    }

    /// All is ready: says so, before the first event, to the watch.
    pub fn begin(&mut self) {
        if let Some(watch) = &mut self.watch {
            watch(Progress::default());
        }
    }

    /// Number of ranks.
    pub fn len(&self) -> usize {
        self.programs.len()
    }

    /// Returns whether there are none.
    pub fn is_empty(&self) -> bool {
        self.programs.len() == 0
    }

    /// The ranks, in ascending order.
    pub fn numbers(&self) -> impl Iterator<Item = Rank> + '_ {
        self.programs.each().map(|(rank, _)| rank)
    }

    /// Counts so far.
    pub const fn traffic(&self) -> &Traffic {
        &self.traffic
    }

    /// Says of the event that is delivered next which round of its instant it belongs to, and its kind: where several processes
    /// run ranks, and what these do is put into the order of events.
    pub fn take_turn(&mut self, round: u32, kind: EventKind) {
        self.actions.turn = (round, kind);
    }

    /// Where a rank has ended the run, if one has.
    pub fn stopped_at(&self) -> Option<Moment> {
        self.aborted.as_ref().map(|&(moment, _)| moment)
    }

    /// Delivers one event to one rank and hands what it does to `put`, sends first, each in the order of output.
    pub fn deliver(
        &mut self,
        rank: Rank,
        now: Time,
        mut event: Event<P::Body>,
        mut put: impl FnMut(Output<P::Body>),
    ) {
        debug_assert!(now >= self.now, "time goes backwards");
        let words = Self::words(&event);
        let place = self.programs.place(rank);
        let state = &mut self.states[place];
        if let Event::Arrived(message) = &mut event {
            if let Some(mut trail) = message.trail.take() {
                // Whatever an engine has not said of it was because of others.
                trail.extend(Cause::Contention, now);
                self.actions.trail = Some(trail);
            }
            if message.class.is_data() {
                self.traffic.messages += 1;
                self.traffic.bytes += message.bytes;
                self.latency.add(now.since(message.posted).as_ps());
            } else {
                self.traffic.control_messages += 1;
            }
            if let Some((services, counts)) = &mut self.services {
                let latency = now.since(message.posted).as_ps();
                let data = message.class.is_data().then_some(message.bytes);
                counts[services.of(message)].add(data, latency);
            }
            if let Some(keeper) = &mut self.keeper {
                keeper.arrived(now, message);
            }
        }
        let actions = &mut self.actions;
        actions.now = now;
        actions.rank = rank;
        actions.next_sequence = state.next_sequence;
        self.programs.at(place).react(event, actions);
        if let (Some(keeper), Some(notes)) = (&mut self.keeper, &mut actions.notes) {
            keeper.noted(now, rank, notes);
        }
        if std::mem::take(&mut actions.ignored) {
            return;
        }
        self.now = now;
        state.chain.append(now, words);
        self.traffic.events += 1;
        for Sent { send: Send { at, to, bytes, class, notice, body }, way, replies_to, trail } in
            actions.sends.drain(..)
        {
            let sequence = state.next_sequence;
            state.next_sequence += 1;
            let (posted, started) = (at, at);
            let from = rank;
            let message =
                Message { from, to, bytes, class, sequence, replies_to, posted, started, way, trail, body };
            put(Output::Inject(at, message, notice));
        }
        for (at, token, kind) in actions.timers.drain(..) {
            let kind = match kind {
                TimerKind::Work => EventKind::Timer,
                TimerKind::Poll => EventKind::Poll,
            };
            put(Output::Timer(at, kind, state.next_timer, token));
            state.next_timer += 1;
        }
        if let Some(why) = actions.stop.take() {
            let moment = self.actions.moment();
            self.aborted.get_or_insert((moment, why));
        }
        let is_limited = std::mem::take(&mut self.actions.limited);
        if is_limited {
            self.look_up();
        }
        self.look_if_due();
        // Whoever has interrupted the rank has another clock.
        if is_limited && self.limit.is_none() {
            self.limit = Some(self.limits.wall_in_words());
        }
    }

    fn words(event: &Event<P::Body>) -> [u64; 3] {
        match event {
            Event::Start => [0, 0, 0],
            Event::Arrived(m) => [1 | u64::from(m.from.0) << 8, m.bytes.0, m.sequence],
            Event::Departed { sequence } => [2, *sequence, 0],
            Event::Timer { token } => [3, *token, 0],
        }
    }

    /// Counts something that has been done, and looks now and then at the wall clock. Engines whose own work between two
    /// events may take long call it there, too.
    #[inline]
    pub fn look_if_due(&mut self) {
        self.work += 1;
        if self.watch.is_some() && (self.looks.is_due(self.work) || crate::interrupted_by().is_some()) {
            self.look_up();
        }
    }

    fn look_up(&mut self) {
        let Traffic { messages, bytes, events, .. } = self.traffic;
        let causes = self.so_far_if_due();
        if let Some(watch) = &mut self.watch {
            watch(Progress { now: self.now, messages, bytes, events, stage: None, causes });
        }
        if let Some(limit) = self.limits.wall_is_over(self.started) {
            let place = if self.between_instants_only { &mut self.pending_limit } else { &mut self.limit };
            *place = Some(limit);
        }
        self.looks.plan(self.work);
    }

    /// Returns whether the run has to end before an event at `next`: a program stopped it, or a limit is reached.
    pub fn must_end_before(&mut self, next: Time) -> bool {
        if let Some(limit) = self.limits.simulated_is_over(next).filter(|_| !self.must_end()) {
            self.now = self.now.max(next.min(self.limits.simulated));
            self.limit = Some(limit);
        }
        self.must_end()
    }

    /// From now on the clock on the wall and signals end no instant in its middle, but where the engine calls
    /// [`Ranks::apply_pending_limit`]. A program or whoever interrupts it still ends the run at once.
    pub fn stop_between_instants_only(&mut self) {
        self.between_instants_only = true;
    }

    /// The instant is over: returns whether the run ends by the clock on the wall or a signal.
    pub fn apply_pending_limit(&mut self) -> bool {
        let ends = self.pending_limit.is_some();
        self.limit = self.limit.take().or(self.pending_limit.take());
        ends
    }

    /// Ends the run as by a limit, for this reason.
    pub fn end_because(&mut self, why: String) {
        self.limit = Some(why);
    }

    /// Returns whether the run has to end before another event of the same instant.
    pub fn must_end(&self) -> bool {
        self.aborted.is_some() || self.limit.is_some()
    }

    /// Ends the run: to be called when no event remains, or when [`Ranks::must_end_before`] said so, or when
    /// nothing but vain polls remains.
    pub fn end(mut self) -> Ended {
        let causes = self.take_accounts().map(Box::new);
        let chains = self.numbers().zip(&self.states).map(|(rank, state)| state.chain.seal(rank));
        let digest = Digest(chains.fold(0, u64::wrapping_add));
        let outcome = if let Some((Moment { rank, .. }, why)) = self.aborted {
            Outcome::Aborted { rank, why }
        } else if let Some(limit) = self.limit {
            Outcome::Limit(limit)
        } else {
            let waiting: Vec<_> = self.programs.each().filter_map(|(_, program)| program.waiting()).collect();
            if waiting.is_empty() { Outcome::Finished } else { Outcome::Deadlock(waiting) }
        };
        let services = self.services.map(|(_, counts)| counts).unwrap_or_default();
        Ended {
            outcome,
            at: self.now,
            traffic: self.traffic,
            digest,
            latency: self.latency,
            services,
            causes,
        }
    }
}
