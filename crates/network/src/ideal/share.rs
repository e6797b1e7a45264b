//! The ranks of one of several processes, window by window.
//!
//! A message to another node arrives at the latency after it has left, or later. So windows are as wide as the latency, and in one
//! of them no process concerns another. Ranks of one node reach each other at once: a node belongs to one process.

use super::{Ideal, Ways};
use crate::record::{MessageTimes, Pairs};
use crate::{
    Console, Due, Ended, EventKey, Limits, Looks, Message, Moment, Notice, Output, Pending, Placement,
    Polling, Print, Prints, Program, Progress, Ranks, Recorder, Watch, interrupted_by,
};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::time::Instant;
use weir_pdes::{Division, Letterbox, Letters, Next, Part, Width, Window};
use weir_units::{Bytes, Time};

/// Mail between processes. The number of a process is that of its only part.
pub(super) struct Mail<B> {
    /// Messages for ranks of other processes, each with when it arrives.
    arrivals: Letterbox<(Time, Message<B>)>,
    /// For the first process: messages of which nothing more will be known, each with when that was.
    pub(super) messages: Letterbox<(Moment, MessageTimes)>,
    /// For the first process: what ranks have printed.
    pub(super) prints: Letterbox<Print>,
    /// For the watch of the first process: messages, bytes and events of others.
    progress: Letterbox<[u64; 3]>,
    pub(super) polling: Polling,
}

impl<B: Serialize + DeserializeOwned> Mail<B> {
    pub(super) fn new(division: Division) -> Self {
        Self {
            arrivals: Letterbox::new(division),
            messages: Letterbox::new(division),
            prints: Letterbox::new(division),
            progress: Letterbox::new(division),
            polling: Polling::new(division),
        }
    }

    /// All boxes with mail for other processes.
    pub(super) fn boxes(&self) -> Vec<&dyn Letters> {
        vec![&self.arrivals, &self.messages, &self.prints, &self.progress]
    }
}

/// The network between the ranks of a process and all others.
struct Outward<'a, B> {
    within: Ways<'a, B>,
    /// By node: the process of its ranks.
    homes: &'a [u32],
    process: usize,
    /// Messages that have left for ranks of other processes in this window, with their process, and when the first of them arrives.
    leaving: Vec<(usize, (Time, Message<B>))>,
    first_arrival: Option<Time>,
}

impl<B> Outward<'_, B> {
    fn put(&mut self, key: &EventKey, output: Output<B>) {
        match output {
            Output::Inject(at, message, notice) if at == key.at || self.within.engine.is_stateless() => {
                self.carry(at, message, notice);
            }
            later => self.within.calendar.add_output(key.rank, later),
        }
    }

    fn carry(&mut self, at: Time, mut message: Message<B>, notice: Notice) {
        let arrives = self.within.depart(at, &mut message, notice);
        let home = self.homes[self.within.placement.node(message.to).index()] as usize;
        if home == self.process {
            return self.within.calendar.add_arrival(message, arrives, ());
        }
        self.first_arrival = Some(self.first_arrival.map_or(arrives, |first| first.min(arrives)));
        self.leaving.push((home, (arrives, message)));
    }
}

/// The ranks of this process, and whoever sees the run from here.
pub(super) struct Share<'a, 'r, P: Program> {
    width: Width,
    process: usize,
    mail: &'a Mail<P::Body>,
    ways: Outward<'a, P::Body>,
    ranks: Ranks<'a, P>,
    over: bool,
    watch: Watch<'a>,
    limits: Limits,
    started: Instant,
    looks: Looks,
    /// Windows and events so far.
    steps: u64,
    /// Counts of this process that the watch of the first one has been shown.
    shown: [u64; 3],
    /// Counts of others, in the first process.
    elsewhere: [u64; 3],
    /// A limit that has ended it and has nothing to do with its ranks.
    limit: Option<String>,
    records: bool,
    /// In the first process, if anything is kept.
    recorder: Option<&'r mut dyn Recorder>,
    messages: Vec<(Moment, MessageTimes)>,
    console: Option<&'a dyn Console>,
    prints: Prints,
}

/// Results of a process.
#[derive(Serialize, serde::Deserialize)]
pub(super) struct Remains {
    pub(super) ended: Ended,
    /// Where one of its ranks has ended the run.
    pub(super) stopped_at: Option<Moment>,
    pub(super) limit: Option<String>,
    /// Messages that have come and that their ranks have not taken.
    pub(super) kept: Vec<MessageTimes>,
    pub(super) pairs: Option<Pairs>,
    pub(super) prints: Vec<Print>,
}

/// State of the first process that is left when all is over.
pub(super) struct Unshown<'r> {
    pub(super) recorder: Option<&'r mut dyn Recorder>,
    pub(super) prints: Prints,
}

