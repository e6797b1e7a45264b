//! A job's own torus, laid into a machine: where each of its places is.
//!
//! A Tofu gives a job a part of itself in which the job sees a torus of one, two or three sides. The dimensions of the machine
//! are three pairs of an outer one (x, y, z) and an inner one (a, b, c): x and a, y and b, z and c (T. Kawashima of Fujitsu in pull
//! request 165 of the PMIx standard, 2019). Each side is a path through one, two or three of these pairs. Through one pair:
//! ```text
//!   snake                          zig-zag                  full, here through y and b
//!   inner 2                                                 2 - 3
//!                                                           |   |
//!   inner 1   7 - 6 - 5 - 4         1 - 2   5 - 6           1   4   7
//!             |           |         |   |   |   |           |   |   |
//!   inner 0   0 - 1 - 2 - 3         0   3 - 4   7           0   5 - 6
//!             outer -->             outer -->               outer -->
//! ```
//! A snake has two places of the inner dimension and is a closed ring however long the outer dimension is. Where it would be longer
//! than the machine, the path is full: to and fro over all places of the inner dimension. An odd side lies along the outer dimension alone.
//! Through further pairs, rows of the path so far lie side by side, as many as there are places on a snake of the next pair:
//! ```text
//!   row 3   7 - 6      Rows of one pair are equally long, so that the path is at place 0 after each;
//!           |   |      as the rows are a closed ring, it comes back to where it began.
//!   row 2   4 - 5
//!           |
//!   row 1   3 - 2
//!               |
//!   row 0   0 - 1
//! ```
//! Neighbors in the job are neighbors in the machine; an even side is a closed ring if the last of its pairs is passed on a snake. On another
//! grid of as many dimensions as the job has sides, a side lies along a dimension as it is. That a job's torus is folded so is
//! public (Ajima, Sumimoto, Shimizu 2009; see [`crate::tofu`]); how the sides are folded on a site is not.

use crate::{Topology, Torus, tofu};
use weir_units::NodeId;

/// The way in which a side is folded into an outer and an inner dimension.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Fold {
    /// Out at the first inner place, back at the second.
    #[default]
    Snake,
    /// To and fro between two inner places while it goes out.
    ZigZag,
    /// To and fro over all inner places while it goes out: the shortest path.
    Full,
}

/// A job's torus and how it lies in a machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Folding {
    /// The sides of the job, x first: one to three, each at least 1.
    pub job: Vec<u32>,
    /// The sides in the order in which ranks go along them, the fastest first: each number below the count of sides once.
    pub order: Vec<usize>,
    /// The side along each pair of dimensions of the machine, in their order; a side that the job does not have stands for
    /// its last one. On a Tofu, where a job does not fit so, the first other assignment in which it does takes its place.
    pub axes: Vec<usize>,
    /// The way in which sides are folded.
    pub fold: Fold,
    /// In how many rows a side lies that has several pairs; where that does not fit, or is `None`, about as many as there are places in a row.
    pub rows: Option<u32>,
}

/// A job on a Tofu.
struct Laid {
    /// Which side lies along each pair.
    axes: Vec<usize>,
    sides: Vec<Path>,
}

/// One side on a Tofu.
struct Path {
    /// Its places, with all coordinates that are of other sides at 0.
    places: Vec<[u32; 6]>,
    /// Its number of groups along x, y and z: in a machine of no more it lies the same way.
    groups: [u32; 3],
}

impl Folding {
    /// Number of places.
    pub fn places(&self) -> u64 {
        self.job.iter().map(|&side| u64::from(side)).product()
    }

    /// Number of groups of a Tofu that the job takes along x, y and z, and the place of its sides there.
    ///
    /// # Errors
    /// Why the job does not fit the machine.
    pub fn part(&self, groups: [u32; 3]) -> Result<([u32; 3], Vec<usize>), String> {
        let Laid { axes, sides } = self.laid(groups)?;
        let part = sides.iter().fold([1; 3], |part, side| larger(part, side.groups));
        Ok((part, axes))
    }

