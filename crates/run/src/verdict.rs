//! The verdict of a run: what held it up most, where, and what would help, in at most three sentences.
//!
//! # Model
//! A finding has a *gain*: by how much shorter the run would be with its change, read off the critical path. Work, latency,
//! overheads and bytes are halved, ranks that compute longer than the mean compute as long as it, a slow link becomes as fast as its
//! kind, and buffers hold what their links need. Waiting for room is a matter of buffers only where these are too small for their
//! links; elsewhere what fills them is the link behind them, so it counts with the bytes, unless links are hardly used: then packets
//! [hold each other up](jam). The findings with the largest gains are the
//! verdict. An estimate is the slope of the critical path: another path may be longer then, so the run may take longer than it says.

mod bytes;
mod jam;
mod work;

use crate::what_if::{self, Change};
use std::cmp::Reverse;
use std::fmt::Write;
use weir_experiment::{Prepared, Scenario};
use weir_network::causes::{Cause, Path};
use weir_network::{Outcome, Peer};
use weir_packet::{PacketNetwork, Throttle};
use weir_record::{
    EngineCounts, Finding, FindingKind, PacketCounts, Summary, SyntheticCounts, TieSensitivity,
    WhereTimeWent, waiting_cycle,
};
use weir_topology::Topology;
use weir_units::{Duration, Time};

/// A verdict has so many sentences at most.
pub(crate) const MOST: usize = 3;
/// By how many per cent a cause takes less in an estimate.
const LESS: f64 = 50.0;
/// A second finding is worth a sentence if it gains so many hundredths of the time.
const WORTH: u64 = 10;
/// A link is congested from this utilization on.
const CONGESTED: f64 = 0.5;
/// A link that is used for so much of a run decides how long it takes, whatever else it did.
const SURE: f64 = 0.9;

/// The facts of a run that has come to its end.
struct Facts<'a> {
    summary: &'a Summary,
    topology: Option<&'a Topology>,
    /// Its routers and buffers, on the packet engine.
    network: Option<&'a PacketNetwork>,
    end: Duration,
}

/// A finding, and by how much shorter the run would be without it.
struct Candidate {
    gain: Duration,
    finding: Finding,
}

impl Facts<'_> {
    /// A part of the run, in words.
    fn share(&self, part: Duration) -> String {
        percent(part.as_ps() as f64 / self.end.as_ps() as f64)
    }

    /// True if the gain of a change is known: from the critical path, or because a link is hardly ever free.
    fn is_sure(&self) -> bool {
        self.summary.causes.is_some() || self.summary.link_use.max_utilization >= SURE
    }

    /// A part of the run, given as a share from 0 to 1.
    fn part(&self, share: f64) -> Duration {
        Duration::from_ps((self.end.as_ps() as f64 * share) as u64)
    }

    /// An estimate of the run with less of a cause of its path.
    fn at_best(&self, path: &Path, cause: Cause) -> Duration {
        path.causes.at_best(cause, LESS, self.summary.link_use.max_utilization)
    }

    /// The changes for a cause to take less.
    fn less(&self, cause: Cause) -> Vec<Change> {
        what_if::improvements(&self.summary.experiment, cause, LESS)
    }

    /// A finding whose sentence ends with what the run would take with some changes, if there are any.
    fn candidate(
        &self,
        (kind, place): (FindingKind, Option<String>),
        fact: String,
        (with, changes): (&str, Vec<Change>),
        estimate: Duration,
    ) -> Candidate {
        let gain = self.end - estimate;
        let set: Vec<String> = changes.into_iter().map(|change| change.assignment).collect();
        let mut sentence = fact;
        let estimate = (!set.is_empty() && gain > Duration::ZERO && self.is_sure()).then_some(estimate);
        if let Some(estimate) = estimate {
            let [estimate, end] = [estimate, self.end].map(rounded);
            _ = write!(sentence, ": {with}, the run would take {estimate} instead of {end}");
        } else if !self.is_sure() {
            sentence.push_str("; output.causes = true says what that costs");
        }
        sentence.push('.');
        Candidate { gain, finding: Finding { kind, place, sentence, set, estimate } }
    }
}

