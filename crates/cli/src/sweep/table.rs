//! Points as columns: what is varied, how each ended, and all numbers of its summary.

use super::design::Design;
use super::quantity::{self, Unit};
use serde_json::{Number, Value};
use std::collections::BTreeSet;
use weir_record::PointColumn;

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
pub(super) fn columns(design: &Design, points: &[(usize, &Value)]) -> Vec<(String, PointColumn)> {
    let whole = points.iter().map(|(point, _)| Some(*point as i64)).collect();
    let mut columns = vec![("point".to_owned(), PointColumn::Whole(whole))];
    for key in design.keys() {
        let values: Vec<Option<&str>> = points.iter().map(|(point, _)| design.value(*point, key)).collect();
        let known = values.iter().copied().flatten();
        let read = quantity::numbers(known).map(|(numbers, unit)| {
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
        let texts = points.iter().map(|(_, line)| line[key].as_str().map(str::to_owned)).collect();
        (key.to_owned(), PointColumn::Texts(texts))
    };
    columns.extend([text("outcome"), text("why"), text("digest")]);
    let of_points: Vec<Vec<(String, &Number)>> =
        points.iter().map(|(_, line)| numbers(&line["summary"])).collect();
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
    use serde_json::json;

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
        let columns = columns(&design, &[(0, &first), (1, &second)]);
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
        assert_eq!(number(&first["summary"], "latency.mean_s"), Some(1e-6));
    }
}
