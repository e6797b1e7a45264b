//! Bytes that hold up a run: at the link of one node, at a link between routers, at links of a class, or within nodes.

use super::{CONGESTED, Candidate, Facts, LESS, percent, trimmed};
use crate::results::kind_of;
use crate::what_if::{self, Change};
use weir_network::causes::{Cause, Path};
use weir_record::{BusyLink, FindingKind, LinkKind, WhereTimeWent};
use weir_topology::{LinkClasses, Topology};
use weir_units::{Duration, LinkId};

/// A link stands out if the next one of its kind is used less than this part of it.
const STANDS_OUT: f64 = 0.7;
/// A link is slow if it has less than this part of the bandwidth of its kind.
const SLOW: f64 = 0.95;

fn side(topology: &Topology, link: LinkId) -> LinkKind {
    kind_of(&topology.link(link))
}

/// A link that holds the run up, and how long.
struct Hot<'a> {
    link: &'a BusyLink,
    side: LinkKind,
    time: Duration,
}

/// Bytes of the critical path, and waiting for those of others.
pub(super) fn on_path(facts: &Facts<'_>, found: &WhereTimeWent) -> Option<Candidate> {
    let path = &found.accounts.critical().path;
    let time = path.causes.of(Cause::Serialization) + path.causes.of(Cause::Contention);
    if time == Duration::ZERO {
        return None;
    }
    match hot(facts, Some((found, time))) {
        Some(hot) => Some(at_link(facts, &hot, facts.at_best(path, Cause::Serialization))),
        None => Some(on_many(facts, found, path, time)),
    }
}

/// Without an account of causes: a link that is congested.
pub(super) fn of_links(facts: &Facts<'_>) -> Option<Candidate> {
    if facts.summary.link_use.max_utilization < CONGESTED {
        return None;
    }
    let most = facts.summary.link_use.max_utilization;
    let half = facts.part(1.0 - most / 2.0);
    match hot(facts, None) {
        Some(hot) => Some(at_link(facts, &hot, half)),
        None => {
            let mean = percent(facts.summary.link_use.mean_utilization);
            let fact = format!(
                "Links are full: the busiest for {} of the run, and {mean} on average",
                percent(most)
            );
            let with = ("with twice the bandwidth", facts.less(Cause::Serialization));
            Some(facts.candidate((FindingKind::Bandwidth, None), fact, with, half))
        }
    }
}

/// The link that holds the run up: the one at which bytes of the path wait longest, or else the one that is used most, if it
/// stands out.
fn hot<'a>(facts: &'a Facts<'_>, found: Option<(&WhereTimeWent, Duration)>) -> Option<Hot<'a>> {
    let topology = facts.topology?;
    let busiest = &facts.summary.link_use.busiest;
    let of = |link: &'a BusyLink, time| Hot { link, side: side(topology, link.link), time };
    if let Some((found, time)) = found {
        let narrowest = found.accounts.critical().path.wires.links.shares();
        let most = narrowest.first().filter(|share| share.time * 2 >= time);
        let known =
            most.and_then(|share| Some((busiest.iter().find(|link| link.link == share.of)?, share.time)));
        if let Some((link, time)) = known.filter(|(link, _)| !is_like_others(facts, topology, link)) {
            return Some(of(link, time));
        }
    }
    let stands_out = |link: &&'a BusyLink| {
        let of_side = side(topology, link.link);
        let mut alike =
            busiest.iter().filter(|other| other.link != link.link && side(topology, other.link) == of_side);
        alike.next().is_none_or(|next| next.utilization < STANDS_OUT * link.utilization)
    };
    let first = busiest.first()?;
    // A link of a node says more than the links on the way to it, which carry the same.
    let almost = |link: &&BusyLink| link.utilization >= 0.8 * first.utilization;
    let is_of_node = |link: &&BusyLink| side(topology, link.link) != LinkKind::Network;
    let of_node = busiest.iter().filter(is_of_node).take(1).find(|link| almost(link) && stands_out(link));
    let link = of_node.or_else(|| Some(first).filter(stands_out))?;
    let time = facts.part(link.utilization);
    // Where most of the time of bytes is elsewhere, it is not this link.
    let is_most = found.is_none_or(|(_, bytes)| time * 2 >= bytes);
    is_most.then(|| of(link, time))
}

