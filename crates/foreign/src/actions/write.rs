//! Writes graphs that are lists of calls as time-independent traces.

use std::collections::{BTreeMap, VecDeque};
use std::io::{self, Write};
use std::sync::Arc;
use weir_formats::graph::GraphFile;
use weir_operations::{
    Collective, Function, Lengths, Mode, Operation, ReceiveSource, Root, Task, Tasks, WORLD, Wildcards,
};

/// The number of `MPI_BYTE` in SMPI.
const BYTE: u32 = 6;

/// A message that goes on: source, destination and tag.
type Key = (u32, u32, i32);

/// Writes a graph; sentences about what is lost, or why it cannot be.
pub(crate) fn write(graph: &GraphFile, out: &mut dyn Write) -> io::Result<Result<Vec<String>, String>> {
    let mut tasks = Arc::clone(&graph.tasks).tasks();
    for rank in 0..tasks.ranks() {
        writeln!(out, "{rank} init")?;
        let mut list = List { rank: rank as u32, open: BTreeMap::new(), keys: BTreeMap::new() };
        let (mut before, mut number): (Option<Task>, u64) = (None, 0);
        loop {
            let task = tasks.next(rank).map_err(io::Error::other)?;
            if let Err(why) = list.step(before.as_ref(), task.as_ref(), number, out)? {
                return Ok(Err(format!("{why}, at task {number} of rank {rank}")));
            }
            let Some(task) = task else { break };
            (before, number) = (Some(task), number + 1);
        }
        writeln!(out, "{rank} finalize")?;
    }
    Ok(Ok(vec!["computations are those of a host that does 1 Gf in a second".to_owned()]))
}

struct List {
    rank: u32,
    /// Messages that go on, by the number of their task, and those of one key in their order.
    open: BTreeMap<u64, Key>,
    keys: BTreeMap<Key, VecDeque<u64>>,
}

impl List {
    /// Writes the task before this one, which says how it is waited for, and the waits between them.
    fn step(
        &mut self,
        before: Option<&Task>,
        task: Option<&Task>,
        number: u64,
        out: &mut dyn Write,
    ) -> io::Result<Result<(), &'static str>> {
        const SIDE_BY_SIDE: &str = "tasks go on side by side, which a list of calls cannot say";
        let Some(last) = number.checked_sub(1) else { return Ok(Ok(())) };
        let Some(before) = before else { return Ok(Ok(())) };
        let alone = [last];
        let (ended, begun): (&[u64], &[u64]) = match task.map(|task| (task, &task.requires)) {
            None => (&alone, &[]),
            Some((task, None)) if task.stream == before.stream => (&alone, &[]),
            Some((_, None)) => return Ok(Err(SIDE_BY_SIDE)),
            Some((_, Some(requires))) => (&requires.ended, &requires.begun),
        };
        let waits = ended.contains(&last);
        if !waits && !begun.contains(&last) {
            return Ok(Err(SIDE_BY_SIDE));
        }
        match words(self.rank, &before.operation, waits) {
            Ok((words, key)) => {
                writeln!(out, "{} {words}", self.rank)?;
                if let (Some(key), false) = (key, waits) {
                    self.open.insert(last, key);
                    self.keys.entry(key).or_default().push_back(last);
                }
            }
            Err(why) => return Ok(Err(why)),
        }
        for other in ended {
            let Some(key) = self.open.remove(other) else { continue };
            if self.keys.get_mut(&key).and_then(VecDeque::pop_front) != Some(*other) {
                return Ok(Err(
                    "of messages with one source, destination and tag a later one is waited for before an earlier one",
                ));
            }
            let (source, to, tag) = key;
            let source = if source == u32::MAX { "-1".to_owned() } else { source.to_string() };
            writeln!(out, "{} wait {source} {to} {tag}", self.rank)?;
        }
        Ok(Ok(()))
    }
}

/// An action, and the key of its message.
fn words(rank: u32, operation: &Operation, waits: bool) -> Result<(String, Option<Key>), &'static str> {
    let i = if waits { "" } else { "i" };
    Ok(match *operation {
        Operation::Send { communicator, .. }
        | Operation::Receive { communicator, .. }
        | Operation::Collective { communicator, .. }
            if communicator != WORLD =>
        {
            return Err("actions of SimGrid have no communicators; only those of all ranks are written");
        }
        Operation::Compute { time } if waits => {
            (format!("compute {}.{:03}", time.as_ps() / 1000, time.as_ps() % 1000), None)
        }
        Operation::Send { mode: Mode::Standard, to: Some(to), tag, bytes, .. } => {
            (format!("{i}send {to} {tag} {bytes} {BYTE}"), Some((rank, to, tag)))
        }
        Operation::Receive { from: ReceiveSource { source, tag, asked }, bytes, .. }
            if asked != Wildcards::Nobody =>
        {
            let source = source.filter(|_| matches!(asked, Wildcards::Both | Wildcards::AnyTag));
            let tag = tag.filter(|_| matches!(asked, Wildcards::Both | Wildcards::AnySource)).unwrap_or(-1);
            let shown = source.map_or_else(|| "-1".to_owned(), |source| source.to_string());
            (format!("{i}recv {shown} {tag} {bytes} {BYTE}"), Some((source.unwrap_or(u32::MAX), rank, tag)))
        }
        Operation::Collective { ref collective, .. } if waits => (collective_words(collective)?, None),
        _ => {
            return Err(
                "this operation is no action of SimGrid: messages of the standard mode, computations and collectives that wait are",
            );
        }
    })
}

fn collective_words(Collective { function, root, lengths, .. }: &Collective) -> Result<String, &'static str> {
    const OTHER: &str = "this collective is not written: those with a length of each rank's own, between groups and among neighbors are not";
    let root = if let Root::Rank(root) = root { *root } else { 0 };
    Ok(match (function, lengths) {
        (Function::Barrier, _) => "barrier".to_owned(),
        (Function::Bcast, Lengths::Bytes(bytes)) => format!("bcast {bytes} {root} {BYTE}"),
        // A datatype for elements: byte, short, int, double and long double.
        (Function::Reduce | Function::Allreduce, Lengths::Elements { bytes, element, .. }) => {
            let known =
                [(1, BYTE), (2, 3), (4, 1), (8, 0), (16, 14)].into_iter().find(|(bytes, _)| bytes == element);
            let (_, datatype) =
                known.ok_or("elements of reductions have 1, 2, 4, 8 or 16 bytes in actions of SimGrid")?;
            let count = bytes / u64::from((*element).max(1));
            if *function == Function::Reduce {
                format!("reduce {count} 0 {root} {datatype}")
            } else {
                format!("allreduce {count} 0 {datatype}")
            }
        }
        (Function::Alltoall | Function::Allgather, Lengths::Bytes(bytes)) => {
            format!("{} {bytes} {bytes} {BYTE} {BYTE}", function.word())
        }
        (Function::Gather | Function::Scatter, Lengths::Bytes(bytes)) => {
            format!("{} {bytes} {bytes} {root} {BYTE} {BYTE}", function.word())
        }
        _ => return Err(OTHER),
    })
}
