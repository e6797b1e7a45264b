//! Chakra execution traces (.et): a file `NAME.RANK.et` for each rank, of protobuf messages, each behind its length. The first may be the metadata.
//!
//! Read are the schemas since 2023-08 (`et_def.proto` of mlcommons/chakra): the numbers of fields and types that differ are distinguished by the field of attributes, 11 in the older and 10 in
//! the newer. Messages are taken apart here, without their schema, for unknown fields and nodes are to be passed over.
//!
//! # Model
//! Sizes are those of ASTRA-sim: an all-gather has `comm_size` of each rank, an all-to-all and a reduce-scatter `comm_size` of each rank for all. Times are microseconds. A node of the processor
//! (`is_cpu_op`) is on stream 0; others are on a stream of their own, one for each number of `stream`.

mod node;
mod wire;
mod write;

use crate::goal::section::{Edge, Entry, Section};
use crate::reading::Reading;
use crate::work::{self, Work};
pub(crate) use node::collective;
use node::{Kind, Node};
use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};
use weir_formats::MOST_RANKS;
use weir_formats::graph::GraphFile;
use weir_operations::{Operation, WORLD};
use weir_units::{Duration, Rank};
pub(crate) use write::{groups as groups_beside, write};

/// No message is longer: the metadata may hold a whole file.
const MOST_OF_A_MESSAGE: u64 = 256 << 20;
/// A file of groups as ASTRA-sim has it, beside the traces.
const GROUPS: &str = "comm_group.json";

/// Counts of all that was put right in the files.
#[derive(Default)]
struct Repaired {
    /// Nodes that others require, and that are not there.
    missing: u64,
    /// Nodes that require themselves.
    own: u64,
    /// Nodes of a stream, or collectives of a group, that nothing put in their order.
    ordered: u64,
}

pub(crate) fn read(path: &Path, reading: &mut Reading) -> Option<GraphFile> {
    let files = files(path, reading)?;
    let groups = groups(path, reading)?;
    let mut work = Work::new(files.len() as u64, 0, reading)?;
    let mut numbers = BTreeMap::new();
    for (number, (name, members)) in (2..).zip(&groups) {
        if members.iter().any(|member| *member as usize >= files.len()) {
            work.reading.wrong_whole(format!("{GROUPS}: group {name} has a rank that no file is of"), None);
            return None;
        }
        let members: Vec<Rank> = members.iter().map(|&member| Rank(member)).collect();
        numbers.insert(name.clone(), (number, members.len()));
        work.builder.define(number, (members, Vec::new()));
    }
    let mut repaired = Repaired::default();
    for (rank, file) in (0..).zip(&files) {
        let mut rank = OfRank {
            rank,
            ranks: files.len(),
            groups: &numbers,
            name: file.display().to_string(),
            work: &mut work,
            repaired: &mut repaired,
        };
        if let Err(what) = nodes(file).and_then(|nodes| rank.add(nodes)) {
            work.reading.wrong_whole(format!("{}: {what}", file.display()), None);
        }
    }
    let Repaired { missing, own, ordered } = repaired;
    if missing > 0 {
        work.reading.note(format!(
            "{missing} nodes that others require are not in the files: they are taken to be over"
        ));
    }
    if own > 0 {
        work.reading.note(format!(
            "{own} nodes require themselves, as some traces of PyTorch have it: that is left out"
        ));
    }
    if ordered > 0 {
        work.reading.note(format!("{ordered} nodes had no order among those of their stream or group: they go by the order of the file"));
    }
    work.finish()
}

