//! Tables of a whole run that are written at its end: `latencies.parquet` and `causes.parquet`.

use crate::rows::kind_name;
use crate::table::write_table;
use crate::{RecordError, RunFolder};
use weir_columns::row;
use weir_network::causes::{Accounts, Cause};
use weir_network::{Latencies, LatencyKind};
use weir_units::{Duration, Rank};

row! {
    /// Messages or packets that took about as long.
    struct LatencyRange in "latencies" {
        kind: &'static str [Repeated],
        from_ps: u64,
        to_ps: u64,
        count: u64,
    }
}

/// Writes `latencies.parquet` into a folder, the kinds in their order. The file is complete or untouched.
///
/// # Errors
/// When the file cannot be written.
pub fn write_latencies(
    folder: &RunFolder,
    latencies: &[(LatencyKind, &Latencies)],
) -> Result<(), RecordError> {
    let rows = latencies.iter().flat_map(|(kind, latencies)| {
        latencies.ranges().map(|(least, most, count)| LatencyRange {
            kind: kind_name(*kind),
            from_ps: least.as_ps(),
            to_ps: most.as_ps().saturating_add(1),
            count,
        })
    });
    write_table(folder, rows, &[])
}

row! {
    struct RankCauses in "causes" {
        rank: Rank [Sorted],
        compute_ps: Duration,
        start_up_ps: Duration,
        late_sender_ps: Duration,
        late_receiver_ps: Duration,
        latency_ps: Duration,
        serialization_ps: Duration,
        contention_ps: Duration,
        credits_ps: Duration,
        other_ps: Duration,
        finished_ps: Duration,
    }
}

/// Writes `causes.parquet` into a folder, by rank. The file is complete or untouched.
///
/// # Errors
/// When the file cannot be written.
pub fn write_causes(folder: &RunFolder, accounts: &Accounts) -> Result<(), RecordError> {
    let rows = accounts.ranks().iter().map(|account| {
        let time = |cause| account.causes.of(cause);
        RankCauses {
            rank: account.rank,
            compute_ps: time(Cause::Compute),
            start_up_ps: time(Cause::StartUp),
            late_sender_ps: time(Cause::LateSender),
            late_receiver_ps: time(Cause::LateReceiver),
            latency_ps: time(Cause::Latency),
            serialization_ps: time(Cause::Serialization),
            contention_ps: time(Cause::Contention),
            credits_ps: time(Cause::Credits),
            other_ps: time(Cause::Other),
            finished_ps: time(Cause::Finished),
        }
    });
    write_table(folder, rows, &[])
}

#[cfg(test)]
mod tests {
    use super::*;
    use weir_columns::Row;

    /// The columns of the table are the causes, in their order.
    #[test]
    fn each_cause_has_its_column() {
        let names: Vec<_> = RankCauses::forms().iter().map(|column| column.name).collect();
        assert_eq!(names[1..], Cause::ALL.map(|cause| format!("{}_ps", cause.name())));
    }
}
