//! Recorders, checkpoints and programs for the tests of the engines.

use crate::record::{
    BufferSample, LatencyKind, LatencySample, LinkSample, MessageTimes, PacketStay, Pairs, Recorder,
    Requested,
};
use crate::{Actions, Checkpoints, Class, Event, Notice, Program, Send};
use weir_units::{Bytes, Rank, Time};

/// Everything that is recorded, in its order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Recorded {
    pub requested: Requested,
    pub links: Vec<(Time, LinkSample)>,
    /// How often links were reported, of intervals without anything too.
    pub intervals: usize,
    pub buffers: Vec<(Time, BufferSample)>,
    pub latencies: Vec<(Time, LatencyKind, LatencySample)>,
    pub messages: Vec<MessageTimes>,
    pub stays: Vec<PacketStay>,
    pub pairs: Option<Pairs>,
    /// Number of messages after which it can keep no more.
    pub fails_after: Option<usize>,
}

impl Recorder for Recorded {
    fn requested(&self) -> &Requested {
        &self.requested
    }

    fn links(&mut self, start: Time, samples: &[LinkSample]) {
        self.intervals += 1;
        self.links.extend(samples.iter().map(|&sample| (start, sample)));
    }

    fn buffers(&mut self, start: Time, samples: &[BufferSample]) {
        self.buffers.extend(samples.iter().map(|&sample| (start, sample)));
    }

    fn latencies(&mut self, start: Time, kind: LatencyKind, sample: LatencySample) {
        self.latencies.push((start, kind, sample));
    }

    fn messages(&mut self, messages: &[MessageTimes]) {
        self.messages.extend_from_slice(messages);
    }

    fn stays(&mut self, stays: &[PacketStay]) {
        self.stays.extend_from_slice(stays);
    }

    fn pairs(&mut self, pairs: &Pairs) {
        self.pairs = Some(pairs.clone());
    }

    fn has_failed(&self) -> bool {
        self.fails_after.is_some_and(|most| self.messages.len() >= most)
    }
}

/// Keeps a run when it is asked whether to for the so-many-th time.
#[derive(Debug)]
pub struct Stops {
    from: Option<Vec<u8>>,
    after: usize,
    pub kept: Vec<(Time, Vec<u8>)>,
}

impl Stops {
    /// Goes on from a state, if there is one.
    pub fn new(from: Option<&Vec<u8>>, after: usize) -> Self {
        Self { from: from.cloned(), after, kept: Vec::new() }
    }

    /// Keeps it when it is over, and not before.
    pub fn at_the_end(from: Option<&Vec<u8>>) -> Self {
        Self::new(from, usize::MAX - 1)
    }
}

impl Checkpoints for Stops {
    fn take(&mut self) -> Option<Vec<u8>> {
        self.from.take()
    }

    fn is_due(&mut self) -> bool {
        self.after = self.after.wrapping_sub(1);
        self.after == usize::MAX
    }

    fn keep(&mut self, at: Time, state: &[u8]) {
        self.kept.push((at, state.to_vec()));
    }
}

/// A message that a rank sends in the beginning, for an instant; what comes for it is answered at once, so often.
#[derive(Clone, Copy, Debug)]
pub struct First {
    pub at: u64,
    pub to: u32,
    pub bytes: u64,
    pub answers: u8,
}

/// Sends its messages for later in the beginning and answers what comes. The body says how often to answer still.
#[derive(Clone, Debug, Default)]
pub struct Answerer {
    pub firsts: Vec<First>,
    /// Sender, number, when its interface got it, when it came.
    pub arrivals: Vec<(Rank, u64, Time, Time)>,
}

impl Answerer {
    /// So many ranks that send these.
    pub fn all(ranks: usize, firsts: impl IntoIterator<Item = (u32, First)>) -> Vec<Self> {
        let mut all = vec![Self::default(); ranks];
        firsts.into_iter().for_each(|(from, first)| all[from as usize].firsts.push(first));
        all
    }

    /// Two arrivals of a pair of ranks, by number, of which the second was sent first, and handed to the interface no later.
    pub fn overtaken(&self) -> Option<(u64, u64)> {
        (1..).zip(&self.arrivals).find_map(|(behind, &(from, number, posted, _))| {
            let mut later = self.arrivals[behind..].iter().filter(|later| later.0 == from);
            let other = later.find(|later| later.1 < number && later.2 <= posted)?;
            Some((number, other.1))
        })
    }
}

impl Program for Answerer {
    type Body = u8;

    fn react(&mut self, event: Event<u8>, actions: &mut Actions<u8>) {
        let now = actions.now();
        let mut send = |at, to, bytes, body| {
            actions.send(Send { at, to, bytes, class: Class::Data, notice: Notice::None, body });
        };
        match event {
            Event::Start => {
                for &First { at, to, bytes, answers } in &self.firsts {
                    send(Time::from_ps(at), Rank(to), Bytes(bytes), answers);
                }
            }
            Event::Arrived(message) => {
                self.arrivals.push((message.from, message.sequence, message.posted, now));
                if let Some(left) = message.body.checked_sub(1) {
                    // Two at once: something, and nothing behind it.
                    send(now, message.from, message.bytes, 0);
                    send(now, message.from, Bytes::ZERO, left);
                }
            }
            Event::Departed { .. } | Event::Timer { .. } => {}
        }
    }
}
