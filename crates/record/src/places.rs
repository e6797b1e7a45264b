//! `places.parquet`: nodes and routers.

use crate::table::write_table;
use crate::{RecordError, RunFolder};
use weir_columns::row;

/// Kind of a place.
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
    /// Node or router.
    pub kind: PlaceKind,
    /// Its number among the nodes, or among the routers.
    pub number: u32,
    /// Its name for people, different for every place.
    pub name: String,
    /// In a fat tree 0 for nodes, 1 and more for the stages of switches from the nodes on; elsewhere 0 for nodes, 1 for
    /// routers.
    pub level: i32,
    /// In a grid, x first; empty elsewhere.
    pub coordinates: Vec<u32>,
}

row! {
    struct Place<'a> in "places" {
        place: u32 [Steps],
        kind: &'static str [Repeated],
        number: u32 [Steps],
        name: &'a str,
        level: i32 [Repeated, Plain],
        coordinates: &'a [u32],
    }
}

/// Writes `places.parquet` into a folder. The file is complete or untouched.
///
/// # Errors
/// When the file cannot be written.
pub fn write_places(folder: &RunFolder, places: &[PlaceRow]) -> Result<(), RecordError> {
    let rows = (0..).zip(places).map(|(place, row)| Place {
        place,
        kind: match row.kind {
            PlaceKind::Node => "node",
            PlaceKind::Router => "router",
        },
        number: row.number,
        name: &row.name,
        level: row.level,
        coordinates: &row.coordinates,
    });
    write_table(folder, rows, &[])
}
