//! Answers of programs.

use crate::causes::Trail;
use crate::{Class, EventKind, MessageNumber, Moment};
use weir_units::{Bytes, Duration, Rank, Time};

/// Request of a sender for an event when its message has left its node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Notice {
    /// No.
    None,
    /// Yes: an [`Event::Departed`](crate::Event::Departed) follows.
    Departed,
}

/// The way of a message out of its node, where it is not to be left to the machine. Only the packet engine has interfaces
/// that can be given a gap or be named: whoever sets one of these asks first what the engine offers. A rail may be set always.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct SendOptions {
    /// The gap after each packet, in times that the packet takes.
    pub gap: Option<f64>,
    /// The interface of the node.
    pub nic: Option<u16>,
    /// The rail.
    pub rail: Option<u16>,
}

// Gaps are numbers, see `with_gap`.
impl Eq for SendOptions {}

impl SendOptions {
    /// With this inter-packet gap: how long the interface pauses after each packet of the message, in times that the
    /// packet takes (paper 004; paper 003, section 4.1). `None`: as the machine says.
    ///
    /// # Panics
    /// When it is negative or not finite.
    #[must_use]
    pub fn with_gap(self, gap: Option<f64>) -> Self {
        assert!(gap.is_none_or(|gap| gap >= 0.0 && gap.is_finite()), "gaps are numbers, 0 or more");
        Self { gap, ..self }
    }

    /// By this interface of the node, counted from 0. `None`: the machine chooses.
    #[must_use]
    pub fn with_nic(self, nic: Option<u16>) -> Self {
        Self { nic, ..self }
    }

    /// By the interface that this rail has at every node: that with the number of the rail, modulo how many there are, where messages
    /// would take interfaces in turn. It does not change whose turn it is. `None`: the machine chooses.
    #[must_use]
    pub fn with_rail(self, rail: Option<u16>) -> Self {
        Self { rail, ..self }
    }

    /// Returns whether all is left to the machine.
    pub const fn is_default(&self) -> bool {
        self.gap.is_none() && self.nic.is_none() && self.rail.is_none()
    }
}

/// A message to send.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct Send<B> {
    /// When the node's interface gets it; not before the current instant. The interface serves first the message it
    /// got first.
    pub at: Time,
    /// The rank that receives.
    pub to: Rank,
    /// Bytes that the network carries.
    pub bytes: Bytes,
    /// The class that it is counted as.
    pub class: Class,
    /// Request for an event when it has left the node.
    pub notice: Notice,
    /// Contents that only programs understand.
    pub body: B,
}

/// A message that has been sent, and what there is about it beside.
#[derive(Debug, serde::Serialize, serde::Deserialize)]
pub(crate) struct Sent<B> {
    pub(crate) send: Send<B>,
    pub(crate) way: Option<Box<SendOptions>>,
    pub(crate) replies_to: Option<MessageNumber>,
    /// Its cause, where causes are kept.
    #[serde(skip)]
    pub(crate) trail: Option<Box<Trail>>,
}

/// Collects what one rank answers to one event. The engine takes everything out after each reaction.
#[derive(Debug)]
pub struct Actions<B> {
    pub(crate) now: Time,
    pub(crate) rank: Rank,
    /// Round and kind of the event, where the engine says it.
    pub(crate) turn: (u32, EventKind),
    pub(crate) next_sequence: u64,
    pub(crate) sends: Vec<Sent<B>>,
    pub(crate) timers: Vec<(Time, u64, TimerKind)>,
    pub(crate) stop: Option<String>,
    pub(crate) ignored: bool,
    /// True if the rank has been made to stop because a limit may be over.
    pub(crate) limited: bool,
    /// Notes on messages, if they are recorded.
    pub(crate) notes: Option<Vec<Note>>,
    pub(crate) keeps_causes: bool,
    /// Number of steps of paths that ranks keep.
    pub(crate) path_steps: usize,
    /// The cause of the event.
    pub(crate) trail: Option<Box<Trail>>,
}

/// Use that a rank has for a message of another one, named by its sender and its number there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Note {
    /// It keeps a message that has come until it has a use for it.
    Kept {
        from: Rank,
        sequence: u64,
    },
    /// Time for which the rank had waited for the message that comes now.
    Waited(Duration),
    Taken {
        from: Rank,
        sequence: u64,
        at: Time,
    },
}

/// Kind of a timer: work to be done, or only a look whether something has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum TimerKind {
    /// Work: the run is not over before it.
    Work,
    /// A look ([`Actions::set_poll_timer`]).
    Poll,
}

