//! Checks whether a skeleton does what its program does: the same messages, after about the same times (paper 001, section 3.1).
//!
//! # Model
//! Two programs do the same if every rank starts the same sends, receives and collectives in the same order: by function,
//! partner, tag, bytes, communicator and arguments. Looking for messages (tests and probes) is not compared, since how often
//! a rank looks hangs on times. Nor are waits: what they wait for is compared where it was started.

use crate::simulation::{Around, run_observed};
use crate::{Result, RunDigest, RunError, RunOptions};
use serde::{Deserialize, Serialize};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::rc::Rc;
use weir_capi::Observer;
use weir_capi::executable::Kind;
use weir_collectives::Lengths;
use weir_experiment::{Scenario, Workload};
use weir_message::{ANY_SOURCE, ANY_TAG, Communicator, Deed, PROC_NULL, SharedObserver};
use weir_network::Watch;
use weir_pdes::OneProcess;
use weir_units::{Rank, Time, mix};

/// Something a rank has started; texts by their numbers in [`LoggedSteps::texts`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step {
    /// The function that it has called.
    #[serde(rename = "f")]
    pub call: u32,
    /// Kind of the step.
    #[serde(rename = "k")]
    pub kind: StepKind,
    /// The communicator: its name, and how many ranks it has.
    #[serde(rename = "c")]
    pub communicator: (u32, usize),
}

/// The steps that a rank can start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum StepKind {
    /// A send: to which rank of the communicator, with which tag, and the length of the message in bytes.
    #[serde(rename = "s")]
    Send(i32, i32, u64),
    /// A receive: from which rank of the communicator, and with which tag.
    #[serde(rename = "r")]
    Receive(i32, i32),
    /// A collective: what it was asked for, in words.
    #[serde(rename = "c")]
    Collective(u32),
}

/// The steps of a program.
#[derive(Debug, Serialize, Deserialize)]
pub struct LoggedSteps {
    /// Results of the run.
    pub run: RunDigest,
    /// Texts that steps name by their numbers, each once.
    pub texts: Vec<String>,
    /// Steps of each rank.
    pub steps: Vec<Vec<Step>>,
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

fn in_words(step: &Step, texts: &[String]) -> String {
    let text = |number: u32| texts.get(number as usize).map_or("", String::as_str);
    let rank = |rank: i32| match rank {
        ANY_SOURCE => "any rank".to_owned(),
        PROC_NULL => "nobody".to_owned(),
        rank => format!("rank {rank}"),
    };
    let tag = |tag: i32| if tag == ANY_TAG { "any tag".to_owned() } else { format!("tag {tag}") };
    let what = match step.kind {
        StepKind::Send(to, number, bytes) => {
            format!(", a send to {}, {}, {bytes} bytes", rank(to), tag(number))
        }
        StepKind::Receive(source, number) => format!(", a receive from {}, {}", rank(source), tag(number)),
        StepKind::Collective(arguments) if text(arguments).is_empty() => String::new(),
        StepKind::Collective(arguments) => format!(", {}", text(arguments)),
    };
    let (name, members) = step.communicator;
    format!("{}{what}, on {} ({members} ranks)", text(step.call), text(name))
}

#[derive(Debug, Default)]
struct Log {
    /// By rank: the function called last, steps, and the end.
    calls: Vec<&'static str>,
    steps: Vec<Vec<Step>>,
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

