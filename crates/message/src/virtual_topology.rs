//! Virtual topologies: which ranks of a communicator are neighbors. They are the program's own picture of itself; the
//! machine's network is not consulted, and ranks are not reordered. They are grids (MPI 5.0, section 8.5) and graphs (sections 8.5.3 and 8.5.4).

use crate::{MpiError, PROC_NULL, Result};
use weir_collectives::Neighbors;

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

impl VirtualTopology {
    /// The neighbors of a rank; none if it is not in the topology.
    ///
    /// A grid two ranks long with joined ends has the same neighbor before and behind, and one a single rank long has
    /// itself: what is sent forward there must arrive from behind, so blocks of a grid arrive in the order behind,
    /// before.
    pub fn neighbors(&self, rank: u32) -> Neighbors {
        let ranks = |edges: &[Edge]| edges.iter().map(|edge| edge.rank).collect();
        let (sources, destinations): (Vec<i32>, Vec<i32>) = match self {
            Self::Cartesian(grid) => (grid.neighbors(rank), grid.neighbors(rank)),
            Self::Graph(graph) => {
                let own = graph.neighbors(rank as usize).unwrap_or_default();
                (own.to_vec(), own.to_vec())
            }
            Self::Distributed(own) => (ranks(&own.sources), ranks(&own.destinations)),
        };
        let swaps = usize::from(matches!(self, Self::Cartesian(_)));
        let arrival = (0..sources.len()).map(|block| block ^ swaps).collect();
        Neighbors { sources, destinations, arrival }
    }
}

/// The two ends of a side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ends {
    /// There is no rank beyond.
    Open,
    /// Beyond the one end lies the other.
    Joined,
}

/// One side of a grid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GridSide {
    /// Ranks along it; at least 1.
    pub length: u32,
    /// Its ends.
    pub ends: Ends,
}

/// A grid of ranks. One without sides has one rank. Ranks are numbered row by row: the last coordinate changes fastest. It is a formula of its
/// sides; nothing is stored per rank.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cartesian {
    sides: Box<[GridSide]>,
    size: u32,
}

impl Cartesian {
    /// A grid with these sides, in a communicator of `ranks` ranks.
    ///
    /// # Errors
    /// `MPI_ERR_DIMS` when a side is empty, `MPI_ERR_ARG` when the grid needs more ranks than there are.
    pub fn new(sides: &[GridSide], ranks: usize) -> Result<Self> {
        let mut size = 1u64;
        for side in sides {
            if side.length == 0 {
                return Err(MpiError::Dimensions("a side of a grid must be at least 1".into()));
            }
            size = size.saturating_mul(u64::from(side.length));
        }
        if size > ranks as u64 {
            return Err(MpiError::Argument(format!("a grid of {size} ranks in a communicator of {ranks}")));
        }
        Ok(Self { sides: sides.into(), size: size as u32 })
    }

    /// Its sides.
    pub fn sides(&self) -> &[GridSide] {
        &self.sides
    }

    /// The number of its ranks.
    pub const fn size(&self) -> u32 {
        self.size
    }

    /// The rank at these coordinates, one for each side; those beyond joined ends are wrapped.
    ///
    /// # Errors
    /// `MPI_ERR_ARG` when a coordinate lies beyond an open end.
    ///
    /// # Panics
    /// When there are fewer coordinates than sides.
    pub fn rank(&self, coordinates: &[i32]) -> Result<u32> {
        let mut rank = 0;
        for (number, side) in self.sides.iter().enumerate() {
            let coordinate = i64::from(coordinates[number]);
            let length = i64::from(side.length);
            if side.ends == Ends::Open && !(0..length).contains(&coordinate) {
                return Err(MpiError::Argument(format!(
                    "coordinate {number} is {coordinate}, and the side has open ends and {length} ranks"
                )));
            }
            rank = rank * side.length + coordinate.rem_euclid(length) as u32;
        }
        Ok(rank)
    }

    /// The coordinates of a rank.
    pub fn coordinates(&self, rank: u32) -> Vec<i32> {
        let mut rest = rank;
        let mut coordinates = vec![0; self.sides.len()];
        for (side, coordinate) in self.sides.iter().zip(&mut coordinates).rev() {
            *coordinate = (rest % side.length) as i32;
            rest /= side.length;
        }
        coordinates
    }

    /// From whom and to whom the rank sends if all send `distance` along a side: source and destination,
    /// [`PROC_NULL`] beyond open ends.
    ///
    /// # Errors
    /// `MPI_ERR_DIMS` when there is no such side.
    pub fn shift(&self, rank: u32, side: i32, distance: i32) -> Result<(i32, i32)> {
        let number = usize::try_from(side).ok().filter(|&side| side < self.sides.len());
        let number = number.ok_or_else(|| {
            MpiError::Dimensions(format!("direction {side} of a grid with {} sides", self.sides.len()))
        })?;
        Ok((self.at(rank, number, -i64::from(distance)), self.at(rank, number, i64::from(distance))))
    }

