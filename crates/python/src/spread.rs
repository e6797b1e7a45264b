//! Routers of a graph spread over a plane, so that neighbors are near each other.

use nalgebra::DMatrix;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::collections::VecDeque;

type Point = [f64; 2];

/// Routers whose distances to all others are looked at.
const PIVOTS: usize = 40;
/// Larger graphs are not relaxed by springs, for which all pairs are looked at.
const MOST_RELAXED: usize = 900;
/// Number of times that springs pull, and the longest step of the first and the last time.
const STEPS: u32 = 80;
const FIRST: f64 = 0.5;
const LAST: f64 = 0.02;

/// A place for each router of a graph with these links: distances to a few pivots, as far apart as possible, in the two
/// directions in which they differ most (Brandes and Pich, "Eigensolver methods for progressive multidimensional scaling of large
/// data", 2006). Small graphs are then relaxed by springs. Neighbors are about as far apart as 1.
#[pyfunction]
pub(crate) fn spread(
    py: Python<'_>,
    count: usize,
    begin: Vec<usize>,
    end: Vec<usize>,
) -> PyResult<Vec<Point>> {
    if begin.len() != end.len() || begin.iter().chain(&end).any(|&router| router >= count) {
        return Err(PyValueError::new_err("links between routers of the graph were expected"));
    }
    let links: Vec<(usize, usize)> = begin.into_iter().zip(end).collect();
    Ok(py.detach(|| places(count, &links)))
}

#[expect(clippy::cast_precision_loss, reason = "numbers of routers")]
fn places(count: usize, links: &[(usize, usize)]) -> Vec<Point> {
    if count < 2 {
        return vec![[0.0, 0.0]; count];
    }
    let mut flat = by_distance(count, links);
    for axis in 0..2 {
        let largest = flat.iter().fold(1e-9, |largest: f64, point| largest.max(point[axis].abs()));
        flat.iter_mut().for_each(|point| point[axis] *= (count as f64).sqrt() / 2.0 / largest);
    }
    let mut chance = Chance(1);
    flat.iter_mut().flatten().for_each(|value| *value += 0.1 * (chance.next() - 0.5));
    if count > MOST_RELAXED {
        return flat;
    }
    relax(&mut flat, links);
    flat.iter_mut().flatten().for_each(|value| *value *= 1.6);
    flat
}

fn by_distance(count: usize, links: &[(usize, usize)]) -> Vec<Point> {
    let mut near = vec![Vec::new(); count];
    links.iter().for_each(|&(one, other)| near[one].push(other));
    let pivots = PIVOTS.min(count);
    let mut squares = DMatrix::zeros(count, pivots);
    let mut nearest = vec![f64::INFINITY; count];
    let mut pivot = 0;
    for column in 0..pivots {
        for (router, distance) in distances(pivot, &near).into_iter().enumerate() {
            squares[(router, column)] = distance * distance;
            nearest[router] = distance.min(nearest[router]);
        }
        // The first of those that are farthest from all pivots.
        pivot =
            (0..count).fold(0, |best, router| if nearest[router] > nearest[best] { router } else { best });
    }
    let columns = squares.row_mean();
    let rows = squares.column_mean();
    let mean = squares.mean();
    let centered = DMatrix::from_fn(count, pivots, |router, column| {
        squares[(router, column)] - columns[column] - rows[router] + mean
    });
    let found = (centered.transpose() * &centered).symmetric_eigen();
    let mut order: Vec<usize> = (0..pivots).collect();
    order.sort_by(|&one, &other| found.eigenvalues[other].total_cmp(&found.eigenvalues[one]));
    let mut flat = vec![[0.0; 2]; count];
    for (axis, &number) in order.iter().take(2).enumerate() {
        let along = &centered * found.eigenvectors.column(number);
        flat.iter_mut().zip(along.iter()).for_each(|(point, &value)| point[axis] = value);
    }
    flat
}

/// Links from one router to every other; one more than the longest where there is no way.
fn distances(start: usize, near: &[Vec<usize>]) -> Vec<f64> {
    let mut found = vec![f64::INFINITY; near.len()];
    found[start] = 0.0;
    let mut front = VecDeque::from([start]);
    let mut longest = 0.0;
    while let Some(router) = front.pop_front() {
        longest = found[router];
        for &next in &near[router] {
            if found[next].is_infinite() {
                found[next] = longest + 1.0;
                front.push_back(next);
            }
        }
    }
    found.iter_mut().filter(|distance| distance.is_infinite()).for_each(|distance| *distance = longest + 1.0);
    found
}

/// Neighbors attract, all repel (Fruchterman and Reingold, 1991), with steps that become shorter.
fn relax(flat: &mut [Point], links: &[(usize, usize)]) {
    for number in 0..STEPS {
        let step = FIRST + (LAST - FIRST) * f64::from(number) / f64::from(STEPS - 1);
        let mut push = vec![[0.0; 2]; flat.len()];
        for one in 0..flat.len() {
            for other in 0..one {
                let apart = [flat[one][0] - flat[other][0], flat[one][1] - flat[other][1]];
                let square = apart[0] * apart[0] + apart[1] * apart[1] + 0.01;
                for axis in 0..2 {
                    push[one][axis] += apart[axis] / square;
                    push[other][axis] -= apart[axis] / square;
                }
            }
        }
        for &(one, other) in links {
            let pull = [flat[other][0] - flat[one][0], flat[other][1] - flat[one][1]];
            let length = (pull[0] * pull[0] + pull[1] * pull[1]).sqrt();
            for axis in 0..2 {
                push[one][axis] += pull[axis] * length / 2.0;
                push[other][axis] -= pull[axis] * length / 2.0;
            }
        }
        for (point, push) in flat.iter_mut().zip(&push) {
            let length = (push[0] * push[0] + push[1] * push[1]).sqrt() + 1e-9;
            for axis in 0..2 {
                point[axis] += push[axis] / length * length.min(step);
            }
        }
    }
}

/// Numbers from 0 to 1 that are the same in every run (Steele, Lea and Flood, "Fast splittable pseudorandom number generators",
/// 2014).
struct Chance(u64);

impl Chance {
    #[expect(clippy::cast_precision_loss, reason = "53 bits fit")]
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }
}
