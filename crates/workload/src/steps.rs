//! Whether ranks wait for each other.

/// What a rank does between two of its sends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Steps {
    /// Each step is a send, then the receipt of the message that belongs to the same step, as in the loop of MPICH's
    /// all-to-all.
    Synchronised,
    /// Nothing: the next send follows when the last has left.
    #[default]
    FreeRunning,
}

impl Steps {
    /// Entries per step.
    pub(crate) const fn entries(self) -> u64 {
        match self {
            Self::Synchronised => 2,
            Self::FreeRunning => 1,
        }
    }
}
