//! Finite fields: addition and multiplication of the numbers below a prime power.

/// The field of `q = p^n` elements. An element is the number whose digits to the base p are the coefficients of a polynomial of a
/// lesser degree than n, the constant one last. Products are those of polynomials, where x^n is the least number with which the
/// powers of x are all elements but 0; where n = 1, those of numbers modulo p.
#[derive(Clone, Debug)]
pub(super) struct Field {
    prime: u32,
    /// Powers of the generator, all `q - 1` of them, twice: a sum of two exponents needs no remainder.
    powers: Vec<u16>,
    /// By element other than 0: which power it is.
    exponents: Vec<u16>,
}

impl Field {
    /// The field of so many elements, at most 2^15; `None` where there is none.
    pub(super) fn new(order: u32) -> Option<Self> {
        let (prime, degree) = prime_power(order.min(1 << 15)).filter(|_| order <= 1 << 15)?;
        // Whatever x^n is, its lower coefficients decide; of a field of prime order it is the generator itself.
        (1..order).find_map(|reduced| {
            let times_generator = |element: u32| match degree {
                1 => element * reduced % prime,
                _ => {
                    let top = order / prime;
                    let scaled = scale(prime, reduced, element / top);
                    add(prime, element % top * prime, scaled)
                }
            };
            let (mut powers, mut exponents) = (Vec::new(), vec![u16::MAX; order as usize]);
            let mut element = 1;
            while element != 0 && exponents[element as usize] == u16::MAX {
                exponents[element as usize] = powers.len() as u16;
                powers.push(element as u16);
                element = times_generator(element);
            }
            let is_field = powers.len() as u32 == order - 1;
            powers.extend_from_within(..);
            is_field.then_some(Self { prime, powers, exponents })
        })
    }

    /// Number of elements.
    pub(super) fn order(&self) -> u32 {
        self.exponents.len() as u32
    }

    /// A power of an element of which all but 0 are powers; the exponent is below twice their number.
    pub(super) fn power(&self, exponent: u32) -> u32 {
        self.powers[exponent as usize].into()
    }

    pub(super) fn add(&self, a: u32, b: u32) -> u32 {
        // Without a division where the digits allow it.
        match self.prime {
            2 => a ^ b,
            prime if prime == self.order() => (a + b).checked_sub(prime).unwrap_or(a + b),
            prime => add(prime, a, b),
        }
    }

    pub(super) fn negative(&self, a: u32) -> u32 {
        match self.prime {
            2 => a,
            prime if prime == self.order() => {
                if a == 0 {
                    0
                } else {
                    prime - a
                }
            }
            prime => scale(prime, a, prime - 1),
        }
    }

    pub(super) fn subtract(&self, a: u32, b: u32) -> u32 {
        self.add(a, self.negative(b))
    }

    pub(super) fn multiply(&self, a: u32, b: u32) -> u32 {
        if a == 0 || b == 0 {
            return 0;
        }
        self.power(u32::from(self.exponents[a as usize]) + u32::from(self.exponents[b as usize]))
    }

    /// The element that times b is a; b is not 0.
    pub(super) fn divide(&self, a: u32, b: u32) -> u32 {
        let inverse = self.order() - 1 - u32::from(self.exponents[b as usize]);
        self.multiply(a, self.power(inverse))
    }
}

/// The prime p and the exponent n of which `p^n` is this number.
pub(super) fn prime_power(number: u32) -> Option<(u32, u32)> {
    let prime = (2..=number).find(|divisor| number.is_multiple_of(*divisor) || divisor * divisor > number)?;
    let prime = if number.is_multiple_of(prime) { prime } else { number };
    let (mut rest, mut exponent) = (number, 0);
    while rest.is_multiple_of(prime) {
        (rest, exponent) = (rest / prime, exponent + 1);
    }
    (rest == 1).then_some((prime, exponent))
}

/// The prime powers next to a number, below and above it, within bounds, in words.
pub(super) fn nearest(number: u32, within: std::ops::RangeInclusive<u32>) -> String {
    let is_one = |number: &u32| prime_power(*number).is_some();
    let below = (*within.start()..=number.min(*within.end())).rev().find(is_one);
    let above = (number.max(*within.start())..=*within.end()).find(is_one);
    let both = [below, above].into_iter().flatten().map(|power| power.to_string());
    both.collect::<Vec<_>>().join(" or ")
}

/// Digit by digit, to a prime base.
fn add(prime: u32, a: u32, b: u32) -> u32 {
    by_digit(prime, a, b, |a, b| (a + b) % prime)
}

/// Each digit times a factor below the prime base.
fn scale(prime: u32, a: u32, factor: u32) -> u32 {
    by_digit(prime, a, 0, |a, _| a * factor % prime)
}

fn by_digit(prime: u32, mut a: u32, mut b: u32, digit: impl Fn(u32, u32) -> u32) -> u32 {
    let (mut result, mut place) = (0, 1);
    while a > 0 || b > 0 {
        result += digit(a % prime, b % prime) * place;
        (a, b, place) = (a / prime, b / prime, place * prime);
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The laws of a field, for all elements of those of up to 64, and for each power of a prime.
    #[test]
    fn all_small_fields_are_fields() {
        let mut orders = Vec::new();
        for order in 0..=64 {
            let Some(field) = Field::new(order) else { continue };
            orders.push(order);
            for a in 0..order {
                assert_eq!((field.add(a, 0), field.multiply(a, 1), field.subtract(a, a)), (a, a, 0));
                for b in 0..order {
                    let (sum, product) = (field.add(a, b), field.multiply(a, b));
                    assert!(sum < order && product < order, "{a} and {b} of {order}");
                    assert_eq!((sum, product), (field.add(b, a), field.multiply(b, a)));
                    assert_eq!(field.subtract(sum, b), a);
                    assert!(b == 0 || field.divide(product, b) == a);
                    for c in [1, 2 % order, order / 2, order - 1] {
                        assert_eq!(field.add(sum, c), field.add(a, field.add(b, c)));
                        assert_eq!(field.multiply(product, c), field.multiply(a, field.multiply(b, c)));
                        let distributed = field.add(field.multiply(a, c), field.multiply(b, c));
                        assert_eq!(field.multiply(sum, c), distributed, "({a} + {b}) {c} of {order}");
                    }
                }
            }
        }
        let expected = [
            2, 3, 4, 5, 7, 8, 9, 11, 13, 16, 17, 19, 23, 25, 27, 29, 31, 32, 37, 41, 43, 47, 49, 53, 59, 61,
            64,
        ];
        assert_eq!(orders, expected);
        assert_eq!(Field::new(256).map(|field| field.order()), Some(256));
    }

    /// In the field of four, x x = x + 1, where x is 2; of nine x x = x + 1 as well, and x is 3.
    #[test]
    fn products_by_hand() {
        let of = |order| Field::new(order).unwrap();
        assert_eq!([of(4).multiply(2, 2), of(4).multiply(2, 3), of(4).add(2, 3)], [3, 1, 1]);
        assert_eq!([of(9).multiply(3, 3), of(9).add(4, 5)], [3 + 1, 2 * 3]);
        assert_eq!(of(7).divide(1, 3), 5);
    }

    #[test]
    fn the_nearest_prime_powers() {
        assert_eq!(nearest(24, 3..=43), "23 or 25");
        assert_eq!(nearest(2, 3..=43), "3");
        assert_eq!(nearest(44, 3..=43), "43");
        assert_eq!(nearest(1, 2..=128), "2");
    }
}
