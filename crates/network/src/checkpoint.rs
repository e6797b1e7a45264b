//! Where a run keeps what it has reached, and what it goes on from.

use weir_units::Time;

/// The place of checkpoints, as an engine sees it. What an engine keeps is bytes that only it understands; each process of a run
/// has such a place, but only that of the first one is given any.
pub trait Checkpoints: std::marker::Send {
    /// Takes the state from which the run goes on; `None` if it begins at its beginning. Called once, before the first event.
    fn take(&mut self) -> Option<Vec<u8>>;

    /// Returns whether the run is to be kept now. Asked every few milliseconds, where that costs nothing.
    fn is_due(&mut self) -> bool;

    /// Keeps what the run has reached: all that happens before this instant has happened.
    fn keep(&mut self, at: Time, state: &[u8]);
}