impl<'a, 'r, P: Program> Share<'a, 'r, P> {
    /// Before the start.
    pub(super) fn new(
        engine: &'a Ideal,
        mail: &'a Mail<P::Body>,
        (placement, homes): (&'a Placement, &'a [u32]),
        process: usize,
        ranks: Ranks<'a, P>,
        (limits, watch): (Limits, Watch<'a>),
        (recorder, console): (Option<&'r mut dyn Recorder>, Option<&'a dyn Console>),
    ) -> Self {
        let requested = recorder.as_ref().map(|recorder| recorder.requested());
        let records = requested.is_some();
        let ranks = ranks.keeping(requested);
        Self {
            width: Width::new(engine.latency),
            process,
            mail,
            ways: Outward {
                within: Ways::new(engine, placement, homes.len(), ranks.numbers()),
                homes,
                process,
                leaving: Vec::new(),
                first_arrival: None,
            },
            ranks,
            over: false,
            watch,
            limits,
            started: Instant::now(),
            looks: Looks::default(),
            steps: 0,
            shown: [0; 3],
            elsewhere: [0; 3],
            limit: None,
            records,
            // Only the first process records; the others only need to know what.
            recorder: recorder.filter(|_| process == 0),
            messages: Vec::new(),
            console,
            prints: Prints::default(),
        }
    }

    /// Takes all that has come for this process since the window before.
    fn take_mail(&mut self, window: &Window) {
        let Self { mail, process, ways, .. } = self;
        mail.arrivals.take(window.turn, *process, |_, (at, message)| {
            ways.within.calendar.add_arrival(message, at, ())
        });
        if self.process > 0 {
            return;
        }
        self.mail.progress.take(window.turn, 0, |_, done| {
            self.elsewhere.iter_mut().zip(done).for_each(|(all, new)| *all += new);
        });
        if let Some(recorder) = &mut self.recorder {
            report(self.mail, window.turn, *recorder);
            if recorder.has_failed() {
                self.limit = Some("the results cannot be written".into());
            }
        }
        if let Some(console) = self.console {
            self.mail.prints.take(window.turn, 0, |_, print| self.prints.add([print]));
            self.prints.show_before(window.start, console);
        }
    }

    fn run_events(&mut self, window: &Window) {
        // Behind the last window there is no time.
        let is_last = window.end.as_ps() >= u64::MAX - 1;
        while let Some(next) = self.ways.within.calendar.next_time()
            && (next < window.end || is_last)
        {
            if self.is_over() || self.ranks.must_end_before(next) {
                self.over = true;
                break;
            }
            let Some((key, what)) = self.ways.within.calendar.take() else { break };
            match Pending::due(key, what) {
                Due::Inject(message, notice) => self.ways.carry(key.at, message, notice),
                Due::Deliver(event, trail, ()) => {
                    let round = self.ways.within.calendar.round();
                    let Self { ranks, ways, .. } = self;
                    ranks.take_turn(round, key.kind);
                    ranks.set_cause(trail);
                    ranks.deliver(key.rank, key.at, event, |output| ways.put(&key, output));
                    if self.records {
                        let moment = key.in_round(round);
                        let known = self.ranks.take_messages().into_iter();
                        self.messages.extend(known.map(|(_, message)| (moment, message)));
                    }
                }
            }
            self.look_if_due(window, key.at);
        }
        self.over |= self.ranks.must_end();
    }

    fn is_over(&self) -> bool {
        self.over || self.limit.is_some()
    }

    /// After a step: shows how far the run is, and whether it has taken too long.
    fn look_if_due(&mut self, window: &Window, now: Time) {
        self.steps += 1;
        if !self.looks.are_due(self.steps - 1) && interrupted_by().is_none() {
            return;
        }
        let traffic = self.ranks.traffic();
        let own = [traffic.messages, traffic.bytes.0, traffic.events];
        if self.process > 0 {
            let new = [0, 1, 2].map(|count: usize| own[count] - self.shown[count]);
            self.mail.progress.put(window.turn, self.process, 0, &mut vec![new]);
            self.shown = own;
        }
        let [messages, bytes, events] = [0, 1, 2].map(|count: usize| own[count] + self.elsewhere[count]);
        (self.watch)(Progress { now, messages, bytes: Bytes(bytes), events, stage: None, causes: None });
        self.limit = self.limit.take().or_else(|| self.limits.wall_is_over(self.started));
    }

    pub(super) fn end(mut self) -> (Remains, Unshown<'r>) {
        let remains = Remains {
            stopped_at: self.ranks.stopped_at(),
            limit: self.limit,
            kept: self.ranks.take_kept(),
            pairs: self.ranks.take_pairs(),
            prints: self.console.map(Console::rest).unwrap_or_default(),
            ended: self.ranks.end(),
        };
        (remains, Unshown { recorder: self.recorder, prints: self.prints })
    }
}

/// By the first process: passes the messages of which all processes came to know everything in the turn before to the recorder, in
/// the order of events.
pub(super) fn report<B>(mail: &Mail<B>, turn: u64, recorder: &mut dyn Recorder) {
    let mut all = Vec::new();
    mail.messages.take(turn, 0, |_, message| all.push(message));
    if !all.is_empty() {
        // The messages of one event keep their order.
        all.sort_by_key(|&(moment, _)| moment);
        recorder.messages(&all.into_iter().map(|(_, message)| message).collect::<Vec<_>>());
    }
}

impl<P: Program> Part for Share<'_, '_, P> {
    fn run(&mut self, window: Window) {
        let (mail, turn, process) = (self.mail, window.turn, self.process);
        self.ways.first_arrival = None;
        self.take_mail(&window);
        self.over |= mail.polling.is_in_vain(turn, process);
        self.run_events(&window);
        let idle = self.ways.within.calendar.idle().filter(|_| self.ways.leaving.is_empty());
        mail.polling.say(turn, process, idle);
        mail.arrivals.send_away(process, &mut self.ways.leaving);
        mail.messages.put(turn, process, 0, &mut self.messages);
        if let Some(console) = self.console {
            mail.prints.put(turn, process, 0, &mut console.take());
        }
        self.look_if_due(&window, window.start);
    }

    fn next(&mut self, from: u64) -> Next {
        if self.is_over() {
            return Next::Stop;
        }
        let due = self.ways.within.calendar.next_time().into_iter().chain(self.ways.first_arrival).min();
        due.map_or(Next::Nothing, |due| Next::Window(self.width.number(due).max(from)))
    }
}
