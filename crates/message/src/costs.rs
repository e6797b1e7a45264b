//! What messages cost a rank's processor.

use weir_units::{Bandwidth, Bytes, Duration};

/// Processor time of messages, and where the protocol changes. The same for all ranks of a run.
#[derive(Clone, Copy, Debug, serde::Serialize, serde::Deserialize)]
pub struct Costs {
    /// Processor time of each message, once at its sender and once at its receiver (paper 003, tables 2 and 3: "MPI
    /// function overhead"; the o of LogP).
    pub overhead: Duration,
    /// How fast an eager message is copied out of the user's buffer (paper 003, section 3.1: one-copy); `None`:
    /// copying takes no time. Longer messages are not copied (zero-copy).
    pub memory_bandwidth: Option<Bandwidth>,
    /// The longest message that is sent without asking the receiver first.
    pub eager_limit: Bytes,
}

impl Costs {
    /// Processor time of sending an eager message.
    #[must_use]
    pub fn eager_send(&self, bytes: Bytes) -> Duration {
        self.overhead
            + self.memory_bandwidth.map_or(Duration::ZERO, |bandwidth| bandwidth.serialization_time(bytes))
    }
}

impl Default for Costs {
    /// Nothing costs anything; the eager limit is 16 KiB.
    fn default() -> Self {
        Self { overhead: Duration::ZERO, memory_bandwidth: None, eager_limit: Bytes(16 * 1024) }
    }
}
