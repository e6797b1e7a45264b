//! PHOLD comes out the same, however it is cut into windows and parts, and in whatever order units are visited.

mod model;

use model::{How, Order, Phold};
use proptest::prelude::*;
use weir_pdes::Width;
use weir_units::{Duration, Time};

const fn ps(ps: u64) -> Duration {
    Duration::from_ps(ps)
}

/// Short times, so that many events are at the same instant.
const DENSE: Phold =
    Phold { units: 40, events: 6, remote: 0.6, lookahead: ps(24), mean: ps(30), end: Time::from_ps(2_000) };

/// Most windows are idle, and most wake-ups far.
const SPARSE: Phold = Phold {
    units: 5,
    events: 1,
    remote: 0.5,
    lookahead: ps(10),
    mean: ps(3_000),
    end: Time::from_ps(100_000),
};

/// Units of more than one word of bits.
const WIDE: Phold = Phold {
    units: 500,
    events: 1,
    remote: 1.0,
    lookahead: ps(100),
    mean: ps(900),
    end: Time::from_ps(5_000),
};

fn how(width: u64, parts: usize, order: Order) -> How {
    How { width: Width::new(ps(width)), processes: 1, parts, order }
}

/// However it is run, it comes out as with one queue, nothing is lost, and as many windows are run as with one part.
#[track_caller]
fn check(model: &Phold, how: &How) {
    let (ended, turns) = model.run(how);
    let (_, needed) = model.run(&How { processes: 1, parts: 1, order: Order::Ascending, ..*how });
    assert_eq!(turns, needed, "{how:?}");
    assert_eq!(ended, model.run_one_queue(), "{how:?}");
    assert_eq!(ended.pending, u64::from(model.units * model.events), "{how:?}");
    assert!(ended.happened > ended.pending, "too short to show anything");
}

#[test]
fn windows_parts_and_order_do_not_matter() {
    for model in [DENSE, SPARSE, WIDE] {
        let lookahead = model.lookahead.as_ps();
        for width in (1..=8).map(|part| lookahead / part).chain([1, 7, lookahead - 1]) {
            check(&model, &how(width, 2, Order::Ascending));
        }
        for (parts, order) in
            (1..=4).zip([Order::Descending, Order::Shuffled(1), Order::Shuffled(2), Order::Shuffled(3)])
        {
            check(&model, &how(lookahead, parts, order));
        }
    }
}

/// The units may be those of several processes.
#[test]
fn processes_do_not_matter() {
    for (model, processes, parts) in [(DENSE, 2, 1), (DENSE, 2, 2), (DENSE, 3, 1), (WIDE, 2, 2)] {
        let how = how(model.lookahead.as_ps(), parts, Order::Ascending);
        check(&model, &How { processes, ..how });
    }
}

/// The digest distinguishes runs: one unit, one event, one picosecond more are enough.
#[test]
fn another_model_comes_out_differently() {
    let others = [
        Phold { units: DENSE.units + 1, ..DENSE },
        Phold { events: DENSE.events + 1, ..DENSE },
        Phold { lookahead: ps(25), ..DENSE },
        Phold { end: Time::from_ps(2_010), ..DENSE },
    ];
    let digest = DENSE.run_one_queue().digest;
    assert!(others.iter().all(|other| other.run_one_queue().digest != digest));
}

/// The canary: tests that cannot fail show nothing.
#[test]
#[should_panic(expected = "an event in the past")]
fn windows_wider_than_the_lookahead_are_wrong() {
    DENSE.run(&how(DENSE.lookahead.as_ps() + 4, 1, Order::Ascending));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn nothing_matters(
        (units, events, remote) in (4u32..150, 1u32..5, 0.0..1.0),
        (lookahead, mean) in (1u64..60, 1u64..400),
        narrower in 0.0..1.0,
        (parts, seed) in (1usize..=4, any::<u64>()),
    ) {
        // Some ten events of each, whatever the mean.
        let end = Time::from_ps(10 * (lookahead + mean));
        let model = Phold { units, events, remote, lookahead: ps(lookahead), mean: ps(mean), end };
        let width = ((lookahead as f64 * narrower) as u64).max(lookahead.div_ceil(8));
        check(&model, &how(width, parts, Order::Shuffled(seed)));
    }
}