/// The sentences of a run, the most important first.
pub(crate) fn verdict(summary: &Summary, scenario: &Scenario) -> Vec<Finding> {
    let end = summary.simulated.since(Time::ZERO);
    if let Some(sentence) = unfinished(summary) {
        return vec![plain(FindingKind::Unfinished, sentence)];
    }
    if end == Duration::ZERO {
        return vec![plain(
            FindingKind::Uncongested,
            "No key says that anything that its ranks do takes time, so the run takes none.".into(),
        )];
    }
    if let EngineCounts::Packet(PacketCounts { synthetic: Some(synthetic), .. }) = &summary.counts {
        return vec![offered(summary, synthetic)];
    }
    let network = match &scenario.prepared {
        Ok(Prepared::Packet(packets)) => Some(&*packets.network),
        _ => None,
    };
    let facts = Facts { summary, topology: scenario.machine(), network, end };
    let mut all = match &summary.causes {
        Some(found) => by_cause(&facts, found),
        None => bytes::of_links(&facts).or_else(|| jam::of_links(&facts)).into_iter().collect(),
    };
    all.sort_by_key(|candidate| Reverse(candidate.gain));
    let worth =
        |&(place, candidate): &(usize, &Candidate)| place == 0 || candidate.gain * (100 / WORTH) >= end;
    let count = all.iter().enumerate().take(2).take_while(worth).count();
    let mut found: Vec<Finding> = all.into_iter().take(count).map(|candidate| candidate.finding).collect();
    found.extend(work::none(summary, scenario).filter(|_| !found.is_empty()));
    found.extend(choice(&facts, &found));
    found.extend(uncongested(&facts, &found));
    found.truncate(MOST);
    found
}

fn plain(kind: FindingKind, sentence: String) -> Finding {
    Finding { kind, place: None, sentence, set: Vec::new(), estimate: None }
}

fn unfinished(summary: &Summary) -> Option<String> {
    Some(match &summary.outcome {
        Outcome::Finished => return None,
        Outcome::Aborted { rank, why } => {
            let first = why.lines().next().unwrap_or_default();
            format!("Rank {rank} aborted the run: {}.", first.trim_end_matches('.'))
        }
        Outcome::Limit(limit) => format!("A limit ended the run: {limit}."),
        Outcome::Deadlock(waiting) => {
            let (count, ranks) = (waiting.len(), summary.ranks);
            let circle = waiting_cycle(waiting).filter(|circle| circle.len() <= 8);
            let who = match (circle, waiting.first()) {
                (Some(circle), _) => {
                    let others = circle[1..].iter().chain(circle.first()).map(|rank| rank.0.to_string());
                    let others = others.collect::<Vec<_>>().join(", which waits for ");
                    format!(": rank {} waits for {others}", circle[0])
                }
                (None, Some(first)) => match first.peer {
                    Peer::Rank(peer) => {
                        format!(": rank {} waits in {} for rank {peer}", first.rank, first.call)
                    }
                    _ => format!(": rank {} waits in {}", first.rank, first.call),
                },
                (None, None) => return Some("The packets of the run wait for each other for ever.".into()),
            };
            format!("{count} of {ranks} ranks wait for ever{who}.")
        }
    })
}

/// Says if the network keeps up with traffic that does not wait for it.
fn offered(summary: &Summary, synthetic: &SyntheticCounts) -> Finding {
    let [offered, accepted] = [synthetic.offered_load, synthetic.accepted_load].map(percent);
    if synthetic.saturated {
        let sentence =
            format!("The network is saturated: it accepts a load of {accepted} where {offered} is offered.");
        return plain(FindingKind::Saturated, sentence);
    }
    let most = percent(summary.link_use.max_utilization);
    let sentence = format!(
        "The network accepts the load of {offered} that it is offered, and its busiest link is used for {most}."
    );
    plain(FindingKind::Uncongested, sentence)
}

/// Ties of a run of flows, if they decide how long it takes.
pub(crate) fn ties(ties: &TieSensitivity) -> Option<Finding> {
    let (runs, spread) = (ties.simulated.len(), percent(ties.spread()));
    let sentence = format!(
        "The order of equal instants decides: {runs} runs that differ in nothing else spread by {spread}, so compare means."
    );
    ties.is_sensitive().then(|| plain(FindingKind::Ties, sentence))
}

/// The causes of the critical path, each with its place and change.
fn by_cause(facts: &Facts<'_>, found: &WhereTimeWent) -> Vec<Candidate> {
    let path = &found.accounts.critical().path;
    let mut all: Vec<Candidate> = work::work(facts, found).into_iter().collect();
    let alone = [Cause::Latency, Cause::StartUp, Cause::Other];
    all.extend(alone.into_iter().filter_map(|cause| halved(facts, path, cause)));
    let room = credits(facts, path).or_else(|| jam::on_path(facts, path));
    all.extend(room.or_else(|| bytes::on_path(facts, found)));
    all
}

/// A cause of the path that belongs to no rank and to no link, and the run with half of it.
fn halved(facts: &Facts<'_>, path: &Path, cause: Cause) -> Option<Candidate> {
    let share = facts.share(some(path, cause)?);
    let messages = match path.messages {
        1 => "1 message".to_owned(),
        count => format!("{count} messages one after another"),
    };
    let (kind, fact, with) = match cause {
        Cause::Latency => {
            let fact = format!("Latency takes {share} of the run, in {messages} over {} links", path.links);
            (FindingKind::Latency, fact, "with latencies halved")
        }
        Cause::StartUp => {
            let fact = format!("Overheads and combining take {share} of the run, in {messages}");
            (FindingKind::StartUp, fact, "with overheads halved")
        }
        _ => (
            FindingKind::Other,
            format!("Files, sleep and looks in vain take {share} of the run"),
            "without them",
        ),
    };
    let estimate = facts.at_best(path, cause);
    Some(facts.candidate((kind, None), fact, (with, facts.less(cause)), estimate))
}

