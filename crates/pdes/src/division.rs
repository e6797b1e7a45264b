//! Division of the parts of a model among processes.

use std::ops::Range;

/// The parts of all processes have numbers one after the other: first those of process 0. Each process has as many.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Division {
    process: usize,
    processes: usize,
    threads: usize,
}

impl Division {
    /// Divides a model among so many processes with so many parts each, one for each thread; seen from one of them.
    ///
    /// # Panics
    /// When the process is not one of them, or has no part.
    #[must_use]
    pub fn new(process: usize, processes: usize, threads: usize) -> Self {
        assert!(process < processes && threads > 0, "process {process} of {processes} with {threads} parts");
        Self { process, processes, threads }
    }

    /// Number of processes.
    #[must_use]
    pub fn processes(self) -> usize {
        self.processes
    }

    /// Number of parts of each process.
    #[must_use]
    pub fn threads(self) -> usize {
        self.threads
    }

    /// Number of parts in all.
    #[must_use]
    pub fn parts(self) -> usize {
        self.processes * self.threads
    }

    /// The parts of this process.
    #[must_use]
    pub fn here(self) -> Range<usize> {
        self.of_process(self.process)
    }

    /// The parts of a process.
    #[must_use]
    pub fn of_process(self, process: usize) -> Range<usize> {
        process * self.threads..(process + 1) * self.threads
    }

    /// The place of a part among those of its process.
    #[must_use]
    pub fn local(self, part: usize) -> usize {
        part % self.threads
    }

    /// The process of a part.
    #[must_use]
    pub fn process_of(self, part: usize) -> usize {
        part / self.threads
    }

    /// Returns whether a part belongs to this process.
    #[must_use]
    pub fn is_here(self, part: usize) -> bool {
        self.process_of(part) == self.process
    }
}
