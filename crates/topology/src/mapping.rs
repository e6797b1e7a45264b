//! Where each rank runs: rank -> node.
//!
//! A mapping is a list of nodes in rank order. Ranks that share a node are consecutive in [`linear`] and [`random`];
//! [`from_file`] lets the user decide.

use crate::{Topology, number};
use weir_units::{GOLDEN, NodeId, mix};

/// The generator of random permutations. Both shuffle after Fisher and Yates, from the last place to the first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Generator {
    /// The linear congruential rule by which figures of paper 000 have been repeated: `x = x * 6364136223846793005 +
    /// 1442695040888963407 mod 2^64`, place `i` swaps with `(x >> 33) mod (i + 1)`.
    #[default]
    Lcg,
    /// SplitMix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number generators", OOPSLA 2014), without the
    /// bias of a plain remainder: draws below `2^64 mod (i + 1)` are thrown away.
    SplitMix,
}

/// Draws the numbers of one shuffle.
struct Draws {
    generator: Generator,
    state: u64,
}

impl Draws {
    /// A number from `0 .. bound`, which is at least 1.
    fn below(&mut self, bound: u64) -> u64 {
        match self.generator {
            Generator::Lcg => {
                self.state = self
                    .state
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1_442_695_040_888_963_407);
                (self.state >> 33) % bound
            }
            Generator::SplitMix => {
                let too_many = bound.wrapping_neg() % bound;
                loop {
                    let draw = self.split_mix();
                    if draw >= too_many {
                        return draw % bound;
                    }
                }
            }
        }
    }

    fn split_mix(&mut self) -> u64 {
        let number = mix(self.state);
        self.state = self.state.wrapping_add(GOLDEN);
        number
    }
}

/// A random order of the numbers `0 .. n`; the same for the same arguments, in every version. O(n).
///
/// # Panics
/// When `n` exceeds 2^32.
pub fn permutation(n: usize, seed: u64, generator: Generator) -> Vec<u32> {
    let mut draws = Draws { generator, state: seed };
    let mut order: Vec<u32> = (0..n).map(|i| u32::try_from(i).expect("at most 2^32 numbers")).collect();
    for i in (1..n).rev() {
        let j = draws.below(i as u64 + 1) as usize;
        order.swap(i, j);
    }
    order
}

/// Rank `r` on node `r / ranks_per_node`.
///
/// # Panics
/// When `ranks_per_node` is 0.
pub fn linear(ranks: usize, ranks_per_node: usize) -> Vec<NodeId> {
    (0..ranks).map(|rank| NodeId::new(rank / ranks_per_node)).collect()
}

/// Ranks in turn on the nodes that [`linear`] would fill: rank `r` on node `r mod n`, with `n` the ranks divided by `ranks_per_node`, rounded up.
///
/// # Panics
/// When `ranks_per_node` is 0.
pub fn cyclic(ranks: usize, ranks_per_node: usize) -> Vec<NodeId> {
    let nodes = ranks.div_ceil(ranks_per_node);
    (0..ranks).map(|rank| NodeId::new(rank % nodes)).collect()
}

/// Rank `r` on node `p[r / ranks_per_node]`, with `p` a [`permutation`] of all `nodes` nodes of the machine, whether
/// they get ranks or not.
///
/// # Panics
/// When `ranks_per_node` is 0 or the ranks do not fit the nodes.
pub fn random(
    ranks: usize,
    ranks_per_node: usize,
    nodes: usize,
    seed: u64,
    generator: Generator,
) -> Vec<NodeId> {
    let order = permutation(nodes, seed, generator);
    linear(ranks, ranks_per_node).into_iter().map(|node| NodeId(order[node.index()])).collect()
}

/// One mistake in a mapping file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MappingError {
    /// The number of its line, from 1, if it is one line.
    pub line: Option<usize>,
    /// The mistake, as a sentence.
    pub what: String,
    /// True if a node has more ranks than it can host.
    pub node_is_full: bool,
}

impl MappingError {
    fn in_line(line: usize, what: String) -> Self {
        Self { line: Some(line), what, node_is_full: false }
    }

    /// A text in a line that names no node; `expected` says what it could be.
    pub fn no_node(line: usize, text: &str, expected: &str) -> Self {
        Self::in_line(line, format!("{text:?} is not {expected}"))
    }

    /// A node in a line that has as many ranks as it can host.
    pub fn node_full(line: usize, node: &str, ranks_per_node: usize) -> Self {
        let what = format!("node {node} is full; expected at most {ranks_per_node} ranks on a node");
        Self { node_is_full: true, ..Self::in_line(line, what) }
    }
}

/// A line of a file that says where one rank runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RankLine<'a> {
    /// Its number, from 1.
    pub line: usize,
    /// The rank as it is written.
    pub rank: &'a str,
    /// The node as it is written.
    pub node: &'a str,
}

