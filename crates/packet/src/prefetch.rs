//! Asks for memory before it is needed.

/// Asks the processor to bring what a place holds nearer. Does nothing where the processor cannot be asked, or when there
/// is no such place.
#[inline(always)]
pub(crate) fn prefetch<T>(things: &[T], place: usize) {
    #[cfg(test)]
    tests::asked(things, place);
    #[cfg(target_arch = "x86_64")]
    if let Some(thing) = things.get(place) {
        safe_arch::prefetch_t0(thing);
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (things, place);
}

/// Asks for some things of a list, which are not none: for every cache line of them.
#[inline(always)]
pub(crate) fn prefetch_all<T>(things: &[T], begin: usize, end: usize) {
    let mut place = begin;
    while place < end {
        prefetch(things, place);
        place += 64 / size_of::<T>();
    }
    prefetch(things, end - 1);
}

/// The contents of a place are needed now. Tests see by that whether they were prefetched; else nothing happens.
#[inline(always)]
pub(crate) fn needed<T>(things: &[T], place: usize) {
    #[cfg(test)]
    tests::needed(things, place);
    #[cfg(not(test))]
    let _ = (things, place);
}

/// A window begins: what was asked for before may be far away again.
#[inline(always)]
pub(crate) fn begin_window() {
    #[cfg(test)]
    tests::begin_window();
}

#[cfg(test)]
mod tests {
    use crate::harness::{graph, grid};
    use crate::{Injection, NodeModel, PacketNetwork, RouterModel, SelfTraffic, Synthetic, TrafficPattern};
    use std::any::type_name;
    use std::cell::RefCell;
    use std::collections::{BTreeMap, BTreeSet};
    use weir_network::RunContext;
    use weir_network::record::{Recorder, Requested};
    use weir_topology::{Topology, Wrap};
    use weir_units::{Bytes, Duration};

    /// The things that one thread has asked for and needed. Things are distinguished by what a list holds.
    #[derive(Default)]
    struct Notes {
        /// Cache lines that have been asked for in this window.
        lines: BTreeSet<usize>,
        /// By list: how often something was asked for, was needed, and of that without having been asked for.
        counts: BTreeMap<&'static str, [u32; 3]>,
    }

    thread_local! {
        static NOTES: RefCell<Option<Notes>> = const { RefCell::new(None) };
    }

    const LINE: usize = 64;

    fn line_of<T>(things: &[T], place: usize) -> Option<usize> {
        Some(std::ptr::from_ref(things.get(place)?) as usize / LINE)
    }

    pub(super) fn asked<T>(things: &[T], place: usize) {
        let Some(line) = line_of(things, place) else { return };
        NOTES.with_borrow_mut(|notes| {
            if let Some(notes) = notes {
                notes.lines.insert(line);
                notes.counts.entry(type_name::<T>()).or_default()[0] += 1;
            }
        });
    }

    pub(super) fn needed<T>(things: &[T], place: usize) {
        let Some(line) = line_of(things, place) else { return };
        NOTES.with_borrow_mut(|notes| {
            if let Some(notes) = notes {
                let is_missed = !notes.lines.contains(&line);
                let [_, needed, missed] = notes.counts.entry(type_name::<T>()).or_default();
                *needed += 1;
                *missed += u32::from(is_missed);
            }
        });
    }

    pub(super) fn begin_window() {
        NOTES.with_borrow_mut(|notes| {
            if let Some(notes) = notes {
                notes.lines.clear();
            }
        });
    }

    /// Asks for samples, and looks at none.
    struct Buffers(Requested);

    impl Recorder for Buffers {
        fn requested(&self) -> &Requested {
            &self.0
        }
    }

    /// All that a run of a machine needs has been asked for in the same window, but for these parts of what lists hold.
    #[track_caller]
    fn check(topology: &Topology, virtual_channels: u32, missed_at_most: impl Fn(&str) -> f64) {
        let routers = RouterModel { virtual_channels, ..RouterModel::default() };
        let network = PacketNetwork::new(&routers, &NodeModel::default(), topology).expect("a machine");
        let traffic = Synthetic {
            pattern: TrafficPattern::Uniform,
            offered_load: 0.2,
            injection: Injection::Bernoulli { slot: None },
            self_traffic: SelfTraffic::Skipped,
            packet: Bytes(256),
            warmup: Duration::ZERO,
            duration: Duration::from_ns(3_000),
            seed: 1,
        };
        let interval = Duration::from_ns(100);
        let network = network.for_intervals(interval).expect("windows that fit");
        let mut samples = Buffers(Requested { interval: Some(interval), ..Requested::default() });
        NOTES.set(Some(Notes::default()));
        let ended = network.run_synthetic(&traffic, RunContext::without_ranks().recorder(Some(&mut samples)));
        let notes = NOTES.take().expect("they were set");
        assert!(ended.counts.packets > 100);
        for (list, [asked, needed, missed]) in notes.counts {
            let found = format!("{list}: {asked} asked for, {needed} needed, {missed} of them missed");
            assert!(asked > 0 && needed > 100, "{found}");
            assert!(f64::from(missed) <= missed_at_most(list) * f64::from(needed), "{found}");
        }
    }

    /// A list of a machine by what it holds.
    fn is(list: &str, held: &str) -> bool {
        list.rsplit("::").next() == Some(held)
    }

    /// A router is asked for before it is run, so nothing of it is missed but an output of a packet that comes to the front when
    /// another one is granted. Of nodes the first ones of a window are not asked for in time: eight interfaces, and twenty
    /// sources, which are some of about seventy.
    #[test]
    fn what_is_needed_has_been_asked_for() {
        let torus = grid(&[6, 6, 6], Wrap::Torus, 8e9, (100, 100));
        let missed_at_most = |list: &str| match list {
            list if is(list, "AtomicU64; 2]") => 0.05,
            list if is(list, "Source") => 0.25,
            list if ["Nic", "OutputPort", "u16"].iter().any(|held| is(list, held)) => 0.1,
            _ => 0.0,
        };
        check(&torus, 2, missed_at_most);
        // More than sixty-four lanes at a router: their masks are asked for a little wrong, and of the virtual channels that a
        // packet could take the first one only.
        check(&torus, 12, |list| match list {
            list if is(list, "Mask") => 1.0,
            list if is(list, "AtomicU64; 2]") => 0.25,
            list => missed_at_most(list),
        });
    }

    /// Routes that do not fit an address are looked up, far away.
    #[test]
    fn addresses_are_asked_for() {
        let joined: Vec<_> = (1..100).map(|router| (router - 1, router)).collect();
        let line = graph(100, &joined, &(0..100).collect::<Vec<_>>());
        check(&line, 1, |_| 0.5);
    }
}
