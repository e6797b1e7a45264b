//! Graphs of ranks (MPI 5.0, sections 8.5.3 and 8.5.4): who talks to whom, as the program says.

use crate::MpiError;

/// A graph that every rank knows as a whole, as `MPI_Graph_create` gets it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Graph {
    /// Where the neighbours of each rank end in `edges`.
    index: Box<[i32]>,
    edges: Box<[i32]>,
}

impl Graph {
    /// The graph in which the neighbours of rank `r` are `edges[index[r - 1]..index[r]]` (from 0 for rank 0).
    ///
    /// # Errors
    /// `MPI_ERR_ARG` when the index falls, or an edge leads to no rank of the graph.
    pub fn new(index: &[i32], edges: &[i32]) -> Result<Self, MpiError> {
        let rises = index.first().is_none_or(|&first| first >= 0) && index.is_sorted();
        if !rises || index.last().is_some_and(|&last| last as usize > edges.len()) {
            return Err(MpiError::Argument("the index of a graph must rise to its number of edges".into()));
        }
        let ranks = 0..index.len() as i32;
        if let Some(edge) = edges.iter().find(|edge| !ranks.contains(edge)) {
            return Err(MpiError::Argument(format!(
                "an edge to rank {edge} of a graph of {} ranks",
                ranks.end
            )));
        }
        Ok(Self { index: index.into(), edges: edges.into() })
    }

    /// Where the neighbours of each rank end in [`Graph::edges`].
    #[must_use]
    pub fn index(&self) -> &[i32] {
        &self.index
    }

    /// The neighbours of all ranks, one rank behind the other.
    #[must_use]
    pub fn edges(&self) -> &[i32] {
        &self.edges
    }

    /// The neighbours of a rank, if it is one of the graph.
    #[must_use]
    pub fn neighbours(&self, rank: usize) -> Option<&[i32]> {
        let end = *self.index.get(rank)? as usize;
        let start = rank.checked_sub(1).map_or(0, |before| self.index[before] as usize);
        Some(&self.edges[start..end])
    }
}

/// One end of an edge: the rank on the other side, and the edge's weight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    /// The rank on the other side.
    pub rank: i32,
    /// The weight that the program gives; 1 without weights.
    pub weight: i32,
}

/// Presence of weights from the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weights {
    /// It has.
    Given,
    /// It has passed `MPI_UNWEIGHTED`.
    None,
}

/// A graph of which every rank knows its own edges only, as `MPI_Dist_graph_create` and
/// `MPI_Dist_graph_create_adjacent` make it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnEdges {
    /// Edges that come in.
    pub sources: Vec<Edge>,
    /// Edges that go out.
    pub destinations: Vec<Edge>,
    /// Presence of weights.
    pub weights: Weights,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The standard's own example of a graph: 0 beside 1 and 3, 1 beside 0, 2 beside 3, 3 beside 0 and 2.
    #[test]
    fn neighbours_lie_one_rank_behind_the_other() {
        let graph = Graph::new(&[2, 3, 4, 6], &[1, 3, 0, 3, 0, 2]).unwrap();
        assert_eq!(graph.neighbours(0), Some(&[1, 3][..]));
        assert_eq!(graph.neighbours(1), Some(&[0][..]));
        assert_eq!(graph.neighbours(2), Some(&[3][..]));
        assert_eq!(graph.neighbours(3), Some(&[0, 2][..]));
        assert_eq!(graph.neighbours(4), None);
        // Rank 0 beside nobody, rank 1 beside itself.
        let lone = Graph::new(&[0, 1], &[1]).unwrap();
        assert_eq!([0, 1].map(|rank| lone.neighbours(rank)), [Some(&[][..]), Some(&[1][..])]);
    }

    #[test]
    fn graphs_that_make_no_sense_are_refused() {
        let wrong: [(&[i32], &[i32]); 5] =
            [(&[-1], &[]), (&[2, 1], &[0, 0]), (&[2], &[0]), (&[1], &[1]), (&[1], &[-1])];
        for (index, edges) in wrong {
            assert!(matches!(Graph::new(index, edges), Err(MpiError::Argument(_))), "{index:?} {edges:?}");
        }
        assert!(Graph::new(&[], &[]).is_ok());
    }
}
