//! Things of which there are many, but few that are different: each different one gets a number.

use std::collections::BTreeMap;

/// Different things of type `T`, distinguished by keys. As many as there are links in a machine fit, for links have numbers of
/// 32 bits too.
pub(crate) struct Kinds<K, T> {
    numbers: BTreeMap<K, u32>,
    all: Vec<T>,
}

impl<K: Ord, T> Kinds<K, T> {
    pub(crate) fn new() -> Self {
        Self { numbers: BTreeMap::new(), all: Vec::new() }
    }

    /// The number of the thing with a key, which is made if it is new. O(log n).
    ///
    /// # Panics
    /// When there are 2^32 different ones.
    pub(crate) fn number(&mut self, key: K, make: impl FnOnce() -> T) -> u32 {
        let Self { numbers, all } = self;
        *numbers.entry(key).or_insert_with(|| {
            all.push(make());
            u32::try_from(all.len() - 1).expect("no more kinds than links")
        })
    }

    pub(crate) fn into_all(self) -> Vec<T> {
        self.all
    }
}
