//! Causes of time, as part of the summary.

use serde_json::{Map, Value, json};
use weir_network::causes::{Accounts, Cause, Causes, Name, Path, Tally};
use weir_units::{Duration, LinkId};

/// Causes of the time of a run, and the names of the links of its machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WhereTimeWent {
    /// Closed at the end of the run.
    pub accounts: Accounts,
    /// Classes of links, by their number; none without links.
    pub classes: Vec<String>,
    /// The links that hold up the bytes of the critical path.
    pub links: Vec<(LinkId, String)>,
    /// Where its calls were called.
    pub sites: Vec<CallSite>,
}

/// Where the program called a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallSite {
    /// Its name in paths.
    pub name: Name,
    /// The function that was called.
    pub call: String,
    /// File and line, or what there is instead.
    pub at: String,
    /// The function that called it, of which file, and the line.
    pub called_in: String,
}

/// The section `causes` of `summary.json`, of a run whose busiest link is used for a part of it.
pub(crate) fn to_json(found: &WhereTimeWent, busiest: f64) -> Value {
    let accounts = &found.accounts;
    let critical = accounts.critical();
    let compute = accounts.ranks().iter().map(|account| account.causes.of(Cause::Compute).as_ps());
    let most = compute.clone().zip(accounts.ranks()).max_by_key(|&(time, account)| {
        // Of ranks that compute as long the lowest.
        (time, std::cmp::Reverse(account.rank))
    });
    let (most_ps, rank) = most.map_or((0, 0), |(time, account)| (time, account.rank.0));
    let phases = accounts.phases();
    let phases = phases.map(|(phase, causes)| json!({ "phase": phase, "total_ps": by_cause(causes) }));
    let mut path = path_to_json(critical.rank.0, &critical.path, busiest);
    links_to_json(&mut path, &critical.path, found);
    path["sites"] = sites_to_json(&critical.path, found);
    json!({
        "total_ps": by_cause(&accounts.total()),
        "phases": phases.collect::<Vec<_>>(),
        "critical_path": path,
        "compute": {
            "mean_ps": compute.sum::<u64>() / (accounts.ranks().len().max(1) as u64),
            "max_ps": most_ps,
            "max_rank": rank,
        },
    })
}

/// Adds what links took of a path.
fn links_to_json(object: &mut Value, path: &Path, found: &WhereTimeWent) {
    let wires = &path.wires;
    let classes = found.classes.iter().enumerate().map(|(number, class)| {
        let [latency, bytes] = [&wires.latency, &wires.bytes].map(|times| times[number]);
        json!({ "class": class, "latency_ps": latency, "bytes_ps": bytes })
    });
    let links = wires.links.shares();
    let links = links.iter().filter_map(|share| {
        let name = &found.links.iter().find(|(link, _)| *link == share.of)?.1;
        Some(json!({ "link": share.of, "name": name, "time_ps": share.time }))
    });
    object["classes"] = classes.collect();
    object["narrowest"] = links.collect();
}

/// Time of calls on a path, by where they were called, the longest first. A compiler may have made several places of a line; they are
/// one here.
fn sites_to_json(path: &Path, found: &WhereTimeWent) -> Value {
    let mut rows: Vec<(String, &CallSite, Duration)> = Vec::new();
    for share in path.sites.shares() {
        let Some(site) = found.sites.iter().find(|site| site.name == share.of) else { continue };
        let name = format!("{} at {}", site.call, site.at);
        match rows.iter_mut().find(|row| row.0 == name) {
            Some((.., time)) => *time += share.time,
            None => rows.push((name, site, share.time)),
        }
    }
    rows.sort_by(|one, other| other.2.cmp(&one.2).then_with(|| one.0.cmp(&other.0)));
    let row = |(name, CallSite { call, called_in, .. }, time): (_, &CallSite, Duration)| json!({ "site": name, "call": call, "called_in": called_in, "time_ps": time });
    rows.into_iter().map(row).collect()
}

fn named(tally: &Tally<Name>, key: &str) -> Vec<Value> {
    let shares = tally.shares();
    shares.iter().map(|share| json!({ key: share.of.text(), "time_ps": share.time })).collect()
}

fn by_cause(causes: &Causes) -> Map<String, Value> {
    Cause::ALL.into_iter().map(|cause| (cause.name().to_owned(), json!(causes.of(cause)))).collect()
}

/// By how many per cent a cause takes less in [`Causes::at_best`], as the summary has it.
const LESS: f64 = 50.0;

