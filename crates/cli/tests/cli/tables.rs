//! Rows of the tables of a results folder, as text.

use parquet::file::reader::SerializedFileReader;
use parquet::record::Field;
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::Path;

/// The values of a row by the names of their columns; what is null is `-`.
pub(crate) type Row = BTreeMap<String, String>;

/// All rows of a table: of its file, or of its parts one after the other.
pub(crate) fn rows(folder: &Path, table: &str) -> Vec<Row> {
    let mut files = vec![folder.join(table).with_extension("parquet")];
    if let Ok(parts) = fs::read_dir(folder.join(table)) {
        files = parts.map(|part| part.unwrap().path()).collect();
    }
    files.sort();
    let shown = |field: &Field| match field {
        Field::Null => "-".to_owned(),
        Field::Str(text) => text.clone(),
        other => other.to_string(),
    };
    let rows = files.iter().flat_map(|file| SerializedFileReader::new(File::open(file).unwrap()).unwrap());
    rows.map(|row| {
        let row = row.unwrap();
        row.get_column_iter().map(|(name, field)| (name.clone(), shown(field))).collect()
    })
    .collect()
}

/// The values of these columns, with blanks between.
pub(crate) fn lines(rows: &[Row], columns: &[&str]) -> Vec<String> {
    let line = |row: &Row| columns.iter().map(|&column| row[column].as_str()).collect::<Vec<_>>().join(" ");
    rows.iter().map(line).collect()
}
