//! The machine file with fitted values: its text as it was, but for the values and a comment above each.

use crate::judge::Verdict;
use crate::parameter::{item, item_mut};
use crate::{Bound, Calibration, Estimate};
use toml_edit::{ArrayOfTables, DocumentMut, Item, Table, TableLike, Value};
use weir_scenario::option_of;

/// Begins the lines that an earlier calibration has left, which the next one replaces.
const MARK: &str = "# calibrated: ";

const CALIBRATED: &str = "calibrated";

/// Takes what `--unset` names out of the document, and puts what `--set` says into its tables; what does not fit there has been refused
/// elsewhere.
pub(crate) fn set_all(document: &mut DocumentMut, sets: &[String]) {
    let mut unset: Vec<String> = sets
        .iter()
        .map(|set| option_of(set))
        .filter(|[option, _]| option == "--unset")
        .map(|[_, key]| key)
        .collect();
    // Of a list the last rows first: those before them keep their numbers.
    unset.sort_unstable_by_key(|key| std::cmp::Reverse((key.len(), key.clone())));
    unset.iter().for_each(|key| remove(document.as_item_mut(), key));
    for (key, text) in sets.iter().filter_map(|set| set.split_once('=')) {
        if key.starts_with("workload.") || key.starts_with("output.") || key.starts_with("limits.") {
            continue;
        }
        let text = text.trim();
        let value: Value = text.parse().unwrap_or_else(|_| text.into());
        let (tables, last) = key.trim().rsplit_once('.').unwrap_or(("", key.trim()));
        if let Some(table) = table_mut(document.as_table_mut(), tables) {
            put(table.entry(last).or_insert(Item::None), value);
        }
    }
}

/// The table of this name, made if need be; a number is that of a row in a list of tables.
fn table_mut<'a>(table: &'a mut dyn TableLike, name: &str) -> Option<&'a mut dyn TableLike> {
    if name.is_empty() {
        return Some(table);
    }
    let (first, rest) = name.split_once('.').unwrap_or((name, ""));
    let (number, behind) = rest.split_once('.').unwrap_or((rest, ""));
    let row: Option<usize> = number.parse().ok();
    let empty = || if row.is_some() { Item::ArrayOfTables(ArrayOfTables::new()) } else { toml_edit::table() };
    match table.entry(first).or_insert_with(empty) {
        Item::ArrayOfTables(rows) => {
            if row == Some(rows.len()) {
                rows.push(Table::new());
            }
            table_mut(rows.get_mut(row?)?, behind)
        }
        inner => table_mut(inner.as_table_like_mut()?, rest),
    }
}

/// Takes a key, a table, or a row of a list of tables out, if it is there.
fn remove(document: &mut Item, key: &str) {
    let (tables, last) = key.rsplit_once('.').unwrap_or(("", key));
    let is_there = item(document, tables).is_some();
    match (is_there.then(|| item_mut(document, tables)).flatten(), last.parse()) {
        (Some(Item::ArrayOfTables(rows)), Ok(row)) if row < rows.len() => _ = rows.remove(row),
        (Some(table), _) => _ = table.as_table_like_mut().and_then(|table| table.remove(last)),
        (None, _) => (),
    }
}

/// Puts a value, with what stands around the one before.
fn put(item: &mut Item, value: Value) {
    let mut value = value;
    if let Some(before) = item.as_value() {
        *value.decor_mut() = before.decor().clone();
    }
    *item = Item::Value(value);
}

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

#[cfg(test)]
mod tests {
    use super::*;
    use weir_scenario::unset;

    #[test]
    fn keys_are_taken_back_and_set() {
        let text = "# own\n[node]\nnics = 2 # two\ninjection_limit = \"1 GB/s\"\n[[combining]]\nbandwidth = \"1 GB/s\"\n\
                    [[combining]]\nbandwidth = \"2 GB/s\"\nup_to = \"1 kB\"\n[mapping]\nkind = \"random\"\n";
        let mut document: DocumentMut = text.parse().unwrap();
        let taken = ["node.injection_limit", "combining.0", "combining.1.up_to", "mapping", "node.gone"];
        let sets: Vec<String> = taken.map(unset).into_iter().chain(["node.nics=4".to_owned()]).collect();
        set_all(&mut document, &sets);
        let expected = "# own\n[node]\nnics = 4 # two\n[[combining]]\nbandwidth = \"2 GB/s\"\n";
        assert_eq!(document.to_string(), expected);
    }
}
