//! Fat trees of htsim (.topo): `Nodes`, `Tiers`, `Podsize`, then radix, speed and latency of each tier.
//!
//! Grammar and wiring: `FatTreeTopology` of csg-htsim. Tier 0 is the switch of a rack. A pod has Podsize / Radix_Down racks; each rack has Radix_Up / Bundle ways up, to every switch
//! of tier 1 of its pod, of two tiers to every one there is; switch a of a pod is joined with the core switches a, a + n, a + 2 n, ..., for n switches of tier 1 in a pod. The delay of a switch is added to the latency of each cable
//! out of it, which takes the same time.

use crate::machine::Machine;
use crate::reading::Reading;
use std::collections::BTreeMap;
use std::io::{self, Write};
use weir_topology::{Topology, VertexKind};
use weir_units::{Bandwidth, Duration};

/// More nodes than a file of numbers should ask for.
const MOST_NODES: u64 = 1 << 22;
/// More cables, of racks with a large radix.
const MOST_CABLES: u64 = 1 << 24;
/// No radix, speed or latency in ns is larger.
const MOST_VALUE: u64 = 1 << 22;
const KEYS: [&str; 7] = [
    "downlink_speed_gbps",
    "radix_down",
    "radix_up",
    "downlink_latency_ns",
    "switch_latency_ns",
    "oversubscribed",
    "bundle",
];

#[derive(Default)]
struct Tier {
    values: BTreeMap<String, (u64, usize)>,
    line: usize,
}

impl Tier {
    fn get(&self, key: &str, default: Option<u64>, reading: &mut Reading) -> Option<u64> {
        let value = self.values.get(key).map(|(value, _)| *value).or(default);
        if value.is_none() {
            reading.wrong(self.line, "", format!("the tier has no {key}"));
        }
        value
    }
}

pub(crate) fn read(text: &str, reading: &mut Reading) -> Option<Machine> {
    let mut head: BTreeMap<String, u64> = BTreeMap::new();
    let mut tiers: BTreeMap<u64, Tier> = BTreeMap::new();
    let mut current = None;
    for (line, row) in (1..).zip(text.lines()) {
        let row = row.trim();
        if row.is_empty() || row.starts_with('#') {
            continue;
        }
        let words: Vec<&str> = row.split_whitespace().collect();
        let (key, value) = match words[..] {
            [key, value] => (key.to_lowercase(), value.parse::<u64>().ok()),
            _ => (String::new(), None),
        };
        let Some(value) = value.filter(|&value| value <= MOST_VALUE) else {
            reading.wrong(line, row, "expected a key and a whole number up to 4194304, as in Radix_Down 8");
            continue;
        };
        match (key.as_str(), current) {
            ("tier", _) => {
                current = Some(value);
                if value > 2 || tiers.insert(value, Tier { line, ..Tier::default() }).is_some() {
                    reading.wrong(line, row, "expected tiers 0, 1 and perhaps 2, each once");
                }
            }
            ("nodes" | "tiers" | "podsize", None) => _ = head.insert(key, value),
            (known, Some(tier)) if KEYS.contains(&known) => {
                let tier = tiers.entry(tier).or_default();
                if tier.values.insert(key, (value, line)).is_some() {
                    reading.wrong(line, row, "the key is there twice");
                }
            }
            ("queue_down" | "queue_up", Some(_)) => {
                reading.cannot(line, row, "buffers of switches are keys of [packet], not of a cable");
            }
            _ => reading.wrong(line, row, "unknown key, or not at this place"),
        }
    }
    let mut number = |key: &str| {
        let found = head.get(key).copied().filter(|&value| value > 0);
        if found.is_none() {
            reading.wrong_whole(format!("the head has no {key}"), None);
        }
        found
    };
    let (nodes, count, pod) = (number("nodes")?, number("tiers")?, number("podsize")?);
    if count != tiers.len() as u64 || !(2..=3).contains(&count) || tiers.keys().copied().ne(0..count) {
        reading.wrong_whole(
            format!("the head says {count} tiers, {} are there; expected 2 or 3", tiers.len()),
            Some("the file may be cut off"),
        );
    }
    if nodes > MOST_NODES {
        reading.wrong_whole(format!("{nodes} nodes are more than {MOST_NODES}"), None);
    }
    if reading.is_wrong() {
        return None;
    }
    let shape = Shape::of(nodes, pod, &tiers, reading)?;
    Some(shape.build())
}