/// Answers of a rank that reacts in another process: it collects there ([`Actions::elsewhere`]), and its
/// engine is given here ([`Actions::answer`]).
#[derive(Debug, serde::Serialize, serde::Deserialize)]
pub struct Answers<B> {
    sends: Vec<Sent<B>>,
    timers: Vec<(Time, u64, TimerKind)>,
    stop: Option<String>,
    ignored: bool,
}

impl<B> Actions<B> {
    pub(crate) fn new() -> Self {
        Self {
            now: Time::ZERO,
            rank: Rank(0),
            turn: (0, EventKind::Start),
            next_sequence: 0,
            sends: Vec::new(),
            timers: Vec::new(),
            stop: None,
            ignored: false,
            limited: false,
            notes: None,
            keeps_causes: false,
            path_steps: 0,
            trail: None,
        }
    }

    /// The rank did not come to the end of its reaction: it was interrupted, because the run has been asked to end or its
    /// limit of wall-clock time is over. The engine looks at limits before anything else happens.
    pub fn note_limit(&mut self) {
        self.limited = true;
    }

    /// Notes that a message that has come is kept until the rank has a use for it. For those who keep the times of messages.
    #[inline]
    pub fn note_kept(&mut self, from: Rank, sequence: u64) {
        if let Some(notes) = &mut self.notes {
            notes.push(Note::Kept { from, sequence });
        }
    }

    /// Returns whether the times of messages are recorded.
    #[inline]
    pub const fn are_noted(&self) -> bool {
        self.notes.is_some()
    }

    /// Notes how long the rank had waited for the message of the current event. For those who keep the times of
    /// messages; before any other note on this message.
    #[inline]
    pub fn note_waited(&mut self, waited: Duration) {
        if let Some(notes) = &mut self.notes {
            notes.push(Note::Waited(waited));
        }
    }

    /// Notes that the rank takes a message that has come, by its own clock at `at`.
    #[inline]
    pub fn note_taken(&mut self, from: Rank, sequence: u64, at: Time) {
        if let Some(notes) = &mut self.notes {
            notes.push(Note::Taken { from, sequence, at });
        }
    }

    /// Collects what a rank answers that reacts to an event in another process: `now` and `next_sequence` are those of
    /// its engine's.
    pub fn elsewhere(now: Time, rank: Rank, next_sequence: u64) -> Self {
        Self { now, rank, next_sequence, ..Self::new() }
    }

    /// Takes out what has been collected.
    pub fn take(&mut self) -> Answers<B> {
        self.next_sequence += self.sends.len() as u64;
        Answers {
            sends: std::mem::take(&mut self.sends),
            timers: std::mem::take(&mut self.timers),
            stop: self.stop.take(),
            ignored: std::mem::take(&mut self.ignored),
        }
    }

    /// Answers what was collected in another process.
    ///
    /// # Panics
    /// When something is to happen in the past.
    pub fn answer(&mut self, answers: Answers<B>) {
        for sent in answers.sends {
            self.sent(sent);
        }
        for (at, token, kind) in answers.timers {
            match kind {
                TimerKind::Work => self.set_timer(at, token),
                TimerKind::Poll => self.set_poll_timer(at, token),
            }
        }
        if let Some(why) = answers.stop {
            self.stop(why);
        }
        self.ignored |= answers.ignored;
    }

    /// The number of the message sent next.
    pub const fn next_sequence(&self) -> u64 {
        self.next_sequence + self.sends.len() as u64
    }

    /// The current instant.
    pub const fn now(&self) -> Time {
        self.now
    }

    /// The rank that reacts.
    pub const fn rank(&self) -> Rank {
        self.rank
    }

    /// The place of the event in the order of a run that several processes carry out together.
    pub const fn moment(&self) -> Moment {
        let (round, kind) = self.turn;
        Moment { at: self.now, round, kind, rank: self.rank }
    }

    /// Hands a message to the node's interface and returns its number among this rank's messages.
    ///
    /// # Panics
    /// When it is to leave in the past.
    pub fn send(&mut self, send: Send<B>) -> u64 {
        self.send_by(send, None)
    }

    /// Like [`Self::send`], and says how the message is to leave its node.
    ///
    /// # Panics
    /// When it is to leave in the past.
    pub fn send_by(&mut self, send: Send<B>, way: Option<Box<SendOptions>>) -> u64 {
        self.sent(Sent { send, way, replies_to: None, trail: None })
    }

    /// Like [`Self::send_by`], for a reply of a protocol to a message of the receiver, of which this is the number; none
    /// is replied to twice. Replies that arrive at one instant are delivered in the order in which the receiver has sent what
    /// they reply to, whoever sends them.
    ///
    /// # Panics
    /// When it is to leave in the past.
    pub fn reply(&mut self, send: Send<B>, way: Option<Box<SendOptions>>, to: u64) -> u64 {
        self.sent(Sent { send, way, replies_to: Some(MessageNumber::new(to)), trail: None })
    }

