//! Writes graphs as Chakra traces of the schema of 2023-10 (0.0.4), which ASTRA-sim reads: a file for each rank, and the groups beside them.
//!
//! A node waits for the end of others; it cannot wait for their beginning. What waits for that waits for all that they wait for, so that it can begin at the same instant; collectives
//! of one group go by the file anyway.

use super::GROUPS;
use super::wire::Message;
use std::collections::{BTreeMap, VecDeque};
use std::io::{self, Write};
use std::sync::Arc;
use weir_formats::graph::GraphFile;
use weir_operations::{
    Collective, Function, Lengths, Mode, Operation, ReceiveSource, Root, Task, Tasks, WORLD, Wildcards,
};
use weir_units::Duration;

/// A task waits for the beginning of one of so many before it, at most.
const MOST_BACK: usize = 1 << 16;

/// Writes the trace of a rank; sentences about what is lost, or why it cannot be.
pub(crate) fn write(
    graph: &GraphFile,
    rank: usize,
    out: &mut dyn Write,
) -> io::Result<Result<Vec<String>, String>> {
    let mut tasks = Arc::clone(&graph.tasks).tasks();
    let mut nodes = Nodes {
        graph,
        ranks: tasks.ranks(),
        last: BTreeMap::new(),
        met: BTreeMap::new(),
        recent: VecDeque::new(),
        number: 0,
        rounded: 0,
        begun: 0,
    };
    Message::default().text(1, "0.0.4").write(out)?;
    while let Some(task) = tasks.next(rank).map_err(io::Error::other)? {
        let name = task.operation.name();
        match nodes.node(&task) {
            Ok(node) => node.write(out)?,
            Err(why) => {
                return Ok(Err(format!("task {} of rank {rank}, {name}: {why}", nodes.number)));
            }
        }
        nodes.number += 1;
    }
    let notes = [
        (nodes.rounded, "computations were rounded to whole microseconds"),
        (nodes.begun, "tasks wait for what others wait for, in place of the beginning of these"),
    ];
    let notes = notes.into_iter().filter(|(count, _)| *count > 0);
    Ok(Ok(notes.map(|(count, what)| format!("rank {rank}: {count} {what}")).collect()))
}

/// The file of groups, where there are some.
pub(crate) fn groups(graph: &GraphFile) -> Option<(&'static str, String)> {
    let members = |(number, members): (u32, &[weir_units::Rank])| {
        let members: Vec<usize> = members.iter().map(|member| member.index()).collect();
        (number.to_string(), serde_json::json!(members))
    };
    let groups: serde_json::Map<_, _> = graph.communicators.iter().map(members).collect();
    (!groups.is_empty()).then(|| (GROUPS, format!("{}\n", serde_json::Value::Object(groups))))
}

struct Nodes<'a> {
    graph: &'a GraphFile,
    ranks: usize,
    /// The last task of each stream.
    last: BTreeMap<u32, u64>,
    /// The last collective of each communicator.
    met: BTreeMap<u32, u64>,
    /// The tasks whose end the last ones wait for.
    recent: VecDeque<Box<[u64]>>,
    number: u64,
    rounded: u64,
    begun: u64,
}

