//! Slurm's topology.conf: trees of switches (`SwitchName=s0 Switches=s[1-4]`, `SwitchName=s1 Nodes=n[0-7]`) and blocks.
//!
//! Grammar: Slurm's manual page topology.conf(5). The file says who is connected to whom, and nothing of bandwidths, latencies and numbers of cables.

use crate::host_list::{expanded, folded};
use crate::machine::Machine;
use crate::reading::Reading;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};
use weir_topology::{Topology, VertexKind};

#[derive(Default)]
struct Parsed {
    /// Switches and blocks with their lines, in the order of the file.
    switches: Vec<(String, usize)>,
    known: BTreeMap<String, usize>,
    /// Names of nodes of each.
    nodes: Vec<(usize, Vec<String>)>,
    below: Vec<(usize, Vec<String>, usize)>,
    sizes: Option<(Vec<u64>, usize)>,
    is_blocks: bool,
}

pub(crate) fn read(text: &str, reading: &mut Reading) -> Option<Machine> {
    let mut parsed = Parsed::default();
    let mut joined = String::new();
    for (line, row) in (1..).zip(text.lines()) {
        let row = row.split('#').next().unwrap_or_default().trim_end();
        if let Some(row) = row.strip_suffix('\\') {
            joined += row;
            continue;
        }
        joined += row;
        let whole = std::mem::take(&mut joined);
        if !whole.trim().is_empty() {
            parsed.row(whole.trim(), line, reading);
        }
    }
    if !joined.trim().is_empty() {
        reading.wrong_whole("the last line goes on, but the file ends", Some("the file is cut off"));
    }
    if parsed.switches.is_empty() {
        reading.wrong_whole(
            "no switch and no block is named",
            Some("expected lines as SwitchName=s0 Nodes=n[0-7]"),
        );
        return None;
    }
    parsed.build(reading)
}

impl Parsed {
    fn row(&mut self, row: &str, line: usize, reading: &mut Reading) {
        let mut number = None;
        for word in row.split_whitespace() {
            let Some((key, value)) = word.split_once('=') else {
                reading.wrong(line, word, "expected KEY=VALUE without blanks around the equal sign");
                return;
            };
            match (key.to_lowercase().as_str(), number) {
                ("switchname" | "blockname", None) => {
                    let is_block = key.eq_ignore_ascii_case("blockname");
                    if !self.switches.is_empty() && self.is_blocks != is_block {
                        reading.wrong(line, word, "a file has switches or blocks, not both");
                    }
                    self.is_blocks = is_block;
                    if let Some(&before) = self.known.get(value) {
                        let first = self.switches[before].1;
                        reading.wrong(line, word, format!("it is there twice, on line {first} as well"));
                    }
                    number = Some(self.switches.len());
                    self.known.insert(value.to_owned(), self.switches.len());
                    self.switches.push((value.to_owned(), line));
                }
                ("nodes", Some(number)) => {
                    self.nodes.extend(names(value, line, reading).map(|names| (number, names)));
                }
                ("switches", Some(number)) if !self.is_blocks => {
                    self.below.extend(names(value, line, reading).map(|names| (number, names, line)));
                }
                ("linkspeed", Some(_)) => {
                    reading.cannot(
                        line,
                        word,
                        "LinkSpeed is a number without a unit, which Slurm does not use",
                    );
                }
                ("blocksizes", None) => {
                    let sizes: Vec<u64> = value.split(',').filter_map(|size| size.parse().ok()).collect();
                    let grows =
                        sizes.windows(2).all(|pair| pair[1] > pair[0] && pair[1].is_multiple_of(pair[0]));
                    if sizes.len() == value.split(',').count() && grows && sizes.first() != Some(&0) {
                        self.sizes = Some((sizes, line));
                    } else {
                        let what =
                            "expected numbers of nodes, each a multiple of the one before, as in 4,8,16";
                        reading.wrong(line, word, what);
                    }
                }
                _ => {
                    let hint = "known are SwitchName, Switches, Nodes, LinkSpeed, BlockName and BlockSizes";
                    reading.wrong_with(line, word, "unknown key, or not at this place", hint);
                }
            }
        }
    }

    fn build(self, reading: &mut Reading) -> Option<Machine> {
        let mut machine = Machine::default();
        let routers: Vec<u32> =
            self.switches.iter().map(|(name, line)| machine.router(name, *line)).collect();
        let (bandwidth, latency) = (reading.given.bandwidth, reading.given.latency);
        let mut at: BTreeMap<&str, usize> = BTreeMap::new();
        let mut sizes = vec![0; routers.len()];
        for (number, names) in &self.nodes {
            let (switch, line) = &self.switches[*number];
            for name in names {
                if let Some(other) = at.insert(name, *number) {
                    let other = &self.switches[other].0;
                    reading.wrong(
                        *line,
                        name,
                        format!("the node is below {other} and {switch}; a node has one switch"),
                    );
                    continue;
                }
                let node = machine.node(name, *line);
                sizes[*number] += 1;
                machine.cable((node, routers[*number]), bandwidth, latency, *line);
            }
        }
        // Two switches may name each other, where an administrator listed neighbors: this is one cable.
        let mut joined = BTreeSet::new();
        for (number, names, line) in &self.below {
            for name in names {
                let Some(&below) = self.known.get(name) else {
                    reading.wrong(*line, name, "there is no line SwitchName= for this switch");
                    continue;
                };
                if below == *number {
                    reading.wrong(*line, name, "a switch is below itself");
                } else if joined.insert((below.min(*number), below.max(*number))) {
                    machine.cable((routers[below], routers[*number]), bandwidth, latency, *line);
                }
            }
        }
        if self.is_blocks {
            self.join_blocks(&mut machine, &routers, &sizes, reading);
        }
        Some(machine)
    }

