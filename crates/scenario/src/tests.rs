//! Counts how often parts are built.

use crate::{ExperimentText, RunOptions, Scenario, Source};
use std::any::type_name;
use std::cell::RefCell;
use std::collections::BTreeMap;
use weir_packet::PacketNetwork;
use weir_topology::Topology;
use weir_workload::Pattern;

thread_local! {
    static BUILT: RefCell<BTreeMap<&'static str, usize>> = const { RefCell::new(BTreeMap::new()) };
}

pub(crate) fn count_built<T>() {
    BUILT.with_borrow_mut(|built| *built.entry(type_name::<T>()).or_default() += 1);
}

fn built<T>() -> usize {
    BUILT.with_borrow(|built| built.get(type_name::<T>()).copied().unwrap_or(0))
}

/// Topology, pattern and routers are made once by the check, and by nothing that follows: bounds, gaps, several runs.
#[test]
fn each_is_made_once() {
    let text = "topology = { kind = 'torus', shape = [4, 4], bandwidth = '1 GB/s' }\n\
                workload = { kind = 'all-to-all', message_size = '1 kB' }\n";
    let packets = "engine = { kind = 'packet', threads = 1 }\nnode = { packet_gap = 'max-min' }\n";
    for (text, networks) in [(format!("{text}{packets}"), 1), (text.to_owned(), 0)] {
        BUILT.take();
        let text = ExperimentText { name: "e".into(), text };
        let scenario = Scenario::load(&Source { experiment_text: Some(text), ..Source::default() }).unwrap();
        scenario.bounds(&mut |_, _| {}).unwrap();
        assert_eq!(scenario.advise_pacing(0.1).is_ok(), networks == 1);
        let again = scenario.clone();
        again.run(&mut |_| {}).unwrap();
        let tie_runs = if networks == 0 { 3 } else { 0 };
        scenario
            .run_with(
                RunOptions { tie_runs, ..RunOptions::default() },
                &mut weir_pdes::OneProcess,
                &mut |_| {},
            )
            .unwrap();
        assert_eq!([built::<Topology>(), built::<Pattern>(), built::<PacketNetwork>()], [1, 1, networks]);
    }
}
