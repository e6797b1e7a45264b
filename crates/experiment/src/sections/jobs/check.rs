//! Checks of jobs together, and their places.

use super::places::{FreeNodes, NoPlace};
use super::{
    Before, CLASS, Job, JobState, JobsSection, NAME, NODES, Placing, REPEAT, ReadJob, Repeat, STATE, read,
};
use crate::Problems;
use crate::check::{Check, Parts};
use crate::engine::packet::PacketSection;
use crate::sections::mapping::{self, Mapping};
use crate::sections::workload::Workload;
use crate::source::findings::Findings;
use crate::source::input::{self, Source};
use crate::source::tree::Value;
use weir_capi::executable::Kind;
use weir_network::{Fitting, Selected};
use weir_units::{Bytes, NodeId};
use weir_workload::Repeated;

/// The names of the jobs of an input, and whether each goes on until others are over. Whether they fit the machine together is not looked at.
///
/// # Errors
/// Everything that is wrong with the jobs, at once.
pub fn jobs_of(source: &Source) -> Result<Vec<(String, bool)>, Problems> {
    let mut findings = Findings::default();
    let Some(input) = input::gather(source, &mut findings) else { return findings.into_result(None) };
    let before = Before { seed: 0, mtu: PacketSection::default_mtu(), ranks_per_node: 1 };
    let named = |job: ReadJob| Some((job.name?, job.repeat == Repeat::UntilOthersEnd));
    let mut watch = |_| ();
    let mut check = Check::new(&input, &mut findings, &mut watch);
    let jobs =
        check.listed("jobs", "name=\"victim\"", |number, section| named(read(number, section, before)));
    findings.into_result(Some(jobs))
}

