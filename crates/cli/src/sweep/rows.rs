//! Output of a sweep: a table for people, CSV row by row, JSON.

use super::design::Design;
use super::{Done, Ended};
use crate::text::aligned;
use serde_json::{Value, json};

/// The first row.
pub(super) fn csv_head(design: &Design) -> String {
    let keys: String = design.keys().into_iter().map(|key| format!("{},", quoted(key))).collect();
    keys + "outcome,simulated_s,simulated_ps,digest\n"
}

/// The row of a point.
pub(super) fn csv_row(design: &Design, done: &Done) -> String {
    let values: String =
        design.keys().into_iter().map(|key| format!("{},", quoted(value(design, done, key)))).collect();
    let Ended { outcome, reached, .. } = &done.ended;
    let rest = reached.as_ref().map_or_else(
        || ",,".to_owned(),
        |(simulated, digest)| format!("{},{},{digest}", simulated.as_secs_f64(), simulated.as_ps()),
    );
    format!("{values}{outcome},{rest}\n")
}

/// The value of a key in a point; nothing where the point does not have the key.
fn value<'a>(design: &'a Design, done: &Done, key: &str) -> &'a str {
    design.value(done.point, key).unwrap_or("")
}

fn quoted(text: &str) -> String {
    match text.contains([',', '"', '\n']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text.to_owned(),
    }
}

/// For each combination of the values of all blocks but the first, the point that takes least simulated time; of equals the
/// first, and only of those that finish.
fn best<'a>(design: &Design, done: &'a [Done]) -> Vec<&'a Done> {
    let row = |done: &Done| design.behind_first(done.point);
    let finished = |done: &&Done| done.ended.outcome == Ended::FINISHED;
    let chunks = done.chunk_by(|one, next| row(one) == row(next));
    let time = |done: &&Done| done.ended.reached.as_ref().map(|(simulated, _)| *simulated);
    chunks.filter_map(|chunk| chunk.iter().filter(finished).min_by_key(time)).collect()
}

/// All points and, if they have any, the best ones, as tables.
pub(super) fn to_text(design: &Design, done: &[Done], has_best: bool) -> String {
    let table = |points: &[&Done]| {
        let keys = design.keys();
        let mut head: Vec<String> = keys.iter().map(|&key| key.to_owned()).collect();
        head.push("simulated time".to_owned());
        let mut rows = vec![head];
        rows.extend(points.iter().map(|done| {
            let mut cells: Vec<String> = keys.iter().map(|key| value(design, done, key).to_owned()).collect();
            cells.push(match &done.ended.reached {
                Some((simulated, _)) if done.ended.outcome == Ended::FINISHED => simulated.to_string(),
                _ => done.ended.outcome.to_owned(),
            });
            cells
        }));
        aligned(&rows)
    };
    let all: Vec<&Done> = done.iter().collect();
    if !has_best {
        return table(&all);
    }
    format!("{}\n  best {}\n{}", table(&all), design.first(), table(&best(design, done)))
}

/// All points and the best ones, as one object. `repeat` gives the command that runs a point alone.
pub(super) fn to_json(
    design: &Design,
    done: &[Done],
    has_best: bool,
    repeat: impl Fn(usize) -> String,
) -> Value {
    let point = |done: &Done| {
        let values = values(design, done.point);
        let Ended { outcome, reached, why } = &done.ended;
        let reached = reached.as_ref();
        let mut object = json!({
            "values": values,
            "outcome": outcome,
            "simulated_s": reached.map(|(simulated, _)| simulated.as_secs_f64()),
            "simulated_ps": reached.map(|(simulated, _)| simulated.as_ps()),
            "digest": reached.map(|(_, digest)| digest),
        });
        if let Some(why) = why {
            object["why"] = json!(why);
            object["repeat"] = json!(repeat(done.point));
        }
        object
    };
    let mut object = json!({ "schema_version": 1, "points": done.iter().map(point).collect::<Vec<_>>() });
    if has_best {
        object["best_of"] = json!(design.first());
        object["best"] = best(design, done).into_iter().map(point).collect();
    }
    object
}

/// Keys and values of a point, as an object.
pub(super) fn values(design: &Design, point: usize) -> Value {
    let values = design.values(point).map(|(key, value)| (key.to_owned(), json!(value)));
    Value::Object(values.collect())
}
