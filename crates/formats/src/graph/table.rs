//! The Parquet form: a row for each task, those of each rank in their order.
//!
//! The columns are those of events of a profile, with the time of a computation as `compute_ps`, and three more. The metadata of
//! the file have `weir.graph` (the version, 1), `weir.ranks`, `weir.tasks`, `weir.title`, `weir.communicators` (a line for each,
//! as in the text form), and a checksum ([`seal`](crate::seal)).

use super::{GraphBuilder, GraphFile, VERSIONS, no_room, not_a_task};
use crate::form::{self, Form, Notes, of_file};
use crate::profile::{Columns, Row, check_stream};
use crate::seal::{self, Writer};
use crate::{MistakePlace, Mistakes, ReadError};
use parquet::data_type::{Int32Type, Int64Type};
use parquet::errors::{ParquetError, Result};
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::reader::RowGroupReader;
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;
use weir_columns::{Cells, TableFile, row};
use weir_operations::{Requires, Task, Tasks};
use weir_units::Rank;

row! {
    /// The cells that a task has beside those of an event. Without both lists it follows the task before it on its stream.
    struct TaskRow in "graph" {
        stream: u32,
        requires: Option<Vec<i64>> [Differences],
        begun: Option<Vec<i64>> [Differences],
    }
}

const FORM: Form = Form {
    what: "a graph of work",
    version: "weir.graph",
    versions: &VERSIONS,
    rows: "weir.tasks",
    page: "graph-of-work",
    hint: None,
};

/// The place of the first column that events do not have.
const STREAM_AT: usize = 12;

/// Tasks of a row group, at most.
const GROUP: usize = 1 << 18;
/// Numbers in lists of a row group, at about which it ends: one task may have any number of requirements, or blocks for each rank.
const LISTED: usize = 1 << 21;

/// Returns whether a file is a table that says of itself to be a graph of work.
pub(super) fn is_it(path: &Path) -> bool {
    TableFile::open(path).is_ok_and(|table| table.notes().contains_key(FORM.version))
}

/// Writes a graph rank by rank; keeps the tasks of a row group in memory.
pub(super) fn write(graph: &GraphFile, title: String, out: impl Write + Send) -> io::Result<()> {
    let properties = WriterProperties::builder().set_statistics_enabled(EnabledStatistics::None);
    let ranks = graph.tasks.ranks();
    let writer = Writer::<(Row, TaskRow), _>::begin(out, properties, FORM.begin(ranks, title));
    let mut writer = writer.map_err(io::Error::other)?;
    let mut tasks = Arc::clone(&graph.tasks).tasks();
    let mut listed = 0;
    for rank in 0..ranks {
        while let Some(task) = tasks.next(rank).map_err(io::Error::other)? {
            let Task { operation, stream, requires } = task;
            let numbers = |list: &[u64]| list.iter().map(|number| number.cast_signed()).collect::<Vec<i64>>();
            let [ended, begun] = match &requires {
                None => [None, None],
                Some(requires) => [&requires.ended, &requires.begun].map(|list| Some(numbers(list))),
            };
            let row = Row::of_task(Rank::new(rank).0, operation);
            listed += row.listed() + [&ended, &begun].into_iter().flatten().map(Vec::len).sum::<usize>();
            writer.push((row, TaskRow { stream, requires: ended, begun }));
            if writer.rows() == GROUP || listed >= LISTED {
                listed = 0;
                writer.end_group().map_err(io::Error::other)?;
            }
        }
    }
    let communicators = graph.communicators.to_text();
    writer.end(&FORM.end(communicators, graph.tasks.len())).map_err(io::Error::other)
}

