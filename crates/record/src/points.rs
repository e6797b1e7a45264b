//! The table of a sweep's points, as Parquet. Its columns are what the points have: keys that are varied and numbers of summaries.

use crate::table::{VERSION_KEY, into_io};
use crate::{RecordError, TABLE_VERSION, write_whole};
use parquet::basic::{Compression, LogicalType, Repetition, Type as Physical};
use parquet::data_type::{ByteArrayType, DoubleType, Int64Type};
use parquet::errors::Result;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::Type;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use weir_columns::{Group, Optional};

/// Values of a column, one for each point; `None` where a point has none.
#[derive(Clone, Debug, PartialEq)]
pub enum PointColumn {
    /// Texts.
    Texts(Vec<Option<String>>),
    /// Numbers.
    Numbers(Vec<Option<f64>>),
    /// Whole numbers.
    Whole(Vec<Option<i64>>),
}

/// Writes columns of equal length under their names, which are all different. The file is complete or untouched.
///
/// # Errors
/// When the file cannot be written.
pub fn write_points(
    columns: Vec<(String, PointColumn)>,
    path: &Path,
) -> std::result::Result<(), RecordError> {
    let written = write_whole(path, |out| write_to(columns, out).map_err(into_io));
    written.map_err(|source| RecordError::File { path: path.to_owned(), source })
}

fn write_to(columns: Vec<(String, PointColumn)>, out: impl Write + Send) -> Result<()> {
    let fields = columns.iter().map(|(name, column)| {
        let (physical, logical) = match column {
            PointColumn::Texts(_) => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
            PointColumn::Numbers(_) => (Physical::DOUBLE, None),
            PointColumn::Whole(_) => (Physical::INT64, None),
        };
        let field = Type::primitive_type_builder(name, physical).with_repetition(Repetition::OPTIONAL);
        field.with_logical_type(logical).build().map(Arc::new)
    });
    let schema = Type::group_type_builder("points").with_fields(fields.collect::<Result<_>>()?).build()?;
    let version = KeyValue::new(VERSION_KEY.to_owned(), TABLE_VERSION.to_owned());
    let properties = WriterProperties::builder()
        .set_compression(Compression::SNAPPY)
        .set_created_by(format!("weir {}", env!("CARGO_PKG_VERSION")))
        .set_key_value_metadata(Some(vec![version]))
        .build();
    let mut file = SerializedFileWriter::new(out, Arc::new(schema), Arc::new(properties))?;
    let mut group = Group::begin(&mut file)?;
    for (_, column) in columns {
        match column {
            PointColumn::Texts(values) => {
                let mut texts = Optional::default();
                texts.extend(values.into_iter().map(|text| text.map(|text| text.into_bytes().into())));
                group.some::<ByteArrayType>(&mut texts)?;
            }
            PointColumn::Numbers(values) => {
                let mut numbers = Optional::default();
                numbers.extend(values);
                group.some::<DoubleType>(&mut numbers)?;
            }
            PointColumn::Whole(values) => {
                let mut whole = Optional::default();
                whole.extend(values);
                group.some::<Int64Type>(&mut whole)?;
            }
        }
    }
    group.end()?;
    file.close().map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;
    use parquet::file::reader::SerializedFileReader;
    use std::fs::File;

    #[test]
    fn columns_are_read_as_they_were_written() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("points.parquet");
        let columns = vec![
            ("point".to_owned(), PointColumn::Whole(vec![Some(0), Some(1)])),
            ("node.packet_gap".to_owned(), PointColumn::Numbers(vec![Some(0.5), None])),
            ("label, \"odd\"".to_owned(), PointColumn::Texts(vec![None, Some("ä b".to_owned())])),
        ];
        write_points(columns, &path).unwrap();
        let file = SerializedFileReader::new(File::open(&path).unwrap()).unwrap();
        let rows: Vec<String> = file.into_iter().map(|row| row.unwrap().to_string()).collect();
        assert_eq!(
            rows,
            [
                "{point: 0, node.packet_gap: 0.5, label, \"odd\": null}",
                "{point: 1, node.packet_gap: null, label, \"odd\": \"ä b\"}"
            ]
        );
        assert!(write_points(Vec::new(), &folder.path().join("no/points.parquet")).is_err());
    }
}
