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
    /// How many eager messages in a row a rank sends to one receiver: the one after them asks the receiver first, as if
    /// it were longer than [`Self::eager_limit`], so that no rank sends without bound what is not received. A rank that
    /// sends to several receivers may ask from half as many on.
    pub eager_messages: u32,
}

impl Costs {
    /// [`Self::eager_messages`] where nothing else is said.
    pub const EAGER_MESSAGES: u32 = 16_384;

    /// Processor time of sending an eager message.
    #[must_use]
    pub fn eager_send(&self, bytes: Bytes) -> Duration {
        self.overhead
            + self.memory_bandwidth.map_or(Duration::ZERO, |bandwidth| bandwidth.serialization_time(bytes))
    }
}

impl Default for Costs {
    /// Nothing costs anything; the eager limit is 16 KiB, and 16,384 eager messages in a row go
    /// to one receiver.
    fn default() -> Self {
        Self {
            overhead: Duration::ZERO,
            memory_bandwidth: None,
            eager_limit: Bytes(16 * 1024),
            eager_messages: Self::EAGER_MESSAGES,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_nothing_is_said() {
        let costs = Costs::default();
        assert_eq!((costs.eager_limit, costs.eager_messages), (Bytes(16_384), 16_384));
        assert_eq!(costs.eager_send(Bytes(1 << 30)), Duration::ZERO);
    }
}
