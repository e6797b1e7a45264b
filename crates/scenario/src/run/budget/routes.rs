//! Load that the messages of a pattern put on links: counted where the entries of all ranks, each period of them once, are few enough to be
//! looked at; else from a sample.

use super::Count;
use crate::{PacketSection, Scenario};
use weir_topology::{Obtained, Topology};
use weir_units::{Bytes, LinkId, NodeId, Rank, mix};
use weir_workload::{Counted, Entry, Order, Pattern, Period};

/// Most entries that are looked at one by one, in less than a second or two.
const MOST_ENTRIES: u64 = 1 << 22;
/// To find out how many entries a rank has costs as much as some of them.
const OF_RANK: u64 = 16;
/// Ranks of a sample, and entries of each.
const MOST_RANKS: usize = 4096;
const MOST_OF_RANK: u64 = 64;
/// All routes of a machine with so many pairs of nodes are looked at to find the longest.
const MOST_PAIRS: u64 = 1 << 20;

#[derive(Clone, Copy, Debug)]
pub(super) struct Routes {
    pub(super) packets: Count,
    pub(super) hops: Count,
    /// Bytes of messages, on every link of their routes once more.
    pub(super) link_bytes: f64,
}

/// Messages to other nodes that have been looked at, as often as each stands for others.
#[derive(Clone, Copy, Debug, Default)]
struct Sum {
    /// Those within a node as well.
    messages: u128,
    packets: u128,
    hops: u128,
    link_bytes: f64,
    /// Packets that have no way when the run begins: they wait for one, and how long it will be is not known.
    waiting: u128,
}

struct Looking<'a> {
    machine: &'a Topology,
    pattern: &'a Pattern,
    nodes: &'a [NodeId],
    mtu: Bytes,
    route: Vec<LinkId>,
}

impl Scenario {
    pub(super) fn routes(&self) -> Option<Routes> {
        let (machine, pattern) = (self.machine.as_deref()?, self.pattern.as_deref()?);
        let mtu = self.packet.as_ref().map_or_else(PacketSection::default_mtu, |packet| packet.mtu);
        let route = Vec::new();
        let mut looking = Looking { machine, pattern, nodes: self.placement().nodes(), mtu, route };
        // A run may end before, and machines that change have other routes later.
        let is_certain = self.limits.simulated_time.is_none() && self.changes().is_empty();
        let Some(sum) = looking.all() else { return Some(looking.sample().of_sample(&looking)) };
        let count = |counted: u128, at_most: u128| {
            let [likely, at_most] = [counted, at_most].map(|count| u64::try_from(count).unwrap_or(u64::MAX));
            if is_certain && likely == at_most {
                Count::Exact(likely)
            } else {
                Count::About { likely, at_most }
            }
        };
        let packets = sum.packets + sum.waiting;
        let most_hops = match sum.waiting == 0 && self.changes().is_empty() {
            true => sum.hops,
            // No way passes a router twice.
            false => packets * machine.routers() as u128,
        };
        Some(Routes {
            packets: count(sum.packets, packets),
            hops: count(sum.hops, most_hops),
            link_bytes: sum.link_bytes,
        })
    }
}