/// The files of all ranks, by the name of one of them.
fn files(path: &Path, reading: &mut Reading) -> Option<Vec<PathBuf>> {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let parts = name.strip_suffix(".et").and_then(|name| name.rsplit_once('.'));
    let Some((stem, _)) = parts.filter(|(_, rank)| rank.parse::<u32>().is_ok()) else {
        // A trace alone.
        return Some(vec![path.to_owned()]);
    };
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let rank_of = |entry: std::fs::DirEntry| {
        let name = entry.file_name();
        let rank = name.to_str()?.strip_prefix(stem)?.strip_prefix('.')?.strip_suffix(".et")?;
        rank.parse::<u32>().ok()
    };
    let listed =
        std::fs::read_dir(folder).map_err(|error| reading.wrong_whole(error.to_string(), None)).ok()?;
    let mut ranks: Vec<u32> =
        listed.filter_map(Result::ok).filter_map(rank_of).filter(|&rank| rank < MOST_RANKS).collect();
    ranks.sort_unstable();
    if let Some((expected, found)) = (0..).zip(&ranks).find(|(expected, found)| expected != *found) {
        let what = format!(
            "{stem}.{expected}.et is missing: {stem}.{found}.et is the next, and ranks are counted from 0"
        );
        reading.wrong_whole(what, None);
        return None;
    }
    Some(ranks.into_iter().map(|rank| folder.join(format!("{stem}.{rank}.et"))).collect())
}

/// Groups of ranks by their names, from the file beside the traces, if there is one.
fn groups(path: &Path, reading: &mut Reading) -> Option<BTreeMap<String, Vec<u32>>> {
    let file = path.with_file_name(GROUPS);
    let Ok(text) = std::fs::read_to_string(&file) else { return Some(BTreeMap::new()) };
    let wrong = |error: serde_json::Error| {
        reading.wrong_whole(
            format!("{}: expected groups as in {{\"1\": [0, 1]}}: {error}", file.display()),
            None,
        )
    };
    serde_json::from_str(&text).map_err(wrong).ok()
}

/// The nodes of a file, in its order.
fn nodes(path: &Path) -> Result<Vec<Node>, String> {
    let cannot = |error: std::io::Error| format!("cannot be read: {error}");
    let mut input = BufReader::new(std::fs::File::open(path).map_err(cannot)?);
    let mut messages: Vec<Vec<u8>> = Vec::new();
    while let Some(length) = wire::length(&mut input)? {
        if length > MOST_OF_A_MESSAGE {
            return Err(format!("a message of {length} bytes: this is no trace, or it is damaged"));
        }
        let mut message = Vec::new();
        (&mut input).take(length).read_to_end(&mut message).map_err(cannot)?;
        if message.len() as u64 != length {
            return Err(format!("it is cut off in message {}", messages.len()));
        }
        messages.push(message);
    }
    if messages.is_empty() {
        return Err("it has no nodes".into());
    }
    // The first message is the metadata, which has no type, or a node, which has.
    let is_node = |message: &[u8]| {
        wire::fields(message)
            .flatten()
            .any(|(field, value)| field == 3 && matches!(value, wire::Value::Number(_)))
    };
    let begin = usize::from(!is_node(&messages[0]));
    let is_old =
        messages[begin..].iter().any(|message| wire::fields(message).flatten().any(|(field, _)| field == 11));
    let number = |(place, message): (usize, &Vec<u8>)| {
        Node::read(message, is_old).map_err(|what| format!("message {place}: {what}"))
    };
    messages.iter().enumerate().skip(begin).map(number).collect()
}

struct OfRank<'a, 'b> {
    rank: u32,
    ranks: usize,
    groups: &'a BTreeMap<String, (u32, usize)>,
    name: String,
    work: &'a mut Work<'b>,
    repaired: &'a mut Repaired,
}

impl OfRank<'_, '_> {
    fn add(&mut self, nodes: Vec<Node>) -> Result<(), String> {
        let mut places = BTreeMap::new();
        for (place, node) in (0_u32..).zip(&nodes) {
            if places.insert(node.id, place).is_some() {
                return Err(format!("node {} is there twice", node.id));
            }
        }
        let mut section = Section::default();
        let mut streams: BTreeMap<i64, u32> = BTreeMap::new();
        // What each node is one after the other with: its stream, or its group.
        let mut lanes: Vec<Vec<Lane>> = Vec::with_capacity(nodes.len());
        for (place, node) in (0_u32..).zip(&nodes) {
            let next = streams.len() as u32 + 2;
            let stream = match (node.is_on_cpu, node.stream) {
                (true, _) => 0,
                (false, None) => 1,
                (false, Some(number)) => *streams.entry(number).or_insert(next),
            };
            let operation = self.operation(node)?;
            let mut lane = Vec::new();
            if !node.is_on_cpu && node.stream.is_some() {
                lane.push(Lane::Stream(stream));
            }
            if let Operation::Collective { communicator, .. } = operation {
                lane.push(Lane::Group(communicator));
            }
            lanes.push(lane);
            section.operations.push(Entry { operation, stream, line: 0 });
            for id in &node.requires {
                match places.get(id) {
                    Some(&needs) if needs == place => self.repaired.own += 1,
                    Some(&needs) => section.edges.push(Edge { of: place, needs, begun: false }),
                    None => self.repaired.missing += 1,
                }
            }
        }
        if self.work.reading.given.skip {
            self.open_circles(&mut section);
        }
        self.put_in_order(&mut section, &lanes);
        let name = |place: u32| format!("node {} of {}", nodes[place as usize].id, self.name);
        section.finish(self.rank, &name, self.work);
        Ok(())
    }