    /// A router for each group of blocks that BlockSizes makes, level by level, until one is above all.
    fn join_blocks(&self, machine: &mut Machine, blocks: &[u32], nodes: &[u64], reading: &mut Reading) {
        let (sizes, line) = self.sizes.clone().unwrap_or_default();
        let base = sizes.first().copied().unwrap_or(1);
        for ((name, line), &nodes) in self.switches.iter().zip(nodes) {
            if !sizes.is_empty() && nodes < base {
                reading.wrong(
                    *line,
                    name,
                    format!("the block has {nodes} nodes, fewer than the least of BlockSizes, {base}"),
                );
            }
        }
        let (bandwidth, latency) = (reading.given.bandwidth, reading.given.latency);
        let mut level: Vec<u32> = blocks.to_vec();
        let factors = sizes.windows(2).map(|pair| usize::try_from(pair[1] / pair[0]).unwrap_or(usize::MAX));
        for (number, factor) in (1..).zip(factors.chain([usize::MAX])) {
            if level.len() == 1 {
                break;
            }
            let mut above = Vec::new();
            for (place, group) in level.chunks(factor).enumerate() {
                let router = machine.router(&format!("level {number} group {place}"), line);
                for &below in group {
                    machine.cable((below, router), bandwidth, latency, line);
                }
                above.push(router);
            }
            level = above;
        }
    }
}

fn names(list: &str, line: usize, reading: &mut Reading) -> Option<Vec<String>> {
    expanded(list).map_err(|what| reading.wrong(line, list, what)).ok()
}

/// Writes a machine in which routers are in levels over those that have nodes, as a tree of switches. Bandwidths, latencies and numbers of cables are lost.
pub(crate) fn write(machine: &Topology, out: &mut dyn Write) -> io::Result<Result<Vec<String>, String>> {
    let (vertices, wires) = machine.to_vertices_and_wires();
    let kind = |vertex: u32| vertices[vertex as usize].kind;
    let mut near: BTreeMap<u32, BTreeSet<u32>> = BTreeMap::new();
    for wire in &wires {
        near.entry(wire.from).or_default().insert(wire.to);
        near.entry(wire.to).or_default().insert(wire.from);
    }
    // Routers with nodes are at level 0, all others one above their lowest neighbor.
    let mut level: Vec<Option<u32>> = vec![None; vertices.len()];
    let routers = || (0..).take(vertices.len()).filter(|&vertex| kind(vertex) != VertexKind::Node);
    let has_node = |router: &u32| {
        near.get(router).is_some_and(|near| near.iter().any(|&other| kind(other) == VertexKind::Node))
    };
    let mut front: Vec<u32> = routers().filter(has_node).collect();
    for height in 0.. {
        front.retain(|&router| level[router as usize].is_none());
        if front.is_empty() {
            break;
        }
        front.iter().for_each(|&router| level[router as usize] = Some(height));
        front = front
            .iter()
            .flat_map(|router| near[router].iter().copied())
            .filter(|&other| kind(other) != VertexKind::Node)
            .collect();
    }
    let mut names = BTreeSet::new();
    let names: Vec<String> = vertices.iter().map(|vertex| written(&vertex.name, &mut names)).collect();
    for router in routers() {
        let others = near.get(&router).into_iter().flatten().copied();
        let (nodes, switches): (Vec<u32>, Vec<u32>) =
            others.partition(|&other| kind(other) == VertexKind::Node);
        if let Some(&same) = switches.iter().find(|&&other| level[other as usize] == level[router as usize]) {
            let (a, b) = (&vertices[router as usize].name, &vertices[same as usize].name);
            return Ok(Err(format!(
                "the machine is no tree: a cable joins {a:?} and {b:?}, which are at the same height over the nodes"
            )));
        }
        let list = |of: Vec<u32>| {
            folded(&of.into_iter().map(|vertex| names[vertex as usize].clone()).collect::<Vec<_>>())
        };
        let below: Vec<u32> =
            switches.into_iter().filter(|&other| level[other as usize] < level[router as usize]).collect();
        write!(out, "SwitchName={}", names[router as usize])?;
        if !nodes.is_empty() {
            write!(out, " Nodes={}", list(nodes))?;
        }
        if !below.is_empty() {
            write!(out, " Switches={}", list(below))?;
        }
        writeln!(out)?;
    }
    let mut notes = Vec::new();
    if wires.len() > near.values().map(BTreeSet::len).sum() {
        notes.push("several cables between the same two became one".to_owned());
    }
    Ok(Ok(notes))
}

/// A name without what Slurm does not take in one.
fn written(name: &str, taken: &mut BTreeSet<String>) -> String {
    let plain =
        |letter: char| if letter.is_ascii_alphanumeric() || "-_.".contains(letter) { letter } else { '_' };
    let mut name: String = name.chars().map(plain).collect();
    while !taken.insert(name.clone()) {
        name.push('_');
    }
    name
}
