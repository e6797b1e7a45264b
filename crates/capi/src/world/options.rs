//! Options of a world, and errors of making it.

use crate::skeleton::counts::InstructionTime;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use thiserror::Error;
use weir_collectives::Choice;
use weir_coroutine::{LoadError, StackSize};
use weir_message::storage::StorageModel;
use weir_message::{Costs, Group, Interfaces, Moved, SharedObserver};
use weir_units::Rank;

/// Selects whether a run keeps account of where requests begin, to report at its end what remains.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Verify {
    /// No, and nothing is paid for it.
    #[default]
    No,
    /// Yes: every call of MPI looks for the requests it has started.
    Yes,
}

/// Options of a world: the program to run, and the behavior of messages.
#[derive(Clone)]
pub struct WorldOptions {
    /// The programs, of which the first ranks run the first one: one, or several that run as one job.
    pub programs: Vec<ProgramToRun>,
    /// Number of ranks.
    pub ranks: usize,
    /// Number of ranks of each job, one behind the other; none: all are of one job.
    pub jobs: Vec<usize>,
    /// Which of these this process has, in ascending order, where several processes run it together; `None`: all.
    pub here: Option<Vec<Rank>>,
    /// Stack of each rank.
    pub stack_size: StackSize,
    /// Costs of messages.
    pub costs: Arc<Costs>,
    /// Algorithms of the collectives.
    pub choice: Choice,
    /// The disks; `None`: files take no time.
    pub storage: Option<StorageModel>,
    /// Selects whether data are moved or only their lengths.
    pub moved: Moved,
    /// Time that is charged for the program's own work.
    pub compute: Compute,
    /// Time that an instruction takes, for `weir_compute_instructions`; `None`: not set.
    pub instruction_time: Option<InstructionTime>,
    /// Choices that programs have for their messages.
    pub interfaces: Interfaces,
    /// The node of each rank, as programs see it.
    pub processor_names: Arc<dyn ProcessorNames>,
    /// Selects whether the run can report what ranks leave behind.
    pub verify: Verify,
    /// Who watches the ranks, if anybody; not those that are processes of their own.
    pub observer: Option<Observer>,
}

/// A program and how many ranks run it.
#[derive(Clone, Debug)]
pub struct ProgramToRun {
    /// The program: all of a world are built by `weir cc`, or none is.
    pub path: PathBuf,
    /// Its arguments, without its name.
    pub args: Vec<OsString>,
    /// Number of ranks that run it.
    pub ranks: usize,
}

impl WorldOptions {
    /// The number of the program that a rank runs.
    ///
    /// # Panics
    /// When there is no such rank.
    pub(crate) fn number_of_program(&self, rank: Rank) -> usize {
        let mut behind = 0;
        let number = self.programs.iter().position(|program| {
            behind += program.ranks;
            rank.index() < behind
        });
        number.expect("all ranks run a program")
    }

    pub(crate) fn program_of(&self, rank: Rank) -> &ProgramToRun {
        &self.programs[self.number_of_program(rank)]
    }

    /// The ranks of the job of a rank: its `MPI_COMM_WORLD`.
    pub(crate) fn job_of(&self, rank: Rank) -> Group {
        let mut first = 0;
        let own = self.jobs.iter().find_map(|&size| {
            let is_own = (first..first + size).contains(&rank.index());
            let job = Group::Strided { first: first as u32, stride: 1, size: size as u32 };
            first += size;
            is_own.then_some(job)
        });
        own.unwrap_or_else(|| Group::world(self.ranks as u32))
    }

    /// For each program, how many of its ranks this process has.
    pub(crate) fn ranks_of_programs(&self) -> Vec<usize> {
        let mut counts = vec![0; self.programs.len()];
        match &self.here {
            Some(here) => here.iter().for_each(|&rank| counts[self.number_of_program(rank)] += 1),
            None => counts.iter_mut().zip(&self.programs).for_each(|(count, program)| *count = program.ranks),
        }
        counts
    }

    /// Number of ranks of this process.
    pub(crate) fn ranks_here(&self) -> usize {
        self.here.as_ref().map_or(self.ranks, Vec::len)
    }
}

/// Who watches all ranks of a program.
#[derive(Clone)]
pub struct Observer(pub SharedObserver);

/// Names nodes for `MPI_Get_processor_name`, `gethostname` and their kin.
pub trait ProcessorNames: Send + Sync {
    /// The name of the node that hosts `rank`; at most 255 bytes.
    fn name(&self, rank: Rank) -> String;
}

/// Why a program cannot be run.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum WorldError {
    /// It cannot be loaded.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// There is no memory for its ranks, its threads would not see the globals of their rank, or it needs functions that this
    /// version does not know.
    #[error("{0}")]
    Refused(String),
}

/// Time that is charged for the program's own work.
#[derive(Clone, Copy, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub enum Compute {
    /// Nothing, unless the program says so (paper 003, section 4.1).
    #[default]
    None,
    /// The processor time that it takes here, times this factor.
    Measured(f64),
}
