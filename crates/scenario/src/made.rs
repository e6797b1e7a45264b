//! What is made once of a checked experiment, and shared by all who need it.

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

/// Something that follows from the keys of an experiment and takes long to make, or much memory: it is made once, and clones
/// are the same one. Two of them are equal: whoever compares experiments compares the keys.
pub(crate) struct Made<T>(Arc<T>);

impl<T> Made<T> {
    pub(crate) fn new(made: T) -> Self {
        Self(Arc::new(made))
    }

    /// The same one, for somebody who keeps it.
    pub(crate) fn shared(&self) -> Arc<T> {
        Arc::clone(&self.0)
    }
}

impl<T: Default> Default for Made<T> {
    fn default() -> Self {
        Self(Arc::default())
    }
}

impl<T> Clone for Made<T> {
    fn clone(&self) -> Self {
        Self(self.shared())
    }
}

impl<T> Deref for Made<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T> PartialEq for Made<T> {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl<T> fmt::Debug for Made<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("made of the keys")
    }
}

/// Counts that something is being made, for the test that it is made once.
#[cfg(test)]
pub(crate) use tests::note;

#[cfg(test)]
mod tests {
    use crate::{ExperimentText, RunOptions, Scenario, Source};
    use std::any::type_name;
    use std::cell::RefCell;
    use std::collections::BTreeMap;
    use weir_packet::Machine;
    use weir_topology::Topology;
    use weir_workload::Pattern;

    thread_local! {
        static MADE: RefCell<BTreeMap<&'static str, usize>> = const { RefCell::new(BTreeMap::new()) };
    }

    pub(crate) fn note<T>() {
        MADE.with_borrow_mut(|made| *made.entry(type_name::<T>()).or_default() += 1);
    }

    fn made<T>() -> usize {
        MADE.with_borrow(|made| made.get(type_name::<T>()).copied().unwrap_or(0))
    }

    /// Topology, pattern and routers are made once by the check, and by nothing that follows: bounds, gaps, several runs.
    #[test]
    fn each_is_made_once() {
        let text = "topology = { kind = 'torus', shape = [4, 4], bandwidth = '1 GB/s' }\n\
                    workload = { kind = 'all-to-all', message_size = '1 kB' }\n";
        let packets = "engine = { kind = 'packet', threads = 1 }\nnode = { packet_gap = 'max-min' }\n";
        for (text, networks) in [(format!("{text}{packets}"), 1), (text.to_owned(), 0)] {
            MADE.take();
            let text = ExperimentText { name: "e".into(), text };
            let scenario =
                Scenario::load(&Source { experiment_text: Some(text), ..Source::default() }).unwrap();
            scenario.bounds(&mut |_, _| {}).unwrap();
            assert_eq!(scenario.advise_pacing(0.1).is_ok(), networks == 1);
            let again = scenario.clone();
            again.run(&mut |_| {}).unwrap();
            let tie_runs = if networks == 0 { 3 } else { 0 };
            scenario.run_with(RunOptions { tie_runs, ..RunOptions::default() }, &mut |_| {}).unwrap();
            assert_eq!([made::<Topology>(), made::<Pattern>(), made::<Machine>()], [1, 1, networks]);
        }
    }
}
