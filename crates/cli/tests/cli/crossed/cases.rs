//! Random scenarios in which every pair of values meets that can meet, and the smaller ones of a scenario.

use super::axes::{AXES, COUNT, Case, Pair};
use std::collections::BTreeSet;

/// Random numbers: splitmix64.
pub(super) struct Random(pub(super) u64);

impl Random {
    pub(super) fn below(&mut self, most: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut x = self.0;
        x = (x ^ x >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((x ^ x >> 31) % most as u64) as usize
    }

    /// A scenario of any values.
    pub(super) fn case(&mut self) -> Case {
        let mut case = Case([0; COUNT]);
        for (axis, value) in case.0.iter_mut().enumerate() {
            *value = self.below(AXES[axis].values.len()) as u8;
        }
        case
    }

    /// A scenario that can be run and has these values, if one is found.
    pub(super) fn case_with(&mut self, pinned: &[(u8, u8)]) -> Option<Case> {
        for _ in 0..40 {
            let mut case = self.case();
            pinned.iter().for_each(|&(axis, value)| case.0[usize::from(axis)] = value);
            // Simpler, until it can be run.
            for _ in 0..60 {
                if case.can_be_run() {
                    return Some(case);
                }
                let axis = self.below(AXES.len());
                if !pinned.iter().any(|&(own, _)| usize::from(own) == axis) {
                    case.0[axis] = self.below(AXES[axis].values.len()) as u8;
                }
            }
        }
        None
    }
}

/// Scenarios that can be run, and of how many pairs of values it was found that they can meet: each of these is in one of the
/// scenarios, if there are enough of them.
pub(super) fn covering(random: &mut Random, count: usize) -> (Vec<Case>, usize, usize) {
    let mut pending: BTreeSet<Pair> = BTreeSet::new();
    for a in 0..AXES.len() as u8 {
        for b in a + 1..AXES.len() as u8 {
            for x in 0..AXES[usize::from(a)].values.len() as u8 {
                let others = 0..AXES[usize::from(b)].values.len() as u8;
                pending.extend(others.map(|y| [(a, x), (b, y)]));
            }
        }
    }
    let (mut cases, mut covered) = (vec![], 0);
    while let Some(&pair) = pending.iter().nth(random.below(pending.len().max(1)))
        && cases.len() < count
    {
        let new = |case: &Case| case.pairs().filter(|pair| pending.contains(pair)).count();
        let candidates: Vec<Case> = (0..8).filter_map(|_| random.case_with(&pair)).collect();
        match candidates.into_iter().map(|case| fuller(case, &pair, &pending)).max_by_key(new) {
            Some(case) => {
                covered += new(&case);
                case.pairs().for_each(|pair| _ = pending.remove(&pair));
                cases.push(case);
            }
            None => _ = pending.remove(&pair),
        }
    }
    let possible = pending.into_iter().filter(|pair| random.case_with(pair).is_some()).count();
    while cases.len() < count {
        cases.extend(random.case_with(&[]));
    }
    (cases, covered, covered + possible)
}

/// The scenario with each value in turn, but for those that are pinned, replaced by that with most pairs that no scenario has had.
fn fuller(case: Case, pinned: &Pair, pending: &BTreeSet<Pair>) -> Case {
    let mut best = case;
    for axis in (0..AXES.len()).filter(|&axis| pinned.iter().all(|&(own, _)| usize::from(own) != axis)) {
        let gain = |case: &Case| {
            let value = |other: usize| (other as u8, case.0[other]);
            let pair = |other: usize| [value(axis.min(other)), value(axis.max(other))];
            (0..AXES.len()).filter(|&other| other != axis && pending.contains(&pair(other))).count()
        };
        let mut most = gain(&best);
        for value in 0..AXES[axis].values.len() as u8 {
            let mut other = best;
            other.0[axis] = value;
            if gain(&other) > most && other.can_be_run() {
                (best, most) = (other, gain(&other));
            }
        }
    }
    best
}

/// The simplest scenario that fails like this one, one value after the other made simpler.
pub(super) fn shrunk(case: Case, fails: impl Fn(&Case) -> bool) -> Case {
    let mut smallest = case;
    loop {
        let before = smallest;
        for axis in 0..AXES.len() {
            for value in 0..smallest.0[axis] {
                let mut simpler = smallest;
                simpler.0[axis] = value;
                if simpler.can_be_run() && fails(&simpler) {
                    smallest = simpler;
                    break;
                }
            }
        }
        if smallest == before {
            return smallest;
        }
    }
}
