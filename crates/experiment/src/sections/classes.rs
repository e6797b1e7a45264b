//! `[[classes]]`: messages with buffers of their own, and their turns on links.

use crate::check::{Check, Parts, items};
use crate::keys::form::{DATA, FLAG, Integer, Ranges, TEXT};
use crate::keys::keys;
use crate::sections::class_rows::{ClassRow, services};
use crate::sections::job_list;
use crate::sections::jobs::classes_of_jobs;
use crate::source::reader::Section;
use crate::{EngineSection, Experiment};
use std::ops::RangeInclusive;
use weir_network::{Fitting, MOST_SERVICES, Selected, ServiceClass, ServiceClasses};
use weir_units::Bytes;

/// Higher ones would say nothing more.
const MOST_PRIORITY: u64 = 255;
const MOST_WEIGHT: u64 = 1000;

keys! {
    "classes":
    NAME: String = "name", &[], TEXT, Required("write name = \"bulk\""),
        "Name of the class in results and errors.";
    CHANNELS: u32 = "channels", &[], Integer(1, 256), Words("that of `packet.virtual_channels`"),
        "Number of virtual channels of each link that are its own, on the packet engine; at least as many as the routes need. All classes together have up to 256.";
    PRIORITY: u32 = "priority", &[], Integer(0, MOST_PRIORITY), Is("0"),
        "A class with a higher priority goes first, 0 to 255: at interfaces and at each output of a router.";
    WEIGHT: u32 = "weight", &[], Integer(1, MOST_WEIGHT), Is("1"),
        "Part of a link that it has beside other classes of the same priority, 1 to 1000: with 3 and 1 three bytes of four while both have \
         packets. On the flow engine it is the weight of each of its messages.";
    RANKS: Vec<RangeInclusive<u32>> = "ranks", &[], Ranges, Words("all"),
        "Ranks whose messages are in it, by the rank that sends: a rank (`3`), ranks from one to another (`\"4-7\"`), or a list of both.";
    MESSAGES_FROM: Bytes = "messages_from", &[], DATA, Words("any"),
        "Smallest message that is in it.";
    MESSAGES_BELOW: Bytes = "messages_below", &[], DATA, Words("any"),
        "Messages smaller than that are in it.";
    CONTROL: bool = "control", &[], FLAG, Is("false"),
        "`true`: what protocols need beside data is in it, of all ranks: requests to send, clearances, acknowledgements.";
}

/// Reads a class, which may be that of jobs: these say then what is in it.
fn read(section: &mut Section<'_>, of_jobs: &[&str]) -> Option<ClassRow> {
    let name = section.get_required(&NAME);
    section.report_if(name.as_ref().is_some_and(String::is_empty), NAME.name, "must not be empty", "");
    let (ranks, from) = (section.get(&RANKS), section.get(&MESSAGES_FROM));
    let below = section.get(&MESSAGES_BELOW);
    let control = section.get_or_default(&CONTROL);
    let least = from.unwrap_or(Bytes::ZERO);
    if below.is_some_and(|below| below <= least) {
        let what = "leaves no message: none is smaller than that and not smaller than messages_from";
        section.report(MESSAGES_BELOW.name, what, "");
    }
    let is_said = [RANKS.name, MESSAGES_FROM.name, MESSAGES_BELOW.name].iter().any(|key| section.has(key));
    let is_of_jobs = name.as_deref().is_some_and(|name| of_jobs.contains(&name));
    if is_said && is_of_jobs {
        let what =
            "is the class of a job, whose messages are all in it: it says no ranks and no sizes itself";
        section.report(NAME.name, what, "");
    }
    let messages = match (is_said, control) {
        // The ranks of the jobs are not known yet, and jobs that are absent have none.
        _ if is_of_jobs => Selected::None,
        (true, _) => Selected::Fitting(Fitting { ranks: ranks.unwrap_or_default(), from: least, below }),
        (false, true) => Selected::None,
        (false, false) => Selected::Others,
    };
    Some(ClassRow {
        name: name?,
        channels: section.get(&CHANNELS),
        priority: section.get_or_default(&PRIORITY),
        weight: section.get_or_default(&WEIGHT),
        messages,
        control,
    })
}

impl Experiment {
    /// The service classes, if there are several. Their channels are for the packet engine, which has its own.
    pub fn services(&self) -> Option<ServiceClasses> {
        services(&self.classes, 1)
    }

    /// Returns a sentence that says what the engine does not do with classes, if there is something.
    pub(crate) fn warning_of_classes(&self) -> Option<String> {
        let services = self.services()?;
        let alike = |pair: &[ServiceClass]| pair[0].priority == pair[1].priority;
        match &self.engine {
            EngineSection::Ideal(_) => {
                Some("classes have no effect with engine.kind = \"ideal\": no message meets another one on a link".into())
            }
            EngineSection::Flow(_) if services.all().windows(2).any(alike) => Some(
                "with engine.kind = \"flow\" the weight of a class is that of each of its messages, so a class with more messages on a link has more of it; with \"packet\" it is that of the class"
                    .into(),
            ),
            EngineSection::Flow(_) | EngineSection::Packet { .. } => None,
        }
    }
}

