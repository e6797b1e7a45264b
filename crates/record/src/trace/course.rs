//! A quantity over simulated time that takes little room however long a run is.

use std::collections::BTreeMap;

/// Sums of what was added in steps of time. Steps are as long as units at first; when there are more than are kept, two become
/// one, so that any order of times does.
#[derive(Debug)]
pub(super) struct Course {
    most: usize,
    /// Units that a step has: a power of two.
    step: u64,
    sums: BTreeMap<u64, f64>,
}

impl Course {
    /// Keeps so many steps at most; at least one.
    pub(super) fn new(most: usize) -> Self {
        Self { most, step: 1, sums: BTreeMap::new() }
    }

    pub(super) fn add(&mut self, unit: u64, value: f64) {
        *self.sums.entry(unit / self.step).or_default() += value;
        while self.sums.len() > self.most {
            self.step *= 2;
            let mut halved: BTreeMap<u64, f64> = BTreeMap::new();
            for (step, sum) in std::mem::take(&mut self.sums) {
                *halved.entry(step / 2).or_default() += sum;
            }
            self.sums = halved;
        }
    }

    /// Units that a step has.
    pub(super) fn step(&self) -> u64 {
        self.step
    }

    /// The first unit of each step that has something, and what was added in it.
    pub(super) fn steps(&self) -> impl Iterator<Item = (u64, f64)> + '_ {
        self.sums.iter().map(|(&step, &sum)| (step * self.step, sum))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Five units and room for four: steps of two units, in which what was added stands together, whatever the order was.
    #[test]
    fn steps_become_longer() {
        let mut course = Course::new(4);
        for unit in [4, 0, 1, 2] {
            course.add(unit, 1.0);
        }
        assert_eq!(course.steps().collect::<Vec<_>>(), [(0, 1.0), (1, 1.0), (2, 1.0), (4, 1.0)]);
        course.add(9, -2.0);
        course.add(5, 0.5);
        assert_eq!(course.step(), 2);
        assert_eq!(course.steps().collect::<Vec<_>>(), [(0, 2.0), (2, 1.0), (4, 1.5), (8, -2.0)]);
    }
}
