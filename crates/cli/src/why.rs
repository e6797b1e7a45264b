//! `weir why FOLDER`: why a run took as long as it did, in a few lines.

mod remedies;

use crate::say::print_as;
use crate::status::refused;
use crate::summary_text::{of_causes, of_whole, shares, word};
use crate::text::{grouped, plain};
use anyhow::Result;
use clap::Args;
use remedies::{Again, Found, Remedy, Rerun, What, check, remedies, verdict};
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use weir_network::causes::{Cause, Causes};
use weir_run::what_if::MORE_BUFFER;
use weir_units::Duration;

/// The summary of a results folder, if that is what is named.
pub(crate) fn results(path: &Path) -> Option<PathBuf> {
    let summary = if path.is_dir() { path.join("summary.json") } else { path.to_owned() };
    let is_summary = summary.file_name().is_some_and(|name| name == "summary.json") && summary.is_file();
    is_summary.then_some(summary)
}

#[derive(Args)]
pub(crate) struct WhyArgs {
    /// The results folder of a run with output.causes = true
    pub(crate) folder: PathBuf,
    #[command(flatten)]
    pub(crate) what_if: WhatIf,
}

/// Options about changes that would help.
#[derive(Args, Clone, Copy)]
pub(crate) struct WhatIf {
    /// Run the experiment again with less of each of the causes that take longest, and show the simulated times
    #[arg(long)]
    check: bool,
    /// With --check: change also each key alone that is behind one of them, and each entry of lists (bandwidths by dimension)
    #[arg(long, requires = "check")]
    keys: bool,
    /// Percent by which each cause takes less; 50 unless given
    #[arg(long, value_name = "PERCENT", value_parser = per_cent)]
    less: Option<f64>,
    /// Print one JSON object
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

pub(crate) fn why(args: &WhyArgs) -> Result<ExitCode> {
    let WhyArgs { folder, what_if: args } = args;
    let Some(summary) = results(folder) else {
        let hint = "hint: weir run X --set output.causes=true --out FOLDER makes one";
        return Err(refused(format!("{} is no results folder\n\n{hint}", folder.display())));
    };
    let shown = summary.display();
    let wrong = |what: String| refused(format!("{shown} {what}"));
    let text = fs::read_to_string(&summary).map_err(|error| wrong(format!("cannot be read: {error}")))?;
    let run: Value = serde_json::from_str(&text).map_err(|error| wrong(format!("is no summary: {error}")))?;
    if run["causes"].is_null() {
        let hint = "hint: run it with output.causes = true (--set output.causes=true)";
        return Err(wrong(format!("does not say what time went into\n\n{hint}")));
    }
    let less = args.less.unwrap_or(50.0);
    // A part that is not there is missed before anything is run again.
    let (Some(mut remedies), true) = (remedies(&run, less), lines(&run, &[], less, None).is_some()) else {
        return Err(wrong("has other causes than those of a run".into()));
    };
    let mut verdict = verdict(&run);
    let again = args.check.then(|| Again::begin(&summary, &run)).transpose()?;
    if let Some(again) = &again {
        check(again, &run, (&mut verdict, &mut remedies), less, args.keys)?;
    }
    let text = || {
        let lines = lines(&run, &remedies, less, again.as_ref()).unwrap_or_default();
        [sentences(&verdict, &remedies, again.as_ref()), lines].concat().join("\n") + "\n"
    };
    print_as(args.json, || in_json(&run, &verdict, &remedies), text)
}

/// Times by cause; `None` if one is not there.
pub(crate) fn by_cause(object: &Value) -> Option<Causes> {
    let mut causes = Causes::default();
    for cause in Cause::ALL {
        causes.add(cause, ps(&object[cause.name()])?);
    }
    Some(causes)
}

pub(crate) fn ps(value: &Value) -> Option<Duration> {
    value.as_u64().map(Duration::from_ps)
}

/// The verdict of the run, each finding with the time that it took when it was run again, or what other algorithms gave; an empty line
/// behind them.
fn sentences(verdict: &[Found], remedies: &[Remedy], again: Option<&Again>) -> Vec<String> {
    let mut lines = Vec::new();
    for Found { finding, again: time } in verdict {
        lines.push(plain(finding["sentence"].as_str().unwrap_or_default()));
        lines.extend(
            time.zip(again)
                .map(|(time, again)| format!("  run again so, it takes {}", compared(time, again.end))),
        );
        let is_of =
            |remedy: &&Remedy| matches!(&remedy.what, What::Call(call) if finding["place"] == call.as_str());
        let tried = again.zip(remedies.iter().filter(|_| finding["kind"] == "algorithm").find(is_of));
        lines.extend(
            tried.and_then(|(again, remedy)| Some(format!("  {}", algorithms(&remedy.rerun, again.end)?))),
        );
    }
    lines.extend((!lines.is_empty()).then(String::new));
    lines
}

/// The answer; `None` if a part of it is not there.
fn lines(run: &Value, remedies: &[Remedy], less: f64, again: Option<&Again>) -> Option<Vec<String>> {
    let (causes, end) = (&run["causes"], ps(&run["simulated_ps"])?);
    let path = &causes["critical_path"];
    let (total, critical) = (by_cause(&causes["total_ps"])?, by_cause(&path["causes_ps"])?);
    let count = |value: &Value| value.as_u64().map(grouped);
    let title = plain(run["title"].as_str()?);
    let calls = remedies::named(path, "calls", "call", "time_ps")?;
    let sites = remedies::named(path, "sites", "site", "time_ps")?;
    let phases = remedies::named(path, "phases", "phase", "time_ps")?;
    let work = remedies::named(path, "work", "rank", "time_ps")?;
    let [latency, bytes] =
        ["latency_ps", "bytes_ps"].map(|time| remedies::named(path, "classes", "class", time));
    let links = remedies::named(path, "narrowest", "name", "time_ps")?;
    let last = path["last_ranks"].as_array()?.iter().map(|rank| Some(rank.as_u64()?.to_string()));
    let last = last.collect::<Option<Vec<_>>>()?.join(", ");
    let [messages, links_of_path] = [count(&path["messages"])?, count(&path["links"])?];
    let mut lines = vec![
        format!("{title} ({}): {end}, {} ranks", run["engine"].as_str()?, count(&run["ranks"])?),
        format!("time of all ranks  {}", of_causes(&total)),
        format!("critical path      {}", of_causes(&critical)),
        format!("  it follows       {messages} messages ({links_of_path} links), and ends at ranks {last}"),
        format!("  by call          {}", plain(&shares(calls))),
    ];
    let parts = [
        ("by call site", sites.into_iter().take(4).collect()),
        ("by phase", phases),
        ("work by rank", work.into_iter().map(|(rank, time)| (format!("rank {rank}"), time)).collect()),
        ("latency of links", latency?),
        ("bytes at links", bytes?),
        ("narrowest links", links.into_iter().take(3).collect()),
    ];
    for (name, times) in parts {
        if let Some(parts) = of_whole(times, end) {
            lines.push(format!("  {name:<17}{}", plain(&parts)));
        }
    }
    let end_again = again.map_or(end, |again| again.end);
    if again.is_some_and(Again::is_logged) {
        let why = "its work is measured and takes another time in each run, so that one is what changes are tried with";
        lines.push(format!("logged anew        {end_again}: {why}"));
    }
    for (place, remedy) in (1..).zip(remedies) {
        lines.push(format!("{place}. {}", in_words(remedy, less, (end, end_again))));
        for (key, time) in &remedy.rerun.keys {
            let alone = if remedy.rerun.algorithms.is_some() { "" } else { " alone" };
            lines.push(format!("   {key}{alone}: {}", compared(*time, end_again)));
        }
    }
    Some(lines)
}

/// A time beside that of the run.
fn compared(time: Duration, end: Duration) -> String {
    let less = 100.0 * (1.0 - time.as_secs_f64() / end.as_secs_f64());
    if time > end { format!("{time} ({:.1} % more)", -less) } else { format!("{time} ({less:.1} % less)") }
}

/// Time with the best of the other algorithms of a call, in words, if they were tried.
fn algorithms(rerun: &Rerun, end: Duration) -> Option<String> {
    let ((best, others), time) = rerun.algorithms.zip(rerun.time)?;
    Some(match others {
        _ if time < end => format!("with algorithm {best} {}", compared(time, end)),
        1 => "the only other algorithm is not faster".into(),
        _ => format!("none of {others} other algorithms is faster"),
    })
}

/// A remedy in a line: the run takes `end`, and when it was run again without changes `end_again`.
fn in_words(remedy: &Remedy, less: f64, (end, end_again): (Duration, Duration)) -> String {
    let Remedy { what, time, at_best, rerun } = remedy;
    let (name, with) = match what {
        What::Cause(cause) => {
            let with = match cause {
                Cause::Compute => format!("with {less} % less work"),
                Cause::StartUp => format!("with overheads {less} % less"),
                Cause::Latency => format!("with latencies {less} % less"),
                Cause::Serialization => format!("with bytes in {less} % less time"),
                Cause::Contention => "with no message in the way of another".into(),
                Cause::Credits => "with room in every buffer".into(),
                Cause::LateSender | Cause::LateReceiver | Cause::Other | Cause::Finished => {
                    "without it".into()
                }
            };
            (word(*cause), with)
        }
        What::Class(class) => (plain(class), format!("with its links taking {less} % less")),
        What::Link(link) => (plain(link), format!("with it taking {less} % less")),
        What::Work(rank) => (format!("work of rank {rank}"), format!("with {less} % less of it")),
        What::Call(call) => (plain(call), format!("with it taking {less} % less")),
    };
    let again = match (rerun.time, algorithms(rerun, end_again)) {
        (_, Some(algorithms)) => format!("; {algorithms}"),
        (None, None) => String::new(),
        (Some(time), None) if matches!(what, What::Cause(Cause::Credits)) => {
            format!("; with input buffers {MORE_BUFFER} times as large {}", compared(time, end_again))
        }
        (Some(time), None) => format!("; run again {}", compared(time, end_again)),
    };
    if let What::Call(_) = what
        && *time == end
    {
        // All of the run takes less where this does: that says nothing.
        return format!("{name:<15} {time}{again}");
    }
    format!("{name:<15} {time}; {with} about {}{again}", compared(*at_best, end))
}

fn in_json(run: &Value, verdict: &[Found], remedies: &[Remedy]) -> Value {
    let verdict = verdict.iter().map(|Found { finding, again }| {
        let mut finding = finding.clone();
        if let Some(again) = again {
            finding["again_ps"] = json!(again);
        }
        finding
    });
    let remedies = remedies.iter().map(|Remedy { what, time, at_best, rerun }| {
        let keys = rerun.keys.iter().map(|(key, time)| json!({ "key": key, "simulated_ps": time.as_ps() }));
        let (kind, of) = what.as_text();
        json!({
            kind: of,
            "time_ps": time.as_ps(),
            "at_best_ps": at_best.as_ps(),
            "again_ps": rerun.time.map(Duration::as_ps),
            "set": rerun.set,
            "algorithm": rerun.algorithms.map(|(best, _)| best),
            "keys": keys.collect::<Vec<_>>(),
        })
    });
    json!({
        "title": run["title"],
        "engine": run["engine"],
        "simulated_ps": run["simulated_ps"],
        "verdict": verdict.collect::<Vec<_>>(),
        "causes": run["causes"],
        "what_if": remedies.collect::<Vec<_>>(),
    })
}
