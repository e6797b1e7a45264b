//! `weir bound`

use crate::arguments::BoundArgs;
use crate::load;
use crate::say::print_as;
use crate::status::OrRefused;
use crate::text::{plain, seconds, table, without_units};
use serde_json::{Value, json};
use std::process::ExitCode;
use std::time::{Duration, Instant};
use weir_analysis::{Bound, BoundKind, Bounds, ClosedForm, bounds};
use weir_experiment::Units;

/// Between two lines that say how far it is.
const REPORT_EVERY: Duration = Duration::from_secs(5);

pub(crate) fn bound(args: BoundArgs) -> anyhow::Result<ExitCode> {
    let scenario = load::scenario(&load::source(args.experiment, args.sets.overrides()))?;
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
