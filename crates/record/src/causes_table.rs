//! `causes.parquet`: what the time of each rank went into.

use crate::table::{Group, Table, write_table};
use crate::{RecordError, RunFolder};
use parquet::data_type::{Int32Type, Int64Type};
use parquet::errors::Result;
use std::io::Write;
use weir_network::causes::{Accounts, Cause, RankAccount};

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
        REQUIRED INT64 credits_ps (INTEGER(64, false));
        REQUIRED INT64 other_ps (INTEGER(64, false));
        REQUIRED INT64 finished_ps (INTEGER(64, false));
    }";
    const REPEATED: &'static [&'static str] = &[];
    const SORTED: &'static [&'static str] = &["rank"];

    fn rows(&self) -> usize {
        self.ranks.len()
    }

    fn write<W: Write + Send>(&mut self, group: &mut Group<'_, W>) -> Result<()> {
        group.all::<Int32Type>(&mut self.ranks)?;
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
