//! Times between which a run lies by the intervals of calibrated keys.

use crate::fields::Fields;
use crate::seconds::Seconds;
use serde_json::{Map, json};
use weir_units::{Duration, Time};

/// Times between which a run lies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Band {
    /// The earliest.
    pub low: Time,
    /// The latest.
    pub high: Time,
    /// Times by key.
    pub keys: Vec<OfKey>,
}

/// The simulated times with a key at the ends of its interval.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OfKey {
    /// The key.
    pub key: String,
    /// With its lowest value.
    pub at_low: Time,
    /// With its highest.
    pub at_high: Time,
}

impl Band {
    /// The band around a time: what keys add, and what they take, in quadrature.
    #[must_use]
    pub fn around(simulated: Time, keys: Vec<OfKey>) -> Self {
        let ps = |time: Time| time.as_ps() as f64;
        let most = |differs: fn(f64, f64) -> f64| {
            let of = |key: &OfKey| {
                [key.at_low, key.at_high]
                    .map(|time| differs(ps(time), ps(simulated)))
                    .into_iter()
                    .fold(0.0, f64::max)
            };
            let sum: f64 = keys.iter().map(of).map(|most| most * most).sum();
            Duration::from_ps(sum.sqrt().round() as u64)
        };
        let (more, less) =
            (most(|time, simulated| time - simulated), most(|time, simulated| simulated - time));
        let low = Time::from_ps(simulated.as_ps().saturating_sub(less.as_ps()));
        Self { low, high: simulated + more, keys }
    }

    pub(crate) fn add_to(&self, fields: &mut Fields) {
        let times = |low: Time, high: Time| json!([low.seconds(), high.seconds()]);
        fields.add("band_s", times(self.low, self.high));
        let of_key = |key: &OfKey| (key.key.clone(), times(key.at_low, key.at_high));
        fields.add("band_by_key_s", self.keys.iter().map(of_key).collect::<Map<_, _>>());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 100 ps: one key takes 3 or adds 4, one takes 4 or adds 3, the time of one only grows: 5 less, and the root of 16 + 9 + 144 more.
    #[test]
    fn what_keys_add_and_take_is_added_in_quadrature() {
        let key =
            |low, high| OfKey { key: "k".into(), at_low: Time::from_ps(low), at_high: Time::from_ps(high) };
        let band = Band::around(Time::from_ps(100), vec![key(97, 104), key(103, 96), key(112, 105)]);
        assert_eq!((band.low, band.high), (Time::from_ps(95), Time::from_ps(113)));
        let none = Band::around(Time::from_ps(100), Vec::new());
        assert_eq!((none.low, none.high), (Time::from_ps(100), Time::from_ps(100)));
    }
}