/// Buffers that are too small for their links, if packets wait for room in them for a twentieth of the run.
fn credits(facts: &Facts<'_>, path: &Path) -> Option<Candidate> {
    let time = some(path, Cause::Credits).filter(|time| *time * 20 >= facts.end)?;
    let Throttle { holds, needs, room, .. } = facts.network?.throttle()?;
    let fact = format!(
        "Buffers of {holds} are too small for links that carry {needs} until a credit comes back, and packets wait for room for {} of \
         the run",
        facts.share(time)
    );
    let larger = vec![what_if::buffer(room)];
    Some(facts.candidate(
        (FindingKind::Credits, None),
        fact,
        ("with room for all of it", larger),
        facts.end - time,
    ))
}

fn some(path: &Path, cause: Cause) -> Option<Duration> {
    Some(path.causes.of(cause)).filter(|time| *time > Duration::ZERO)
}

/// A place of ranks or an algorithm that is not the only one, where the network decides. How much another one would help only runs say.
fn choice(facts: &Facts<'_>, found: &[Finding]) -> Option<Finding> {
    use FindingKind::{Bandwidth, Compute, HotLink, Imbalance, LateSender, Latency, Memory, Other, SlowLink};
    let kind = found.first()?.kind;
    let is_about_links = found.iter().any(|finding| matches!(finding.kind, Bandwidth | HotLink));
    let experiment = &facts.summary.experiment;
    let check = "weir why FOLDER --check";
    let mapping = experiment["mapping"]["kind"].as_str().unwrap_or("linear");
    if (is_about_links || kind == Latency) && matches!(mapping, "random" | "cyclic" | "file") {
        let set = vec!["mapping.kind=\"linear\"".to_owned()];
        let sentence =
            format!("The order of ranks is {mapping}: {check} says what placing them in order would save.");
        return Some(Finding { set, ..plain(FindingKind::Mapping, sentence) });
    }
    if matches!(kind, Compute | Imbalance | LateSender | Memory | Other | SlowLink) {
        return None;
    }
    let calls = facts.summary.causes.as_ref()?.accounts.critical().path.calls();
    let call = calls.first().filter(|call| call.time * 10 >= facts.end * 6)?;
    let has_others = !what_if::of_call(experiment, call.of.text()).is_empty();
    let sentence = format!(
        "Calls of {} take {} of the run: {check} tries its other algorithms.",
        call.of.text(),
        facts.share(call.time)
    );
    let place = Some(call.of.text().to_owned());
    has_others.then(|| Finding { place, ..plain(FindingKind::Algorithm, sentence) })
}

/// The links do not matter, if no finding is about them.
fn uncongested(facts: &Facts<'_>, found: &[Finding]) -> Option<Finding> {
    use FindingKind::{Bandwidth, Credits, HotLink, Incast, Jam, Outcast, Saturated, SlowLink};
    let busy = [Bandwidth, Credits, HotLink, Incast, Jam, Outcast, Saturated, SlowLink];
    let links = &facts.summary.link_use;
    let is_about_links = found.iter().any(|finding| busy.contains(&finding.kind));
    if is_about_links || facts.summary.links == 0 || links.max_utilization >= CONGESTED {
        return None;
    }
    let fact = match links.busiest.first() {
        None => "no message has bytes for a link".to_owned(),
        Some(_) => format!("no link is used for more than {} of the run", percent(links.max_utilization)),
    };
    let rest =
        if facts.summary.causes.is_some() { "" } else { "; output.causes = true says what takes the time" };
    Some(plain(FindingKind::Uncongested, format!("Nothing is congested: {fact}{rest}.")))
}

/// A share from 0 to 1 in per cent, with two digits at most below ten.
fn percent(share: f64) -> String {
    let percent = 100.0 * share;
    let decimals = match percent {
        _ if percent >= 9.95 || percent == 0.0 => 0,
        _ => (1.0 - percent.log10().floor()).clamp(1.0, 12.0) as usize,
    };
    trimmed(&format!("{percent:.decimals$}")) + " %"
}

/// A number without zeros at its end.
fn trimmed(number: &str) -> String {
    if !number.contains('.') {
        return number.to_owned();
    }
    number.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// A time with three digits.
fn rounded(time: Duration) -> Duration {
    let ps = time.as_ps();
    let unit = 10_u64.pow(ps.checked_ilog10().unwrap_or(0).saturating_sub(2));
    Duration::from_ps((ps + unit / 2) / unit * unit)
}
