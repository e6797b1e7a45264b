//! Topologies of ns-3 as HPCC, SimAI and ASTRA-sim have them: counts, the numbers of the switches, then a line `a b 100Gbps 1us 0` for each link.
//!
//! Grammar: HPCC's config_doc.txt. The first line has the numbers of nodes, switches and links; in SimAI those of nodes, GPUs of a server, NVSwitches, switches, links,
//! and the kind of GPU, of which the switches are listed first. Hosts do not pass on what is for others. Where they have several links, as a GPU with NVLink and a NIC, or are joined without a switch, each has a
//! router of its own, and routes are those with the fewest links through switches, within a server through its NVSwitch; ns-3 chooses between equal ones by a hash of the flow, weir
//! by one of the pair of nodes.

use crate::machine::{Hop, Machine, Routes};
use crate::reading::Reading;
use crate::units::{rate, time};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use weir_units::{Bandwidth, Duration, mix};

struct Link {
    ends: [u32; 2],
    bandwidth: Bandwidth,
    latency: Duration,
    line: usize,
}

struct Counts {
    nodes: u32,
    switches: u32,
    nvswitches: u32,
    links: usize,
    gpus_per_server: u32,
}

pub(crate) fn read(text: &str, reading: &mut Reading) -> Option<Machine> {
    let mut rows = (1..).zip(text.lines());
    let (line, first) = rows.next()?;
    let counts = counts(first, line, reading)?;
    let mut switches = BTreeSet::new();
    let (line, row) = rows.next().unwrap_or((2, ""));
    for word in row.split_whitespace() {
        match word.parse::<u32>().ok().filter(|&number| number < counts.nodes) {
            Some(number) if switches.insert(number) => {}
            Some(_) => reading.wrong(line, word, "the switch is listed twice"),
            None => {
                reading.wrong(line, word, format!("expected numbers of switches, below {}", counts.nodes))
            }
        }
    }
    let expected = counts.switches + counts.nvswitches;
    if switches.len() != expected as usize {
        let what = format!("{} switches are listed, but the first line says {expected}", switches.len());
        reading.wrong(line, "", what);
    }
    let mut links = Vec::new();
    // HPCC's files explain themselves behind the last link.
    for (line, row) in rows.filter(|(_, row)| !row.trim().is_empty()) {
        if links.len() == counts.links {
            break;
        }
        links.extend(link(row, line, &counts, reading));
        if reading.is_wrong() && links.is_empty() {
            break;
        }
    }
    if links.len() != counts.links && !reading.is_wrong() {
        let what = format!("{} links are there, but the first line says {}", links.len(), counts.links);
        reading.wrong_whole(what, Some("the file is cut off"));
    }
    if reading.is_wrong() { None } else { build(&counts, &switches, &links, reading) }
}

fn counts(row: &str, line: usize, reading: &mut Reading) -> Option<Counts> {
    let words: Vec<&str> = row.split_whitespace().collect();
    let numbers: Vec<u32> = words.iter().map_while(|word| word.parse().ok()).collect();
    let counts = match (&numbers[..], words.len()) {
        (&[nodes, switches, links], 3) => {
            Counts { nodes, switches, nvswitches: 0, links: links as usize, gpus_per_server: 0 }
        }
        (&[nodes, gpus_per_server, nvswitches, switches, links], 6) => {
            Counts { nodes, switches, nvswitches, links: links as usize, gpus_per_server }
        }
        _ => {
            let hint = "SimAI's files have six words: nodes, GPUs of a server, NVSwitches, switches, links, kind of GPU";
            reading.wrong_with(line, row, "expected the numbers of nodes, switches and links", hint);
            return None;
        }
    };
    if words.len() == 6 {
        reading.note(format!("the kind of GPU, {}, says nothing about the network", words[5]));
    }
    if counts.nodes as usize > 2 * counts.links + 1 {
        reading.wrong(line, row, "there are too few links to connect so many nodes");
        return None;
    }
    if u64::from(counts.switches) + u64::from(counts.nvswitches) > u64::from(counts.nodes) {
        reading.wrong(line, row, "there are more switches than nodes");
        return None;
    }
    Some(counts)
}

fn link(row: &str, line: usize, counts: &Counts, reading: &mut Reading) -> Option<Link> {
    let words: Vec<&str> = row.split_whitespace().collect();
    let [a, b, bandwidth, latency, errors] = words[..] else {
        reading.wrong(
            line,
            row,
            "expected source, destination, rate, delay and error rate, as in 0 8 100Gbps 1us 0",
        );
        return None;
    };
    let mut end = |word: &str| {
        let number = word.parse::<u32>().ok().filter(|&number| number < counts.nodes);
        if number.is_none() {
            reading.wrong(line, word, format!("expected the number of a node, below {}", counts.nodes));
        }
        number
    };
    let (a, b) = (end(a), end(b));
    let (bandwidth, latency) = (
        rate(bandwidth).or_else(|| {
            reading.wrong(line, bandwidth, "expected a rate as 100Gbps, more than 0");
            None
        }),
        time(latency).or_else(|| {
            reading.wrong(line, latency, "expected a delay as 1us or 0.005ms");
            None
        }),
    );
    if errors.parse::<f64>() != Ok(0.0) {
        reading.cannot(line, errors, "links of weir lose nothing: the error rate is not 0");
    }
    Some(Link { ends: [a?, b?], bandwidth: bandwidth?, latency: latency?, line })
}

