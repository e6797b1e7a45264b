//! `weir advise mapping`: of an MPI program a profile is placed, which can be run as often as advice takes.

use crate::arguments::PlacingArgs;
use crate::load::{logged, source_of};
use crate::say::{print_as, shell_word, write_file};
use crate::status::{OrRefused, interrupted, refused};
use crate::text::{plain, table};
use crate::{load, text};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::path::Path;
use std::process::ExitCode;
use weir_analysis::{Placing, PlacingRequest, RatedPlacement, advise_placing};
use weir_experiment::{AnalysisError, Scenario};
use weir_network::Outcome;
use weir_run::{Printed, run_isolated};
use weir_units::Time;

/// Times of both on the packet engine.
struct Confirmed {
    given: Time,
    advised: Time,
}

pub(super) fn placing(args: &PlacingArgs) -> anyhow::Result<ExitCode> {
    let source = load::source(args.experiment.clone(), args.sets.overrides());
    let scenario = load::scenario(&source)?;
    load::spares(&[source.files(), scenario.files()].concat(), args.out.as_deref())?;
    let (scenario, program) = if scenario.workload.kind.is_program() {
        let (source, folder) = logged(&scenario)?;
        (load::scenario(&source)?, Some((scenario, folder)))
    } else {
        (scenario, None)
    };
    let request = PlacingRequest { runs: args.runs.get(), seed: args.seed };
    let mut shown = None;
    let mut show = |run: usize, best: Time| {
        if !args.shown.quiet && shown != Some(best) {
            eprintln!("run {run} of {}: {best}", args.runs);
            shown = Some(best);
        }
    };
    let mut placing = match advise_placing(&scenario, request, &mut show) {
        Ok(placing) => placing,
        Err(AnalysisError::Interrupted) => return Ok(interrupted().unwrap_or(ExitCode::from(1))),
        Err(error) => return Err(refused(error)),
    };
    if let Some((program, folder)) = &program {
        let wrong = |what| format!("the program does not come to its end where it is placed: {what}");
        judge_program(program, folder.path(), &mut placing).map_err(wrong).or_refused()?;
    }
    if let Some(out) = &args.out {
        write_file(out, mapping_file(&scenario, &placing))?;
    }
    let confirmed = match &args.out {
        Some(out) if args.confirm => {
            let wrong = |what| format!("not confirmed on packets: {what}");
            Some(confirm(&scenario, out).map_err(wrong).or_refused()?)
        }
        _ => None,
    };
    let used = args.out.as_ref().map(|out| shell_word(&out.display().to_string()));
    let used = used.map(|out| format!("  use it: --set mapping.kind=file --set mapping.file={out}\n"));
    let text = || to_text(&scenario, &placing, confirmed.as_ref()) + &used.unwrap_or_default();
    print_as(args.shown.json, || to_json(&scenario.title, &placing, confirmed.as_ref()), text)
}

/// By how many per cent a time is less than another.
fn saved(from: Time, to: Time) -> f64 {
    100.0 * (1.0 - to.as_secs_f64() / from.as_secs_f64().max(f64::MIN_POSITIVE))
}

fn to_text(scenario: &Scenario, placing: &Placing, confirmed: Option<&Confirmed>) -> String {
    let Placing { given, best, how, runs, .. } = placing;
    let mut text = format!("  {}: where ranks are best placed\n\n", plain(&scenario.title));
    let row = |name: &str, time: Time, hop_bytes: Option<u128>, saved: f64| {
        let hop_bytes = hop_bytes.map_or(String::new(), |bytes| format!("{:.3e}", bytes as f64));
        [name.to_owned(), time.to_string(), hop_bytes, format!("{saved:.1} %")]
    };
    let mut rows = vec![
        row("given", given.time, Some(given.hop_bytes), 0.0),
        row("advised", best.time, Some(best.hop_bytes), saved(given.time, best.time)),
    ];
    if let Some(Confirmed { given, advised }) = confirmed {
        rows.push(row("given, on packets", *given, None, 0.0));
        rows.push(row("advised, on packets", *advised, None, saved(*given, *advised)));
    }
    text += &table(["", "simulated time", "bytes x links", "saved"], rows);
    let moved = (0..).zip(scenario.placement().nodes()).filter(|(rank, node)| placing.nodes[*rank] != **node);
    let (moved, ranks) = (moved.count(), placing.nodes.len());
    text += &format!("\n  {runs} runs; the best: {how}; {moved} of {ranks} ranks moved\n");
    if best.time >= given.time {
        text += "  nothing faster than what was given was found\n";
    }
    if let Some(Confirmed { given, advised }) = confirmed
        && advised > given
    {
        text += "  warning: on packets the advice is slower than what was given\n";
    }
    text
}

fn to_json(title: &str, placing: &Placing, confirmed: Option<&Confirmed>) -> Value {
    let judged = |judged: &RatedPlacement| {
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

fn mapping_file(scenario: &Scenario, placing: &Placing) -> String {
    let (title, given) = (plain(&scenario.title).replace('\n', " "), placing.given.time);
    let best = placing.best.time;
    let mut text = format!("# Where weir advise mapping places the ranks of {title}: {best}, ");
    text += &format!("instead of {given} as given\n# rank node\n");
    for (rank, node) in placing.nodes.iter().enumerate() {
        let _ = writeln!(text, "{rank} {}", node.index());
    }
    text
}

/// Takes the time of the program itself in its new place for that of what was logged of it: one that goes on with whatever comes first does
/// other things there. What is then slower than what was given is no advice.
fn judge_program(program: &Scenario, folder: &Path, placing: &mut Placing) -> Result<(), String> {
    if placing.best == placing.given {
        return Ok(());
    }
    let file = folder.join("mapping");
    std::fs::write(&file, mapping_file(program, placing)).map_err(|error| error.to_string())?;
    placing.best.time = simulated(&placed(program.resolved(), &file))?;
    placing.runs += 1;
    if placing.best.time >= placing.given.time {
        (placing.best, placing.how) = (placing.given, "as given");
        placing.nodes = program.placement().nodes().to_vec();
    }
    Ok(())
}

/// An experiment with its ranks where a mapping file places them.
fn placed(mut experiment: Value, file: &Path) -> Value {
    let per_node = experiment["mapping"]["ranks_per_node"].take();
    experiment["mapping"] = json!({ "kind": "file", "file": file });
    if !per_node.is_null() {
        experiment["mapping"]["ranks_per_node"] = per_node;
    }
    experiment
}

fn simulated(experiment: &Value) -> Result<Time, String> {
    let scenario = Scenario::load(&source_of(experiment)).map_err(|problems| problems.to_string())?;
    let run = run_isolated(scenario, Printed::Kept).0.map_err(|error| error.to_string())?;
    match run.outcome {
        Outcome::Finished => Ok(run.simulated),
        _ => Err(text::outcome(&run)),
    }
}

/// Runs both on packets: all else that holds is kept, keys of another engine are not.
fn confirm(scenario: &Scenario, out: &Path) -> Result<Confirmed, String> {
    let mut experiment = scenario.resolved();
    if experiment["engine"]["kind"] != "packet" {
        experiment["engine"] = json!({ "kind": "packet" });
    }
    let file = std::path::absolute(out).map_err(|error| error.to_string())?;
    Ok(Confirmed { given: simulated(&experiment)?, advised: simulated(&placed(experiment, &file))? })
}
