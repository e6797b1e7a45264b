//! Between which times a run lies by the [intervals](Interval) of what was calibrated: one more run at each end of each of them, all else as
//! it is. What a key adds to the time, and what it takes, is the most of its two runs; those of all keys are added in quadrature, as
//! errors that know nothing of each other.

use crate::{Printed, Report, Result, RunError, run_isolated, why_unfinished};
use serde_json::{Value, json};
use weir_experiment::{Interval, Scenario, Source};
use weir_network::Outcome;
use weir_record::{Band, OfKey};
use weir_units::{Time, side_by_side};

/// A band needs intervals, and runs that can be repeated.
pub(crate) fn check_band(scenario: &Scenario, processes: usize) -> Result<()> {
    let resolved = scenario.resolved();
    let compute = &resolved["workload"]["compute"];
    let measures = compute.is_number() || compute == "measured";
    let why = match () {
        () if !scenario.output.band => return Ok(()),
        () if processes > 1 => "several processes run this together; leave out --processes",
        () if measures => {
            "what the program computes is measured, and different in each run; choose another workload.compute"
        }
        () if in_force(scenario).is_empty() => {
            "nothing that holds here has an interval in [calibrated]; weir calibrate --out writes one into a machine file"
        }
        () => return Ok(()),
    };
    Err(RunError::Options(format!("no band: {why}")))
}

/// The intervals in which the values in force lie: a value from elsewhere has none.
fn in_force(scenario: &Scenario) -> Vec<&Interval> {
    let resolved = scenario.resolved();
    let has = |interval: &&Interval| {
        let value = place(&mut resolved.clone(), &interval.key).map(|value| text_of(value));
        value.is_some_and(|value| interval.has(&value))
    };
    scenario.calibrated.iter().filter(has).collect()
}

/// Runs once for each end of each interval, as many at a time as there are processors.
pub(crate) fn add_band(scenario: &Scenario, report: &mut Report) -> Result<()> {
    if report.outcome != Outcome::Finished {
        return Ok(());
    }
    let intervals = in_force(scenario);
    let runs: Vec<(&str, &str)> = intervals
        .iter()
        .flat_map(|interval| [&interval.low, &interval.high].map(|end| (&interval.key[..], &end[..])))
        .collect();
    let times = side_by_side(&runs, None, |(key, end)| time_with(scenario, key, end));
    let times = times.into_iter().collect::<Result<Vec<Time>>>()?;
    let of_key = |(interval, times): (&&Interval, &[Time])| OfKey {
        key: interval.key.clone(),
        at_low: times[0],
        at_high: times[1],
    };
    let keys = intervals.iter().zip(times.chunks(2)).map(of_key).collect();
    report.summary.band = Some(Band::around(report.summary.simulated, keys));
    Ok(())
}

fn time_with(scenario: &Scenario, key: &str, value: &str) -> Result<Time> {
    let mut experiment = scenario.resolved();
    let wrong = |why: String| RunError::Options(format!("no band: with {key} = {value} {why}"));
    match place(&mut experiment, key) {
        Some(place) => *place = if place.is_number() { number(value) } else { json!(value) },
        None => return Err(wrong("nothing can be run".to_owned())),
    }
    if let Some(object) = experiment.as_object_mut() {
        object.remove("calibrated");
        object.remove("output");
    }
    let source = Source::of_text("experiment.json", experiment.to_string());
    let scenario =
        Scenario::load(&source).map_err(|problems| wrong(format!("there are problems: {problems}")))?;
    let ran = run_isolated(scenario, Printed::Kept).0?;
    match why_unfinished(&ran.outcome) {
        Some(why) => Err(wrong(format!("the run does not come to its end: {why}"))),
        None => Ok(ran.simulated),
    }
}

/// The value of a key in a resolved experiment; a list of one element may stand there as that element.
fn place<'a>(experiment: &'a mut Value, key: &str) -> Option<&'a mut Value> {
    key.split('.').try_fold(experiment, |value, part| match part.parse::<usize>() {
        Ok(index) if value.is_array() => value.get_mut(index),
        Ok(0) if value.is_string() || value.is_number() => Some(value),
        _ => value.get_mut(part),
    })
}

fn text_of(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn number(text: &str) -> Value {
    text.parse().map_or_else(|_| json!(text), |number: f64| json!(number))
}