fn build(
    counts: &Counts,
    switches: &BTreeSet<u32>,
    links: &[Link],
    reading: &mut Reading,
) -> Option<Machine> {
    let mut degree: BTreeMap<u32, u32> = BTreeMap::new();
    let mut rates: BTreeMap<u32, f64> = BTreeMap::new();
    let mut own_routers = false;
    for link in links {
        let of_hosts = link.ends.iter().filter(|end| !switches.contains(end)).count();
        own_routers |= of_hosts == 2;
        for end in link.ends {
            let degree = degree.entry(end).or_default();
            *degree += 1;
            own_routers |= *degree > 1 && !switches.contains(&end);
            *rates.entry(end).or_default() += link.bandwidth.bytes_per_second();
        }
    }
    let mut machine = Machine::default();
    // The vertex at which the links of each number end.
    let mut place = Vec::new();
    let mut is_host = Vec::new();
    for number in 0..counts.nodes {
        if switches.contains(&number) {
            place.push(machine.router(&format!("switch {number}"), 2));
        } else {
            let node = machine.node(&format!("host {number}"), 1);
            if own_routers {
                let router = machine.router(&format!("host {number} router"), 1);
                let rate = rates.get(&number).and_then(|&rate| Bandwidth::new(rate));
                if rate.is_none() {
                    reading.wrong_whole(format!("host {number} has no link"), None);
                }
                machine.cable((node, router), rate, Some(Duration::ZERO), 1);
                place.push(router);
            } else {
                place.push(node);
            }
        }
        is_host.push(!switches.contains(&number));
    }
    for link in links {
        let [a, b] = link.ends.map(|end| place[end as usize]);
        machine.cable((a, b), Some(link.bandwidth), Some(link.latency), link.line);
    }
    // In a ring of hosts they do pass on what is for others: there is no other way.
    if own_routers && !switches.is_empty() {
        let routes = ByHops::new(counts, place, is_host, links, machine.vertices.len());
        machine.set_routes(Box::new(routes), reading);
    }
    Some(machine)
}

/// Routes with the fewest links, on which no host lies but the first and the last.
#[derive(Debug)]
struct ByHops {
    /// By number of the file: its vertex that is a router, whether it is a host, its neighbors.
    place: Vec<u32>,
    is_host: Vec<bool>,
    near: Vec<Vec<u32>>,
    /// The number of each vertex.
    number: Vec<u32>,
    gpus_per_server: u32,
    nvswitches: BTreeSet<u32>,
    /// Distances to the destination that was asked for last.
    distances: std::cell::RefCell<(u32, Vec<u32>)>,
}

impl ByHops {
    fn new(counts: &Counts, place: Vec<u32>, is_host: Vec<bool>, links: &[Link], vertices: usize) -> Self {
        let mut near = vec![Vec::new(); place.len()];
        for link in links {
            let [a, b] = link.ends;
            near[a as usize].push(b);
            near[b as usize].push(a);
        }
        near.iter_mut().for_each(|near| near.sort_unstable());
        let mut number = vec![0; vertices];
        for (own, &vertex) in (0..).zip(&place) {
            number[vertex as usize] = own;
            // The node is the vertex before its router.
            if is_host[own as usize] {
                number[vertex as usize - 1] = own;
            }
        }
        let hosts = is_host.iter().filter(|&&is_host| is_host).count() as u32;
        let nvswitches = (hosts..hosts + counts.nvswitches).collect();
        let distances = std::cell::RefCell::new((u32::MAX, Vec::new()));
        Self { place, is_host, near, number, gpus_per_server: counts.gpus_per_server, nvswitches, distances }
    }

    /// Numbers of links to a host.
    fn search(&self, to: u32) -> Vec<u32> {
        let mut distances = vec![u32::MAX; self.near.len()];
        distances[to as usize] = 0;
        let mut queue = VecDeque::from([to]);
        while let Some(here) = queue.pop_front() {
            if here != to && self.is_host[here as usize] {
                continue;
            }
            for &next in &self.near[here as usize] {
                if distances[next as usize] == u32::MAX {
                    distances[next as usize] = distances[here as usize] + 1;
                    queue.push_back(next);
                }
            }
        }
        distances
    }
}

impl Routes for ByHops {
    fn route(&self, from: u32, to: u32, hops: &mut Vec<Hop>) {
        let [from, to] = [from, to].map(|vertex| self.number[vertex as usize]);
        let mut known = self.distances.borrow_mut();
        if known.0 != to {
            *known = (to, self.search(to));
        }
        let distances = &known.1;
        let same_server =
            self.gpus_per_server > 0 && from / self.gpus_per_server == to / self.gpus_per_server;
        hops.clear();
        hops.push(Hop { router: self.place[from as usize], parallel: 0 });
        let mut here = from;
        while here != to {
            let closer: Vec<u32> = self.near[here as usize]
                .iter()
                .copied()
                .filter(|&next| next == to || !self.is_host[next as usize])
                .filter(|&next| distances[next as usize] < distances[here as usize])
                .collect();
            let of_server: Vec<u32> =
                closer.iter().copied().filter(|next| self.nvswitches.contains(next)).collect();
            let choices = if same_server && !of_server.is_empty() { &of_server } else { &closer };
            if choices.is_empty() {
                return;
            }
            let draw = mix(u64::from(from) << 40 ^ u64::from(to) << 20 ^ u64::from(here));
            let next = choices[weir_units::pick(draw, choices.len())];
            // Among several links to the same neighbor each choice stands for one.
            let parallel = choices.iter().filter(|&&choice| choice == next).count();
            let parallel = weir_units::pick(mix(draw), parallel) as u32;
            hops.push(Hop { router: self.place[next as usize], parallel });
            here = next;
        }
    }
}
