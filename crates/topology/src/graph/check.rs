//! From vertices and wires to numbered nodes, routers and links, or to all mistakes in them.

use super::{Vertex, VertexKind, Wire};
use crate::shortest::{Wires, reach};
use crate::{End, Metric, NodeLink};
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use weir_units::{NodeId, RouterId};

/// One thing that is wrong with a graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GraphMistake {
    /// Where it is.
    pub place: GraphPlace,
    /// The mistake, as a sentence.
    pub what: String,
    /// A remedy.
    pub hint: Option<String>,
}

/// A part of a graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GraphPlace {
    /// The vertex with this index.
    Vertex(usize),
    /// The wire with this index.
    Wire(usize),
    /// All of it.
    Whole,
}

/// A link; `None` for the cable all nodes of combined vertices have.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct NumberedLink {
    pub(super) from: End,
    pub(super) to: End,
    pub(super) cable: Option<NodeLink>,
}

/// Numbered nodes, routers and links.
#[derive(Debug)]
pub(super) struct Wiring {
    /// Vertex of each node and of each router.
    pub(super) nodes: Vec<u32>,
    pub(super) routers: Vec<u32>,
    /// Node and router of each vertex; `u32::MAX` if it is none.
    pub(super) node_of: Vec<u32>,
    pub(super) router_of: Vec<u32>,
    pub(super) links: Vec<NumberedLink>,
    /// Router of each node, at the other end of its first cable.
    pub(super) home: Vec<u32>,
    /// By node: how many cables the nodes before it have that are not their first; and one more for all nodes.
    pub(super) further: Vec<u32>,
    pub(super) most_cables: u32,
    /// Says whether each cable of a node leads to all nodes.
    pub(super) cables_reach_all: bool,
    /// The links between routers, those out of one in the order of the names of the routers at their other ends, parallel ones in
    /// the order of their numbers: the order in which a file has its vertices and cables does not count.
    pub(super) wires: Wires,
}

impl Wiring {
    /// Returns whether each cable of a node leads to all nodes.
    fn cables_reach_all(&self) -> bool {
        let all = || 0..self.home.len();
        let routers: BTreeSet<u32> = all().flat_map(|node| self.homes(node)).collect();
        routers.into_iter().all(|router| {
            let reached = reach(router, true, &self.wires);
            all().all(|node| self.homes(node).any(|home| reached[home as usize]))
        })
    }

    /// The routers of the cables of a node.
    fn homes(&self, node: usize) -> impl Iterator<Item = u32> + '_ {
        let further = self.further[node] as usize..self.further[node + 1] as usize;
        let others = further.map(|place| self.links[2 * (self.home.len() + place)].to.router());
        std::iter::once(self.home[node]).chain(others)
    }
}

/// Collects what is wrong.
struct Check<'a> {
    vertices: &'a [Vertex],
    mistakes: Vec<GraphMistake>,
}

/// Numbers everything; `place_of` says where each vertex is in the order of names.
///
/// # Errors
/// See [`super::Graph::new`].
pub(super) fn wire(
    vertices: &[Vertex],
    wires: &[Wire],
    place_of: &[u32],
    metric: Metric,
) -> Result<Wiring, Vec<GraphMistake>> {
    let mut check = Check { vertices, mistakes: Vec::new() };
    check.names();
    check.ends(wires);
    let cables = check.node_cables(wires);
    let nodes = vertices.iter().filter(|vertex| vertex.kind != VertexKind::Router).count();
    if nodes == 0 {
        let hint = "a vertex is a node unless its kind is \"router\"";
        check.refuse(GraphPlace::Whole, "the graph has no node".into(), Some(hint.into()));
    }
    if vertices.len() > u32::MAX as usize || 2 * nodes + wires.len() > u32::MAX as usize {
        check.refuse(GraphPlace::Whole, "the graph has more links than can be numbered".into(), None);
    }
    if check.mistakes.is_empty() {
        let mut wiring = number_all(vertices, wires, &cables, place_of, metric);
        check.connected(&wiring);
        wiring.cables_reach_all = wiring.most_cables == 1 || wiring.cables_reach_all();
        if check.mistakes.is_empty() {
            return Ok(wiring);
        }
    }
    Err(check.mistakes)
}

