//! The effects of expressions are the places that they read and write, and what they call.

use crate::memory::Place;
use std::collections::BTreeSet;

/// A set of places, whose classes are looked up when all of them are known.
pub(crate) type Places = BTreeSet<Place>;

/// The effects of an expression, or of what a statement has besides other statements.
#[derive(Clone, Debug, Default)]
pub(crate) struct Facts {
    pub(crate) reads: Places,
    /// These are the reads that an address, a divisor or the choice between two expressions hangs on. Were they wrong, the program could fail.
    pub(crate) critical: Places,
    /// Places from which everything that can be reached is read.
    pub(crate) deep: Places,
    pub(crate) writes: Places,
    pub(crate) calls: Vec<Call>,
    pub(crate) mpi: Vec<MpiCall>,
    /// Functions about which nothing is known.
    pub(crate) unknown: Vec<String>,
    /// The function that ends the program.
    pub(crate) ends: Option<String>,
    /// Clock calls and other functions of weir.
    pub(crate) of_weir: Option<String>,
    pub(crate) prints: bool,
    /// This says whether something is chosen, as by `?:`.
    pub(crate) branches: bool,
    /// Calls of the C library that do more than compute a number.
    pub(crate) calls_library: bool,
    /// This is what cannot be understood, with its place in the text.
    pub(crate) odd: Option<usize>,
}

/// A call of functions of the program.
#[derive(Clone, Debug)]
pub(crate) struct Call {
    /// The function; `None` for any whose address is taken.
    pub(crate) function: Option<usize>,
    /// This is what each argument reads.
    pub(crate) arguments: Vec<Facts>,
}

/// A call of MPI. What its other arguments read is in the facts around it.
#[derive(Clone, Debug)]
pub(crate) struct MpiCall {
    pub(crate) name: String,
    /// Where its name stands in the text.
    pub(crate) at: usize,
    pub(crate) sent: Vec<Place>,
    pub(crate) received: Vec<Place>,
    /// Its arguments that are datatypes, as they are written.
    pub(crate) types: BTreeSet<String>,
}

impl Facts {
    /// Adds the other facts, without reads whose value alone matters.
    pub(crate) fn absorb_but_reads(&mut self, other: Self) {
        self.critical.extend(&other.critical);
        self.reads.extend(other.critical);
        self.deep.extend(other.deep);
        self.writes.extend(other.writes);
        self.calls.extend(other.calls);
        self.mpi.extend(other.mpi);
        self.unknown.extend(other.unknown);
        self.ends = self.ends.take().or(other.ends);
        self.of_weir = self.of_weir.take().or(other.of_weir);
        self.prints |= other.prints;
        self.branches |= other.branches;
        self.calls_library |= other.calls_library;
        self.odd = self.odd.or(other.odd);
    }
}
