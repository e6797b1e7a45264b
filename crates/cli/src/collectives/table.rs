//! Results of a contest of algorithms, as text, CSV and JSON.

use crate::text::aligned;
use serde_json::{Value, json};
use std::fmt::Write;
use weir_scenario::contest::{Cell, Contest, ContestRequest, repeated};
use weir_units::{Bytes, Duration};

/// Bytes with binary prefixes where these are exact.
pub(super) fn size(Bytes(bytes): Bytes) -> String {
    weir_picture::bytes(bytes)
}

/// The percentage by which one takes longer than the other.
fn more(time: Duration, than: Duration) -> String {
    match than.as_ps() {
        0 => "+0 %".to_owned(),
        _ => {
            let percent = 100.0 * (time.as_ps() as f64 / than.as_ps() as f64 - 1.0);
            if percent < 9.95 { format!("+{percent:.1} %") } else { format!("+{percent:.0} %") }
        }
    }
}

/// The collectives that there are cells of, in their order.
pub(super) fn operations(contest: &Contest) -> Vec<&'static str> {
    let of_cells = contest.cells.iter().map(|cell| cell.operation);
    let all: Vec<&'static str> = of_cells.chain(contest.left_out.iter().map(|(known, ..)| *known)).collect();
    let mut operations: Vec<&'static str> = Vec::new();
    for operation in all {
        if !operations.contains(&operation) {
            operations.push(operation);
        }
    }
    operations
}

/// Rows and columns of a collective.
pub(super) fn axes(contest: &Contest, operation: &str) -> (Vec<Bytes>, Vec<usize>) {
    let left_out = contest.left_out.iter().copied();
    let all = contest.cells.iter().map(|cell| (cell.operation, cell.bytes, cell.ranks)).chain(left_out);
    let (mut sizes, mut ranks): (Vec<Bytes>, Vec<usize>) =
        all.filter(|(known, ..)| *known == operation).map(|(_, bytes, ranks)| (bytes, ranks)).unzip();
    sizes.sort_unstable();
    sizes.dedup();
    ranks.sort_unstable();
    ranks.dedup();
    (sizes, ranks)
}

pub(super) fn cell<'a>(
    contest: &'a Contest,
    operation: &str,
    bytes: Bytes,
    ranks: usize,
) -> Option<&'a Cell> {
    contest.cells.iter().find(|cell| (cell.operation, cell.bytes, cell.ranks) == (operation, bytes, ranks))
}

/// A table for each collective, what cannot be run, and if asked for all times and how to repeat the best.
pub(super) fn to_text(contest: &Contest, request: &ContestRequest, all: bool, verbose: bool) -> String {
    let mut text = String::new();
    for operation in operations(contest) {
        let (sizes, ranks) = axes(contest, operation);
        let preset = contest.preset.name();
        put(&mut text, format_args!("{operation}: best algorithm, next best, and auto ({preset})"));
        let head = ranks.iter().map(|count| format!("{count} ranks"));
        let mut rows: Vec<Vec<String>> = vec![std::iter::once("size".to_owned()).chain(head).collect()];
        for bytes in sizes {
            let cells: Vec<Option<&Cell>> =
                ranks.iter().map(|&ranks| cell(contest, operation, bytes, ranks)).collect();
            for (line, of_line) in [best_of, next_of, auto_of].into_iter().enumerate() {
                let name = if line == 0 { size(bytes) } else { String::new() };
                let cells = cells.iter().map(|cell| cell.map_or_else(|| "-".to_owned(), of_line));
                rows.push(std::iter::once(name).chain(cells).collect());
            }
        }
        text += &aligned(&rows);
        if contest.left_out.iter().any(|(known, ..)| *known == operation) {
            put(
                &mut text,
                format_args!("  -: ranks cannot have equal parts of so many bytes; --sizes has others"),
            );
        }
        refused(&mut text, contest, operation);
        if all {
            every_time(&mut text, contest, operation);
        }
        if verbose {
            repeats(&mut text, contest, request, operation);
        }
        text.push('\n');
    }
    text.pop();
    text
}

fn put(text: &mut String, line: std::fmt::Arguments<'_>) {
    writeln!(text, "{line}").expect("a text takes all");
}

fn best_of(cell: &Cell) -> String {
    cell.best().map_or_else(|| "none can be run".to_owned(), |(name, time)| format!("{name} {time}"))
}

fn next_of(cell: &Cell) -> String {
    match cell.ranked()[..] {
        [(_, best), (name, next), ..] => format!("  {} {name}", more(next, best)),
        _ => "  -".to_owned(),
    }
}

fn auto_of(cell: &Cell) -> String {
    let name = cell.auto_is.first().map(|name| format!(", {name}")).unwrap_or_default();
    match (&cell.auto, cell.best()) {
        (Ok(time), Some((_, best))) => format!("  {} auto{name}", more(*time, best)),
        (Ok(time), None) => format!("  auto{name} {time}"),
        (Err(why), _) => format!("  auto: {why}"),
    }
}

