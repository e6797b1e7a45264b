//! A program as a whole: its functions with their statements, its names, its memory.

use crate::expanded::Expanded;
use crate::facts::Facts;
use crate::memory::{Memory, Place};
use crate::types::{Type, Types};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// A name of a variable: its place and its type.
#[derive(Clone, Debug)]
pub(crate) struct Variable {
    pub(crate) place: Place,
    pub(crate) of: Type,
}

/// A function with its body.
#[derive(Debug)]
pub(crate) struct Function {
    pub(crate) name: String,
    /// This is what it returns.
    pub(crate) result: Variable,
    pub(crate) parameters: Vec<Variable>,
    pub(crate) body: usize,
    /// The words of its type, without `static` and the like.
    pub(crate) type_words: String,
    pub(crate) is_static: bool,
}

/// This is what kind of statement it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// An expression, or nothing.
    Simple,
    /// Declarations, whose initial values are statements of the kind `Initial`.
    Declaration,
    /// The initial value of a variable: the declarator, and the value.
    Initial {
        declarator: Range<usize>,
        value: Range<usize>,
        is_list: bool,
    },
    Block,
    If,
    Loop {
        trips: Option<Trips>,
    },
    Switch,
    /// A label, with its name.
    Label(String),
    /// `case` or `default`.
    Case,
    Break,
    Continue,
    Goto(String),
    /// The value, where it returns one.
    Return(Option<Range<usize>>),
    /// This is what cannot be understood.
    Odd,
}

/// The iterations of a `for` that counts: parts of the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Trips {
    pub(crate) first: Range<usize>,
    pub(crate) end: Range<usize>,
    /// One, where there is none.
    pub(crate) step: Option<Range<usize>>,
    /// One more iteration: the end is within.
    pub(crate) is_closed: bool,
    /// This says whether it counts down.
    pub(crate) is_down: bool,
    /// This is what first, end and step read and call.
    pub(crate) bounds: Bounds,
    /// The place of the variable that counts.
    pub(crate) counter: Place,
}

/// Reads of the bounds of a loop.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Bounds {
    pub(crate) reads: BTreeSet<Place>,
    /// The reads of addresses and divisors, with which the bounds could fail.
    pub(crate) critical: BTreeSet<Place>,
    /// Functions that the bounds call.
    pub(crate) calls: Vec<usize>,
    /// This says whether they do more than compute.
    pub(crate) has_effects: bool,
}

/// A statement.
#[derive(Debug)]
pub(crate) struct Statement {
    pub(crate) kind: Kind,
    /// Where it stands in the text.
    pub(crate) text: Range<usize>,
    /// This is what its own expressions do: conditions and bounds, not the statements within.
    pub(crate) facts: Facts,
    pub(crate) children: Vec<usize>,
    pub(crate) parent: Option<usize>,
    pub(crate) function: usize,
}

/// The program.
#[derive(Debug)]
pub(crate) struct Unit {
    pub(crate) expanded: Expanded,
    pub(crate) memory: Memory,
    pub(crate) types: Types,
    pub(crate) globals: BTreeMap<String, Variable>,
    pub(crate) functions: Vec<Function>,
    pub(crate) statements: Vec<Statement>,
    /// Functions whose address is taken.
    pub(crate) pointed: BTreeSet<usize>,
    /// Functions of the program that MPI or unknown functions may call.
    pub(crate) called_back: BTreeSet<usize>,
    /// Names of places, for reasons.
    pub(crate) names: BTreeMap<Place, String>,
    /// The function that a place is a local variable of.
    pub(crate) owners: BTreeMap<Place, usize>,
    /// Places whose address is taken: functions that are called may write to them.
    pub(crate) shared: BTreeSet<Place>,
    /// Variables that other files of a program can name.
    pub(crate) external: BTreeSet<Place>,
    /// This is what is no function, declaration or type.
    pub(crate) outside: Facts,
}

impl Unit {
    /// The function of this name.
    pub(crate) fn function(&self, name: &str) -> Option<usize> {
        self.functions.iter().position(|function| function.name == name)
    }

    /// A statement and all within it.
    pub(crate) fn within(&self, statement: usize) -> Vec<usize> {
        let (mut found, mut at) = (vec![statement], 0);
        while at < found.len() {
            found.extend(&self.statements[found[at]].children);
            at += 1;
        }
        found
    }

    /// The statements around one, from the innermost.
    pub(crate) fn around(&self, statement: usize) -> impl Iterator<Item = usize> {
        std::iter::successors(self.statements[statement].parent, |&at| self.statements[at].parent)
    }

    /// The line of the file in which a statement begins.
    pub(crate) fn line(&self, statement: usize) -> usize {
        self.expanded.line(self.statements[statement].text.start)
    }
}