/// The lines `rank node` of a mapping file; `#` starts a comment, and empty lines do not count.
///
/// # Errors
/// Lines that are not of this form, beside those that are.
pub fn rank_lines(text: &str) -> (Vec<RankLine<'_>>, Vec<MappingError>) {
    let (mut lines, mut mistakes) = (Vec::new(), Vec::new());
    for (line, text) in text.lines().enumerate().map(|(i, text)| (i + 1, text)) {
        let text = text.split_once('#').map_or(text, |(content, _)| content).trim();
        match fields(text) {
            Some((rank, node)) => lines.push(RankLine { line, rank, node }),
            None if text.is_empty() => {}
            None => {
                let what = format!("{text:?} is not a rank and a node, such as \"0 17\"");
                mistakes.push(MappingError::in_line(line, what));
            }
        }
    }
    (lines, mistakes)
}

/// The names of nodes in a file, and the number of ranks that one takes.
#[derive(Clone, Copy)]
pub struct Naming<'a> {
    /// The node that a text names.
    pub node_of: &'a dyn Fn(&str) -> Option<NodeId>,
    /// The form of a name, in words.
    pub expected: &'a str,
    /// Number of nodes.
    pub nodes: usize,
    /// Number of ranks that may share one.
    pub ranks_per_node: usize,
}

/// The node of each rank, from lines in any order.
///
/// # Errors
/// All mistakes: those of the lines in their order, then the ranks that have no node. A line with a mistake leaves
/// its rank without a node; such a rank counts as missing only if no line at all begins with it.
pub fn from_lines(
    lines: &[RankLine<'_>],
    ranks: usize,
    naming: Naming<'_>,
) -> Result<Vec<NodeId>, Vec<MappingError>> {
    let Naming { node_of: node_named, expected, nodes, ranks_per_node } = naming;
    let mut mistakes = Vec::new();
    let mut node_of: Vec<Option<NodeId>> = vec![None; ranks];
    let mut line_of = vec![0_usize; ranks];
    let mut load = vec![0_usize; nodes];
    for &RankLine { line, rank: rank_text, node: node_text } in lines {
        let node = node_named(node_text);
        if node.is_none() {
            mistakes.push(MappingError::no_node(line, node_text, expected));
        }
        let Some(rank) = number(rank_text).map(|rank| rank as usize).filter(|&rank| rank < ranks) else {
            let known = match ranks.checked_sub(1) {
                Some(last) => format!("expected one from 0 to {last}"),
                None => "there are none".into(),
            };
            mistakes.push(MappingError::in_line(line, format!("{rank_text:?} is not a rank; {known}")));
            continue;
        };
        if line_of[rank] != 0 {
            let first = line_of[rank];
            let what = format!("rank {rank} has a node already, from line {first}; expected each rank once");
            mistakes.push(MappingError::in_line(line, what));
            continue;
        }
        line_of[rank] = line;
        if let Some(node) = node {
            load[node.index()] += 1;
            if load[node.index()] > ranks_per_node {
                mistakes.push(MappingError::node_full(line, node_text, ranks_per_node));
            }
            node_of[rank] = Some(node);
        }
    }
    mistakes.extend(missing(&line_of));
    if mistakes.is_empty() { Ok(node_of.into_iter().flatten().collect()) } else { Err(mistakes) }
}

/// Reads a mapping file: one line `rank node` per rank, in any order, the node as a number or as coordinates.
///
/// # Errors
/// Those of [`from_lines`], and lines that are none.
pub fn from_file(
    text: &str,
    ranks: usize,
    topology: &Topology,
    ranks_per_node: usize,
) -> Result<Vec<NodeId>, Vec<MappingError>> {
    let (lines, mut mistakes) = rank_lines(text);
    let naming = Naming {
        node_of: &|text| topology.parse_address(text),
        expected: &topology.address_form(),
        nodes: topology.nodes(),
        ranks_per_node,
    };
    match from_lines(&lines, ranks, naming) {
        Ok(node_of) if mistakes.is_empty() => Ok(node_of),
        found => {
            mistakes.extend(found.err().into_iter().flatten());
            mistakes.sort_by_key(|mistake| mistake.line.unwrap_or(usize::MAX));
            Err(mistakes)
        }
    }
}

/// The two fields of a line; coordinates in parentheses may have spaces in them.
fn fields(text: &str) -> Option<(&str, &str)> {
    let (rank, node) = text.split_once(char::is_whitespace)?;
    let node = node.trim();
    let one = !node.contains(char::is_whitespace)
        || (node.starts_with('(') && node.find(')') == Some(node.len() - 1));
    one.then_some((rank, node))
}

/// The stretches of ranks without a line.
fn missing(line_of: &[usize]) -> impl Iterator<Item = MappingError> + '_ {
    let mut start = 0;
    line_of.chunk_by(|a, b| (*a == 0) == (*b == 0)).filter_map(move |stretch| {
        let (first, last) = (start, start + stretch.len() - 1);
        start = last + 1;
        let ranks =
            if first == last { format!("rank {first} has") } else { format!("ranks {first} to {last} have") };
        let what = format!("{ranks} no node; expected a line for each rank");
        (stretch[0] == 0).then_some(MappingError { line: None, what, node_is_full: false })
    })
}

#[cfg(test)]
mod tests;
