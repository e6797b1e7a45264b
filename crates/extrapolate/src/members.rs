//! The ranks of all profiles, each read as repetitions of a tree of loops.

use crate::fold::{Event, Index, Node, Part, fold, read, size, unfolded};
use crate::quantities::{Place, Size};
use crate::tokens::{Run, Shapes};
use std::collections::BTreeMap;

/// A node of a tree: a token or a loop, in so many loops.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Spot {
    /// The shape of a token; `None`: a loop.
    pub(crate) shape: Option<u32>,
    /// The loops around it, from the outermost.
    pub(crate) loops: Vec<usize>,
}

/// A tree of loops.
#[derive(Clone, Debug)]
pub(crate) struct Tree {
    pub(crate) nodes: Vec<Node>,
    pub(crate) spots: Vec<Spot>,
}

impl Tree {
    fn of(nodes: Vec<Node>) -> Self {
        let mut spots = Vec::new();
        spread(&nodes, &mut Vec::new(), &mut spots);
        Self { nodes, spots }
    }

    /// Puts a loop around the loop at a spot.
    pub(crate) fn put_around(&mut self, spot: usize) {
        put_around(&mut self.nodes, spot);
        self.spots.clear();
        spread(&self.nodes, &mut Vec::new(), &mut self.spots);
    }
}

fn put_around(nodes: &mut [Node], mut spot: usize) {
    for node in nodes {
        let size = node.size();
        if spot == 0 {
            *node = Node::repeated(vec![node.clone()]);
            return;
        }
        if spot < size {
            if let Part::Loop(body) = &mut node.part {
                put_around(body, spot - 1);
            }
            return;
        }
        spot -= size;
    }
}

fn spread(nodes: &[Node], loops: &mut Vec<usize>, spots: &mut Vec<Spot>) {
    for node in nodes {
        match &node.part {
            Part::Leaf(shape) => spots.push(Spot { shape: Some(*shape), loops: loops.clone() }),
            Part::Loop(body) => {
                let number = spots.len();
                spots.push(Spot { shape: None, loops: loops.clone() });
                loops.push(number);
                spread(body, loops, spots);
                loops.pop();
            }
        }
    }
}

/// A rank of a profile.
#[derive(Debug)]
pub(crate) struct Member {
    pub(crate) run: usize,
    pub(crate) rank: u32,
    pub(crate) tree: usize,
}

/// A value that was seen at a spot of a tree.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sample {
    pub(crate) member: usize,
    /// The number of the token, or of repetitions.
    pub(crate) value: u32,
    pub(crate) index: Index,
}

/// All that was seen.
#[derive(Debug)]
pub(crate) struct Seen {
    pub(crate) runs: Vec<Run>,
    pub(crate) shapes: Shapes,
    pub(crate) trees: Vec<Tree>,
    pub(crate) members: Vec<Member>,
    /// By tree and spot.
    pub(crate) samples: Vec<Vec<Vec<Sample>>>,
    /// By tree and spot, for each member: the work before a token in picoseconds, of all repetitions together, and their number.
    pub(crate) work: Vec<Vec<BTreeMap<usize, (f64, f64)>>>,
    pub(crate) sizes: BTreeMap<u32, Size>,
}

impl Seen {
    /// Reads all ranks with as few trees as there can be: those with most parts come first.
    pub(crate) fn of(runs: Vec<Run>, shapes: Shapes) -> Self {
        let ranks = runs.iter().enumerate().flat_map(|(run, of)| (0..of.ranks).map(move |rank| (run, rank)));
        let mut folded: Vec<(Vec<Node>, (usize, u32))> = ranks
            .map(|(run, rank)| (fold(&runs[run].sequences[rank as usize].shapes), (run, rank)))
            .collect();
        folded.sort_by_key(|(nodes, place)| (std::cmp::Reverse(size(nodes)), std::cmp::Reverse(*place)));
        let (mut trees, mut members, mut samples): (Vec<Tree>, Vec<_>, Vec<Vec<Vec<Sample>>>) =
            Default::default();
        for (nodes, (run, rank)) in folded {
            let tokens = &runs[run].sequences[rank as usize].shapes;
            let known = trees
                .iter()
                .enumerate()
                .find_map(|(tree, known): (usize, &Tree)| Some((tree, read(&known.nodes, tokens)?)));
            let (tree, events) = known.unwrap_or_else(|| {
                // A loop that takes what comes behind it cannot be read back; then nothing is folded.
                let own = read(&nodes, tokens).map(|events| (nodes, events));
                let (nodes, events) = own.unwrap_or_else(|| {
                    let flat = unfolded(tokens);
                    let events = read(&flat, tokens).expect("tokens one by one are what they are");
                    (flat, events)
                });
                samples.push(vec![Vec::new(); size(&nodes)]);
                trees.push(Tree::of(nodes));
                (trees.len() - 1, events)
            });
            let member = members.len();
            members.push(Member { run, rank, tree });
            for Event { node, value, index } in events {
                samples[tree][node as usize].push(Sample { member, value, index });
            }
        }
        let mut seen =
            Self { runs, shapes, trees, members, samples, work: Vec::new(), sizes: BTreeMap::new() };
        seen.measure();
        seen
    }

    /// Sums up the work at the spots of a tree.
    pub(crate) fn work_of(&self, tree: usize) -> Vec<BTreeMap<usize, (f64, f64)>> {
        let of_spot = |(spot, samples): (usize, &Vec<Sample>)| {
            let mut sums: BTreeMap<usize, (f64, f64)> = BTreeMap::new();
            for sample in samples.iter().filter(|_| self.trees[tree].spots[spot].shape.is_some()) {
                let Member { run, rank, .. } = self.members[sample.member];
                let (sum, count) = sums.entry(sample.member).or_default();
                *sum += self.runs[run].sequences[rank as usize].compute[sample.value as usize] as f64;
                *count += 1.0;
            }
            sums
        };
        self.samples[tree].iter().enumerate().map(of_spot).collect()
    }

    /// Makes the sizes of all communicators.
    fn measure(&mut self) {
        let of_run = |run: &Run| {
            let groups = run.families.list.iter().flat_map(|family| &family.groups);
            let sizes: Vec<u32> = groups.map(|group| group.len() as u32).collect();
            [vec![1, run.ranks], sizes].concat()
        };
        for ranks in self.runs.iter().flat_map(of_run).collect::<Vec<u32>>() {
            self.sizes.entry(ranks).or_insert_with(|| Size::of(ranks));
        }
    }

    /// The size of the world of a member.
    pub(crate) fn world(&self, member: usize) -> &Size {
        &self.sizes[&self.runs[self.members[member].run].ranks]
    }

    /// The place of a sample, whose ranks are those of a communicator.
    pub(crate) fn place(&self, sample: &Sample, communicator: u32) -> Place<'_> {
        let Member { run, rank, .. } = self.members[sample.member];
        let (local, ranks) = self.runs[run].local(communicator, rank).unwrap_or((rank, self.runs[run].ranks));
        Place {
            local: local.into(),
            size: &self.sizes[&ranks],
            rank: rank.into(),
            world: self.world(sample.member),
            index: sample.index,
        }
    }
}