impl Check<'_> {
    /// Reads the jobs, if there are some, gives each its nodes, and puts their messages into their classes.
    pub(crate) fn jobs(&mut self, parts: &mut Parts, seed: u64) {
        let mtu = parts.packet.as_ref().map_or_else(PacketSection::default_mtu, |packet| packet.mtu);
        let before = Before { seed, mtu, ranks_per_node: parts.mapping.ranks_per_node };
        let all =
            self.listed("jobs", "name=\"victim\"", |number, section| Some(read(number, section, before)));
        let some = all.iter().any(|job| job.state != JobState::Absent);
        if let Some(last) = all.last().filter(|_| !some) {
            let what = "does not fit: all jobs are absent".to_owned();
            self.item_problem(("jobs", last.number), STATE.name, what, "let one of them run");
        }
        self.names_fit(&all);
        let jobs: Vec<ReadJob> = all.into_iter().filter(|job| job.state != JobState::Absent).collect();
        let hint = "write it below a job, as [jobs.workload], or leave [[jobs]] out";
        self.refuse_beside_jobs("[[jobs]]", "workload", "each job has a workload of its own", hint);
        if let Some(entry) = self.input.tree.entries.get("jobs")
            && matches!(&entry.value, Value::List(list) if list.is_empty())
        {
            let hint = "begin each job with [[jobs]]";
            self.findings.add(&entry.place, "jobs", "", "has no job".into(), Some(hint.into()));
        }
        self.refuse_beside_jobs("[[jobs]]", "work", "it counts the ranks of one job", "");
        let what = "does not go with [[jobs]]: each of them says its placement";
        let hint = "write placement below a job; of [mapping] only ranks_per_node is for all";
        let has_kind = self.section("mapping").has("kind");
        self.section("mapping").report_if(has_kind, "kind", what, hint);
        self.jobs_fit(&jobs);
        self.classes_of_jobs_fit(&jobs, parts);
        let placed = self.placed(&jobs, parts);
        if self.findings.touches(&["jobs", "workload", "mapping"]) {
            return;
        }
        let Some(placed) = placed else { return };
        let made = made(jobs, placed);
        self.take_jobs(made, parts);
    }

    /// Makes jobs that have their nodes the work of the run.
    pub(crate) fn take_jobs(&mut self, made: Vec<Job>, parts: &mut Parts) {
        parts.ranks = Some(made.iter().map(|job| job.ranks).sum());
        for row in &mut parts.classes {
            let of_class = made.iter().filter(|job| job.class.as_ref() == Some(&row.name));
            let ranks: Vec<_> =
                of_class.map(|job| job.first as u32..=(job.first + job.ranks - 1) as u32).collect();
            if !ranks.is_empty() {
                row.messages = Selected::Fitting(Fitting { ranks, from: Bytes::ZERO, below: None });
            }
        }
        let node_of = made.iter().flat_map(|job| job.nodes.iter().copied()).collect();
        parts.mapping.kind = Mapping::Jobs { node_of };
        self.section("mapping").settle(&mapping::KIND, None);
        parts.workload = Some(Workload::Jobs(JobsSection(made)));
    }

    /// Refuses a table beside several jobs, which `jobs` names.
    pub(crate) fn refuse_beside_jobs(&mut self, jobs: &str, table: &str, why: &str, hint: &str) {
        if let Some(entry) = self.input.tree.entries.get(table) {
            let hint = Some(hint.to_owned()).filter(|hint| !hint.is_empty());
            self.findings.add(&entry.place, table, "", format!("does not go with {jobs}: {why}"), hint);
        }
    }

    fn names_fit(&mut self, jobs: &[ReadJob]) {
        for (place, job) in jobs.iter().enumerate() {
            let is_named = |earlier: &ReadJob| job.name.is_some() && earlier.name == job.name;
            if jobs[..place].iter().any(is_named) {
                let (at, what) = (("jobs", job.number), "is the name of an earlier job, too".to_owned());
                self.item_problem(at, NAME.name, what, "give each job another name");
            }
        }
    }

    /// Checks whether jobs fit beside each other.
    fn jobs_fit(&mut self, jobs: &[ReadJob]) {
        let many = jobs.iter().filter_map(|job| job.ranks).fold(0_usize, usize::saturating_add);
        for job in jobs {
            let at = ("jobs", job.number);
            if let Some(Workload::Graph(_)) = &job.workload
                && job.repeat != Repeat::Times(1)
            {
                let what = "does not fit: a graph of work is carried out once".to_owned();
                self.item_problem(
                    at,
                    REPEAT.name,
                    what,
                    "leave repeat away, or repeat the tasks in the graph",
                );
            }
            if let Some(Workload::Program(program)) = &job.workload {
                if job.repeat != Repeat::Times(1) {
                    let what = "does not fit: an MPI program runs once";
                    let hint = "let the program repeat what it does, or take its profile (weir log)";
                    self.item_problem(at, REPEAT.name, what.into(), hint);
                }
                if program.kind == Kind::Separate {
                    let what = "names a program whose ranks are processes of their own, which runs alone";
                    self.item_problem(at, "workload", what.into(), "build the program with weir cc");
                }
            }
        }
        self.programs_fit(jobs);
        let endless = |job: &ReadJob| job.repeat == Repeat::UntilOthersEnd;
        for job in jobs.iter().filter(|job| endless(job)) {
            let at = ("jobs", job.number);
            let idle =
                job.pattern.clone().and_then(|pattern| Repeated::new(pattern, u64::MAX).rank_without_time());
            if let Some(rank) = idle {
                let what = format!(
                    "does not fit: rank {rank} does nothing that takes time, and would never come to an end"
                );
                self.item_problem(at, REPEAT.name, what, "let it await a message, or pause");
            }
            if !self.has("topology") {
                let what = "does not fit: without a [topology] no message meets another one".to_owned();
                self.item_problem(at, REPEAT.name, what, "write how many times");
            }
        }
        if let Some(last) = jobs.last().filter(|_| jobs.iter().all(endless)) {
            let what = "does not fit: there is no other job whose end could be waited for".to_owned();
            self.item_problem(("jobs", last.number), REPEAT.name, what, "write how many times");
        }
        if let Some(last) = jobs.last().filter(|_| many > u32::MAX as usize) {
            let what = format!("does not fit: all jobs together have more than {} ranks", u32::MAX);
            self.item_problem(("jobs", last.number), "workload", what, "");
        }
    }

    /// All MPI programs of a run have one world, and its options.
    fn programs_fit(&mut self, jobs: &[ReadJob]) {
        let mut programs = jobs.iter().filter_map(|job| match &job.workload {
            Some(Workload::Program(program)) => Some((job.number, program)),
            _ => None,
        });
        let Some((_, first)) = programs.next() else { return };
        for (number, program) in programs {
            for (key, differs) in [
                ("data", program.moved != first.moved),
                ("compute", program.compute != first.compute),
                ("stack_size", program.stack_size != first.stack_size),
            ] {
                let what =
                    format!("does not fit: {key} is another one than in the first job with an MPI program");
                let hint = "write the same for all of them";
                if differs {
                    self.item_problem(("jobs", number), "workload", what, hint);
                }
            }
        }
    }

    fn classes_of_jobs_fit(&mut self, jobs: &[ReadJob], parts: &Parts) {
        if self.findings.touches(&["classes"]) {
            return;
        }
        for job in jobs {
            let Some(class) = &job.class else { continue };
            if parts.classes.iter().all(|row| row.name != *class) {
                let names: Vec<String> = parts.classes.iter().map(|row| format!("{:?}", row.name)).collect();
                let what = match names.is_empty() {
                    true => "is no class: there are no [[classes]]".to_owned(),
                    false => format!("is no class: there are {}", names.join(", ")),
                };
                self.item_problem(("jobs", job.number), CLASS.name, what, "name one of [[classes]]");
            }
        }
    }

    /// The nodes of the ranks of each job; `None` where something is wrong with that, or before.
    fn placed(&mut self, jobs: &[ReadJob], parts: &Parts) -> Option<Vec<Vec<NodeId>>> {
        if self.has("topology") && parts.machine().is_none() {
            return None;
        }
        let per_node = parts.mapping.ranks_per_node;
        let names: Vec<Option<String>> = jobs.iter().map(|job| job.name.clone()).collect();
        let mut free = FreeNodes::of(parts.machine());
        let mut nodes: Vec<Option<Vec<NodeId>>> = vec![None; jobs.len()];
        let is_named = |job: &ReadJob| matches!(job.placing, Placing::Nodes(_));
        let order = (0..jobs.len()).filter(|&job| is_named(&jobs[job]));
        let order = order.chain((0..jobs.len()).filter(|&job| !is_named(&jobs[job])));
        for place in order {
            let job = &jobs[place];
            let Some(ranks) = job.ranks else { continue };
            let needed = ranks.div_ceil(per_node);
            // That they are missing is said already.
            if matches!(&job.placing, Placing::Nodes(ranges) if ranges.is_empty()) {
                continue;
            }
            let taken = match &job.placing {
                Placing::Nodes(ranges) => free.take_named(place, ranges, &names).and_then(|nodes| {
                    let has = nodes.len();
                    let what =
                        format!("has {has} nodes, too few for {ranks} ranks with {per_node} on each: {needed} are needed");
                    if has < needed { Err(NoPlace { key: NODES.name, what, hint: "" }) } else { Ok(nodes) }
                }),
                rule => free.take(place, needed, rule),
            };
            match taken {
                Ok(taken) => {
                    nodes[place] = Some((0..ranks).map(|rank| taken[rank / per_node]).collect());
                }
                Err(NoPlace { key, what, hint }) => {
                    self.item_problem(("jobs", job.number), key, what, hint);
                }
            }
        }
        nodes.into_iter().collect()
    }
}

/// The jobs, one behind the other.
fn made(jobs: Vec<ReadJob>, placed: Vec<Vec<NodeId>>) -> Vec<Job> {
    let mut first = 0;
    let mut made = Vec::new();
    for (job, nodes) in jobs.into_iter().zip(placed) {
        let (Some(name), Some(ranks), Some(workload)) = (job.name, job.ranks, job.workload) else { continue };
        let ReadJob { number, pattern, start, repeat, state, class, placing, .. } = job;
        made.push(Job {
            name,
            first,
            ranks,
            workload,
            pattern,
            start,
            repeat,
            class,
            placing,
            nodes,
            state,
            number,
            submit: None,
        });
        first += ranks;
    }
    made
}
