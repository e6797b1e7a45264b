//! `weir bound`

use crate::arguments::BoundArgs;
use crate::load;
use crate::say::print_as;
use crate::status::{OrRefused, refused};
use crate::text::{facts, plain, seconds, table, without_units};
use serde_json::{Value, json};
use std::process::ExitCode;
use std::time::{Duration, Instant};
use weir_analysis::{
    Bound, BoundKind, Bounds, ClosedForm, PatternError, Worst, WorstSearch, bounds, worst_permutation,
};
use weir_experiment::Units;

/// Between two lines that say how far it is.
const REPORT_EVERY: Duration = Duration::from_secs(5);

pub(crate) fn bound(args: BoundArgs) -> anyhow::Result<ExitCode> {
    if args.worst {
        return worst(args);
    }
    let scenario = load::scenario(&load::source(args.experiment, args.sets.overrides()))?;
    scenario.machine().into_iter().for_each(load::note_rule);
    let mut last = Instant::now();
    let mut watch = |done: u64, of: u64| {
        if last.elapsed() >= REPORT_EVERY {
            last = Instant::now();
            eprintln!("{done} of {of} messages looked at");
        }
    };
    let bounds = bounds(&scenario, &mut watch).or_refused()?;
    let text = || to_text(&scenario.title, &bounds, scenario.units);
    print_as(args.json, || to_json(&scenario.title, &bounds), text)
}

/// The permutation of which a machine carries least.
fn worst(args: BoundArgs) -> anyhow::Result<ExitCode> {
    let source = load::source(args.experiment, args.sets.overrides());
    let machine = load::machine(&source)?;
    load::note_rule(&machine.topology());
    load::spares(&[source.files(), machine.files()].concat(), args.out.as_deref())?;
    let found = worst_permutation(&machine, args.seed).or_refused()?;
    if let Some(path) = &args.out {
        match found.write(&format!("{}, worst permutation", machine.title), path) {
            Ok(_) => eprintln!("written: {}", path.display()),
            Err(error @ PatternError::Write(_)) => return Err(error.into()),
            Err(error) => return Err(refused(error)),
        }
    }
    print_as(
        args.json,
        || worst_to_json(&machine.title, &found, args.seed),
        || worst_to_text(&machine.title, &found, args.seed),
    )
}

fn worst_to_text(title: &str, found: &Worst, seed: u64) -> String {
    let (nodes, messages) = (found.to.len(), found.messages);
    let search = match found.search {
        WorstSearch::Exact => "exact: with these routes no permutation loads a link more".to_owned(),
        WorstSearch::Drawn { each } => format!(
            "{each} of {} pairs of each node, seed {seed}: there may be worse permutations",
            nodes - 1
        ),
    };
    let rows = [
        ("machine", format!("{} ({nodes} nodes)", plain(title))),
        ("busiest link", found.at.clone()),
        ("  its capacity", found.capacity.to_string()),
        ("  its messages", format!("those of {messages} nodes, each to another one")),
        (
            "throughput",
            format!("{} of each of these nodes, {:.4} of what it can send", found.throughput, found.part),
        ),
        ("search", search),
    ];
    facts(rows)
}

fn worst_to_json(title: &str, found: &Worst, seed: u64) -> Value {
    json!({
        "schema_version": 1,
        "title": title,
        "nodes": found.to.len(),
        "busiest_link": found.at,
        "capacity_bytes_per_s": found.capacity.bytes_per_second(),
        "messages_on_link": found.messages,
        "throughput_bytes_per_s": found.throughput.bytes_per_second(),
        "throughput_part": found.part,
        "exact": found.search == WorstSearch::Exact,
        "seed": match found.search { WorstSearch::Exact => None, WorstSearch::Drawn { .. } => Some(seed) },
        "permutation": found.to.iter().map(|to| to.map(|node| node.0)).collect::<Vec<_>>(),
    })
}

fn what(kind: BoundKind) -> &'static str {
    match kind {
        BoundKind::Injection => "sent by one node",
        BoundKind::Ejection => "received by one node",
        BoundKind::Cut => "across a cut",
        BoundKind::Link => "over one link *",
        BoundKind::Message => "one message alone *",
    }
}

fn to_text(title: &str, bounds: &Bounds, units: Units) -> String {
    let shown = |text: String| if units == Units::Unitless { without_units(&text) } else { text };
    let title = plain(title);
    let mut text = format!("  {title}: {} messages\n\n", bounds.messages);
    let rows = bounds.bounds.iter().map(|bound| {
        let latency = match bound.kind {
            BoundKind::Message => format!("{}, latency {}", bound.at, bound.latency),
            _ => bound.at.clone(),
        };
        let cells = [
            what(bound.kind).to_owned(),
            bound.time.to_string(),
            bound.bytes.to_string(),
            bound.capacity.to_string(),
            latency,
        ];
        cells.map(shown)
    });
    let depend_on_routes = bounds.bounds.iter().any(|bound| !bound.kind.holds_for_any_routes());
    if bounds.bounds.is_empty() {
        text += "  no message leaves its node: nothing bounds the time of a run\n";
    } else {
        text += &table(["bound", "time", "bytes", "at", "where"], rows);
        text += if depend_on_routes { "  * with the routes of this machine\n" } else { "" };
    }
    for form in &bounds.closed_forms {
        text += &format!("\n  {} ({}): {}\n", form.formula, form.source, shown(form.time.to_string()));
        if let Some(why) = form.not_a_bound {
            text += &format!("    {why}\n");
        }
    }
    for note in &bounds.notes {
        text += &format!("\n  note: {note}\n");
    }
    let run = if bounds.hold { "run" } else { "run on an engine with links" };
    if let Some(any) = bounds.best_for_any_routes() {
        text += &format!(
            "\n  with this mapping and whatever routes no {run} can be faster than {}\n",
            shown(any.time.to_string())
        );
    }
    if let Some(best) = bounds.best().filter(|_| depend_on_routes) {
        text += &format!(
            "  with these routes and this mapping no {run} can be faster than {}\n",
            shown(best.time.to_string())
        );
    }
    text
}

fn to_json(title: &str, bounds: &Bounds) -> Value {
    let bound = |bound: &Bound| {
        json!({
            "kind": bound.kind.name(),
            "time_s": seconds(bound.time),
            "time_ps": bound.time.as_ps(),
            "bytes": bound.bytes.0,
            "capacity_bytes_per_s": bound.capacity.bytes_per_second(),
            "latency_s": seconds(bound.latency),
            "at": bound.at,
            "any_routes": bound.kind.holds_for_any_routes(),
        })
    };
    let form = |form: &ClosedForm| {
        json!({
            "formula": form.formula,
            "source": form.source,
            "time_s": seconds(form.time),
            "time_ps": form.time.as_ps(),
            "not_a_bound": form.not_a_bound,
        })
    };
    let best = bounds.best();
    json!({
        "schema_version": 1,
        "title": title,
        "messages": bounds.messages,
        "counted_messages": bounds.counted,
        "bounds": bounds.bounds.iter().map(bound).collect::<Vec<_>>(),
        "closed_forms": bounds.closed_forms.iter().map(form).collect::<Vec<_>>(),
        "notes": bounds.notes,
        "hold": bounds.hold,
        "best": best.map(|best| best.kind.name()),
        "best_s": best.map(|best| seconds(best.time)),
        "best_ps": best.map(|best| best.time.as_ps()),
        "best_any_routes_ps": bounds.best_for_any_routes().map(|best| best.time.as_ps()),
    })
}