struct Level {
    rate: Bandwidth,
    latency: Duration,
    delay: Duration,
    bundle: u64,
    line: usize,
}

struct Shape {
    nodes: u64,
    pods: u64,
    /// Switches of a pod in the two lower tiers, and of the whole upper one, if there are three.
    racks: u64,
    upper: u64,
    cores: u64,
    /// Cores that a switch of tier 1 is joined with.
    ways: u64,
    levels: Vec<Level>,
}

impl Shape {
    fn of(nodes: u64, pod: u64, tiers: &BTreeMap<u64, Tier>, reading: &mut Reading) -> Option<Self> {
        let mut levels = Vec::new();
        let (mut down, mut up) = (Vec::new(), Vec::new());
        let top = tiers.len() - 1;
        for (place, tier) in tiers.values().enumerate() {
            let rate = tier.get("downlink_speed_gbps", None, reading);
            let latency = tier.get("downlink_latency_ns", None, reading);
            let delay = tier.get("switch_latency_ns", Some(0), reading)?;
            let bundle = tier.get("bundle", Some(1), reading)?;
            down.push(tier.get("radix_down", None, reading)?);
            up.push(if place == top { 0 } else { tier.get("radix_up", None, reading)? });
            let rate = Bandwidth::new(rate? as f64 * 1e9 / 8.0);
            if rate.is_none() || bundle == 0 || down[place] == 0 || (place < top && up[place] == 0) {
                reading.wrong(tier.line, "", "speed, radix and bundle of a tier are at least 1");
                return None;
            }
            levels.push(Level {
                rate: rate?,
                latency: Duration::from_ns(latency?),
                delay: Duration::from_ns(delay),
                bundle,
                line: tier.line,
            });
        }
        let mut must = |is_right: bool, what: &str| {
            if !is_right {
                reading.wrong_whole(what.to_owned(), None);
            }
            is_right
        };
        let fits = must(nodes.is_multiple_of(pod), "Nodes is no multiple of Podsize")
            && must(pod.is_multiple_of(down[0]), "Podsize is no multiple of Radix_Down of tier 0")
            && must(levels[0].bundle == 1, "a node has one cable: Bundle of tier 0 must be 1")
            && must(
                up[0].is_multiple_of(levels[1].bundle),
                "Radix_Up of tier 0 is no multiple of Bundle of tier 1",
            );
        if !fits {
            return None;
        }
        let (pods, racks, upper) = (nodes / pod, pod / down[0], up[0] / levels[1].bundle);
        let (mut cores, mut ways) = (0, 0);
        // In two tiers all racks are under all switches of tier 1.
        let below = if top == 1 { racks * pods } else { racks };
        if !must(
            below * levels[1].bundle == down[1],
            "tier 1 has another Radix_Down than racks below it, times Bundle",
        ) {
            return None;
        }
        if !must(racks * pods * up[0] <= MOST_CABLES, "the racks have more than 16777216 cables") {
            return None;
        }
        if top == 2 {
            let bundle = levels[2].bundle;
            let cables = upper * pods * up[1];
            if !must(cables <= MOST_CABLES, "tier 1 has more than 16777216 cables") {
                return None;
            }
            let whole = up[1].is_multiple_of(bundle) && cables.is_multiple_of(down[2]);
            ways = up[1] / bundle;
            cores = cables / down[2];
            if !must(
                whole && cores == upper * ways,
                "tier 2 does not fit: Radix_Down is the number of pods times Bundle",
            ) {
                return None;
            }
        }
        for (place, tier) in tiers.values().enumerate().take(top) {
            let Some(&(said, line)) = tier.values.get("oversubscribed") else { continue };
            let into = down[place] as f64 * levels[place].rate.bytes_per_second();
            let out = up[place] as f64 * levels[place + 1].rate.bytes_per_second();
            if (into / out - said as f64).abs() > 1e-9 {
                let what = format!("radix and speeds make it {}", into / out);
                reading.wrong(line, &format!("Oversubscribed {said}"), what);
            }
        }
        Some(Self { nodes, pods, racks, upper, cores, ways, levels })
    }

