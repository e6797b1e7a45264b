//! Work of ranks that holds up a run: more than the mean, one rank after another, or all of them.

use super::{Candidate, Facts, LESS, plain, rounded, some, trimmed};
use crate::what_if;
use weir_capi::Compute;
use weir_experiment::{Scenario, Workload};
use weir_network::causes::{Cause, Path, RankAccount};
use weir_record::{Finding, FindingKind, Summary, WhereTimeWent};
use weir_units::Duration;

/// A rank computes longer than the mean from this factor on.
const ABOVE: f64 = 1.02;
/// The path has more work than any rank from this factor on.
const IN_TURN: f64 = 1.15;
/// Groups of ranks that compute alike; more of them are one group.
const GROUPS: usize = 24;

/// Ranks that compute alike, and how long each.
struct Group {
    ranks: Vec<u32>,
    time: f64,
}

fn ps(account: &RankAccount) -> f64 {
    account.causes.of(Cause::Compute).as_ps() as f64
}

pub(super) fn work(facts: &Facts<'_>, found: &WhereTimeWent) -> Option<Candidate> {
    let path = &found.accounts.critical().path;
    let time = some(path, Cause::Compute)?;
    let accounts = found.accounts.ranks();
    let mean = accounts.iter().map(ps).sum::<f64>() / accounts.len() as f64;
    let above: Vec<&RankAccount> = accounts.iter().filter(|account| ps(account) > ABOVE * mean).collect();
    let of_path = path.work.shares();
    let excess = of_path.iter().filter_map(|share| {
        let account = above.iter().find(|account| account.rank == share.of)?;
        Some(share.time.as_ps() as f64 * (1.0 - mean / ps(account)))
    });
    let excess = Duration::from_ps(excess.sum::<f64>() as u64);
    let most = accounts.iter().map(|account| account.causes.of(Cause::Compute)).max()?;
    let is_in_turn = time.as_ps() as f64 > IN_TURN * most.as_ps() as f64;
    // Where ranks work in turn, some excess belongs to that.
    if if is_in_turn { excess * 10 >= time * 3 } else { excess * 20 >= facts.end } {
        return Some(imbalance(facts, &above, mean, excess));
    }
    if is_in_turn {
        return in_turn(facts, path, time, most);
    }
    let fact = format!("All ranks compute alike, for {} of the run", facts.share(time));
    let estimate = facts.at_best(path, Cause::Compute);
    Some(facts.candidate(
        (FindingKind::Compute, None),
        fact,
        ("with half of the work", facts.less(Cause::Compute)),
        estimate,
    ))
}

/// Says that the program's work takes no time, where nothing says how long it takes and its ranks do not sleep either: other findings are
/// then parts of its communication.
pub(super) fn none(summary: &Summary, scenario: &Scenario) -> Option<Finding> {
    let Workload::Program(program) = &scenario.workload.kind else { return None };
    let computes = |found: &WhereTimeWent| found.accounts.total().of(Cause::Compute) > Duration::ZERO;
    let charges = summary.skeleton.as_ref().is_some_and(|skeleton| skeleton.charged_s > 0.0);
    let sentence = "The program's own work takes no time here, so the run is its communication alone: --compute measured \
                    (workload.compute) counts it.";
    let is_none =
        program.compute == Compute::None && !charges && !summary.causes.as_ref().is_some_and(computes);
    is_none.then(|| plain(FindingKind::NoCompute, sentence.to_owned()))
}

fn imbalance(facts: &Facts<'_>, above: &[&RankAccount], mean: f64, excess: Duration) -> Candidate {
    let (who, verb, times) = longest(above, mean);
    let fact = format!("{who} {verb} {} times the mean", trimmed(&format!("{times:.2}")));
    let set = what_if::work_of(&facts.summary.experiment, &factors(above, mean));
    let what = (FindingKind::Imbalance, Some(who.to_lowercase()));
    facts.candidate(what, fact, ("balanced", vec![set]), facts.end - excess)
}

/// Ranks that work in turn, for as long as `time` in all, and of which none works longer than `most`: side by side they would take
/// that, which no key makes true.
fn in_turn(facts: &Facts<'_>, path: &Path, time: Duration, most: Duration) -> Option<Candidate> {
    let ranks = path.work.shares();
    let first = ranks.first()?;
    let many = if path.work.others() > Duration::ZERO { "many".to_owned() } else { ranks.len().to_string() };
    let (share, alone, own) = (facts.share(time), facts.share(most), rounded(first.time));
    let fact = format!(
        "Ranks wait for each other's work: {many} of them work one after another for {share} of the run, \
         none for more than {alone}, rank {} for {own} of it",
        first.of
    );
    let set = what_if::of_rank(&facts.summary.experiment, u64::from(first.of.0), LESS);
    let estimate = facts.end - Duration::from_ps(first.time.as_ps() / 2);
    let what = (FindingKind::LateSender, Some(format!("rank {}", first.of)));
    Some(Candidate { gain: time - most, ..facts.candidate(what, fact, ("with half of that", set), estimate) })
}

/// The ranks that compute longest, the verb, and how many times the mean they do.
fn longest(above: &[&RankAccount], mean: f64) -> (String, &'static str, f64) {
    let most =
        above.iter().max_by(|one, other| ps(one).total_cmp(&ps(other)).then(other.rank.cmp(&one.rank)));
    let Some(most) = most else { return (String::new(), "", 1.0) };
    let ranges = ranges(above.iter().map(|account| account.rank.0));
    let (who, verb) = match (above.len(), ranges.len()) {
        (1, _) => (format!("Rank {}", most.rank), "computes"),
        (2.., 1..=3) => (format!("Ranks {}", ranges.join(", ")), "compute up to"),
        (count, _) => (format!("Rank {} and {} others", most.rank, count - 1), "compute up to"),
    };
    (who, verb, ps(most) / mean)
}

/// Ranks in ascending order, those that follow one another together: `3`, `8-15`.
fn ranges(ranks: impl IntoIterator<Item = u32>) -> Vec<String> {
    let mut ranges: Vec<(u32, u32)> = Vec::new();
    for rank in ranks {
        match ranges.last_mut() {
            Some((_, last)) if *last + 1 == rank => *last = rank,
            _ => ranges.push((rank, rank)),
        }
    }
    let text = |(first, last)| if first == last { format!("{first}") } else { format!("{first}-{last}") };
    ranges.into_iter().map(text).collect()
}

/// The factors with which ranks compute as long as the mean, by ranks that compute alike.
fn factors(above: &[&RankAccount], mean: f64) -> Vec<(Vec<String>, f64)> {
    let mut order = above.to_vec();
    order.sort_by(|one, other| ps(other).total_cmp(&ps(one)).then(one.rank.cmp(&other.rank)));
    let mut groups: Vec<Group> = Vec::new();
    for account in order {
        let (rank, time) = (account.rank.0, ps(account));
        let is_last = groups.len() == GROUPS;
        match groups.last_mut() {
            Some(group) if is_last || time * 1.01 >= group.time => group.ranks.push(rank),
            _ => groups.push(Group { ranks: vec![rank], time }),
        }
    }
    let factor = |Group { mut ranks, time }: Group| {
        ranks.sort_unstable();
        (ranges(ranks), mean / time)
    };
    groups.into_iter().map(factor).collect()
}
