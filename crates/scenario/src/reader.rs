//! Reads the keys of one table and remembers which were asked for, so that the others can be reported as unknown.

use crate::nearest::nearest;
use crate::tree::{Entry, Place, Tree, Value};
use crate::units_form::{Mixture, UnitsForm};
use crate::{Problem, Problems, Units, overrides};
use std::ops::RangeInclusive;
use std::path::PathBuf;
use weir_units::parse::{self, QuantityError};
use weir_units::{Bandwidth, Bytes, Duration, Frequency};

/// What has been found out about an input so far.
#[derive(Debug, Default)]
pub(crate) struct Findings {
    problems: Vec<(usize, Problem)>,
    pub(crate) form: UnitsForm,
}

impl Findings {
    /// Adds a problem of a key at a place.
    pub(crate) fn add(&mut self, place: &Place, key: &str, value: &str, what: String, hint: Option<String>) {
        let (key, value) = (key.to_owned(), value.to_owned());
        let problem = Problem { key, value, ..place.origin.problem(place.line, what, hint) };
        self.problems.push((place.origin.order, problem));
    }

    /// Adds problems that an origin has stated itself.
    pub(crate) fn extend(&mut self, order: usize, problems: impl IntoIterator<Item = Problem>) {
        self.problems.extend(problems.into_iter().map(|problem| (order, problem)));
    }

    /// Whether something is wrong with a key of one of these tables.
    pub(crate) fn concern(&self, tables: &[&str]) -> bool {
        let table = |key: &str| key.split('.').next().is_some_and(|table| tables.contains(&table));
        self.problems.iter().any(|(_, problem)| table(&problem.key))
    }

    /// The form in which the quantities were written; a mixture is a problem.
    pub(crate) fn units(&mut self) -> Units {
        self.form.units().unwrap_or_else(|mixture| {
            let Mixture { key, entry, what, hint } = *mixture;
            self.add(&entry.place, &key, &entry.written, what, Some(hint));
            Units::Written
        })
    }

    /// What was made of the input, if nothing is wrong with it.
    ///
    /// # Errors
    /// All problems, sorted.
    pub(crate) fn verdict<T>(mut self, made: Option<T>) -> Result<T, Problems> {
        if self.problems.is_empty() {
            return Ok(made.expect("what could not be made is a problem"));
        }
        self.problems.sort_by_key(|(order, problem)| (*order, problem.line));
        Err(Problems::new(self.problems.into_iter().map(|(_, problem)| problem).collect()))
    }
}

/// A kind of quantity and how it is read.
pub(crate) struct Quantity<T> {
    with_unit: fn(&str) -> Result<T, QuantityError>,
    bare: fn(f64) -> Result<T, QuantityError>,
    units: &'static str,
    example: &'static str,
}

pub(crate) const DURATION: Quantity<Duration> = Quantity {
    with_unit: parse::duration,
    bare: |seconds| {
        Duration::from_secs_f64(seconds).ok_or(if seconds < 0.0 {
            QuantityError::Negative
        } else {
            QuantityError::TooLarge
        })
    },
    units: parse::TIME_UNITS,
    example: "100 ns",
};

pub(crate) const BYTES: Quantity<Bytes> = Quantity {
    with_unit: parse::bytes,
    bare: parse::bytes_unitless,
    units: parse::BYTE_UNITS,
    example: "20 kB",
};

pub(crate) const BANDWIDTH: Quantity<Bandwidth> = Quantity {
    with_unit: parse::bandwidth,
    bare: parse::bandwidth_unitless,
    units: parse::BANDWIDTH_UNITS,
    example: "1 GB/s",
};

pub(crate) const FREQUENCY: Quantity<Frequency> = Quantity {
    with_unit: parse::frequency,
    bare: |_| Err(QuantityError::NoUnit(parse::FREQUENCY_UNITS)),
    units: parse::FREQUENCY_UNITS,
    example: "3 GHz",
};

/// One table of the input.
///
/// Getters return `None` for a key that is absent and for one whose value is wrong; the latter is a problem already
/// when they return, so a caller may go on with any default.
pub(crate) struct Section<'a> {
    name: &'static str,
    tree: Tree,
    place: Place,
    asked: Vec<&'static str>,
    refused: Vec<&'static str>,
    findings: &'a mut Findings,
}

