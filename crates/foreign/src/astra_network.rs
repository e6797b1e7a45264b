//! Networks of ASTRA-sim's analytical backends: `topology: [ Ring, Switch ]`, `npus_count: [ 4, 2 ]`, `bandwidth`, `latency`, one value for each dimension.
//!
//! Grammar: the files of astra-network-analytical; newer ones have the same in JSON. An NPU is a node and has a router of its own, from which a cable for each dimension starts:
//! to the neighbors in a ring, to all others of a full connection, to the switch. `GB/s` is 2^30 B/s there: so its answers of 1 MiB are repeated to the nanosecond. NPU i has the coordinate i modulo the first
//! size in the first dimension, which counts fastest.

use crate::machine::Machine;
use crate::reading::Reading;
use std::collections::BTreeMap;
use weir_units::{Bandwidth, Duration};

/// More NPUs than a file of numbers should ask for.
const MOST_NPUS: u64 = 1 << 20;
/// More cables, as of full connections of thousands of NPUs.
const MOST_CABLES: u64 = 1 << 24;

type Lists = BTreeMap<String, (Vec<String>, usize)>;

pub(crate) fn read(text: &str, reading: &mut Reading) -> Option<Machine> {
    let lists =
        if text.trim_start().starts_with('{') { of_json(text, reading)? } else { of_yaml(text, reading) };
    for (key, (_, line)) in &lists {
        if !["topology", "npus_count", "bandwidth", "latency"].contains(&key.as_str()) {
            reading.cannot(*line, key, "a key of ASTRA-sim that no cable has");
        }
    }
    let mut list = |key: &str| {
        let found = lists.get(key);
        if found.is_none() {
            reading.wrong_whole(format!("the key {key} is missing"), None);
        }
        found
    };
    let (kinds, counts, rates, times) =
        (list("topology")?, list("npus_count")?, list("bandwidth")?, list("latency")?);
    for (key, of) in [("npus_count", counts), ("bandwidth", rates), ("latency", times)] {
        if of.0.len() != kinds.0.len() {
            let what =
                format!("{key} has {} values for {} dimensions of topology", of.0.len(), kinds.0.len());
            reading.wrong(of.1, key, what);
        }
    }
    if reading.is_wrong() {
        return None;
    }
    let mut dimensions = Vec::new();
    for (place, kind) in kinds.0.iter().enumerate() {
        let line = |of: &(Vec<String>, usize)| of.1;
        let number = |of: &(Vec<String>, usize)| of.0[place].parse::<f64>().ok();
        let size = counts.0[place].parse::<u32>().ok().filter(|&size| size > 0);
        if size.is_none() {
            reading.wrong(line(counts), &counts.0[place], "expected a number of NPUs, at least 1");
        }
        let rate = number(rates).and_then(|rate| Bandwidth::new(rate * f64::from(1 << 30)));
        if rate.is_none() {
            reading.wrong(line(rates), &rates.0[place], "expected a bandwidth in GB/s, more than 0");
        }
        let time = number(times).and_then(|time| Duration::from_secs_f64(time * 1e-9));
        if time.is_none() {
            reading.wrong(line(times), &times.0[place], "expected a latency in ns");
        }
        let kind = match kind.as_str() {
            "Ring" => Some(Kind::Ring),
            "FullyConnected" => Some(Kind::Full),
            "Switch" => Some(Kind::Switch),
            _ => None,
        };
        if kind.is_none() {
            reading.wrong(line(kinds), &kinds.0[place], "expected Ring, FullyConnected or Switch");
        }
        if let (Some(kind), Some(size), Some(rate), Some(time)) = (kind, size, rate, time) {
            dimensions.push(Dimension { kind, size, rate, time });
        }
    }
    if reading.is_wrong() { None } else { build(&dimensions, kinds.1, reading) }
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Ring,
    Full,
    Switch,
}

struct Dimension {
    kind: Kind,
    size: u32,
    rate: Bandwidth,
    time: Duration,
}

impl Dimension {
    /// The number of cables that an NPU has here.
    fn degree(&self) -> u32 {
        match self.kind {
            _ if self.size == 1 => 0,
            Kind::Ring => 2.min(self.size - 1),
            Kind::Full => self.size - 1,
            Kind::Switch => 1,
        }
    }
}

