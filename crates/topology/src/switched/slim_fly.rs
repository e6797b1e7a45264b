//! Slim Fly: the graphs of McKay, Miller and Siran, in which any two routers are joined or have a common neighbor (Besta, Hoefler:
//! "Slim Fly: a cost effective low-diameter network topology", SC 2014, section II; Hafner: "Geometric realisation of the graphs of
//! McKay-Miller-Siran", J. Comb. Theory B 90, 2004).
//!
//! With a prime power q = 4 w + d, where d is -1, 0 or 1, routers are (0,x,y) and (1,m,c) with elements of the field of q. Those of
//! one x are joined where their y differ by an element of a set X, those of one m where their c differ by one of a set X'; and (0,x,y)
//! with (1,m,c) where y = m x + c. With a generator g of the field X has the even powers of g and X' the odd ones where d = 1 or 0;
//! where d = -1, w of them each, and their negatives.

use super::field::{Field, nearest};
use super::{Candidates, Wires};
use crate::error::Mistake;

/// The cables of a Slim Fly. Router (s,x,y) has number `q^2 s + q x + y`. Its first ports lead to routers of the same s and x, in the
/// order of the differences; then come its ports to routers of the other s, in the order of their second numbers.
#[derive(Clone, Debug)]
pub struct SlimFly {
    field: Field,
    /// By s: the differences, ascending.
    steps: [Vec<u32>; 2],
    /// By s and element: its place among the differences.
    places: [Vec<Option<u16>>; 2],
}

/// A router: its s, x and y.
type Place = (usize, u32, u32);

impl SlimFly {
    /// The largest q.
    pub const MOST: u32 = 43;

    /// The Slim Fly of a prime power from 3 to 43.
    ///
    /// # Errors
    /// Names the key `q` when it is another number.
    pub fn new(q: u32) -> Result<Self, Vec<Mistake>> {
        let field = Field::new(q).filter(|_| (3..=Self::MOST).contains(&q));
        let Some(field) = field else {
            let what = format!("is {q}, which is no prime power from 3 to {}", Self::MOST);
            let hint = format!("take {}", nearest(q, 3..=Self::MOST));
            return Err(vec![Mistake { key: "q", what, hint }]);
        };
        let powers: [Vec<u32>; 2] = match q % 4 {
            // Where -1 is no square, the negatives of even powers are odd ones.
            3 => [0, 1].map(|s| {
                let half = (0..q.div_ceil(4)).map(|i| field.power(2 * i + s));
                half.flat_map(|power| [power, field.negative(power)]).collect()
            }),
            _ => [0, 1].map(|s| (0..q / 2).map(|i| field.power(2 * i + s)).collect()),
        };
        let steps = powers.map(|mut steps| {
            steps.sort_unstable();
            steps
        });
        let places = [0, 1].map(|s: usize| {
            let place = |element| steps[s].iter().position(|&step| step == element);
            (0..q).map(|element| place(element).map(|place| place as u16)).collect()
        });
        Ok(Self { field, steps, places })
    }

    /// The prime power from which it is made.
    pub fn q(&self) -> u32 {
        self.field.order()
    }

    fn place_of(&self, router: u32) -> Place {
        let q = self.q();
        ((router / (q * q)) as usize, router / q % q, router % q)
    }

    fn router(&self, (s, x, y): Place) -> u32 {
        (s as u32 * self.q() + x) * self.q() + y
    }

    fn locals(&self, s: usize) -> u32 {
        self.steps[s].len() as u32
    }

    /// The last number of the router that is joined to one, has the other s, and this number in the middle.
    fn across(&self, (s, x, y): Place, middle: u32) -> u32 {
        let product = self.field.multiply(x, middle);
        if s == 0 { self.field.subtract(y, product) } else { self.field.add(y, product) }
    }

    /// The port of a router of this s to one whose last number differs by so much, if they are joined.
    fn local(&self, s: usize, difference: u32) -> Option<u32> {
        self.places[s][difference as usize].map(u32::from)
    }
}

impl Wires for SlimFly {
    fn routers(&self) -> u32 {
        2 * self.q() * self.q()
    }

    fn ports(&self, router: u32) -> u32 {
        self.locals(self.place_of(router).0) + self.q()
    }

    fn neighbor(&self, router: u32, port: u32) -> (u32, u32) {
        let here = self.place_of(router);
        let (s, x, y) = here;
        match port.checked_sub(self.locals(s)) {
            None => {
                let step = self.steps[s][port as usize];
                let back =
                    self.local(s, self.field.negative(step)).expect("with each difference its negative");
                (self.router((s, x, self.field.add(y, step))), back)
            }
            Some(middle) => (self.router((1 - s, middle, self.across(here, middle))), self.locals(1 - s) + x),
        }
    }

    /// Cables within racks are local.
    fn class(&self, router: u32, port: u32) -> usize {
        let (s, x, _) = self.place_of(router);
        usize::from(port.checked_sub(self.locals(s)).is_some_and(|middle| middle != x))
    }

    /// The paper puts the routers of one x and those of the same m into one rack.
    fn rack(&self, router: u32) -> u32 {
        self.place_of(router).1
    }

    fn classes(&self) -> Vec<String> {
        vec!["local".into(), "global".into()]
    }

    fn minimal(&self, from: u32, to: u32, found: &mut Candidates) {
        let (here, there) = (self.place_of(from), self.place_of(to));
        let ((s, x, y), (other_s, other_x, other_y)) = (here, there);
        if from == to {
            return;
        }
        let difference = self.field.subtract(other_y, y);
        match (s == other_s, x == other_x) {
            (true, true) => {
                if let Some(port) = self.local(s, difference) {
                    return found.lead([port]);
                }
                let rest = |step: u32| self.field.subtract(difference, step);
                let steps = (0..).zip(&self.steps[s]);
                let through = steps.filter(|&(_, &step)| self.local(s, rest(step)).is_some());
                found.lead(through.map(|(port, _)| port));
            }
            // The one middle with which both have the same number: y - m x of one is that of the other.
            (true, false) => {
                let apart = self.field.subtract(other_x, x);
                let apart = if s == 0 { apart } else { self.field.negative(apart) };
                found.lead([self.locals(s) + self.field.divide(difference, apart)]);
            }
            // By so much the router that is joined to the other one, here, or to this one, there, is further.
            (false, _) => {
                let here_rest = self.field.subtract(self.across(there, x), y);
                let there_rest = self.field.subtract(other_y, self.across(here, other_x));
                let across = self.locals(s) + other_x;
                if here_rest == 0 {
                    return found.lead([across]);
                }
                found.lead(self.local(s, here_rest));
                found.lead(self.local(other_s, there_rest).map(|_| across));
            }
        }
    }

    fn diameter(&self) -> u32 {
        2
    }

    /// Those that are not joined are two links apart.
    fn lengths(&self) -> (u64, u64) {
        let routers = u64::from(self.routers());
        (2, 2 * routers * (routers - 1) - routers * u64::from(self.ports(0)))
    }

    fn place(&self, router: u32) -> Vec<u32> {
        let (s, x, y) = self.place_of(router);
        vec![s as u32, x, y]
    }

    fn router_at(&self, place: &[u32]) -> Option<u32> {
        let &[s, x, y] = place else { return None };
        (s < 2 && x.max(y) < self.q()).then(|| self.router((s as usize, x, y)))
    }

    fn place_form(&self) -> Vec<String> {
        ["half", "x", "y"].map(String::from).to_vec()
    }
}