impl Nodes<'_> {
    fn node(&mut self, task: &Task) -> Result<Message, &'static str> {
        let requires = self.requires(task)?;
        let name = format!("{}_{}", task.operation.name(), self.number);
        let mut node = Message::default().number(1, self.number).text(2, &name);
        let mut is_on_cpu = false;
        node = match task.operation {
            Operation::Compute { time } => {
                is_on_cpu = task.stream == 0;
                let micros = self.micros(time);
                let node = node.number(3, 4).packed(5, &requires).number(7, micros);
                if task.stream > 1 { node.attribute("stream", 9, u64::from(task.stream)) } else { node }
            }
            Operation::Send { communicator, .. } | Operation::Receive { communicator, .. }
                if communicator != WORLD =>
            {
                return Err("messages of Chakra have no group; only those of all ranks are written");
            }
            Operation::Send { mode: Mode::Standard, to: Some(to), tag, bytes, .. } => {
                let node = node.number(3, 5).packed(5, &requires).attribute("comm_size", 9, bytes);
                node.attribute("comm_dst", 7, to.into()).attribute(
                    "comm_tag",
                    7,
                    u64::from(tag.cast_unsigned()),
                )
            }
            Operation::Receive {
                from: ReceiveSource { source: Some(from), tag: Some(tag), asked: Wildcards::Both },
                bytes,
                ..
            } => {
                let node = node.number(3, 6).packed(5, &requires).attribute("comm_size", 9, bytes);
                node.attribute("comm_src", 7, from.into()).attribute(
                    "comm_tag",
                    7,
                    u64::from(tag.cast_unsigned()),
                )
            }
            Operation::Collective { ref collective, communicator, .. } => {
                self.met.insert(communicator, self.number);
                let node = node.number(3, 7).packed(5, &requires);
                self.collective(node, collective, communicator)?
            }
            _ => {
                return Err(
                    "this operation is no node: messages of the standard mode from and to a rank, with a tag, computations and collectives are",
                );
            }
        };
        self.last.insert(task.stream, self.number);
        self.recent.push_back(requires.into());
        if self.recent.len() > MOST_BACK {
            self.recent.pop_front();
        }
        Ok(node.attribute("is_cpu_op", 27, is_on_cpu.into()))
    }

    /// The tasks whose end a task waits for.
    fn requires(&mut self, task: &Task) -> Result<Vec<u64>, &'static str> {
        let Some(requires) = &task.requires else {
            return Ok(self.last.get(&task.stream).copied().into_iter().collect());
        };
        let before = match task.operation {
            Operation::Collective { communicator, .. } => self.met.get(&communicator),
            _ => None,
        };
        let mut all = requires.ended.to_vec();
        let begun = requires.begun.iter().filter(|&number| Some(number) != before);
        let first = self.number - self.recent.len() as u64;
        let mut is_other = false;
        for number in begun {
            let of = number.checked_sub(first).and_then(|place| self.recent.get(place as usize));
            all.extend(of.ok_or("it waits for the beginning of a task that is more than 65,536 before it")?);
            is_other = true;
        }
        self.begun += u64::from(is_other);
        all.sort_unstable();
        all.dedup();
        Ok(all)
    }

    fn micros(&mut self, time: Duration) -> u64 {
        const MICRO: u64 = 1_000_000;
        self.rounded += u64::from(!time.as_ps().is_multiple_of(MICRO));
        (time.as_ps() + MICRO / 2) / MICRO
    }

    fn collective(
        &self,
        node: Message,
        Collective { function, root, lengths, .. }: &Collective,
        communicator: u32,
    ) -> Result<Message, &'static str> {
        const OTHER: &str = "this collective is not written: those with a length of each rank's own, scans, and those between groups and among neighbors are not";
        let ranks = match self.graph.communicators.members(communicator) {
            _ if self.graph.communicators.between(communicator).is_some() => return Err(OTHER),
            Some(members) => members.len(),
            None if communicator == WORLD => self.ranks,
            None => return Err("a group of one rank has no collectives"),
        } as u64;
        let (number, bytes) = match (function, lengths) {
            (Function::Allreduce, Lengths::Elements { bytes, .. }) => (0, *bytes),
            (Function::Reduce, Lengths::Elements { bytes, .. }) => (1, *bytes),
            (Function::Allgather, Lengths::Bytes(bytes)) => (2, *bytes),
            (Function::Gather, Lengths::Bytes(bytes)) => (3, *bytes),
            (Function::Scatter, Lengths::Bytes(bytes)) => (4, bytes * ranks),
            (Function::Bcast, Lengths::Bytes(bytes)) => (5, *bytes),
            (Function::Alltoall, Lengths::Bytes(bytes)) => (6, bytes * ranks),
            (Function::ReduceScatter, Lengths::Combined { blocks, .. }) => match blocks[..] {
                [block] => (7, block * ranks),
                _ => return Err(OTHER),
            },
            (Function::Barrier, _) => (9, 0),
            _ => return Err(OTHER),
        };
        let mut node = node.attribute("comm_type", 9, number).attribute("comm_size", 9, bytes);
        if let Root::Rank(root) = root {
            node = node.attribute("root", 7, u64::from(*root));
        }
        Ok(if communicator == WORLD {
            node
        } else {
            node.attribute_text("pg_name", &communicator.to_string())
        })
    }
}
