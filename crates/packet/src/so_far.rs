//! What the time of ranks went into so far: the first part asks, and each part of the process with ranks answers in its next window.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use weir_network::causes::SoFar;

/// What the parts of a process have answered. They do so in windows that may not be the same: it is only shown.
#[derive(Debug, Default)]
pub(crate) struct SoFarByPart {
    /// How often it has been asked; never, if it is not to be shown.
    asked: AtomicU64,
    parts: Vec<OfPart>,
}

/// How often a part has answered, and what it did last.
#[derive(Debug, Default)]
struct OfPart {
    answered: AtomicU64,
    last: Mutex<SoFar>,
}

impl SoFarByPart {
    /// To be shown, of the first so many parts: those with ranks.
    pub(crate) fn of(parts: usize) -> Self {
        Self { parts: std::iter::repeat_with(OfPart::default).take(parts).collect(), ..Self::default() }
    }

    /// Whether it is to be shown.
    pub(crate) const fn is_on(&self) -> bool {
        !self.parts.is_empty()
    }

    /// Asks all parts anew.
    pub(crate) fn ask(&self) {
        self.asked.fetch_add(1, Ordering::Relaxed);
    }

    /// A part answers, if it has been asked.
    #[inline]
    pub(crate) fn answer(&self, part: usize, sum: impl FnOnce() -> SoFar) {
        let asked = self.asked.load(Ordering::Relaxed);
        if let Some(part) = self.parts.get(part)
            && part.answered.load(Ordering::Relaxed) != asked
        {
            *part.last.lock().unwrap_or_else(PoisonError::into_inner) = sum();
            part.answered.store(asked, Ordering::Release);
        }
    }

    /// What all parts have answered last, if each has.
    pub(crate) fn all(&self) -> Option<SoFar> {
        let mut all = SoFar::default();
        for part in &self.parts {
            if part.answered.load(Ordering::Acquire) == 0 {
                return None;
            }
            all.join(&part.last.lock().unwrap_or_else(PoisonError::into_inner));
        }
        self.is_on().then_some(all)
    }
}
