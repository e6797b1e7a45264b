//! Counts how often parts are built.

use crate::{Scenario, Source};
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

/// Topology, pattern and routers are made once by the check, and not again for gaps; who runs it cannot make any.
#[test]
fn each_is_made_once() {
    let text = "topology = { kind = 'torus', shape = [4, 4], bandwidth = '1 GB/s' }\n\
                workload = { kind = 'all-to-all', message_size = '1 kB' }\n";
    let packets = "engine = { kind = 'packet', threads = 1 }\nnode = { packet_gap = 'max-min' }\n";
    for (text, networks) in [(format!("{text}{packets}"), 1), (text.to_owned(), 0)] {
        BUILT.take();
        let scenario = Scenario::load(&Source::of_text("e", text)).unwrap();
        assert_eq!(scenario.advise_pacing(0.1).is_ok(), networks == 1);
        assert_eq!([built::<Topology>(), built::<Pattern>(), built::<PacketNetwork>()], [1, 1, networks]);
    }
}
