//! Graphs of work: what the ranks of a program do, task by task, each with what it waits for.
//!
//! ```text
//! weir-graph 1
//! title two streams     # this is a part of the title; other lines may have comments
//! ranks 2
//! 0 compute 3 us
//! 0 send 1 20 kB tag 7
//! 0 compute 5 us stream 1 requires 0
//! 1 recv 0 20 kB tag 7
//! 1 compute 2 us stream 1 begun 0
//! ```
//! The tasks of a rank have the numbers 0, 1, 2, ... in the order of their lines. Operations have the words of profiles; what goes on
//! under a request there has none here, because others wait for its end. Reading goes from line to line and keeps no task in memory.
//! A table in Parquet holds the same, with a row for each task.

mod table;

use crate::collector::{MOST_RANKS, ranks_in};
use crate::lines::{self, Head};
use crate::profile::{Checker, Communicators, Groups, read_task, write_task};
use crate::spool::{Spool, Spooled};
use crate::{Mistakes, ReadError};
use std::io::{self, BufRead, BufReader, BufWriter, Write};
use std::path::Path;
use std::sync::Arc;
use weir_operations::{Operation, Step, Task};
use weir_units::{Duration, Rank};

/// The first line of such a file, up to its version.
const HEADER: &str = "weir-graph";
const VERSIONS: [&str; 1] = ["1"];
/// The first bytes of a file in Parquet.
const PARQUET: &[u8] = b"PAR1";

/// A graph of work of all ranks. The tasks are in a temporary file, which is gone with the last reader.
#[derive(Clone, Debug)]
pub struct GraphFile {
    /// The title; empty if there is none.
    pub title: String,
    /// Communicators beside the world and each rank alone.
    pub communicators: Communicators,
    /// The tasks.
    pub tasks: Arc<Spooled>,
}

/// Reads a graph of work, in text or in Parquet: its first bytes show which of them it is.
///
/// # Errors
/// When the file cannot be read, when there is no room for its tasks among temporary files, or with all mistakes in it.
pub fn read(path: &Path) -> Result<GraphFile, ReadError> {
    let mut input = BufReader::new(lines::open(path)?);
    let begin = input.fill_buf().map_err(|error| ReadError::Unreadable(error.to_string()))?;
    match begin.starts_with(PARQUET) {
        true => table::read(input.into_inner()),
        false => read_text(input),
    }
}

/// Returns whether a file is a graph of work in Parquet, by what is in it; `false` for one that cannot be read.
pub fn is_table(path: &Path) -> bool {
    table::is_it(path)
}

/// Reads a graph of work as text from what is open already.
///
/// # Errors
/// Those of [`read`].
pub fn read_text(input: impl BufRead) -> Result<GraphFile, ReadError> {
    let mut reader =
        Reader { head: Head::new(HEADER, &VERSIONS), mistakes: Mistakes::default(), builder: None };
    let mut failure = None;
    lines::each(input, |line, text| {
        if let Some((text, words)) = reader.head.words(line, text, &mut reader.mistakes)
            && let Err(error) = reader.line(text, &words)
        {
            failure = Some(error);
            reader.head.is_over = true;
        }
        reader.head.flow()
    })?;
    match failure {
        Some(error) => Err(no_room(&error)),
        None => reader.finish(),
    }
}

fn no_room(error: &io::Error) -> ReadError {
    ReadError::Unreadable(format!("its tasks find no room in a temporary file: {error}"))
}

struct Reader {
    head: Head,
    mistakes: Mistakes,
    builder: Option<GraphBuilder>,
}

impl Reader {
    fn mistake(&mut self, text: &str, what: impl Into<String>) {
        self.mistakes.add(self.head.place(), text, what);
    }

    fn line(&mut self, text: &str, words: &[&str]) -> io::Result<()> {
        let Some(builder) = &mut self.builder else { return self.begin(text, words) };
        let (place, mistakes) = (self.head.place(), &mut self.mistakes);
        let mut report = |what: String| mistakes.add(place, text, what);
        match *words {
            ["ranks", ..] => report("the number of ranks stands twice".into()),
            ["communicator", ..] => {
                let line = text.strip_prefix("communicator").unwrap_or_default();
                builder.communicators.read(line, builder.ranks()).unwrap_or_else(report);
            }
            [rank, kind, ref rest @ ..] if rank.bytes().all(|byte| byte.is_ascii_digit()) => {
                let ranks = builder.ranks();
                match rank.parse().ok().filter(|rank| *rank < ranks) {
                    None => report(format!(
                        "there is no rank {rank}: the graph has {ranks} ranks, counted from 0"
                    )),
                    Some(rank) => match read_task(kind, rest) {
                        Ok(task) => builder.add(Rank(rank), task, &mut report)?,
                        Err(what) => report(what),
                    },
                }
            }
            _ => report(format!(
                "unknown word {:?}: a line is ranks N, communicator N: RANKS, title ..., or a task, which begins with the number of a \
                 rank, as in 0 send 1 20 kB",
                words[0]
            )),
        }
        Ok(())
    }

