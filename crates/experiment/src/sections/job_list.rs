//! `[job_list]`: jobs as a scheduler has logged them, which take nodes, have them for a time, and give them back.

mod backfill;
mod schedule;

use crate::Problem;
use crate::check::{Check, Parts};
use crate::engine::packet::PacketSection;
use crate::foreign;
use crate::keys::form::{AsWritten, FLAG, Integer, OneOf, PathText, TEXT, TIME};
use crate::keys::keys;
use crate::sections::jobs::places::FreeNodes;
use crate::sections::jobs::{Job, JobState, Placing, Repeat, refuse_of_one};
use crate::sections::workload::{self, Room, Setting, Workload};
use crate::source::input::ORDER_OF_PATTERN;
use crate::source::reader::Section;
use crate::source::tree::{Entry, Value as Written};
use backfill::backfill;
use schedule::{Request, Scheduled, schedule};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use weir_foreign::{Given, Imported, LEFT_OUT, LoggedJob, Mistake, Reader, Skipped};
use weir_units::{Bytes, Duration, NodeId};
use weir_workload::{Pattern, Repeated, Script};

/// The list that the jobs of a run are of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobListSection {
    /// The file.
    pub file: PathBuf,
    /// Sentences about what was left out of it, and what was assumed.
    pub notes: Vec<String>,
}

/// Which jobs begin before which.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Order {
    FirstCome,
    Backfill,
}

/// When jobs begin.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Starts {
    Scheduled,
    Logged,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Packed,
    Random,
    ByGroup,
    Spread,
}

keys! {
    "job_list":
    FILE: PathBuf = "file", &[], PathText, Required("name a list of jobs: .swf, what sacct prints, or a table with submit,nodes,duration"),
        "List of jobs, by what is in it: the Standard Workload Format, what `sacct --parsable2 --format=JobID,Submit,Start,End,NNodes` prints (with `Timelimit` or without), or a table (CSV) with the \
         columns `submit`, `nodes`, `duration`, and `name`, `start` and `requested` (the time that a job has asked for) if it has them, with times in seconds.";
    SECOND: Duration = "second", &[], TIME, Required("write how much simulated time a second of the list stands for: second = \"1 us\""),
        "Simulated time that a second of the list stands for: logs are of hours, and networks are simulated for milliseconds.";
    PROCESSORS_PER_NODE: u32 = "processors_per_node", &[], Integer::COUNT, Words("as the head of the file says, else 1"),
        "Processors of a node, by which the Standard Workload Format counts: a job has as many nodes as its processors need.";
    FIRST: u64 = "first", &[], Integer(0, u64::MAX), Is("0"),
        "Number of the first job of the list that is taken, from 0; simulated time begins when it is submitted.";
    COUNT: u32 = "count", &[], Integer::COUNT, Words("all"), "Number of jobs that are taken.";
    START: Starts = "start", &[],
        OneOf(&[("scheduled", Starts::Scheduled), ("logged", Starts::Logged)]), Is("\"scheduled\""),
        "When a job begins: `scheduled` (when it is submitted, or as soon as enough nodes are free and it is its turn: `order`), `logged` (when the list says; its nodes must be free then).";
    ORDER: Order = "order", &[],
        OneOf(&[("first-come", Order::FirstCome), ("backfill", Order::Backfill)]), Is("\"first-come\""),
        "Which of the scheduled jobs begin first: `first-come` (first come, first served: none begins before all that were submitted before it have begun), `backfill` (EASY backfilling: a job \
         may overtake others where the first one that waits begins as early as without it, if all take the time that they have asked for: where the list does not say it, the time that they took).";
    PLACEMENT: Kind = "placement", &[],
        OneOf(&[
            ("packed", Kind::Packed), ("random", Kind::Random), ("by-group", Kind::ByGroup), ("spread", Kind::Spread),
        ]), Is("\"packed\""),
        "Way in which a job gets its nodes among those that are free when it begins, as of [`[[jobs]]`](#jobs-several-jobs-that-share-the-machine).";
    SEED: u64 = "seed", &[], Integer(0, u64::MAX), Words("`seed`"),
        "Seed of `placement = \"random\"`, to which the number of the job is added.";
    CLASS: String = "class", &[], TEXT, Words("as `[[classes]]` say"),
        "Name of the [class](#classes-service-classes) that all messages of the jobs are in.";
    SKIP: bool = "skip", &[], FLAG, Is("false"),
        "Whether jobs that did not run, or have more nodes than the machine, are left out and counted; else they are mistakes.";
    WORKLOAD: Entry = "workload", &[], AsWritten(schema), Required("begin it with [job_list.workload]: kind = \"all-to-all\", message_size = \"1 kB\", ..."),
        "What the ranks of each job do, again and again until its time is over, with the keys of [`[workload]`](#workload-what-the-ranks-do) but `ranks`: a job has \
         `mapping.ranks_per_node` of them on each of its nodes. Patterns and collectives; a job of one rank has no other to send to, and sends nothing.";
}

