//! A load study in words, as CSV and as JSON.

use super::curve::{Curve, Point, Saturation, WITHIN};
use crate::sweep::picture::SATURATED;
use crate::sweep::rows::quoted;
use crate::text::{short, table};
use serde_json::{Value, json};

/// Where a network saturates, in words.
fn interval(Saturation { carried, not_carried }: Saturation) -> String {
    match (carried, not_carried) {
        (Some(from), Some(to)) => format!("{} to {}", digits(from), digits(to)),
        (Some(all), None) => format!("above {}", digits(all)),
        (None, Some(least)) => format!("below {}", digits(least)),
        (None, None) => String::new(),
    }
}

/// A load with at most three digits.
fn digits(load: f64) -> f64 {
    (load * 1e3).round() / 1e3
}

pub(super) fn to_text(curves: &[Curve]) -> String {
    let shown = |number: Option<f64>| number.map_or_else(String::new, |number| format!("{number:.3}"));
    let row = |curve: &Curve| {
        let last = curve.points.last();
        [
            curve.pattern.clone(),
            curve.rule.clone(),
            curve.zero_load_latency().map_or_else(String::new, short),
            interval(curve.saturation()),
            shown(last.and_then(Point::accepted)),
        ]
    };
    let ends = curves.iter().flat_map(|curve| curve.points.first().zip(curve.points.last())).next();
    let (least, most) = ends.map_or((0.0, 1.0), |(first, last)| (first.load, last.load));
    let accepted = format!("accepted at load {most}");
    let head = ["pattern", "rule", "zero-load latency", "saturation", &accepted];
    let mut text = table(head, curves.iter().map(row));
    text += &format!(
        "\n  The network carries a load if at least 95 % of it arrives and mean latency is at most {SATURATED} times the zero-load latency, which is\n  \
         that at load {least}; saturation lies between the last load that it carries and the first that it does not.\n"
    );
    if let Some(sentence) = best_in_words(curves) {
        text += &format!("\n  {sentence}\n");
    }
    text
}

/// The rules that carry most under a pattern: those of which the interval of saturation does not end below the highest load that is carried.
struct Best<'a> {
    pattern: &'a str,
    rules: Vec<&'a str>,
    carried: f64,
}

/// The best rules for each pattern of which several were run.
fn best(curves: &[Curve]) -> Vec<Best<'_>> {
    let of_pattern = |curves: &'_ [Curve]| -> Option<(f64, Vec<usize>)> {
        let carried = |curve: &Curve| curve.saturation().carried;
        let most = curves.iter().filter_map(carried).max_by(f64::total_cmp)?;
        let is_best = |curve: &Curve| {
            let Saturation { carried, not_carried } = curve.saturation();
            carried.is_some() && not_carried.is_none_or(|not_carried| not_carried > most)
        };
        Some((most, (0..curves.len()).filter(|&place| is_best(&curves[place])).collect()))
    };
    let chunks = curves.chunk_by(|one, next| one.pattern == next.pattern).filter(|curves| curves.len() > 1);
    let found = chunks.filter_map(|curves| {
        let (carried, places) = of_pattern(curves)?;
        let rules = places.into_iter().map(|place| curves[place].rule.as_str()).collect();
        Some(Best { pattern: &curves[0].pattern, rules, carried })
    });
    found.collect()
}

fn best_in_words(curves: &[Curve]) -> Option<String> {
    let one = |Best { pattern, rules, carried }: &Best<'_>| {
        let are_all = curves.iter().filter(|curve| curve.pattern == *pattern).count() == rules.len();
        let with = match (are_all, rules.as_slice()) {
            (true, _) => "all rules alike".to_owned(),
            (false, [first @ .., last]) if !first.is_empty() => {
                format!("{} and {last} alike", first.join(", "))
            }
            (false, rules) => rules.join(""),
        };
        format!("{pattern} with {with}, up to a load of {}", digits(*carried))
    };
    let parts: Vec<String> = best(curves).iter().map(one).collect();
    (!parts.is_empty()).then(|| format!("The network carries most of {}.", parts.join("; of ")))
}

