//! Steps on the way from one process to another: every text once.

use super::{LoggedSteps, Step, StepKind};
use crate::Condensed;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::rc::Rc;
use weir_units::Time;

/// The part of [`LoggedSteps`] beside the run.
#[derive(Serialize, Deserialize)]
pub(crate) struct StepsMessage {
    texts: Vec<String>,
    steps: Vec<Vec<CarriedStep>>,
    ends: Vec<Option<Time>>,
}

/// A step; texts by their numbers: its call, its communicator and how many ranks that has.
#[derive(Serialize, Deserialize)]
struct CarriedStep(u32, u32, usize, CarriedKind);

#[derive(Serialize, Deserialize)]
enum CarriedKind {
    #[serde(rename = "s")]
    Send(i32, i32, u64),
    #[serde(rename = "r")]
    Receive(i32, i32),
    #[serde(rename = "c")]
    Collective(u32),
}

#[derive(Default)]
struct Texts {
    all: Vec<String>,
    numbers: BTreeMap<String, u32>,
}

impl Texts {
    fn number(&mut self, text: &str) -> u32 {
        if let Some(&known) = self.numbers.get(text) {
            return known;
        }
        let new = self.all.len() as u32;
        self.all.push(text.to_owned());
        self.numbers.insert(text.to_owned(), new);
        new
    }
}

impl StepsMessage {
    pub(crate) fn of(logged: &LoggedSteps) -> Self {
        let mut texts = Texts::default();
        let mut step = |step: &Step| {
            let kind = match &step.kind {
                StepKind::Send { to, tag, bytes } => CarriedKind::Send(*to, *tag, *bytes),
                StepKind::Receive { source, tag } => CarriedKind::Receive(*source, *tag),
                StepKind::Collective(arguments) => CarriedKind::Collective(texts.number(arguments)),
            };
            let (name, members) = &step.communicator;
            CarriedStep(texts.number(step.call), texts.number(name), *members, kind)
        };
        let steps = logged.steps.iter().map(|rank| rank.iter().map(&mut step).collect()).collect();
        Self { texts: texts.all, steps, ends: logged.ends.clone() }
    }

    /// The logged steps; `None` if a step names a text that is not there.
    pub(crate) fn logged(self, run: Condensed) -> Option<LoggedSteps> {
        let shared: Vec<Rc<str>> = self.texts.iter().map(|text| text.as_str().into()).collect();
        // Names of functions are few, and a check reads them twice.
        let calls: Vec<&'static str> = self.texts.into_iter().map(|text| &*text.leak()).collect();
        let text = |number: u32| shared.get(number as usize).cloned();
        let step = |CarriedStep(call, name, members, kind): CarriedStep| {
            let kind = match kind {
                CarriedKind::Send(to, tag, bytes) => StepKind::Send { to, tag, bytes },
                CarriedKind::Receive(source, tag) => StepKind::Receive { source, tag },
                CarriedKind::Collective(arguments) => StepKind::Collective(text(arguments)?),
            };
            Some(Step { call: calls.get(call as usize)?, kind, communicator: (text(name)?, members) })
        };
        let steps: Option<Vec<Vec<Step>>> =
            self.steps.into_iter().map(|rank| rank.into_iter().map(step).collect()).collect();
        Some(LoggedSteps { run, steps: steps?, ends: self.ends })
    }
}
