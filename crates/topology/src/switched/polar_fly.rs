//! PolarFly: the polarity graphs of Erdos and Renyi, in which any two routers are joined or have one common neighbor (Lakhotia,
//! Besta, Monroe, Isham, Iff, Hoefler, Petrini: "PolarFly: a cost-effective and flexible low-diameter topology", SC 2022).
//!
//! Routers are the points of the projective plane over the field of q, written (1,y,z), (0,1,z) and (0,0,1). Two are joined where
//! they are orthogonal: where the sum of the products of their coordinates is 0. A point that is orthogonal to itself, which is called
//! absolute, has one cable less.

use super::field::{Field, nearest};
use super::{Candidates, Wires};
use crate::error::Mistake;

/// The cables of a PolarFly. Router (1,y,z) has number `q y + z`, then come (0,1,z) and (0,0,1). The ports of a router are in the
/// order of the numbers of the routers at their other ends.
#[derive(Clone, Debug)]
pub struct PolarFly {
    field: Field,
}

type Point = [u32; 3];

impl PolarFly {
    /// The largest q.
    pub const MOST: u32 = 128;

    /// The PolarFly of a prime power from 2 to 128.
    ///
    /// # Errors
    /// Names the key `q` when it is another number.
    pub fn new(q: u32) -> Result<Self, Vec<Mistake>> {
        match Field::new(q).filter(|_| q <= Self::MOST) {
            Some(field) => Ok(Self { field }),
            None => {
                let what = format!("is {q}, which is no prime power from 2 to {}", Self::MOST);
                let hint = format!("take {}", nearest(q, 2..=Self::MOST));
                Err(vec![Mistake { key: "q", what, hint }])
            }
        }
    }

    /// The prime power from which it is made.
    pub fn q(&self) -> u32 {
        self.field.order()
    }

    fn point(&self, router: u32) -> Point {
        let q = self.q();
        match router.checked_sub(q * q) {
            None => [1, router / q, router % q],
            Some(z) if z < q => [0, 1, z],
            Some(_) => [0, 0, 1],
        }
    }

    fn router(&self, point: Point) -> u32 {
        let q = self.q();
        match point {
            [1, y, z] => q * y + z,
            [0, 1, z] => q * q + z,
            _ => q * q + q,
        }
    }

    /// The product of the coordinates at these places.
    fn product(&self, a: Point, b: Point, (i, j): (usize, usize)) -> u32 {
        self.field.multiply(a[i], b[j])
    }

    fn are_orthogonal(&self, a: Point, b: Point) -> bool {
        let [x, y, z] = [0, 1, 2].map(|i| self.product(a, b, (i, i)));
        self.field.add(self.field.add(x, y), z) == 0
    }

    /// The point orthogonal to both of two points that differ.
    fn orthogonal_to(&self, a: Point, b: Point) -> Point {
        let minor = |i, j| self.field.subtract(self.product(a, b, (i, j)), self.product(a, b, (j, i)));
        let point = [minor(1, 2), minor(2, 0), minor(0, 1)];
        let first = point.into_iter().find(|&coordinate| coordinate != 0).expect("they differ");
        point.map(|coordinate| self.field.divide(coordinate, first))
    }

    /// The points orthogonal to one are a line: that at this place on it, in the order of numbers.
    fn at(&self, [a, b, c]: Point, place: u32) -> Point {
        let over = |sum, divisor| self.field.negative(self.field.divide(sum, divisor));
        match place == self.q() {
            false if c != 0 => [1, place, over(self.field.add(a, self.field.multiply(b, place)), c)],
            true if c != 0 => [0, 1, over(b, c)],
            false if b != 0 => [1, over(a, b), place],
            false => [0, 1, place],
            true => [0, 0, 1],
        }
    }

    /// The place of a point on the line of those orthogonal to another one.
    fn place_on_line(&self, [_, b, c]: Point, [x, y, z]: Point) -> u32 {
        match x {
            1 if c != 0 => y,
            1 => z,
            _ if c == 0 && b == 0 && y == 1 => z,
            _ => self.q(),
        }
    }

    /// The port from a point to one that is orthogonal to it.
    fn port(&self, from: Point, to: Point) -> u32 {
        let place = self.place_on_line(from, to);
        let is_behind_itself = self.are_orthogonal(from, from) && self.place_on_line(from, from) < place;
        place - u32::from(is_behind_itself)
    }
}

impl Wires for PolarFly {
    fn routers(&self) -> u32 {
        self.q() * self.q() + self.q() + 1
    }

    fn ports(&self, router: u32) -> u32 {
        let point = self.point(router);
        self.q() + 1 - u32::from(self.are_orthogonal(point, point))
    }

    fn neighbor(&self, router: u32, port: u32) -> (u32, u32) {
        let here = self.point(router);
        let is_behind_itself = self.are_orthogonal(here, here) && self.place_on_line(here, here) <= port;
        let there = self.at(here, port + u32::from(is_behind_itself));
        (self.router(there), self.port(there, here))
    }

    fn minimal(&self, from: u32, to: u32, found: &mut Candidates) {
        let (here, there) = (self.point(from), self.point(to));
        if from == to {
            return;
        }
        let next = if self.are_orthogonal(here, there) { there } else { self.orthogonal_to(here, there) };
        found.lead([self.port(here, next)]);
    }

    fn diameter(&self) -> u32 {
        2
    }

    /// Those that are not joined are two links apart; q + 1 of the routers have q cables, the others one more.
    fn lengths(&self) -> (u64, u64) {
        let (q, routers) = (u64::from(self.q()), u64::from(self.routers()));
        (2, 2 * routers * (routers - 1) - (routers - 1) * (q + 1))
    }

    fn place(&self, router: u32) -> Vec<u32> {
        self.point(router).to_vec()
    }

    fn router_at(&self, place: &[u32]) -> Option<u32> {
        let point = <Point>::try_from(place).ok().filter(|point| point.iter().all(|&at| at < self.q()))?;
        let first = point.into_iter().find(|&coordinate| coordinate != 0);
        (first == Some(1)).then(|| self.router(point))
    }

    fn place_form(&self) -> Vec<String> {
        ["x", "y", "z"].map(String::from).to_vec()
    }
}