    /// Leaves out requirements of nodes that come later in the file, where they go in a circle: traces of PyTorch have some of data that are changed in place.
    fn open_circles(&mut self, section: &mut Section) {
        let mut is_left = vec![true; section.operations.len()];
        section.order().into_iter().for_each(|place| is_left[place as usize] = false);
        let reading = &mut *self.work.reading;
        section.edges.retain(|&Edge { of, needs, .. }| {
            let closes = needs > of && is_left[of as usize] && is_left[needs as usize];
            if closes {
                reading.cannot(0, "", "nodes require each other in a circle: requirements of those that come later in the file are left out");
            }
            !closes
        });
    }

    /// Has nodes of one stream follow each other, and collectives of one group begin one after the other, where nothing else does.
    fn put_in_order(&mut self, section: &mut Section, lanes: &[Vec<Lane>]) {
        let mut known: BTreeSet<(u32, u32)> =
            section.edges.iter().map(|edge| (edge.of, edge.needs)).collect();
        let mut last: BTreeMap<Lane, u32> = BTreeMap::new();
        for of in section.order() {
            for &lane in &lanes[of as usize] {
                if let Some(needs) = last.insert(lane, of)
                    && known.insert((of, needs))
                {
                    section.edges.push(Edge { of, needs, begun: matches!(lane, Lane::Group(_)) });
                    self.repaired.ordered += 1;
                }
            }
        }
    }

    fn operation(&mut self, node: &Node) -> Result<Operation, String> {
        let wrong = |what: String| format!("node {}: {what}", node.id);
        let tag = || i32::try_from(node.tag).map_err(|_| wrong(format!("{} is no tag", node.tag)));
        match node.kind {
            Kind::Send => {
                Ok(work::send(node.to.ok_or_else(|| wrong("it has no comm_dst".into()))?, tag()?, node.bytes))
            }
            Kind::Receive => {
                let from = node.from.ok_or_else(|| wrong("it has no comm_src".into()))?;
                Ok(work::receive(Some(from), Some(tag()?), node.bytes))
            }
            Kind::Collective(_) => {
                let (communicator, size) = match (&node.group, node.has_part) {
                    (_, true) => return Err(wrong("involved_dim leaves out dimensions of the network: a group in comm_group.json, which pg_name names, says the same".into())),
                    (Some(name), _) => match self.groups.get(name) {
                        Some(known) => *known,
                        None if self.groups.is_empty() && ["", "0", "default_pg"].contains(&&**name) => (WORLD, self.ranks),
                        None => return Err(wrong(format!("there is no group {name:?}: {GROUPS} beside the traces says the ranks of each group, as in {{\"1\": [0, 1]}}"))),
                    },
                    (None, _) => (WORLD, self.ranks),
                };
                let collective = node.collective(size as u64).map_err(wrong)?;
                Ok(work::collective(collective, communicator))
            }
            Kind::Computes => {
                let ns = node.micros.checked_mul(1000).and_then(work::compute_ns);
                ns.ok_or_else(|| wrong("it computes for longer than 213 days".into()))
            }
            Kind::Memory => {
                self.work.reading.cannot(
                    0,
                    &node.id.to_string(),
                    "loads and stores of remote memory have no task; left out, they take no time",
                );
                Ok(Operation::Compute { time: Duration::ZERO })
            }
            Kind::Nothing => Ok(Operation::Compute { time: Duration::ZERO }),
        }
    }
}

/// Nodes that are one after the other.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Lane {
    Stream(u32),
    Group(u32),
}
