//! Virtual topologies: which ranks of a communicator are neighbours. They are the program's own picture of itself; the
//! machine's network is not consulted, and ranks are not reordered.

use crate::cartesian::Cartesian;
use crate::graph::{Edge, Graph, OwnEdges};

/// The neighbors in a communicator, as the program has defined them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum VirtualTopology {
    /// A grid.
    Cartesian(Cartesian),
    /// A graph that every rank knows as a whole.
    Graph(Graph),
    /// A graph of which every rank knows its own edges.
    Distributed(OwnEdges),
}

/// The neighbours of one rank in the order of the blocks of neighbourhood collectives (MPI 5.0, section 8.6);
/// [`crate::PROC_NULL`] stands for a block that is not sent or received.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Neighbours {
    /// From whom blocks come.
    pub sources: Vec<i32>,
    /// To whom blocks go.
    pub destinations: Vec<i32>,
    /// In which order blocks of one source are to be received, so that they fit the order in which it sends them.
    pub arrival: Vec<usize>,
}

impl VirtualTopology {
    /// The neighbours of a rank; none if it is not in the topology.
    ///
    /// A grid two ranks long with joined ends has the same neighbour before and behind, and one a single rank long has
    /// itself: what is sent forward there must arrive from behind, so blocks of a grid arrive in the order behind,
    /// before.
    #[must_use]
    pub fn neighbours(&self, rank: u32) -> Neighbours {
        let ranks = |edges: &[Edge]| edges.iter().map(|edge| edge.rank).collect();
        let (sources, destinations): (Vec<i32>, Vec<i32>) = match self {
            Self::Cartesian(grid) => (grid.neighbours(rank), grid.neighbours(rank)),
            Self::Graph(graph) => {
                let own = graph.neighbours(rank as usize).unwrap_or_default();
                (own.to_vec(), own.to_vec())
            }
            Self::Distributed(own) => (ranks(&own.sources), ranks(&own.destinations)),
        };
        let swaps = usize::from(matches!(self, Self::Cartesian(_)));
        let arrival = (0..sources.len()).map(|block| block ^ swaps).collect();
        Neighbours { sources, destinations, arrival }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cartesian::{Ends, GridSide};
    use crate::graph::Weights;

    #[test]
    fn blocks_of_a_grid_arrive_from_behind_first() {
        let ring = Cartesian::new(&[GridSide { length: 2, ends: Ends::Joined }], 2).unwrap();
        let neighbours = VirtualTopology::Cartesian(ring).neighbours(0);
        let expected = Neighbours { sources: vec![1, 1], destinations: vec![1, 1], arrival: vec![1, 0] };
        assert_eq!(neighbours, expected);
    }

    #[test]
    fn blocks_of_graphs_arrive_in_order() {
        let edge = |rank| Edge { rank, weight: 1 };
        let own = OwnEdges {
            sources: vec![edge(2), edge(1), edge(1)],
            destinations: vec![edge(0)],
            weights: Weights::None,
        };
        let neighbours = VirtualTopology::Distributed(own).neighbours(5);
        let expected = Neighbours { sources: vec![2, 1, 1], destinations: vec![0], arrival: vec![0, 1, 2] };
        assert_eq!(neighbours, expected);
        let graph = Graph::new(&[1, 2], &[1, 0]).unwrap();
        assert_eq!(VirtualTopology::Graph(graph.clone()).neighbours(1).sources, [0]);
        assert_eq!(VirtualTopology::Graph(graph).neighbours(7).sources, []);
    }
}
