//! Who answers the protocols while a rank computes.

use weir_units::{Duration, Time};

/// When the library of a rank that computes sees what has come for it: a request to send that a posted receive fits, a clearance.
/// "Independent progress" of Brightwell, Riesen and Underwood: "Analyzing the impact of overlap, offload, and independent
/// progress for Message Passing Interface applications", 2005.
///
/// # Model
/// Whoever answers in place of the rank costs it no processor time. Accesses to windows are never held up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum ProgressRule {
    /// At once: the interface answers, or a processor of its own does.
    #[default]
    Always,
    /// At the rank's next call that makes progress: the library has no thread and no interface that matches.
    Calls,
    /// At the next poll of a thread that looks when the rank begins to compute and so often from then on, or at the rank's
    /// next call, whichever is sooner. More than no time.
    Polls(Duration),
}

impl ProgressRule {
    /// When what comes at an instant is seen by a rank that computes from one instant, not after it, until a later one.
    #[must_use]
    pub fn sees(self, at: Time, (from, until): (Time, Time)) -> Time {
        match self {
            Self::Always => at,
            Self::Calls => until,
            Self::Polls(interval) => {
                let since = at.since(from).as_ps().checked_next_multiple_of(interval.as_ps().max(1));
                since.map_or(until, |since| until.min(from + Duration::from_ps(since)))
            }
        }
    }
}
