//! Counts how often parts are built.

use std::any::type_name;
use std::cell::RefCell;
use std::collections::BTreeMap;

mod tests;

thread_local! {
    static BUILT: RefCell<BTreeMap<&'static str, usize>> = const { RefCell::new(BTreeMap::new()) };
}

pub(crate) fn count_built<T>() {
    BUILT.with_borrow_mut(|built| *built.entry(type_name::<T>()).or_default() += 1);
}
