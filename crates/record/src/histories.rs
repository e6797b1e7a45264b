//! `messages` and `packets`: what became of each message, and of each packet in some buffers; and `pairs.parquet`.

use crate::table::{Group, Optional, Table};
use parquet::data_type::{ByteArray, ByteArrayType, Int32Type, Int64Type};
use parquet::errors::Result;
use std::io::Write;
use weir_network::record::{MessageTimes, PacketStay, Pairs};
use weir_units::Time;

#[derive(Default)]
pub(crate) struct Messages {
    from: Vec<i32>,
    to: Vec<i32>,
    sequences: Vec<i64>,
    bytes: Vec<i64>,
    classes: Vec<ByteArray>,
    posted: Vec<i64>,
    started: Optional<i64>,
    arrived: Optional<i64>,
    matched: Optional<i64>,
    waited: Optional<i64>,
}

impl Messages {
    pub(crate) fn push(&mut self, message: &MessageTimes) {
        let ps = |at: Time| at.as_ps().cast_signed();
        self.from.push(message.from.0.cast_signed());
        self.to.push(message.to.0.cast_signed());
        self.sequences.push(message.sequence.cast_signed());
        self.bytes.push(message.bytes.0.cast_signed());
        self.classes.push(if message.class.is_data() { "data".into() } else { "control".into() });
        self.posted.push(ps(message.posted));
        self.started.push(Some(ps(message.started)));
        self.arrived.push(Some(ps(message.arrived)));
        self.matched.push(message.taken.map(ps));
        self.waited.push(message.waited.map(|waited| waited.as_ps().cast_signed()));
    }
}

impl Table for Messages {
    const NAME: &'static str = "messages";
    const SCHEMA: &'static str = "message messages {
        REQUIRED INT32 from (INTEGER(32, false));
        REQUIRED INT32 to (INTEGER(32, false));
        REQUIRED INT64 sequence (INTEGER(64, false));
        REQUIRED INT64 bytes (INTEGER(64, false));
        REQUIRED BYTE_ARRAY class (STRING);
        REQUIRED INT64 posted_ps (INTEGER(64, false));
        OPTIONAL INT64 started_ps (INTEGER(64, false));
        OPTIONAL INT64 arrived_ps (INTEGER(64, false));
        OPTIONAL INT64 matched_ps (INTEGER(64, false));
        OPTIONAL INT64 waited_ps (INTEGER(64, false));
    }";
    const REPEATED: &'static [&'static str] = &["bytes", "class"];

    fn rows(&self) -> usize {
        self.from.len()
    }

    fn write<W: Write + Send>(&mut self, group: &mut Group<'_, W>) -> Result<()> {
        group.all::<Int32Type>(&mut self.from)?;
        group.all::<Int32Type>(&mut self.to)?;
        group.all::<Int64Type>(&mut self.sequences)?;
        group.all::<Int64Type>(&mut self.bytes)?;
        group.all::<ByteArrayType>(&mut self.classes)?;
        group.all::<Int64Type>(&mut self.posted)?;
        group.some::<Int64Type>(&mut self.started)?;
        group.some::<Int64Type>(&mut self.arrived)?;
        group.some::<Int64Type>(&mut self.matched)?;
        group.some::<Int64Type>(&mut self.waited)
    }
}

#[derive(Default)]
pub(crate) struct Packets {
    routers: Vec<i32>,
    links: Vec<i32>,
    vcs: Vec<i32>,
    sources: Vec<i32>,
    destinations: Vec<i32>,
    sequences: Vec<i64>,
    bytes: Vec<i32>,
    entered: Vec<i64>,
    left: Vec<i64>,
}

impl Packets {
    pub(crate) fn push(&mut self, stay: &PacketStay) {
        self.routers.push(stay.router.0.cast_signed());
        self.links.push(stay.link.0.cast_signed());
        self.vcs.push(stay.vc.cast_signed());
        self.sources.push(stay.source.0.cast_signed());
        self.destinations.push(stay.destination.0.cast_signed());
        self.sequences.push(stay.sequence.cast_signed());
        self.bytes.push((stay.bytes.0 as u32).cast_signed());
        self.entered.push(stay.entered.as_ps().cast_signed());
        self.left.push(stay.left.as_ps().cast_signed());
    }
}

impl Table for Packets {
    const NAME: &'static str = "packets";
    const SCHEMA: &'static str = "message packets {
        REQUIRED INT32 router (INTEGER(32, false));
        REQUIRED INT32 link (INTEGER(32, false));
        REQUIRED INT32 vc (INTEGER(32, false));
        REQUIRED INT32 source (INTEGER(32, false));
        REQUIRED INT32 destination (INTEGER(32, false));
        REQUIRED INT64 sequence (INTEGER(64, false));
        REQUIRED INT32 bytes (INTEGER(32, false));
        REQUIRED INT64 in_ps (INTEGER(64, false));
        REQUIRED INT64 out_ps (INTEGER(64, false));
    }";
    const REPEATED: &'static [&'static str] = &["router", "link", "vc", "bytes"];

    fn rows(&self) -> usize {
        self.routers.len()
    }

    fn write<W: Write + Send>(&mut self, group: &mut Group<'_, W>) -> Result<()> {
        group.all::<Int32Type>(&mut self.routers)?;
        group.all::<Int32Type>(&mut self.links)?;
        group.all::<Int32Type>(&mut self.vcs)?;
        group.all::<Int32Type>(&mut self.sources)?;
        group.all::<Int32Type>(&mut self.destinations)?;
        group.all::<Int64Type>(&mut self.sequences)?;
        group.all::<Int32Type>(&mut self.bytes)?;
        group.all::<Int64Type>(&mut self.entered)?;
        group.all::<Int64Type>(&mut self.left)
    }
}

#[derive(Default)]
pub(crate) struct PairTable {
    from: Vec<i32>,
    to: Vec<i32>,
    messages: Vec<i64>,
    bytes: Vec<i64>,
}

impl PairTable {
    /// The metadata that say how many ranks a block has.
    pub(crate) const BLOCK_KEY: &'static str = "weir.ranks_per_block";

    pub(crate) fn of(pairs: &Pairs) -> Self {
        let mut table = Self::default();
        for (from, to, cell) in pairs.cells() {
            table.from.push(from.cast_signed());
            table.to.push(to.cast_signed());
            table.messages.push(cell.messages.cast_signed());
            table.bytes.push(cell.bytes.0.cast_signed());
        }
        table
    }
}

impl Table for PairTable {
    const NAME: &'static str = "pairs";
    const SCHEMA: &'static str = "message pairs {
        REQUIRED INT32 from (INTEGER(32, false));
        REQUIRED INT32 to (INTEGER(32, false));
        REQUIRED INT64 messages (INTEGER(64, false));
        REQUIRED INT64 bytes (INTEGER(64, false));
    }";
    const REPEATED: &'static [&'static str] = &["messages", "bytes"];

    fn rows(&self) -> usize {
        self.from.len()
    }

    fn write<W: Write + Send>(&mut self, group: &mut Group<'_, W>) -> Result<()> {
        group.all::<Int32Type>(&mut self.from)?;
        group.all::<Int32Type>(&mut self.to)?;
        group.all::<Int64Type>(&mut self.messages)?;
        group.all::<Int64Type>(&mut self.bytes)
    }
}
