//! Waits of ranks for each other.

/// The step of a rank between two of its sends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Steps {
    /// Each step is a send, then the receipt of the message that belongs to the same step, as in the loop of MPICH's
    /// all-to-all.
    Synchronised,
    /// Nothing: the next send follows when the last has left.
    #[default]
    FreeRunning,
}

/// The two halves of a synchronised step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Half {
    Send,
    Await,
}

impl Steps {
    /// Entries per step.
    pub(crate) const fn entries(self) -> u64 {
        match self {
            Self::Synchronised => 2,
            Self::FreeRunning => 1,
        }
    }

    /// The step an entry belongs to, from zero, and which half of it the entry is.
    pub(crate) const fn place(self, index: u64) -> (u64, Half) {
        match self {
            Self::FreeRunning => (index, Half::Send),
            Self::Synchronised if index.is_multiple_of(2) => (index / 2, Half::Send),
            Self::Synchronised => (index / 2, Half::Await),
        }
    }
}
