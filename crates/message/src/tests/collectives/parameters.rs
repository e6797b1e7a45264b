//! Every algorithm of the catalog with drawn ranks, roots, lengths and parameters.

use super::*;
use proptest::prelude::*;
use std::num::NonZeroU32;
use weir_collectives::{JobGrid, Parameters};

fn parameters(segment: u32, fan_out: u32) -> Parameters {
    Parameters {
        segment: NonZeroU32::new(segment),
        fan_out: NonZeroU32::new(fan_out),
        ..Parameters::default()
    }
}

/// So many trees.
fn trees(count: u32) -> Parameters {
    Parameters { trees: NonZeroU32::new(count), ..Parameters::default() }
}

/// A call, parameters, and a grid of two sides that the ranks lie on; if the first does not divide them, one that has no place for them.
fn drawn() -> impl Strategy<Value = (Called, Parameters, JobGrid)> {
    let root = (1..=40usize).prop_flat_map(|size| (Just(size), 0..size));
    let commutes = prop_oneof![Just(Commutes::Yes), Just(Commutes::No)];
    let eager = prop_oneof![Just(3), Just(1 << 20)];
    let numbers = (0..=30u32, 0..=9u32, 0..=9u32, 1..=6usize);
    (root, 0..=50usize, numbers, eager, commutes).prop_map(
        |((size, root), amount, (segment, fan_out, count, side), eager, commutes)| {
            let rings = NonZeroU32::new(count / 2);
            let parameters = Parameters { trees: trees(count).trees, rings, ..parameters(segment, fan_out) };
            let grid = vec![side as u32, (size / side) as u32].into();
            (Called { size, root, amount, eager, commutes }, parameters, grid)
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn every_algorithm_with_any_parameters((call, parameters, grid) in drawn()) {
        for &(key, names) in choice::CATALOG {
            for name in names {
                let mut choice = Choice { grid: grid.clone(), ..chosen(key, name) };
                if let Some(place) = choice.parameters.of(key) {
                    *place = parameters;
                }
                // Algorithms that are made of a broadcast and a reduction use theirs.
                (choice.parameters.bcast, choice.parameters.reduce) = (parameters, parameters);
                call.check(key, &choice);
            }
        }
    }
}
