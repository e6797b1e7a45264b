use super::*;
use crate::*;
use proptest::prelude::*;
use std::collections::BTreeSet;
use std::sync::Arc;
use weir_topology::Generator;

fn any_steps() -> impl Strategy<Value = Steps> {
    prop_oneof![Just(Steps::Synchronised), Just(Steps::FreeRunning)]
}

/// The sends are those of the displacements, and the awaits come where they are said to: all messages of the last
/// steps, which come from the ranks that have this one as their destination.
fn agrees(pattern: &Pattern) -> Result<(), TestCaseError> {
    let uniform = pattern.uniform().ok_or_else(|| TestCaseError::fail("not uniform"))?;
    prop_assert_eq!(uniform.grid.iter().product::<u32>() as usize, pattern.ranks());
    prop_assert_eq!(uniform.steps * pattern.ranks() as u64, pattern.messages());
    for step in 0..uniform.steps {
        prop_assert_eq!(uniform.displacement(step + uniform.period()), uniform.displacement(step));
    }
    // None comes twice in a period, but that both ways along two places are the same.
    let twice =
        if uniform.moves == Moves::Axes { uniform.grid.iter().filter(|&&size| size == 2).count() } else { 0 };
    let different: BTreeSet<_> = (0..uniform.period()).map(|step| uniform.displacement(step)).collect();
    prop_assert_eq!(different.len() + twice, uniform.period() as usize);
    let ranks: Vec<Rank> = (0..pattern.ranks()).map(Rank::new).collect();
    for &rank in &ranks {
        let mut index = 0;
        let mut next = || {
            index += 1;
            pattern.entry(rank, index - 1)
        };
        for step in 0..uniform.steps {
            let to = uniform.destination(rank, step);
            prop_assert_ne!(to, rank);
            prop_assert_eq!(next(), Some(Entry::send(to, uniform.bytes)));
            let Some(together) = uniform.awaited.filter(|together| (step + 1) % together == 0) else {
                continue;
            };
            for step in step + 1 - together..=step {
                let from = ranks.iter().find(|&&from| uniform.destination(from, step) == rank).unwrap();
                prop_assert_eq!(next(), Some(Entry::Await { from: *from }));
            }
        }
        prop_assert_eq!(next(), None);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn displacements_are_those_of_the_entries(
        ranks in 2_usize..30, x in 1_u32..7, y in 1_u32..7, z in 1_u32..4, messages in 1_u64..4, distance: u64,
        steps in any_steps(),
    ) {
        let bytes = Bytes(3);
        let spread = AllToAll::new(ranks, bytes, Algorithm::SimpleSpread, steps).unwrap();
        agrees(&Pattern(Arc::new(spread.repeated(messages))))?;
        agrees(&Pattern(Arc::new(Permutation::ring(ranks, bytes, messages, steps))))?;
        let rule = PermutationRule::Shift { distance };
        let shift = Pattern(Arc::new(Permutation::new(ranks, bytes, rule, messages, steps).unwrap()));
        if distance % ranks as u64 == 0 {
            prop_assert_eq!(shift.uniform(), None);
        } else {
            agrees(&shift)?;
        }
        if x * y > 1 {
            let algorithm = Algorithm::SimpleSpread2d { grid: [x, y] };
            let spread = AllToAll::new((x * y) as usize, bytes, algorithm, steps).unwrap();
            agrees(&Pattern(Arc::new(spread.repeated(messages))))?;
        }
        let grid: Vec<Side> = [x, y, z].map(|size| Side { size, closed: Closed::Periodic }).into();
        let halo = Pattern(Arc::new(Halo::new((x * y * z) as usize, grid, bytes, messages, steps).unwrap()));
        if x * y * z == 1 {
            prop_assert_eq!(halo.uniform(), None);
        } else {
            agrees(&halo)?;
        }
    }
}

#[test]
fn other_patterns_are_not_uniform() {
    let bytes = Bytes(1);
    let free = Steps::FreeRunning;
    let ring = || Pattern(Arc::new(Permutation::ring(4, bytes, 1, free)));
    let open = vec![Side { size: 4, closed: Closed::Open }];
    let not_uniform = [
        Pattern(Arc::new(AllToAll::new(4, bytes, Algorithm::Pairwise, free).unwrap())),
        Pattern(Arc::new(AllToAll::new(1, bytes, Algorithm::SimpleSpread, free).unwrap())),
        Pattern(Arc::new(Bruck::new(4, bytes, 1))),
        Pattern(Arc::new(Permutation::ring(1, bytes, 1, free))),
        Pattern(Arc::new(Permutation::random_ring(4, bytes, 1, free, 1, Generator::Lcg))),
        Pattern(Arc::new(Halo::new(4, open, bytes, 1, free).unwrap())),
        Pattern(Arc::new(RandomSizes::new(ring(), 0.5, 1))),
    ];
    assert!(ring().uniform().is_some());
    for pattern in not_uniform {
        assert_eq!(pattern.uniform(), None, "{pattern:?}");
    }
}
