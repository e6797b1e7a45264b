//! `weir collectives`, and `weir advise collectives`

use crate::arguments::CollectivesArgs;
use crate::load;
use crate::say::{print, shell_word, write_file};
use crate::status::{interrupted, refused};
use crate::text::aligned;
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::num::NonZeroUsize;
use std::process::ExitCode;
use weir_analysis::contest::{AlgorithmComparison, Cell, ContestError, ContestRequest, repeated};
use weir_experiment::Found;
use weir_picture::{Drawing, Field, HeatMap, Paint};
use weir_units::{Bytes, Duration};

/// The same as [`collectives`], and prints the rows of `[[selection]]`, unless a file is named for them.
pub(crate) fn advise(args: &CollectivesArgs) -> anyhow::Result<ExitCode> {
    run(args, args.selection.is_none() && !args.csv && !args.shown.json)
}

pub(crate) fn collectives(args: &CollectivesArgs) -> anyhow::Result<ExitCode> {
    run(args, false)
}

fn run(args: &CollectivesArgs, shows_selection: bool) -> anyhow::Result<ExitCode> {
    let outputs = [args.out.as_deref(), args.selection.as_deref()];
    load::spares(std::slice::from_ref(&args.machine), outputs.into_iter().flatten())?;
    let request = ContestRequest {
        machine: args.machine.clone(),
        sets: args.sets.overrides(),
        operations: args.operation.clone(),
        algorithms: args.algorithms.clone(),
        sizes: args.sizes.clone(),
        ranks: args.ranks.iter().copied().map(NonZeroUsize::get).collect(),
        threads: args.threads,
    };
    let show = |done: usize, all: usize| {
        if !args.shown.quiet && (done == all || done.is_multiple_of(all.div_ceil(10))) {
            eprintln!("{done} of {all} runs");
        }
    };
    let contest = match AlgorithmComparison::run(&request, &show) {
        Ok(contest) => contest,
        Err(ContestError::Input(problems)) => return Err(refused(problems)),
        Err(ContestError::Interrupted) => {
            eprintln!("interrupted: nothing is written");
            return Ok(interrupted().unwrap_or(ExitCode::from(1)));
        }
    };
    let mut text = match (args.csv, args.shown.json) {
        (true, _) => to_csv(&contest),
        (_, true) => format!("{}\n", to_json(&contest)),
        _ => to_text(&contest, &request, args.all, args.verbose),
    };
    if shows_selection {
        text += &format!(
            "\n# For the machine file: the best algorithm everywhere\n{}",
            selection(&contest, args)
        );
    }
    print(&text)?;
    if let Some(path) = &args.out {
        let drawing = picture(&contest);
        let is_page = path.extension().is_some_and(|extension| extension == "html");
        write_file(path, if is_page { drawing.to_page("Collectives") } else { drawing.to_string() })?;
    }
    if let Some(path) = &args.selection {
        write_file(path, selection(&contest, args))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The rows that take the best everywhere, for the end of the machine file: below the preset whose names they have, unless the file has a
/// table of that name already.
fn selection(contest: &AlgorithmComparison, args: &CollectivesArgs) -> String {
    let machine = Found::of(&args.machine).read().unwrap_or_default();
    let has_table = String::from_utf8_lossy(&machine)
        .lines()
        .any(|line| line.trim_start_matches('[').starts_with("collectives"));
    let preset = format!("[collectives]\npreset = \"{}\"\n", contest.preset.name());
    (if has_table { String::new() } else { preset }) + &contest.selection()
}

/// Bytes with binary prefixes where these are exact.
fn size(Bytes(bytes): Bytes) -> String {
    weir_picture::bytes(bytes)
}

/// Difference between two times, in percent of the second.
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
fn operations(contest: &AlgorithmComparison) -> Vec<&'static str> {
    let of_cells = contest.cells.iter().map(|cell| cell.operation);
    let mut operations: Vec<&'static str> = Vec::new();
    for operation in of_cells.chain(contest.left_out.iter().map(|(known, ..)| *known)) {
        if !operations.contains(&operation) {
            operations.push(operation);
        }
    }
    operations
}

/// Rows and columns of a collective.
fn axes(contest: &AlgorithmComparison, operation: &str) -> (Vec<Bytes>, Vec<usize>) {
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

fn cell<'a>(contest: &'a AlgorithmComparison, name: &str, bytes: Bytes, ranks: usize) -> Option<&'a Cell> {
    contest.cells.iter().find(|cell| (cell.operation, cell.bytes, cell.ranks) == (name, bytes, ranks))
}

/// A table for each collective, what cannot be run, and if asked for all times and how to repeat the best.
fn to_text(contest: &AlgorithmComparison, request: &ContestRequest, all: bool, verbose: bool) -> String {
    let mut text = String::new();
    for operation in operations(contest) {
        let (sizes, ranks) = axes(contest, operation);
        let preset = contest.preset.name();
        _ = writeln!(text, "{operation}: best algorithm, next best, and auto ({preset})");
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
            _ = writeln!(text, "  -: ranks cannot have equal parts of so many bytes; --sizes has others");
        }
        skipped(&mut text, contest, operation);
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
    let name = cell.auto_is.first().map_or_else(|| ", none of these".to_owned(), |name| format!(", {name}"));
    match (&cell.auto, cell.best()) {
        (Ok(time), Some((_, best))) => format!("  {} auto{name}", more(*time, best)),
        (Ok(time), None) => format!("  auto{name} {time}"),
        (Err(why), _) => format!("  auto: {why}"),
    }
}

