//! Output of a sweep: a table for people, CSV row by row, JSON; and points as columns: what is varied, how each ended, and all
//! numbers of its summary.

use super::Done;
use super::design::{Design, Unit, quantities};
use super::study::Study;
use crate::text::aligned;
use serde_json::{Number, Value, json};
use std::collections::BTreeSet;
use weir_record::PointColumn;
use weir_units::Duration;

pub(super) fn csv_head(design: &Design) -> String {
    let keys: String = design.keys().into_iter().map(|key| format!("{},", quoted(key))).collect();
    keys + "outcome,simulated_s,simulated_ps,digest\n"
}

pub(super) fn csv_row(design: &Design, done: &Done) -> String {
    let values: String =
        design.keys().into_iter().map(|key| format!("{},", quoted(value(design, done, key)))).collect();
    let rest = done.reached().map_or_else(
        || ",,".to_owned(),
        |(simulated, digest)| format!("{},{},{digest}", simulated.as_secs_f64(), simulated.as_ps()),
    );
    format!("{values}{},{rest}\n", done.outcome())
}

/// The value of a key in a point; nothing where the point does not have the key.
fn value<'a>(design: &'a Design, done: &Done, key: &str) -> &'a str {
    design.value(done.point, key).unwrap_or("")
}

pub(super) fn quoted(text: &str) -> String {
    match text.contains([',', '"', '\n']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text.to_owned(),
    }
}

/// For each combination of the values of all blocks but the first, the point that takes least simulated time; of equals the
/// first, and only of those that finish.
fn best<'a>(design: &Design, done: &'a [Done]) -> Vec<&'a Done> {
    let row = |done: &Done| design.behind_first(done.point);
    let finished = |done: &&Done| done.has_finished();
    let chunks = done.chunk_by(|one, next| row(one) == row(next));
    let time = |done: &&Done| done.reached().map(|(simulated, _)| simulated);
    chunks.filter_map(|chunk| chunk.iter().filter(finished).min_by_key(time)).collect()
}

/// All points and, if they have any, the best ones, as tables. The number that the picture of a study shows has a column; what
/// is best by that, time does not say. So has the bandwidth of links that were made comparable.
pub(super) fn to_text(study: &Study, done: &[Done], bandwidth: impl Fn(usize) -> Option<String>) -> String {
    let design = &study.design;
    let keys = design.keys();
    let drawn = study.picture.value.as_deref().filter(|name| *name != "simulated_s");
    let table = |points: &[&Done]| {
        let row = |done: &&Done| {
            let values = keys.iter().map(|key| value(design, done, key).to_owned());
            let values = values.chain(bandwidth(done.point)).chain([time(done)]);
            values.chain(drawn.map(|name| shown(done, name))).collect()
        };
        let made = study.same.map(|_| "bandwidth made the same");
        let head = keys.iter().copied().chain(made).chain(["simulated time"]).chain(drawn);
        let head: Vec<String> = head.map(str::to_owned).collect();
        aligned(&std::iter::once(head).chain(points.iter().map(row)).collect::<Vec<_>>())
    };
    let all: Vec<&Done> = done.iter().collect();
    if !study.has_best || drawn.is_some() {
        return table(&all);
    }
    format!("{}\n  best {}\n{}", table(&all), design.first(), table(&best(design, done)))
}

/// The simulated time of a point that finished; of another one how it ended.
pub(super) fn time(done: &Done) -> String {
    match done.reached() {
        Some((simulated, _)) if done.has_finished() => simulated.to_string(),
        _ => done.outcome().to_owned(),
    }
}

/// A number of a point's summary, times with their unit; nothing where it has none.
fn shown(done: &Done, name: &str) -> String {
    let Some(number) = number(&done.line["summary"], name) else { return String::new() };
    match Duration::from_secs_f64(number).filter(|_| name.ends_with("_s") && !name.ends_with("_per_s")) {
        Some(time) => time.to_string(),
        None => format!("{number:.4}"),
    }
}

/// All points and the best ones, as one object. `about` gives the command that runs a point alone, and the bandwidth of its links if they were
/// made comparable.
pub(super) fn to_json(
    study: &Study,
    done: &[Done],
    about: impl Fn(usize) -> (String, Option<String>),
) -> Value {
    let design = &study.design;
    let point = |done: &Done| {
        let reached = done.reached();
        let mut object = json!({
            "values": values(design, done.point),
            "outcome": done.outcome(),
            "simulated_s": reached.map(|(simulated, _)| simulated.as_secs_f64()),
            "simulated_ps": reached.map(|(simulated, _)| simulated.as_ps()),
            "digest": reached.map(|(_, digest)| digest),
        });
        let (repeat, bandwidth) = about(done.point);
        if let Some(bandwidth) = bandwidth {
            object["bandwidth"] = json!(bandwidth);
        }
        if let Some(why) = done.why() {
            object["why"] = json!(why);
            object["repeat"] = json!(repeat);
        }
        object
    };
    let mut object = json!({ "schema_version": 1, "points": done.iter().map(point).collect::<Vec<_>>() });
    if study.has_best {
        object["best_of"] = json!(design.first());
        object["best"] = best(design, done).into_iter().map(point).collect();
    }
    object
}

pub(super) fn values(design: &Design, point: usize) -> Value {
    let values = design.values(point).map(|(key, value)| (key.to_owned(), json!(value)));
    Value::Object(values.collect())
}