    /// The rank so far along a side from another, or nobody.
    fn at(&self, rank: u32, number: usize, distance: i64) -> i32 {
        let GridSide { length, ends } = self.sides[number];
        let length = i64::from(length);
        let step: i64 = self.sides[number + 1..].iter().map(|side| i64::from(side.length)).product();
        let own = i64::from(rank) / step % length;
        let other = own + distance;
        if ends == Ends::Open && !(0..length).contains(&other) {
            return PROC_NULL;
        }
        (i64::from(rank) + (other.rem_euclid(length) - own) * step) as i32
    }

    /// The neighbors of a rank in the order of the neighborhood collectives (MPI 5.0, section 8.6): side by side,
    /// first the one before, then the one behind; [`PROC_NULL`] beyond open ends.
    pub fn neighbors(&self, rank: u32) -> Vec<i32> {
        (0..self.sides.len()).flat_map(|side| [self.at(rank, side, -1), self.at(rank, side, 1)]).collect()
    }

    /// The grid of the sides that remain, and the ranks of this grid that form the part with `rank`, in the order of
    /// the new grid.
    ///
    /// # Panics
    /// When `remains` has fewer elements than there are sides.
    pub fn part(&self, rank: u32, remains: &[Remains]) -> (Self, Vec<u32>) {
        let kept = |number: &usize| remains[*number] == Remains::Yes;
        let numbers: Vec<usize> = (0..self.sides.len()).filter(kept).collect();
        let sides: Box<[GridSide]> = numbers.iter().map(|&number| self.sides[number]).collect();
        let size = sides.iter().map(|side| side.length).product();
        let part = Self { sides, size };
        let mut whole = self.coordinates(rank);
        let members = (0..size).map(|member| {
            for (&number, coordinate) in numbers.iter().zip(part.coordinates(member)) {
                whole[number] = coordinate;
            }
            self.rank(&whole).expect("coordinates made from ranks lie inside")
        });
        let members = members.collect();
        (part, members)
    }
}

/// The fate of a side when a grid is cut into parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Remains {
    /// It stays: ranks along it are in one part.
    Yes,
    /// The grid is cut across it.
    No,
}

/// A graph that every rank knows as a whole, as `MPI_Graph_create` gets it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Graph {
    /// Where the neighbors of each rank end in `edges`.
    index: Box<[i32]>,
    edges: Box<[i32]>,
}

impl Graph {
    /// The graph in which the neighbors of rank `r` are `edges[index[r - 1]..index[r]]` (from 0 for rank 0).
    ///
    /// # Errors
    /// `MPI_ERR_ARG` when the index falls, or an edge leads to no rank of the graph.
    pub fn new(index: &[i32], edges: &[i32]) -> Result<Self> {
        let rises = index.first().is_none_or(|&first| first >= 0) && index.is_sorted();
        if !rises || index.last().is_some_and(|&last| last as usize > edges.len()) {
            return Err(MpiError::Argument("the index of a graph must rise to its number of edges".into()));
        }
        let ranks = 0..index.len() as i32;
        if let Some(edge) = edges.iter().find(|edge| !ranks.contains(edge)) {
            let what = format!("an edge to rank {edge} of a graph of {} ranks", ranks.end);
            return Err(MpiError::Argument(what));
        }
        Ok(Self { index: index.into(), edges: edges.into() })
    }

    /// Where the neighbors of each rank end in [`Graph::edges`].
    pub fn index(&self) -> &[i32] {
        &self.index
    }

    /// The neighbors of all ranks, one rank behind the other.
    pub fn edges(&self) -> &[i32] {
        &self.edges
    }

