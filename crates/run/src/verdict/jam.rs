//! Packets that hold each other up: buffers are full although no link is.
//!
//! A packet that waits for room keeps the room that another one waits for, so a network can be full of packets and its links idle. That is
//! no matter of bandwidth, and of buffers only in part: which packet goes first decides how long it lasts.

use super::{CONGESTED, Candidate, Facts, percent, plain, some};
use crate::what_if;
use weir_network::causes::{Cause, Path};
use weir_record::{EngineCounts, Finding, FindingKind};

/// Packets wait for long if they do for so much of the time.
const LONG: f64 = 0.5;

/// On the critical path packets wait for room for half of the run or longer, and all links are free for most of that.
pub(super) fn on_path(facts: &Facts<'_>, path: &Path) -> Option<Candidate> {
    facts.network?;
    let gain = some(path, Cause::Credits)?;
    let (share, most) =
        (gain.as_ps() as f64 / facts.end.as_ps() as f64, facts.summary.link_use.max_utilization);
    if share < LONG || most >= share * CONGESTED {
        return None;
    }
    let arbiter = what_if::oldest_first(&facts.summary.experiment);
    let rest = arbiter.as_ref().map_or_else(String::new, |change| {
        format!(": weir why FOLDER --check says what {} saves", change.assignment)
    });
    let sentence = format!(
        "Packets hold each other up: they wait for room in full buffers for {} of the run, and no link is used for more than {}{rest}.",
        percent(share),
        percent(most)
    );
    let set = arbiter.into_iter().map(|change| change.assignment).collect();
    Some(Candidate { gain, finding: Finding { set, ..plain(FindingKind::Jam, sentence) } })
}

/// Without an account of causes: packets wait for half of the time on their way or longer.
pub(super) fn of_links(facts: &Facts<'_>) -> Option<Candidate> {
    let EngineCounts::Packet(counts) = &facts.summary.counts else { return None };
    let (waited_s, most) = (facts.summary.link_use.busy?.waited_s, facts.summary.link_use.max_utilization);
    let share = (waited_s / (counts.packets as f64 * counts.latency?.mean_s)).min(1.0);
    let sentence = format!(
        "Packets wait for {} of the time on their way, though no link is used for more than {} of the run; \
         output.causes = true says what that costs.",
        percent(share),
        percent(most)
    );
    let finding = plain(FindingKind::Jam, sentence);
    (share >= LONG && most < CONGESTED).then_some(Candidate { gain: facts.part(share), finding })
}
