//! `latencies.parquet`: how long messages and packets took, over the whole run.

use crate::table::{Group, Table, write_table};
use crate::{RecordError, RunFolder};
use parquet::data_type::{ByteArray, ByteArrayType, Int64Type};
use parquet::errors::Result;
use std::io::Write;
use weir_network::{Latencies, LatencyKind};

/// What a kind is called in tables.
pub(crate) const fn name_of(kind: LatencyKind) -> &'static str {
    match kind {
        LatencyKind::Message => "message",
        LatencyKind::Packet => "packet",
    }
}

#[derive(Default)]
struct Histogram {
    kinds: Vec<ByteArray>,
    from: Vec<i64>,
    to: Vec<i64>,
    counts: Vec<i64>,
}

impl Table for Histogram {
    const NAME: &'static str = "latencies";
    const SCHEMA: &'static str = "message latencies {
        REQUIRED BYTE_ARRAY kind (STRING);
        REQUIRED INT64 from_ps (INTEGER(64, false));
        REQUIRED INT64 to_ps (INTEGER(64, false));
        REQUIRED INT64 count (INTEGER(64, false));
    }";
    const REPEATED: &'static [&'static str] = &["kind"];

    fn rows(&self) -> usize {
        self.kinds.len()
    }

    fn write<W: Write + Send>(&mut self, group: &mut Group<'_, W>) -> Result<()> {
        group.all::<ByteArrayType>(&mut self.kinds)?;
        group.all::<Int64Type>(&mut self.from)?;
        group.all::<Int64Type>(&mut self.to)?;
        group.all::<Int64Type>(&mut self.counts)
    }
}

/// Writes `latencies.parquet` into a folder, the kinds in their order. The file is complete or untouched.
///
/// # Errors
/// When the file cannot be written.
pub fn write_latencies(
    folder: &RunFolder,
    latencies: &[(LatencyKind, &Latencies)],
) -> std::result::Result<(), RecordError> {
    let mut table = Histogram::default();
    for (kind, latencies) in latencies {
        for (least, most, count) in latencies.ranges() {
            table.kinds.push(name_of(*kind).into());
            table.from.push(least.as_ps().cast_signed());
            table.to.push(most.as_ps().saturating_add(1).cast_signed());
            table.counts.push(count.cast_signed());
        }
    }
    write_table(folder, &mut table, &[])
}