/// Pattern, rule, and numbers of each point.
fn columns<'a>(curve: &'a Curve, point: &'a Point) -> [(&'static str, Value); 10] {
    let finished = |name: &str| json!(point.number(name).filter(|_| point.done.has_finished()));
    [
        ("pattern", json!(curve.pattern)),
        ("rule", json!(curve.rule)),
        ("load", json!(point.load)),
        ("offered_load", finished("offered_load")),
        ("accepted_load", json!(point.accepted())),
        ("latency_mean_s", json!(point.latency())),
        ("latency_p99_s", finished("generation_latency_p99_s")),
        ("hops", json!(point.hops())),
        ("saturated", json!(!curve.carries(point))),
        ("outcome", json!(point.done.outcome())),
    ]
}

pub(super) fn to_csv(curves: &[Curve]) -> String {
    let rows = curves.iter().flat_map(|curve| curve.points.iter().map(|point| columns(curve, point)));
    let mut text = String::new();
    for row in rows {
        if text.is_empty() {
            text = row.each_ref().map(|(name, _)| *name).join(",") + "\n";
        }
        let cell = |(_, value): &(_, Value)| match value {
            Value::String(text) => quoted(text),
            Value::Null => String::new(),
            other => other.to_string(),
        };
        text += &(row.each_ref().map(cell).join(",") + "\n");
    }
    text
}

pub(super) fn to_json(curves: &[Curve]) -> Value {
    let curve = |curve: &Curve| {
        let Saturation { carried, not_carried } = curve.saturation();
        let point = |point: &Point| {
            let columns = columns(curve, point).into_iter().skip(2);
            Value::Object(columns.map(|(name, value)| (name.to_owned(), value)).collect())
        };
        json!({
            "pattern": curve.pattern,
            "rule": curve.rule,
            "zero_load_latency_s": curve.zero_load_latency(),
            "carried_load": carried,
            "not_carried_load": not_carried,
            "accepted_at_most_load": curve.points.last().and_then(Point::accepted),
            "points": curve.points.iter().map(point).collect::<Vec<_>>(),
        })
    };
    let best = |best: &Best<'_>| json!({ "pattern": best.pattern, "rules": best.rules, "carried_load": best.carried });
    json!({
        "schema_version": 1,
        "saturation": { "accepted_part": 0.95, "latency_factor": SATURATED, "within": WITHIN },
        "curves": curves.iter().map(curve).collect::<Vec<_>>(),
        "best": self::best(curves).iter().map(best).collect::<Vec<_>>(),
    })
}

#[cfg(test)]
mod tests {
    use super::super::curve::tests::curve;
    use super::*;

    /// a carries 0.5 and not 0.51, b 0.505 and not 0.52: the intervals have loads in common. c carries less than both.
    #[test]
    fn rules_whose_intervals_overlap_are_alike() {
        let with = |rule: &str, carried: f64, not_carried: f64| {
            curve(rule, &[(0.1, 1.0, 0.1), (carried, 2.0, carried), (not_carried, 4.0, not_carried)])
        };
        let mut curves = vec![with("a", 0.5, 0.51), with("b", 0.505, 0.52), with("c", 0.4, 0.41)];
        let sentence = |curves: &[Curve]| best_in_words(curves);
        assert_eq!(
            sentence(&curves).unwrap(),
            "The network carries most of uniform with a and b alike, up to a load of 0.505."
        );
        assert!(to_text(&curves).contains("0.505 to 0.52"));
        curves.remove(0);
        assert_eq!(
            sentence(&curves).unwrap(),
            "The network carries most of uniform with b, up to a load of 0.505."
        );
        curves.remove(0);
        assert_eq!(sentence(&curves), None);
        let lines: Vec<String> = to_csv(&curves).lines().map(str::to_owned).collect();
        assert_eq!(
            lines[..2],
            [
                "pattern,rule,load,offered_load,accepted_load,latency_mean_s,latency_p99_s,hops,saturated,outcome",
                "uniform,c,0.1,0.1,0.1,1.0,2.0,2.5,false,finished"
            ]
        );
        assert_eq!(to_json(&curves)["curves"][0]["not_carried_load"], 0.41);
    }
}
