//! Blocks: what is charged at once, with its name, its level and its number of iterations.

use crate::blocks::{Item, Selection};
use crate::facts::Places;
use crate::summaries::callees;
use crate::unit::{Kind, Trips, Unit};
use std::collections::BTreeSet;
use std::ops::Range;

/// A stretch of the file that is left out.
#[derive(Debug)]
pub(crate) struct Cut {
    /// In the file.
    pub(crate) source: Range<usize>,
    pub(crate) first_line: usize,
    pub(crate) last_line: usize,
    pub(crate) level: u8,
    /// Its name, if it is charged.
    pub(crate) name: Option<String>,
    /// An expression for its inner iterations.
    pub(crate) trips: Option<String>,
    /// This says whether it has several statements.
    pub(crate) is_list: bool,
    /// For the initial value of a variable: its name, and the source of the value.
    pub(crate) initial: Option<Initial>,
}

/// The initial value of a variable.
#[derive(Debug)]
pub(crate) struct Initial {
    pub(crate) variable: String,
    pub(crate) value: Range<usize>,
    /// The end of the declaration that it belongs to.
    pub(crate) end: usize,
}

/// The cuts of a selection, in the order of the file.
pub(crate) fn cuts(selection: &Selection, unit: &Unit) -> Vec<Cut> {
    let mut found = Vec::new();
    for run in &selection.runs {
        let mut group: Vec<&Item> = Vec::new();
        for item in run {
            let is_loop = !item.remains && trips(item.statement, selection, unit).is_some();
            if item.remains || is_loop {
                flush(&mut group, selection, unit, &mut found);
            }
            if is_loop {
                flush(&mut vec![item], selection, unit, &mut found);
            } else if !item.remains {
                group.push(item);
            }
        }
        flush(&mut group, selection, unit, &mut found);
    }
    found.sort_by_key(|cut: &Cut| cut.source.start);
    let mut names = BTreeSet::new();
    for cut in &mut found {
        if let Some(name) = &mut cut.name {
            let plain = name.clone();
            let mut number = 1;
            while !names.insert(name.clone()) {
                number += 1;
                *name = format!("{plain}-{number}");
            }
        }
    }
    found
}

fn flush(group: &mut Vec<&Item>, selection: &Selection, unit: &Unit, found: &mut Vec<Cut>) {
    let items = std::mem::take(group);
    let (Some(first), Some(last)) = (items.first(), items.last()) else { return };
    let [start, end] = [first, last].map(|item| &unit.statements[item.statement]);
    let text = start.text.start..end.text.end;
    let Some(source) = unit.expanded.source(&text) else { return };
    let level = items.iter().map(|item| item.level).max().unwrap_or(1);
    let is_short = items.iter().all(|item| item.is_short);
    let function = &unit.functions[start.function].name;
    let (first_line, last_line) =
        (unit.expanded.line_of(source.start), unit.expanded.line_of(source.end.saturating_sub(1)));
    let initial = initial(first.statement, unit);
    found.push(Cut {
        name: (!is_short).then(|| format!("{function}:{first_line}")),
        trips: if items.len() == 1 { trips(first.statement, selection, unit) } else { None },
        is_list: items.len() > 1,
        source,
        first_line,
        last_line,
        level,
        initial,
    });
}

fn initial(statement: usize, unit: &Unit) -> Option<Initial> {
    let Kind::Initial { declarator, value, .. } = &unit.statements[statement].kind else { return None };
    let declaration = unit.statements[statement].parent?;
    let whole = &unit.statements[declaration].text;
    let end = unit.expanded.source(&(whole.end - 1..whole.end))?.end;
    let words = &unit.expanded.text[declarator.clone()];
    let name = words.rsplit(|c: char| !(c.is_alphanumeric() || c == '_')).find(|word| !word.is_empty())?;
    Some(Initial { variable: name.to_owned(), value: unit.expanded.source(value)?, end })
}