    /// The node of each place of the job, in the order of ranks, and which side lies along each pair or dimension.
    ///
    /// # Errors
    /// Why the job does not fit the machine.
    pub fn nodes(&self, machine: &Topology) -> Result<(Vec<NodeId>, Vec<usize>), String> {
        let Topology::Torus(torus) = machine.whole() else {
            return Err("needs a machine that is a torus, a mesh or a Tofu".into());
        };
        let sizes: Vec<u32> = torus.dimensions().map(|dimension| dimension.size).collect();
        let places = usize::try_from(self.places()).unwrap_or(usize::MAX);
        if let Some(groups) = tofu::groups(torus) {
            let Laid { axes, sides } = self.laid(groups)?;
            let node = |place| {
                let mut coordinates = [0; 6];
                self.along(place, |side, at| {
                    coordinates.iter_mut().zip(sides[side].places[at]).for_each(|(sum, at)| *sum += at);
                });
                number(&coordinates, &sizes)
            };
            return Ok(((0..places).map(node).collect(), axes));
        }
        let dimension_of = self.dimensions(torus, &sizes)?;
        let node = |place| {
            let mut coordinates = vec![0; sizes.len()];
            self.along(place, |side, at| coordinates[dimension_of[side]] = at as u32);
            number(&coordinates, &sizes)
        };
        Ok(((0..places).map(node).collect(), self.own_axes()))
    }

    /// Calls with each side and where along it a place is.
    fn along(&self, place: usize, mut side_at: impl FnMut(usize, usize)) {
        let mut rest = place;
        for &side in &self.order {
            let length = self.job[side] as usize;
            side_at(side, rest % length);
            rest /= length;
        }
    }

    /// The axes without those of sides that the job does not have.
    fn own_axes(&self) -> Vec<usize> {
        self.axes.iter().copied().filter(|&side| side < self.job.len()).collect()
    }

    /// The dimension of each side, in a grid that is no Tofu.
    fn dimensions(&self, torus: &Torus, sizes: &[u32]) -> Result<Vec<usize>, String> {
        let (sides, dimensions) = (self.job.len(), sizes.len());
        if dimensions != sides {
            return Err(format!(
                "has {sides} sides; on a machine of {dimensions} dimensions it needs as many"
            ));
        }
        let axes = self.own_axes();
        let mut dimension_of = vec![0; sides];
        for (dimension, &side) in axes.iter().enumerate() {
            let (length, there) = (self.job[side], sizes[dimension]);
            if length > there {
                let name = torus.axis_name(dimension);
                return Err(format!(
                    "has a side of {length} that needs {length} along {name}, and there are {there}"
                ));
            }
            dimension_of[side] = dimension;
        }
        Ok(dimension_of)
    }

    fn laid(&self, groups: [u32; 3]) -> Result<Laid, String> {
        let nodes =
            tofu::GROUP.iter().chain(&groups).fold(1_u64, |nodes, &size| nodes.saturating_mul(size.into()));
        if self.places() > nodes.min(MOST_PLACES) {
            return Err(format!(
                "has {} places: too many for {} nodes",
                self.places(),
                nodes.min(MOST_PLACES)
            ));
        }
        let Some(last) = self.job.len().checked_sub(1) else {
            return Ok(Laid { axes: Vec::new(), sides: Vec::new() });
        };
        let given: Vec<usize> = self.axes.iter().map(|&side| side.min(last)).collect();
        let as_given = self.laid_along(&given, groups);
        as_given.or_else(|why| {
            let mut others = ASSIGNMENTS.iter().filter(|axes| (0..=last).all(|side| axes.contains(&side)));
            let other = others.find_map(|axes| {
                axes.iter().all(|&side| side <= last).then(|| self.laid_along(axes, groups).ok())?
            });
            other.ok_or(why)
        })
    }

    fn laid_along(&self, axes: &[usize], groups: [u32; 3]) -> Result<Laid, String> {
        let side = |(side, &length): (usize, &u32)| {
            let pairs: Vec<usize> = (0..axes.len()).filter(|&pair| axes[pair] == side).collect();
            self.path(length, &pairs, groups).ok_or_else(|| self.no_room(length, &pairs, groups))
        };
        let sides = self.job.iter().enumerate().map(side).collect::<Result<_, _>>()?;
        Ok(Laid { axes: axes.to_vec(), sides })
    }

    fn no_room(&self, length: u32, pairs: &[usize], groups: [u32; 3]) -> String {
        if let [pair] = *pairs {
            let (name, there) = (tofu::AXES[pair], groups[pair]);
            let needs = length.div_ceil(tofu::GROUP[pair]);
            return format!("has a side of {length} that needs {needs} along {name}, and there are {there}");
        }
        let there: Vec<String> =
            pairs.iter().map(|&pair| format!("{} along {}", groups[pair], tofu::AXES[pair])).collect();
        format!("has a side of {length} for which {} are too few groups", there.join(" and "))
    }

