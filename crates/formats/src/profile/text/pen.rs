//! Writes the words of a step in the text form, behind its rank.

use super::words::{COPYINGS, PROTOCOLS};
use crate::quantity;
use std::io::{self, Write};
use weir_operations::{
    Choices, Collective, Fallible, Fields, Function, LengthCells, OperandOrder, Operation, Place,
    ReceiveSource, RequestId, Requests, Requires, Root, Step, Task,
};
use weir_units::Duration;

fn write_operation(mut operation: Operation, out: &mut impl Write) -> io::Result<()> {
    write!(out, " {}", operation.name())?;
    let mut pen = Pen { out, failure: None };
    operation.fields(&mut pen).expect("the pen keeps its mistakes");
    pen.failure.map_or(Ok(()), Err)
}

/// Writes a task of a graph, behind its rank.
pub(crate) fn write_task(task: Task, out: &mut impl Write) -> io::Result<()> {
    write_operation(task.operation, out)?;
    if task.stream > 0 {
        write!(out, " stream {}", task.stream)?;
    }
    if let Some(requires) = task.requires {
        let Requires { ended, begun } = *requires;
        if !ended.is_empty() || begun.is_empty() {
            write!(out, " requires")?;
            ended.iter().try_for_each(|number| write!(out, " {number}"))?;
        }
        if !begun.is_empty() {
            write!(out, " begun")?;
            begun.iter().try_for_each(|number| write!(out, " {number}"))?;
        }
    }
    writeln!(out)
}

pub(super) fn write_step(step: Step, out: &mut impl Write) -> io::Result<()> {
    write_operation(step.operation, out)?;
    match step.took {
        Some(took) => writeln!(out, " took {}", quantity::time_text(took)),
        None => writeln!(out),
    }
}

/// Writes fields; keeps the first mistake of what it writes to.
struct Pen<'a, W: Write> {
    out: &'a mut W,
    failure: Option<io::Error>,
}

impl<W: Write> Pen<'_, W> {
    fn write(&mut self, words: std::fmt::Arguments<'_>) -> Fallible {
        if self.failure.is_none() {
            self.failure = self.out.write_fmt(words).err();
        }
        Ok(())
    }

    fn list(&mut self, word: &str, numbers: impl IntoIterator<Item: std::fmt::Display>) -> Fallible {
        if !word.is_empty() {
            self.write(format_args!(" {word}"))?;
        }
        numbers.into_iter().try_for_each(|number| self.write(format_args!(" {number}")))
    }
}

