//! The permutation of which a machine carries least: each node sends to one other, and a link carries as many messages as any could.
//!
//! ```text
//!   routes of all pairs ---> by link: number of sources, of destinations --> at most the lesser of both are on it
//!                            by link, the highest first: largest matching of its pairs (matching.rs), until none can have more
//! ```
//!
//! # Model
//! Routes are those of [`Topology::route`], which do not depend on traffic. A permutation loads a link with pairs whose sources differ, and
//! whose destinations differ; so the most that any puts on a link is the largest matching of the pairs whose routes pass it. Nodes that
//! are left send to each other in their order. With every node sending all the time, those over the busiest link get its capacity
//! divided by their number each: flows on other links, of which none is loaded more, leave them that.

mod matching;

use crate::pattern_out::{PatternError, WrittenPattern};
use crate::refused;
use matching::largest_matching;
use std::cmp::Reverse;
use std::path::Path;
use weir_experiment::{AnalysisError, MachineDescription};
use weir_formats::Format;
use weir_record::write_whole;
use weir_topology::{End, Topology};
use weir_units::{Bandwidth, Bytes, Duration, LinkId, NodeId, Rank};
use weir_workload::{Entry, Script};

/// Routes of more pairs would take more than some seconds; of larger machines so many are drawn.
const MOST_PAIRS: usize = 1 << 22;
/// Drawn pairs never reach what is possible on every link, so the search ends when the pairs of links have been collected so often.
const MOST_PASSES: usize = 3;
/// Pairs of links that are kept at a time.
const MOST_KEPT: usize = 1 << 24;
/// Size of each message of the pattern, in which latency hardly counts.
const MESSAGE: Bytes = Bytes(10_000_000);

/// Says whether a permutation is surely the worst.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WorstSearch {
    /// The routes of all pairs were looked at: no permutation loads a link more.
    Exact,
    /// The routes of so many pairs of each node were looked at, which a seed decides: other permutations may load a link more.
    Drawn {
        /// Number of pairs of each node.
        each: usize,
    },
}

/// A permutation that loads a link as much as any that was found.
#[derive(Clone, Debug, PartialEq)]
pub struct Worst {
    /// The busiest link, in words.
    pub at: String,
    /// Its capacity.
    pub capacity: Bandwidth,
    /// Number of nodes whose messages it carries.
    pub messages: u32,
    /// The throughput of each of these nodes when all send all the time.
    pub throughput: Bandwidth,
    /// The same as a part of the bandwidth with which the slowest node can send.
    pub part: f64,
    /// By node: the node to which it sends, if any.
    pub to: Vec<Option<NodeId>>,
    /// The search that has found it.
    pub search: WorstSearch,
}

/// Finds a permutation that loads a link of a machine most. O(nodes^2 hops) up to two thousand nodes, beyond that O(nodes hops).
///
/// # Errors
/// When there is one node only, or when a message chooses its route when it is sent, because nodes have several ways into the network.
pub fn worst_permutation(machine: &MachineDescription, seed: u64) -> Result<Worst, AnalysisError> {
    let topology = machine.topology();
    let interfaces = machine.node.nics.count(&topology).unwrap_or(1).max(1);
    let limits = [machine.node.injection_limit, machine.node.ejection_limit].into_iter().flatten();
    let limit = limits.map(|limit| limit.bytes_per_second()).fold(f64::INFINITY, f64::min);
    search(&topology, (interfaces, limit), seed, MOST_PAIRS)
}

