//! A torus or a mesh on a plane: routers as squares, each as busy as the busiest link that leaves it.

use serde::Serialize;
use weir_topology::Topology;

/// Machines with more routers are not drawn: what the page is sent twice a second stays short.
const MOST: usize = 4096;
/// Squares side by side where there is one dimension.
const WIDEST_LINE: usize = 64;

/// Where routers are, and what the last interval was for them.
#[derive(Serialize)]
pub(super) struct Drawing {
    width: usize,
    height: usize,
    /// The square of each router, counted in lines from the top.
    #[serde(skip)]
    squares: Vec<usize>,
    /// The highest utilization of a link out of the router of each square, in per cent; `None` between planes.
    percent: Vec<Option<u8>>,
}

impl Drawing {
    /// Draws a machine whose routers have coordinates, if it is not too large.
    pub(super) fn of(machine: &Topology) -> Option<Self> {
        let Topology::Torus(torus) = machine.whole() else { return None };
        if machine.routers() > MOST {
            return None;
        }
        let sizes: Vec<usize> = torus.dimensions().map(|dimension| dimension.size as usize).collect();
        let places: Vec<(usize, usize)> =
            (0..machine.routers()).map(|router| place(router, &sizes)).collect();
        let width = places.iter().map(|(x, _)| x + 1).max()?;
        let height = places.iter().map(|(_, y)| y + 1).max()?;
        let squares: Vec<usize> = places.iter().map(|(x, y)| y * width + x).collect();
        let mut percent = vec![None; width * height];
        squares.iter().for_each(|&square| percent[square] = Some(0));
        Some(Self { width, height, squares, percent })
    }

    /// A new interval begins.
    pub(super) fn clear(&mut self) {
        self.percent.iter_mut().flatten().for_each(|percent| *percent = 0);
    }

    /// A link out of a router was that busy in it.
    pub(super) fn note(&mut self, router: usize, percent: u8) {
        let square = &mut self.percent[self.squares[router]];
        *square = (*square).max(Some(percent));
    }
}

/// Column and line of a router: x to the right, y downwards, and planes of further dimensions beside and below each other in turn,
/// with a gap between them.
fn place(router: usize, sizes: &[usize]) -> (usize, usize) {
    if let [size] = *sizes {
        return if size > WIDEST_LINE { (router % WIDEST_LINE, router / WIDEST_LINE) } else { (router, 0) };
    }
    let (mut at, mut step, mut rest) = ([0, 0], [1, 1], router);
    for (dimension, &size) in sizes.iter().enumerate() {
        let axis = dimension % 2;
        at[axis] += rest % size * step[axis];
        rest /= size;
        step[axis] = step[axis] * size + 1;
    }
    (at[0], at[1])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 3 x 2 x 2: two planes side by side, with a column between them. The fourth dimension goes below.
    #[test]
    fn planes_stand_beside_and_below_each_other() {
        let all: Vec<_> = (0..12).map(|router| place(router, &[3, 2, 2])).collect();
        assert_eq!(all[..6], [(0, 0), (1, 0), (2, 0), (0, 1), (1, 1), (2, 1)]);
        assert_eq!(all[6..], [(4, 0), (5, 0), (6, 0), (4, 1), (5, 1), (6, 1)]);
        assert_eq!(place(12, &[3, 2, 2, 2]), (0, 3));
        assert_eq!((place(63, &[64]), place(64, &[65])), ((63, 0), (0, 1)));
    }
}
