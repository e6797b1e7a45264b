//! Totals of a pattern.

use crate::{Order, Uniform, WorkloadError};
use weir_units::Bytes;

/// A pattern whose messages are counted by a formula.
pub trait Counted: Order {
    /// Messages of all ranks together; saturates.
    fn messages(&self) -> u64;

    /// Bytes of all messages together; saturates.
    fn bytes_total(&self) -> Bytes;

    /// The pattern as displacements on a cyclic grid of ranks, if in each of its steps every rank sends a message of
    /// the same size to the rank displaced by the same vector.
    fn uniform(&self) -> Option<Uniform> {
        None
    }

    /// At least the bytes of all messages together, in constant time; saturates.
    fn bytes_at_most(&self) -> Bytes {
        self.bytes_total()
    }

    /// Returns whether messages and bytes can be counted at all.
    ///
    /// # Errors
    /// When there are 2^64 - 1 messages or bytes, or more.
    fn check_totals(&self) -> Result<(), WorkloadError> {
        if self.messages() == u64::MAX {
            Err(WorkloadError::new(
                "messages",
                "too many messages",
                "all ranks together can send at most 2^64 - 1 messages",
            ))
        } else if self.bytes_at_most().0 == u64::MAX {
            Err(WorkloadError::new(
                "message_size",
                "sizes that overflow: all messages together are too large",
                "all messages together can have at most 2^64 - 1 bytes",
            ))
        } else {
            Ok(())
        }
    }
}