/// True if a link belongs to a node that sends or receives less than twice what nodes do on average: then it is not this node that
/// is to be named.
fn is_like_others(facts: &Facts<'_>, topology: &Topology, busy: &BusyLink) -> bool {
    let summary = facts.summary;
    let mean = summary.traffic.bytes.as_f64() / summary.ranks.min(summary.nodes).max(1) as f64;
    let is_of_node = side(topology, busy.link) != LinkKind::Network;
    is_of_node && how_slow(topology, busy.link).is_none() && busy.count.bytes < 2.0 * mean
}

/// A finding about a link; `all` is the estimate with all bytes twice as fast.
fn at_link(facts: &Facts<'_>, hot: &Hot<'_>, all: Duration) -> Candidate {
    let Hot { link: busy, side, .. } = hot;
    let experiment = &facts.summary.experiment;
    let full = format!("is full for {} of the run", percent(busy.utilization));
    let link = &busy.name;
    if let Some(times) = facts.topology.and_then(|topology| how_slow(topology, busy.link)) {
        let part = trimmed(&format!("{times:.1}"));
        let fact = format!("Link {link} has 1/{part} of the bandwidth of its kind and {full}");
        let change = what_if::of_link(experiment, link, 100.0 * (1.0 - 1.0 / times));
        let estimate = with_faster(facts, hot, times);
        return facts.candidate(
            (FindingKind::SlowLink, Some(link.clone())),
            fact,
            ("as fast as the others", change),
            estimate,
        );
    }
    let (kind, fact) = match side {
        LinkKind::Ejection => (
            FindingKind::Incast,
            format!("Link {link} {full}, for its node receives {}", carried(facts, busy, "from")),
        ),
        LinkKind::Injection => (
            FindingKind::Outcast,
            format!("Link {link} {full}, for its node sends {}", carried(facts, busy, "to")),
        ),
        LinkKind::Network => {
            let flows = if busy.count.share > 1 {
                format!(" and shared by up to {} flows", busy.count.share)
            } else {
                String::new()
            };
            (FindingKind::HotLink, format!("Link {link} {full}{flows}"))
        }
    };
    let what = (kind, Some(link.clone()));
    let estimate = with_faster(facts, hot, 2.0);
    if is_alone(facts, hot) {
        return facts.candidate(
            what,
            fact,
            ("twice as fast", what_if::of_link(experiment, link, LESS)),
            estimate,
        );
    }
    facts.candidate(
        what,
        fact,
        ("with twice the bandwidth everywhere", facts.less(Cause::Serialization)),
        all,
    )
}

/// The run with a link that is so many times as fast: then the next link holds up the bytes, if not this one.
fn with_faster(facts: &Facts<'_>, hot: &Hot<'_>, times: f64) -> Duration {
    let left = Duration::from_ps((hot.time.as_ps() as f64 / times) as u64);
    facts.end - hot.time + left.max(next(facts, hot.link)).min(hot.time)
}

/// The time for which the next link is used.
fn next(facts: &Facts<'_>, busy: &BusyLink) -> Duration {
    let next = facts.summary.link_use.busiest.iter().find(|link| link.link != busy.link);
    next.map_or(Duration::ZERO, |link| facts.part(link.utilization))
}

/// True if a link alone holds up the bytes, and goes on to do so where it is twice as fast. One message at a time is as fast as the
/// slowest link of its way, so a faster link would not help it.
fn is_alone(facts: &Facts<'_>, hot: &Hot<'_>) -> bool {
    let busy = hot.link;
    let is_shared = match busy.count.traffic {
        Some(of) => of.waited >= facts.part(busy.utilization),
        None => busy.count.share > 1,
    };
    is_shared && next(facts, busy) * 2 <= hot.time
}