/// Reads a graph, ranks in any order; keeps a batch of rows in memory.
pub(super) fn read(file: File) -> std::result::Result<GraphFile, ReadError> {
    seal::read(file, |table| {
        let mut mistakes = Mistakes::default();
        let notes = FORM.notes(table, &mut of_file(&mut mistakes));
        let fits = FORM.fits::<(Row, TaskRow)>(table, &mut of_file(&mut mistakes));
        let Some(ranks) = notes.ranks.filter(|_| fits && !notes.is_other) else {
            return Err(ReadError::Mistakes(mistakes.sorted()));
        };
        let mut builder = GraphBuilder::new(ranks).map_err(|error| no_room(&error))?;
        define(&mut builder, &notes, &mut mistakes);
        let mut rows = Rows { builder, mistakes, row: 0, failure: None };
        let read = table.each_batch(TaskColumns::open, |columns, count| rows.read(columns, count));
        let Rows { builder, mut mistakes, row, failure } = rows;
        if let Some(error) = failure {
            return Err(no_room(&error));
        }
        read?;
        FORM.count(&notes, row, &mut of_file(&mut mistakes));
        if !mistakes.is_empty() {
            return Err(ReadError::Mistakes(mistakes.sorted()));
        }
        builder.finish(notes.title).map_err(|error| no_room(&error))
    })
}

fn define(builder: &mut GraphBuilder, notes: &Notes, mistakes: &mut Mistakes) {
    for line in notes.communicators.lines() {
        let read = builder.communicators.read(line, builder.ranks());
        read.unwrap_or_else(|what| {
            mistakes.add(MistakePlace::File, &form::communicator_text(line), what);
        });
    }
}

/// The columns of a row group.
struct TaskColumns {
    of_steps: Columns,
    streams: Cells<Int32Type>,
    /// The tasks that must have ended, and those that must have begun.
    lists: [Cells<Int64Type>; 2],
}

impl TaskColumns {
    fn open(group: &dyn RowGroupReader) -> Result<Self> {
        let lists = [Cells::open(group, STREAM_AT + 1)?, Cells::open(group, STREAM_AT + 2)?];
        Ok(Self { of_steps: Columns::open(group)?, streams: Cells::open(group, STREAM_AT)?, lists })
    }
}

/// Takes in rows.
struct Rows {
    builder: GraphBuilder,
    mistakes: Mistakes,
    /// The number of the next row.
    row: u64,
    /// Why there is no room for a task.
    failure: Option<io::Error>,
}

impl Rows {
    fn read(&mut self, columns: &mut TaskColumns, count: usize) -> Result<()> {
        columns.of_steps.read(count)?;
        columns.streams.read(count)?;
        columns.lists.iter_mut().try_for_each(|column| column.read(count))?;
        for index in 0..count {
            let place = MistakePlace::Row(self.row);
            self.row += 1;
            let (rank, of_row) = columns.of_steps.row(index);
            let stream = columns.streams.values()[index].cast_unsigned();
            let lists = columns.lists.each_mut().map(Cells::list);
            let ranks = self.builder.ranks();
            let mut report = |what: String| self.mistakes.add(place, "", what);
            if rank >= ranks {
                report(format!("there is no rank {rank}: the graph has {ranks} ranks, counted from 0"));
                continue;
            }
            match of_row.and_then(|of_row| task(of_row, stream, lists)) {
                Ok(task) => {
                    if let Err(error) = self.builder.add(Rank(rank), task, &mut report) {
                        self.failure = Some(error);
                        return Err(ParquetError::General("there is no room for a task".into()));
                    }
                }
                Err(what) => report(what),
            }
        }
        Ok(())
    }
}

/// The task of a row, or what is wrong with its cells.
fn task(row: Row, stream: u32, lists: [Option<Vec<i64>>; 2]) -> std::result::Result<Task, String> {
    check_stream(stream)?;
    let is_empty = lists.iter().all(Option::is_none);
    let [ended, begun] = lists.map(|list| {
        let numbers = list.into_iter().flatten().map(|number| {
            u64::try_from(number)
                .map_err(|_| format!("requires task {number}: numbers of tasks are at least 0"))
        });
        numbers.collect::<std::result::Result<Box<[u64]>, String>>()
    });
    let requires = Requires { ended: ended?, begun: begun? };
    let kind = row.kind();
    let operation = row.task().map_err(|what| not_a_task(kind).unwrap_or(what))?;
    Ok(Task { operation, stream, requires: (!is_empty).then(|| Box::new(requires)) })
}