impl<'a> Section<'a> {
    /// The table `name` at a place; an absent one is empty and at the place of the whole input.
    pub(crate) fn new(name: &'static str, tree: Tree, place: Place, findings: &'a mut Findings) -> Self {
        Self { name, tree, place, asked: Vec::new(), refused: Vec::new(), findings }
    }

    /// The table of this name within `root`.
    pub(crate) fn within(root: &Tree, name: &'static str, whole: &Place, findings: &'a mut Findings) -> Self {
        let (tree, place) = match root.entries.get(name) {
            Some(Entry { value: Value::Table(tree), place, .. }) => (tree.clone(), place.clone()),
            _ => (Tree::default(), whole.clone()),
        };
        Self::new(name, tree, place, findings)
    }

    /// Whether the key is there, right or wrong.
    pub(crate) fn has(&self, key: &str) -> bool {
        self.tree.entries.contains_key(key)
    }

    fn full(&self, key: &str) -> String {
        if self.name.is_empty() { key.to_owned() } else { format!("{}.{key}", self.name) }
    }

    fn ask(&mut self, key: &'static str) -> Option<Entry> {
        self.asked.push(key);
        self.tree.entries.get(key).cloned()
    }

    fn wrong(&mut self, key: &str, entry: &Entry, what: impl Into<String>) {
        self.wrong_with_hint(key, entry, what, None);
    }

    fn wrong_with_hint(&mut self, key: &str, entry: &Entry, what: impl Into<String>, hint: Option<String>) {
        let key = self.full(key);
        self.findings.add(&entry.place, &key, &entry.written, what.into(), hint);
    }

    /// A problem of a key that has been read before, or of the table where the key is absent.
    pub(crate) fn problem(&mut self, key: &str, what: impl Into<String>, hint: Option<String>) {
        match self.tree.entries.get(key).cloned() {
            Some(entry) => self.wrong_with_hint(key, &entry, what, hint),
            None => {
                let (key, place) = (self.full(key), self.place.clone());
                self.findings.add(&place, &key, "", what.into(), hint);
            }
        }
    }

    /// Passes on what a getter returned; reports the key as missing if it is absent.
    pub(crate) fn required<T>(&mut self, value: Option<T>, key: &'static str, hint: &str) -> Option<T> {
        if !self.has(key) {
            self.problem(key, "is missing", Some(hint.to_owned()));
        }
        value
    }