    fn push(&mut self, rank: Rank, communicator: &Communicator, kind: StepKind) {
        let members =
            communicator.group.size() + communicator.remote.as_ref().map_or(0, |remote| remote.group.size());
        let call = self.number(self.calls[rank.index()]);
        let communicator = (self.number(&communicator.name), members);
        self.steps[rank.index()].push(Step { call, kind, communicator });
    }
}

fn arguments(root: usize, lengths: &Lengths) -> String {
    let mut text = String::new();
    if root != 0 {
        _ = write!(text, "root {root}, ");
    }
    match lengths {
        Lengths::None => {}
        Lengths::Bytes(bytes) => _ = write!(text, "{bytes} bytes"),
        Lengths::Elements { elements, extent, .. } => {
            _ = write!(text, "{elements} elements of {extent} bytes")
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

    fn does(&mut self, rank: Rank, _: Time, deed: Deed<'_>) {
        match deed {
            Deed::Send { communicator, to, tag, bytes, .. } => {
                self.push(rank, communicator, StepKind::Send(to, tag, bytes));
            }
            Deed::Receive { communicator, source, tag, .. } => {
                self.push(rank, communicator, StepKind::Receive(source, tag));
            }
            Deed::Exchange { communicator, to, send_tag, bytes, source, receive_tag, .. } => {
                self.push(rank, communicator, StepKind::Receive(source, receive_tag));
                self.push(rank, communicator, StepKind::Send(to, send_tag, bytes));
            }
            Deed::Collective { communicator, plan, .. } => {
                let text = arguments(plan.arguments.root, &plan.arguments.lengths);
                let text = self.number(&text);
                self.push(rank, communicator, StepKind::Collective(text));
            }
            _ => {}
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
    let log = Rc::new(RefCell::new(Log::new(scenario.workload.ranks)));
    let observer = Observer(Rc::clone(&log) as SharedObserver);
    let (folder, observer, checkpoints) = (None, Some(observer), None);
    let around = Around { folder, observer, processes: &mut OneProcess, checkpoints };
    let report = run_observed(scenario, &RunOptions::default(), around, watch)?;
    let Log { steps, ends, numbers, .. } = log.take();
    Ok(LoggedSteps { run: RunDigest::new(report, None), texts: Log::texts(numbers), steps, ends })
}

/// For each rank that does something else in the skeleton, where it begins to do so. Both have as many ranks.
pub fn differences(program: &LoggedSteps, skeleton: &LoggedSteps) -> Vec<Difference> {
    let numbers: BTreeMap<&String, u32> = program.texts.iter().zip(0..).collect();
    let numbers: Vec<Option<u32>> = skeleton.texts.iter().map(|text| numbers.get(text).copied()).collect();
    // A step of the skeleton with the numbers that the program has for its texts.
    let of_program = |step: &Step| {
        let number = |number: u32| *numbers.get(number as usize)?;
        let kind = match step.kind {
            StepKind::Collective(arguments) => StepKind::Collective(number(arguments)?),
            kind => kind,
        };
        let (name, members) = step.communicator;
        Some(Step { call: number(step.call)?, kind, communicator: (number(name)?, members) })
    };
    let first = |(rank, (own, other)): (usize, (&Vec<Step>, &Vec<Step>))| {
        let differs =
            |step: &usize| own.get(*step).map(|step| Some(*step)) != other.get(*step).map(of_program);
        let step = (0..own.len().max(other.len())).find(differs)?;
        Some(Difference {
            rank: Rank::new(rank),
            step,
            program: own.get(step).map(|step| in_words(step, &program.texts)),
            skeleton: other.get(step).map(|step| in_words(step, &skeleton.texts)),
        })
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

    #[test]
    fn steps_are_shown_in_words() {
        let texts = ["MPI_X", "MPI_COMM_WORLD", "", "8 bytes"].map(str::to_owned);
        for (kind, words) in [
            (StepKind::Send(1, 2, 3), ", a send to rank 1, tag 2, 3 bytes"),
            (StepKind::Send(PROC_NULL, 2, 3), ", a send to nobody, tag 2, 3 bytes"),
            (StepKind::Receive(ANY_SOURCE, ANY_TAG), ", a receive from any rank, any tag"),
            (StepKind::Collective(2), ""),
            (StepKind::Collective(3), ", 8 bytes"),
        ] {
            let found = in_words(&Step { call: 0, kind, communicator: (1, 4) }, &texts);
            assert_eq!(found, format!("MPI_X{words}, on MPI_COMM_WORLD (4 ranks)"));
        }
    }
}
