//! Checks whether a skeleton does what its program does: the same messages, after about the same times (paper 001, section 3.1).
//!
//! # Model
//! Two programs do the same if every rank starts the same sends, receives and collectives in the same order: by function,
//! partner, tag, bytes, communicator and arguments. Looking for messages (tests and probes) is not compared, since how often
//! a rank looks hangs on times. Nor are waits: what they wait for is compared where it was started.

mod carried;

pub(crate) use carried::StepsMessage;

use crate::run::options::Variation;
use crate::{Condensed, RunError, Scenario, Workload};
use std::cell::RefCell;
use std::fmt::{self, Write};
use std::rc::Rc;
use weir_capi::Observer;
use weir_capi::executable::Kind;
use weir_message::collective::Lengths;
use weir_message::{ANY_SOURCE, ANY_TAG, Communicator, Deed, PROC_NULL, SharedObserver};
use weir_network::Watch;
use weir_pdes::OneProcess;
use weir_units::{Rank, Time, mix};

/// Something a rank has started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The function that it has called.
    pub call: &'static str,
    /// Kind of the step.
    pub kind: StepKind,
    /// The communicator: its name, and how many ranks it has.
    pub communicator: (Rc<str>, usize),
}

/// The steps that a rank can start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StepKind {
    /// A send.
    Send {
        /// To which rank of the communicator.
        to: i32,
        /// With which tag.
        tag: i32,
        /// Length of the message.
        bytes: u64,
    },
    /// A receive.
    Receive {
        /// From which rank of the communicator.
        source: i32,
        /// With which tag.
        tag: i32,
    },
    /// A collective: what it was asked for, in words.
    Collective(Rc<str>),
}

/// The steps of a program.
#[derive(Debug)]
pub struct LoggedSteps {
    /// Results of the run.
    pub run: Condensed,
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
    /// Step of the program there; `None`: its rank is at its end.
    pub program: Option<Step>,
    /// Step of the skeleton there.
    pub skeleton: Option<Step>,
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rank = |rank: i32| match rank {
            ANY_SOURCE => "any rank".to_owned(),
            PROC_NULL => "nobody".to_owned(),
            rank => format!("rank {rank}"),
        };
        let tag = |tag: i32| if tag == ANY_TAG { "any tag".to_owned() } else { format!("tag {tag}") };
        write!(f, "{}", self.call)?;
        match &self.kind {
            StepKind::Send { to, tag: number, bytes } => {
                write!(f, ", a send to {}, {}, {bytes} bytes", rank(*to), tag(*number))?;
            }
            StepKind::Receive { source, tag: number } => {
                write!(f, ", a receive from {}, {}", rank(*source), tag(*number))?;
            }
            StepKind::Collective(arguments) if arguments.is_empty() => {}
            StepKind::Collective(arguments) => write!(f, ", {arguments}")?,
        }
        write!(f, ", on {} ({} ranks)", self.communicator.0, self.communicator.1)
    }
}

#[derive(Debug, Default)]
struct Log {
    /// By rank: the function called last, steps, and the end.
    calls: Vec<&'static str>,
    steps: Vec<Vec<Step>>,
    ends: Vec<Option<Time>>,
    texts: Vec<Rc<str>>,
}

impl Log {
    fn new(ranks: usize) -> Self {
        Self {
            calls: vec!["main"; ranks],
            steps: vec![Vec::new(); ranks],
            ends: vec![None; ranks],
            texts: Vec::new(),
        }
    }

    fn text(&mut self, text: &str) -> Rc<str> {
        const MOST: usize = 32;
        if let Some(known) = self.texts.iter().find(|known| &***known == text) {
            return Rc::clone(known);
        }
        let new: Rc<str> = text.into();
        if self.texts.len() == MOST {
            self.texts.clear();
        }
        self.texts.push(Rc::clone(&new));
        new
    }

    fn push(&mut self, rank: Rank, communicator: &Communicator, kind: StepKind) {
        let members =
            communicator.group.size() + communicator.remote.as_ref().map_or(0, |remote| remote.group.size());
        let communicator = (self.text(&communicator.name), members);
        self.steps[rank.index()].push(Step { call: self.calls[rank.index()], kind, communicator });
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
                self.push(rank, communicator, StepKind::Send { to, tag, bytes });
            }
            Deed::Receive { communicator, source, tag, .. } => {
                self.push(rank, communicator, StepKind::Receive { source, tag });
            }
            Deed::Exchange { communicator, to, send_tag, bytes, source, receive_tag, .. } => {
                self.push(rank, communicator, StepKind::Receive { source, tag: receive_tag });
                self.push(rank, communicator, StepKind::Send { to, tag: send_tag, bytes });
            }
            Deed::Collective { communicator, plan, .. } => {
                let text = arguments(plan.arguments.root, &plan.arguments.lengths);
                let text = self.text(&text);
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

impl Scenario {
    /// Runs an MPI program and keeps what its ranks start, and when they end.
    ///
    /// # Errors
    /// When the program cannot be loaded, or its ranks are processes of their own.
    pub fn run_logged(&self, watch: Watch<'_>) -> Result<LoggedSteps, RunError> {
        let why = match &self.workload.kind {
            Workload::Program(program) if program.kind == Kind::Separate => {
                "only programs of weir cc can be compared: ranks that are processes of their own cannot be watched"
            }
            Workload::Program(_) => "",
            _ => "the workload is not an MPI program",
        };
        if !why.is_empty() {
            return Err(RunError::Options(why.into()));
        }
        let log = Rc::new(RefCell::new(Log::new(self.workload.ranks)));
        let observer = Observer(Rc::clone(&log) as SharedObserver);
        let report =
            self.run_observed(Variation::default(), (None, Some(observer)), (&mut OneProcess, None), watch)?;
        let Log { steps, ends, .. } = log.take();
        Ok(LoggedSteps { run: Condensed::new(report, None), steps, ends })
    }
}

/// For each rank that does something else in the skeleton, where it begins to do so. Both have as many ranks.
#[must_use]
pub fn differences(program: &LoggedSteps, skeleton: &LoggedSteps) -> Vec<Difference> {
    let ranks = program.steps.iter().zip(&skeleton.steps).enumerate();
    let first = |(rank, (program, skeleton)): (usize, (&Vec<Step>, &Vec<Step>))| {
        let both = program.len().max(skeleton.len());
        let step = (0..both).find(|&step| program.get(step) != skeleton.get(step))?;
        Some(Difference {
            rank: Rank::new(rank),
            step,
            program: program.get(step).cloned(),
            skeleton: skeleton.get(step).cloned(),
        })
    };
    ranks.filter_map(first).collect()
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
        let step = |kind| Step { call: "MPI_X", kind, communicator: ("MPI_COMM_WORLD".into(), 4) };
        let check = |kind, words: &str| {
            assert_eq!(step(kind).to_string(), format!("MPI_X{words}, on MPI_COMM_WORLD (4 ranks)"));
        };
        check(StepKind::Send { to: 1, tag: 2, bytes: 3 }, ", a send to rank 1, tag 2, 3 bytes");
        check(StepKind::Send { to: PROC_NULL, tag: 2, bytes: 3 }, ", a send to nobody, tag 2, 3 bytes");
        let any = StepKind::Receive { source: ANY_SOURCE, tag: ANY_TAG };
        check(any, ", a receive from any rank, any tag");
        check(StepKind::Collective("".into()), "");
        check(StepKind::Collective("8 bytes".into()), ", 8 bytes");
    }
}
