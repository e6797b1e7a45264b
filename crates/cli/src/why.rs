//! `weir explain FOLDER`: why a run took as long as it did, in ten lines.

mod again;

use crate::text::{grouped, plain, short};
use crate::why_text::{of_causes, shares, word};
use anyhow::{Context, Result};
use clap::Args;
use serde_json::{Value, json};
use std::fs;
use std::io::{Write, stdout};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use weir_network::causes::{Cause, Causes};
use weir_units::Duration;

/// The summary of a results folder, if that is what is named.
pub(crate) fn results(name: &str) -> Option<PathBuf> {
    let path = Path::new(name);
    let summary = if path.is_dir() { path.join("summary.json") } else { path.to_owned() };
    let is_summary = summary.file_name().is_some_and(|name| name == "summary.json") && summary.is_file();
    is_summary.then_some(summary)
}

/// What `weir explain` of a results folder says beside where time went.
#[derive(Args, Clone, Copy)]
pub(crate) struct WhatIf {
    /// Of a results folder: run it again with less of each of the causes that take longest, and show what that makes of the time
    #[arg(long)]
    check: bool,
    /// With --check: likewise with each key alone that is behind one of them, and of lists (bandwidths by dimension) each entry
    #[arg(long, requires = "check")]
    keys: bool,
    /// Of a results folder: by how many per cent each cause would take less; 50 unless given
    #[arg(long, value_name = "PER_CENT", value_parser = per_cent)]
    less: Option<f64>,
    /// Of a results folder: as JSON
    #[arg(long)]
    json: bool,
}

fn per_cent(text: &str) -> Result<f64, String> {
    let less = text.parse().ok().filter(|less| *less > 0.0 && *less < 100.0);
    less.ok_or_else(|| "write a number between 0 and 100".into())
}

impl WhatIf {
    /// The first of the options that is given.
    pub(crate) fn first(self) -> Option<&'static str> {
        let given = [(self.check, "--check"), (self.less.is_some(), "--less"), (self.json, "--json")];
        given.into_iter().find_map(|(is_given, option)| is_given.then_some(option))
    }
}

/// Where the time of the run went.
pub(crate) fn explain(summary: &Path, args: WhatIf) -> Result<ExitCode> {
    let shown = summary.display();
    let text = fs::read_to_string(summary).with_context(|| format!("{shown} cannot be read"))?;
    let run: Value = serde_json::from_str(&text).with_context(|| format!("{shown} is no summary"))?;
    if run["causes"].is_null() {
        eprintln!(
            "error: {shown} does not say what time went into\n\nhint: run it with output.causes = true (--set output.causes=true)"
        );
        return Ok(ExitCode::from(2));
    }
    let incomplete = || format!("{shown}: its causes are not those of a run");
    let less = args.less.unwrap_or(50.0);
    let mut remedies = remedies(&run, less).with_context(incomplete)?;
    if args.check && !again::check(summary, &run, &mut remedies, less, args.keys)? {
        return Ok(ExitCode::from(2));
    }
    if args.json {
        writeln!(stdout(), "{}", in_json(&run, &remedies))?;
        return Ok(ExitCode::SUCCESS);
    }
    let lines = lines(&run, &remedies, less).with_context(incomplete)?;
    write!(stdout(), "{}", lines.join("\n") + "\n")?;
    Ok(ExitCode::SUCCESS)
}

/// A cause on the critical path, and what the run would take with less of it.
pub(crate) struct Remedy {
    pub(crate) cause: Cause,
    /// What it takes of the path.
    time: Duration,
    /// What the run would take at best.
    at_best: Duration,
    pub(crate) rerun: Rerun,
}

/// What the run takes with less of a cause.
#[derive(Default)]
pub(crate) struct Rerun {
    /// If there are keys behind it, and they were tried.
    pub(crate) time: Option<Duration>,
    /// The assignments with which that was.
    pub(crate) set: Vec<String>,
    /// With each key alone, the shortest first.
    pub(crate) keys: Vec<(String, Duration)>,
}

/// Times by cause; `None` if one is not there.
fn by_cause(object: &Value) -> Option<Causes> {
    let mut causes = Causes::default();
    for cause in Cause::ALL {
        causes.add(cause, ps(&object[cause.name()])?);
    }
    Some(causes)
}

fn ps(value: &Value) -> Option<Duration> {
    value.as_u64().map(Duration::from_ps)
}