impl Looking<'_> {
    fn all(&mut self) -> Option<Sum> {
        let (mut sum, mut looked_at) = (Sum::default(), 0);
        let pattern = self.pattern;
        for rank in (0..pattern.ranks()).map(Rank::new) {
            let entries = entries(pattern, rank);
            let whole = Period { before: entries, entries: 1 };
            let Period { before, entries: each } = pattern.period(rank).unwrap_or(whole);
            let [before, rest] = [before.min(entries), entries.saturating_sub(before)];
            looked_at += OF_RANK + before + each.min(rest);
            if looked_at > MOST_ENTRIES {
                return None;
            }
            for index in 0..before + each.min(rest) {
                // So often it comes again.
                let in_period = index.saturating_sub(before);
                let times = if index < before { 1 } else { rest / each + u64::from(in_period < rest % each) };
                self.look(rank, index, times, &mut sum);
            }
        }
        Some(sum)
    }

    /// Some ranks, and one entry of each of equal parts of what these do. Which one of them is drawn: every n-th of entries that
    /// repeat would be like no other.
    fn sample(&mut self) -> Sum {
        let (pattern, mut sum) = (self.pattern, Sum::default());
        for rank in (0..pattern.ranks()).step_by(pattern.ranks().div_ceil(MOST_RANKS)).map(Rank::new) {
            let entries = entries(pattern, rank);
            let part = entries.div_ceil(MOST_OF_RANK).max(1);
            for first in (0..entries).step_by(usize::try_from(part).unwrap_or(usize::MAX)) {
                let part = part.min(entries - first);
                let drawn = mix(u64::from(rank.0).rotate_left(32) ^ first) % part;
                self.look(rank, first + drawn, part, &mut sum);
            }
        }
        sum
    }

    /// Adds a message that stands for so many, if an entry is one.
    fn look(&mut self, rank: Rank, index: u64, times: u64, sum: &mut Sum) {
        let entry = self.pattern.entry(rank, index);
        let Some(Entry::Send { to, bytes, .. } | Entry::Post { to, bytes, .. }) = entry else { return };
        let times = u128::from(times);
        sum.messages += times;
        let [from, to] = [rank, to].map(|rank| self.nodes[rank.index()]);
        if from == to {
            return;
        }
        let packets = times * u128::from(bytes.0.div_ceil(self.mtu.0).max(1));
        if !self.machine.find_route(from, to, &mut self.route) {
            sum.waiting += packets;
            return;
        }
        sum.packets += packets;
        // The link to the first router is no hop.
        sum.hops += packets * (self.route.len() as u128 - 1);
        sum.link_bytes += times as f64 * bytes.0 as f64 * self.route.len() as f64;
    }

    fn longest_route(&self) -> u64 {
        let nodes = self.machine.nodes() as u64;
        let by_formula = !matches!(self.machine, Topology::Graph(_) | Topology::Degraded(_));
        if by_formula || nodes.saturating_mul(nodes) <= MOST_PAIRS {
            let lengths = self.machine.route_lengths();
            debug_assert!(!by_formula || lengths.obtained == Obtained::Formula, "{lengths:?}");
            lengths.longest + 1
        } else {
            self.machine.routers() as u64
        }
    }
}

impl Sum {
    /// The load of all messages, if these are a sample: their number is known.
    fn of_sample(self, of: &Looking<'_>) -> Routes {
        let all = of.pattern.messages();
        let share = if self.messages > 0 { all as f64 / self.messages as f64 } else { 0.0 };
        // Of each message one packet need not be full.
        let most = u128::from(all) + u128::from(of.pattern.bytes_at_most().0 / of.mtu.0);
        let count = |sampled: u128, at_most: u128| {
            let at_most = u64::try_from(at_most).unwrap_or(u64::MAX);
            Count::About { likely: ((sampled as f64 * share).round() as u64).min(at_most), at_most }
        };
        Routes {
            packets: count(self.packets, most),
            hops: count(self.hops, most * u128::from(of.longest_route())),
            link_bytes: self.link_bytes * share,
        }
    }
}

/// Number of entries of a rank of a pattern. O(log n) looks.
fn entries(pattern: &Pattern, rank: Rank) -> u64 {
    let is_there = |index: u64| pattern.entry(rank, index).is_some();
    let mut behind = 1;
    while is_there(behind - 1) {
        behind *= 2;
    }
    let (mut there, mut behind) = (behind / 2, behind - 1);
    // Entries before `there` are there; `behind` is not.
    while there < behind {
        let middle = there + (behind - there) / 2;
        if is_there(middle) { there = middle + 1 } else { behind = middle }
    }
    there
}
