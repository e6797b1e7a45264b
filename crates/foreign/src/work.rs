//! Graphs of work that formats make, task by task, with the place of what is wrong.

use crate::reading::Reading;
use std::fs::File;
use std::io;
use std::path::Path;
use weir_formats::MOST_RANKS;
use weir_formats::graph::{GraphBuilder, GraphFile};
use weir_operations::{Collective, Mode, Operation, ReceiveSource, Requires, Task, WORLD};
use weir_units::{Duration, Rank};

/// A graph of work in the making.
pub(crate) struct Work<'a> {
    pub(crate) builder: GraphBuilder,
    pub(crate) reading: &'a mut Reading,
    is_full: bool,
}

impl<'a> Work<'a> {
    /// A graph of so many ranks. `None`, and a mistake, where there cannot be one.
    pub(crate) fn new(ranks: u64, line: usize, reading: &'a mut Reading) -> Option<Self> {
        let number = u32::try_from(ranks).ok().filter(|ranks| (1..=MOST_RANKS).contains(ranks));
        let Some(number) = number else {
            reading.wrong(
                line,
                &ranks.to_string(),
                format!("the number of ranks is one from 1 to {MOST_RANKS}"),
            );
            return None;
        };
        match GraphBuilder::new(number) {
            Ok(builder) => Some(Self { builder, reading, is_full: false }),
            Err(error) => {
                reading.wrong_whole(no_room(&error), None);
                None
            }
        }
    }

    /// Adds a task behind those of its rank, which the file has on this line.
    pub(crate) fn add(&mut self, rank: u32, task: Task, line: usize, text: &str) {
        let Self { builder, reading, is_full } = self;
        let mut report = |what: String| reading.wrong(line, text, what);
        if let Err(error) = builder.add(Rank(rank), task, &mut report)
            && !std::mem::replace(is_full, true)
        {
            reading.wrong_whole(no_room(&error), None);
        }
    }

    /// The whole graph, if nothing is wrong with it.
    pub(crate) fn finish(self) -> Option<GraphFile> {
        if self.reading.is_wrong() {
            return None;
        }
        self.builder
            .finish(String::new())
            .map_err(|error| self.reading.wrong_whole(no_room(&error), None))
            .ok()
    }
}

fn no_room(error: &io::Error) -> String {
    format!("its tasks find no room in a temporary file: {error}")
}

/// Opens a file, or says why that cannot be.
pub(crate) fn open(path: &Path, reading: &mut Reading) -> Option<File> {
    let wrong =
        |error: io::Error| reading.wrong_whole(format!("{} cannot be read: {error}", path.display()), None);
    File::open(path).map_err(wrong).ok()
}

/// A computation of so many nanoseconds; `None` where that is too long for picoseconds.
pub(crate) fn compute_ns(ns: u64) -> Option<Operation> {
    Some(Operation::Compute { time: Duration::from_ps(ns.checked_mul(1000)?) })
}

/// A message to a rank of the world.
pub(crate) const fn send(to: u32, tag: i32, bytes: u64) -> Operation {
    Operation::Send { mode: Mode::Standard, to: Some(to), tag, bytes, communicator: WORLD, request: None }
}

/// A message from a rank of the world; `None` is any source, or any tag.
pub(crate) const fn receive(source: Option<u32>, tag: Option<i32>, bytes: u64) -> Operation {
    let from = ReceiveSource::asking(source, tag);
    Operation::Receive { from, bytes, communicator: WORLD, request: None }
}

/// A collective that waits.
pub(crate) fn collective(collective: Collective, communicator: u32) -> Operation {
    Operation::Collective { collective: Box::new(collective), communicator, persistent: None, request: None }
}

/// A task of stream 0 that waits for these; for the one before it, and nothing else, where that is what they are.
pub(crate) fn task(operation: Operation, number: u64, ended: Vec<u64>, begun: Vec<u64>) -> Task {
    let follows = begun.is_empty()
        && match ended[..] {
            [] => number == 0,
            [only] => only + 1 == number,
            _ => false,
        };
    let requires = (!follows).then(|| Box::new(Requires { ended: ended.into(), begun: begun.into() }));
    Task { operation, stream: 0, requires }
}
