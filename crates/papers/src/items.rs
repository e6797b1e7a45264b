//! All figures and tables.

use crate::{Item, mfs, nsim, pacing, parallel_mfs, psi_sim};

/// All items, by paper, then in the order of the paper.
pub fn items() -> impl Iterator<Item = &'static Item> {
    mfs::ITEMS
        .iter()
        .chain(&psi_sim::ITEMS)
        .chain(&parallel_mfs::ITEMS)
        .chain(&nsim::ITEMS)
        .chain(&pacing::ITEMS)
}
