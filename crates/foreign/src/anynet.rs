//! Networks of BookSim (anynet): `router 0 node 0 router 1 10`, a line for what a router is connected to.
//!
//! Grammar and meaning: README beside BookSim2's example `anynet`. A number behind a router is the latency of the channel towards it in cycles, for this direction
//! only; behind a node that of both of its channels. Without one a channel takes one cycle. A link between routers may be named at either end. BookSim knows
//! no bandwidths: a channel passes a flit in each cycle.

use crate::machine::Machine;
use crate::reading::Reading;
use std::collections::BTreeMap;
use std::io::{self, Write};
use weir_topology::{Topology, VertexKind};
use weir_units::Duration;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    Router(u32),
    Node(u32),
}

struct Channel {
    cycles: Option<u64>,
    line: usize,
}

pub(crate) fn read(text: &str, reading: &mut Reading) -> Option<Machine> {
    // By both ends: that at which data enter first.
    let mut channels: BTreeMap<(Place, Place), Channel> = BTreeMap::new();
    let mut first_line: BTreeMap<Place, usize> = BTreeMap::new();
    let mut home: BTreeMap<u32, u32> = BTreeMap::new();
    for (line, row) in (1..).zip(text.lines()) {
        let words: Vec<&str> = row.split_whitespace().collect();
        let Some(items) = items(&words, line, reading) else { continue };
        let Some((&(head, _), others)) = items.split_first() else { continue };
        first_line.entry(head).or_insert(line);
        for &(other, cycles) in others {
            first_line.entry(other).or_insert(line);
            if let Some((node, router)) = of_node(head, other) {
                if *home.entry(node).or_insert(router) != router {
                    reading.wrong(
                        line,
                        row,
                        format!("node {node} is connected to several routers, which BookSim does not have"),
                    );
                }
            } else if matches!((head, other), (Place::Node(_), Place::Node(_))) {
                reading.wrong(line, row, "a node is connected to a node without a router");
            }
            let back = if of_node(head, other).is_some() { cycles } else { None };
            for (ends, cycles) in [((head, other), cycles), ((other, head), back)] {
                let channel = channels.entry(ends).or_insert(Channel { cycles: None, line });
                match (channel.cycles, cycles) {
                    (Some(known), Some(cycles)) if known != cycles => {
                        let first = channel.line;
                        reading.wrong(line, row, format!("the channel has another latency on line {first}"));
                    }
                    (None, Some(_)) => *channel = Channel { cycles, line },
                    _ => {}
                }
            }
        }
    }
    if first_line.is_empty() {
        reading.wrong_whole("the file names no router", None);
    }
    build(&channels, &first_line, reading)
}

fn of_node(a: Place, b: Place) -> Option<(u32, u32)> {
    match (a, b) {
        (Place::Node(node), Place::Router(router)) | (Place::Router(router), Place::Node(node)) => {
            Some((node, router))
        }
        _ => None,
    }
}

/// The routers and nodes of a line, each with the number behind it.
fn items(words: &[&str], line: usize, reading: &mut Reading) -> Option<Vec<(Place, Option<u64>)>> {
    let mut items: Vec<(Place, Option<u64>)> = Vec::new();
    let mut words = words.iter().peekable();
    while let Some(&word) = words.next() {
        let number = words.next().and_then(|number| number.parse().ok());
        let place = match (word, number) {
            ("router", Some(number)) => Place::Router(number),
            ("node", Some(number)) => Place::Node(number),
            _ => {
                reading.wrong(
                    line,
                    word,
                    "expected router or node with its number, as in \"router 0 node 0 router 1 10\"",
                );
                return None;
            }
        };
        let cycles = words.peek().and_then(|word| word.parse::<u64>().ok());
        if cycles.is_some() {
            words.next();
        }
        if items.is_empty() && cycles.is_some() {
            reading.wrong(line, word, "the first router or node of a line has no latency");
            return None;
        }
        if cycles == Some(0) {
            reading.wrong(line, word, "a channel takes at least one cycle");
            return None;
        }
        items.push((place, cycles));
    }
    if let [(head, _), others @ ..] = &items[..]
        && others.iter().any(|(other, _)| other == head)
    {
        reading.wrong(line, "", "something is connected to itself");
        return None;
    }
    Some(items)
}