impl Check<'_> {
    fn refuse(&mut self, place: GraphPlace, what: String, hint: Option<String>) {
        self.mistakes.push(GraphMistake { place, what, hint });
    }

    fn name(&self, vertex: u32) -> &str {
        &self.vertices[vertex as usize].name
    }

    fn names(&mut self) {
        let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
        for (i, Vertex { name, .. }) in self.vertices.iter().enumerate() {
            let what = if name.is_empty() {
                "a vertex has an empty name".to_owned()
            } else if name.starts_with('#') {
                format!("vertex {name:?}: a name must not begin with #")
            } else if name.contains(unwritable) {
                format!("vertex {name:?}: a name must not have control characters")
            } else if seen.insert(name, i).is_some() {
                format!("vertex {name:?} is there twice; expected different names")
            } else {
                continue;
            };
            self.mistakes.push(GraphMistake { place: GraphPlace::Vertex(i), what, hint: None });
        }
    }

    fn is_node(&self, vertex: u32) -> bool {
        self.vertices[vertex as usize].kind == VertexKind::Node
    }

    fn ends(&mut self, wires: &[Wire]) {
        for (i, wire) in wires.iter().enumerate() {
            let (from, to) = (self.name(wire.from), self.name(wire.to));
            if wire.from == wire.to {
                let what = format!("a cable joins {from:?} with itself");
                self.refuse(GraphPlace::Wire(i), what, None);
            } else if self.is_node(wire.from) && self.is_node(wire.to) {
                let what = format!("a cable joins the nodes {from:?} and {to:?} without a router");
                let hint = "give one of them the kind \"both\": a router with a node";
                self.refuse(GraphPlace::Wire(i), what, Some(hint.into()));
            }
        }
    }

    /// The wires out of and into each vertex that is only a node: those of its cables, in the order of the wires out.
    fn node_cables(&mut self, wires: &[Wire]) -> BTreeMap<u32, Vec<[usize; 2]>> {
        let mut ends: BTreeMap<u32, [Vec<usize>; 2]> = BTreeMap::new();
        for (v, vertex) in (0..).zip(self.vertices) {
            if vertex.kind == VertexKind::Node {
                ends.insert(v, [Vec::new(), Vec::new()]);
            }
        }
        for (i, wire) in wires.iter().enumerate().filter(|(_, wire)| wire.from != wire.to) {
            for (way, vertex) in [wire.from, wire.to].into_iter().enumerate() {
                if let Some(ends) = ends.get_mut(&vertex) {
                    ends[way].push(i);
                }
            }
        }
        let mut cables = BTreeMap::new();
        for (v, [out, into]) in ends {
            let name = self.name(v);
            let (what, hint) = match (&out[..], &into[..]) {
                ([], []) => (format!("node {name:?} has no cable"), "join it to a router"),
                ([_], []) => (format!("node {name:?} has no wire in"), "add the wire from its router"),
                ([], [_]) => (format!("node {name:?} has no wire out"), "add the wire to its router"),
                (out, into) => match pairs(wires, out, into) {
                    Some(pairs) => {
                        cables.insert(v, pairs);
                        continue;
                    }
                    None => (
                        format!(
                            "node {name:?} has {} wires out and {} in, which are not as many to and from each router",
                            out.len(),
                            into.len()
                        ),
                        "a node has a wire back from a router for each wire there; a router with a node has the kind \"both\"",
                    ),
                },
            };
            self.refuse(GraphPlace::Vertex(v as usize), what, Some(hint.into()));
        }
        cables
    }

    /// Every node reaches every other if all reach one and that one reaches all.
    fn connected(&mut self, wiring: &Wiring) {
        if wiring.most_cables > 1 {
            return self.connected_by_cables(wiring);
        }
        for forward in [true, false] {
            let reached = reach(wiring.home[0], forward, &wiring.wires);
            let cut_off: Vec<&str> = (wiring.nodes.iter().zip(&wiring.home))
                .filter(|&(_, &home)| !reached[home as usize])
                .map(|(&vertex, _)| self.vertices[vertex as usize].name.as_str())
                .collect();
            if cut_off.is_empty() {
                continue;
            }
            let (first, some) = (self.name(wiring.nodes[0]), some_of(&cut_off));
            let what = if forward {
                format!("node {first:?} cannot reach {some}")
            } else {
                format!("node {first:?} cannot be reached from {some}")
            };
            let hint = "every node needs a route to every other; add the cables that are missing";
            self.refuse(GraphPlace::Whole, what, Some(hint.into()));
        }
    }

    /// The same where nodes have several cables: no route passes a node, so that it does not follow.
    fn connected_by_cables(&mut self, wiring: &Wiring) {
        let homes = |node: usize| wiring.homes(node);
        let mut looked_at: BTreeSet<Vec<u32>> = BTreeSet::new();
        for (node, &vertex) in wiring.nodes.iter().enumerate() {
            let own: Vec<u32> = homes(node).collect();
            if looked_at.contains(&own) {
                continue;
            }
            let reached: Vec<_> = own.iter().map(|&home| reach(home, true, &wiring.wires)).collect();
            let is_reached = |&other: &usize| {
                homes(other).any(|home| reached.iter().any(|reached| reached[home as usize]))
            };
            let name = |other: usize| self.name(wiring.nodes[other]);
            let cut_off: Vec<&str> =
                (0..wiring.nodes.len()).filter(|other| !is_reached(other)).map(name).collect();
            if !cut_off.is_empty() {
                let what = format!("node {:?} cannot reach {}", self.name(vertex), some_of(&cut_off));
                let hint = "every node needs a route to every other, and routes pass no nodes: add the cables that are missing";
                return self.refuse(GraphPlace::Whole, what, Some(hint.into()));
            }
            looked_at.insert(own);
        }
    }
}