/// The same for nodes with so many interfaces and a limit of what they send or receive, by the routes of about so many pairs at most.
fn search(
    machine: &Topology,
    (interfaces, limit): (u32, f64),
    seed: u64,
    most: usize,
) -> Result<Worst, AnalysisError> {
    let nodes = machine.nodes();
    let takes_turns = matches!(machine.whole(), Topology::Torus(torus) if torus.uses_both_cables());
    if machine.most_cables() > 1 || interfaces > 1 && takes_turns {
        return refused(
            "which way a message takes follows from the interface by which it leaves: of such nodes no single permutation is the worst",
        );
    }
    if nodes < 2 {
        return refused("a single node has no other to send to");
    }
    let routes = Routes { machine, offsets: offsets(nodes, most, seed) };
    let found = routes.search(interfaces);
    let to = completed(&found, nodes);
    // Of drawn pairs the rest may load a link still more.
    let mut on_link = vec![0_u32; machine.links()];
    let mut route = Vec::new();
    for (from, to) in to.iter().enumerate().filter_map(|(from, to)| Some((NodeId::new(from), (*to)?))) {
        machine.find_route(from, to, &mut route);
        route.iter().for_each(|link| on_link[link.index()] += 1);
    }
    let seconds = |link: usize| f64::from(on_link[link]) / capacity(machine, interfaces, LinkId::new(link));
    let all = (0..machine.links()).filter(|&link| on_link[link] > 0);
    let Some(busiest) =
        all.max_by(|&one, &other| seconds(one).total_cmp(&seconds(other)).then_with(|| other.cmp(&one)))
    else {
        return refused("no node can reach another");
    };
    let injection = (0..nodes).map(|node| capacity(machine, interfaces, LinkId::new(node)));
    let injection = injection.fold(limit, f64::min);
    let throughput = limit.min(1.0 / seconds(busiest));
    let link = LinkId::new(busiest);
    Ok(Worst {
        at: machine.link_name(link),
        capacity: bandwidth(capacity(machine, interfaces, link)),
        messages: on_link[busiest],
        throughput: bandwidth(throughput),
        part: (throughput / injection).min(1.0),
        to,
        search: match routes.are_all() {
            true => WorstSearch::Exact,
            false => WorstSearch::Drawn { each: routes.offsets.len() },
        },
    })
}

fn bandwidth(bytes_per_second: f64) -> Bandwidth {
    Bandwidth::new(bytes_per_second)
        .expect("links have capacities, and a link is passed by some thousand nodes")
}

/// In bytes per second; the link of a node stands for those of all its interfaces.
fn capacity(machine: &Topology, interfaces: u32, id: LinkId) -> f64 {
    let link = machine.link(id);
    let is_of_node = matches!(link.from, End::Node(_)) || matches!(link.to, End::Node(_));
    link.capacity.bytes_per_second() * if is_of_node { f64::from(interfaces) } else { 1.0 }
}

/// Distances from each node to those to which routes are looked at: all, or so many that there are no more than `most` pairs.
fn offsets(nodes: usize, most: usize, seed: u64) -> Vec<u32> {
    let mut all = weir_topology::permutation(nodes - 1, seed, weir_topology::Generator::SplitMix);
    all.truncate((most / nodes).max(1));
    all.sort_unstable();
    all.iter().map(|offset| offset + 1).collect()
}

/// The routes of pairs of nodes that have these distances.
struct Routes<'a> {
    machine: &'a Topology,
    offsets: Vec<u32>,
}

/// Counts of the routes that pass a link.
#[derive(Clone, Copy, Default)]
struct Passed {
    sources: u32,
    destinations: u32,
    pairs: usize,
    last: Option<u32>,
}

impl Passed {
    fn is_new(&mut self, node: u32) -> bool {
        self.last.replace(node) != Some(node)
    }
}