fn schema() -> serde_json::Value {
    workload::KEYS.schema()
}

/// The keys of the section but the workload.
struct Keys {
    file: PathBuf,
    second: Option<Duration>,
    given: Given,
    first: u64,
    count: Option<u32>,
    starts: Starts,
    order: Order,
    placement: Kind,
    seed: u64,
    class: Option<String>,
}

impl Keys {
    fn read(section: &mut Section<'_>, seed: u64) -> Option<Self> {
        let file = section.get_required(&FILE);
        let second = section.get_required(&SECOND);
        section.report_if(second == Some(Duration::ZERO), SECOND.name, "must not be 0", "");
        let processors_per_node = section.get(&PROCESSORS_PER_NODE);
        let (first, count) = (section.get_or_default(&FIRST), section.get(&COUNT));
        let starts = section.get_or_default(&START);
        let order = match starts {
            Starts::Scheduled => section.get_or_default(&ORDER),
            Starts::Logged => {
                section.refuse(&[ORDER.name], "belongs to start = \"scheduled\"");
                Order::FirstCome
            }
        };
        let placement = section.get_or_default(&PLACEMENT);
        let own_seed = section.get(&SEED);
        match placement {
            Kind::Random => section.settle(&SEED, own_seed.unwrap_or(seed)),
            _ => section.refuse(&[SEED.name], "belongs to placement = \"random\""),
        }
        let class = section.get(&CLASS);
        let given = Given { processors_per_node, skip: section.get_or_default(&SKIP), ..Given::default() };
        let second = second.filter(|second| *second > Duration::ZERO);
        Some(Self {
            file: file?,
            second,
            given,
            first,
            count,
            starts,
            order,
            placement,
            seed: own_seed.unwrap_or(seed),
            class,
        })
    }

    fn placing(&self, job: usize) -> Placing {
        match self.placement {
            Kind::Packed => Placing::Packed,
            Kind::Random => Placing::Random { seed: self.seed.wrapping_add(job as u64) },
            Kind::ByGroup => Placing::ByGroup,
            Kind::Spread => Placing::Spread,
        }
    }
}

/// Jobs of the file, those that are taken, with what is wrong with them.
struct List {
    jobs: Vec<LoggedJob>,
    problems: Vec<Problem>,
    skipped: Vec<Skipped>,
    notes: Vec<String>,
}