impl Parts {
    /// Returns whether messages of the flow engine have different weights or priorities.
    pub(crate) fn take_turns_as_flows(&self) -> bool {
        let turns = |row: &ClassRow| (row.priority, row.weight);
        let is_flow = matches!(self.engine, Some(EngineSection::Flow(_)));
        is_flow && self.classes.windows(2).any(|pair| turns(&pair[0]) != turns(&pair[1]))
    }
}

impl Check<'_> {
    /// The classes of the input, each with its number there.
    pub(crate) fn classes(&mut self) -> Vec<ClassRow> {
        let jobs = items(&self.input.tree, "jobs").to_vec();
        let list = self.input.tree.table("job_list").cloned();
        let mut of_jobs = classes_of_jobs(&jobs);
        of_jobs.extend(list.as_ref().and_then(|list| list.text(job_list::CLASS.name)));
        let numbered = self
            .listed("classes", "name=\"bulk\"", |number, section| Some((number, read(section, &of_jobs)?)));
        if self.findings.touches(&["classes"]) {
            return Vec::new();
        }
        for (index, (number, row)) in numbered.iter().enumerate() {
            let earlier = || numbered[..index].iter().map(|(_, earlier)| earlier);
            let at = ("classes", *number);
            if earlier().any(|earlier| earlier.name == row.name) {
                self.item_problem(at, NAME.name, "is the name of an earlier class, too".into(), "");
            }
            if let Some(other) = earlier().find(|earlier| earlier.control && row.control) {
                let what = format!("does not fit: {:?} has what protocols need already", other.name);
                self.item_problem(at, CONTROL.name, what, "one class has it");
            }
            let also_others =
                |earlier: &&ClassRow| [earlier, row].iter().all(|row| row.messages == Selected::Others);
            if let Some(other) = earlier().find(also_others) {
                let what = format!(
                    "takes all messages that are in no other class, and {:?} does already",
                    other.name
                );
                let hint = "write which messages are in it: ranks, messages_from, messages_below or control";
                self.item_problem(at, NAME.name, what, hint);
            }
        }
        if numbered.len() > MOST_SERVICES {
            let what = format!("is one of {} classes: there are up to {MOST_SERVICES}", numbered.len());
            self.item_problem(("classes", numbered[MOST_SERVICES].0), NAME.name, what, "");
        }
        let takes_others = numbered.iter().any(|(_, row)| row.messages == Selected::Others);
        if let (Some((number, _)), false) = (numbered.last(), takes_others) {
            let what = "is the last class, and none takes the messages that are in no other".to_owned();
            let hint = "write a class without ranks, messages_from, messages_below and control";
            self.item_problem(("classes", *number), NAME.name, what, hint);
        }
        if self.findings.touches(&["classes"]) {
            return Vec::new();
        }
        numbered.into_iter().map(|(_, row)| row).collect()
    }

    /// Refuses messages that are in two classes, ranks that there are not, and what the engine cannot do.
    pub(crate) fn classes_fit(&mut self, parts: &Parts) {
        let several = parts.classes.len() > 1;
        for (number, row) in parts.classes.iter().enumerate() {
            let Selected::Fitting(fitting) = &row.messages else { continue };
            let meets = |earlier: &&ClassRow| matches!(&earlier.messages, Selected::Fitting(other) if fitting.meets(other));
            if let Some(other) = parts.classes[..number].iter().find(meets) {
                let what = format!("has messages that are in {:?}, too", other.name);
                let hint = "a message is in one class: let their ranks or their sizes differ";
                self.item_problem(("classes", number), NAME.name, what, hint);
            }
            let Some(ranks) = parts.ranks else { continue };
            let last = fitting.ranks.iter().map(RangeInclusive::end).max();
            if let Some(last) = last.filter(|&&last| last as usize >= ranks) {
                let what = format!("there is no rank {last}: there are {ranks}, counted from 0");
                self.item_problem(("classes", number), RANKS.name, what, "");
            }
        }
        if let (true, Some(EngineSection::Flow(flow))) = (several, &parts.engine)
            && let Some((key, what, hint)) = flow.refuses_classes()
        {
            self.section("engine").report(key, what, hint);
        }
        let is_flow = matches!(&parts.engine, Some(EngineSection::Flow(_)));
        if several && is_flow && parts.node.memory_limit.is_some() {
            let what = "does not fit [[classes]] with engine.kind = \"flow\": what stays within a node has no class there";
            let hint = "leave it out, or write engine.kind = \"packet\"";
            self.section("node").report("memory_limit", what, hint);
        }
    }
}