/// An expression for the iterations of the innermost loop of a nest, as far as they can be known before it begins.
fn trips(statement: usize, selection: &Selection, unit: &Unit) -> Option<String> {
    let (mut factors, mut evaluated) = (Vec::new(), Places::new());
    let mut next = Some(statement);
    let written = written_within(statement, selection, unit);
    while let Some(at) = next {
        let Kind::Loop { trips: Some(trips) } = &unit.statements[at].kind else { break };
        // An inner bound that the program does not reach could fail: by a null pointer, or a divisor of zero.
        let can_fail = !factors.is_empty() && !trips.bounds.critical.is_subset(&evaluated);
        if can_fail || !is_known(at, trips, &written, selection, unit) {
            break;
        }
        evaluated.extend(&trips.bounds.critical);
        factors.push(words(trips, unit));
        next = only_loop(at, unit);
    }
    (!factors.is_empty()).then(|| factors.join(" * "))
}

/// Everything that a statement writes, with the functions that it calls, but for the counters of its own loops.
fn written_within(statement: usize, selection: &Selection, unit: &Unit) -> Places {
    let mut written = Places::new();
    for at in unit.within(statement) {
        let facts = &unit.statements[at].facts;
        written.extend(facts.writes.iter().map(|&place| unit.memory.class(place)));
        for function in callees(facts, unit) {
            written.extend(&selection.slice.summaries[function].writes);
        }
    }
    written
}

/// This says whether the bounds are those of the program, and the same all the time.
fn is_known(at: usize, trips: &Trips, written: &Places, selection: &Selection, unit: &Unit) -> bool {
    let summaries = &selection.slice.summaries;
    let calls_only_compute = trips.bounds.calls.iter().all(|&function| {
        let summary = &summaries[function];
        summary.stays.is_none() && summary.writes.is_empty() && !summary.prints
    });
    let of_calls = trips.bounds.calls.iter().flat_map(|&function| &summaries[function].reads).copied();
    let reads: Places =
        trips.bounds.reads.iter().map(|&place| unit.memory.class(place)).chain(of_calls).collect();
    let counter = unit.memory.class(trips.counter);
    let changes_counter = unit.within(at).iter().skip(1).any(|&inner| {
        unit.statements[inner].facts.writes.iter().any(|&place| unit.memory.class(place) == counter)
    });
    !trips.bounds.has_effects
        && calls_only_compute
        && !changes_counter
        && reads.iter().all(|class| !selection.wrong.contains(class) && !written.contains(class))
}

/// The only loop in the body of a loop, if nothing but blocks is around it.
fn only_loop(at: usize, unit: &Unit) -> Option<usize> {
    let mut found = None;
    let mut open = unit.statements[at].children.clone();
    while let Some(child) = open.pop() {
        let statement = &unit.statements[child];
        match statement.kind {
            Kind::Loop { .. } if found.is_some() => return None,
            Kind::Loop { .. } => found = Some(child),
            Kind::Block => open.extend(&statement.children),
            _ => {
                let is_loop = |&inner: &usize| matches!(unit.statements[inner].kind, Kind::Loop { .. });
                if unit.within(child).iter().any(is_loop) {
                    return None;
                }
            }
        }
    }
    found
}

fn words(trips: &Trips, unit: &Unit) -> String {
    let part = |range: &Range<usize>| match unit.expanded.source(range) {
        Some(source) => unit.expanded.file[source].to_owned(),
        None => unit.expanded.text[range.clone()].trim().to_owned(),
    };
    let step = trips.step.as_ref().map_or_else(|| "1".to_owned(), part);
    let (mut first, mut end) = (part(&trips.first), part(&trips.end));
    if trips.is_down {
        std::mem::swap(&mut first, &mut end);
    }
    let closed = if trips.is_closed { " + 1.0" } else { "" };
    format!("weir_trips({first}, {end}{closed}, {step})")
}