impl Check<'_> {
    /// Reads the list, schedules its jobs, and makes them the work of the run.
    pub(crate) fn job_list(&mut self, parts: &mut Parts, seed: u64) {
        let each = "each job has the workload of the list";
        self.refuse_beside_jobs("[job_list]", "workload", each, "write it as [job_list.workload]");
        self.refuse_beside_jobs("[job_list]", "jobs", "their nodes would not be known to the scheduler", "");
        self.refuse_beside_jobs("[job_list]", "work", "it counts the ranks of one job", "");
        let has_kind = self.section("mapping").has("kind");
        let what = "does not go with [job_list]: it says the placement";
        let hint = "write job_list.placement; of [mapping] only ranks_per_node is for all";
        self.section("mapping").report_if(has_kind, "kind", what, hint);
        self.class_of_list_fits(parts);
        let mtu = parts.packet.as_ref().map_or_else(PacketSection::default_mtu, |packet| packet.mtu);
        let per_node = parts.mapping.ranks_per_node;
        let machine = parts.machine().cloned();
        let has_topology = self.has("topology");
        let made = self.read("job_list", |section| {
            let keys = Keys::read(section, seed);
            let entry = section.entry(WORKLOAD.name);
            let is_table = matches!(&entry, Some(Entry { value: Written::Table(_), .. }));
            if !is_table {
                section.report(WORKLOAD.name, "must be a table", "begin it with [job_list.workload]");
            }
            let keys = keys?;
            if !has_topology {
                section.report(FILE.name, "needs a [topology] whose nodes its jobs can have", "");
            }
            let mut list = read_file(section, &keys)?;
            let (machine, second) = (machine?, keys.second?);
            list.take(&keys, machine.nodes());
            let requests = list.requests(&keys, second);
            let free = FreeNodes::of(Some(&machine));
            let placed = match keys.order {
                Order::FirstCome => schedule(&requests, free, |job| keys.placing(job)),
                Order::Backfill => backfill(&requests, free, |job| keys.placing(job)),
            };
            let placed = list.placed(&keys, placed);
            if list.jobs.is_empty() && list.problems.is_empty() {
                section.report(FIRST.name, "leaves no job of the list", "");
            }
            let sizes: BTreeSet<usize> = list.jobs.iter().map(|job| job.nodes as usize * per_node).collect();
            let templates = if is_table { templates(section, &sizes, (seed, mtu)) } else { None };
            let notes = list.notes(&keys);
            section.extend(ORDER_OF_PATTERN, list.problems);
            let made = made(&list.jobs, &requests, placed?, (&keys, &templates?, per_node));
            Some((made, JobListSection { file: keys.file, notes }))
        });
        if self.findings.touches(&["job_list", "workload", "mapping"]) {
            return;
        }
        let Some((jobs, list)) = made else { return };
        if jobs.iter().map(|job| job.ranks).fold(0_usize, usize::saturating_add) > u32::MAX as usize {
            let what = format!("does not fit: all jobs together have more than {} ranks", u32::MAX);
            self.section("job_list").report(
                FILE.name,
                what,
                "take a smaller number of them: job_list.count = 100",
            );
            return;
        }
        parts.job_list = Some(list);
        self.take_jobs(jobs, parts);
    }

    fn class_of_list_fits(&mut self, parts: &Parts) {
        let class = self.section("job_list").get(&CLASS);
        let Some(class) = class.filter(|_| !self.findings.touches(&["classes"])) else { return };
        let is_there = parts.classes.iter().any(|row| row.name == class);
        let what = "is no class: no [[classes]] has this name";
        self.section("job_list").report_if(!is_there, CLASS.name, what, "write the name of one of them");
    }
}

fn read_file(section: &mut Section<'_>, keys: &Keys) -> Option<List> {
    let format = weir_foreign::recognize(&keys.file);
    let Some(Reader::Jobs(reader)) = format.and_then(|format| format.reader) else {
        let what = if keys.file.is_file() {
            foreign::data(&keys.file).unwrap_or("is no list of jobs that weir reads").to_owned()
        } else {
            format!("there is no file {}", keys.file.display())
        };
        let hint = "known are the Standard Workload Format, what sacct --parsable2 prints, and a table with submit,nodes,duration as its first line";
        section.report(FILE.name, what, hint);
        return None;
    };
    let is_swf = format.is_some_and(|format| format.name == "swf");
    if keys.given.processors_per_node.is_some() && !is_swf {
        let what = "says nothing to this file, which counts nodes";
        section.report(PROCESSORS_PER_NODE.name, what, "leave it away");
    }
    let text = std::fs::read(&keys.file).map_err(|error| error.to_string());
    let text = text.and_then(|bytes| String::from_utf8(bytes).map_err(|_| "is not UTF-8".to_owned()));
    let text = text.map_err(|why| section.report(FILE.name, why, "")).ok()?;
    let own = |mistakes| section.extend(ORDER_OF_PATTERN, problems(&keys.file, mistakes));
    let Imported { made, skipped, notes } = reader.read(&text, keys.given).map_err(own).ok()?;
    Some(List { jobs: made, problems: Vec::new(), skipped, notes })
}

fn problems(path: &Path, mistakes: Vec<Mistake>) -> Vec<Problem> {
    let problem = |Mistake { line, value, what, hint }: Mistake| {
        let hint = hint.map(|hint| if hint == LEFT_OUT { SKIP_HINT.to_owned() } else { hint });
        Problem { file: path.display().to_string(), line, key: "job_list.file".to_owned(), value, what, hint }
    };
    mistakes.into_iter().map(problem).collect()
}

const SKIP_HINT: &str = "skip = true leaves such jobs out and counts them";

impl List {
    fn wrong(&mut self, keys: &Keys, job: &LoggedJob, what: String, hint: &str) {
        let hint = Some(hint.to_owned()).filter(|hint| !hint.is_empty());
        let mistake = Mistake { line: Some(job.line), value: job.name.clone(), what, hint };
        self.problems.extend(problems(&keys.file, vec![mistake]));
    }

