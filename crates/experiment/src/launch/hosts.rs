//! Which node of the machine a host is.
//!
//! `mapping.hosts` says it, a table or a file. Without it hosts are vertices of a graph that have their names; or nodes by the numbers in which
//! their names end, as `node0012`, if all names are alike before and there are nodes of these numbers; or nodes in the order in which they come
//! first. The last two are noted.

use super::{FileMistake, Line, content, is_number};
use crate::keys::KeyPath;
use crate::keys::form::{Form, PathText, written};
use crate::source::read_text;
use crate::source::tree::{Entry, Value};
use crate::{Problem, Units};
use serde_json::{Value as Json, json};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use weir_foreign::host_list::expanded;
use weir_topology::Topology;
use weir_units::NodeId;

/// The values of `mapping.hosts`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Hosts {
    /// A file with a host and its node in each line.
    File(PathBuf),
    /// Hosts, or lists of hosts as Slurm writes them, and the node of the first.
    Table(Vec<(String, String)>),
}

pub(crate) struct HostTable;

impl Form<Hosts> for HostTable {
    fn read(&self, at: &mut KeyPath<'_>, entry: &Entry) -> Option<Hosts> {
        let Value::Table(table) = &entry.value else { return PathText.read(at, entry).map(Hosts::File) };
        let rows = table.entries.iter().map(|(name, entry)| match entry.value {
            Value::Text(_) | Value::Integer(_) => Some((name.clone(), written(entry).to_owned())),
            _ => {
                let hint = "write { node001 = 0, node002 = 1 }, or { \"node[001-512]\" = 0 }".to_owned();
                at.wrong_with_hint(entry, format!("{name}: must be a node"), hint)
            }
        });
        rows.collect::<Option<Vec<_>>>().map(Hosts::Table)
    }

    fn schema(&self) -> Json {
        let node = json!({ "type": ["string", "integer"] });
        json!({ "anyOf": [PathText.schema(), { "type": "object", "additionalProperties": node }] })
    }

    fn write(&self, units: Units, hosts: &Hosts) -> Json {
        match hosts {
            Hosts::File(path) => PathText.write(units, path),
            Hosts::Table(rows) => {
                Json::Object(rows.iter().map(|(host, node)| (host.clone(), json!(node))).collect())
            }
        }
    }
}

pub(crate) struct Directory {
    node_of: BTreeMap<String, NodeId>,
    /// The nodes of the hosts of a list that was given, in its order.
    listed: Vec<NodeId>,
    pub(crate) note: Option<String>,
    /// Description of the names that it knows.
    pub(crate) expected: String,
}

/// A name without its domain; addresses have none.
fn short(name: &str) -> &str {
    let is_address = name.split('.').all(is_number);
    if is_address { name } else { name.split('.').next().unwrap_or(name) }
}

/// The line if a file says it, the list of hosts, and the node of its first one.
type HostRow<'a> = (Option<Line<'a>>, &'a str, &'a str);

impl Directory {
    /// The nodes of these hosts, each named once: by the table, or without one by their names.
    pub(crate) fn of(names: &[&str], table: Option<&Hosts>, on: &Topology) -> Result<Self, Vec<Problem>> {
        let (file, found) = match table {
            None => return Ok(Self::by_names(names, on)),
            Some(Hosts::Table(rows)) => {
                let rows = rows.iter().map(|(list, node)| (None, list.as_str(), node.as_str()));
                ("mapping.hosts".to_owned(), Self::by_rows(rows.collect(), on))
            }
            Some(Hosts::File(path)) => {
                let text = read_text::read(path, read_text::MOST_DATA)
                    .map_err(|error| vec![FileMistake::new(error.line, "", error.what)]);
                (path.display().to_string(), text.and_then(|text| Self::by_file(&text, on)))
            }
        };
        let problem = |mistake: FileMistake| mistake.problem(&file, "mapping.hosts");
        found.map_err(|mistakes| mistakes.into_iter().map(problem).collect())
    }

    /// The node of a host: by its whole name, or without its domain; `+n3` is the fourth of a list.
    pub(crate) fn node(&self, name: &str, machine: &Topology) -> Option<NodeId> {
        if let Some(number) = relative(name) {
            return match self.listed.is_empty() {
                true => Some(number).filter(|&number| number < machine.nodes()).map(NodeId::new),
                false => self.listed.get(number).copied(),
            };
        }
        self.node_of.get(name).or_else(|| self.node_of.get(short(name))).copied()
    }

    fn by_file(text: &str, machine: &Topology) -> Result<Self, Vec<FileMistake>> {
        let mut rows = Vec::new();
        let mut names = Vec::new();
        let mut bare = None;
        for line in content(text) {
            let (list, rest) = line.text.split_once([' ', '\t']).unwrap_or((line.text, ""));
            let list =
                list.rsplit_once(':').filter(|(_, count)| is_number(count)).map_or(list, |(list, _)| list);
            match rest.trim() {
                rest if rest.is_empty() || rest.contains('=') => {
                    bare = Some(line);
                    names.extend(expanded(list).map_err(|what| vec![line.faulty(what)])?);
                }
                node => rows.push((Some(line), list, node)),
            }
        }
        match bare {
            Some(line) if !rows.is_empty() => {
                Err(vec![line.faulty("has no node behind its host, as other lines have")])
            }
            None => Self::by_rows(rows, machine),
            Some(_) => {
                let mut seen = BTreeSet::new();
                let once = names.iter().map(String::as_str).filter(|name| seen.insert(*name));
                let once: Vec<&str> = once.collect();
                let mut directory = Self::by_names(&once, machine);
                directory.listed = once.iter().filter_map(|name| directory.node(name, machine)).collect();
                Ok(directory)
            }
        }
    }

