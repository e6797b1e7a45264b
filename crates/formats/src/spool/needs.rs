//! The tasks for which those behind wait. Whoever carries out a graph need not read on while none of these has ended.

use std::collections::BTreeMap;
use weir_operations::Task;

/// A number that stands for waiting for no end; others stand for the task before them.
const NOTHING: u64 = 0;

/// For blocks of tasks of a rank, the least of the last ends that they wait for.
#[derive(Clone, Default)]
pub(super) struct Needs {
    /// Number of tasks.
    tasks: u64,
    /// One more than the number of the last task of each stream.
    last: BTreeMap<u32, u64>,
    blocks: Vec<u64>,
    /// The number of tasks of a block is two to this power.
    power: u32,
}

impl Needs {
    /// Adds a task behind the others. Beyond `most` blocks, two become one.
    pub(super) fn add(&mut self, task: &Task, most: usize) {
        let before = self.last.insert(task.stream, self.tasks + 1).unwrap_or(NOTHING);
        let last = task
            .requires
            .as_ref()
            .map_or(before, |requires| requires.ended.iter().max().map_or(NOTHING, |last| last + 1));
        let place = (self.tasks >> self.power) as usize;
        self.tasks += 1;
        match self.blocks.get_mut(place) {
            Some(least) => *least = last.min(*least),
            None if place < most => self.blocks.push(last),
            None => {
                let least = |pair: &[u64]| pair.iter().copied().min().expect("a pair is not empty");
                self.blocks = self.blocks.chunks(2).map(least).collect();
                self.power += 1;
                match self.blocks.get_mut(place / 2) {
                    Some(least) => *least = last.min(*least),
                    None => self.blocks.push(last),
                }
            }
        }
    }

    /// The same for each block and all behind it.
    pub(super) fn of_all_behind(self) -> Behind {
        let mut blocks = self.blocks.into_boxed_slice();
        let mut least = u64::MAX;
        for block in blocks.iter_mut().rev() {
            least = least.min(*block);
            *block = least;
        }
        Behind { blocks, power: self.power }
    }
}

/// For each block of tasks, the least of the last ends that its tasks and all behind it wait for.
pub(super) struct Behind {
    blocks: Box<[u64]>,
    power: u32,
}

impl Behind {
    /// The number of a task such that each task from this one on waits for its end or that of a later one; `None` if one of them waits for
    /// no end.
    pub(super) fn from(&self, task: u64) -> Option<u64> {
        self.blocks.get((task >> self.power) as usize)?.checked_sub(1)
    }
}