/// The answer; `None` if a part of it is not there.
fn lines(run: &Value, remedies: &[Remedy], less: f64) -> Option<Vec<String>> {
    let (causes, end) = (&run["causes"], ps(&run["simulated_ps"])?);
    let path = &causes["critical_path"];
    let (total, critical) = (by_cause(&causes["total_ps"])?, by_cause(&path["causes_ps"])?);
    let count = |value: &Value| value.as_u64().map(grouped);
    let title = plain(run["title"].as_str()?);
    let calls: Option<Vec<(&str, Duration)>> = path["calls"]
        .as_array()?
        .iter()
        .map(|row| Some((row["call"].as_str()?, ps(&row["time_ps"])?)))
        .collect();
    let last: Option<Vec<String>> = path["last_ranks"]
        .as_array()?
        .iter()
        .map(|rank| rank.as_u64().map(|rank| rank.to_string()))
        .collect();
    let mut lines = vec![
        format!("{title} ({}): {end}, {} ranks", run["engine"].as_str()?, count(&run["ranks"])?),
        format!("time of all ranks  {}", of_causes(&total)),
        format!("critical path      {}", of_causes(&critical)),
        format!(
            "  it follows       {} messages over {} links; last by ranks {}",
            count(&path["messages"])?,
            count(&path["links"])?,
            last?.join(", ")
        ),
        format!("  by call          {}", plain(&shares(calls?))),
    ];
    for (place, remedy) in (1..).zip(remedies) {
        lines.push(format!("{place}. {}", in_words(remedy, less, end)));
        for (key, time) in &remedy.rerun.keys {
            lines.push(format!("   {key} alone: {}", compared(*time, end)));
        }
    }
    lines.push(imbalance(&causes["compute"])?);
    Some(lines)
}

/// A time beside that of the run.
fn compared(time: Duration, end: Duration) -> String {
    let less = 100.0 * (1.0 - time.as_secs_f64() / end.as_secs_f64());
    if time > end { format!("{time} ({:.1} % more)", -less) } else { format!("{time} ({less:.1} % less)") }
}

fn in_words(remedy: &Remedy, less: f64, end: Duration) -> String {
    let Remedy { cause, time, at_best, rerun } = remedy;
    let what = match cause {
        Cause::Compute => format!("with {less} % less work"),
        Cause::StartUp => format!("with overheads {less} % less"),
        Cause::Latency => format!("with latencies {less} % less"),
        Cause::Serialization => format!("with bytes in {less} % less time"),
        Cause::Contention => "with no message in the way of another".into(),
        Cause::LateSender | Cause::LateReceiver | Cause::Other | Cause::Finished => "without it".into(),
    };
    let again = rerun.time.map(|time| format!("; run again {}", compared(time, end)));
    let (name, best) = (word(*cause), compared(*at_best, end));
    format!("{name:<16}{time}; {what} at best {best}{}", again.unwrap_or_default())
}

/// The three parts of the critical path that take longest, and how long the run would take at best with less of each.
fn remedies(run: &Value, less: f64) -> Option<Vec<Remedy>> {
    let critical = by_cause(&run["causes"]["critical_path"]["causes_ps"])?;
    let mut parts = Cause::ALL.map(|cause| (critical.of(cause), cause));
    parts.sort_by(|one, other| other.0.cmp(&one.0).then(one.1.cmp(&other.1)));
    let longest = parts.into_iter().filter(|(time, _)| *time > Duration::ZERO).take(3);
    let remedy = |(time, cause)| {
        let at_best = critical.at_best(cause, less);
        Remedy { cause, time, at_best, rerun: Rerun::default() }
    };
    Some(longest.map(remedy).collect())
}

/// The causes as the summary has them, and what would help.
fn in_json(run: &Value, remedies: &[Remedy]) -> Value {
    let remedies = remedies.iter().map(|Remedy { cause, time, at_best, rerun }| {
        let keys = rerun.keys.iter().map(|(key, time)| json!({ "key": key, "simulated_ps": time.as_ps() }));
        json!({
            "cause": cause.name(),
            "time_ps": time.as_ps(),
            "at_best_ps": at_best.as_ps(),
            "again_ps": rerun.time.map(Duration::as_ps),
            "set": rerun.set,
            "keys": keys.collect::<Vec<_>>(),
        })
    });
    json!({
        "title": run["title"],
        "engine": run["engine"],
        "simulated_ps": run["simulated_ps"],
        "causes": run["causes"],
        "what_if": remedies.collect::<Vec<_>>(),
    })
}

/// How unevenly ranks compute.
fn imbalance(compute: &Value) -> Option<String> {
    let (mean, most) = (ps(&compute["mean_ps"])?, ps(&compute["max_ps"])?);
    let rank = compute["max_rank"].as_u64()?;
    Some(match most {
        Duration::ZERO => "imbalance          none: no rank computes".into(),
        most => format!(
            "imbalance          rank {rank} computes longest, {}: {:.2} times the mean",
            short(most.as_secs_f64()),
            most.as_secs_f64() / mean.as_secs_f64()
        ),
    })
}
