//! Summaries say what a call of each function does, with all that it calls.

use crate::facts::{Facts, Places};
use crate::unit::Unit;
use std::collections::BTreeSet;

/// The effects of a function and of the functions that it calls. Places are classes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Summary {
    /// This is what it reads, its own variables included.
    pub(crate) reads: Places,
    /// This is what it writes that others can see.
    pub(crate) writes: Places,
    /// Why calls of it stay whatever they write: "it calls MPI_Send in line 12".
    pub(crate) stays: Option<String>,
    pub(crate) prints: bool,
    pub(crate) callees: BTreeSet<usize>,
}

/// The functions that a statement or an expression calls.
pub(crate) fn callees(facts: &Facts, unit: &Unit) -> BTreeSet<usize> {
    let direct = facts.calls.iter().filter_map(|call| call.function);
    let any = facts.calls.iter().any(|call| call.function.is_none());
    direct.chain(unit.pointed.iter().copied().filter(|_| any)).collect()
}

/// The classes that facts read, with what can be reached where all of it is read.
pub(crate) fn classes_read(facts: &Facts, unit: &Unit) -> Places {
    let reads = facts.reads.iter().map(|&place| unit.memory.class(place));
    let arguments = facts.calls.iter().flat_map(|call| &call.arguments);
    let passed = arguments.flat_map(|argument| &argument.reads).map(|&place| unit.memory.class(place));
    reads.chain(passed).chain(classes_reached(facts, unit)).collect()
}

/// The classes of which all that can be reached is read.
pub(crate) fn classes_reached(facts: &Facts, unit: &Unit) -> Places {
    facts.deep.iter().flat_map(|&place| unit.memory.reachable(place)).collect()
}

/// Why the statement with these facts stays whatever it writes.
pub(crate) fn reason(facts: &Facts) -> Option<String> {
    if let Some(call) = facts.mpi.first() {
        return Some(call.name.clone());
    }
    if facts.calls.iter().any(|call| call.function.is_none()) {
        return Some("a function through a pointer".to_owned());
    }
    let odd = |_: &usize| "code that is not understood".to_owned();
    let unknown = || facts.unknown.first().map(|name| format!("{name}, which is not in this file"));
    let others = facts.ends.clone().or_else(|| facts.of_weir.clone()).or_else(unknown);
    others.or_else(|| facts.odd.as_ref().map(odd))
}

/// The summaries of all functions. Functions in `named` stay because the caller says so.
pub(crate) fn summaries(unit: &Unit, named: &BTreeSet<usize>) -> Vec<Summary> {
    let mut each: Vec<Summary> = (0..unit.functions.len()).map(|function| own(unit, function)).collect();
    for &function in named {
        each[function].stays.get_or_insert_with(|| "a function that is to stay".to_owned());
    }
    let all = |function: usize| {
        let mut made = each[function].clone();
        let mut pending: Vec<usize> = made.callees.iter().copied().collect();
        while let Some(callee) = pending.pop() {
            let other = &each[callee];
            made.reads.extend(&other.reads);
            made.writes.extend(&other.writes);
            made.prints |= other.prints;
            if made.stays.is_none() {
                made.stays.clone_from(&other.stays);
            }
            pending.extend(other.callees.iter().filter(|&&callee| made.callees.insert(callee)));
        }
        made
    };
    (0..each.len()).map(all).collect()
}

fn own(unit: &Unit, function: usize) -> Summary {
    let mut made = Summary::default();
    let shared: Places = unit.shared.iter().map(|&place| unit.memory.class(place)).collect();
    let results: Places =
        unit.functions.iter().map(|function| unit.memory.class(function.result.place)).collect();
    for number in unit.within(unit.functions[function].body) {
        let facts = &unit.statements[number].facts;
        made.reads.extend(classes_read(facts, unit));
        made.callees.extend(callees(facts, unit));
        made.prints |= facts.prints;
        for &place in &facts.writes {
            let class = unit.memory.class(place);
            let is_own = unit.owners.get(&place) == Some(&function) && !shared.contains(&class);
            if !is_own && !results.contains(&class) {
                made.writes.insert(class);
            }
        }
        if made.stays.is_none() {
            let line = unit.line(number);
            made.stays = reason(facts).map(|what| format!("{what} in line {line}"));
        }
    }
    made
}
