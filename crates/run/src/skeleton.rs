//! Checks whether a skeleton does what its program does: the same messages, after about the same times (paper 001, section 3.1).
//!
//! # Model
//! Two programs do the same if every rank starts the same sends, receives and collectives in the same order: by function,
//! partner, tag, bytes, communicator and arguments. Looking for messages (tests and probes) is not compared, since how often
//! a rank looks hangs on times. Nor are waits: what they wait for is compared where it was started.

use crate::simulation::{Around, run_observed};
use crate::{Result, RunDigest, RunError, RunOptions};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::{Arc, Mutex, PoisonError};
use weir_capi::Observer;
use weir_capi::executable::Kind;
use weir_experiment::{Scenario, Workload};
use weir_message::{SharedObserver, Watched};
use weir_network::Watch;
use weir_operations::{Collective, Lengths, Operation, Root, Wildcards};
use weir_pdes::OneProcess;
use weir_units::{Rank, Time, mix};

/// The steps of a program.
#[derive(Debug, Serialize, Deserialize)]
pub struct LoggedSteps {
    /// Results of the run.
    pub run: RunDigest,
    /// Steps in words, each once.
    pub texts: Vec<String>,
    /// Steps of each rank, by the numbers of their words.
    pub steps: Vec<Vec<u32>>,
    /// When each rank came to its end; `None`: it did not.
    pub ends: Vec<Option<Time>>,
}

/// The first place where a rank of the skeleton does something else than that of the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The rank in `MPI_COMM_WORLD`.
    pub rank: Rank,
    /// Its number among the steps of the rank, from 0.
    pub step: usize,
    /// Step of the program there, in words; `None`: its rank is at its end.
    pub program: Option<String>,
    /// Step of the skeleton there.
    pub skeleton: Option<String>,
}

impl LoggedSteps {
    pub(crate) fn of(run: RunDigest) -> Self {
        Self { run, texts: Vec::new(), steps: Vec::new(), ends: Vec::new() }
    }
}

/// The operation that a rank has started by calling a function, in words; `None` for those that are not compared.
fn in_words(call: &str, process: &dyn Watched, operation: &Operation) -> Option<String> {
    let (communicator, what) = match operation {
        Operation::Send { to, tag, bytes, communicator, .. } => {
            (communicator, format!("a send to {}, tag {tag}, {bytes} bytes", peer(*to)))
        }
        Operation::Receive { from, communicator, .. } => {
            let source = match from.asked {
                Wildcards::AnySource | Wildcards::Anything => "any rank".to_owned(),
                _ => peer(from.source),
            };
            let tag = from.tag.map_or_else(|| "any tag".to_owned(), |tag| format!("tag {tag}"));
            (communicator, format!("a receive from {source}, {tag}"))
        }
        Operation::Collective { collective, communicator, .. } => (communicator, arguments(collective)),
        _ => return None,
    };
    let on = process.communicator(*communicator)?;
    let members = on.group.size() + on.remote.as_ref().map_or(0, |remote| remote.group.size());
    let comma = if what.is_empty() { "" } else { ", " };
    Some(format!("{call}{comma}{what}, on {} ({members} ranks)", on.name))
}

fn peer(rank: Option<u32>) -> String {
    rank.map_or_else(|| "nobody".to_owned(), |rank| format!("rank {rank}"))
}

#[derive(Debug, Default)]
struct Log {
    /// By rank: the function called last, steps, and the end.
    calls: Vec<&'static str>,
    steps: Vec<Vec<u32>>,
    ends: Vec<Option<Time>>,
    numbers: BTreeMap<String, u32>,
}

impl Log {
    fn new(ranks: usize) -> Self {
        let (steps, numbers) = (vec![Vec::new(); ranks], BTreeMap::new());
        Self { calls: vec!["main"; ranks], steps, ends: vec![None; ranks], numbers }
    }

    fn number(&mut self, text: &str) -> u32 {
        if let Some(&known) = self.numbers.get(text) {
            return known;
        }
        let new = self.numbers.len() as u32;
        self.numbers.insert(text.to_owned(), new);
        new
    }

    fn texts(numbers: BTreeMap<String, u32>) -> Vec<String> {
        let mut texts: Vec<(u32, String)> =
            numbers.into_iter().map(|(text, number)| (number, text)).collect();
        texts.sort_unstable();
        texts.into_iter().map(|(_, text)| text).collect()
    }
}