    /// Reads a line before the number of ranks is known.
    fn begin(&mut self, text: &str, words: &[&str]) -> io::Result<()> {
        let number = if let ["ranks", number] = words { ranks_in(number) } else { None };
        match (number, words) {
            (Some(ranks), _) => self.builder = Some(GraphBuilder::new(ranks)?),
            (None, ["ranks", ..]) => {
                self.mistake(text, format!("ranks must be followed by a number from 1 to {MOST_RANKS}"));
            }
            _ => {
                self.head.is_over = true;
                self.mistake(text, "ranks is missing: say how many before the first task, as in ranks 64");
            }
        }
        Ok(())
    }

    fn finish(mut self) -> Result<GraphFile, ReadError> {
        self.head.need_header(&mut self.mistakes);
        if self.builder.is_none() && self.mistakes.is_empty() {
            self.mistake("", "ranks is missing");
        }
        match self.builder {
            Some(builder) if self.mistakes.is_empty() => {
                builder.finish(self.head.title).map_err(|error| no_room(&error))
            }
            _ => Err(ReadError::Mistakes(self.mistakes.sorted())),
        }
    }
}

/// A graph that is made task by task, ranks in any order, and checked on the way.
pub struct GraphBuilder {
    communicators: Communicators,
    checker: Checker,
    spool: Spool,
    /// The number of tasks of each rank.
    tasks: Vec<u64>,
}

impl GraphBuilder {
    /// A graph of so many ranks, at least one.
    ///
    /// # Errors
    /// When there is no room for temporary files.
    pub fn new(ranks: u32) -> io::Result<Self> {
        Ok(Self {
            communicators: Communicators::default(),
            checker: Checker::new(ranks),
            spool: Spool::new(ranks as usize)?,
            tasks: vec![0; ranks as usize],
        })
    }

    /// Number of ranks.
    pub fn ranks(&self) -> u32 {
        self.tasks.len() as u32
    }

    /// The number that the next task of a rank gets.
    pub fn next(&self, rank: Rank) -> u64 {
        self.tasks[rank.index()]
    }

    /// Defines a communicator, before the first task that names it; `false` if the number is taken.
    pub fn define(&mut self, number: u32, groups: Groups) -> bool {
        self.communicators.define(number, groups)
    }

    /// Adds a task behind those of its rank; `report` gets what is wrong with it, and then the graph is of no use.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn add(&mut self, rank: Rank, task: Task, report: &mut dyn FnMut(String)) -> io::Result<()> {
        let number = self.tasks[rank.index()];
        let requires = task.requires.iter().flat_map(|requires| requires.ended.iter().chain(&requires.begun));
        for later in requires.filter(|&&other| other >= number) {
            report(format!(
                "task {number} of rank {rank} requires task {later}, which does not come before it"
            ));
        }
        if !is_task(&task.operation) {
            report(no_task(task.operation.name()));
        }
        self.tasks[rank.index()] += 1;
        let Task { operation, stream, requires } = task;
        let step = Step { compute: Duration::ZERO, took: None, operation };
        self.checker.check(rank, &step, &self.communicators, report);
        self.spool.add(rank.index(), &Task { operation: step.operation, stream, requires })
    }

    /// The whole graph.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn finish(self, title: String) -> io::Result<GraphFile> {
        Ok(GraphFile { title, communicators: self.communicators, tasks: Arc::new(self.spool.finish()?) })
    }
}

/// Says what is wrong with an operation of this kind, if it cannot be a task.
fn not_a_task(kind: &str) -> Option<String> {
    let is_wrong = Operation::named(kind).is_some_and(|operation| !is_task(&operation));
    is_wrong.then(|| no_task(kind))
}

fn no_task(kind: &str) -> String {
    format!(
        "{kind} cannot be a task: one is compute, send (bsend, ssend, rsend), recv, or a collective that waits"
    )
}

fn is_task(operation: &Operation) -> bool {
    let is_kind = matches!(
        operation,
        Operation::Compute { .. }
            | Operation::Send { .. }
            | Operation::Receive { .. }
            | Operation::Collective { .. }
    );
    is_kind && operation.request().is_none()
}

impl GraphFile {
    /// Writes it as a table in Parquet, rank by rank. A row group of tasks is in memory at a time.
    ///
    /// # Errors
    /// When it cannot be written, or no longer read.
    pub fn write_table(&self, out: impl Write + Send) -> io::Result<()> {
        table::write(self, lines::one_line(&self.title), BufWriter::with_capacity(1 << 16, out))
    }

    /// Writes it as text, rank by rank.
    ///
    /// # Errors
    /// When it cannot be written, or no longer read.
    pub fn write(&self, out: impl Write) -> io::Result<()> {
        let mut out = BufWriter::with_capacity(1 << 16, out);
        Head::new(HEADER, &VERSIONS).write(self.tasks.ranks(), &lines::one_line(&self.title), &mut out)?;
        let communicators = self.communicators.to_text();
        communicators.lines().try_for_each(|line| writeln!(out, "communicator {line}"))?;
        let mut tasks = Arc::clone(&self.tasks).tasks();
        for rank in 0..self.tasks.ranks() {
            while let Some(task) = weir_operations::Tasks::next(&mut tasks, rank).map_err(io::Error::other)? {
                write!(out, "{rank}")?;
                write_task(task, &mut out)?;
            }
        }
        out.flush()
    }
}
