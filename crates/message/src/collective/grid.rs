//! The grid that the ranks of a job lie on, for algorithms that follow its sides.

use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// A closed grid (a torus) whose places are the ranks of a job, one each; or none. Cheap to clone.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Vec<u32>", into = "Vec<u32>")]
pub struct JobGrid(Option<Arc<[u32]>>);

impl From<Vec<u32>> for JobGrid {
    /// A grid of these sides, that along which ranks follow each other first; without sides none.
    fn from(sides: Vec<u32>) -> Self {
        Self((!sides.is_empty()).then(|| sides.into()))
    }
}

impl From<JobGrid> for Vec<u32> {
    fn from(grid: JobGrid) -> Self {
        grid.sides().to_vec()
    }
}

impl JobGrid {
    /// Ranks along each side, that along which ranks follow each other first; empty if there is no grid.
    #[must_use]
    pub fn sides(&self) -> &[u32] {
        self.0.as_deref().unwrap_or_default()
    }

    /// Returns whether there is a grid, and it has just one place for each of so many ranks.
    #[must_use]
    pub fn has_places_for(&self, ranks: usize) -> bool {
        let places = self.sides().iter().try_fold(1_u64, |places, &side| places.checked_mul(side.into()));
        self.0.is_some() && places == Some(ranks as u64)
    }
}
