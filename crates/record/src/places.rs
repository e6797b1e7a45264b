//! `places.parquet`: nodes and routers.

use crate::table::{Group, Lists, Table, Texts, write_table};
use crate::{RecordError, RunFolder};
use parquet::data_type::{ByteArray, ByteArrayType, Int32Type};
use parquet::errors::Result;
use std::io::Write;

/// What a place is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlaceKind {
    /// A node.
    Node,
    /// A router.
    Router,
}

/// A node or a router. Its number among the places is its position in the table: nodes first, then routers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlaceRow {
    /// What it is.
    pub kind: PlaceKind,
    /// Its number among the nodes, or among the routers.
    pub number: u32,
    /// It in words, different for every place.
    pub name: String,
    /// In a fat tree 0 for nodes, 1 and more for the stages of switches from the nodes on; elsewhere 0 for nodes, 1 for
    /// routers.
    pub level: i32,
    /// In a grid, x first; empty elsewhere.
    pub coordinates: Vec<u32>,
}

#[derive(Default)]
struct Places {
    places: Vec<i32>,
    kinds: Vec<ByteArray>,
    numbers: Vec<i32>,
    names: Texts,
    levels: Vec<i32>,
    coordinates: Lists,
}

impl Table for Places {
    const NAME: &'static str = "places";
    const SCHEMA: &'static str = "message places {
        REQUIRED INT32 place (INTEGER(32, false));
        REQUIRED BYTE_ARRAY kind (STRING);
        REQUIRED INT32 number (INTEGER(32, false));
        REQUIRED BYTE_ARRAY name (STRING);
        REQUIRED INT32 level;
        REQUIRED GROUP coordinates (LIST) { REPEATED GROUP list { REQUIRED INT32 element (INTEGER(32, false)); } }
    }";
    const REPEATED: &'static [&'static str] = &["kind", "level"];
    const STEPS: &'static [&'static str] = &["place", "number"];

    fn rows(&self) -> usize {
        self.places.len()
    }

    fn write<W: Write + Send>(&mut self, group: &mut Group<'_, W>) -> Result<()> {
        group.all::<Int32Type>(&mut self.places)?;
        group.all::<ByteArrayType>(&mut self.kinds)?;
        group.all::<Int32Type>(&mut self.numbers)?;
        group.texts(&mut self.names)?;
        group.all::<Int32Type>(&mut self.levels)?;
        group.lists(&mut self.coordinates)
    }
}

/// Writes `places.parquet` into a folder. The file is complete or untouched.
///
/// # Errors
/// When the file cannot be written.
pub fn write_places(folder: &RunFolder, places: &[PlaceRow]) -> std::result::Result<(), RecordError> {
    let mut table = Places::default();
    let [node, router] = ["node", "router"].map(ByteArray::from);
    for (place, row) in (0_i32..).zip(places) {
        table.places.push(place);
        table.kinds.push(match row.kind {
            PlaceKind::Node => node.clone(),
            PlaceKind::Router => router.clone(),
        });
        table.numbers.push(row.number.cast_signed());
        table.names.push(|out| out.push_str(&row.name));
        table.levels.push(row.level);
        table.coordinates.push(&row.coordinates);
    }
    write_table(folder, &mut table, &[])
}