fn build(dimensions: &[Dimension], line: usize, reading: &mut Reading) -> Option<Machine> {
    let npus = dimensions.iter().try_fold(1_u64, |all, one| all.checked_mul(u64::from(one.size)));
    let npus = npus.filter(|&npus| npus <= MOST_NPUS);
    let cables = npus
        .map(|npus| dimensions.iter().map(|one| npus.saturating_mul(u64::from(one.degree()))).sum::<u64>());
    let (Some(npus), Some(_)) = (npus, cables.filter(|&cables| cables <= MOST_CABLES)) else {
        let what = format!("the network has more than {MOST_NPUS} NPUs or {MOST_CABLES} cables");
        reading.wrong(line, "", what);
        return None;
    };
    let npus = npus as u32;
    let mut machine = Machine::default();
    // The cable of a node with its router is as wide as all others of the router, and takes no time.
    let all: f64 = dimensions.iter().map(|one| f64::from(one.degree()) * one.rate.bytes_per_second()).sum();
    let own = Bandwidth::new(all).unwrap_or(dimensions[0].rate);
    let mut routers = Vec::new();
    for npu in 0..npus {
        let node = machine.node(&format!("npu {npu}"), line);
        let router = machine.router(&format!("npu {npu} router"), line);
        machine.cable((node, router), Some(own), Some(Duration::ZERO), line);
        routers.push(router);
    }
    let mut stride = 1;
    for (place, &Dimension { kind, size, rate, time }) in dimensions.iter().enumerate() {
        let mut switches = BTreeMap::new();
        for npu in 0..npus {
            let own = npu / stride % size;
            let first = npu - own * stride;
            let mut join = |a: u32, b: u32| machine.cable((a, b), Some(rate), Some(time), line);
            let at = |other: u32| routers[(first + other * stride) as usize];
            match kind {
                _ if size == 1 => {}
                Kind::Ring if size == 2 && own == 1 => {}
                Kind::Ring => join(at(own), at((own + 1) % size)),
                Kind::Full => (own + 1..size).for_each(|other| join(at(own), at(other))),
                Kind::Switch => {
                    let switch = match switches.get(&first) {
                        Some(&switch) => switch,
                        None => {
                            let switch = machine.router(
                                &format!("switch {} of dimension {}", switches.len(), place + 1),
                                line,
                            );
                            switches.insert(first, switch);
                            switch
                        }
                    };
                    machine.cable((at(own), switch), Some(rate), Some(time), line);
                }
            }
        }
        stride *= size;
    }
    Some(machine)
}

/// Lines `key: [ a, b ]` or `key: a`; a list may go on over lines.
fn of_yaml(text: &str, reading: &mut Reading) -> Lists {
    let mut lists = Lists::new();
    let mut open: Option<(String, String, usize)> = None;
    for (line, row) in (1..).zip(text.lines()) {
        let row = row.split('#').next().unwrap_or_default().trim();
        if row.is_empty() || row == "---" {
            continue;
        }
        let (key, value, first) = match open.take() {
            Some((key, _, first)) if row.contains(':') => {
                reading.wrong(first, &key, "the list is not closed: the file may be cut off");
                continue;
            }
            Some((key, begin, first)) => (key, begin + " " + row, first),
            None => match row.split_once(':') {
                Some((key, value)) => (key.trim().to_owned(), value.trim().to_owned(), line),
                None => {
                    reading.wrong(line, row, "expected a line as topology: [ Ring ]");
                    continue;
                }
            },
        };
        if value.starts_with('[') && !value.ends_with(']') {
            open = Some((key, value, first));
            continue;
        }
        let items = value.trim_start_matches('[').trim_end_matches(']').split(',');
        let items: Vec<String> = items.map(|item| item.trim().trim_matches(['"', '\'']).to_owned()).collect();
        if lists.insert(key.clone(), (items, first)).is_some() {
            reading.wrong(first, &key, "the key is there twice");
        }
    }
    if let Some((key, _, first)) = open {
        reading.wrong(first, &key, "the list is not closed: the file is cut off");
    }
    lists
}

fn of_json(text: &str, reading: &mut Reading) -> Option<Lists> {
    let value: serde_json::Map<String, serde_json::Value> = match serde_json::from_str(text) {
        Ok(value) => value,
        Err(error) => {
            reading.wrong(error.line(), "", format!("not JSON: {error}"));
            return None;
        }
    };
    let text_of = |value: &serde_json::Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let line_of = |key: &str| {
        1 + text.split(&format!("\"{key}\"")).next().map_or(0, |before| before.matches('\n').count())
    };
    let list = |(key, value): (&String, &serde_json::Value)| {
        let items = value
            .as_array()
            .map_or_else(|| vec![text_of(value)], |items| items.iter().map(text_of).collect());
        // Older files have a dash in place of an underscore.
        (key.replace('-', "_"), (items, line_of(key)))
    };
    Some(value.iter().map(list).collect())
}