/// Algorithms that cannot be run, each reason once with the numbers of ranks.
fn refused(text: &mut String, contest: &Contest, operation: &str) {
    let mut reasons: Vec<(&str, &str, Vec<usize>)> = Vec::new();
    for cell in contest.cells.iter().filter(|cell| cell.operation == operation) {
        for (name, time) in &cell.times {
            let Err(why) = time else { continue };
            match reasons.iter_mut().find(|(known, reason, _)| known == name && reason == why) {
                Some((_, _, ranks)) if ranks.contains(&cell.ranks) => (),
                Some((_, _, ranks)) => ranks.push(cell.ranks),
                None => reasons.push((name, why, vec![cell.ranks])),
            }
        }
    }
    for (name, why, ranks) in reasons {
        let ranks: Vec<String> = ranks.iter().map(usize::to_string).collect();
        put(text, format_args!("  not {name} with {} ranks: {why}", ranks.join(", ")));
    }
}

fn every_time(text: &mut String, contest: &Contest, operation: &str) {
    for cell in contest.cells.iter().filter(|cell| cell.operation == operation) {
        put(text, format_args!("  {} among {} ranks", size(cell.bytes), cell.ranks));
        let ranked = cell.ranked();
        let best = ranked.first().map_or(Duration::ZERO, |(_, time)| *time);
        let row =
            |(name, time): &(&str, Duration)| vec![format!("  {name}"), time.to_string(), more(*time, best)];
        let auto = cell.auto.as_ref().ok().map(|time| row(&("auto", *time)));
        text.push_str(&aligned(&ranked.iter().map(row).chain(auto).collect::<Vec<_>>()));
    }
}

fn repeats(text: &mut String, contest: &Contest, request: &ContestRequest, operation: &str) {
    for cell in contest.cells.iter().filter(|cell| cell.operation == operation) {
        let Some((name, _)) = cell.best() else { continue };
        let (experiment, arguments) = repeated(request, cell, Some(name));
        let words: Vec<String> = arguments.iter().map(|word| crate::sweep::shell_word(word)).collect();
        let experiment = experiment.replace('\n', "\\n");
        put(text, format_args!("  {} among {} ranks, {name}:", size(cell.bytes), cell.ranks));
        put(
            text,
            format_args!("    printf '{experiment}' > one.toml; weir run one.toml {}", words.join(" ")),
        );
    }
}

/// A line for each time.
pub(super) fn to_csv(contest: &Contest) -> String {
    let mut text = "operation,bytes,ranks,algorithm,time_ps,slower,is_best,is_auto,reason\n".to_owned();
    for cell in &contest.cells {
        let best = cell.best();
        for (name, time) in cell.times.iter().map(|(name, time)| (*name, time)).chain([("auto", &cell.auto)])
        {
            let (ps, slower, why) = match time {
                Ok(time) => {
                    let slower = best.map(|(_, best)| factor(*time, best).to_string()).unwrap_or_default();
                    (time.as_ps().to_string(), slower, String::new())
                }
                Err(why) => (String::new(), String::new(), format!("\"{}\"", why.replace('"', "\"\""))),
            };
            let (is_best, is_auto) =
                (best.is_some_and(|(best, _)| best == name), cell.auto_is.contains(&name));
            let Cell { operation, bytes: Bytes(bytes), ranks, .. } = cell;
            put(
                &mut text,
                format_args!("{operation},{bytes},{ranks},{name},{ps},{slower},{is_best},{is_auto},{why}"),
            );
        }
    }
    text
}

/// Ratio of two times.
fn factor(time: Duration, best: Duration) -> f64 {
    if best == Duration::ZERO { 1.0 } else { time.as_ps() as f64 / best.as_ps() as f64 }
}

/// The same as one object.
pub(super) fn to_json(contest: &Contest) -> Value {
    let time = |time: &Result<Duration, String>| match time {
        Ok(time) => json!({ "time_ps": time.as_ps() }),
        Err(why) => json!({ "reason": why }),
    };
    let cells = contest.cells.iter().map(|cell| {
        let times = cell.times.iter().map(|(name, of)| {
            let mut object = time(of);
            object["algorithm"] = json!(name);
            object
        });
        json!({
            "operation": cell.operation, "bytes": cell.bytes.0, "ranks": cell.ranks,
            "best": cell.best().map(|(name, _)| name), "times": times.collect::<Vec<_>>(),
            "auto": time(&cell.auto), "auto_is": cell.auto_is,
        })
    });
    json!({ "schema_version": 1, "preset": contest.preset.name(), "cells": cells.collect::<Vec<_>>() })
}
