//! The nodes of each job: of which no other job has any.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use weir_topology::{End, Generator, Topology, mapping};
use weir_units::NodeId;

/// The way in which a job gets its nodes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Placing {
    /// The first nodes that are free.
    Packed,
    /// Free nodes at random.
    Random {
        /// Seed of the choice.
        seed: u64,
    },
    /// The nodes of groups in which no other job is.
    ByGroup,
    /// Free nodes at equal distances.
    Spread,
    /// These nodes, in this order.
    Nodes(Vec<RangeInclusive<u32>>),
}

/// Why a job has no place: which key is wrong, and how.
pub(crate) struct NoPlace {
    pub(crate) key: &'static str,
    pub(crate) what: String,
    pub(crate) hint: &'static str,
}

impl NoPlace {
    fn new(key: &'static str, what: String, hint: &'static str) -> Self {
        Self { key, what, hint }
    }
}

/// The nodes of a machine, and which job has each.
#[derive(Clone)]
pub(crate) struct FreeNodes<'a> {
    machine: Option<&'a Topology>,
    /// By node: the job that has it. Without a machine there are as many as are asked for.
    job_of: Vec<Option<usize>>,
}

impl<'a> FreeNodes<'a> {
    pub(crate) fn of(machine: Option<&'a Topology>) -> Self {
        Self { machine, job_of: vec![None; machine.map_or(0, Topology::nodes)] }
    }

    /// Takes the nodes that a job names, which has so many ranks.
    pub(super) fn take_named(
        &mut self,
        job: usize,
        ranges: &[RangeInclusive<u32>],
        names: &[Option<String>],
    ) -> Result<Vec<NodeId>, NoPlace> {
        let mut nodes = Vec::new();
        for node in ranges.iter().flat_map(Clone::clone) {
            if self.machine.is_none() && node as usize >= self.job_of.len() {
                self.job_of.resize(node as usize + 1, None);
            }
            let there_are = self.job_of.len();
            let Some(place) = self.job_of.get_mut(node as usize) else {
                let what = format!("there is no node {node}: there are {there_are}, counted from 0");
                return Err(NoPlace::new("nodes", what, ""));
            };
            match *place {
                Some(other) if other == job => {
                    let what = format!("names node {node} twice");
                    return Err(NoPlace::new("nodes", what, ""));
                }
                Some(other) => {
                    let name = names[other].as_deref().unwrap_or_default();
                    let what = format!("has node {node}, which job {name:?} has, too");
                    return Err(NoPlace::new("nodes", what, "no two jobs have a node in common"));
                }
                None => *place = Some(job),
            }
            nodes.push(NodeId(node));
        }
        Ok(nodes)
    }

    /// Takes so many nodes for a job, by a rule.
    pub(crate) fn take(
        &mut self,
        job: usize,
        count: usize,
        placing: &Placing,
    ) -> Result<Vec<NodeId>, NoPlace> {
        let mut free: Vec<NodeId> =
            (0..self.job_of.len()).filter(|&node| self.job_of[node].is_none()).map(NodeId::new).collect();
        if self.machine.is_none() && free.len() < count {
            let from = self.job_of.len();
            let more = count - free.len();
            free.extend((from..from + more).map(NodeId::new));
            self.job_of.resize(from + more, None);
        }
        if free.len() < count {
            let (there, all) = (free.len(), self.job_of.len());
            let what = format!(
                "does not fit: the job needs {count} nodes, and {there} of {all} are free behind the jobs that come before it"
            );
            let hint = "take fewer ranks, a larger machine, or more ranks on a node: mapping.ranks_per_node";
            return Err(NoPlace::new("workload", what, hint));
        }
        let nodes: Vec<NodeId> = match placing {
            Placing::Random { seed } => {
                let order = mapping::random(free.len(), 1, free.len(), *seed, Generator::SplitMix);
                order.into_iter().take(count).map(|place| free[place.index()]).collect()
            }
            Placing::Spread => (0..count).map(|place| free[place * free.len() / count]).collect(),
            Placing::ByGroup => self.of_whole_groups(count)?,
            Placing::Packed | Placing::Nodes(_) => free.into_iter().take(count).collect(),
        };
        nodes.iter().for_each(|node| self.job_of[node.index()] = Some(job));
        Ok(nodes)
    }

    /// Gives nodes back that a job has had.
    pub(crate) fn release(&mut self, nodes: &[NodeId]) {
        nodes.iter().for_each(|node| self.job_of[node.index()] = None);
    }

    /// Takes these nodes for a job; they are free.
    pub(crate) fn occupy(&mut self, job: usize, nodes: &[NodeId]) {
        nodes.iter().for_each(|node| self.job_of[node.index()] = Some(job));
    }

    /// Returns whether a job would get so many nodes by a rule.
    pub(crate) fn has_room(&self, count: usize, placing: &Placing) -> bool {
        match placing {
            Placing::ByGroup => self.whole_groups().1.iter().map(Vec::len).sum::<usize>() >= count,
            _ => self.free() >= count,
        }
    }

    /// Number of nodes that no job has.
    pub(crate) fn free(&self) -> usize {
        self.job_of.iter().filter(|job| job.is_none()).count()
    }

    /// The number of groups, and the nodes of those in which no job is.
    fn whole_groups(&self) -> (usize, Vec<Vec<NodeId>>) {
        let mut groups: BTreeMap<u32, Vec<NodeId>> = BTreeMap::new();
        for node in (0..self.job_of.len()).map(NodeId::new) {
            groups.entry(group(self.machine, node)).or_default().push(node);
        }
        let all = groups.len();
        let is_free = |nodes: &Vec<NodeId>| nodes.iter().all(|node| self.job_of[node.index()].is_none());
        (all, groups.into_values().filter(is_free).collect())
    }

    fn of_whole_groups(&self, count: usize) -> Result<Vec<NodeId>, NoPlace> {
        let (all, free) = self.whole_groups();
        let (whole, there) = (free.len(), free.iter().map(Vec::len).sum::<usize>());
        if there < count {
            let what = format!(
                "does not fit: the job needs {count} nodes, and the {whole} of {all} groups in which no other job is have {there}"
            );
            let hint = "write another placement, or take fewer ranks";
            return Err(NoPlace::new("placement", what, hint));
        }
        Ok(free.into_iter().flatten().take(count).collect())
    }
}

/// The group of a node: that of its router in a network of groups, else its router.
fn group(machine: Option<&Topology>, node: NodeId) -> u32 {
    let Some(machine) = machine else { return node.0 };
    if let Some(switched) = machine.chosen() {
        return switched.group(switched.home(node));
    }
    match machine.link(machine.ejection(node)).from {
        End::Router(router) => router.0,
        End::Node(node) => node.0,
    }
}