/// The wires of the cables of a node: each with one back from the same router; `None` if they are not as many.
fn pairs(wires: &[Wire], out: &[usize], into: &[usize]) -> Option<Vec<[usize; 2]>> {
    let mut left = into.to_vec();
    let pairs = out.iter().map(|&out| {
        let back = left.iter().position(|&back| wires[back].from == wires[out].to)?;
        Some([out, left.remove(back)])
    });
    let pairs: Option<Vec<_>> = pairs.collect();
    pairs.filter(|_| left.is_empty())
}

/// Up to five names.
fn some_of(names: &[&str]) -> String {
    const MOST: usize = 5;
    let listed: Vec<_> = names.iter().take(MOST).map(|name| format!("{name:?}")).collect();
    let rest = names.len().saturating_sub(MOST);
    let more = if rest > 0 { format!(" and {rest} more") } else { String::new() };
    format!("{}{more}", listed.join(", "))
}

/// The numbers of a graph without mistakes.
fn number_all(
    vertices: &[Vertex],
    wires: &[Wire],
    cables: &BTreeMap<u32, Vec<[usize; 2]>>,
    place_of: &[u32],
    metric: Metric,
) -> Wiring {
    let (mut nodes, mut routers) = (Vec::new(), Vec::new());
    let (mut node_of, mut router_of) = (vec![u32::MAX; vertices.len()], vec![u32::MAX; vertices.len()]);
    for (v, vertex) in (0..).zip(vertices) {
        if vertex.kind != VertexKind::Router {
            node_of[v as usize] = NodeId::new(nodes.len()).0;
            nodes.push(v);
        }
        if vertex.kind != VertexKind::Node {
            router_of[v as usize] = RouterId::new(routers.len()).0;
            routers.push(v);
        }
    }
    let router = |vertex: u32| End::Router(RouterId(router_of[vertex as usize]));
    let cable = |wire: &Wire| Some(NodeLink { bandwidth: wire.capacity, latency: wire.latency });
    let mut injection = Vec::new();
    let mut ejection = Vec::new();
    let (mut home, mut others, mut further) = (Vec::new(), Vec::new(), vec![0]);
    for (node, &vertex) in (0..).zip(&nodes) {
        let node = End::Node(NodeId(node));
        let both = |at: u32, [out, into]: [Option<NodeLink>; 2]| {
            let out = NumberedLink { from: node, to: router(at), cable: out };
            (out, NumberedLink { from: router(at), to: node, cable: into })
        };
        let of_wires =
            |&[out, into]: &[usize; 2]| both(wires[out].to, [out, into].map(|wire| cable(&wires[wire])));
        let own = cables.get(&vertex).map_or(&[][..], |cables| cables);
        let (out, into) = own.first().map_or_else(|| both(vertex, [None; 2]), of_wires);
        home.push(out.to.router());
        injection.push(out);
        ejection.push(into);
        others.extend(own.iter().skip(1).map(of_wires).flat_map(|(out, into)| [out, into]));
        further.push(others.len() as u32 / 2);
    }
    let most_cables = 1 + further.windows(2).map(|pair| pair[1] - pair[0]).max().unwrap_or(0);
    let mut links = injection;
    links.append(&mut ejection);
    links.append(&mut others);
    let first = links.len() as u32;
    let between = wires.iter().filter(|w| [w.from, w.to].iter().all(|&v| router_of[v as usize] != u32::MAX));
    links.extend(between.map(|w| NumberedLink { from: router(w.from), to: router(w.to), cable: cable(w) }));
    let between: Vec<_> = (first..)
        .zip(&links[first as usize..])
        .map(|(id, link)| {
            let length = link.cable.and_then(|cable| metric.length(cable));
            (id, link.from.router(), link.to.router(), length)
        })
        .collect();
    let wires =
        Wires::new(routers.len(), links.len(), &between, |head| place_of[routers[head as usize] as usize]);
    Wiring {
        nodes,
        routers,
        node_of,
        router_of,
        links,
        home,
        further,
        most_cables,
        cables_reach_all: true,
        wires,
    }
}

