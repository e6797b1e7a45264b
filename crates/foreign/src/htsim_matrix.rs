//! Connection matrices of htsim (.cm): `0->13 id 1 start 0 size 2000000`, with triggers.
//!
//! Grammar: `ConnectionMatrix` of csg-htsim: starts are picoseconds, sizes bytes. A connection is a message that its rank posts at its start. A connection that waits for a
//! trigger of the sending of another one of the same rank follows it when that has left. Triggers that other ranks or several connections pull, `recv_done_trigger`, barriers, priorities
//! and failures cannot be said in a pattern.

use crate::reading::Reading;
use std::collections::BTreeMap;
use weir_units::{Bytes, Duration, Rank};
use weir_workload::{Entry, Script};

struct Connection {
    from: u32,
    to: u32,
    size: u64,
    start: Option<u64>,
    trigger: Option<u32>,
    done: Option<u32>,
    line: usize,
}

pub(crate) fn read(text: &str, reading: &mut Reading) -> Option<Script> {
    let mut head: BTreeMap<&str, u64> = BTreeMap::new();
    let mut connections = Vec::new();
    let mut triggers = BTreeMap::new();
    for (line, row) in (1..).zip(text.lines()) {
        let words: Vec<&str> = row.split_whitespace().collect();
        match words[..] {
            [] => {}
            [first, ..] if first.starts_with('#') => {}
            [key @ ("Nodes" | "Connections" | "Triggers" | "Failures"), count] => match count.parse() {
                Ok(count) => _ = head.insert(key, count),
                Err(_) => reading.wrong(line, row, "expected a number"),
            },
            ["trigger", ..] => trigger(&words, line, &mut triggers, reading),
            ["failure", ..] => {
                reading.cannot(line, row, "failures of switches are keys of [faults], not of a pattern")
            }
            [ends, ..] if ends.contains("->") => connections.extend(connection(&words, line, &head, reading)),
            _ => reading.wrong(line, row, "expected a connection as in 0->13 id 1 start 0 size 2000000"),
        }
    }
    for (key, found) in [("Connections", connections.len()), ("Triggers", triggers.len())] {
        let said = head.get(key).copied().unwrap_or(0);
        if said != found as u64 && !reading.is_wrong() {
            reading
                .wrong_whole(format!("{key} {said}, but {found} are there"), Some("the file may be cut off"));
        }
    }
    let nodes = head.get("Nodes").copied().filter(|&nodes| (1..=1 << 24).contains(&nodes));
    if nodes.is_none() {
        reading.wrong_whole("the head has no Nodes, from 1 to 16777216", None);
    }
    let nodes = nodes.filter(|_| !reading.is_wrong())?;
    Chains { connections: &connections }.script(nodes as usize, reading)
}

fn trigger(words: &[&str], line: usize, triggers: &mut BTreeMap<u32, usize>, reading: &mut Reading) {
    let (mut id, mut words) = (None, words[1..].iter());
    while let Some(&word) = words.next() {
        match word {
            "id" => id = words.next().and_then(|word| word.parse::<u32>().ok()).filter(|&id| id > 0),
            "oneshot" => {}
            "count" => _ = words.next(),
            "multishot" | "barrier" => {
                reading.cannot(line, word, "a pattern has triggers of one connection only");
            }
            _ => reading.wrong(line, word, "unknown word of a trigger"),
        }
    }
    match id {
        Some(id) => {
            if triggers.insert(id, line).is_some() {
                reading.wrong(line, &id.to_string(), "the trigger is there twice");
            }
        }
        None => reading.wrong(line, "", "the trigger has no id, at least 1"),
    }
}