    fn build(&self) -> Machine {
        let mut machine = Machine::default();
        let mut routers = |tier: usize, count: u64, name: &str| -> Vec<u32> {
            let line = self.levels[tier].line;
            (0..count).map(|number| machine.router(&format!("{name} {number}"), line)).collect()
        };
        let two_tiers = self.levels.len() == 2;
        let racks = routers(0, self.racks * self.pods, "rack");
        let upper_count = if two_tiers { self.upper } else { self.upper * self.pods };
        let upper = routers(1, upper_count, if two_tiers { "spine" } else { "pod switch" });
        let cores = if two_tiers { Vec::new() } else { routers(2, self.cores, "core") };
        let per_rack = self.nodes / racks.len() as u64;
        for node in 0..self.nodes {
            let vertex = machine.node(&format!("node {node}"), self.levels[0].line);
            self.join(&mut machine, 0, vertex, racks[(node / per_rack) as usize]);
        }
        for (place, &rack) in (0..).zip(&racks) {
            let first = if two_tiers { 0 } else { place / self.racks * self.upper };
            for other in first..first + self.upper {
                self.join(&mut machine, 1, rack, upper[other as usize]);
            }
        }
        if !two_tiers {
            for (place, &switch) in (0..).zip(&upper) {
                for way in 0..self.ways {
                    let core = place % self.upper + self.upper * way;
                    self.join(&mut machine, 2, switch, cores[core as usize]);
                }
            }
        }
        machine
    }

    /// The cables between a switch of a tier and what is below it.
    fn join(&self, machine: &mut Machine, tier: usize, below: u32, switch: u32) {
        let Level { rate, latency, delay, bundle, line } = self.levels[tier];
        let after = |delay: Duration| Duration::from_ps(latency.as_ps() + delay.as_ps());
        let delay_below = tier.checked_sub(1).map_or(Duration::ZERO, |below| self.levels[below].delay);
        for _ in 0..bundle {
            if delay == delay_below {
                machine.cable((below, switch), Some(rate), Some(after(delay)), line);
            } else {
                machine.wire((below, switch), rate, after(delay_below), line);
                machine.wire((switch, below), rate, after(delay), line);
            }
        }
    }
}

/// Writes a machine that is a regular tree of two or three tiers, with whole Gb/s and ns.
pub(crate) fn write(machine: &Topology, out: &mut dyn Write) -> io::Result<Result<Vec<String>, String>> {
    match tiers_of(machine) {
        Err(why) => Ok(Err(format!("the machine is no fat tree of htsim: {why}"))),
        Ok(text) => out.write_all(text.as_bytes()).map(|()| Ok(Vec::new())),
    }
}