    fn by_rows(rows: Vec<HostRow<'_>>, machine: &Topology) -> Result<Self, Vec<FileMistake>> {
        let nodes_of = |list, node| {
            let Some(first) = machine.parse_address(node) else {
                return Err(format!("{node:?} is not {}", machine.address_form()));
            };
            let (names, nodes) = (expanded(list)?, machine.nodes());
            if first.index() + names.len() > nodes {
                let hosts = names.len();
                return Err(format!("has {hosts} hosts from node {first} on, and there are {nodes} nodes"));
            }
            Ok(names.into_iter().zip((first.index()..).map(NodeId::new)))
        };
        let (mut node_of, mut listed, mut mistakes) = (BTreeMap::new(), Vec::new(), Vec::new());
        for (line, list, node) in rows {
            let mut wrong = |what: String| {
                mistakes.push(match line {
                    Some(line) => line.faulty(what),
                    None => FileMistake::new(None, list, what),
                });
            };
            match nodes_of(list, node) {
                Err(what) => wrong(what),
                Ok(hosts) => {
                    for (name, node) in hosts {
                        listed.push(node);
                        if node_of.insert(name.clone(), node).is_some() {
                            wrong(format!("{name} is there twice"));
                        }
                    }
                }
            }
        }
        if !mistakes.is_empty() {
            return Err(mistakes);
        }
        Ok(Self { node_of, listed, note: None, expected: "a host of mapping.hosts".to_owned() })
    }

    fn by_names(names: &[&str], machine: &Topology) -> Self {
        let vertex = |name: &str| machine.parse_address(name).or_else(|| machine.parse_address(short(name)));
        let found: Vec<(&str, Option<NodeId>)> = names.iter().map(|&name| (name, vertex(name))).collect();
        let directory = |nodes: BTreeMap<String, NodeId>, note: Option<String>, expected: String| Self {
            node_of: nodes,
            listed: Vec::new(),
            note,
            expected,
        };
        if names.is_empty() || found.iter().any(|(_, node)| node.is_some()) {
            let known = found.into_iter().filter_map(|(name, node)| Some((name.to_owned(), node?)));
            return directory(known.collect(), None, machine.address_form());
        }
        let nodes = machine.nodes();
        let numbered = Numbered::of(names, nodes);
        let how = match &numbered {
            Some(numbered) if numbered.first == 0 => "by the numbers in which their names end",
            Some(_) => "by the numbers in which their names end, counted from 1",
            None => "in the order in which they come first",
        };
        let remedy = match numbered.as_ref().and_then(Numbered::counted_from_one) {
            Some(table) => format!("if they count from 1: --set 'mapping.hosts={table}'"),
            None => "mapping.hosts can say which they are".to_owned(),
        };
        let numbers = numbered.map_or_else(|| (0..names.len()).collect(), |numbered| numbered.numbers);
        let examples: Vec<String> =
            names.iter().zip(&numbers).take(2).map(|(name, node)| format!("{name} is node {node}")).collect();
        let note = format!("hosts are taken for nodes {how} ({}); {remedy}", examples.join(", "));
        let known = names.iter().zip(numbers).filter(|(_, number)| *number < nodes);
        directory(
            known.map(|(name, number)| ((*name).to_owned(), NodeId::new(number))).collect(),
            Some(note),
            format!("one of {nodes} hosts, as many as the machine has nodes"),
        )
    }
}

/// The number of a host that stands for its place in a list: `+n3`.
pub(crate) fn relative(name: &str) -> Option<usize> {
    name.strip_prefix("+n").filter(|number| is_number(number))?.parse().ok()
}

/// Hosts whose names are alike but for the different numbers in which they end.
struct Numbered<'a> {
    numbers: Vec<usize>,
    /// The number in the name of node 0: 1 if one of the names ends in the number of all nodes, else 0.
    first: usize,
    before: &'a str,
    digits: usize,
    nodes: usize,
}

impl<'a> Numbered<'a> {
    /// `None` where names are of another form, or the numbers are not those of nodes.
    fn of(names: &[&'a str], nodes: usize) -> Option<Self> {
        let split = |name: &&'a str| {
            let name = short(name);
            let before = name.trim_end_matches(|letter: char| letter.is_ascii_digit());
            let digits = &name[before.len()..];
            let number = digits.parse::<usize>().ok().filter(|&number| number <= nodes)?;
            let padded = if digits.starts_with('0') { digits.len() } else { 1 };
            (!before.is_empty() && !before.ends_with('.')).then_some((before, number, padded))
        };
        let split: Vec<(&str, usize, usize)> = names.iter().map(split).collect::<Option<_>>()?;
        let different: BTreeSet<usize> = split.iter().map(|&(_, number, _)| number).collect();
        let first = usize::from(*different.last()? == nodes);
        let alike = split.windows(2).all(|pair| pair[0].0 == pair[1].0);
        if !alike || different.len() < names.len() || *different.first()? < first {
            return None;
        }
        let digits = split.iter().map(|&(_, _, padded)| padded).max()?;
        let numbers = split.iter().map(|&(_, number, _)| number - first).collect();
        Some(Self { numbers, first, before: split[0].0, digits, nodes })
    }

    /// The table that says that names count from 1, where they are taken to count from 0 and none of them has a 0.
    fn counted_from_one(&self) -> Option<String> {
        let Self { first, before, digits, nodes, .. } = *self;
        (first == 0 && !self.numbers.contains(&0))
            .then(|| format!("{{\"{before}[{:0digits$}-{nodes:0digits$}]\"=0}}", 1))
    }
}
