//! Samples of links for whoever follows a run, beside the recorder.

use std::fmt;
use std::sync::Arc;
use weir_network::Recorder;
use weir_network::record::{
    BufferSample, LatencyKind, LatencySample, LinkSample, MessageTimes, PacketStay, Pairs, Requested,
};
use weir_units::Time;
type Take = dyn Fn(Time, &[LinkSample]) + Send + Sync;

/// Takes what links have carried in the interval that began at a time, by link; links that carried nothing are left out.
#[derive(Clone)]
pub struct Follower(Arc<Take>);

impl Follower {
    /// Calls `take` with each interval, in their order.
    pub fn new(take: impl Fn(Time, &[LinkSample]) + Send + Sync + 'static) -> Self {
        Self(Arc::new(take))
    }
}

impl fmt::Debug for Follower {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Follower")
    }
}

/// Takes messages of which nothing more will be known.
pub(crate) type Arrived<'a> = Box<dyn Fn(&[MessageTimes]) + 'a>;

/// A recorder whose intervals of links are passed on, too, if somebody follows, and whose messages are drawn, if there is a trace.
pub(crate) struct TeeRecorder<'a> {
    /// The reports that are asked for, of which the recorder keeps its part.
    pub(crate) reported: Requested,
    pub(crate) recorder: &'a mut dyn Recorder,
    pub(crate) follower: Option<&'a Follower>,
    pub(crate) arrived: Option<Arrived<'a>>,
}

impl Recorder for TeeRecorder<'_> {
    fn requested(&self) -> &Requested {
        &self.reported
    }

    fn links(&mut self, start: Time, samples: &[LinkSample]) {
        if let Some(Follower(take)) = self.follower {
            take(start, samples);
        }
        self.recorder.links(start, samples);
    }

    fn buffers(&mut self, start: Time, samples: &[BufferSample]) {
        self.recorder.buffers(start, samples);
    }

    fn latencies(&mut self, start: Time, kind: LatencyKind, sample: LatencySample) {
        self.recorder.latencies(start, kind, sample);
    }

    fn messages(&mut self, messages: &[MessageTimes]) {
        if let Some(arrived) = &self.arrived {
            arrived(messages);
        }
        self.recorder.messages(messages);
    }

    fn stays(&mut self, stays: &[PacketStay]) {
        self.recorder.stays(stays);
    }

    fn pairs(&mut self, pairs: &Pairs) {
        self.recorder.pairs(pairs);
    }

    fn has_failed(&self) -> bool {
        self.recorder.has_failed()
    }
}