fn build(
    channels: &BTreeMap<(Place, Place), Channel>,
    lines: &BTreeMap<Place, usize>,
    reading: &mut Reading,
) -> Option<Machine> {
    let cycle = reading.given.latency;
    let most = channels.values().filter_map(|channel| channel.cycles).max();
    if most.is_some_and(|most| most > 1) && cycle.is_none() {
        let hint = "topology.latency in an experiment, --latency for weir convert";
        reading
            .wrong_whole("latencies are numbers of cycles: the time of a cycle has to be given", Some(hint));
    }
    let mut machine = Machine::default();
    let vertices: BTreeMap<Place, u32> = lines
        .iter()
        .map(|(&place, &line)| match place {
            Place::Router(number) => (place, machine.router(&format!("router {number}"), line)),
            Place::Node(number) => (place, machine.node(&format!("node {number}"), line)),
        })
        .collect();
    for ((from, to), channel) in channels {
        let ends = (vertices[from], vertices[to]);
        let cycles = channel.cycles.unwrap_or(1);
        let latency = cycle.map(|cycle| Duration::from_ps(cycle.as_ps().saturating_mul(cycles)));
        machine.cable(ends, reading.given.bandwidth, latency, channel.line);
        if let Some(last) = machine.cables.last_mut() {
            last.duplex = false;
        }
    }
    Some(machine)
}

/// Writes a machine whose nodes have one cable each: latencies in cycles, of which one is the largest time that all are multiples of.
pub(crate) fn write(machine: &Topology, out: &mut dyn Write) -> io::Result<Result<Vec<String>, String>> {
    let (vertices, wires) = machine.to_vertices_and_wires();
    let mut cycle = 0;
    for wire in &wires {
        cycle = divisor(cycle, wire.latency.as_ps());
    }
    let cycles = |latency: Duration| latency.as_ps().checked_div(cycle).unwrap_or(1);
    if wires.iter().any(|wire| cycle > 0 && wire.latency.as_ps() == 0) {
        return Ok(Err(
            "some cables have no latency: a channel of BookSim takes at least one cycle".to_owned()
        ));
    }
    let numbers: Vec<u32> = numbered(&vertices);
    let mut seen = std::collections::BTreeSet::new();
    let mut lines: BTreeMap<u32, Vec<(u32, u64)>> = BTreeMap::new();
    for wire in &wires {
        if !seen.insert((wire.from, wire.to)) {
            return Ok(Err(format!(
                "two cables join {:?} and {:?}, of which BookSim has one",
                vertices[wire.from as usize].name, vertices[wire.to as usize].name
            )));
        }
        // Channels of nodes are written at the router.
        if vertices[wire.from as usize].kind != VertexKind::Node {
            lines.entry(wire.from).or_default().push((wire.to, cycles(wire.latency)));
        }
    }
    for (router, others) in &lines {
        write!(out, "router {}", numbers[*router as usize])?;
        for (other, cycles) in others {
            let kind = if vertices[*other as usize].kind == VertexKind::Node { "node" } else { "router" };
            write!(out, " {kind} {} {cycles}", numbers[*other as usize])?;
        }
        writeln!(out)?;
    }
    let rates = wires.iter().map(|wire| wire.capacity.bytes_per_second());
    let (least, most) =
        rates.fold((f64::INFINITY, 0.0_f64), |(low, high), rate| (low.min(rate), high.max(rate)));
    let mut notes = vec![format!(
        "a cycle is {}",
        if cycle == 0 {
            "any time: no cable has a latency".to_owned()
        } else {
            Duration::from_ps(cycle).to_string()
        }
    )];
    if least < most {
        notes.push(
            "bandwidths differ, of which BookSim knows nothing: each channel passes a flit in a cycle"
                .to_owned(),
        );
    }
    Ok(Ok(notes))
}

/// By vertex: its number among the nodes, or among the routers.
fn numbered(vertices: &[weir_topology::Vertex]) -> Vec<u32> {
    let (mut nodes, mut routers) = (0..u32::MAX, 0..u32::MAX);
    let number = |vertex: &weir_topology::Vertex| {
        let counter = if vertex.kind == VertexKind::Node { &mut nodes } else { &mut routers };
        counter.next().expect("there are fewer vertices than 32-bit numbers")
    };
    vertices.iter().map(number).collect()
}

fn divisor(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { divisor(b, a % b) }
}
