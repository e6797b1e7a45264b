//! The times of the messages of a run, for tests.

use weir_network::Recorder;
use weir_network::record::{
    BufferSample, Keep, LatencyKind, LatencySample, LinkSample, MessageTimes, PacketStay, Pairs, Requested,
};
use weir_units::Time;

/// Keeps the times of all messages, in the order in which nothing more will be known of them.
pub struct Messages {
    requested: Requested,
    /// All that are known.
    pub times: Vec<MessageTimes>,
}

impl Default for Messages {
    fn default() -> Self {
        Self { requested: Requested { messages: Keep::Yes, ..Requested::default() }, times: Vec::new() }
    }
}

impl Recorder for Messages {
    fn requested(&self) -> &Requested {
        &self.requested
    }

    fn messages(&mut self, messages: &[MessageTimes]) {
        self.times.extend(messages);
    }

    fn has_failed(&self) -> bool {
        false
    }

    fn links(&mut self, _: Time, _: &[LinkSample]) {}
    fn buffers(&mut self, _: Time, _: &[BufferSample]) {}
    fn latencies(&mut self, _: Time, _: LatencyKind, _: LatencySample) {}
    fn stays(&mut self, _: &[PacketStay]) {}
    fn pairs(&mut self, _: &Pairs) {}
}
