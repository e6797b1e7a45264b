//! Roots of collectives in traces where only the root says that it is one.

use std::collections::BTreeMap;

/// The root of each collective that has one, by communicator and in their order there.
#[derive(Default)]
pub(crate) struct Roots {
    roots: BTreeMap<u64, Vec<Option<u32>>>,
    /// The number of collectives with a root that a rank has begun in a communicator.
    begun: BTreeMap<(u64, u32), usize>,
}

impl Roots {
    /// A rank begins a collective with a root; as the root it has this place among the members. Returns false if there is a root already.
    pub(crate) fn add(&mut self, communicator: u64, rank: u32, as_root: Option<u32>) -> bool {
        let place = self.begun.entry((communicator, rank)).or_default();
        let roots = self.roots.entry(communicator).or_default();
        if roots.len() <= *place {
            roots.resize(*place + 1, None);
        }
        let known = &mut roots[*place];
        *place += 1;
        let is_first = known.is_none() || as_root.is_none();
        *known = known.or(as_root);
        is_first
    }

    /// The root of a collective by its number among those with one of its communicator, as a place among the members.
    pub(crate) fn root(&self, communicator: u64, place: usize) -> Option<u32> {
        *self.roots.get(&communicator)?.get(place)?
    }
}
