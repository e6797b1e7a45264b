//! `[[jobs]]`: several jobs that share a machine, each with a workload of its own.

mod alone;
mod check;
pub(crate) mod places;

use crate::keys::form::{AsWritten, Integer, NumberOr, OneOf, Ranges, TEXT, TIME};
use crate::keys::keys;
use crate::sections::workload::{self, Room, Setting, Workload};
use crate::source::reader::Section;
use crate::source::tree::{Entry, Value as Written};
pub use check::jobs_of;
pub use places::Placing;
use std::ops::RangeInclusive;
use weir_units::{Bytes, Duration, NodeId};
use weir_workload::Pattern;

/// All jobs of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct JobsSection(pub Vec<Job>);

impl JobsSection {
    /// Returns whether one of them goes on until the others end.
    pub fn any_endless(&self) -> bool {
        self.0.iter().any(|job| job.repeat == Repeat::UntilOthersEnd)
    }
}

/// A job: what its ranks do, when, and where.
#[derive(Clone, Debug)]
pub struct Job {
    /// Its name.
    pub name: String,
    /// The rank of the run that its rank 0 is: the jobs follow each other in the order of the file.
    pub first: usize,
    /// Number of its ranks.
    pub ranks: usize,
    /// The work of its ranks.
    pub workload: Workload,
    /// Their messages, where the workload is a pattern. It follows from the keys.
    pub pattern: Option<Pattern>,
    /// When it begins.
    pub start: Duration,
    /// Number of times that its workload is done.
    pub repeat: Repeat,
    /// The service class of its messages, if it has one of its own.
    pub class: Option<String>,
    /// The way in which it gets its nodes.
    pub placing: Placing,
    /// The node of each of its ranks.
    pub nodes: Vec<NodeId>,
    /// Says whether it does something; it is not absent.
    pub state: JobState,
    /// Its number in the file, from 0: some may be absent.
    pub number: usize,
    /// When it was submitted, if it is of a list of jobs.
    pub submit: Option<Duration>,
}

// Patterns cannot be compared, and follow from the keys.
impl PartialEq for Job {
    fn eq(&self, other: &Self) -> bool {
        let keys = |job: &Self| (job.name.clone(), job.first, job.ranks, job.start, job.repeat, job.state);
        keys(self) == keys(other)
            && (&self.class, &self.placing, &self.nodes) == (&other.class, &other.placing, &other.nodes)
            && self.workload == other.workload
    }
}

/// Says whether a job takes part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JobState {
    /// It does its workload.
    Runs,
    /// It has its nodes and does nothing.
    Idle,
    /// It is not there.
    Absent,
}

/// Number of times that a job does its workload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Repeat {
    /// A number of times, at least once.
    Times(u64),
    /// Again and again, until all jobs of which this is not said are over.
    UntilOthersEnd,
    /// Again and again, for so long from its start on: a job of a list.
    For(Duration),
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Packed,
    Random,
    ByGroup,
    Spread,
    Nodes,
}

keys! {
    "jobs":
    NAME: String = "name", &[], TEXT, Required("write name = \"victim\""),
        "Name of the job in results and errors; each has another one.";
    START: Duration = "start", &[], TIME, Is("0"), "When its ranks begin, in simulated time.";
    REPEAT: Repeat = "repeat", &[],
        NumberOr {
            number: &Integer(1, u64::MAX),
            make: Repeat::Times,
            number_of: |repeat| if let Repeat::Times(times) = repeat { times } else { 1 },
            names: OneOf(&[("until-others-end", Repeat::UntilOthersEnd)]),
            words: "a whole number from 1 on, or \"until-others-end\"",
        }, Is("1"),
        "Number of times that each rank does its part of the workload, one after the other without a pause; `\"until-others-end\"`: again and again, until all jobs of \
         which this is not said are over. MPI programs and graphs of work run once.";
    STATE: JobState = "state", &[],
        OneOf(&[("runs", JobState::Runs), ("idle", JobState::Idle), ("absent", JobState::Absent)]), Omitted("\"runs\""),
        "`runs`, `idle` (the job has its nodes and does nothing) or `absent` (it has no nodes, as if it were not in the file).";
    CLASS: String = "class", &[], TEXT, Words("as `[[classes]]` say"),
        "Name of the [class](#classes-service-classes) that all messages of the job are in; the class itself says nothing of ranks and messages then.";
    PLACEMENT: Kind = "placement", &[],
        OneOf(&[
            ("packed", Kind::Packed), ("random", Kind::Random), ("by-group", Kind::ByGroup), ("spread", Kind::Spread),
            ("nodes", Kind::Nodes),
        ]), Words("`packed`, or `nodes` where these are said"),
        "Way in which the job gets its nodes, of which no other job has any. Jobs that say their `nodes` come first, then the others in their order, among the nodes \
         that are left: `packed` (the first ones), `random`, `by-group` (those of groups in which no other job is, one group after the other: of a dragonfly or the \
         like its groups, else the nodes of a router), `spread` (at equal distances), `nodes` (those of `nodes`).";
    NODES: Vec<RangeInclusive<u32>> = "nodes", &[], Ranges, Words("the machine's, by `placement`"),
        "Nodes of the job in the order of its ranks: a node (`3`), nodes from one to another (`\"4-7\"`), or a list of both.";
    SEED: u64 = "seed", &[], Integer(0, u64::MAX), Words("`seed`, and the place of the job in the list"),
        "Seed of `placement = \"random\"`.";
    WORKLOAD: Entry = "workload", &[], AsWritten(schema), Required("begin it with [jobs.workload] below the job: kind = \"ring\", ranks = 16, ..."),
        "What its ranks do, with the keys of [`[workload]`](#workload-what-the-ranks-do); not `synthetic`. Ranks are counted from 0 in each job.";
}