/// The part of all bytes that a link of a node carries, in words.
fn carried(facts: &Facts<'_>, busy: &BusyLink, from: &str) -> String {
    let part = busy.count.bytes / facts.summary.traffic.bytes.as_f64();
    let part = if part > 0.995 {
        "all bytes".to_owned()
    } else {
        format!("{} of all bytes", percent(part.min(1.0)))
    };
    match busy.count.share {
        share @ 2.. => format!("{part}, {from} up to {share} others at once"),
        _ => part,
    }
}

/// Returns how many times as fast the fastest link of its class is, if this one is slow.
fn how_slow(topology: &Topology, link: LinkId) -> Option<f64> {
    let own = topology.link(link).capacity.bytes_per_second();
    let classes = LinkClasses::of(topology);
    let class = classes.class(topology, link);
    let of_class =
        (0..topology.links()).map(LinkId::new).filter(|other| classes.class(topology, *other) == class);
    let rate = |link| topology.link(link).capacity.bytes_per_second();
    let (mut count, mut most) = (0, 0.0_f64);
    of_class.for_each(|link| (count, most) = (count + 1, most.max(rate(link))));
    // In a graph a cable that is alone with its speed is compared with all others between routers.
    if count <= 2 && side(topology, link) == LinkKind::Network {
        let between = (0..topology.links())
            .map(LinkId::new)
            .filter(|other| side(topology, *other) == LinkKind::Network);
        most = between.map(rate).fold(most, f64::max);
    }
    (own < SLOW * most).then(|| most / own)
}

/// Bytes that take their time on no link alone.
fn on_many(facts: &Facts<'_>, found: &WhereTimeWent, path: &Path, time: Duration) -> Candidate {
    let all = facts.at_best(path, Cause::Serialization);
    // What fills buffers that are large enough is a link behind them: waiting for room is waiting for bytes.
    let share = facts.share(time + path.causes.of(Cause::Credits));
    let (kind, place, fact, with) = match class(facts, found, path, time) {
        _ if facts.topology.is_some() && facts.summary.link_use.max_utilization < 0.01 => (
            FindingKind::Memory,
            None,
            format!("Bytes within nodes take {share} of the run"),
            "with memory twice as fast",
        ),
        Some((name, changes, of_class)) if !changes.is_empty() => {
            let fact = format!(
                "Links of {name} are the narrowest: bytes wait there for {} of the run",
                facts.share(of_class)
            );
            let estimate = facts.end - Duration::from_ps(of_class.as_ps() / 2);
            return facts.candidate(
                (FindingKind::Bandwidth, Some(name)),
                fact,
                ("twice as fast", changes),
                estimate,
            );
        }
        class => {
            let place = class.map(|(name, ..)| name);
            let at =
                place.as_ref().map_or_else(String::new, |name| format!(", most of it at links of {name}"));
            let fact = format!("Bytes on their way take {share} of the run{at}");
            (FindingKind::Bandwidth, place, fact, "with twice the bandwidth")
        }
    };
    facts.candidate((kind, place), fact, (with, facts.less(Cause::Serialization)), all)
}

/// The class of links that holds up most of the bytes of the path, the changes that make it twice as fast, and its time.
fn class(
    facts: &Facts<'_>,
    found: &WhereTimeWent,
    path: &Path,
    time: Duration,
) -> Option<(String, Vec<Change>, Duration)> {
    let of_class = path.wires.bytes.iter().copied().zip(&found.classes);
    let (most, name) = of_class.max_by_key(|(of_class, _)| *of_class)?;
    let changes = what_if::of_class(&facts.summary.experiment, name, LESS);
    let faster = changes.into_iter().filter(|change| change.key.ends_with("bandwidth")).collect();
    (most * 2 >= time).then(|| (name.clone(), faster, most))
}
