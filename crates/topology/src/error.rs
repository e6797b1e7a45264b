//! Why a machine cannot be built.

use std::fmt;

/// All that is wrong with the description of a machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TopologyError {
    /// The mistakes, at least one, in the order of the arguments.
    pub mistakes: Vec<Mistake>,
}

/// One thing that is wrong with the description of a machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistake {
    /// Which key of the description: `shape`, `radix`.
    pub key: &'static str,
    /// What is wrong, as the end of a sentence that begins with the key.
    pub what: String,
    /// What to do about it.
    pub hint: String,
}

impl TopologyError {
    /// `Ok` if there are no mistakes.
    pub(crate) fn unless_empty(mistakes: Vec<Mistake>) -> Result<(), Self> {
        if mistakes.is_empty() { Ok(()) } else { Err(Self { mistakes }) }
    }
}

impl fmt::Display for TopologyError {
    /// One line per mistake.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, mistake) in self.mistakes.iter().enumerate() {
            let line_break = if i == 0 { "" } else { "\n" };
            write!(f, "{line_break}{mistake}")?;
        }
        Ok(())
    }
}

impl fmt::Display for Mistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} (hint: {})", self.key, self.what, self.hint)
    }
}

impl std::error::Error for TopologyError {}
