//! `calls`: what each rank of a program has called, and how long it waited there.

use crate::table::{Group, Optional, Table};
use parquet::data_type::{ByteArray, ByteArrayType, Int32Type, Int64Type};
use parquet::errors::Result;
use std::io::Write;
use weir_units::{Bytes, Duration, Rank, Time};

/// A call of a rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CallRow {
    /// The rank that calls, in `MPI_COMM_WORLD`.
    pub rank: Rank,
    /// The function.
    pub name: &'static str,
    /// When it began, by the rank's own clock.
    pub start: Time,
    /// When it was over, and how long the rank had nothing to do meanwhile. `None`: it was not over when the run ended.
    pub end: Option<(Time, Duration)>,
    /// The rank of the world on the other side, if there is just one.
    pub peer: Option<Rank>,
    /// The tag, if there is just one.
    pub tag: Option<i32>,
    /// Bytes of the messages that it has sent.
    pub sent: Bytes,
    /// Bytes of the messages of the requests that it has ended.
    pub received: Bytes,
}

#[derive(Default)]
pub(crate) struct Calls {
    ranks: Vec<i32>,
    names: Vec<ByteArray>,
    starts: Vec<i64>,
    ends: Optional<i64>,
    waited: Optional<i64>,
    peers: Optional<i32>,
    tags: Optional<i32>,
    sent: Vec<i64>,
    received: Vec<i64>,
}

impl Calls {
    pub(crate) fn push(&mut self, call: &CallRow) {
        self.ranks.push(call.rank.0.cast_signed());
        self.names.push(call.name.into());
        self.starts.push(call.start.as_ps().cast_signed());
        self.ends.push(call.end.map(|(at, _)| at.as_ps().cast_signed()));
        self.waited.push(call.end.map(|(_, waited)| waited.as_ps().cast_signed()));
        self.peers.push(call.peer.map(|peer| peer.0.cast_signed()));
        self.tags.push(call.tag);
        self.sent.push(call.sent.0.cast_signed());
        self.received.push(call.received.0.cast_signed());
    }
}

impl Table for Calls {
    const NAME: &'static str = "calls";
    const SCHEMA: &'static str = "message calls {
        REQUIRED INT32 rank (INTEGER(32, false));
        REQUIRED BYTE_ARRAY name (STRING);
        REQUIRED INT64 start_ps (INTEGER(64, false));
        OPTIONAL INT64 end_ps (INTEGER(64, false));
        OPTIONAL INT64 waited_ps (INTEGER(64, false));
        OPTIONAL INT32 peer (INTEGER(32, true));
        OPTIONAL INT32 tag (INTEGER(32, true));
        REQUIRED INT64 sent_bytes (INTEGER(64, false));
        REQUIRED INT64 received_bytes (INTEGER(64, false));
    }";
    const REPEATED: &'static [&'static str] = &["name", "tag", "sent_bytes", "received_bytes"];
    const STEPS: &'static [&'static str] = &["start_ps", "end_ps"];

    fn rows(&self) -> usize {
        self.ranks.len()
    }

    fn write<W: Write + Send>(&mut self, group: &mut Group<'_, W>) -> Result<()> {
        group.all::<Int32Type>(&mut self.ranks)?;
        group.all::<ByteArrayType>(&mut self.names)?;
        group.all::<Int64Type>(&mut self.starts)?;
        group.some::<Int64Type>(&mut self.ends)?;
        group.some::<Int64Type>(&mut self.waited)?;
        group.some::<Int32Type>(&mut self.peers)?;
        group.some::<Int32Type>(&mut self.tags)?;
        group.all::<Int64Type>(&mut self.sent)?;
        group.all::<Int64Type>(&mut self.received)
    }
}
