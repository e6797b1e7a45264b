//! When that which interfaces carry out by themselves is there.

use super::*;
use crate::Overhead;
use weir_units::Duration;

fn chosen(key: &str, sides: &[u32]) -> Choice {
    Choice { grid: JobGrid::from(sides.to_vec()), ..super::chosen(key, "hardware") }
}

/// A rank enters for 300 ns; 1000 ns later the messages of its row are there, and take 7 ns each: on a grid of 3 x 2, 300 + 1014 + 1007. All else that
/// messages and collectives cost is not for it.
#[test]
fn times_are_those_of_the_interfaces() {
    let costs = Costs {
        hardware: Duration::from_ns(300),
        hardware_message: Duration::from_ns(7),
        collective: Duration::from_ns(5000),
        unexpected: Overhead::fixed(Duration::from_ns(3000)),
        gap: Duration::from_ns(2000),
        pack_overhead: Duration::from_ns(1000),
        eager_limit: Bytes(0),
        ..Costs::of_overhead(Duration::from_ns(1000))
    };
    let choice = chosen("barrier", &[3, 2]);
    assert_eq!(times::clocks_at(&costs, 6, |place| Plan::barrier(&choice, place)), [2321.0; 6]);
    let choice = chosen("bcast", &[3, 2]);
    let bcast = |place| Plan::bcast(&choice, place, 0, 0);
    assert_eq!(times::clocks_at(&costs, 6, bcast), [300.0, 1307.0, 1307.0, 1307.0, 2314.0, 2314.0]);
}
