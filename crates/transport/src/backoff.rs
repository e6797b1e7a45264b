//! Waits of a process for others.

use std::time::Duration;

/// The wait between two looks at something that another process will change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wait {
    /// Look again at once: the other one runs on another core, and is about to come.
    Spin,
    /// Offer the core to others: the one that is waited for may have none.
    Yield,
    /// Sleep so long.
    Sleep(Duration),
}

/// Waits the longer between two looks, the longer it has waited.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Backoff {
    looks: u32,
    spins: u32,
    yields: u32,
}

/// The first sleep and the longest.
const SLEEPS: [Duration; 2] = [Duration::from_micros(20), Duration::from_micros(100)];

impl Backoff {
    /// Looks `spins` times at once, then `yields` times offering the core to others.
    pub(crate) fn new(spins: u32, yields: u32) -> Self {
        Self { looks: 0, spins, yields }
    }

    pub(crate) fn next(&mut self) -> Wait {
        self.looks = self.looks.saturating_add(1);
        if self.looks <= self.spins {
            Wait::Spin
        } else if self.looks - self.spins <= self.yields {
            Wait::Yield
        } else {
            let slept = self.looks - self.spins - self.yields;
            Wait::Sleep((SLEEPS[0] * slept.min(100)).min(SLEEPS[1]))
        }
    }

    /// Something has changed: it begins anew.
    pub(crate) fn renew(&mut self) {
        self.looks = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sleeps_grow_to_a_limit() {
        let mut backoff = Backoff::new(2, 1);
        let waits: Vec<Wait> = (0..9).map(|_| backoff.next()).collect();
        let micros = |micros| Wait::Sleep(Duration::from_micros(micros));
        assert_eq!(waits[..5], [Wait::Spin, Wait::Spin, Wait::Yield, micros(20), micros(40)]);
        assert_eq!(waits[8], micros(100));
        backoff.renew();
        assert_eq!(backoff.next(), Wait::Spin);
    }
}
