//! Progress of a flow, and its finish: Steps 5 and 7 of paper 002, 6 to 8 of paper 000.

use weir_units::Time;

/// A finish time is rounded up to the next picosecond, but for an excess below this part of the whole message's time
/// (and below half a picosecond): that much is rounding of the rates.
const ROUNDING: f64 = 1e-12;

/// Progress of a flow. An amount is bytes times 1e12, so that an amount over a rate is in picoseconds.
#[derive(Clone, Copy, Debug, Default, serde::Serialize, serde::Deserialize)]
pub(crate) struct Progress {
    whole: f64,
    remaining: f64,
    /// Bytes per second since `since`; zero before the first sharing.
    pub(crate) rate: f64,
    /// The simulated time, in picoseconds, from which `remaining` and `rate` count.
    since: u64,
}

const AMOUNT_PER_BYTE: f64 = 1e12;

impl Progress {
    /// A flow may count as finished when at most this part of its message remains (and when a picosecond remains).
    pub(crate) const NOTHING: f64 = 1e-9;

    /// So much of a whole message remains at an instant, in amounts and picoseconds.
    pub(crate) fn on_its_way(whole: f64, remaining: f64, rate: f64, since: u64) -> Self {
        Self { whole, remaining, rate, since }
    }

    /// The whole message and what remains of it, as amounts.
    pub(crate) fn amounts(&self) -> (f64, f64) {
        (self.whole, self.remaining)
    }

    /// All of a message of so many bytes remains.
    pub(crate) fn new(bytes: f64, rate: f64, now: Time) -> Self {
        let whole = bytes * AMOUNT_PER_BYTE;
        Self { whole, remaining: whole, rate, since: now.as_ps() }
    }

    /// Size of the message.
    pub(crate) fn whole_bytes(&self) -> f64 {
        self.whole / AMOUNT_PER_BYTE
    }

    /// Bytes that have left until the flow was last brought up to date.
    pub(crate) fn bytes_sent(&self) -> f64 {
        (self.whole - self.remaining.max(0.0)) / AMOUNT_PER_BYTE
    }

    /// Bytes that will have left at a later instant if nothing changes.
    pub(crate) fn bytes_sent_at(&self, at: Time) -> f64 {
        let remaining = self.remaining - self.rate * (at.as_ps() - self.since) as f64;
        (self.whole - remaining.max(0.0)) / AMOUNT_PER_BYTE
    }

    /// Takes off what has left since the rate last changed.
    pub(crate) fn advance(&mut self, now: Time, rate: f64) {
        self.remaining -= self.rate * (now.as_ps() - self.since) as f64;
        self.since = now.as_ps();
        self.rate = rate;
    }

    /// From when on the flow may count as finished, and when it finishes at this rate.
    pub(crate) fn finish(&self) -> (u64, u64) {
        let whole_time = self.whole / self.rate;
        let remaining_time = self.remaining / self.rate - (ROUNDING * whole_time).min(0.5);
        let window = (Self::NOTHING * whole_time).max(1.0);
        let at = self.since.saturating_add(ceil(remaining_time).max(1));
        let from = self.since.saturating_add(ceil(remaining_time - window));
        (from.min(at - 1), at)
    }
}

/// The next integer; 0 for negative numbers, 2^64 - 1 for those beyond.
fn ceil(x: f64) -> u64 {
    let floor = x as u64;
    floor.saturating_add(u64::from((floor as f64) < x))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The instant of the end, in picoseconds, for `remaining` of `whole` bytes at `rate` bytes per second from instant 1000 on.
    #[track_caller]
    fn check_finish(whole: f64, remaining: f64, rate: f64, expected: (u64, u64)) {
        let progress = Progress {
            whole: whole * AMOUNT_PER_BYTE,
            remaining: remaining * AMOUNT_PER_BYTE,
            rate,
            since: 1000,
        };
        assert_eq!(progress.finish(), expected);
    }

    #[test]
    fn finish_times_are_rounded_up() {
        check_finish(20.0, 20.0, 1e12, (1019, 1020)); // 20 ps
        check_finish(20.0, 19.5, 1e12, (1019, 1020)); // 19.5 ps
        check_finish(20.0, 19.0, 1e12, (1018, 1019));
        check_finish(1.0, 1.0, 3e12, (1000, 1001)); // at least one picosecond
        check_finish(1.0, 0.0, 1.0, (1000, 1001)); // even if nothing remains
        check_finish(1.0, 1.0, 1.0 / 3.0, (3_000_000_000_000 - 2000, 3_000_000_001_000)); // 3 s, whatever 1/3 rounds to
        check_finish(1e9, 1e9, 1e-9, (u64::MAX - 1, u64::MAX)); // longer than time is
    }
}
