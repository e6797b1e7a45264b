//! The inter-packet gap of a message.

use std::fmt;

/// The pause of an interface behind each packet, in times that the packet takes (paper 004, section 5.2): from 0 to
/// [`Gap::MOST`]. With 1 the rate is half of what it is without.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Gap(f64);

// A gap is never NaN, see `Gap::new`.
impl Eq for Gap {}

impl Gap {
    /// The largest gap.
    pub const MOST: f64 = 1e6;

    /// `None` when the number is negative, larger than [`Gap::MOST`], or none.
    #[must_use]
    pub fn new(packet_times: f64) -> Option<Self> {
        // A negative zero is a zero, also when it is written.
        (0.0..=Self::MOST).contains(&packet_times).then_some(Self(packet_times + 0.0))
    }

    /// In times that a packet takes.
    #[must_use]
    pub const fn packet_times(self) -> f64 {
        self.0
    }
}

impl fmt::Display for Gap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_can_be_a_gap_is_one() {
        for absurd in [-1.0, -1e-9, f64::NAN, f64::INFINITY, 1_000_001.0] {
            assert_eq!(Gap::new(absurd), None, "{absurd}");
        }
        assert_eq!(Gap::new(2.125).map(Gap::packet_times), Some(2.125));
        assert_eq!(Gap::new(-0.0).map(|gap| gap.to_string()), Some("0".to_owned()));
    }
}
