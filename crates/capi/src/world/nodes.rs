//! The nodes that ranks are on: their names, who else is there, and what a launcher would have put into the environment.

use crate::world::WorldOptions;
use std::collections::BTreeMap;
use std::rc::Rc;
use weir_units::Rank;

/// The nodes that have ranks, numbered in the order of their first ranks.
pub(crate) struct Nodes {
    of_rank: Vec<u32>,
    ranks: Vec<Rc<[Rank]>>,
    numbers: BTreeMap<String, u32>,
}

/// The value of a variable of the environment at a rank.
type Value = fn(&Nodes, Rank) -> usize;

/// Variables that launchers set for each rank.
const VARIABLES: [(&str, Value); 12] = [
    ("OMPI_COMM_WORLD_RANK", |_, rank| rank.index()),
    ("OMPI_COMM_WORLD_SIZE", |nodes, _| nodes.of_rank.len()),
    ("OMPI_COMM_WORLD_LOCAL_RANK", Nodes::place_on_node),
    ("OMPI_COMM_WORLD_LOCAL_SIZE", |nodes, rank| nodes.ranks_beside(rank).len()),
    ("OMPI_COMM_WORLD_NODE_RANK", Nodes::place_on_node),
    ("MPI_LOCALRANKID", Nodes::place_on_node),
    ("MPI_LOCALNRANKS", |nodes, rank| nodes.ranks_beside(rank).len()),
    ("SLURM_PROCID", |_, rank| rank.index()),
    ("SLURM_NTASKS", |nodes, _| nodes.of_rank.len()),
    ("SLURM_LOCALID", Nodes::place_on_node),
    ("SLURM_NODEID", Nodes::number),
    ("SLURM_NNODES", |nodes, _| nodes.ranks.len()),
];

const NAMES: [&str; 2] = ["HOSTNAME", "SLURMD_NODENAME"];

impl Nodes {
    /// Linear in the ranks, but for the logarithm of how many nodes there are.
    pub(crate) fn of(options: &WorldOptions) -> Self {
        let mut numbers = BTreeMap::new();
        let mut ranks: Vec<Vec<Rank>> = Vec::new();
        let of_rank = (0..options.ranks).map(Rank::new).map(|rank| {
            let next = ranks.len() as u32;
            let number = *numbers.entry(options.processor_names.name(rank)).or_insert(next);
            if number == next {
                ranks.push(Vec::new());
            }
            ranks[number as usize].push(rank);
            number
        });
        let of_rank = of_rank.collect();
        Self { of_rank, ranks: ranks.into_iter().map(Rc::from).collect(), numbers }
    }

    /// All ranks on the node of this one, in rank order.
    pub(crate) fn ranks_beside(&self, rank: Rank) -> &Rc<[Rank]> {
        &self.ranks[self.number(rank)]
    }

    pub(crate) fn number(&self, rank: Rank) -> usize {
        self.of_rank[rank.index()] as usize
    }

    fn place_on_node(&self, rank: Rank) -> usize {
        self.ranks_beside(rank).binary_search(&rank).unwrap_or_default()
    }

    pub(crate) fn named(&self, name: &str) -> Option<usize> {
        self.numbers.get(name).map(|&number| number as usize)
    }

    /// A node's address: one of this computer's for itself, which the sockets of all ranks have, and no other node has.
    pub(crate) fn address(number: usize) -> [u8; 4] {
        (0x7f00_0002 + number as u32).to_be_bytes()
    }

    /// Returns the value in the environment of a rank under this name, if launchers set it. `name` is that of its node.
    pub(crate) fn variable(&self, variable: &str, rank: Rank, name: impl Fn() -> String) -> Option<String> {
        if NAMES.contains(&variable) {
            return Some(name());
        }
        let (_, value) = VARIABLES.iter().find(|(known, _)| *known == variable)?;
        Some(value(self, rank).to_string())
    }

    pub(crate) fn variables() -> impl Iterator<Item = &'static str> {
        VARIABLES.iter().map(|(name, _)| *name).chain(NAMES)
    }
}
