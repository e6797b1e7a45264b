//! The machine file with fitted values: its text as it was, but for the values and a comment above each.

use crate::document::put;
use crate::judge::Verdict;
use crate::parameter::item_mut;
use crate::{Bound, Calibration, Estimate};
use toml_edit::{DocumentMut, Item, Table};

/// Begins the lines that an earlier calibration has left, which the next one replaces.
const MARK: &str = "# calibrated: ";

const CALIBRATED: &str = "calibrated";

impl Calibration {
    /// The machine file with the fitted values; the rest of it is as it was.
    pub fn machine_file(&self) -> String {
        let mut document = self.document.clone();
        for estimate in &self.estimates {
            let item = item_mut(document.as_item_mut(), &estimate.parameter.key).expect("it was read there");
            let value = estimate.parameter.quantity.in_file(estimate.value);
            match (item.as_array_mut(), estimate.parameter.element) {
                (Some(list), Some(element)) => _ = list.replace(element, value),
                _ => put(item, value),
            }
        }
        comment(&mut document, self);
        put_intervals(&mut document, self);
        let head = format!(
            "{MARK}fitted to {} rows of {}; half of the predictions are within {:.3} %, nine of ten within {:.3} %\n",
            self.rows.len(),
            self.source,
            100.0 * self.fitted().median,
            100.0 * self.fitted().ninth,
        );
        head + document.to_string().trim_start_matches('\n')
    }
}

/// Puts the interval of each value that has one into the table `[calibrated]`, in place of what an earlier calibration has left there. Of
/// values that go up or down together only the one that is known best has one: taken as independent, they would count twice.
fn put_intervals(document: &mut DocumentMut, calibration: &Calibration) {
    let mut table = Table::new();
    for (number, estimate) in calibration.estimates.iter().enumerate() {
        let (quantity, factor) = (estimate.parameter.quantity, estimate.precision.factor);
        let is_known = matches!(estimate.precision.verdict, Verdict::Determined | Verdict::Undetermined);
        let rank = |other: usize| (calibration.estimates[other].precision.factor, other);
        let is_best = estimate.precision.with.iter().all(|(other, _)| rank(*other) > rank(number));
        if is_known && is_best && quantity.interval(estimate.value, factor).is_some() {
            let ends = [estimate.value / factor, estimate.value * factor].map(|end| quantity.in_file(end));
            table.insert(&estimate.parameter.name, Item::Value(ends.into_iter().collect()));
        }
    }
    document.remove(CALIBRATED);
    if !table.is_empty() {
        document.insert(CALIBRATED, Item::Table(table));
    }
}

/// Writes above each key what is known of it.
fn comment(document: &mut DocumentMut, calibration: &Calibration) {
    let mut commented: Vec<&str> = Vec::new();
    for estimate in &calibration.estimates {
        let key = estimate.parameter.key.as_str();
        if commented.contains(&key) {
            continue;
        }
        commented.push(key);
        let of_key = calibration.estimates.iter().filter(|other| other.parameter.key == key);
        let lines: String =
            of_key.map(|estimate| format!("{MARK}{}\n", in_words(estimate, calibration))).collect();
        // An inline table is one line, which has no room for comments.
        let (tables, last) = key.rsplit_once('.').unwrap_or(("", key));
        let table = item_mut(document.as_item_mut(), tables).and_then(Item::as_table_mut);
        let Some(mut key) = table.and_then(|table| table.key_mut(last)) else { continue };
        let before = key.leaf_decor().prefix().and_then(|raw| raw.as_str()).unwrap_or_default().to_owned();
        key.leaf_decor_mut().set_prefix(without_marks(&before) + &lines);
    }
    let first = document.iter().next().map(|(key, _)| key.to_owned());
    if let Some(table) = first.and_then(|first| document.get_mut(&first)).and_then(Item::as_table_mut) {
        let before = table.decor().prefix().and_then(|raw| raw.as_str()).unwrap_or_default().to_owned();
        table.decor_mut().set_prefix(without_marks(&before));
    }
}

fn without_marks(text: &str) -> String {
    text.split_inclusive('\n').filter(|line| !line.trim_start().starts_with(MARK)).collect()
}

fn in_words(estimate: &Estimate, calibration: &Calibration) -> String {
    let quantity = estimate.parameter.quantity;
    let (value, precision) = (estimate.value, &estimate.precision);
    let interval = match quantity.interval(value, precision.factor) {
        Some(interval) => format!("95 % interval {interval}"),
        None => "nothing is known of it".to_owned(),
    };
    let name = match estimate.parameter.element {
        Some(element) => format!("element {element}, "),
        None => String::new(),
    };
    let said = match precision.verdict {
        Verdict::Determined => interval,
        Verdict::NoEffect => "not determined: no row depends on it".to_owned(),
        Verdict::AtBound(Bound::Lower) => "not determined: the rows would have less".to_owned(),
        Verdict::AtBound(Bound::Upper) => "not determined: the rows would have more".to_owned(),
        Verdict::Undetermined => format!("not determined: {interval}"),
    };
    let with: Vec<&str> = precision
        .with
        .iter()
        .map(|(other, _)| calibration.estimates[*other].parameter.name.as_str())
        .collect();
    let with = if with.is_empty() { String::new() } else { format!("; depends on {}", with.join(", ")) };
    format!("{name}{said}{with}")
}
