//! `series/links`, `series/buffers` and `series/latencies`: samples of intervals.

use crate::histogram::name_of;
use crate::table::{Group, Optional, Table};
use parquet::data_type::{ByteArray, ByteArrayType, DoubleType, Int32Type, Int64Type};
use parquet::errors::Result;
use std::io::Write;
use weir_network::LatencyKind;
use weir_network::record::{BufferSample, LatencySample, LinkSample};
use weir_units::{Duration, Time};

#[derive(Default)]
pub(crate) struct LinkSeries {
    starts: Vec<i64>,
    links: Vec<i32>,
    bytes: Vec<f64>,
    busy: Optional<i64>,
    packets: Optional<i64>,
}

impl LinkSeries {
    pub(crate) fn push(&mut self, start: Time, samples: &[LinkSample]) {
        let start = start.as_ps().cast_signed();
        self.starts.resize(self.starts.len() + samples.len(), start);
        self.links.extend(samples.iter().map(|of| of.link.0.cast_signed()));
        self.bytes.extend(samples.iter().map(|of| of.bytes));
        let packets = || samples.iter().map(|of| of.packets);
        self.busy.extend(packets().map(|of| of.map(|of| of.busy.as_ps().cast_signed())));
        self.packets.extend(packets().map(|of| of.map(|of| of.packets.cast_signed())));
    }
}

impl Table for LinkSeries {
    const NAME: &'static str = "series/links";
    const SCHEMA: &'static str = "message series {
        REQUIRED INT64 start_ps (INTEGER(64, false));
        REQUIRED INT32 link (INTEGER(32, false));
        REQUIRED DOUBLE bytes;
        OPTIONAL INT64 busy_ps (INTEGER(64, false));
        OPTIONAL INT64 packets (INTEGER(64, false));
    }";
    const REPEATED: &'static [&'static str] = &[];
    const STEPS: &'static [&'static str] = &["start_ps", "link", "busy_ps", "packets"];
    const SPLIT: &'static [&'static str] = &["bytes"];
    const SORTED: &'static [&'static str] = &["start_ps"];

    fn rows(&self) -> usize {
        self.starts.len()
    }

    fn write<W: Write + Send>(&mut self, group: &mut Group<'_, W>) -> Result<()> {
        group.all::<Int64Type>(&mut self.starts)?;
        group.all::<Int32Type>(&mut self.links)?;
        group.all::<DoubleType>(&mut self.bytes)?;
        group.some::<Int64Type>(&mut self.busy)?;
        group.some::<Int64Type>(&mut self.packets)
    }
}

#[derive(Default)]
pub(crate) struct BufferSeries {
    starts: Vec<i64>,
    links: Vec<i32>,
    vcs: Vec<i32>,
    means: Vec<f64>,
    most: Vec<i32>,
}

impl BufferSeries {
    pub(crate) fn push(&mut self, start: Time, samples: &[BufferSample], interval: Duration) {
        let start = start.as_ps().cast_signed();
        self.starts.resize(self.starts.len() + samples.len(), start);
        self.links.extend(samples.iter().map(|of| of.link.0.cast_signed()));
        self.vcs.extend(samples.iter().map(|of| of.vc.cast_signed()));
        self.means.extend(samples.iter().map(|of| of.held.as_ps() as f64 / interval.as_ps() as f64));
        self.most.extend(samples.iter().map(|of| of.most.cast_signed()));
    }
}

impl Table for BufferSeries {
    const NAME: &'static str = "series/buffers";
    const SCHEMA: &'static str = "message series {
        REQUIRED INT64 start_ps (INTEGER(64, false));
        REQUIRED INT32 link (INTEGER(32, false));
        REQUIRED INT32 vc (INTEGER(32, false));
        REQUIRED DOUBLE mean_packets;
        REQUIRED INT32 max_packets (INTEGER(32, false));
    }";
    const REPEATED: &'static [&'static str] = &["mean_packets"];
    const STEPS: &'static [&'static str] = &["start_ps", "link", "max_packets"];
    const SPLIT: &'static [&'static str] = &["mean_packets"];
    const SORTED: &'static [&'static str] = &["start_ps"];

    fn rows(&self) -> usize {
        self.starts.len()
    }

    fn write<W: Write + Send>(&mut self, group: &mut Group<'_, W>) -> Result<()> {
        group.all::<Int64Type>(&mut self.starts)?;
        group.all::<Int32Type>(&mut self.links)?;
        group.all::<Int32Type>(&mut self.vcs)?;
        group.all::<DoubleType>(&mut self.means)?;
        group.all::<Int32Type>(&mut self.most)
    }
}

#[derive(Default)]
pub(crate) struct LatencyTable {
    starts: Vec<i64>,
    kinds: Vec<ByteArray>,
    counts: Vec<i64>,
    sums: Vec<i64>,
    most: Vec<i64>,
}

impl LatencyTable {
    pub(crate) fn push(&mut self, start: Time, kind: LatencyKind, sample: LatencySample) {
        self.starts.push(start.as_ps().cast_signed());
        self.kinds.push(name_of(kind).into());
        self.counts.push(sample.count.cast_signed());
        self.sums.push(sample.sum.cast_signed());
        self.most.push(sample.most.as_ps().cast_signed());
    }
}

impl Table for LatencyTable {
    const NAME: &'static str = "series/latencies";
    const SCHEMA: &'static str = "message series {
        REQUIRED INT64 start_ps (INTEGER(64, false));
        REQUIRED BYTE_ARRAY kind (STRING);
        REQUIRED INT64 count (INTEGER(64, false));
        REQUIRED INT64 sum_ps (INTEGER(64, false));
        REQUIRED INT64 max_ps (INTEGER(64, false));
    }";
    const REPEATED: &'static [&'static str] = &["kind"];
    const STEPS: &'static [&'static str] = &["start_ps"];
    const SORTED: &'static [&'static str] = &["start_ps"];

    fn rows(&self) -> usize {
        self.starts.len()
    }

    fn write<W: Write + Send>(&mut self, group: &mut Group<'_, W>) -> Result<()> {
        group.all::<Int64Type>(&mut self.starts)?;
        group.all::<ByteArrayType>(&mut self.kinds)?;
        group.all::<Int64Type>(&mut self.counts)?;
        group.all::<Int64Type>(&mut self.sums)?;
        group.all::<Int64Type>(&mut self.most)
    }
}