/// Writes the tiers that the machine seems to have, reads them again, and compares.
fn tiers_of(machine: &Topology) -> Result<String, String> {
    let (vertices, wires) = machine.to_vertices_and_wires();
    let is_node = |vertex: u32| vertices[vertex as usize].kind == VertexKind::Node;
    let mut near: Vec<Vec<usize>> = vec![Vec::new(); vertices.len()];
    (0..).zip(&wires).for_each(|(number, wire)| near[wire.from as usize].push(number));
    // From the nodes up: of each vertex its tier, 0 of nodes.
    let mut tier: Vec<Option<usize>> =
        vertices.iter().map(|vertex| (vertex.kind == VertexKind::Node).then_some(0)).collect();
    let mut front: Vec<u32> = (0..).take(vertices.len()).filter(|&vertex| is_node(vertex)).collect();
    let nodes = front.len();
    let mut text = String::new();
    let mut pod = nodes as u64;
    for height in 1.. {
        let mut above: Vec<u32> = front
            .iter()
            .flat_map(|&vertex| near[vertex as usize].iter().map(|&wire| wires[wire].to))
            .filter(|&to| tier[to as usize].is_none())
            .collect();
        above.sort_unstable();
        above.dedup();
        let Some(&first) = above.first() else { break };
        above.iter().for_each(|&vertex| tier[vertex as usize] = Some(height));
        let down: Vec<usize> = near[first as usize]
            .iter()
            .copied()
            .filter(|&wire| tier[wires[wire].to as usize] == Some(height - 1))
            .collect();
        let up = near[first as usize].len() - down.len();
        let Some(&one) = down.first() else { return Err("a switch has nothing below it".into()) };
        let bundle = down.iter().filter(|&&wire| wires[wire].to == wires[one].to).count();
        let gbps = wires[one].capacity.bytes_per_second() * 8.0 / 1e9;
        let ns = wires[one].latency.as_ps() as f64 / 1000.0;
        if gbps.fract() != 0.0 || ns.fract() != 0.0 {
            return Err(format!("{gbps} Gb/s and {ns} ns are not whole numbers"));
        }
        text += &format!("\nTier {}\nDownlink_speed_Gbps {gbps}\nRadix_Down {}\n", height - 1, down.len());
        text += &if up > 0 { format!("Radix_Up {up}\n") } else { String::new() };
        text += &format!("Downlink_Latency_ns {ns}\n");
        text += &if bundle > 1 { format!("Bundle {bundle}\n") } else { String::new() };
        if height == 3 {
            pod = (nodes * bundle / down.len()) as u64;
        }
        front = above;
    }
    let count = tier.iter().flatten().max().copied().unwrap_or(0);
    let text = format!("Nodes {nodes}\nTiers {count}\nPodsize {pod}\n{text}");
    let mut reading = Reading::new(crate::Given::default());
    let again = read(&text, &mut reading);
    let same = again
        .filter(|_| !reading.is_wrong())
        .is_some_and(|again| signature_of(&again) == signature(&vertices, &wires));
    if same { Ok(text) } else { Err("tiers have switches of different kinds, or are wired otherwise".into()) }
}

/// By vertex, in order of kind and name: how many cables of which kind lead to neighbors of which degree.
type Signature = Vec<Vec<(bool, usize, u64, u64)>>;

fn signature(vertices: &[weir_topology::Vertex], wires: &[weir_topology::Wire]) -> Signature {
    let ends = wires.iter().map(|wire| (wire.from, wire.to, wire.capacity, wire.latency));
    signature_by(vertices, ends.collect())
}

fn signature_of(machine: &Machine) -> Signature {
    let mut ends = Vec::new();
    for cable in &machine.cables {
        if let (Some(rate), Some(time)) = (cable.bandwidth, cable.latency) {
            ends.push((cable.from, cable.to, rate, time));
            if cable.duplex {
                ends.push((cable.to, cable.from, rate, time));
            }
        }
    }
    signature_by(&machine.vertices, ends)
}

fn signature_by(vertices: &[weir_topology::Vertex], ends: Vec<(u32, u32, Bandwidth, Duration)>) -> Signature {
    let mut degree = vec![0; vertices.len()];
    ends.iter().for_each(|(from, ..)| degree[*from as usize] += 1);
    let mut of: Signature = vec![Vec::new(); vertices.len()];
    for (from, to, rate, time) in ends {
        let is_node = vertices[to as usize].kind == VertexKind::Node;
        of[from as usize].push((
            is_node,
            degree[to as usize],
            rate.bytes_per_second().to_bits(),
            time.as_ps(),
        ));
    }
    of.iter_mut().for_each(|near| near.sort_unstable());
    of.sort_unstable();
    of
}
