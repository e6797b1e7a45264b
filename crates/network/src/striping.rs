//! Messages that several interfaces of a node send together, each a share.
//!
//! # Model
//! Libraries with several rails do it like this (Open MPI's `ob1` over several transports, UCX with several lanes; Liu, Vishnu, Panda: "Building
//! multirail InfiniBand clusters", 2004: even striping): shares are as equal as whole units make them, or where interfaces are not equally
//! fast, as their speeds are, and the message has left, or is there, when all of it has left, or is there.

use serde::{Deserialize, Serialize};
use weir_units::Bytes;

/// Which messages are striped, over how many interfaces.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Striping {
    /// Over so many interfaces, at least 1; not more than a node has.
    pub over: u32,
    /// From so many bytes on; shorter ones go through one interface.
    pub from: Bytes,
}

impl Default for Striping {
    /// None: each message goes through one interface.
    fn default() -> Self {
        Self { over: 1, from: Bytes::ZERO }
    }
}

impl Striping {
    /// Over how many interfaces a message is striped that is made of units of so many bytes: a unit is not divided.
    ///
    /// # Panics
    /// When a unit has no bytes.
    #[must_use]
    #[inline]
    pub fn parts(&self, bytes: Bytes, unit: Bytes) -> u32 {
        if self.over == 1 || bytes < self.from {
            return 1;
        }
        let units = bytes.0.div_ceil(unit.0);
        self.over.min(u32::try_from(units).unwrap_or(u32::MAX)).max(1)
    }

    /// The bytes of each of so many parts, if units are dealt out to them in turn; together those of the message.
    ///
    /// # Panics
    /// When there is no part, or a unit has no bytes.
    pub fn shares(parts: u32, bytes: Bytes, unit: Bytes) -> impl Iterator<Item = Bytes> {
        let (parts, units) = (u64::from(parts), bytes.0.div_ceil(unit.0));
        let rest = units.saturating_mul(unit.0) - bytes.0;
        (0..parts).map(move |part| {
            let own = (units + parts - 1 - part) / parts;
            let has_the_last = units > 0 && (units - 1) % parts == part;
            Bytes(own * unit.0 - if has_the_last { rest } else { 0 })
        })
    }

    /// The bytes of parts that are sent at these speeds, so that all are sent in nearly the same time. A part may be nothing.
    ///
    /// # Panics
    /// When there is no part, a unit has no bytes, or a speed is not above zero.
    #[must_use]
    pub fn shares_by_speed(speeds: &[f64], bytes: Bytes, unit: Bytes) -> Vec<Bytes> {
        assert!(speeds.iter().all(|&speed| speed > 0.0), "speeds are above zero");
        if speeds.windows(2).all(|pair| pair[0] == pair[1]) {
            return Self::shares(speeds.len() as u32, bytes, unit).collect();
        }
        let (units, all) = (bytes.0.div_ceil(unit.0), speeds.iter().sum::<f64>());
        let (mut before, mut so_far) = (0, 0.0);
        let mut share = |&speed: &f64| {
            so_far += speed;
            let end = ((units as f64 * (so_far / all)).round() as u64).clamp(before, units);
            let [begin, end] =
                [std::mem::replace(&mut before, end), end].map(|units| units.saturating_mul(unit.0));
            Bytes(end.min(bytes.0) - begin.min(bytes.0))
        };
        let mut shares: Vec<Bytes> = speeds.iter().map(&mut share).collect();
        // What rounding has left over.
        let left = bytes.0 - shares.iter().map(|share| share.0).sum::<u64>();
        shares.last_mut().into_iter().for_each(|last| last.0 += left);
        shares
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(over: u32, bytes: u64, unit: u64, expected: &[u64]) {
        let striping = Striping { over, from: Bytes(10) };
        let parts = striping.parts(Bytes(bytes), Bytes(unit));
        let shares: Vec<u64> =
            Striping::shares(parts, Bytes(bytes), Bytes(unit)).map(|share| share.0).collect();
        assert_eq!(shares, expected, "{bytes} bytes in units of {unit} over {over}");
    }

    #[test]
    fn shares_are_equal_but_for_a_unit() {
        check(1, 100, 1, &[100]);
        check(2, 9, 1, &[9]); // too short
        check(2, 10, 1, &[5, 5]);
        check(3, 11, 1, &[4, 4, 3]);
        check(3, 0, 1, &[0]);
        // Five units, the last one of 3 bytes: the first part has numbers 0, 2 and 4.
        check(2, 43, 10, &[23, 20]);
        check(3, 43, 10, &[20, 13, 10]);
        // Fewer units than interfaces.
        check(4, 20, 10, &[10, 10]);
        check(4, 10, 10, &[10]);
    }
}
