//! Causes of the time of ranks so far: the first part asks, and each part of the process with ranks answers in its next window.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use weir_network::causes::SoFar;

/// Answers of the parts of a process. They answer in windows that may not be the same: it is only shown.
#[derive(Debug, Default)]
pub(crate) struct SoFarByPart {
    /// Number of questions; none, if it is not to be shown.
    asked: AtomicU64,
    parts: Vec<OfPart>,
}

/// Number of answers of a part, and its last one.
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

    pub(crate) const fn is_on(&self) -> bool {
        !self.parts.is_empty()
    }

    pub(crate) fn ask(&self) {
        self.asked.fetch_add(1, Ordering::Relaxed);
    }

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

    /// The last answers of all parts, if each has answered.
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