/// Needs of the algorithms that follow a grid, in the same words for all numbers of ranks.
const NO_GRID: &str = "it needs a rank on each place of a torus, or collectives.grid";

/// Algorithms that cannot be run, each reason once with the numbers of ranks.
fn skipped(text: &mut String, contest: &AlgorithmComparison, operation: &str) {
    let mut reasons: Vec<(&str, &str, Vec<usize>)> = Vec::new();
    for cell in contest.cells.iter().filter(|cell| cell.operation == operation) {
        for (name, time) in &cell.times {
            let Err(why) = time else { continue };
            let why = if why.starts_with("collectives.grid: is missing") { NO_GRID } else { why.as_str() };
            match reasons.iter_mut().find(|(known, reason, _)| known == name && *reason == why) {
                Some((_, _, ranks)) if ranks.contains(&cell.ranks) => (),
                Some((_, _, ranks)) => ranks.push(cell.ranks),
                None => reasons.push((name, why, vec![cell.ranks])),
            }
        }
    }
    for (name, why, ranks) in reasons {
        let ranks: Vec<String> = ranks.iter().map(usize::to_string).collect();
        _ = writeln!(text, "  {name} was skipped for {} ranks: {why}", ranks.join(", "));
    }
}

fn every_time(text: &mut String, contest: &AlgorithmComparison, operation: &str) {
    for cell in contest.cells.iter().filter(|cell| cell.operation == operation) {
        _ = writeln!(text, "  {} among {} ranks", size(cell.bytes), cell.ranks);
        let ranked = cell.ranked();
        let best = ranked.first().map_or(Duration::ZERO, |(_, time)| *time);
        let row =
            |(name, time): &(&str, Duration)| vec![format!("  {name}"), time.to_string(), more(*time, best)];
        let auto = cell.auto.as_ref().ok().map(|time| row(&("auto", *time)));
        text.push_str(&aligned(&ranked.iter().map(row).chain(auto).collect::<Vec<_>>()));
    }
}

fn repeats(text: &mut String, contest: &AlgorithmComparison, request: &ContestRequest, operation: &str) {
    for cell in contest.cells.iter().filter(|cell| cell.operation == operation) {
        let Some((name, _)) = cell.best() else { continue };
        let (experiment, arguments) = repeated(request, cell, Some(name));
        let words: Vec<String> = arguments.iter().map(|word| shell_word(word)).collect();
        let experiment = experiment.replace('\n', "\\n");
        _ = writeln!(text, "  {} among {} ranks, {name}:", size(cell.bytes), cell.ranks);
        _ = writeln!(text, "    printf '{experiment}' > one.toml; weir run one.toml {}", words.join(" "));
    }
}

fn to_csv(contest: &AlgorithmComparison) -> String {
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
            _ = writeln!(text, "{operation},{bytes},{ranks},{name},{ps},{slower},{is_best},{is_auto},{why}");
        }
    }
    text
}

fn factor(time: Duration, best: Duration) -> f64 {
    if best == Duration::ZERO { 1.0 } else { time.as_ps() as f64 / best.as_ps() as f64 }
}

fn to_json(contest: &AlgorithmComparison) -> Value {
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

/// A map for each collective, one below the other: sizes to the right, ranks upwards, each field in the color of the best
/// algorithm, with how much slower `auto` is.
fn picture(contest: &AlgorithmComparison) -> Drawing {
    Drawing::stacked(operations(contest).iter().map(|operation| map(contest, operation).draw()).collect())
}

fn map(contest: &AlgorithmComparison, operation: &str) -> HeatMap {
    let (sizes, mut ranks) = axes(contest, operation);
    ranks.reverse();
    // The algorithms that are best somewhere.
    let mut names: Vec<&str> = Vec::new();
    for cell in contest.cells.iter().filter(|cell| cell.operation == operation) {
        names.extend(cell.best().map(|(name, _)| name).filter(|name| !names.contains(name)));
    }
    let places = (0..ranks.len()).flat_map(|row| (0..sizes.len()).map(move |column| (row, column)));
    let field = |place: (usize, usize)| {
        field(cell(contest, operation, sizes[place.1], ranks[place.0])?, &names, place)
    };
    HeatMap {
        title: operation.to_owned(),
        below: "in a field: how much longer auto takes".to_owned(),
        fields: places.filter_map(field).collect(),
        columns: sizes.iter().copied().map(size).collect(),
        rows: ranks.iter().map(|count| format!("{count} ranks")).collect(),
        legend: names.into_iter().map(str::to_owned).collect(),
    }
}

/// A field, with all times in its title.
fn field(cell: &Cell, names: &[&str], (row, column): (usize, usize)) -> Option<Field> {
    let ranked = cell.ranked();
    let &(best, time) = ranked.first()?;
    let times: Vec<String> = ranked.iter().map(|(name, time)| format!("{name} {time}")).collect();
    let percent = |auto: f64| 100.0 * (auto / (time.as_ps() as f64).max(1.0) - 1.0);
    let auto = cell.auto.as_ref().map(|auto| format!("+{:.0} %", percent(auto.as_ps() as f64)));
    Some(Field {
        column,
        row,
        paint: Paint::Color(names.iter().position(|name| *name == best).unwrap_or(0)),
        text: auto.unwrap_or_default(),
        title: format!("{}, {} ranks: {}", size(cell.bytes), cell.ranks, times.join(", ")),
    })
}
