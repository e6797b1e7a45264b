//! What time went into: as part of the summary, and as `causes.parquet`.

use crate::table::{Group, Table, write_table};
use crate::{RecordError, RunFolder};
use parquet::data_type::Int64Type;
use parquet::errors::Result;
use serde_json::{Map, Value, json};
use std::io::Write;
use weir_network::causes::{Accounts, Cause, Causes, Path, RankAccount};

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

fn path_to_json(rank: u32, path: &Path) -> Value {
    let calls = path.calls();
    let calls = calls.iter().map(|share| json!({ "call": share.call, "time_ps": share.time.as_ps() }));
    let (last, passed) = path.ranks();
    json!({
        "rank": rank,
        "causes_ps": by_cause(path.causes()),
        "messages": path.messages(),
        "links": path.links(),
        "calls": calls.collect::<Vec<_>>(),
        "ranks_passed": passed,
        "last_ranks": last.iter().map(|rank| rank.0).collect::<Vec<_>>(),
    })
}

#[derive(Default)]
struct Rows {
    ranks: Vec<i32>,
    /// By cause, in their order.
    times: [Vec<i64>; Cause::ALL.len()],
}

impl Table for Rows {
    const NAME: &'static str = "causes";
    const SCHEMA: &'static str = "message causes {
        REQUIRED INT32 rank (INTEGER(32, false));
        REQUIRED INT64 compute_ps (INTEGER(64, false));
        REQUIRED INT64 start_up_ps (INTEGER(64, false));
        REQUIRED INT64 late_sender_ps (INTEGER(64, false));
        REQUIRED INT64 late_receiver_ps (INTEGER(64, false));
        REQUIRED INT64 latency_ps (INTEGER(64, false));
        REQUIRED INT64 serialization_ps (INTEGER(64, false));
        REQUIRED INT64 contention_ps (INTEGER(64, false));
        REQUIRED INT64 other_ps (INTEGER(64, false));
        REQUIRED INT64 finished_ps (INTEGER(64, false));
    }";
    const REPEATED: &'static [&'static str] = &[];
    const SORTED: &'static [&'static str] = &["rank"];

    fn rows(&self) -> usize {
        self.ranks.len()
    }

    fn write<W: Write + Send>(&mut self, group: &mut Group<'_, W>) -> Result<()> {
        group.all::<parquet::data_type::Int32Type>(&mut self.ranks)?;
        self.times.iter_mut().try_for_each(|times| group.all::<Int64Type>(times))
    }
}

/// Writes `causes.parquet` into a folder, by rank. The file is complete or untouched.
///
/// # Errors
/// When the file cannot be written.
pub fn write_causes(folder: &RunFolder, accounts: &Accounts) -> std::result::Result<(), RecordError> {
    let mut rows = Rows::default();
    for RankAccount { rank, causes, .. } in accounts.ranks() {
        rows.ranks.push(rank.0.cast_signed());
        for (times, cause) in rows.times.iter_mut().zip(Cause::ALL) {
            times.push(causes.of(cause).as_ps().cast_signed());
        }
    }
    write_table(folder, &mut rows, &[])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The columns of the table are the causes, in their order.
    #[test]
    fn each_cause_has_its_column() {
        let columns = Rows::SCHEMA.lines().filter(|line| line.contains("INT64"));
        let names = columns.filter_map(|line| line.split_whitespace().nth(2)?.strip_suffix("_ps"));
        assert!(names.eq(Cause::ALL.map(Cause::name)));
    }
}
