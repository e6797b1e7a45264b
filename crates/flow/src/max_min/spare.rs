//! The capacity that flows leave of links without a level, kept up to date by sums.

use serde::{Deserialize, Serialize};

/// A link whose limits come this near to its capacity, as a part of it, counts as full: what it has to spare is kept up to date by sums,
/// which are rounded.
const MARGIN: f64 = 1e-6;

/// By link, in bytes per second; below zero where nothing is known.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Spare(Vec<f64>);

impl Spare {
    /// Nothing is known of so many links.
    pub(super) fn new(links: usize) -> Self {
        Self(vec![f64::NEG_INFINITY; links])
    }

    /// Nothing is known of the links that have been added.
    pub(super) fn grow(&mut self, links: usize) {
        self.0.resize(links, f64::NEG_INFINITY);
    }

    /// The level of a link as [`water_level`](crate::water_level::water_level) finds it; infinity where there is none.
    pub(super) fn level(&mut self, link: usize, capacity: f64, found: Result<f64, f64>) -> f64 {
        found.unwrap_or_else(|sum| {
            self.0[link] = Self::beside(capacity, sum);
            f64::INFINITY
        })
    }

    /// Spare capacity of a link beside limits of this sum.
    pub(super) fn beside(capacity: f64, sum: f64) -> f64 {
        capacity * (1.0 - MARGIN) - sum
    }

    pub(super) fn of(&self, link: u32) -> f64 {
        self.0[link as usize]
    }

    /// The limit of a flow at a link without a level changes by so much. Returns whether the link may be full by that.
    pub(super) fn change(&mut self, link: u32, by: f64) -> bool {
        let spare = &mut self.0[link as usize];
        *spare -= by;
        by > 0.0 && *spare < 0.0
    }

    /// Nothing is known of a link any more.
    pub(super) fn forget(&mut self, link: u32) {
        self.0[link as usize] = f64::NEG_INFINITY;
    }

    /// Nothing is known of any link.
    pub(super) fn forget_all(&mut self) {
        self.0.fill(f64::NEG_INFINITY);
    }
}