/// The arguments of a collective, without the order of operands, which follows from the operation.
fn arguments(of: &Collective) -> String {
    let mut text = String::new();
    if let Root::Rank(root) = of.root
        && root != 0
    {
        _ = write!(text, "root {root}, ");
    }
    match &of.lengths {
        Lengths::None => {}
        Lengths::Bytes(bytes) => _ = write!(text, "{bytes} bytes"),
        Lengths::Elements { bytes, element, .. } => {
            let elements = bytes.checked_div((*element).into()).unwrap_or(0);
            _ = write!(text, "{elements} elements of {element} bytes");
        }
        more => _ = write!(text, "{more:?}"),
    }
    shortened(text)
}

/// A text of a length that people read; what is left out is there as a number made of it, so that texts stay as different as
/// they are.
fn shortened(mut text: String) -> String {
    const MOST: usize = 100;
    if text.len() > MOST && text.is_char_boundary(MOST) {
        let number = text.bytes().fold(0, |number: u64, byte| mix(number ^ u64::from(byte)));
        text.truncate(MOST);
        _ = write!(text, "... ({number:016x})");
    }
    text
}

impl weir_message::Observer for Log {
    fn begins(&mut self, rank: Rank, call: &'static str, _: Time) -> Result<(), String> {
        self.calls[rank.index()] = call;
        Ok(())
    }

    fn does(&mut self, process: &dyn Watched, operation: &Operation) {
        let rank = process.rank().index();
        if let Some(words) = in_words(self.calls[rank], process, operation) {
            let number = self.number(&words);
            self.steps[rank].push(number);
        }
    }

    fn ends(&mut self, _: Rank, _: Time) -> Result<(), String> {
        Ok(())
    }

    fn over(&mut self, rank: Rank, at: Time) {
        self.ends[rank.index()] = Some(at);
    }
}

/// Runs an MPI program and keeps what its ranks start, and when they end.
///
/// # Errors
/// When the program cannot be loaded, or its ranks are processes of their own.
pub fn run_logged(scenario: &Scenario, watch: Watch<'_>) -> Result<LoggedSteps> {
    let why = match &scenario.workload.kind {
        Workload::Program(program) if program.kind == Kind::Separate => {
            "only programs of weir cc can be compared: ranks that are processes of their own cannot be watched"
        }
        Workload::Program(_) => "",
        _ => "the workload is not an MPI program",
    };
    if !why.is_empty() {
        return Err(RunError::Options(why.into()));
    }
    let log = Arc::new(Mutex::new(Log::new(scenario.workload.ranks)));
    let observer = Observer(Arc::clone(&log) as SharedObserver);
    let (folder, observer, checkpoints) = (None, Some(observer), None);
    let around = Around { folder, observer, processes: &mut OneProcess, checkpoints, outside: None };
    let report = run_observed(scenario, &RunOptions::default(), around, watch)?;
    let Log { steps, ends, numbers, .. } =
        std::mem::take(&mut *log.lock().unwrap_or_else(PoisonError::into_inner));
    Ok(LoggedSteps { run: RunDigest::new(report, None), texts: Log::texts(numbers), steps, ends })
}

/// For each rank that does something else in the skeleton, where it begins to do so. Both have as many ranks.
pub fn differences(program: &LoggedSteps, skeleton: &LoggedSteps) -> Vec<Difference> {
    let words = |logged: &LoggedSteps, steps: &[u32], step: usize| {
        steps.get(step).map(|&number| logged.texts[number as usize].clone())
    };
    let numbers: BTreeMap<&String, u32> = program.texts.iter().zip(0..).collect();
    // By the numbers that the program has for them.
    let numbers: Vec<Option<u32>> = skeleton.texts.iter().map(|text| numbers.get(text).copied()).collect();
    let first = |(rank, (own, other)): (usize, (&Vec<u32>, &Vec<u32>))| {
        let differs = |step: &usize| {
            let of_program = other.get(*step).map(|&number| numbers[number as usize]);
            own.get(*step).map(|&number| Some(number)) != of_program
        };
        let step = (0..own.len().max(other.len())).find(differs)?;
        let (rank, program) = (Rank::new(rank), words(program, own, step));
        Some(Difference { rank, step, program, skeleton: words(skeleton, other, step) })
    };
    program.steps.iter().zip(&skeleton.steps).enumerate().filter_map(first).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_stay_different() {
        let long = |end: &str| shortened("x".repeat(200) + end);
        assert_eq!(long("a"), long("a"));
        assert_ne!(long("a"), long("b"));
        assert!(long("a").len() < 130);
        assert_eq!(shortened("short".into()), "short");
    }
}
