//! Why a pattern cannot be built.

use std::fmt;
use weir_units::Rank;

/// One thing that is wrong with a pattern; it is displayed without key and hint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkloadError {
    key: &'static str,
    what: String,
    hint: &'static str,
}

impl WorkloadError {
    pub(crate) fn new(key: &'static str, what: impl Into<String>, hint: &'static str) -> Self {
        Self { key, what: what.into(), hint }
    }

    /// A grid with another number of places than there are ranks.
    pub(crate) fn grid_size(grid: &[u32], ranks: usize) -> Self {
        let product: u128 = grid.iter().map(|&size| u128::from(size)).fold(1, u128::saturating_mul);
        let what = format!("a grid of {grid:?} has {product} places, but there are {ranks} ranks");
        Self::new("grid", what, "the product of its sizes must be the number of ranks")
    }

    /// A random order of so many ranks that there is no memory for it.
    #[must_use]
    pub fn no_memory(ranks: usize) -> Self {
        let what = format!("there is no memory for a random order of {ranks} ranks");
        Self::new("ranks", what, "take fewer ranks")
    }

    /// The key of the description that is wrong.
    #[must_use]
    pub fn key(&self) -> &'static str {
        self.key
    }

    /// A remedy.
    #[must_use]
    pub fn hint(&self) -> &'static str {
        self.hint
    }
}

impl fmt::Display for WorkloadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)
    }
}

impl std::error::Error for WorkloadError {}

/// Checks that there is a root of this number.
pub(crate) fn root_of(ranks: usize, root: Rank) -> Result<Rank, WorkloadError> {
    let what = || format!("there is no rank {root} among {ranks} ranks");
    let none = || WorkloadError::new("root", what(), "ranks are counted from 0");
    if root.index() < ranks { Ok(root) } else { Err(none()) }
}
