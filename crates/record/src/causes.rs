//! What time went into, as part of the summary.

use serde_json::{Map, Value, json};
use weir_network::causes::{Accounts, Cause, Causes, Path};
use weir_units::Duration;

/// The section `causes` of `summary.json`.
pub(crate) fn to_json(accounts: &Accounts) -> Value {
    let critical = accounts.critical();
    let compute = accounts.ranks().iter().map(|account| account.causes.of(Cause::Compute).as_ps());
    let most = compute.clone().zip(accounts.ranks()).max_by_key(|&(time, account)| {
        // Of ranks that compute as long the lowest.
        (time, std::cmp::Reverse(account.rank))
    });
    let (most_ps, rank) = most.map_or((0, 0), |(time, account)| (time, account.rank.0));
    json!({
        "total_ps": by_cause(&accounts.total()),
        "critical_path": path_to_json(critical.rank.0, &critical.path),
        "compute": {
            "mean_ps": compute.sum::<u64>() / (accounts.ranks().len().max(1) as u64),
            "max_ps": most_ps,
            "max_rank": rank,
        },
    })
}

fn by_cause(causes: &Causes) -> Map<String, Value> {
    Cause::ALL.into_iter().map(|cause| (cause.name().to_owned(), json!(causes.of(cause).as_ps()))).collect()
}

/// By how many per cent a cause takes less in [`Causes::at_best`], as the summary has it.
const LESS: f64 = 50.0;

fn path_to_json(rank: u32, path: &Path) -> Value {
    let causes = path.causes();
    let on_path = Cause::ALL.into_iter().filter(|cause| causes.of(*cause) > Duration::ZERO);
    let at_best = on_path.map(|cause| (cause.name().to_owned(), json!(causes.at_best(cause, LESS).as_ps())));
    let calls = path.calls();
    let calls = calls.iter().map(|share| json!({ "call": share.call, "time_ps": share.time.as_ps() }));
    let (last, passed) = path.ranks();
    json!({
        "rank": rank,
        "causes_ps": by_cause(causes),
        "at_best_ps": at_best.collect::<Map<_, _>>(),
        "messages": path.messages(),
        "links": path.links(),
        "calls": calls.collect::<Vec<_>>(),
        "ranks_passed": passed,
        "last_ranks": last.iter().map(|rank| rank.0).collect::<Vec<_>>(),
    })
}
