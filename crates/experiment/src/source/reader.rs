//! Reads the keys of one table and remembers which were asked for, so that the others can be reported as unknown.

use crate::foreign;
use crate::keys::form::{OneOrMany, written};
use crate::keys::{self, DefaultValue, Key, KeyPath, Row, Table};
use crate::source::findings::Findings;
use crate::source::nearest::nearest;
use crate::source::tree::{Entry, Place, Tree, Value};
use crate::{Problem, Units};
use std::borrow::Cow;

/// For how many of what there is a value each; `None` if that is not known.
pub(crate) type Per<'a> = (Option<usize>, &'a str);

/// One table of the input.
///
/// Getters return `None` for a key that is absent and for one whose value is wrong; the latter is a problem already
/// when they return, so a caller may go on with any default.
pub(crate) struct Section<'a> {
    name: Cow<'static, str>,
    tree: Tree,
    place: Place,
    asked: Vec<&'static str>,
    refused: Vec<&'static str>,
    findings: &'a mut Findings,
}

impl<'a> Section<'a> {
    /// The table `name` at a place; an absent one is empty and at the place of the whole input.
    pub(crate) fn new(
        name: impl Into<Cow<'static, str>>,
        tree: Tree,
        place: Place,
        findings: &'a mut Findings,
    ) -> Self {
        Self { name: name.into(), tree, place, asked: Vec::new(), refused: Vec::new(), findings }
    }