    /// The neighbors of a rank, if it is one of the graph.
    pub fn neighbors(&self, rank: usize) -> Option<&[i32]> {
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
    use proptest::prelude::*;

    #[test]
    fn blocks_of_a_grid_arrive_from_behind_first() {
        let ring = Cartesian::new(&[GridSide { length: 2, ends: Ends::Joined }], 2).unwrap();
        let neighbors = VirtualTopology::Cartesian(ring).neighbors(0);
        let expected = Neighbors { sources: vec![1, 1], destinations: vec![1, 1], arrival: vec![1, 0] };
        assert_eq!(neighbors, expected);
    }

    #[test]
    fn blocks_of_graphs_arrive_in_order() {
        let edge = |rank| Edge { rank, weight: 1 };
        let own = OwnEdges {
            sources: vec![edge(2), edge(1), edge(1)],
            destinations: vec![edge(0)],
            weights: Weights::None,
        };
        let neighbors = VirtualTopology::Distributed(own).neighbors(5);
        let expected = Neighbors { sources: vec![2, 1, 1], destinations: vec![0], arrival: vec![0, 1, 2] };
        assert_eq!(neighbors, expected);
        let graph = Graph::new(&[1, 2], &[1, 0]).unwrap();
        assert_eq!(VirtualTopology::Graph(graph.clone()).neighbors(1).sources, [0]);
        assert_eq!(VirtualTopology::Graph(graph).neighbors(7).sources, []);
    }

    fn grid(sides: &[(u32, Ends)]) -> Cartesian {
        let sides: Vec<GridSide> = sides.iter().map(|&(length, ends)| GridSide { length, ends }).collect();
        Cartesian::new(&sides, 10_000).unwrap()
    }

    /// Three rows, open above and below, of four ranks, joined left and right:
    /// ```text
    ///   0  1  2  3
    ///   4  5  6  7
    ///   8  9 10 11
    /// ```
    #[test]
    fn a_grid_computed_by_hand() {
        let grid = grid(&[(3, Ends::Open), (4, Ends::Joined)]);
        assert_eq!(grid.size(), 12);
        assert_eq!(grid.coordinates(7), [1, 3]);
        assert_eq!(grid.rank(&[1, 3]), Ok(7));
        assert_eq!(grid.rank(&[2, -1]), Ok(11));
        assert_eq!(grid.rank(&[0, 9]), Ok(1));
        assert!(matches!(grid.rank(&[3, 0]), Err(MpiError::Argument(_))));
        assert!(matches!(grid.rank(&[-1, 0]), Err(MpiError::Argument(_))));
        assert_eq!(grid.shift(0, 0, 1), Ok((PROC_NULL, 4)));
        assert_eq!(grid.shift(0, 1, 1), Ok((3, 1)));
        assert_eq!(grid.shift(9, 0, 2), Ok((1, PROC_NULL)));
        assert_eq!(grid.shift(9, 1, -5), Ok((10, 8)));
        assert_eq!(grid.shift(9, 1, 0), Ok((9, 9)));
        assert!(matches!(grid.shift(9, 2, 1), Err(MpiError::Dimensions(_))));
        assert!(matches!(grid.shift(9, -1, 1), Err(MpiError::Dimensions(_))));
        assert_eq!(grid.neighbors(8), [4, PROC_NULL, 11, 9]);
        let (row, members) = grid.part(6, &[Remains::No, Remains::Yes]);
        assert_eq!((row.sides().len(), row.size()), (1, 4));
        assert_eq!(members, [4, 5, 6, 7]);
        let (_, column) = grid.part(6, &[Remains::Yes, Remains::No]);
        assert_eq!(column, [2, 6, 10]);
        let (point, alone) = grid.part(6, &[Remains::No, Remains::No]);
        assert_eq!((point.size(), alone), (1, vec![6]));
        assert_eq!(point.rank(&[]), Ok(0));
    }

    #[test]
    fn grids_that_do_not_fit_are_refused() {
        let side = |length| GridSide { length, ends: Ends::Open };
        assert!(matches!(Cartesian::new(&[side(0)], 4), Err(MpiError::Dimensions(_))));
        assert!(matches!(Cartesian::new(&[side(3), side(2)], 4), Err(MpiError::Argument(_))));
        let huge = side(u32::MAX);
        assert!(matches!(Cartesian::new(&[huge, huge, huge], 4), Err(MpiError::Argument(_))));
        assert_eq!(Cartesian::new(&[], 4).map(|grid| grid.size()), Ok(1));
    }

    fn sides() -> impl Strategy<Value = Vec<(u32, Ends)>> {
        let ends = prop_oneof![Just(Ends::Open), Just(Ends::Joined)];
        proptest::collection::vec((1..6u32, ends), 0..5)
    }

    proptest! {
        #[test]
        fn ranks_and_coordinates_are_one_to_one(sides in sides()) {
            let grid = grid(&sides);
            for rank in 0..grid.size() {
                prop_assert_eq!(grid.rank(&grid.coordinates(rank)), Ok(rank));
            }
        }

        #[test]
        fn whom_i_send_to_receives_from_me(sides in sides(), distance in -7..8) {
            let grid = grid(&sides);
            for rank in 0..grid.size() {
                for side in 0..sides.len() as i32 {
                    let (source, destination) = grid.shift(rank, side, distance).unwrap();
                    if let Ok(destination) = u32::try_from(destination) {
                        prop_assert_eq!(grid.shift(destination, side, distance).unwrap().0, rank as i32);
                    }
                    if let Ok(source) = u32::try_from(source) {
                        prop_assert_eq!(grid.shift(source, side, distance).unwrap().1, rank as i32);
                    }
                }
            }
        }
    }

    /// The standard's own example of a graph: 0 beside 1 and 3, 1 beside 0, 2 beside 3, 3 beside 0 and 2.
    #[test]
    fn neighbors_lie_one_rank_behind_the_other() {
        let graph = Graph::new(&[2, 3, 4, 6], &[1, 3, 0, 3, 0, 2]).unwrap();
        assert_eq!(graph.neighbors(0), Some(&[1, 3][..]));
        assert_eq!(graph.neighbors(1), Some(&[0][..]));
        assert_eq!(graph.neighbors(2), Some(&[3][..]));
        assert_eq!(graph.neighbors(3), Some(&[0, 2][..]));
        assert_eq!(graph.neighbors(4), None);
        // Rank 0 beside nobody, rank 1 beside itself.
        let lone = Graph::new(&[0, 1], &[1]).unwrap();
        assert_eq!([0, 1].map(|rank| lone.neighbors(rank)), [Some(&[][..]), Some(&[1][..])]);
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
