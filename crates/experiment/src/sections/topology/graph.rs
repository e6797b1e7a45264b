//! `kind = "graph"`: a network from a file.

use super::{TopologySection, stand_in};
use crate::foreign;
use crate::keys::Row;
use crate::keys::form::OneOrMany;
use crate::network_file::{self, Built, Defaults, FileMistake, GraphFormat};
use crate::source::input::ORDER_OF_GRAPH;
use crate::source::read_text::{self, Unreadable};
use crate::source::reader::Section;
use crate::source::shipped::Shipped;
use crate::source::tree::one_line;
use std::path::{Path, PathBuf};
use weir_foreign::Given;
use weir_topology::Graph;
use weir_units::{Bandwidth, Duration};

/// A network from a file.
#[derive(Clone, Debug, PartialEq)]
pub struct GraphSection {
    /// The file of the network.
    pub file: PathBuf,
    /// The file of its routes; without one they are computed.
    pub routes: Option<PathBuf>,
    /// Bandwidth of cables that do not say it.
    pub bandwidth: Option<Bandwidth>,
    /// Latency of cables without one of their own; 0 unless given.
    pub latency: Option<Duration>,
    /// The network of the files; its nodes' cables are still to be set.
    pub graph: Graph,
    /// Where no vertex has a kind: how many have one neighbor, if others have several.
    pub leaves: usize,
    /// Sentences about what a file of another tool does not say of its network, or says besides.
    pub notes: Vec<String>,
}

pub(super) fn read(section: &mut Section<'_>) -> Option<TopologySection> {
    let metric = section.get(&super::METRIC);
    let bandwidth =
        section.get(&super::BANDWIDTH).and_then(|written| one(section, &super::BANDWIDTH, written));
    let latency = section.get(&super::LATENCY).and_then(|written| one(section, &super::LATENCY, written));
    let routes = section.get(&super::ROUTES);
    if routes.is_some() {
        section.refuse(&["metric"], "makes no sense where routes are given");
    } else {
        section.settle(&super::METRIC, metric.unwrap_or_default());
    }
    let wrong_default = (section.has("bandwidth") && bandwidth.is_none())
        || (section.has("latency") && latency.is_none())
        || (section.has("routes") && routes.is_none());
    let file = section.get_required(&super::FILE)?;
    section.put_last("file routes metric bandwidth latency");
    let of_other = weir_foreign::recognize(&file).and_then(|format| match format.reader {
        Some(weir_foreign::Reader::Machine(reader)) => Some(reader),
        _ => None,
    });
    let form = GraphFormat::of(&file);
    if form.is_none() && of_other.is_none() {
        let what = "must have one of the endings .graphml, .json (node-link) and .csv (edge list), or be a machine of another tool (weir convert --formats)";
        section.report("file", foreign::data(&file).unwrap_or(what), "");
        return None;
    }
    let text = text_of(section, "file", &file)?;
    let given = match &routes {
        Some(path) => Some(text_of(section, "routes", path)?),
        None => None,
    };
    if wrong_default {
        return None;
    }
    let metric = metric.unwrap_or_default();
    let read = match (of_other, form) {
        (Some(reader), _) => network_file::foreign::read(
            reader,
            &text,
            Given { bandwidth, latency, ..Given::default() },
            metric,
        )
        .map(|imported| (imported.made, imported.notes)),
        (None, Some(form)) => network_file::read(&text, form, Defaults { bandwidth, latency }, metric)
            .map(|built| (built, Vec::new())),
        (None, None) => return None,
    };
    let (Built { graph, leaves }, notes) = read
        .map_err(|mistakes| report(section, "topology.file", &file, of_other.is_some(), mistakes))
        .ok()?;
    let graph = match (&routes, given) {
        (Some(_), Some(_)) if graph.most_cables() > 1 => {
            let what =
                "does not fit a graph in which nodes have several cables: a pair of nodes has several routes";
            section.report("routes", what, "leave it out, or choose by topology.metric");
            return None;
        }
        (Some(path), Some(text)) => {
            let with_routes = network_file::read_routes(&text, &graph);
            with_routes.map_err(|mistakes| report(section, "topology.routes", path, false, mistakes)).ok()?
        }
        _ => graph,
    };
    let made = GraphSection { file, routes, bandwidth, latency, graph, leaves, notes };
    if made.wires().next().is_none() && bandwidth.is_none() {
        section.required(bandwidth, "bandwidth", "the graph has no cable: write the one of its node's cable");
        return None;
    }
    Some(TopologySection::Graph(made))
}

/// The cables of a graph are of one kind, unless its file says otherwise.
fn one<T>(section: &mut Section<'_>, key: &Row, written: OneOrMany<T>) -> Option<T> {
    match written {
        OneOrMany::One(value) => Some(value),
        OneOrMany::Many(_) => {
            section.report(key.name, "must be one value: the file has those of single cables", "");
            None
        }
    }
}

fn text_of(section: &mut Section<'_>, key: &str, path: &Path) -> Option<String> {
    if !path.exists()
        && let Some(shipped) = Shipped::at(path)
    {
        return Some(shipped.text.to_owned());
    }
    let text = read_text::read(path, read_text::MOST_DATA);
    let what = |error: Unreadable| foreign::data(path).map_or_else(|| error.in_words(), str::to_owned);
    let wrong = |error| section.report(key, format!("{}: {}", path.display(), what(error)), "");
    text.map_err(wrong).ok()
}

fn report(section: &mut Section<'_>, key: &str, path: &Path, is_read: bool, mut mistakes: Vec<FileMistake>) {
    if !is_read && let Some(elsewhere) = foreign::data(path) {
        mistakes = vec![FileMistake::new(None, "", elsewhere)];
    }
    let file = path.display().to_string();
    let problem = |mistake: FileMistake| {
        let value = one_line(&mistake.value);
        FileMistake { value, ..mistake }.problem(&file, key)
    };
    section.extend(ORDER_OF_GRAPH, mistakes.into_iter().map(problem).collect());
}

impl GraphSection {
    /// Warning about a file without kinds, or about what else a file of another tool says.
    pub(crate) fn warning(&self) -> Option<String> {
        let (leaves, file) = (self.leaves, self.file.display());
        if !self.notes.is_empty() {
            return Some(format!("{file}: {}", self.notes.join("; ")));
        }
        (leaves > 0).then(|| {
            format!(
                "{file}: no vertex has a kind, so all are routers with a node each, also the {leaves} that have only one \
                 neighbor; if these are nodes, write kind = \"node\" at them, and \"router\" or \"both\" at the others"
            )
        })
    }

    /// The cables in the file, node cables that are in it as well.
    fn wires(&self) -> impl Iterator<Item = (Bandwidth, Duration)> + '_ {
        self.graph.wires().map(|link| (link.capacity, link.latency))
    }

    pub(super) fn largest_bandwidth(&self) -> Bandwidth {
        let fastest = self.wires().map(|(bandwidth, _)| bandwidth).reduce(Bandwidth::max);
        fastest.or(self.bandwidth).unwrap_or_else(stand_in)
    }

    pub(super) fn first_latency(&self) -> Duration {
        let fastest = self.largest_bandwidth();
        let of_fastest =
            self.wires().filter(|&(bandwidth, _)| bandwidth == fastest).map(|(_, latency)| latency);
        self.latency.or_else(|| of_fastest.min()).unwrap_or_default()
    }
}
