//! The times of the messages of a run, for tests.

use weir_network::Recorder;
use weir_network::record::{Keep, MessageTimes, Requested};

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
}
