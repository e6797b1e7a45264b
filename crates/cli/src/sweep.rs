//! `weir sweep`

use crate::run::INPUT;
use crate::text::aligned;
use crate::{SweepArgs, load};
use anyhow::{Context, bail};
use serde_json::{Value, json};
use std::io::Write;
use std::num::NonZeroUsize;
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use weir_network::Outcome;
use weir_record::Summary;
use weir_scenario::{Scenario, Source};

/// More points than that are a mistake.
const MOST_POINTS: usize = 100_000;

/// A key and the values that it takes, as they are written.
struct Axis {
    key: String,
    values: Vec<String>,
}

/// What a point has come to.
struct Done {
    /// By axis: the number of its value.
    values: Vec<usize>,
    summary: Summary,
}

/// Runs all points and says which are best.
pub(crate) fn sweep(args: &SweepArgs) -> anyhow::Result<ExitCode> {
    let axes: Result<Vec<Axis>, String> = args.vary.iter().map(|text| axis(text)).collect();
    let axes = match axes.and_then(|axes| within_reason(&axes).map(|()| axes)) {
        Ok(axes) => axes,
        Err(what) => {
            eprintln!("error: {what}");
            return Ok(ExitCode::from(INPUT));
        }
    };
    let combinations = combinations(&axes);
    let mut scenarios = Vec::new();
    for values in &combinations {
        let chosen =
            axes.iter().zip(values).map(|(axis, &value)| format!("{}={}", axis.key, axis.values[value]));
        let overrides = args.set.iter().cloned().chain(chosen).collect();
        let source = Source { experiment: Some(args.experiment.clone()), overrides, ..Source::default() };
        // What is wrong with one point is most often wrong with all.
        let Some(scenario) = load::scenario(&source) else { return Ok(ExitCode::from(INPUT)) };
        scenarios.push(scenario);
    }
    let threads = args.threads.or_else(|| thread::available_parallelism().ok()).unwrap_or(NonZeroUsize::MIN);
    let summaries = run(&scenarios, threads, args.quiet)?;
    let done: Vec<Done> =
        combinations.into_iter().zip(summaries).map(|(values, summary)| Done { values, summary }).collect();
    let text = if args.json {
        format!("{}\n", to_json(&axes, &done))
    } else if args.csv {
        to_csv(&axes, &done)
    } else {
        to_text(&axes, &done)
    };
    std::io::stdout().write_all(text.as_bytes()).context("standard output")?;
    let all = done.iter().all(|point| point.summary.outcome == Outcome::Finished);
    Ok(if all { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

/// Reads `KEY=FROM:TO:STEP` or `KEY=VALUE; VALUE; ...`.
fn axis(text: &str) -> Result<Axis, String> {
    let wrong = |what: &str| {
        format!(
            "--vary {text}: {what}\n\nhint: write --vary node.packet_gap=0:4:0.125, or --vary \
             \"workload.message_size=96 KiB; 288 KiB\""
        )
    };
    let (key, values) = text.split_once('=').ok_or_else(|| wrong("has no ="))?;
    let parts: Vec<Option<f64>> = values.split(':').map(|part| part.trim().parse().ok()).collect();
    let values: Vec<String> = match parts[..] {
        [Some(from), Some(to), Some(step)] => {
            let steps = ((to - from) / step + 1e-9).floor();
            if !(step > 0.0 && (0.0..MOST_POINTS as f64).contains(&steps)) {
                return Err(wrong("is no range: FROM:TO:STEP with FROM not above TO and STEP above 0"));
            }
            // Rounded, so that 3 x 0.1 is 0.3.
            let value = |i: u64| ((from + step * i as f64) * 1e9).round() / 1e9;
            (0..=steps as u64).map(|i| value(i).to_string()).collect()
        }
        _ => values.split(';').map(|value| value.trim().to_owned()).collect(),
    };
    if values.iter().any(String::is_empty) {
        return Err(wrong("has an empty value"));
    }
    Ok(Axis { key: key.trim().to_owned(), values })
}

fn within_reason(axes: &[Axis]) -> Result<(), String> {
    let points = axes.iter().map(|axis| axis.values.len()).fold(1_usize, usize::saturating_mul);
    for (number, axis) in axes.iter().enumerate() {
        if axes[..number].iter().any(|other| other.key == axis.key) {
            return Err(format!("--vary {}: is there twice", axis.key));
        }
    }
    if points > MOST_POINTS {
        return Err(format!("--vary: {points} points; at most {MOST_POINTS} are run"));
    }
    Ok(())
}

/// All combinations; the values of the first axis change fastest.
fn combinations(axes: &[Axis]) -> Vec<Vec<usize>> {
    let points: usize = axes.iter().map(|axis| axis.values.len()).product();
    let of = |mut point: usize| {
        let mut value = |axis: &Axis| {
            let value = point % axis.values.len();
            point /= axis.values.len();
            value
        };
        axes.iter().map(&mut value).collect()
    };
    (0..points).map(of).collect()
}

/// Runs the points; the results are in their order.
fn run(scenarios: &[Scenario], threads: NonZeroUsize, quiet: bool) -> anyhow::Result<Vec<Summary>> {
    let (next, done) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let results: Vec<Mutex<Option<Result<Summary, String>>>> =
        scenarios.iter().map(|_| Mutex::new(None)).collect();
    let work = || {
        while let Some((scenario, slot)) = {
            let k = next.fetch_add(1, Ordering::Relaxed);
            scenarios.get(k).zip(results.get(k))
        } {
            let result = scenario.run(&mut |_| {}).map(|report| report.summary);
            *slot.lock().expect("no thread fails while it holds the lock") =
                Some(result.map_err(|error| error.to_string()));
            let done = done.fetch_add(1, Ordering::Relaxed) + 1;
            if !quiet && (done == scenarios.len() || done.is_multiple_of(scenarios.len().div_ceil(10))) {
                eprintln!("{done} of {} points", scenarios.len());
            }
        }
    };
    thread::scope(|scope| {
        for _ in 1..threads.get().min(scenarios.len()) {
            scope.spawn(work);
        }
        work();
    });
    let mut summaries = Vec::new();
    for slot in results {
        let result = slot.into_inner().expect("no thread fails while it holds the lock");
        match result.expect("every point has been run") {
            Ok(summary) => summaries.push(summary),
            Err(error) => bail!("{error}"),
        }
    }
    Ok(summaries)
}

/// For each combination of the values of all axes but the first, the point that takes least simulated time; of equals the
/// first, and only of those that finish.
fn best<'a>(axes: &[Axis], done: &'a [Done]) -> Vec<&'a Done> {
    let finished = |point: &&Done| point.summary.outcome == Outcome::Finished;
    let chunks = done.chunks(axes[0].values.len());
    chunks
        .filter_map(|chunk| chunk.iter().filter(finished).min_by_key(|point| point.summary.simulated))
        .collect()
}

fn outcome(summary: &Summary) -> &'static str {
    match summary.outcome {
        Outcome::Finished => "finished",
        Outcome::Deadlock(_) => "deadlock",
        Outcome::Aborted { .. } => "aborted",
        Outcome::Limit(_) => "limit",
    }
}