    /// Returns whether ranks keep account of their time: see [`Ledger`](crate::causes::Ledger).
    #[inline]
    pub const fn keeps_causes(&self) -> bool {
        self.keeps_causes
    }

    /// Number of steps of paths that a [`Ledger`](crate::causes::Ledger) keeps.
    pub const fn path_steps(&self) -> usize {
        self.path_steps
    }

    /// Takes what led to the event, for a ledger.
    pub const fn take_trail(&mut self) -> Option<Box<Trail>> {
        self.trail.take()
    }

    /// The message that was sent last takes along what led to it, which is asked for by when its interface gets it.
    ///
    /// # Panics
    /// When none has been sent.
    #[inline]
    pub fn attach(&mut self, trail: impl FnOnce(Time) -> Box<Trail>) {
        let last = self.sends.last_mut().expect("a message has been sent");
        last.trail = Some(trail(last.send.at));
    }

    fn sent(&mut self, sent: Sent<B>) -> u64 {
        assert!(sent.send.at >= self.now, "rank {} sends into the past", self.rank);
        let sequence = self.next_sequence();
        self.sends.push(sent);
        sequence
    }

    /// Asks for an [`Event::Timer`](crate::Event::Timer) with this token at this instant.
    ///
    /// # Panics
    /// When the instant lies in the past.
    pub fn set_timer(&mut self, at: Time, token: u64) {
        assert!(at >= self.now, "rank {} sets a timer in the past", self.rank);
        self.timers.push((at, token, TimerKind::Work));
    }

    /// Like [`Self::set_timer`], for a rank that only has to look again whether something has come. A machine in
    /// which nothing but such timers remains makes no progress, and the run ends as a deadlock after a while (see
    /// [`Calendar`](crate::Calendar)).
    ///
    /// # Panics
    /// When the instant lies in the past.
    pub fn set_poll_timer(&mut self, at: Time, token: u64) {
        assert!(at >= self.now, "rank {} sets a timer in the past", self.rank);
        self.timers.push((at, token, TimerKind::Poll));
    }

    /// The event meant nothing: a timer that is no longer needed. It is not counted, and does not make the run longer.
    pub const fn ignore(&mut self) {
        self.ignored = true;
    }

    /// Ends the whole run: the program has aborted, crashed or broken a rule. Says why.
    pub fn stop(&mut self, why: String) {
        self.stop.get_or_insert(why);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Answers given elsewhere are given here, in its order: way, timers of both kinds, the first reason to stop. The
    /// numbers of messages go on behind it.
    #[test]
    fn answers_from_elsewhere() {
        let (now, rank) = (Time::from_ps(5), Rank(3));
        let send = |body| Send {
            at: now,
            to: Rank(1),
            bytes: Bytes(8),
            class: Class::Data,
            notice: Notice::None,
            body,
        };
        let way = Some(Box::new(SendOptions::default().with_nic(Some(1))));
        let mut elsewhere = Actions::elsewhere(now, rank, 10);
        assert_eq!((elsewhere.now(), elsewhere.rank(), elsewhere.next_sequence()), (now, rank, 10));
        assert_eq!(elsewhere.send(send('a')), 10);
        assert_eq!(elsewhere.send_by(send('b'), way.clone()), 11);
        elsewhere.set_timer(Time::from_ps(7), 20);
        elsewhere.set_poll_timer(Time::from_ps(6), 21);
        elsewhere.stop("first".into());
        elsewhere.stop("second".into());
        elsewhere.ignore();
        let answers = elsewhere.take();
        assert_eq!(elsewhere.next_sequence(), 12, "two have been taken out");
        assert_eq!(elsewhere.send(send('c')), 12);

        let mut here = Actions::elsewhere(now, rank, 10);
        here.answer(answers);
        let sent: Vec<_> = here.sends.iter().map(|sent| (sent.send.body, sent.way.clone())).collect();
        assert_eq!(sent, [('a', None), ('b', way)]);
        let timers = [(Time::from_ps(7), 20, TimerKind::Work), (Time::from_ps(6), 21, TimerKind::Poll)];
        assert_eq!(
            (here.timers.as_slice(), here.stop.as_deref(), here.ignored),
            (&timers[..], Some("first"), true)
        );
        // A reaction elsewhere that means something does not undo that another meant nothing, nor the other way round.
        here.answer(Actions::elsewhere(now, rank, 12).take());
        assert!(here.ignored);
    }
}