fn schema() -> serde_json::Value {
    workload::KEYS.schema()
}

/// The facts that are known before the jobs are read.
#[derive(Clone, Copy)]
pub(crate) struct Before {
    pub(crate) seed: u64,
    pub(crate) mtu: Bytes,
    pub(crate) ranks_per_node: usize,
}

/// A job without its place in the run; `None` for what is wrong or missing.
pub(crate) struct ReadJob {
    pub(crate) number: usize,
    pub(crate) name: Option<String>,
    pub(crate) ranks: Option<usize>,
    pub(crate) workload: Option<Workload>,
    pub(crate) pattern: Option<Pattern>,
    pub(crate) start: Duration,
    pub(crate) repeat: Repeat,
    pub(crate) state: JobState,
    pub(crate) class: Option<String>,
    pub(crate) placing: Placing,
}

pub(crate) fn read(number: usize, section: &mut Section<'_>, before: Before) -> ReadJob {
    let name = section.get_required(&NAME);
    section.report_if(name.as_ref().is_some_and(String::is_empty), NAME.name, "must not be empty", "");
    let (start, repeat) = (section.get_or_default(&START), section.get_or_default(&REPEAT));
    let class = section.get(&CLASS);
    let state = section.get_or_default(&STATE);
    let placing = read_placing(section, before.seed.wrapping_add(number as u64));
    let room = match &placing {
        Placing::Nodes(nodes) => {
            let nodes = nodes.iter().map(|range| u64::from(range.end() - range.start()) + 1).sum::<u64>();
            Room::Places(nodes.saturating_mul(before.ranks_per_node as u64))
        }
        _ => Room::OfJob,
    };
    let setting = Setting { seed: before.seed, room, shape: None, mtu: before.mtu, ranks: None };
    let read = read_workload(number, section, setting);
    ReadJob {
        number,
        name,
        ranks: read.ranks,
        workload: read.kind,
        pattern: read.pattern,
        start,
        repeat,
        state,
        class,
        placing,
    }
}

fn read_placing(section: &mut Section<'_>, seed: u64) -> Placing {
    let kind = section.get(&PLACEMENT);
    let nodes = section.get(&NODES);
    let own_seed = section.get(&SEED);
    let is_said = section.has(NODES.name);
    let kind = kind.unwrap_or(if is_said { Kind::Nodes } else { Kind::Packed });
    section.settle(&PLACEMENT, kind);
    if is_said && kind != Kind::Nodes {
        section.report(NODES.name, "belongs to placement = \"nodes\"", "leave placement out");
    }
    if kind != Kind::Random {
        section.refuse(&[SEED.name], "belongs to placement = \"random\"");
    }
    match kind {
        Kind::Packed => Placing::Packed,
        Kind::Random => {
            let seed = own_seed.unwrap_or(seed);
            section.settle(&SEED, seed);
            Placing::Random { seed }
        }
        Kind::ByGroup => Placing::ByGroup,
        Kind::Spread => Placing::Spread,
        Kind::Nodes => {
            if !is_said {
                section.report(NODES.name, "is missing", "say which: nodes = \"0-15\"");
            }
            Placing::Nodes(nodes.unwrap_or_default())
        }
    }
}

fn read_workload(number: usize, section: &mut Section<'_>, setting: Setting) -> workload::ReadWorkload {
    let entry = section.entry(WORKLOAD.name);
    let name = format!("jobs.{number}.workload");
    let mut inner = match entry.map(|entry| entry.value) {
        Some(Written::Table(_)) => section.inner(WORKLOAD.name, name),
        None => {
            section.required::<()>(None, WORKLOAD.name, "begin it with [jobs.workload] below the job");
            return workload::ReadWorkload::default();
        }
        Some(_) => {
            section.report(WORKLOAD.name, "must be a table", "begin it with [jobs.workload] below the job");
            return workload::ReadWorkload::default();
        }
    };
    let read = Workload::read(&mut inner, setting);
    refuse_of_one(&read, &mut inner);
    inner.finish();
    read
}

/// Refuses what one of several jobs cannot be.
pub(crate) fn refuse_of_one(read: &workload::ReadWorkload, inner: &mut Section<'_>) {
    if let Some(Workload::Collective(collective)) = &read.kind
        && collective.algorithm.is_some()
    {
        let what = "is not for one of several jobs: [collectives] says the algorithms of all";
        inner.report("algorithm", what, "write it below [collectives]");
    }
    if let Some(Workload::Synthetic(_)) = &read.kind {
        let what = "is not for one of several jobs: nodes of synthetic traffic have no ranks";
        inner.report("kind", what, "take a pattern such as kind = \"permutation\", with repeat");
    }
    if let Some(Workload::Outside) = &read.kind {
        let what = "is not for one of several jobs: a program that steps a run steps all of it";
        inner.report(
            "kind",
            what,
            "write it as [workload], or take a pattern such as kind = \"permutation\"",
        );
    }
}

/// The names of classes that jobs have.
pub(crate) fn classes_of_jobs(jobs: &[Entry]) -> Vec<&str> {
    jobs.iter()
        .filter_map(
            |entry| if let Written::Table(tree) = &entry.value { tree.text(CLASS.name) } else { None },
        )
        .collect()
}