fn to_text(axes: &[Axis], done: &[Done]) -> String {
    let table = |points: &[&Done]| {
        let mut head: Vec<String> = axes.iter().map(|axis| axis.key.clone()).collect();
        head.push("simulated time".to_owned());
        let mut rows = vec![head];
        rows.extend(points.iter().map(|point| {
            let mut cells: Vec<String> = named(axes, point).map(|(_, value)| value.to_owned()).collect();
            cells.push(match point.summary.outcome {
                Outcome::Finished => point.summary.simulated.to_string(),
                _ => outcome(&point.summary).to_owned(),
            });
            cells
        }));
        aligned(&rows)
    };
    let all: Vec<&Done> = done.iter().collect();
    format!("{}\n  best {}\n{}", table(&all), axes[0].key, table(&best(axes, done)))
}

fn named<'a>(axes: &'a [Axis], point: &'a Done) -> impl Iterator<Item = (&'a str, &'a str)> {
    axes.iter().zip(&point.values).map(|(axis, &value)| (axis.key.as_str(), axis.values[value].as_str()))
}

fn to_csv(axes: &[Axis], done: &[Done]) -> String {
    let quoted = |text: &str| match text.contains([',', '"', '\n']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text.to_owned(),
    };
    let mut text = String::new();
    for axis in axes {
        text += &format!("{},", quoted(&axis.key));
    }
    text += "outcome,simulated_s,simulated_ps,digest\n";
    for point in done {
        for (_, value) in named(axes, point) {
            text += &format!("{},", quoted(value));
        }
        let Summary { simulated, digest, .. } = &point.summary;
        let (seconds, ps) = (simulated.as_secs_f64(), simulated.as_ps());
        text += &format!("{},{seconds},{ps},{digest}\n", outcome(&point.summary));
    }
    text
}

fn to_json(axes: &[Axis], done: &[Done]) -> Value {
    let point = |point: &Done| {
        let values: serde_json::Map<String, Value> =
            named(axes, point).map(|(key, value)| (key.to_owned(), json!(value))).collect();
        json!({
            "values": values,
            "outcome": outcome(&point.summary),
            "simulated_s": point.summary.simulated.as_secs_f64(),
            "simulated_ps": point.summary.simulated.as_ps(),
            "digest": point.summary.digest.to_string(),
        })
    };
    json!({
        "schema_version": 1,
        "points": done.iter().map(point).collect::<Vec<_>>(),
        "best_of": axes[0].key,
        "best": best(axes, done).into_iter().map(point).collect::<Vec<_>>(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_and_lists() {
        let values = |text| axis(text).map(|axis| axis.values);
        assert_eq!(values("a.b=0:0.3:0.1").unwrap(), ["0", "0.1", "0.2", "0.3"]);
        assert_eq!(values("a.b=2:2:1").unwrap(), ["2"]);
        assert_eq!(values("a.b=96 KiB; 1 MiB").unwrap(), ["96 KiB", "1 MiB"]);
        assert_eq!(values("a.b=x:y").unwrap(), ["x:y"]);
        for wrong in ["a.b", "a.b=3:1:1", "a.b=0:1:0", "a.b=0:1:1e-9", "a.b=1;;2", "a.b="] {
            assert!(values(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn the_first_axis_changes_fastest() {
        let axes = [axis("a=1;2;3").unwrap(), axis("b=x;y").unwrap()];
        assert_eq!(combinations(&axes)[..4], [vec![0, 0], vec![1, 0], vec![2, 0], vec![0, 1]]);
        assert!(within_reason(&axes).is_ok());
        assert!(within_reason(&[axis("a=1").unwrap(), axis("a=2").unwrap()]).is_err());
        assert!(within_reason(&[axis("a=0:999:1").unwrap(), axis("b=0:999:1").unwrap()]).is_err());
    }
}
