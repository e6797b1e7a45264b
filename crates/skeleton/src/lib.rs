//! Makes skeletons of programs in C: what decides messages stays, and the rest becomes the time that it takes.
//!
//! The way of a program: its tokens, each on a line of its own, go through the compiler's preprocessor ([`probe`]); what comes
//! back is the program as the compiler sees it (`expanded.rs`), which tree-sitter parses and `statements.rs`,
//! `expressions.rs` and `calls.rs` read. `slice.rs` finds what messages hang on, `blocks.rs` what is left out, `charges.rs` what
//! is charged at once, and `write.rs` changes the file. Nothing here runs a compiler or reads a file.
//!
//! # Model
//! A slice that knows no order of statements, with pointers by classes of places (`memory.rs`). When in doubt a statement
//! stays.

mod blocks;
mod calls;
mod charges;
mod expanded;
mod expressions;
mod facts;
mod library;
mod loops;
mod memory;
mod mpi;
mod slice;
mod statements;
mod summaries;
mod tokens;
mod types;
mod unit;
mod write;

pub use tokens::probe;
pub use write::Form;

use blocks::Selection;
use charges::Cut;
use expanded::Expanded;
use std::collections::BTreeSet;
use thiserror::Error;
use unit::{Kind, Unit};

/// Why no skeleton was made.
#[derive(Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum SkeletonError {
    /// The program does not begin in this file.
    #[error(
        "it has no function main: a skeleton is made of a whole program in one file\n\nhint: put the program's files into one by \
         #include"
    )]
    NoMain,
    /// No message is sent, so there is nothing that stays.
    #[error(
        "main and what it calls have no call of MPI, so there is no communication that a skeleton could have"
    )]
    NoMpi,
    /// A function that is to stay is not there.
    #[error("there is no function {0:?} that could stay")]
    NoFunction(String),
}

/// A block: code that is left out, and charged.
#[derive(Clone, Debug, PartialEq)]
pub struct Block {
    /// Its function and its first line, as `main:62`.
    pub name: String,
    /// 1 straight-line code, 2 also choices, 3 also loops, 4 also calls of functions (the PSI-SIM paper, section 3.2).
    pub level: u8,
    /// The first line of the file that is left out, from 1.
    pub first_line: usize,
    /// The last line that is left out.
    pub last_line: usize,
    /// An expression in C for the iterations that its time is of; `None` if its time is that of an execution.
    pub trips: Option<String>,
}

/// A loop, or a call of a function with loops, that stays though it has no call of MPI.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stay {
    /// Its first line, from 1.
    pub first_line: usize,
    /// Its last line.
    pub last_line: usize,
    /// The reason, a sentence without its end: "line 10 sets n, which is needed by MPI_Bcast in line 12".
    pub why: String,
}

/// A program of which skeletons can be written.
#[derive(Debug)]
pub struct Skeleton {
    unit: Unit,
    selection: Selection,
    cuts: Vec<Cut>,
}

impl Skeleton {
    /// Finds out what can be left out of a program. `file` is its text; `preprocessed` is what the C preprocessor makes of
    /// its [`probe`], read from standard input, with the option `-dD`. Functions in `named` stay with all of their loops and
    /// conditions.
    ///
    /// # Errors
    /// When there is no `main` or no MPI in the file, or a function in `named` is not there: all that is wrong.
    pub fn new(file: &str, preprocessed: &str, named: &[String]) -> Result<Self, Vec<SkeletonError>> {
        let unit = statements::read(Expanded::new(file, preprocessed));
        let mut wrong = Vec::new();
        let mut functions = BTreeSet::new();
        for name in named {
            match unit.function(name) {
                Some(number) => _ = functions.insert(number),
                None => wrong.push(SkeletonError::NoFunction(name.clone())),
            }
        }
        if unit.function("main").is_none() {
            wrong.push(SkeletonError::NoMain);
            return Err(wrong);
        }
        let selection = blocks::select(&unit, &functions);
        let has_mpi = |&function: &usize| {
            let within = unit.within(unit.functions[function].body);
            within.iter().any(|&at| !unit.statements[at].facts.mpi.is_empty())
        };
        if !selection.slice.live.iter().any(has_mpi) {
            wrong.push(SkeletonError::NoMpi);
        }
        if !wrong.is_empty() {
            return Err(wrong);
        }
        let cuts = charges::cuts(&selection, &unit);
        Ok(Self { unit, selection, cuts })
    }

    /// The blocks in the order of the file.
    pub fn blocks(&self) -> Vec<Block> {
        let charged = self.cuts.iter().filter_map(|cut| {
            let Cut { level, first_line, last_line, .. } = *cut;
            Some(Block { name: cut.name.clone()?, level, first_line, last_line, trips: cut.trips.clone() })
        });
        charged.collect()
    }

    /// Lines where short code is left out without a charge, from 1, in the order of the file.
    pub fn short_lines(&self) -> Vec<usize> {
        self.cuts.iter().filter(|cut| cut.name.is_none()).map(|cut| cut.first_line).collect()
    }

    /// This is what stays though it takes time, in the order of the file, with the reasons.
    pub fn stays(&self) -> Vec<Stay> {
        let mut found: Vec<Stay> =
            self.selection.kept.iter().map(|&statement| self.stay(statement)).collect();
        found.sort_by_key(|stay| (stay.first_line, stay.last_line));
        found.dedup();
        // What is within another one stays for the same reasons.
        let all = found.clone();
        found.retain(|stay| {
            !all.iter().any(|other| {
                other != stay && other.first_line <= stay.first_line && stay.last_line <= other.last_line
            })
        });
        found
    }

    fn stay(&self, statement: usize) -> Stay {
        let stays = &self.selection.slice.stays;
        let reasons =
            self.unit.within(statement).into_iter().filter_map(|at| Some((at, stays[at].as_ref()?)));
        // Loops and conditions stay for what is in them.
        let first =
            reasons.min_by_key(|(_, why)| (why.starts_with("it decides"), !why.starts_with("it calls")));
        let why = first.map(|(at, why)| match why.strip_prefix("it ") {
            Some(rest) => format!("line {} {rest}", self.unit.line(at)),
            None => why.clone(),
        });
        let text = &self.unit.statements[statement].text;
        let [first_line, last_line] = [text.start, text.end - 1].map(|place| self.unit.expanded.line(place));
        Stay { first_line, last_line, why: why.unwrap_or_default() }
    }

    /// The line of a receive whose data decide what is sent later, if there is one: then data must be moved.
    pub fn deciding_receive(&self) -> Option<usize> {
        self.selection.slice.deciding_receive
    }

    /// Lines with code that is not understood, and stays as it is.
    pub fn odd_lines(&self) -> Vec<usize> {
        let statements = self.unit.statements.iter().filter(|statement| statement.kind == Kind::Odd);
        let places = statements.map(|statement| statement.text.start).chain(self.unit.outside.odd);
        let lines: BTreeSet<usize> = places.map(|place| self.unit.expanded.line(place)).collect();
        lines.into_iter().collect()
    }

    /// The text of a skeleton, or of the program that measures it. `name` is that of the file.
    pub fn written(&self, name: &str, form: &Form) -> String {
        write::written(name, &self.cuts, &self.selection, &self.unit, form)
    }
}