impl Routes<'_> {
    fn are_all(&self) -> bool {
        self.offsets.len() + 1 == self.machine.nodes()
    }

    /// Calls with each pair and its route: the pairs of one sender after the other, or of one receiver after the other.
    fn each(&self, by_receiver: bool, mut call: impl FnMut((u32, u32), &[LinkId])) {
        let nodes = self.machine.nodes() as u32;
        let mut route = Vec::new();
        for node in 0..nodes {
            for &offset in &self.offsets {
                let after = (u64::from(node) + u64::from(offset)) % u64::from(nodes);
                let before = (u64::from(node) + u64::from(nodes - offset)) % u64::from(nodes);
                let (from, to) = if by_receiver { (before as u32, node) } else { (node, after as u32) };
                if self.machine.find_route(NodeId(from), NodeId(to), &mut route) {
                    call((from, to), &route);
                }
            }
        }
    }

    /// The most that a permutation of these pairs can put on each link.
    fn passed(&self) -> Vec<Passed> {
        let mut passed = vec![Passed::default(); self.machine.links()];
        self.each(false, |(from, _), route| {
            for link in route {
                let link = &mut passed[link.index()];
                link.pairs += 1;
                link.sources += u32::from(link.is_new(from));
            }
        });
        passed.iter_mut().for_each(|link| link.last = None);
        self.each(true, |(_, to), route| {
            for link in route {
                let link = &mut passed[link.index()];
                link.destinations += u32::from(link.is_new(to));
            }
        });
        passed
    }

    /// Pairs with different senders and different receivers, of which a link carries longest what each sends.
    fn search(&self, interfaces: u32) -> Vec<(u32, u32)> {
        let passed = self.passed();
        let most = |link: usize| {
            let Passed { sources, destinations, .. } = passed[link];
            f64::from(sources.min(destinations)) / capacity(self.machine, interfaces, LinkId::new(link))
        };
        let mut order: Vec<usize> = (0..passed.len()).filter(|&link| passed[link].pairs > 0).collect();
        order.sort_by(|&one, &other| most(other).total_cmp(&most(one)).then_with(|| one.cmp(&other)));
        let (mut best, mut found): (f64, Vec<(u32, u32)>) = (0.0, Vec::new());
        let (mut rest, mut at_once) = (order.as_slice(), 1);
        let passes = if self.are_all() { usize::MAX } else { MOST_PASSES };
        for _ in 0..passes {
            if rest.first().is_none_or(|&link| most(link) <= best) {
                break;
            }
            let mut kept = 0;
            let fit = rest.iter().take(at_once).take_while(|&&link| {
                kept += passed[link].pairs;
                kept <= MOST_KEPT
            });
            let (batch, others) = rest.split_at(fit.count().max(1));
            for (link, pairs) in self.pairs_of(batch) {
                if most(link) <= best {
                    break;
                }
                let matched = largest_matching(&pairs, self.machine.nodes());
                let load = matched.len() as f64 / capacity(self.machine, interfaces, LinkId::new(link));
                if load > best {
                    (best, found) = (load, matched);
                }
            }
            (rest, at_once) = (others, at_once * 8);
        }
        found
    }

    /// The pairs whose routes pass these links, in the order of senders.
    fn pairs_of(&self, links: &[usize]) -> Vec<(usize, Vec<(u32, u32)>)> {
        let mut place = vec![u32::MAX; self.machine.links()];
        links.iter().zip(0..).for_each(|(&link, number)| place[link] = number);
        let mut pairs = vec![Vec::new(); links.len()];
        self.each(false, |pair, route| {
            for link in route {
                if let Some(pairs) = pairs.get_mut(place[link.index()] as usize) {
                    pairs.push(pair);
                }
            }
        });
        links.iter().copied().zip(pairs).collect()
    }
}

/// The pairs, and the nodes that are left: senders and receivers in their order, turned so that none has itself, if that is possible.
fn completed(pairs: &[(u32, u32)], nodes: usize) -> Vec<Option<NodeId>> {
    let mut to = vec![None; nodes];
    let mut is_free = vec![true; nodes];
    for &(from, receiver) in pairs {
        to[from as usize] = Some(NodeId(receiver));
        is_free[receiver as usize] = false;
    }
    let senders: Vec<usize> = (0..nodes).filter(|&node| to[node].is_none()).collect();
    let receivers: Vec<usize> = (0..nodes).filter(|&node| is_free[node]).collect();
    let selves = |turn: &usize| {
        let turned = receivers.iter().cycle().skip(*turn);
        senders.iter().zip(turned).filter(|(from, to)| from == to).count()
    };
    let turn = (0..senders.len().min(64)).min_by_key(|turn| (selves(turn), Reverse(*turn))).unwrap_or(0);
    for (&from, &receiver) in senders.iter().zip(receivers.iter().cycle().skip(turn)) {
        to[from] = (from != receiver).then(|| NodeId::new(receiver));
    }
    to
}

impl Worst {
    /// The nodes that send, in their order, each with the one to which it sends.
    pub fn pairs(&self) -> impl Iterator<Item = (NodeId, NodeId)> {
        self.to.iter().enumerate().filter_map(|(from, to)| Some((NodeId::new(from), (*to)?)))
    }

    /// Writes it as a pattern in which each rank, which is the node with its number, sends one message of 10 MB.
    ///
    /// # Errors
    /// When the name of the file has another ending, or when it cannot be written.
    pub fn write(&self, title: &str, path: &Path) -> Result<WrittenPattern, PatternError> {
        let format = Format::of_pattern(path).ok_or(PatternError::UnknownFormat)?;
        let entry = |to: NodeId| Entry::Send { to: Rank(to.0), bytes: MESSAGE, wait: Duration::ZERO };
        let entries = self.to.iter().map(|to| to.map(entry).into_iter().collect()).collect();
        let script = Script::new(entries).expect("ranks are nodes");
        write_whole(path, |out| Ok(weir_formats::write(format, &script, title, out)?))
    }
}

#[cfg(test)]
mod tests;
