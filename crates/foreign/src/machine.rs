//! A machine as a file of another tool describes it: nodes, routers, cables, and routes where they are not the shortest.

use crate::reading::Reading;
use std::collections::BTreeMap;
use std::fmt;
use weir_topology::{Vertex, VertexKind};
use weir_units::{Bandwidth, Duration};

/// A cable between two vertices, or one direction of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cable {
    /// Index of the vertex at one end; data of a one-way cable enter there.
    pub from: u32,
    /// Index of the vertex at the other end.
    pub to: u32,
    /// The bandwidth, if the file says it.
    pub bandwidth: Option<Bandwidth>,
    /// The latency, if the file says it.
    pub latency: Option<Duration>,
    /// True if data go both ways.
    pub duplex: bool,
    /// Line of the file, from 1.
    pub line: usize,
}

/// A router that a route passes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hop {
    /// Index of its vertex.
    pub router: u32,
    /// Which of several cables from the router before it, in the order of the cables.
    pub parallel: u32,
}

/// Routes that a file gives or its tool computes.
pub trait Routes: fmt::Debug {
    /// The routers from that of a node to that of another one, by indices of vertices.
    fn route(&self, from: u32, to: u32, hops: &mut Vec<Hop>);
}

/// A machine of a file.
#[derive(Debug, Default)]
pub struct Machine {
    /// Nodes and routers; none is both.
    pub vertices: Vec<Vertex>,
    /// By vertex: its line in the file.
    pub lines: Vec<usize>,
    /// The cables.
    pub cables: Vec<Cable>,
    /// The routes; `None`: the shortest.
    pub routes: Option<Box<dyn Routes>>,
    index: BTreeMap<String, u32>,
}

/// A machine whose routes are given has at most so many nodes: routes take memory for each pair.
pub const MOST_ROUTED: usize = 4096;

impl Machine {
    /// A vertex with this name, or if that is taken with a similar one.
    pub(crate) fn add(&mut self, name: &str, kind: VertexKind, line: usize) -> u32 {
        let number =
            u32::try_from(self.vertices.len()).expect("fewer vertices than bytes of a file in memory");
        let clean: String =
            name.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).collect();
        let clean = clean.trim().trim_start_matches('#');
        let first = if clean.is_empty() { "unnamed".to_owned() } else { clean.to_owned() };
        let others = (2..).map(|count| format!("{first} ({count})"));
        let name = std::iter::once(first.clone())
            .chain(others)
            .find(|name| !self.index.contains_key(name))
            .expect("there are infinitely many names");
        self.index.insert(name.clone(), number);
        self.vertices.push(Vertex { name, kind });
        self.lines.push(line);
        number
    }

    pub(crate) fn node(&mut self, name: &str, line: usize) -> u32 {
        self.add(name, VertexKind::Node, line)
    }

    pub(crate) fn router(&mut self, name: &str, line: usize) -> u32 {
        self.add(name, VertexKind::Router, line)
    }

    pub(crate) fn cable(
        &mut self,
        ends: (u32, u32),
        bandwidth: Option<Bandwidth>,
        latency: Option<Duration>,
        line: usize,
    ) {
        self.cables.push(Cable { from: ends.0, to: ends.1, bandwidth, latency, duplex: true, line });
    }

    pub(crate) fn wire(&mut self, ends: (u32, u32), bandwidth: Bandwidth, latency: Duration, line: usize) {
        let (bandwidth, latency) = (Some(bandwidth), Some(latency));
        self.cables.push(Cable { from: ends.0, to: ends.1, bandwidth, latency, duplex: false, line });
    }

    pub(crate) fn nodes(&self) -> usize {
        self.vertices.iter().filter(|vertex| vertex.kind == VertexKind::Node).count()
    }

    /// Gives the machine routes, unless it has too many nodes for them.
    pub(crate) fn set_routes(&mut self, routes: Box<dyn Routes>, reading: &mut Reading) {
        if Self::routed(self.nodes(), reading) {
            self.routes = Some(routes);
        }
    }

    /// Returns whether so many nodes can have given routes; if not, this is a mistake.
    pub(crate) fn routed(nodes: usize, reading: &mut Reading) -> bool {
        if nodes > MOST_ROUTED {
            let what = format!(
                "the machine has {nodes} nodes, and a route for each pair of them: at most {MOST_ROUTED} nodes can be read so"
            );
            let hint = "write the machine with the keys of [topology], whose routes are formulas";
            reading.wrong_whole(what, Some(hint));
        }
        nodes <= MOST_ROUTED
    }
}