impl<W: Write> Fields for Pen<'_, W> {
    const READS: bool = false;

    fn peer(&mut self, rank: &mut Option<u32>) -> Fallible {
        match rank {
            Some(rank) => self.write(format_args!(" {rank}")),
            None => self.write(format_args!(" nobody")),
        }
    }

    fn target(&mut self, rank: &mut u32) -> Fallible {
        self.write(format_args!(" {rank}"))
    }

    fn target_or_all(&mut self, rank: &mut Option<u32>) -> Fallible {
        rank.map_or(Ok(()), |rank| self.write(format_args!(" {rank}")))
    }

    fn source(&mut self, from: &mut ReceiveSource) -> Fallible {
        match from.asked.any_source() {
            true => self.write(format_args!(" any")),
            false => self.peer(&mut from.source),
        }
    }

    fn found(&mut self, from: &mut ReceiveSource) -> Fallible {
        let any_tag = from.asked.any_tag();
        match (any_tag, from.tag) {
            (true, _) => self.write(format_args!(" tag any"))?,
            (false, Some(tag)) if tag != 0 => self.write(format_args!(" tag {tag}"))?,
            _ => {}
        }
        if let (true, Some(rank)) = (from.asked.any_source(), from.source) {
            self.write(format_args!(" from {rank}"))?;
        }
        from.tag.filter(|_| any_tag).map_or(Ok(()), |tag| self.write(format_args!(" tagged {tag}")))
    }

    fn bytes(&mut self, bytes: &mut u64) -> Fallible {
        self.write(format_args!(" {bytes}"))
    }

    fn number(&mut self, word: &'static str, _: Place, number: &mut u32, _: &str) -> Fallible {
        self.list(word, [number])
    }

    fn tag(&mut self, tag: &mut i32) -> Fallible {
        if *tag == 0 { Ok(()) } else { self.write(format_args!(" tag {tag}")) }
    }

    fn flag(&mut self, word: &'static str, set: bool) -> Result<bool, String> {
        if set {
            self.write(format_args!(" {word}"))?;
        }
        Ok(set)
    }

    fn request(&mut self, request: &mut RequestId) -> Fallible {
        self.write(format_args!(" {}", request.0))
    }

    fn requests(&mut self, requests: &mut Requests) -> Fallible {
        self.list("", requests.as_slice().iter().map(|request| request.0))
    }

    fn started(&mut self, request: &mut RequestId) -> Fallible {
        self.write(format_args!(" request {}", request.0))
    }

    fn time(&mut self, word: &'static str, time: &mut Duration) -> Fallible {
        self.list(word, [quantity::time_text(*time)])
    }

    fn after(&mut self, after: &mut Option<u64>) -> Fallible {
        after.map_or(Ok(()), |after| self.write(format_args!(" after {after}")))
    }

    fn ranks(&mut self, ranks: &mut Box<[u32]>) -> Fallible {
        self.list("ranks", ranks.iter())
    }

    fn lengths(&mut self, function: Function, cells: &mut LengthCells) -> Fallible {
        let LengthCells { bytes, list, .. } = cells;
        if function.has_data() && (list.is_none() || *bytes > 0) {
            self.bytes(bytes)?;
        }
        match (function.lists(), list) {
            (_, None) | ([], _) => Ok(()),
            (&[out, into], Some(list)) => {
                let halves = list.split_at(list.len() / 2);
                self.list(out, halves.0)?;
                self.list(into, halves.1)
            }
            (words, Some(list)) => self.list(words[0], list.iter()),
        }
    }

    fn root(&mut self, root: &mut Root) -> Fallible {
        match root {
            Root::Rank(rank) => self.write(format_args!(" root {rank}")),
            Root::Here => self.write(format_args!(" root here")),
            Root::None | Root::Elsewhere => self.write(format_args!(" root nobody")),
        }
    }

    fn combining(&mut self, collective: &mut Collective, cells: &mut LengthCells) -> Fallible {
        if cells.element != 0 {
            self.write(format_args!(" element {}", cells.element))?;
        }
        self.either("ordered", &mut cells.operands, OperandOrder::BOTH)?;
        if let Some(operation) = collective.combines.operation {
            self.write(format_args!(" op {}", operation.name()))?;
        }
        let element = collective.combines.element;
        element.map_or(Ok(()), |element| self.write(format_args!(" type {}", element.name())))
    }

    fn persistent(&mut self, number: &mut Option<u32>) -> Fallible {
        number.map_or(Ok(()), |number| self.write(format_args!(" tag {number}")))
    }

    fn choices(&mut self, choices: &mut Choices) -> Fallible {
        if let Some((word, _)) = PROTOCOLS[1..].iter().find(|(_, known)| *known == choices.protocol) {
            self.write(format_args!(" protocol {word}"))?;
        }
        if let Some((word, _)) = COPYINGS[1..].iter().find(|(_, known)| *known == choices.copying) {
            self.write(format_args!(" copy {word}"))?;
        }
        if let Some(nic) = choices.nic {
            self.write(format_args!(" nic {nic}"))?;
        }
        choices.gap.map_or(Ok(()), |gap| self.write(format_args!(" gap {gap}")))
    }

    fn communicator(&mut self, communicator: &mut u32) -> Fallible {
        if *communicator == 0 { Ok(()) } else { self.write(format_args!(" comm {communicator}")) }
    }
}