fn path_to_json(rank: u32, path: &Path, busiest: f64) -> Value {
    let causes = &path.causes;
    let on_path = Cause::ALL.into_iter().filter(|cause| causes.of(*cause) > Duration::ZERO);
    let at_best = on_path.map(|cause| (cause.name().to_owned(), json!(causes.at_best(cause, LESS, busiest))));
    let calls = path.calls();
    let calls = calls.iter().map(|share| json!({ "call": share.of.text(), "time_ps": share.time }));
    let work = path.work.shares();
    let work = work.iter().map(|share| json!({ "rank": share.of, "time_ps": share.time }));
    let (last, passed) = path.ranks();
    json!({
        "rank": rank,
        "causes_ps": by_cause(causes),
        "at_best_ps": at_best.collect::<Map<_, _>>(),
        "messages": path.messages,
        "links": path.links,
        "calls": calls.collect::<Vec<_>>(),
        "phases": named(&path.phases, "phase"),
        "work": work.collect::<Vec<_>>(),
        "ranks_passed": passed,
        "last_ranks": last,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use Cause::{Compute, Contention, Finished, LateSender, Latency, Other, Serialization, StartUp};
    use weir_network::causes::{Carriage, Ledger, Narrowing, RankEnd, Sending};
    use weir_units::{Rank, Time};

    /// Rank 1 works for 6 ps and sends a message whose bytes take 4 of 6 ps at link 9, and 5 ps more on the way. Rank 0 works for 3 ps
    /// and awaits it until 17, starts for 3 ps, and works until 24, from two places of one line; the run ends at 30.
    fn accounts() -> Accounts {
        let at = Time::from_ps;
        let [mut receiver, mut sender] = [0, 1].map(|rank| Ledger::new(Rank(rank)));
        sender.spend(at(6), Compute);
        let mut narrowing = Narrowing::default();
        narrowing.pass(LinkId(9), Some(1), 1.0);
        let [alone, latency] = [4, 5].map(Duration::from_ps);
        let mut carriage =
            Carriage { alone, latency, links: 2, narrowest: narrowing.narrowest, ..Carriage::default() };
        carriage.by_class[0] = latency;
        let mut trail = sender.send(at(6), Sending::Own(StartUp));
        trail.transfer_along(&carriage, at(12));
        trail.arrive_along(at(17), &carriage);
        receiver.enter("MPI_Recv", "recv 1");
        receiver.enter_phase("solve");
        receiver.spend(at(3), Compute);
        receiver.begin_event(Some(trail));
        receiver.wait(at(17), Other);
        receiver.enter("MPI_Wait", "wait 1");
        receiver.spend(at(20), StartUp);
        receiver.enter("MPI_Wait", "wait 2");
        receiver.spend(at(24), Compute);
        receiver.close(RankEnd::Done).join(sender.close(RankEnd::Done)).closed(at(30))
    }

    #[test]
    fn the_section_has_all_that_is_known() {
        let site = |name, call: &str, at: &str| CallSite {
            name: Name::of(name),
            call: call.into(),
            at: at.into(),
            called_in: "main of a.c".into(),
        };
        let found = to_json(
            &WhereTimeWent {
                accounts: accounts(),
                classes: vec!["injection".into(), "network".into()],
                links: vec![(LinkId(8), "b -> a".into()), (LinkId(9), "a -> b".into())],
                sites: [
                    ("wait 1", "MPI_Wait", "a.c:9"),
                    ("recv 1", "MPI_Recv", "a.c:7"),
                    ("wait 2", "MPI_Wait", "a.c:9"),
                ]
                .map(|(name, call, at)| site(name, call, at))
                .into(),
            },
            0.0,
        );
        let by_cause = |times: &[(Cause, u64)]| {
            let mut causes = Causes::default();
            times.iter().for_each(|&(cause, time)| causes.add(cause, Duration::from_ps(time)));
            by_cause(&causes)
        };
        let on_way = [(Latency, 5), (Serialization, 4), (Contention, 2), (StartUp, 3)];
        let of = |others: &[(Cause, u64)]| by_cause(&[&on_way, others].concat());
        let expected = json!({
            "total_ps": of(&[(Compute, 13), (LateSender, 3), (Finished, 30)]),
            "phases": [{ "phase": "solve", "total_ps": of(&[(Compute, 7), (LateSender, 3)]) }],
            "critical_path": {
                "rank": 0,
                "causes_ps": of(&[(Compute, 10), (Other, 6)]),
                "at_best_ps": { "compute": 25, "start_up": 29, "latency": 28, "serialization": 27, "contention": 28, "other": 24 },
                "messages": 1,
                "links": 2,
                "calls": [
                    { "call": "MPI_Recv", "time_ps": 17 }, { "call": "MPI_Wait", "time_ps": 7 }, { "call": "others", "time_ps": 6 },
                ],
                "phases": [{ "phase": "solve", "time_ps": 24 }],
                "work": [{ "rank": 1, "time_ps": 6 }, { "rank": 0, "time_ps": 4 }],
                "ranks_passed": 2,
                "last_ranks": [1, 0],
                "classes": [
                    { "class": "injection", "latency_ps": 5, "bytes_ps": 0 }, { "class": "network", "latency_ps": 0, "bytes_ps": 6 },
                ],
                "narrowest": [{ "link": 9, "name": "a -> b", "time_ps": 6 }],
                "sites": [
                    { "site": "MPI_Recv at a.c:7", "call": "MPI_Recv", "called_in": "main of a.c", "time_ps": 17 },
                    { "site": "MPI_Wait at a.c:9", "call": "MPI_Wait", "called_in": "main of a.c", "time_ps": 7 },
                ],
            },
            "compute": { "mean_ps": 6, "max_ps": 7, "max_rank": 0 },
        });
        assert_eq!(found, expected);
    }
}
