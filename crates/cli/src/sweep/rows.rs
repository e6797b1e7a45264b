//! What a sweep writes: a table for people, CSV row by row, JSON.

use super::axis::{Axis, named};
use super::{Done, Ended};
use crate::text::aligned;
use serde_json::{Value, json};

/// The first row.
pub(super) fn csv_head(axes: &[Axis]) -> String {
    let keys: String = axes.iter().map(|axis| format!("{},", quoted(&axis.key))).collect();
    keys + "outcome,simulated_s,simulated_ps,digest\n"
}

/// The row of a point.
pub(super) fn csv_row(axes: &[Axis], done: &Done) -> String {
    let values: String = named(axes, done.point).map(|(_, value)| format!("{},", quoted(value))).collect();
    let Ended { outcome, reached, .. } = &done.ended;
    let rest = reached.map_or_else(
        || ",,".to_owned(),
        |(simulated, digest)| format!("{},{},{digest}", simulated.as_secs_f64(), simulated.as_ps()),
    );
    format!("{values}{outcome},{rest}\n")
}

fn quoted(text: &str) -> String {
    match text.contains([',', '"', '\n']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text.to_owned(),
    }
}

/// For each combination of the values of all axes but the first, the point that takes least simulated time; of equals the
/// first, and only of those that finish.
fn best<'a>(axes: &[Axis], done: &'a [Done]) -> Vec<&'a Done> {
    let row = |done: &Done| done.point / axes[0].values.len();
    let finished = |done: &&Done| done.ended.outcome == Ended::FINISHED;
    let chunks = done.chunk_by(|one, next| row(one) == row(next));
    let time = |done: &&Done| done.ended.reached.map(|(simulated, _)| simulated);
    chunks.filter_map(|chunk| chunk.iter().filter(finished).min_by_key(time)).collect()
}

/// All points and the best ones, as tables.
pub(super) fn to_text(axes: &[Axis], done: &[Done]) -> String {
    let table = |points: &[&Done]| {
        let mut head: Vec<String> = axes.iter().map(|axis| axis.key.clone()).collect();
        head.push("simulated time".to_owned());
        let mut rows = vec![head];
        rows.extend(points.iter().map(|done| {
            let mut cells: Vec<String> = named(axes, done.point).map(|(_, value)| value.to_owned()).collect();
            cells.push(match done.ended.reached {
                Some((simulated, _)) if done.ended.outcome == Ended::FINISHED => simulated.to_string(),
                _ => done.ended.outcome.to_owned(),
            });
            cells
        }));
        aligned(&rows)
    };
    let all: Vec<&Done> = done.iter().collect();
    format!("{}\n  best {}\n{}", table(&all), axes[0].key, table(&best(axes, done)))
}

/// All points and the best ones, as one object. `repeat` gives the command that runs a point alone.
pub(super) fn to_json(axes: &[Axis], done: &[Done], repeat: impl Fn(usize) -> String) -> Value {
    let point = |done: &Done| {
        let values: serde_json::Map<String, Value> =
            named(axes, done.point).map(|(key, value)| (key.to_owned(), json!(value))).collect();
        let Ended { outcome, reached, why } = &done.ended;
        let mut object = json!({
            "values": values,
            "outcome": outcome,
            "simulated_s": reached.map(|(simulated, _)| simulated.as_secs_f64()),
            "simulated_ps": reached.map(|(simulated, _)| simulated.as_ps()),
            "digest": reached.map(|(_, digest)| digest.to_string()),
        });
        if let Some(why) = why {
            object["why"] = json!(why);
            object["repeat"] = json!(repeat(done.point));
        }
        object
    };
    json!({
        "schema_version": 1,
        "points": done.iter().map(point).collect::<Vec<_>>(),
        "best_of": axes[0].key,
        "best": best(axes, done).into_iter().map(point).collect::<Vec<_>>(),
    })
}