/// Numbers of a summary, those of inner objects as `outer.inner`; lists are left out.
fn numbers(summary: &Value) -> Vec<(String, &Number)> {
    let mut found = Vec::new();
    collect(summary, "", &mut found);
    found
}

fn collect<'a>(value: &'a Value, name: &str, found: &mut Vec<(String, &'a Number)>) {
    match value {
        Value::Number(number) => found.push((name.to_owned(), number)),
        Value::Object(object) => {
            for (key, inner) in object {
                let name = if name.is_empty() { key.clone() } else { format!("{name}.{key}") };
                collect(inner, &name, found);
            }
        }
        _ => (),
    }
}

pub(super) fn number(summary: &Value, name: &str) -> Option<f64> {
    numbers(summary).into_iter().find(|(known, _)| known == name)?.1.as_f64()
}

/// The columns of these points, with what is known of each.
pub(super) fn columns(design: &Design, points: &[Done]) -> Vec<(String, PointColumn)> {
    let whole = points.iter().map(|done| Some(done.point as i64)).collect();
    let mut columns = vec![("point".to_owned(), PointColumn::Whole(whole))];
    for key in design.keys() {
        let values: Vec<Option<&str>> = points.iter().map(|done| design.value(done.point, key)).collect();
        let known = values.iter().copied().flatten();
        let read = quantities(known).map(|(numbers, unit)| {
            let mut numbers = numbers.into_iter();
            (values.iter().map(|value| value.and_then(|_| numbers.next())).collect(), unit)
        });
        let texts = || PointColumn::Texts(values.iter().map(|value| value.map(str::to_owned)).collect());
        match read {
            Some((_, Unit::None)) => {
                let number = |value: &str| value.trim_matches(['"', '\'']).parse().ok();
                columns
                    .push((key.to_owned(), column(values.iter().map(|value| number((*value)?)).collect())));
            }
            Some((numbers, unit)) => {
                columns.push((key.to_owned(), texts()));
                columns.push((unit.behind(key), PointColumn::Numbers(numbers)));
            }
            None => columns.push((key.to_owned(), texts())),
        }
    }
    let text = |key: &str| {
        let texts = points.iter().map(|done| done.line[key].as_str().map(str::to_owned)).collect();
        (key.to_owned(), PointColumn::Texts(texts))
    };
    columns.extend([text("outcome"), text("why"), text("digest")]);
    let of_points: Vec<Vec<(String, &Number)>> =
        points.iter().map(|done| numbers(&done.line["summary"])).collect();
    let names: BTreeSet<&str> = of_points.iter().flatten().map(|(name, _)| name.as_str()).collect();
    let taken: BTreeSet<String> = columns.iter().map(|(name, _)| name.clone()).collect();
    for name in names {
        let of_point = |numbers: &Vec<(String, &Number)>| {
            numbers.iter().find(|(known, _)| known == name).map(|(_, number)| (*number).clone())
        };
        let column = column(of_points.iter().map(of_point).collect());
        // What is varied stands under its own name already.
        let name = if taken.contains(name) { format!("summary.{name}") } else { name.to_owned() };
        columns.push((name, column));
    }
    columns
}

/// Whole numbers where all are, else numbers.
fn column(numbers: Vec<Option<Number>>) -> PointColumn {
    let whole =
        numbers.iter().map(|number| number.as_ref().map_or(Some(None), |number| number.as_i64().map(Some)));
    whole.collect::<Option<Vec<Option<i64>>>>().map_or_else(
        || PointColumn::Numbers(numbers.iter().map(|number| number.as_ref()?.as_f64()).collect()),
        PointColumn::Whole,
    )
}

#[cfg(test)]
mod tests {
    use super::super::design::Block;
    use super::*;

    #[test]
    fn keys_and_numbers_are_columns() {
        let block = |key: &str, values: &[&str]| {
            Block::of_key(key, values.iter().map(|&value| value.to_owned()).collect())
        };
        let design = Design::new(vec![block("a.b", &["0.5", "2"]), block("ranks", &["1 us"])]).unwrap();
        let first = json!({
            "outcome": "finished", "why": null, "digest": "d",
            "summary": { "simulated_s": 2.5, "ranks": 4, "latency": { "mean_s": 1e-6 }, "list": [1], "text": "t" },
        });
        let second = json!({ "outcome": "deadlock", "why": "rank 0 waits", "summary": null });
        let [first, second] = [(0, first), (1, second)].map(|(point, line)| Done { point, line });
        let columns = columns(&design, &[first, second]);
        let names: Vec<&str> = columns.iter().map(|(name, _)| name.as_str()).collect();
        let expected = [
            "point",
            "a.b",
            "ranks",
            "ranks [s]",
            "outcome",
            "why",
            "digest",
            "latency.mean_s",
            "summary.ranks",
            "simulated_s",
        ];
        assert_eq!(names, expected);
        assert_eq!(columns[1].1, PointColumn::Numbers(vec![Some(0.5), Some(2.0)]));
        assert_eq!(columns[2].1, PointColumn::Texts(vec![Some("1 us".to_owned()), Some("1 us".to_owned())]));
        assert_eq!(columns[3].1, PointColumn::Numbers(vec![Some(1e-6), Some(1e-6)]));
        assert_eq!(columns[8].1, PointColumn::Whole(vec![Some(4), None]));
        assert_eq!(columns[9].1, PointColumn::Numbers(vec![Some(2.5), None]));
        assert_eq!(number(&json!({ "latency": { "mean_s": 1e-6 } }), "latency.mean_s"), Some(1e-6));
    }
}