/// Returns whether a letter cannot stand in XML, and so in GraphML.
fn unwritable(letter: char) -> bool {
    letter.is_control() && !['\t', '\n', '\r'].contains(&letter) || ['\u{fffe}', '\u{ffff}'].contains(&letter)
}

/// Compares names part by part, so that `h2` comes before `h10`: numbers by their value, all else letter by letter. Names that differ in zeros before their
/// numbers alone are compared as texts, so that only equal ones are equal.
pub fn compare_names(a: &str, b: &str) -> Ordering {
    let (mut left, mut right) = (a, b);
    loop {
        let (one, other) = (part(&mut left), part(&mut right));
        let numbers = [one, other].map(|part| part.starts_with(|letter: char| letter.is_ascii_digit()));
        let order = if numbers == [true, true] {
            let [one, other] = [one, other].map(|digits| digits.trim_start_matches('0'));
            one.len().cmp(&other.len()).then_with(|| one.cmp(other))
        } else {
            one.cmp(other)
        };
        match order {
            Ordering::Equal if one.is_empty() => return a.cmp(b),
            Ordering::Equal => {}
            order => return order,
        }
    }
}

/// Takes the first part from a name: all digits at its beginning, or one letter. Empty at its end.
fn part<'a>(name: &mut &'a str) -> &'a str {
    let digits = name.len() - name.trim_start_matches(|letter: char| letter.is_ascii_digit()).len();
    let length = if digits > 0 { digits } else { name.chars().next().map_or(0, char::len_utf8) };
    let (part, rest) = name.split_at(length);
    *name = rest;
    part
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn digits_count_as_numbers() {
        let sorted = [
            "", "-", "2", "10", "a", "h", "h-1", "h0.2", "h0.10", "h1", "h01", "h2", "h10", "h10a",
            "h\u{e9}", "i",
        ];
        for (i, a) in sorted.iter().enumerate() {
            for (j, b) in sorted.iter().enumerate() {
                let expected =
                    if ["h1", "h01"].contains(a) && ["h1", "h01"].contains(b) { a.cmp(b) } else { i.cmp(&j) };
                assert_eq!(compare_names(a, b), expected, "{a:?} and {b:?}");
            }
        }
        // Longer than any number of a processor.
        assert_eq!(
            compare_names("n99999999999999999999999998", "n99999999999999999999999999"),
            Ordering::Less
        );
    }

    proptest! {
        /// Sorting needs an order.
        #[test]
        fn it_is_an_order(a in "[a1029.]{0,5}", b in "[a1029.]{0,5}", c in "[a1029.]{0,5}") {
            prop_assert_eq!(compare_names(&a, &b), compare_names(&b, &a).reverse());
            prop_assert_eq!(compare_names(&a, &b) == Ordering::Equal, a == b);
            let mut sorted = [&a, &b, &c];
            sorted.sort_by(|one, other| compare_names(one, other));
            prop_assert!(compare_names(sorted[0], sorted[2]) != Ordering::Greater);
        }
    }
}