    /// A path of so many places through these pairs.
    fn path(&self, length: u32, pairs: &[usize], groups: [u32; 3]) -> Option<Path> {
        let (&pair, rest) = pairs.split_last()?;
        if rest.is_empty() || length == 1 {
            return self.fold.strip(length, pair, groups[pair]);
        }
        let half = length.div_ceil(2);
        let wished =
            self.rows.unwrap_or_else(|| f64::from(length).powf(1.0 / pairs.len() as f64).round() as u32);
        let mut rows: Vec<u32> =
            (1..=half.min(groups[pair].saturating_mul(tofu::GROUP[pair])).min(MOST_ROWS)).collect();
        rows.sort_by_key(|&couples| (2 * couples).abs_diff(wished));
        rows.into_iter().find_map(|couples| {
            let across = self.fold.strip(2 * couples, pair, groups[pair])?;
            // The beginning of a path of even length, which takes fewer groups than one of odd length.
            let long = half.div_ceil(couples);
            let even = if long > 1 { self.path(long.next_multiple_of(2), rest, groups) } else { None };
            let row = even.or_else(|| self.path(long, rest, groups))?;
            let places = to_and_fro(length, &row.places, &across.places);
            Some(Path { places, groups: larger(row.groups, across.groups) })
        })
    }
}

/// Larger jobs than any machine are not laid.
const MOST_PLACES: u64 = 1 << 26;

/// A side is not laid in more couples of rows.
const MOST_ROWS: u32 = 1 << 12;

/// Which sides lie along the pairs, where a job does not fit as is said: the further pairs go to the last side first.
const ASSIGNMENTS: [[usize; 3]; 13] = [
    [0, 1, 2],
    [0, 2, 1],
    [1, 0, 2],
    [1, 2, 0],
    [2, 0, 1],
    [2, 1, 0],
    [0, 1, 1],
    [1, 0, 1],
    [1, 1, 0],
    [0, 0, 1],
    [0, 1, 0],
    [1, 0, 0],
    [0, 0, 0],
];

/// A path of so many places over rows: out along one, back along the next, both equally long.
fn to_and_fro(length: u32, row: &[[u32; 6]], across: &[[u32; 6]]) -> Vec<[u32; 6]> {
    let (half, couples) = (length.div_ceil(2), across.len() as u32 / 2);
    let mut path = Vec::with_capacity(length as usize + 1);
    for couple in 0..couples {
        let long = half / couples + u32::from(couple < half % couples);
        let [out, back] = [across[2 * couple as usize], across[2 * couple as usize + 1]];
        let along = &row[..long as usize];
        let sum = |place: &[u32; 6], at: [u32; 6]| [0, 1, 2, 3, 4, 5].map(|i| place[i] + at[i]);
        path.extend(along.iter().map(|place| sum(place, out)));
        path.extend(along.iter().rev().map(|place| sum(place, back)));
    }
    path.truncate(length as usize);
    path
}

fn larger(one: [u32; 3], other: [u32; 3]) -> [u32; 3] {
    [0, 1, 2].map(|i| one[i].max(other[i]))
}

/// The node with these coordinates.
fn number(coordinates: &[u32], sizes: &[u32]) -> NodeId {
    NodeId(coordinates.iter().zip(sizes).rev().fold(0, |number, (&at, &size)| number * size + at))
}

impl Fold {
    /// The places of a side along one pair with so many places along the outer dimension, if it fits.
    fn strip(self, side: u32, pair: usize, outer: u32) -> Option<Path> {
        let inner = tofu::GROUP[pair];
        if side.div_ceil(inner) > outer {
            return None;
        }
        let half = side / 2;
        let folds = side.is_multiple_of(2) && half <= outer;
        let zig_zag = |at: u32, inner: u32| {
            let (row, place) = (at / inner, at % inner);
            (row, if row.is_multiple_of(2) { place } else { inner - 1 - place })
        };
        let place = |at: u32| match self {
            Self::Snake if folds && at < half => (at, 0),
            Self::Snake if folds => (side - 1 - at, 1),
            Self::ZigZag if folds => zig_zag(at, 2),
            Self::Snake | Self::ZigZag if !side.is_multiple_of(2) && side <= outer => (at, 0),
            _ => zig_zag(at, inner),
        };
        let (mut places, mut groups) = (Vec::with_capacity(side as usize), [1; 3]);
        for at in 0..side {
            let (out, within) = place(at);
            groups[pair] = groups[pair].max(out + 1);
            let mut coordinates = [0; 6];
            (coordinates[pair], coordinates[pair + 3]) = (out, within);
            places.push(coordinates);
        }
        (groups[pair] <= outer).then_some(Path { places, groups })
    }
}

#[cfg(test)]
mod tests;