    /// Refuses keys that are known but make no sense here, and says why.
    pub(crate) fn refuse(&mut self, keys: &[&'static str], why: &str) {
        for key in keys {
            self.refused.push(key);
            if let Some(entry) = self.tree.entries.get(*key).cloned() {
                self.wrong(key, &entry, why);
            }
        }
    }

    /// Lets keys pass unread: nothing can be said about them before something else is put right.
    pub(crate) fn pass(&mut self, keys: &[&'static str]) {
        self.asked.extend_from_slice(keys);
    }

    /// A text.
    pub(crate) fn text(&mut self, key: &'static str) -> Option<String> {
        let entry = self.ask(key)?;
        self.text_of(key, &entry)
    }

    fn text_of(&mut self, key: &'static str, entry: &Entry) -> Option<String> {
        match &entry.value {
            Value::Text(text) => Some(text.clone()),
            // `--set title=5` cannot mean anything else than the text.
            Value::Integer(_) | Value::Float(_) | Value::Boolean(_) | Value::Other
                if entry.place.origin.name == overrides::NAME =>
            {
                Some(entry.written.clone())
            }
            _ => {
                self.wrong(key, entry, "must be a text in quotes");
                None
            }
        }
    }

    /// A list of texts.
    pub(crate) fn texts(&mut self, key: &'static str) -> Option<Vec<String>> {
        let entry = self.ask(key)?;
        let Value::List(list) = &entry.value else {
            let hint = Some(format!("write {key} = [\"...\", \"...\"]"));
            self.wrong_with_hint(key, &entry, "must be a list of texts", hint);
            return None;
        };
        list.iter().map(|item| self.text_of(key, item)).collect()
    }

    /// A path, joined to the folder it is relative to.
    pub(crate) fn path(&mut self, key: &'static str) -> Option<PathBuf> {
        let entry = self.ask(key)?;
        let text = self.text_of(key, &entry)?;
        if text.is_empty() {
            self.wrong(key, &entry, "must not be empty");
            return None;
        }
        Some(entry.place.origin.folder.join(text))
    }

    /// True or false.
    pub(crate) fn boolean(&mut self, key: &'static str) -> Option<bool> {
        let entry = self.ask(key)?;
        let Value::Boolean(boolean) = entry.value else {
            self.wrong(key, &entry, "must be true or false");
            return None;
        };
        Some(boolean)
    }

    /// A list of so many booleans.
    pub(crate) fn booleans(
        &mut self,
        key: &'static str,
        count: Option<usize>,
        per: &str,
    ) -> Option<Vec<bool>> {
        let entry = self.ask(key)?;
        let list: &[Entry] = if let Value::List(list) = &entry.value { list } else { &[] };
        let boolean =
            |item: &Entry| if let Value::Boolean(boolean) = item.value { Some(boolean) } else { None };
        let booleans: Option<Vec<bool>> = list.iter().map(boolean).collect();
        let Some(booleans) = booleans.filter(|list| !list.is_empty()) else {
            let hint = Some(format!("write {key} = [true, false]"));
            self.wrong_with_hint(key, &entry, "must be a list of true and false", hint);
            return None;
        };
        if let Some(count) = count.filter(|&count| count != booleans.len()) {
            self.wrong(
                key,
                &entry,
                format!("must have {count} values, one per {per}, not {}", booleans.len()),
            );
            return None;
        }
        Some(booleans)
    }

    /// One boolean for all, or a list with one for each of `count`; `None` for a count that is not known.
    pub(crate) fn boolean_or_booleans(
        &mut self,
        key: &'static str,
        count: Option<usize>,
        per: &str,
    ) -> Option<Vec<bool>> {
        match self.tree.entries.get(key).map(|entry| &entry.value) {
            Some(&Value::Boolean(boolean)) => {
                self.pass(&[key]);
                count.map(|count| vec![boolean; count])
            }
            _ => self.booleans(key, count, per),
        }
    }

    /// A whole number in a range.
    pub(crate) fn integer(&mut self, key: &'static str, range: RangeInclusive<u64>) -> Option<u64> {
        let entry = self.ask(key)?;
        let integer = integer_in(&entry, &range);
        if integer.is_none() {
            self.wrong(key, &entry, format!("must be {}", whole_number(&range)));
        }
        integer
    }

    /// Sizes, one per dimension: a list, not empty, of whole numbers in a range.
    pub(crate) fn sizes(&mut self, key: &'static str, range: RangeInclusive<u64>) -> Option<Vec<u64>> {
        let entry = self.ask(key)?;
        let sizes = match &entry.value {
            Value::List(list) if !list.is_empty() => {
                list.iter().map(|item| integer_in(item, &range)).collect()
            }
            _ => None,
        };
        if sizes.is_none() {
            let what = format!("must be a list of sizes, not empty, each {}", whole_number(&range));
            self.wrong_with_hint(
                key,
                &entry,
                what,
                Some(format!("write one per dimension: {key} = [8, 8, 8]")),
            );
        }
        sizes
    }

    /// A number without dimension that satisfies a condition.
    pub(crate) fn number(
        &mut self,
        key: &'static str,
        condition: impl Fn(f64) -> bool,
        in_words: &str,
    ) -> Option<f64> {
        let entry = self.ask(key)?;
        let number = match entry.value {
            Value::Integer(integer) => Some(integer as f64),
            Value::Float(float) => Some(float),
            _ => None,
        };
        let number = number.filter(|&number| condition(number));
        if number.is_none() {
            self.wrong(key, &entry, format!("must be {in_words}"));
        }
        number
    }

    /// One of a closed set of names. `later` are names of the file format that this version does not have.
    pub(crate) fn choice<T: Copy>(
        &mut self,
        key: &'static str,
        names: &[(&'static str, T)],
        later: &[&str],
    ) -> Option<T> {
        let entry = self.ask(key)?;
        let all = names.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ");
        let written = match &entry.value {
            Value::Text(text) => text.as_str(),
            _ => entry.written.as_str(),
        };
        if let Some(&(_, choice)) = names.iter().find(|(name, _)| *name == written) {
            return Some(choice);
        }
        if later.contains(&written) {
            self.wrong(key, &entry, format!("is not in this version, which has {all}"));
        } else {
            let meant = nearest(written, names.iter().map(|(name, _)| *name));
            let hint = meant.map(|name| format!("did you mean {name:?}?"));
            self.wrong_with_hint(key, &entry, format!("must be one of {all}"), hint);
        }
        None
    }

    /// A quantity of the simulated machine, in either form.
    pub(crate) fn quantity<T>(&mut self, key: &'static str, kind: &Quantity<T>) -> Option<T> {
        let entry = self.ask(key)?;
        self.quantity_of(key, &entry, kind)
    }

    /// One quantity for all, or a list with one for each of `count`; `None` for a count that is not known.
    pub(crate) fn quantities<T: Copy>(
        &mut self,
        key: &'static str,
        kind: &Quantity<T>,
        count: Option<usize>,
        per: &str,
    ) -> Option<Vec<T>> {
        let entry = self.ask(key)?;
        let Value::List(list) = &entry.value else {
            let one = self.quantity_of(key, &entry, kind)?;
            return count.map(|count| vec![one; count]);
        };
        let values: Vec<Option<T>> = list.iter().map(|item| self.quantity_of(key, item, kind)).collect();
        let count = count?;
        if values.len() != count {
            let what = format!("must be one value, or {count}, one per {per}, not {}", values.len());
            self.wrong(key, &entry, what);
            return None;
        }
        values.into_iter().collect()
    }

    fn quantity_of<T>(&mut self, key: &'static str, entry: &Entry, kind: &Quantity<T>) -> Option<T> {
        let full = self.full(key);
        let bare = |number: f64, findings: &mut Findings| {
            if number != 0.0 {
                findings.form.without_unit(&full, kind.example, entry);
            }
            (kind.bare)(number)
        };
        let result = match &entry.value {
            Value::Text(text) => (kind.with_unit)(text).inspect(|_| self.findings.form.with_unit(&full)),
            Value::Integer(integer) => bare(*integer as f64, self.findings),
            Value::Float(number) => bare(*number, self.findings),
            _ => {
                self.wrong(key, entry, format!("must be a quantity such as {:?}", kind.example));
                return None;
            }
        };
        result.map_err(|error| self.wrong(key, entry, error.to_string())).ok()
    }

    /// A quantity of the computer that weir runs on: always with a unit, whatever the form of the others.
    pub(crate) fn real_quantity<T>(&mut self, key: &'static str, kind: &Quantity<T>) -> Option<T> {
        let entry = self.ask(key)?;
        let result = match &entry.value {
            Value::Text(text) => (kind.with_unit)(text),
            _ => Err(QuantityError::NoUnit(kind.units)),
        };
        result.map_err(|error| self.wrong(key, &entry, error.to_string())).ok()
    }

    /// A quantity or a whole number of something: what it is follows from how it is written.
    pub(crate) fn integer_or_quantity<T>(
        &mut self,
        key: &'static str,
        range: RangeInclusive<u64>,
        kind: &Quantity<T>,
    ) -> Option<Result<u64, T>> {
        let entry = self.ask(key)?;
        if let Value::Text(_) = entry.value {
            return self.quantity_of(key, &entry, kind).map(Err);
        }
        let integer = integer_in(&entry, &range);
        if integer.is_none() {
            let what = format!("must be {}, or a quantity such as {:?}", whole_number(&range), kind.example);
            self.wrong(key, &entry, what);
        }
        integer.map(Ok)
    }

    /// A whole number in a range, or one of a closed set of names.
    pub(crate) fn integer_or_choice<T: Copy>(
        &mut self,
        key: &'static str,
        range: RangeInclusive<u64>,
        names: &[(&'static str, T)],
    ) -> Option<Result<u64, T>> {
        let entry = self.ask(key)?;
        if let Some(integer) = integer_in(&entry, &range) {
            return Some(Ok(integer));
        }
        let named = |text: &str| names.iter().find(|(name, _)| *name == text);
        let chosen = if let Value::Text(text) = &entry.value { named(text) } else { None };
        if chosen.is_none() {
            let all = names.iter().map(|(name, _)| format!(", or {name:?}")).collect::<String>();
            self.wrong(key, &entry, format!("must be {}{all}", whole_number(&range)));
        }
        chosen.map(|&(_, choice)| Err(choice))
    }

    /// A number that satisfies a condition, or one of a closed set of names.
    pub(crate) fn number_or_choice<T: Copy>(
        &mut self,
        key: &'static str,
        condition: impl Fn(f64) -> bool,
        in_words: &str,
        names: &[(&'static str, T)],
    ) -> Option<Result<f64, T>> {
        let entry = self.ask(key)?;
        let number = match &entry.value {
            Value::Integer(integer) => Some(*integer as f64),
            Value::Float(float) => Some(*float),
            _ => None,
        };
        if let Some(number) = number.filter(|&number| condition(number)) {
            return Some(Ok(number));
        }
        let named = |text: &str| names.iter().find(|(name, _)| *name == text);
        let chosen = if let Value::Text(text) = &entry.value { named(text) } else { None };
        if chosen.is_none() {
            let all = names.iter().map(|(name, _)| format!("{name:?} or ")).collect::<String>();
            self.wrong(key, &entry, format!("must be {all}a number {in_words}"));
        }
        chosen.map(|&(_, choice)| Err(choice))
    }

    /// A table within this one, which is read as a section of its own; here only known to be a table.
    pub(crate) fn table(&mut self, key: &'static str) {
        if let Some(entry) = self.ask(key)
            && !matches!(entry.value, Value::Table(_))
        {
            self.wrong_with_hint(key, &entry, "must be a table", Some(format!("begin it with [{key}]")));
        }
    }

    /// Adds problems of a file that the section names.
    pub(crate) fn extend(&mut self, order: usize, problems: Vec<Problem>) {
        self.findings.extend(order, problems);
    }

    /// A value of which more than one kind is allowed, as it stands in the file.
    pub(crate) fn entry(&mut self, key: &'static str) -> Option<Entry> {
        self.ask(key)
    }

    /// A table in a list, as a section of its own; `name` is that of the list.
    pub(crate) fn item(&mut self, name: &'static str, tree: &Tree, place: &Place) -> Section<'_> {
        Section::new(name, tree.clone(), place.clone(), self.findings)
    }

    /// Reports every key that nobody has asked for, with the nearest known one.
    pub(crate) fn finish(self) {
        for (key, entry) in &self.tree.entries {
            if self.asked.contains(&key.as_str()) || self.refused.contains(&key.as_str()) {
                continue;
            }
            let hint = match nearest(key, self.asked.iter().copied()) {
                Some(known) => format!("did you mean {known}?"),
                None => {
                    let mut known = self.asked.clone();
                    known.sort_unstable();
                    known.dedup();
                    format!("known are {}", known.join(", "))
                }
            };
            let what = if matches!(entry.value, Value::Table(_)) { "unknown table" } else { "unknown key" };
            self.findings.add(&entry.place, &self.full(key), &entry.written, what.to_owned(), Some(hint));
        }
    }
}

fn integer_in(entry: &Entry, range: &RangeInclusive<u64>) -> Option<u64> {
    match entry.value {
        Value::Integer(integer) => u64::try_from(integer).ok().filter(|integer| range.contains(integer)),
        _ => None,
    }
}

fn whole_number(range: &RangeInclusive<u64>) -> String {
    let (least, most) = (range.start(), range.end());
    if *most >= u64::from(u32::MAX) {
        format!("a whole number, at least {least}")
    } else {
        format!("a whole number from {least} to {most}")
    }
}
