//! Files of other tools: one module for each format, and one table of them all.
//!
//! A format reads into what weir has: a [`Machine`] of nodes, routers and cables, a pattern of messages, a graph of work, or keys of an experiment. What a file says and weir cannot have is
//! a mistake with its place, unless it may be left out and counted ([`Given::skip`]); nothing is passed over without a word. The crate knows no experiment files, and prints nothing.

mod actions;
mod anynet;
mod astra_network;
mod astra_system;
mod calls;
mod chakra;
mod dimemas;
mod dumpi;
mod goal;
pub mod host_list;
mod htsim_matrix;
mod htsim_topology;
mod ibnetdiscover;
mod job_list;
mod liballprof;
mod machine;
mod msccl;
mod ns3;
mod otf2;
mod paraver;
mod reading;
mod roots;
pub mod sample;
mod simgrid;
mod slurm;
mod table;
mod training;
mod units;
mod work;
mod xml;

pub use astra_system::Keys;
pub use job_list::LoggedJob;
pub use machine::{Cable, Hop, MOST_ROUTED, Machine, Routes};
use reading::Reading;
pub use reading::{Given, Imported, LEFT_OUT, Mistake, Skipped};
use sample::Sample;
use std::io::{self, Write};
use std::path::Path;
pub use table::FORMATS;
pub use units::speed;
use weir_formats::graph::GraphFile;
use weir_topology::Topology;
use weir_workload::Script;

/// A format of files.
pub struct Format {
    /// The name by which commands call it.
    pub name: &'static str,
    /// The format in words, with its article and its tool.
    pub title: &'static str,
    /// A sentence about such a file that goes on from its name, for whoever expected something else.
    pub sentence: &'static str,
    /// Endings, or whole names, of files that are written in it; the first is the usual one.
    pub endings: &'static [&'static str],
    /// The function that reads it; `None` for a format that is only written.
    pub reader: Option<Reader>,
    /// The function that writes it; `None` for a format that is only read.
    pub writer: Option<Writer>,
    /// A sentence about the parts that reading loses.
    pub reading_loses: &'static str,
    /// A sentence about the parts that writing loses, which says whether the file reads back the same; empty if it is not written.
    pub writing_loses: &'static str,
    signs: &'static [sample::Is],
}

/// A function that reads a format, by what it makes.
#[derive(Clone, Copy)]
pub enum Reader {
    /// A machine.
    Machine(ReadMachine),
    /// Who sends what to whom.
    Pattern(ReadPattern),
    /// Keys of an experiment.
    Keys(ReadKeys),
    /// A graph of work.
    Work(ReadWork),
    /// A list of jobs.
    Jobs(ReadJobs),
}

/// Reads a machine.
#[derive(Clone, Copy)]
pub struct ReadMachine(fn(&str, &mut Reading) -> Option<Machine>);

/// Reads a pattern.
#[derive(Clone, Copy)]
pub struct ReadPattern(fn(&str, &mut Reading) -> Option<Script>);

/// Reads keys.
#[derive(Clone, Copy)]
pub struct ReadKeys(fn(&str, &mut Reading) -> Option<Keys>);

/// Reads a list of jobs.
#[derive(Clone, Copy)]
pub struct ReadJobs(fn(&str, &mut Reading) -> Option<Vec<LoggedJob>>);

/// Reads a graph of work.
#[derive(Clone, Copy)]
pub struct ReadWork(fn(&Path, &mut Reading) -> Option<GraphFile>, Option<Takes>);

/// A value that the files of a format do not have, and need.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Takes {
    /// [`Given::speed`].
    Speed,
    /// [`Given::message_size`].
    MessageSize,
    /// [`Given::ranks`] and [`Given::group`].
    Ranks,
}

/// Sentences about what is lost, or why it cannot be written so.
pub type Written = io::Result<Result<Vec<String>, String>>;

/// A function that writes a format, by what it is written from.
#[derive(Clone, Copy)]
pub enum Writer {
    /// From a machine.
    Machine(fn(&Topology, &mut dyn Write) -> Written),
    /// From a graph of work.
    Work(fn(&GraphFile, &mut dyn Write) -> Written),
    /// From a graph of work, a file for each rank: `NAME.RANK.ENDING`.
    Ranks {
        /// Writes the file of a rank.
        one: fn(&GraphFile, usize, &mut dyn Write) -> Written,
        /// A file beside them, if there is to be one: its name and its text.
        beside: fn(&GraphFile) -> Option<(&'static str, String)>,
    },
}

macro_rules! reads {
    ($reader:ty, $made:ty) => {
        impl $reader {
            /// Reads a text.
            ///
            /// # Errors
            /// All that is wrong with it, and, unless it may be left out, all that cannot be represented; in the order of lines.
            pub fn read(self, text: &str, given: Given) -> Result<Imported<$made>, Vec<Mistake>> {
                let text = text.strip_prefix('\u{feff}').unwrap_or(text);
                let mut reading = Reading::new(given);
                let made = (self.0)(text, &mut reading);
                reading.finish(made)
            }
        }
    };
}

reads!(ReadMachine, Machine);
reads!(ReadPattern, Script);
reads!(ReadKeys, Keys);
reads!(ReadJobs, Vec<LoggedJob>);

impl ReadWork {
    /// The value that has to be given beside the file, if there is one.
    pub const fn takes(self) -> Option<Takes> {
        self.1
    }

    /// Reads a file, which may be longer than memory, and others that it names.
    ///
    /// # Errors
    /// All that is wrong with it, and, unless it may be left out, all that cannot be represented; in the order of lines.
    pub fn read(self, path: &Path, given: Given) -> Result<Imported<GraphFile>, Vec<Mistake>> {
        let mut reading = Reading::new(given);
        let made = (self.0)(path, &mut reading);
        reading.finish(made)
    }
}

/// The format of a file by what is in it, if it is one of those that are read. Reads its beginning.
pub fn recognize(path: &Path) -> Option<&'static Format> {
    of(&Sample::new(path, &sample::begin(path)?))
}

/// The format of the file whose beginning this is.
pub fn of(sample: &Sample<'_>) -> Option<&'static Format> {
    FORMATS.iter().find(|format| format.signs.iter().any(|sign| sample.is(sign)))
}

/// The format with this name.
pub fn named(name: &str) -> Option<&'static Format> {
    FORMATS.iter().find(|format| format.name == name)
}

/// The format that a file of this name is written in, if its ending or its name is that of one.
pub fn by_ending(path: &Path) -> Option<&'static Format> {
    let name = path.file_name()?.to_str()?;
    let ending = path.extension().and_then(|ending| ending.to_str());
    let is_it = |one: &&str| *one == name || Some(*one) == ending;
    FORMATS.iter().find(|format| format.writer.is_some() && format.endings.iter().any(is_it))
}
