//! Causes of simulated time.

use weir_units::Duration;

/// Cause of some time of a rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
pub enum Cause {
    /// The program's own work.
    Compute,
    /// Overheads of sending and receiving, gaps, copies, combining, beginning a collective.
    StartUp,
    /// A partner had not yet sent.
    LateSender,
    /// A partner had not yet asked for a message that goes by rendezvous.
    LateReceiver,
    /// Latency of links and routers.
    Latency,
    /// Bytes over the bandwidth of the narrowest part of the way, as if nothing else were on it.
    Serialization,
    /// Behind other messages: at an interface, on shared links, in queues.
    Contention,
    /// First in a queue, and the next buffer was full: no credit.
    Credits,
    /// Anything else: looks in vain, files, sleep; and what a rank still waited for when a run ended before its time.
    Other,
    /// The rank was done, and the run not.
    Finished,
}

impl Cause {
    /// All, in the order of results.
    pub const ALL: [Self; 10] = [
        Self::Compute,
        Self::StartUp,
        Self::LateSender,
        Self::LateReceiver,
        Self::Latency,
        Self::Serialization,
        Self::Contention,
        Self::Credits,
        Self::Other,
        Self::Finished,
    ];

    /// Its name in results.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Compute => "compute",
            Self::StartUp => "start_up",
            Self::LateSender => "late_sender",
            Self::LateReceiver => "late_receiver",
            Self::Latency => "latency",
            Self::Serialization => "serialization",
            Self::Contention => "contention",
            Self::Credits => "credits",
            Self::Other => "other",
            Self::Finished => "finished",
        }
    }
}

/// Time by cause, in picoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Causes([u64; Cause::ALL.len()]);

impl Causes {
    /// The time of a cause.
    pub const fn of(&self, cause: Cause) -> Duration {
        Duration::from_ps(self.0[cause as usize])
    }

    /// All together.
    pub fn total(&self) -> Duration {
        Duration::from_ps(self.0.iter().sum())
    }

    /// More of a cause.
    #[inline]
    pub const fn add(&mut self, cause: Cause, time: Duration) {
        self.0[cause as usize] += time.as_ps();
    }

    /// All of another sum.
    pub fn join(&mut self, other: &Self) {
        self.0.iter_mut().zip(other.0).for_each(|(all, more)| *all += more);
    }

    /// Returns the difference to an earlier sum.
    pub(crate) fn since(&self, before: &Self) -> Self {
        let mut more = *self;
        more.0.iter_mut().zip(before.0).for_each(|(all, before)| *all -= before);
        more
    }

    /// Returns an estimate of the time of a run, if these are the causes of its critical path and `cause` takes `percent` less (0 to 100): other
    /// paths may be longer then. Where bytes take less time, so does waiting for those of others, and for room in buffers. Of waiting itself
    /// there is no part: without it all of its time is gone, and without messages in the way of others no buffer is full. The link that is
    /// used most, for the part `busiest` of the run (0 to 1), has as much to carry as before, so the run is no shorter than that.
    pub fn at_best(&self, cause: Cause, percent: f64, busiest: f64) -> Duration {
        let times = |time: Duration, factor: f64| Duration::from_ps((time.as_ps() as f64 * factor) as u64);
        let part = |time| times(time, percent / 100.0);
        let time = self.of(cause);
        let gain = match cause {
            Cause::Compute | Cause::StartUp | Cause::Latency => part(time),
            Cause::Serialization => part(time + self.of(Cause::Contention) + self.of(Cause::Credits)),
            Cause::Contention => time + self.of(Cause::Credits),
            Cause::LateSender | Cause::LateReceiver | Cause::Credits | Cause::Other | Cause::Finished => time,
        };
        let carries = if cause == Cause::Serialization { 1.0 - percent / 100.0 } else { 1.0 };
        (self.total() - gain).max(times(self.total(), busiest * carries))
    }

    /// So much less: of what a rank does itself, and then of all others in their order. Where the clock of a rank was ahead.
    pub(crate) fn take_back(&mut self, time: Duration) {
        let mut left = time.as_ps();
        for sum in &mut self.0 {
            let less = left.min(*sum);
            (*sum, left) = (*sum - less, left - less);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A fifth less of 100 + 40 + 20 + 10: of work 20, of bytes 8, and 4 and 2 of those of others; without contention all 20
    /// and 10, without waiting for credits 10. A link that is used for nine tenths, 153, has half of that for half of the bytes.
    #[test]
    fn what_is_at_best_left() {
        let mut causes = Causes::default();
        for (cause, time) in
            [(Cause::Compute, 100), (Cause::Serialization, 40), (Cause::Contention, 20), (Cause::Credits, 10)]
        {
            causes.add(cause, Duration::from_ps(time));
        }
        let at_best = |cause| causes.at_best(cause, 20.0, 0.0).as_ps();
        assert_eq!(
            [Cause::Compute, Cause::Serialization, Cause::Contention, Cause::Credits, Cause::Latency]
                .map(at_best),
            [150, 156, 140, 160, 170]
        );
        let busy = |cause| causes.at_best(cause, 50.0, 0.9).as_ps();
        assert_eq!([Cause::Compute, Cause::Serialization, Cause::Contention].map(busy), [153, 135, 153]);
    }
}
