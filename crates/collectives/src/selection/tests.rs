use super::*;
use crate::Preset;
use crate::choice::{Allreduce, Alltoall};
use proptest::prelude::*;
use std::num::NonZeroU32;

fn ranges(most: u64) -> impl Strategy<Value = Option<FromTo>> {
    prop_oneof![
        Just(None),
        (0..most, 0..most).prop_map(|(one, other)| Some(FromTo { from: one.min(other), to: one.max(other) }))
    ]
}

fn conditions() -> impl Strategy<Value = Condition> {
    let flags = (any::<Option<bool>>(), any::<Option<bool>>());
    let few =
        prop_oneof![Just(None), Just(Some(ElementCount::BelowRanks)), Just(Some(ElementCount::BelowPower))];
    (ranges(12), ranges(20), ranges(4), flags, few).prop_map(
        |(ranks, bytes, bytes_per_rank, (power_of_two, commutes), few)| Condition {
            ranks,
            bytes,
            bytes_per_rank,
            power_of_two,
            commutes,
            few,
        },
    )
}

fn calls() -> impl Strategy<Value = Situation> {
    (1..12_usize, prop::option::of(0..20_u64), 0..12_usize, any::<bool>()).prop_map(
        |(ranks, bytes, elements, commutes)| {
            let commutes = if commutes { OperandOrder::Commute } else { OperandOrder::Ordered };
            Situation { ranks, bytes, elements, commutes }
        },
    )
}

/// Whether a condition holds, read part by part.
fn holds(when: &Condition, call: &Situation) -> bool {
    if let Some(FromTo { from, to }) = when.ranks
        && ((call.ranks as u64) < from || call.ranks as u64 > to)
    {
        return false;
    }
    let per_rank = call.bytes.map(|bytes| bytes / call.ranks as u64);
    for (range, number) in [(when.bytes, call.bytes), (when.bytes_per_rank, per_rank)] {
        match (range, number) {
            (None, _) => {}
            (Some(_), None) => return false,
            (Some(FromTo { from, to }), Some(number)) if number < from || number > to => return false,
            (Some(_), Some(_)) => {}
        }
    }
    let power = [1, 2, 4, 8, 16].contains(&call.ranks);
    let greatest = [8, 4, 2, 1].into_iter().find(|power| *power <= call.ranks).unwrap();
    let limit = match when.few {
        None => usize::MAX,
        Some(ElementCount::BelowRanks) => call.ranks,
        Some(ElementCount::BelowPower) => greatest,
    };
    when.power_of_two != Some(!power)
        && when.commutes != Some(call.commutes == OperandOrder::Ordered)
        && call.elements < limit
}

fn choice(rows: Vec<Row<Named>>) -> Choice {
    Choice { selection: rows.into(), ..Choice::default() }
}

const ALGORITHMS: [Alltoall; 4] = [Alltoall::Linear, Alltoall::LinearSync, Alltoall::Auto, Alltoall::Bruck];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    /// Both of two conditions hold where what they have in common does, and nowhere if they have nothing.
    #[test]
    fn what_two_conditions_have_in_common(one in conditions(), other in conditions(), call in calls()) {
        let common = one.and(&other).is_some_and(|both| both.fits(&call));
        prop_assert_eq!(common, one.fits(&call) && other.fits(&call));
    }

    /// The first row of the collective that fits decides, and where none does or it says `auto`, the preset.
    #[test]
    fn rows_decide_as_they_are_written(
        table in prop::collection::vec((conditions(), 0..5_usize, 0..4_u32), 0..8),
        call in calls(),
        preset in (0..3_usize).prop_map(|index| Preset::ALL[index].1),
    ) {
        let row = |(when, number, fan_out): &(Condition, usize, u32)| {
            let parameters = Parameters { segment: None, fan_out: NonZeroU32::new(*fan_out), ..Parameters::default() };
            let algorithm = match ALGORITHMS.get(*number) {
                Some(alltoall) => Named::Alltoall(*alltoall),
                None => Named::Allreduce(Allreduce::Ring),
            };
            Row { when: *when, algorithm, parameters }
        };
        let found = table.iter().find(|(when, number, _)| *number < 4 && holds(when, &call));
        let expected = match found.map(|(_, number, fan_out)| (ALGORITHMS[*number], *fan_out)) {
            Some((Alltoall::Auto, _)) | None => {
                let choice = Choice { preset, ..Choice::default() }.decided::<Alltoall>(&call);
                (choice.alltoall, None)
            }
            Some((alltoall, fan_out)) => (alltoall, NonZeroU32::new(fan_out)),
        };
        let table = choice(table.iter().map(row).collect());
        let got = Choice { preset, ..table }.decided::<Alltoall>(&call);
        prop_assert_eq!((got.alltoall, got.parameters.alltoall.fan_out), expected);
    }

    /// Where a condition covers another, it holds wherever the other does.
    #[test]
    fn what_is_covered_is_never_reached((one, other, call) in (conditions(), conditions(), calls())) {
        prop_assert!(one.covers(&one));
        if one.covers(&other) && holds(&other, &call) {
            prop_assert!(holds(&one, &call));
        }
    }

    #[test]
    fn ranks_that_cannot_be((ranks, power_of_two) in (ranges(40), any::<Option<bool>>())) {
        let when = Condition { ranks, power_of_two, ..Condition::default() };
        let some = (1..64_usize).any(|number| {
            let within = ranks.is_none_or(|ranks| (ranks.from..=ranks.to).contains(&(number as u64)));
            within && power_of_two.is_none_or(|power| power == number.is_power_of_two())
        });
        prop_assert_eq!(when.has_no_ranks(), !some);
    }
}

#[test]
fn some_conditions_cover_others() {
    let ranks = |from, to| Condition { ranks: Some(FromTo { from, to }), ..Condition::default() };
    let power = |power| Condition { power_of_two: Some(power), ..Condition::default() };
    assert!(ranks(4, 8).covers(&ranks(5, 8)) && !ranks(4, 8).covers(&ranks(5, 9)));
    assert!(power(true).covers(&ranks(8, 8)) && !power(true).covers(&ranks(8, 9)));
    assert!(power(false).covers(&ranks(7, 7)) && power(true).covers(&ranks(1, 2)));
    // `MPI_Alltoallv` fits only one without bytes.
    let all = of_bytes(0, u64::MAX);
    assert!(!all.covers(&Condition::default()) && Condition::default().covers(&all));
}

fn of_bytes(from: u64, to: u64) -> Condition {
    Condition { bytes: Some(FromTo { from, to }), ..Condition::default() }
}
