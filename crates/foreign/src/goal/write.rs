//! Writes graphs of sends, receives and computations as GOAL.

use std::io::{self, Write};
use std::sync::Arc;
use weir_formats::graph::GraphFile;
use weir_operations::{Mode, Operation, Task, Tasks, WORLD, Wildcards};

/// Writes a graph; sentences about what is lost, or why it cannot be.
pub(crate) fn write(graph: &GraphFile, out: &mut dyn Write) -> io::Result<Result<Vec<String>, String>> {
    let mut tasks = Arc::clone(&graph.tasks).tasks();
    let mut rounded = 0_u64;
    writeln!(out, "num_ranks {}", tasks.ranks())?;
    for rank in 0..tasks.ranks() {
        writeln!(out, "\nrank {rank} {{")?;
        let mut last: Vec<Option<u64>> = Vec::new();
        let mut number = 0_u64;
        while let Some(Task { operation, stream, requires }) = tasks.next(rank).map_err(io::Error::other)? {
            let label = format!("l{}", number + 1);
            match words(&operation, &mut rounded) {
                Ok(words) => write!(out, "{label}: {words}")?,
                Err(why) => {
                    return Ok(Err(format!("task {number} of rank {rank}, {}: {why}", operation.name())));
                }
            }
            if stream > 0 {
                write!(out, " cpu {stream}")?;
            }
            writeln!(out)?;
            let place = stream as usize;
            if last.len() <= place {
                last.resize(place + 1, None);
            }
            let before = last[place].replace(number);
            match &requires {
                None => {
                    before.iter().try_for_each(|before| writeln!(out, "{label} requires l{}", before + 1))?
                }
                Some(requires) => {
                    requires
                        .ended
                        .iter()
                        .try_for_each(|other| writeln!(out, "{label} requires l{}", other + 1))?;
                    requires
                        .begun
                        .iter()
                        .try_for_each(|other| writeln!(out, "{label} irequires l{}", other + 1))?;
                }
            }
            number += 1;
        }
        writeln!(out, "}}")?;
    }
    let note = || format!("{rounded} computations were rounded to whole nanoseconds");
    Ok(Ok(if rounded > 0 { vec![note()] } else { Vec::new() }))
}

/// An operation in GOAL's words.
fn words(operation: &Operation, rounded: &mut u64) -> Result<String, &'static str> {
    const OTHERS: &str = "GOAL has no communicators; only messages of all ranks are written";
    match *operation {
        Operation::Compute { time } => {
            *rounded += u64::from(time.as_ps() % 1000 > 0);
            Ok(format!("calc {}", time.as_ps().saturating_add(500) / 1000))
        }
        Operation::Send { communicator, .. } | Operation::Receive { communicator, .. }
            if communicator != WORLD =>
        {
            Err(OTHERS)
        }
        Operation::Send { mode: Mode::Standard, to: Some(to), tag, bytes, .. } => {
            Ok(format!("send {bytes}b to {to} tag {tag}"))
        }
        Operation::Send { to: None, .. } => Err("GOAL has no messages to nobody"),
        Operation::Send { .. } => Err("GOAL has sends of the standard mode only"),
        Operation::Receive { from, bytes, .. } => {
            let number = |number: Option<i64>| number.unwrap_or(-1);
            let (source, tag) = match from.asked {
                Wildcards::Nobody => return Err("GOAL has no messages from nobody"),
                Wildcards::Both => (from.source, from.tag),
                Wildcards::AnySource => (None, from.tag),
                Wildcards::AnyTag => (from.source, None),
                Wildcards::Anything => (None, None),
            };
            let (source, tag) = (number(source.map(i64::from)), number(tag.map(i64::from)));
            Ok(format!("recv {bytes}b from {source} tag {tag}"))
        }
        _ => Err("GOAL has no collectives: it knows sends, receives and computations"),
    }
}
