//! `weir advise mapping`

use crate::arguments::PlacingArgs;
use crate::load;
use crate::status::{INPUT, interrupted};
use crate::text::{aligned, plain};
use anyhow::Context;
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;
use weir_network::Outcome;
use weir_scenario::{Judged, Placing, PlacingError, PlacingRequest, Scenario, Source};
use weir_units::Time;

/// What the packet engine says of both.
struct Confirmed {
    given: Time,
    advised: Time,
}

/// On which node each rank should be.
pub(super) fn placing(args: &PlacingArgs) -> anyhow::Result<ExitCode> {
    let source = load::source(args.experiment.clone(), args.set.clone());
    let Some(scenario) = load::scenario(&source) else { return Ok(ExitCode::from(INPUT)) };
    if !load::spares(&[source.files(), scenario.files()].concat(), args.out.as_deref()) {
        return Ok(ExitCode::from(INPUT));
    }
    let request = PlacingRequest { runs: args.runs.get(), seed: args.seed };
    let mut shown = None;
    let mut show = |run: usize, best: Time| {
        if !args.quiet && shown != Some(best) {
            eprintln!("run {run} of {}: {best}", args.runs);
            shown = Some(best);
        }
    };
    let placing = match scenario.advise_placing(request, &mut show) {
        Ok(placing) => placing,
        Err(PlacingError::Interrupted) => return Ok(interrupted().unwrap_or(ExitCode::from(1))),
        Err(error) => {
            eprintln!("error: {error}");
            return Ok(ExitCode::from(INPUT));
        }
    };
    if let Some(out) = &args.out {
        std::fs::write(out, mapping_file(&scenario, &placing)).with_context(|| out.display().to_string())?;
    }
    let confirmed = match &args.out {
        Some(out) if args.confirm => match confirm(&source, out) {
            Ok(confirmed) => Some(confirmed),
            Err(what) => {
                eprintln!("error: not confirmed on packets: {what}");
                return Ok(ExitCode::from(INPUT));
            }
        },
        _ => None,
    };
    let text = if args.json {
        format!("{}\n", to_json(&scenario.title, &placing, confirmed.as_ref()))
    } else {
        to_text(&scenario, &placing, confirmed.as_ref(), args.out.as_deref())
    };
    std::io::stdout().write_all(text.as_bytes()).context("standard output")?;
    Ok(ExitCode::SUCCESS)
}

/// By how many per cent a time is less than another.
fn saved(from: Time, to: Time) -> f64 {
    100.0 * (1.0 - to.as_secs_f64() / from.as_secs_f64().max(f64::MIN_POSITIVE))
}

fn to_text(
    scenario: &Scenario,
    placing: &Placing,
    confirmed: Option<&Confirmed>,
    out: Option<&Path>,
) -> String {
    let Placing { given, best, how, runs, .. } = placing;
    let mut text = format!("  {}: where ranks are best placed\n\n", plain(&scenario.title));
    let row = |name: &str, judged: &Judged, saved: f64| {
        let hop_bytes = format!("{:.3e}", judged.hop_bytes as f64);
        [name.to_owned(), judged.time.to_string(), hop_bytes, format!("{saved:.1} %")].to_vec()
    };
    let head = ["", "simulated time", "bytes x links", "saved"].map(str::to_owned).to_vec();
    let mut rows = vec![head, row("given", given, 0.0), row("advised", best, saved(given.time, best.time))];
    if let Some(Confirmed { given, advised }) = confirmed {
        let row = |name: &str, time: &Time, saved: f64| {
            [name.to_owned(), time.to_string(), String::new(), format!("{saved:.1} %")].to_vec()
        };
        rows.push(row("given, on packets", given, 0.0));
        rows.push(row("advised, on packets", advised, saved(*given, *advised)));
    }
    text += &aligned(&rows);
    let moved = (0..).zip(scenario.placement().nodes()).filter(|(rank, node)| placing.nodes[*rank] != **node);
    let _ = write!(
        text,
        "\n  {runs} runs; the best: {how}; {} of {} ranks moved\n",
        moved.count(),
        placing.nodes.len()
    );
    if best.time >= given.time {
        text += "  nothing faster than what was given was found\n";
    }
    if let Some(Confirmed { given, advised }) = confirmed
        && advised > given
    {
        text += "  warning: on packets the advice is slower than what was given\n";
    }
    if let Some(out) = out {
        let out = crate::sweep::shell_word(&out.display().to_string());
        let _ = writeln!(text, "  use it: --set mapping.kind=file --set mapping.file={out}");
    }
    text
}

fn to_json(title: &str, placing: &Placing, confirmed: Option<&Confirmed>) -> Value {
    let judged = |judged: &Judged| {
        json!({
            "simulated_ps": judged.time.as_ps(),
            "hop_bytes": judged.hop_bytes as f64,
            "digest": judged.digest.to_string(),
        })
    };
    let mut object = json!({
        "schema_version": 1,
        "title": title,
        "given": judged(&placing.given),
        "advised": judged(&placing.best),
        "saved_percent": saved(placing.given.time, placing.best.time),
        "how": placing.how,
        "runs": placing.runs,
        "nodes": placing.nodes.iter().map(|node| node.index()).collect::<Vec<_>>(),
    });
    if let Some(Confirmed { given, advised }) = confirmed {
        object["packets"] = json!({ "given_ps": given.as_ps(), "advised_ps": advised.as_ps() });
    }
    object
}

/// The file that `mapping.file` names.
fn mapping_file(scenario: &Scenario, placing: &Placing) -> String {
    let mut text = format!(
        "# Where weir advise mapping places the ranks of {}: {}, instead of {} as given\n# rank node\n",
        plain(&scenario.title).replace('\n', " "),
        placing.best.time,
        placing.given.time
    );
    for (rank, node) in placing.nodes.iter().enumerate() {
        let _ = writeln!(text, "{rank} {}", node.index());
    }
    text
}

/// Runs both on packets.
fn confirm(source: &Source, out: &Path) -> Result<Confirmed, String> {
    let time = |more: &[String]| {
        let overrides = [&source.overrides, &["engine.kind=packet".to_owned()][..], more].concat();
        let scenario = Scenario::load(&Source { overrides, ..source.clone() })
            .map_err(|problems| problems.to_string())?;
        let report = scenario.run(&mut |_| ()).map_err(|error| error.to_string())?;
        match report.outcome {
            Outcome::Finished => Ok(report.summary.simulated),
            _ => Err(crate::text::outcome(&report)),
        }
    };
    let file = std::path::absolute(out).map_err(|error| error.to_string())?;
    let advised = ["mapping.kind=file".to_owned(), format!("mapping.file={}", file.display())];
    Ok(Confirmed { given: time(&[])?, advised: time(&advised)? })
}