    /// Takes the part of the list that is asked for, and of it the jobs that the machine has nodes for.
    fn take(&mut self, keys: &Keys, nodes: usize) {
        let first = usize::try_from(keys.first).unwrap_or(usize::MAX);
        let count = keys.count.map_or(usize::MAX, |count| count as usize);
        let jobs = std::mem::take(&mut self.jobs);
        for job in jobs.into_iter().skip(first).take(count) {
            if job.nodes <= nodes as u64 {
                self.jobs.push(job);
            } else if keys.given.skip {
                let what = format!("the job has more nodes than the machine, which has {nodes}");
                match self.skipped.iter_mut().find(|skipped| skipped.what == what) {
                    Some(skipped) => skipped.count += 1,
                    None => self.skipped.push(Skipped { what, count: 1, line: job.line }),
                }
            } else {
                let what = format!("the job has {} nodes, and the machine {nodes}", job.nodes);
                self.wrong(keys, &job, what, SKIP_HINT);
            }
        }
    }

    /// The nodes and times that the jobs ask for, in simulated time.
    fn requests(&mut self, keys: &Keys, second: Duration) -> Vec<Request> {
        let origin = self.jobs.first().map_or(0, |job| job.submit_ns);
        let mut requests = Vec::new();
        for job in self.jobs.clone() {
            let [submit, duration] = [job.submit_ns - origin, job.duration_ns].map(|ns| scaled(ns, second));
            let requested = job.requested_ns.and_then(|ns| scaled(ns, second));
            let logged = job.start_ns.map(|start| scaled(start.saturating_sub(origin), second));
            if keys.starts == Starts::Logged && logged.is_none() {
                let what = "the list does not say when the job started".to_owned();
                self.wrong(keys, &job, what, "leave start = \"logged\" out");
            }
            if duration == Some(Duration::ZERO) {
                let what = format!("the job takes less than a picosecond where second = {second}");
                self.wrong(keys, &job, what, "make job_list.second longer");
            }
            let is_short = submit.is_some() && duration.is_some() && logged != Some(None);
            if !is_short {
                let what = format!("the job is later than can be simulated where second = {second}");
                self.wrong(keys, &job, what, "make job_list.second shorter");
            }
            requests.push(Request {
                submit: submit.unwrap_or_default(),
                start: logged.flatten().filter(|_| keys.starts == Starts::Logged),
                duration: duration.unwrap_or_default(),
                requested: requested.or(duration).unwrap_or_default(),
                nodes: job.nodes as usize,
            });
        }
        requests
    }

    /// The jobs with their nodes; `None` where one has none, which is a problem.
    fn placed<E>(
        &mut self,
        keys: &Keys,
        placed: Vec<Result<Scheduled, (usize, E)>>,
    ) -> Option<Vec<Scheduled>> {
        let mut all = Vec::new();
        for (job, placed) in self.jobs.clone().iter().zip(placed) {
            match placed {
                Ok(placed) => all.push(placed),
                Err((free, _)) => {
                    let by_group =
                        if keys.placement == Kind::ByGroup { " in groups without other jobs" } else { "" };
                    let when = if keys.starts == Starts::Logged { " at its start" } else { "" };
                    let what =
                        format!("the job needs {} nodes{by_group}{when}, and {free} are free", job.nodes);
                    self.wrong(keys, job, what, "write another placement, or start = \"scheduled\"");
                }
            }
        }
        (self.problems.is_empty()).then_some(all)
    }

    fn notes(&self, keys: &Keys) -> Vec<String> {
        let file = &keys.file;
        let left_out = self.skipped.iter().map(|Skipped { what, count, line }| {
            let jobs = if *count == 1 { "1 job is".to_owned() } else { format!("{count} jobs are") };
            format!("{jobs} left out, the first on line {line}: {what}")
        });
        let asked_for_nothing = self.jobs.iter().filter(|job| job.requested_ns.is_none()).count();
        let unknown = (keys.order == Order::Backfill && asked_for_nothing > 0).then(|| {
            let jobs = self.jobs.len();
            match asked_for_nothing {
                1 => format!("1 of {jobs} jobs does not say for how long it asked: the time that it took is taken"),
                count => format!("{count} of {jobs} jobs do not say for how long they asked: the time that they took is taken"),
            }
        });
        let notes = self.notes.iter().cloned().chain(left_out).chain(unknown);
        notes.map(|note| format!("{}: {note}", file.display())).collect()
    }
}

/// A time of the list in simulated time, to the nearest picosecond; `None` if it is longer than an eighth of what can be counted.
fn scaled(ns: u64, second: Duration) -> Option<Duration> {
    let ps = (u128::from(ns) * u128::from(second.as_ps()) + 500_000_000) / 1_000_000_000;
    u64::try_from(ps).ok().filter(|ps| *ps < u64::MAX / 8).map(Duration::from_ps)
}

