//! Loops of which nothing marks where they begin again: a root that sends to its children, and to them again, does the same operation
//! all along. Their values begin again, and say where a loop around them goes on.

use crate::fold::DEEPEST;
use crate::members::{Sample, Seen, Tree};
use std::collections::BTreeMap;

/// A loop as one member repeats it, where the loops around it are.
type Instance = (usize, [u32; DEEPEST]);

/// Divides loops, sums up work, and leaves out what repeats.
pub(crate) fn prepare(seen: &mut Seen) {
    divide(seen);
    seen.work = (0..seen.trees.len()).map(|tree| seen.work_of(tree)).collect();
    thin(seen);
}

/// Puts a loop around each loop whose values begin again.
fn divide(seen: &mut Seen) {
    for tree in 0..seen.trees.len() {
        let mut spot = 0;
        while spot < seen.trees[tree].spots.len() {
            if seen.trees[tree].spots[spot].shape.is_none()
                && let Some(periods) = periods(seen, tree, spot)
            {
                put_around(seen, tree, spot, &periods);
                spot += 1;
            }
            spot += 1;
        }
    }
}

/// The sum of all values of each repetition of a loop, by where it is.
fn repetitions(seen: &Seen, tree: usize, spot: usize) -> BTreeMap<Instance, Vec<u64>> {
    let Tree { spots, .. } = &seen.trees[tree];
    let level = spots[spot].loops.len();
    let mut found: BTreeMap<Instance, Vec<u64>> = BTreeMap::new();
    for sample in &seen.samples[tree][spot] {
        let mut around = sample.index;
        around[level..].fill(0);
        found.insert((sample.member, around), vec![0; sample.value as usize]);
    }
    let inside = (0..spots.len()).filter(|&inside| spots[inside].loops.contains(&spot));
    for inside in inside {
        for sample in &seen.samples[tree][inside] {
            let mut around = sample.index;
            let repetition = around[level] as usize;
            around[level..].fill(0);
            let mut key = inside as u64;
            for &index in &sample.index[level + 1..] {
                key = weir_units::mix(key.wrapping_mul(31) ^ u64::from(index));
            }
            match spots[inside].shape {
                None => key = weir_units::mix(key ^ u64::from(sample.value)),
                Some(_) => {
                    let member = &seen.members[sample.member];
                    let sequence = &seen.runs[member.run].sequences[member.rank as usize];
                    for &value in sequence.values(sample.value as usize) {
                        key = weir_units::mix(key.wrapping_mul(31) ^ value.cast_unsigned());
                    }
                }
            }
            if let Some(sums) = found.get_mut(&(sample.member, around)).filter(|sums| repetition < sums.len())
            {
                sums[repetition] = sums[repetition].wrapping_add(key);
            }
        }
    }
    found
}

/// The period of values that begin again; their number if they do not.
fn period(values: &[u64]) -> usize {
    let count = values.len();
    let repeats = |period: &usize| {
        count.is_multiple_of(*period) && (*period..count).all(|i| values[i] == values[i - period])
    };
    (1..count).find(repeats).unwrap_or(count)
}

/// The period of each instance, if one loop around all of them explains them.
fn periods(seen: &Seen, tree: usize, spot: usize) -> Option<BTreeMap<Instance, u32>> {
    if seen.trees[tree].spots[spot].loops.len() + 2 >= DEEPEST {
        return None;
    }
    let found = repetitions(seen, tree, spot);
    let periods: BTreeMap<Instance, (usize, usize)> =
        found.iter().map(|(&at, values)| (at, (values.len(), period(values)))).collect();
    let changing: Vec<(usize, usize)> = periods.values().copied().filter(|&(_, period)| period > 1).collect();
    let first = *changing.first()?;
    if changing.iter().any(|(count, period)| count == period) {
        return None;
    }
    let same_period = changing.iter().all(|&(_, period)| period == first.1);
    let same_times = changing.iter().all(|(count, period)| count / period == first.0 / first.1);
    let inner = |(count, period): (usize, usize)| match () {
        () if period > 1 => Some(period),
        () if same_period && count % first.1 == 0 => Some(first.1),
        () if same_times && count % (first.0 / first.1) == 0 => Some(count / (first.0 / first.1)),
        () => None,
    };
    periods.into_iter().map(|(at, counts)| Some((at, inner(counts)?.max(1) as u32))).collect()
}

/// Puts a loop around a loop.
fn put_around(seen: &mut Seen, tree: usize, spot: usize, periods: &BTreeMap<Instance, u32>) {
    let level = seen.trees[tree].spots[spot].loops.len();
    let period_of = |sample: &Sample| {
        let mut around = sample.index;
        around[level..].fill(0);
        periods[&(sample.member, around)]
    };
    let spots = seen.trees[tree].spots.clone();
    let mut outer: Vec<Sample> = Vec::new();
    for (inside, of) in spots.iter().enumerate() {
        let samples = std::mem::take(&mut seen.samples[tree][inside]);
        seen.samples[tree][inside] = if inside == spot {
            let mut all = Vec::new();
            for sample in samples {
                let period = period_of(&sample);
                let times = sample.value / period;
                outer.push(Sample { value: times, ..sample });
                for time in 0..times {
                    let mut index = sample.index;
                    index[level] = time;
                    all.push(Sample { value: period, index, ..sample });
                }
            }
            all
        } else if of.loops.contains(&spot) {
            let moved = |mut sample: Sample| {
                let period = period_of(&sample);
                sample.index.copy_within(level + 1..DEEPEST - 1, level + 2);
                (sample.index[level], sample.index[level + 1]) =
                    (sample.index[level] / period, sample.index[level] % period);
                sample
            };
            samples.into_iter().map(moved).collect()
        } else {
            samples
        };
    }
    seen.samples[tree].insert(spot, outer);
    seen.trees[tree].put_around(spot);
}

/// The fewest repetitions of which some are left out.
const FEWEST: usize = 8;

/// Leaves out repetitions that are like all others of their loop, but for the first two and the last one.
fn thin(seen: &mut Seen) {
    for tree in 0..seen.trees.len() {
        let spots = seen.trees[tree].spots.clone();
        for spot in (0..spots.len()).filter(|&spot| spots[spot].shape.is_none()) {
            let found = repetitions(seen, tree, spot);
            let is_alike =
                |values: &Vec<u64>| values.len() >= FEWEST && values.iter().all(|of| *of == values[0]);
            let alike: BTreeMap<Instance, usize> = found
                .iter()
                .filter(|found| is_alike(found.1))
                .map(|(&at, values)| (at, values.len()))
                .collect();
            if alike.is_empty() {
                continue;
            }
            let level = spots[spot].loops.len();
            for inside in (0..spots.len()).filter(|&inside| spots[inside].loops.contains(&spot)) {
                seen.samples[tree][inside].retain(|sample| {
                    let mut around = sample.index;
                    around[level..].fill(0);
                    let count = alike.get(&(sample.member, around));
                    let place = sample.index[level] as usize;
                    count.is_none_or(|count| place < 2 || place == count - 1)
                });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_that_begin_again_have_a_period() {
        assert_eq!(period(&[1, 2, 1, 2, 1, 2]), 2);
        assert_eq!(period(&[1, 1, 1]), 1);
        assert_eq!(period(&[1, 2, 3]), 3);
        assert_eq!(period(&[1, 2, 1]), 3);
        assert_eq!(period(&[]), 0);
    }
}
