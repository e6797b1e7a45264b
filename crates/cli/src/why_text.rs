//! Causes of time, in words.

use std::cmp::Reverse;
use std::fmt::Display;
use weir_network::causes::{Accounts, Cause, Causes};
use weir_units::Duration;

pub(crate) fn word(cause: Cause) -> String {
    cause.name().replace("start_up", "start-up").replace('_', " ")
}

/// Shares of a whole in per cent, the largest first; those below 0.05 % are left out.
pub(crate) fn shares<N: Display>(times: impl IntoIterator<Item = (N, Duration)>) -> String {
    let times: Vec<_> = times.into_iter().collect();
    let whole = times.iter().fold(Duration::ZERO, |all, (_, time)| all + *time);
    of_whole(times, whole).unwrap_or_else(|| "no time has passed".into())
}

/// Shares of another whole; `None` if there are none.
pub(crate) fn of_whole<N: Display>(mut times: Vec<(N, Duration)>, whole: Duration) -> Option<String> {
    times.sort_by_key(|(_, time)| Reverse(*time));
    let share = |time: Duration| 100.0 * time.as_ps() as f64 / whole.as_ps() as f64;
    let shares =
        times.into_iter().map(|(name, time)| (name, share(time))).filter(|(_, share)| *share >= 0.05);
    let shares: Vec<String> = shares.map(|(name, share)| format!("{name} {share:.1} %")).collect();
    (!shares.is_empty()).then(|| shares.join(", "))
}

pub(crate) fn critical(accounts: &Accounts) -> String {
    of_causes(accounts.critical().path.causes())
}

pub(crate) fn of_causes(causes: &Causes) -> String {
    shares(Cause::ALL.map(|cause| (word(cause), causes.of(cause))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_share_comes_first() {
        let ps = Duration::from_ps;
        assert_eq!(
            shares([("a", ps(1)), ("b", ps(1998)), ("c", ps(0)), ("d", ps(1))]),
            "b 99.9 %, a 0.1 %, d 0.1 %"
        );
        assert_eq!(shares([("a", ps(0))]), "no time has passed");
    }
}
