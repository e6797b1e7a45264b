//! Checks whether the grids that a program makes of its ranks (`MPI_Cart_create`) lie well on the machine.

use crate::Scenario;
use weir_message::{Cartesian, Ends};
use weir_topology::Topology;
use weir_units::NodeId;

/// Grids of more ranks are not looked at.
const MOST_RANKS: u32 = 1 << 17;
/// So much farther apart than they could be are neighbours before that is said.
const FAR: f64 = 1.2;

impl Scenario {
    /// Warnings about grids that the program has made: that neighbours would be nearer if the sides were numbered the other
    /// way round.
    pub(crate) fn grid_warnings(&self, grids: &[Cartesian]) -> Vec<String> {
        let Some(machine) = self.topology() else { return Vec::new() };
        grids.iter().filter_map(|grid| warning(&machine, self.placement().nodes(), grid)).collect()
    }
}

fn warning(machine: &Topology, nodes: &[NodeId], grid: &Cartesian) -> Option<String> {
    if grid.size() > MOST_RANKS || grid.sides().iter().filter(|side| side.length > 1).count() < 2 {
        return None;
    }
    let given = mean_distance(machine, grid, |rank| nodes[rank])?;
    let turned = mean_distance(machine, grid, |rank| nodes[first_side_fastest(grid, rank)])?;
    let sides: Vec<_> = grid.sides().iter().map(|side| side.length.to_string()).collect();
    (given > FAR * turned).then(|| {
        format!(
            "MPI_Cart_create numbers ranks with the last side fastest: neighbours of the grid {} are {given:.1} links apart on average; with the first \
             side fastest they would be {turned:.1} (weir advise mapping finds and writes such a mapping)",
            sides.join(" x ")
        )
    })
}

/// Links between neighbours, on average over all pairs and ways; `None` where a way is missing, or there are no neighbours.
fn mean_distance(machine: &Topology, grid: &Cartesian, node: impl Fn(usize) -> NodeId) -> Option<f64> {
    let (mut links, mut pairs, mut route) = (0, 0_u64, Vec::new());
    let mut stride = 1;
    for side in grid.sides().iter().rev() {
        let length = side.length as usize;
        for rank in 0..grid.size() as usize {
            let place = rank / stride % length;
            let next = match side.ends {
                _ if place + 1 < length => rank + stride,
                Ends::Joined if length > 2 => rank - place * stride,
                _ => continue,
            };
            let (from, to) = (node(rank), node(next));
            if from != to && !machine.find_route(from, to, &mut route) {
                return None;
            }
            links += if from == to { 0 } else { route.len() as u64 };
            pairs += 1;
        }
        stride *= length;
    }
    (pairs > 0).then(|| links as f64 / pairs as f64)
}

/// The place of a rank of a grid if its first side were numbered fastest.
fn first_side_fastest(grid: &Cartesian, rank: usize) -> usize {
    let (mut rest, mut place, mut stride) = (rank, 0, grid.size() as usize);
    for side in grid.sides().iter().rev() {
        let length = side.length as usize;
        stride /= length;
        place += rest % length * stride;
        rest /= length;
    }
    place
}

#[cfg(test)]
mod tests {
    use super::*;
    use weir_message::GridSide;

    /// In a grid of 2 x 3, rank 1 is at (0, 1): the third place if the first side is fastest.
    #[test]
    fn the_other_numbering() {
        let sides = [2, 3].map(|length| GridSide { length, ends: Ends::Open });
        let grid = Cartesian::new(&sides, 6).unwrap();
        let places: Vec<_> = (0..6).map(|rank| first_side_fastest(&grid, rank)).collect();
        assert_eq!(places, [0, 2, 4, 1, 3, 5]);
    }
}