    /// The table of this name within `root`.
    pub(crate) fn within(root: &Tree, name: &'static str, whole: &Place, findings: &'a mut Findings) -> Self {
        let (tree, place) = match root.entries.get(name) {
            Some(Entry { value: Value::Table(tree), place, .. }) => (tree.clone(), place.clone()),
            _ => (Tree::default(), whole.clone()),
        };
        Self::new(name, tree, place, findings)
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    pub(crate) fn has(&self, key: &str) -> bool {
        self.tree.entries.contains_key(key)
    }

    pub(crate) fn is_right(&self, key: &str) -> bool {
        let key = self.full(key);
        self.findings.problems.iter().all(|(_, problem)| problem.key != key)
    }

    /// Number of mistakes of the whole input so far.
    pub(crate) fn mistakes(&self) -> usize {
        self.findings.problems.len()
    }

    /// Leaves out of the resolved experiment what a table within this one, whose whole name is `name`, does not say itself.
    pub(crate) fn keep_written(&mut self, key: &str, name: &str) {
        let inner = self.tree.table(key);
        let is_said = |key: &str| inner.is_some_and(|inner| inner.entries.contains_key(key));
        self.findings.resolved.keep(name, is_said);
    }

    fn full(&self, key: &str) -> String {
        keys::full(&self.name, key)
    }

    pub(crate) fn entry(&mut self, key: &'static str) -> Option<Entry> {
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

    /// Reports a mistake of a key that has been read before, or of the table where the key is absent.
    /// An empty hint is none.
    pub(crate) fn report(&mut self, key: &str, what: impl Into<String>, hint: impl Into<String>) {
        let hint = Some(hint.into()).filter(|hint| !hint.is_empty());
        match self.tree.entries.get(key).cloned() {
            Some(entry) => self.wrong_with_hint(key, &entry, what, hint),
            None => {
                let (key, place) = (self.full(key), self.place.clone());
                self.findings.add(&place, &key, "", what.into(), hint);
            }
        }
    }

    pub(crate) fn report_if(&mut self, is_wrong: bool, key: &str, what: impl Into<String>, hint: &str) {
        if is_wrong {
            self.report(key, what, hint);
        }
    }

    pub(crate) fn get<T>(&mut self, key: &'static Key<T>) -> Option<T> {
        let entry = self.entry(key.name);
        let value = entry
            .and_then(|entry| key.form.read(&mut KeyPath::new(&self.name, key.name, self.findings), &entry));
        self.hold(key, value.as_ref());
        value
    }

    /// A key has this value, or none, in the resolved experiment, which leaves some defaults out.
    fn hold<T>(&mut self, key: &Key<T>, value: Option<&T>) {
        let forms = |value: &T| [Units::Written, Units::Unitless].map(|units| key.form.write(units, value));
        let is_left_out = |written: &[serde_json::Value; 2]| {
            matches!(key.default, DefaultValue::Omitted(_)) && *written == forms(&key.default_value())
        };
        let value = value.map(forms).filter(|written| !is_left_out(written));
        self.findings.resolved.put(&self.name, key.name, value);
    }

    /// The value of a key that holds in place of what was read, or that it has none.
    pub(crate) fn settle<T>(&mut self, key: &Key<T>, value: impl Into<Option<T>>) {
        self.hold(key, value.into().as_ref());
    }

    /// The same of a key whose section writes it.
    pub(crate) fn settle_written(&mut self, key: &Row, value: Option<serde_json::Value>) {
        self.findings.resolved.put(&self.name, key.name, value.map(|value| [value.clone(), value]));
    }

    /// Leaves a table within this one out of the resolved experiment.
    pub(crate) fn forget_table(&mut self, name: &str) {
        self.findings.resolved.forget_table(name);
    }

    /// Keys that a resolved experiment has behind the others, in this order.
    pub(crate) fn put_last(&mut self, keys: &str) {
        self.findings.resolved.put_last(&self.name, keys);
    }

    pub(crate) fn get_or_default<T>(&mut self, key: &'static Key<T>) -> T {
        self.get(key).unwrap_or_else(|| {
            let value = key.default_value();
            self.hold(key, Some(&value));
            value
        })
    }

    /// The value of a key, or another one where it has none: that holds then.
    pub(crate) fn get_or<T: Clone>(&mut self, key: &'static Key<T>, other: T) -> T {
        let value = self.get(key).unwrap_or(other);
        self.settle(key, value.clone());
        value
    }

    pub(crate) fn get_required<T>(&mut self, key: &'static Key<T>) -> Option<T> {
        let value = self.get(key);
        match key.default {
            DefaultValue::Required(hint) => self.required(value, key.name, hint),
            _ => value,
        }
    }

    /// Passes on what a getter returned; reports the key as missing if it is absent.
    pub(crate) fn required<T>(&mut self, value: Option<T>, key: &'static str, hint: &str) -> Option<T> {
        if !self.has(key) {
            self.report(key, "is missing", hint);
        }
        value
    }

    /// Refuses keys that are known but make no sense here, and says why, in place of all else that is wrong with them.
    pub(crate) fn refuse(&mut self, keys: &[&'static str], why: &str) {
        for key in keys {
            self.refused.push(key);
            if let Some(entry) = self.tree.entries.get(*key).cloned() {
                self.findings.forget(&self.full(key), &entry);
                self.wrong(key, &entry, why);
            }
        }
    }

    /// Fills in the default of a key where another key makes it count; where it does not, refuses the key and says why.
    pub(crate) fn depend<T>(&mut self, key: &'static Key<T>, value: &mut Option<T>, fits: Result<(), &str>) {
        match fits {
            Ok(()) => {
                let value = value.get_or_insert_with(|| key.default_value());
                self.hold(key, Some(value));
            }
            Err(why) => {
                self.refuse(&[key.name], why);
                *value = None;
            }
        }
    }

    /// One value for each of `count`; `None` for a count that is not known, and where a list has another one.
    pub(crate) fn for_each<T: Copy>(
        &mut self,
        key: &Row,
        written: OneOrMany<T>,
        each: Per<'_>,
    ) -> Option<Vec<T>> {
        let (count, per) = (each.0?, each.1);
        match written {
            OneOrMany::One(value) => Some(vec![value; count]),
            OneOrMany::Many(values) if values.len() == count => Some(values),
            OneOrMany::Many(values) => {
                let what = format!("must be one value, or {count}, one per {per}, not {}", values.len());
                self.report(key.name, what, "");
                None
            }
        }
    }

    /// A list that has one value for each of `count`, if that is known.
    pub(crate) fn one_per<T>(&mut self, key: &Row, written: Vec<T>, (count, per): Per<'_>) -> Option<Vec<T>> {
        match count {
            Some(count) if count != written.len() => {
                let what = format!("must have {count} values, one per {per}, not {}", written.len());
                self.report(key.name, what, "");
                None
            }
            _ => Some(written),
        }
    }

    /// The kind of a table, or its default, to which its other keys belong; where it is wrong, they pass unread.
    pub(crate) fn kind<T>(&mut self, key: &'static Key<T>, table: &Table, default: Option<T>) -> Option<T> {
        let kind = self.get_required(key).or(default.filter(|_| !self.has(key.name)));
        self.hold(key, kind.as_ref());
        match &kind {
            Some(kind) => {
                let name = key.form.write(Units::Written, kind);
                self.only_of(table, name.as_str().expect("a kind is a name"));
            }
            None => self.pass_all(table),
        }
        kind
    }

    /// Refuses the keys of a table that do not belong to this kind, and says to which they do.
    fn only_of(&mut self, table: &Table, kind: &str) {
        for row in table.rows() {
            let kinds = table.kinds_of(row.name);
            if !kinds.is_empty() && !kinds.contains(&kind) && !self.refused.contains(&row.name) {
                self.refused.push(row.name);
                let Some(entry) = self.tree.entries.get(row.name).cloned() else { continue };
                match foreign::value(&self.full(row.name), written(&entry)) {
                    Some(elsewhere) => self.wrong(row.name, &entry, elsewhere),
                    None => {
                        let hint = keys::pages::elsewhere(table.name, row.name);
                        self.wrong_with_hint(row.name, &entry, keys::belongs_to(&kinds), hint);
                    }
                }
            }
        }
    }

    /// Lets all keys of a table pass unread: their kind is wrong.
    pub(crate) fn pass_all(&mut self, table: &Table) {
        self.asked.extend(table.rows().map(|row| row.name));
    }

    /// Lets keys pass unread: nothing can be said about them before something else is put right.
    pub(crate) fn pass(&mut self, keys: &[&'static str]) {
        self.asked.extend_from_slice(keys);
    }

    /// A table within this one, which is read as a section of its own; here only known to be a table.
    pub(crate) fn table(&mut self, key: &'static str) {
        if let Some(entry) = self.entry(key)
            && !matches!(entry.value, Value::Table(_))
        {
            self.wrong_with_hint(key, &entry, "must be a table", Some(format!("begin it with [{key}]")));
        }
    }

    /// A table within this one as a section of its own, empty where it is absent; `name` is its whole name.
    pub(crate) fn inner(&mut self, key: &'static str, name: impl Into<Cow<'static, str>>) -> Section<'_> {
        let (tree, place) = match self.entry(key) {
            Some(Entry { value: Value::Table(tree), place, .. }) => (tree, place),
            _ => (Tree::default(), self.place.clone()),
        };
        Section::new(name, tree, place, self.findings)
    }

    pub(crate) fn extend(&mut self, order: usize, problems: Vec<Problem>) {
        self.findings.extend(order, problems);
    }

    /// A table in a list, as a section of its own; `name` is that of the list.
    pub(crate) fn item(
        &mut self,
        name: impl Into<Cow<'static, str>>,
        tree: &Tree,
        place: &Place,
    ) -> Section<'_> {
        Section::new(name, tree.clone(), place.clone(), self.findings)
    }

    /// Reports every key that has not been asked for, with the nearest known one.
    pub(crate) fn finish(self) {
        for (key, entry) in &self.tree.entries {
            if self.asked.contains(&key.as_str()) || self.refused.contains(&key.as_str()) {
                continue;
            }
            if let Some(elsewhere) = foreign::key(&self.name, key) {
                self.findings.add(&entry.place, &self.full(key), &entry.written, elsewhere.to_owned(), None);
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
