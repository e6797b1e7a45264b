//! The pages of a column, of which no dictionary has more values than bytes.
//!
//! The reader of Parquet makes room for as many values as a dictionary says it has before it looks for them: a damaged count
//! of two thousand million would fill the memory.

use parquet::column::page::{Page, PageMetadata, PageReader};
use parquet::column::reader::{ColumnReader, get_column_reader};
use parquet::errors::{ParquetError, Result};
use parquet::file::reader::RowGroupReader;

/// The reader of a column.
pub(crate) fn column(group: &dyn RowGroupReader, index: usize) -> Result<ColumnReader> {
    let description = group.metadata().schema_descr().column(index);
    Ok(get_column_reader(description, Box::new(Pages(group.get_column_page_reader(index)?))))
}

struct Pages(Box<dyn PageReader>);

impl PageReader for Pages {
    fn get_next_page(&mut self) -> Result<Option<Page>> {
        match self.0.get_next_page()? {
            Some(Page::DictionaryPage { buf, num_values, .. }) if num_values as usize > buf.len() => {
                let what = format!("a dictionary of {num_values} values in {} bytes", buf.len());
                Err(ParquetError::General(what))
            }
            page => Ok(page),
        }
    }

    fn peek_next_page(&mut self) -> Result<Option<PageMetadata>> {
        self.0.peek_next_page()
    }

    fn skip_next_page(&mut self) -> Result<()> {
        self.0.skip_next_page()
    }
}

impl Iterator for Pages {
    type Item = Result<Page>;

    fn next(&mut self) -> Option<Result<Page>> {
        self.get_next_page().transpose()
    }
}
