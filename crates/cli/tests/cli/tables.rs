//! Rows of the tables of a results folder.

use std::collections::BTreeMap;
use std::fmt::{self, Display};
use std::fs;
use std::path::Path;
use std::sync::Arc;
use weir_columns::{Column, TableFile};

/// A cell, as far as the tests need it.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Cell {
    Null,
    Whole(u64),
    Real(f64),
    Text(String),
}

/// What is null is `-`.
impl Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => f.write_str("-"),
            Self::Whole(number) => number.fmt(f),
            Self::Real(number) => number.fmt(f),
            Self::Text(text) => text.fmt(f),
        }
    }
}

#[derive(Clone, PartialEq, Debug)]
pub(crate) struct CellRow {
    columns: Arc<Vec<String>>,
    cells: Vec<Cell>,
}

impl CellRow {
    pub(crate) fn get(&self, column: &str) -> Option<&Cell> {
        self.columns.iter().position(|own| own == column).map(|number| &self.cells[number])
    }
}

fn cells(column: Column) -> Vec<Cell> {
    fn all<T>(values: Vec<Option<T>>, cell: impl Fn(T) -> Cell) -> Vec<Cell> {
        values.into_iter().map(|value| value.map_or(Cell::Null, &cell)).collect()
    }
    match column {
        Column::Whole(numbers) => all(numbers, |number| Cell::Whole(number.try_into().unwrap())),
        Column::Real(numbers) => all(numbers, Cell::Real),
        Column::Texts(texts) => all(texts, |text| Cell::Text(text.as_utf8().unwrap().to_owned())),
        Column::Lists(_) => panic!("no table of weir has such a column"),
    }
}

fn rows_of_file(path: &Path) -> Vec<CellRow> {
    let file = TableFile::open(path).unwrap();
    let columns = Arc::new(file.names());
    let mut rows = Vec::new();
    for group in 0..file.groups() {
        let mut all: Vec<_> =
            columns.iter().map(|name| cells(file.column(group, name).unwrap()).into_iter()).collect();
        rows.extend((0..all[0].len()).map(|_| CellRow {
            columns: Arc::clone(&columns),
            cells: all.iter_mut().map(|column| column.next().unwrap()).collect(),
        }));
    }
    rows
}

/// The rows of a table, all its complete parts one after the other; `None` where there is no such table.
pub(crate) fn cell_rows(folder: &Path, table: &str) -> Option<Vec<CellRow>> {
    let mut files = vec![folder.join(table).with_extension("parquet")];
    if let Ok(parts) = fs::read_dir(folder.join(table)) {
        files = parts.map(|part| part.unwrap().path()).collect();
        files.sort();
    }
    files.retain(|path| path.exists() && path.extension().is_some_and(|ending| ending == "parquet"));
    (!files.is_empty()).then(|| files.iter().flat_map(|path| rows_of_file(path)).collect())
}

/// The values of a row as text, by the names of their columns.
pub(crate) type Row = BTreeMap<String, String>;

/// All rows of a table that is there.
pub(crate) fn rows(folder: &Path, table: &str) -> Vec<Row> {
    let rows = cell_rows(folder, table).unwrap_or_else(|| panic!("{}: no {table}", folder.display()));
    let row = |CellRow { columns, cells }: &CellRow| -> Row {
        columns.iter().cloned().zip(cells.iter().map(Cell::to_string)).collect()
    };
    rows.iter().map(row).collect()
}

/// The values of these columns, with blanks between.
pub(crate) fn lines(rows: &[Row], columns: &[&str]) -> Vec<String> {
    let line = |row: &Row| columns.iter().map(|&column| row[column].as_str()).collect::<Vec<_>>().join(" ");
    rows.iter().map(line).collect()
}