fn connection(
    words: &[&str],
    line: usize,
    head: &BTreeMap<&str, u64>,
    reading: &mut Reading,
) -> Option<Connection> {
    let nodes = head.get("Nodes").copied().unwrap_or(0);
    let ends = words[0]
        .split_once("->")
        .and_then(|(from, to)| Some([from.parse::<u32>().ok()?, to.parse::<u32>().ok()?]));
    let Some([from, to]) = ends.filter(|ends| ends.iter().all(|&end| u64::from(end) < nodes)) else {
        reading.wrong(line, words[0], format!("expected FROM->TO, numbers below Nodes, {nodes}"));
        return None;
    };
    if from == to {
        reading.cannot(line, words[0], "a rank sends no message to itself in a pattern");
        return None;
    }
    let mut made = Connection { from, to, size: 0, start: None, trigger: None, done: None, line };
    let mut has_size = false;
    let mut words = words[1..].iter();
    while let Some(&word) = words.next() {
        if ["msg", "addon"].contains(&word) {
            if word == "addon" {
                reading.cannot(line, word, "a pattern cannot add to a message");
            }
            continue;
        }
        let value = words.next().copied().unwrap_or_default();
        let whole = value.parse::<u64>().ok();
        let small = whole.and_then(|number| u32::try_from(number).ok());
        let is_right = match word {
            "id" => small.is_some(),
            "size" => {
                made.size = whole.unwrap_or(0);
                has_size = true;
                whole.is_some()
            }
            "start" => {
                let start = value.parse::<f64>().ok().filter(|start| (0.0..1e19).contains(start));
                made.start = start.map(|start| start.round() as u64);
                start.is_some()
            }
            "trigger" => {
                made.trigger = small;
                small.is_some()
            }
            "send_done_trigger" => {
                made.done = small;
                small.is_some()
            }
            "recv_done_trigger" => {
                reading.cannot(line, word, "a pattern cannot wait for what another rank has received");
                true
            }
            "prio" => {
                reading.cannot(line, word, "messages of a pattern have no priority");
                true
            }
            _ => {
                reading.wrong(line, word, "unknown word of a connection");
                return None;
            }
        };
        if !is_right {
            reading.wrong(line, &format!("{word} {value}"), "expected a whole number behind it");
            return None;
        }
    }
    if !has_size || made.start.is_some() == made.trigger.is_some() {
        reading.wrong(line, words_of(&made).as_str(), "a connection has a size, and a start or a trigger");
        return None;
    }
    Some(made)
}

fn words_of(connection: &Connection) -> String {
    format!("{}->{}", connection.from, connection.to)
}

struct Chains<'a> {
    connections: &'a [Connection],
}

impl Chains<'_> {
    /// Each rank works through its chains. One chain becomes sends, each behind the one before; connections on their own are posts; several chains of a rank at once cannot be kept apart
    /// in a list, for an entry that waits holds up the others.
    fn script(&self, nodes: usize, reading: &mut Reading) -> Option<Script> {
        let mut pulled_by: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
        for (number, connection) in self.connections.iter().enumerate() {
            if let Some(trigger) = connection.done {
                pulled_by.entry(trigger).or_default().push(number);
            }
        }
        // Behind each connection: those that it triggers.
        let mut next: Vec<Option<usize>> = vec![None; self.connections.len()];
        let mut is_behind = vec![false; self.connections.len()];
        for (number, connection) in self.connections.iter().enumerate() {
            let Some(trigger) = connection.trigger else { continue };
            let what = match pulled_by.get(&trigger).map(Vec::as_slice) {
                Some(&[puller]) if self.connections[puller].from != connection.from => {
                    "a trigger that another rank pulls"
                }
                Some(&[puller]) if next[puller].is_some() => "several connections that wait for one trigger",
                Some(&[puller]) => {
                    next[puller] = Some(number);
                    is_behind[number] = true;
                    continue;
                }
                Some(_) => "a trigger that several connections pull",
                None => "a trigger that nothing pulls",
            };
            reading.cannot(
                connection.line,
                &trigger.to_string(),
                &format!("{what} cannot be said in a pattern"),
            );
        }
        let mut lists: Vec<Vec<Entry>> = vec![Vec::new(); nodes];
        let mut chain_of: BTreeMap<u32, usize> = BTreeMap::new();
        let mut used = 0;
        let first = |&number: &usize| !is_behind[number] && self.connections[number].trigger.is_none();
        let mut starts: Vec<usize> = (0..self.connections.len()).filter(first).collect();
        // What a rank only posts comes before its chain.
        starts.sort_by_key(|&number| next[number].is_some());
        for start in starts {
            let Connection { from, line, .. } = self.connections[start];
            if next[start].is_some() && chain_of.insert(from, start).is_some() {
                reading.cannot(
                    line,
                    &words_of(&self.connections[start]),
                    "a second chain of triggers of one rank cannot be said in a pattern",
                );
                used += 1 + std::iter::successors(next[start], |&number| next[number]).count();
                continue;
            }
            let mut here = Some(start);
            while let Some(number) = here {
                let &Connection { to, size, start, .. } = &self.connections[number];
                let (to, bytes, wait) =
                    (Rank::new(to as usize), Bytes(size), Duration::from_ps(start.unwrap_or(0)));
                here = next[number];
                let entry = if here.is_some() {
                    Entry::Send { to, bytes, wait }
                } else {
                    Entry::Post { to, bytes, wait }
                };
                lists[from as usize].push(entry);
                used += 1;
            }
        }
        let lost = self
            .connections
            .iter()
            .zip(&is_behind)
            .filter(|(connection, is_behind)| connection.trigger.is_some() && !**is_behind)
            .count();
        if used + lost < self.connections.len() && !reading.is_wrong() {
            reading.wrong_whole("triggers wait for each other in a circle", None);
        }
        // All ranks are below Nodes.
        Script::new(lists).ok()
    }
}