/// A workload for jobs with so many ranks.
type Templates = BTreeMap<usize, (Workload, Option<Pattern>)>;

/// Reads the workload for each number of ranks that a job has. The first number for which something is wrong is the last one.
fn templates(
    section: &mut Section<'_>,
    sizes: &BTreeSet<usize>,
    (seed, mtu): (u64, Bytes),
) -> Option<Templates> {
    let mut made = Templates::new();
    let before = section.mistakes();
    // A list of jobs of one rank has a workload as well, which is looked at.
    let several = sizes.iter().copied().filter(|&ranks| ranks > 1);
    let none = sizes.iter().all(|&ranks| ranks < 2).then_some(2);
    for ranks in several.chain(none) {
        let setting = Setting { seed, room: Room::Places(ranks as u64), shape: None, mtu, ranks: None };
        let mut inner = section.inner(WORKLOAD.name, "job_list.workload");
        inner.report_if(inner.has("ranks"), "ranks", "follows from the nodes of each job", "leave it out");
        let read = Workload::read(&mut inner, setting);
        refuse_of_one(&read, &mut inner);
        refuse_of_list(&read, &mut inner, ranks);
        inner.finish();
        if section.mistakes() > before {
            return None;
        }
        made.insert(ranks, (read.kind?, read.pattern));
    }
    // Defaults differ from one number of ranks to another.
    section.keep_written(WORKLOAD.name, "job_list.workload");
    Some(made)
}

/// Refuses what only a job of a given number of ranks can do, or what cannot be done again and again.
fn refuse_of_list(read: &workload::ReadWorkload, inner: &mut Section<'_>, ranks: usize) {
    let hint = "take a pattern such as kind = \"all-to-all\", or a collective";
    match &read.kind {
        Some(Workload::Program(_)) => {
            let what = "is not for a list of jobs: MPI programs run once, and each job goes on until its time is over";
            inner.report("kind", what, hint);
        }
        Some(Workload::File(_) | Workload::Profile(_) | Workload::Graph(_)) => {
            let what = "is not for a list of jobs: the file says how many ranks there are, and each job has as many as its nodes take";
            inner.report("kind", what, hint);
        }
        Some(_) if read.ranks.is_some_and(|own| own != ranks) => {
            let what = format!("is not for a list of jobs: it does not fit one of {ranks} ranks");
            inner.report("kind", what, hint);
        }
        _ => {}
    }
    let pattern = read.pattern.clone();
    if let Some(rank) = pattern.and_then(|pattern| Repeated::new(pattern, u64::MAX).rank_without_time()) {
        let what = format!(
            "does not fit: rank {rank} of a job of {ranks} does nothing that takes time, and would do it without end"
        );
        inner.report("kind", what, "write one that awaits a message, or pauses");
    }
}

/// The jobs, one behind the other.
fn made(
    jobs: &[LoggedJob],
    requests: &[Request],
    placed: Vec<Scheduled>,
    (keys, templates, per_node): (&Keys, &Templates, usize),
) -> Vec<Job> {
    let mut first = 0;
    let mut made = Vec::new();
    let mut names = BTreeSet::new();
    for (number, ((job, request), placed)) in jobs.iter().zip(requests).zip(placed).enumerate() {
        let ranks = placed.nodes.len() * per_node;
        // One rank has no other to send to.
        let nothing = || {
            let script = Script::new(vec![Vec::new(); ranks]).unwrap_or_default();
            (Workload::Pattern, Some(Pattern(Arc::new(script))))
        };
        let (workload, pattern) = templates.get(&ranks).cloned().unwrap_or_else(nothing);
        let node = |rank: usize| placed.nodes[rank / per_node];
        let nodes: Vec<NodeId> = (0..ranks).map(node).collect();
        made.push(Job {
            name: own_name(job, &mut names),
            first,
            ranks,
            workload,
            pattern,
            start: placed.start,
            repeat: Repeat::For(request.duration),
            class: keys.class.clone(),
            placing: keys.placing(number),
            nodes,
            state: JobState::Runs,
            number,
            submit: Some(request.submit),
        });
        first += ranks;
    }
    made
}

/// The name of a job, which no job before it has: a log may name programs, and these run again.
fn own_name(job: &LoggedJob, names: &mut BTreeSet<String>) -> String {
    let mut name = job.name.clone();
    while !names.insert(name.clone()) {
        name += &format!(" (line {})", job.line);
    }
    name
}
