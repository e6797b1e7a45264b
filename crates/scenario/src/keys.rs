//! Every key of an experiment, once: what it is called, what may stand behind it, to which kinds it belongs, what holds where it
//! is absent, and what it means. Sections read by these rows; the reference page, `weir keys` and the JSON Schema are made
//! of them.

mod examples;
pub(crate) mod form;
pub(crate) mod names;
pub mod pages;
pub(crate) mod resolved;

use crate::foreign;
use crate::sections::workload::kinds::PATTERNS;
use crate::source::nearest::nearest;
use crate::source::reader::Findings;
use crate::source::tree::{Entry, Origin, Tree, Value};
use form::{Form, Quantity};
use serde_json::Value as Json;
use std::ops::Deref;
use weir_units::parse::QuantityError;

/// What is said of a key.
#[derive(Debug)]
pub(crate) struct Row {
    /// The name in its table.
    pub(crate) name: &'static str,
    /// The values of `kind` to which it belongs; empty: all, or there are no kinds.
    pub(crate) kinds: &'static [&'static str],
    /// What holds where it is absent.
    pub(crate) default: Default,
    /// What it means: one line of Markdown.
    pub(crate) meaning: &'static str,
}

/// What holds where a key is absent.
#[derive(Debug)]
pub(crate) enum Default {
    /// A value, as it would be written.
    Value(&'static str),
    /// What follows from something else, in words.
    Words(&'static str),
    /// Nothing: it must be there; how to write it.
    Required(&'static str),
}

/// A key, and how its value is read.
pub(crate) struct Key<F> {
    pub(crate) row: Row,
    pub(crate) form: F,
}

impl<F: Form> Key<F> {
    /// What holds where the key is absent.
    ///
    /// # Panics
    /// When that is no value of its form, which a test looks for.
    pub(crate) fn default_value(&self) -> F::Value {
        let Default::Value(text) = self.row.default else {
            panic!("{} has no value by default", self.row.name)
        };
        let tree = Tree::from_toml(&format!("value = {text}"), &Origin::named(0, "default")).ok();
        let entry = tree.and_then(|mut tree| tree.entries.remove("value"));
        let mut findings = Findings::default();
        let value =
            entry.and_then(|entry| self.form.read(&mut At::new("", self.row.name, &mut findings), &entry));
        value.unwrap_or_else(|| panic!("{text} is no value of {}", self.row.name))
    }
}

impl<F> Deref for Key<F> {
    type Target = Row;

    fn deref(&self) -> &Row {
        &self.row
    }
}

/// A key of any form, as pages show it.
pub(crate) trait AnyKey: Sync {
    /// What is said of it.
    fn row(&self) -> &Row;
    /// What may be written, as JSON Schema.
    fn schema(&self) -> Json;
    /// Reads the default, if it is a value: fails where it is none of the form.
    #[cfg(test)]
    fn check_default(&self);
}

impl<F: Form + Sync> AnyKey for Key<F> {
    fn row(&self) -> &Row {
        &self.row
    }

    fn schema(&self) -> Json {
        self.form.schema()
    }

    #[cfg(test)]
    fn check_default(&self) {
        if let Default::Value(_) = self.row.default {
            self.default_value();
        }
    }
}

/// The keys of a table, in the order of the reference page.
pub(crate) struct Table {
    /// As in `[node]`; empty for the top level.
    pub(crate) name: &'static str,
    pub(crate) keys: &'static [&'static dyn AnyKey],
}

impl Table {
    /// To which kinds a key belongs, in all its forms; none: to all.
    pub(crate) fn kinds_of(&self, name: &str) -> Vec<&'static str> {
        let rows = self.keys.iter().map(|key| key.row()).filter(|row| row.name == name);
        rows.flat_map(|row| row.kinds).copied().collect()
    }

    /// A table with these keys and no others, as JSON Schema.
    pub(crate) fn schema(&self) -> Json {
        let mut properties = serde_json::Map::new();
        for key in self.keys {
            let mut schema = key.schema();
            schema["description"] = Json::from(key.row().meaning);
            // Of a key with several forms, one for each of some kinds, any may be written.
            match properties.get_mut(key.row().name) {
                None => _ = properties.insert(key.row().name.to_owned(), schema),
                Some(before) => *before = serde_json::json!({ "anyOf": [before.take(), schema] }),
            }
        }
        serde_json::json!({ "type": "object", "properties": properties, "additionalProperties": false })
    }
}

/// Makes a static for each key, and `KEYS` of all of them.
macro_rules! keys {
    ($table:literal: $($id:ident: $type:ty = $name:literal, $kinds:expr, $form:expr, $default:expr, $meaning:literal;)+) => {
        $(pub(super) static $id: crate::keys::Key<$type> = crate::keys::Key {
            row: crate::keys::Row { name: $name, kinds: $kinds, default: $default, meaning: $meaning },
            form: $form,
        };)+
        pub(crate) static KEYS: crate::keys::Table = crate::keys::Table { name: $table, keys: &[$(&$id),+] };
    };
}
pub(crate) use keys;

/// The value that is being read, to report what is wrong with it.
pub(crate) struct At<'a> {
    /// As in `node.nics`.
    full: String,
    name: &'static str,
    findings: &'a mut Findings,
}

impl<'a> At<'a> {
    /// A key of a table.
    pub(crate) fn new(table: &str, name: &'static str, findings: &'a mut Findings) -> Self {
        Self { full: full(table, name), name, findings }
    }

    /// The key without its table.
    pub(crate) fn name(&self) -> &'static str {
        self.name
    }

    /// Reports what is wrong with a value.
    pub(crate) fn wrong<T>(&mut self, entry: &Entry, what: impl Into<String>) -> Option<T> {
        self.findings.add(&entry.place, &self.full, &entry.written, what.into(), None);
        None
    }

    /// Likewise, and how it could be right.
    pub(crate) fn wrong_with_hint<T>(
        &mut self,
        entry: &Entry,
        what: impl Into<String>,
        hint: String,
    ) -> Option<T> {
        self.findings.add(&entry.place, &self.full, &entry.written, what.into(), Some(hint));
        None
    }

    /// Reports a value that is none of these names, with the nearest one.
    pub(crate) fn none_of<T>(&mut self, entry: &Entry, names: &[&str]) -> Option<T> {
        let written = if let Value::Text(text) = &entry.value { text } else { &entry.written };
        if let Some(elsewhere) = foreign::value(&self.full, written) {
            return self.wrong(entry, elsewhere);
        }
        let what = format!("must be one of {}", names.join(", "));
        match nearest(written, names.iter().copied()) {
            Some(name) => self.wrong_with_hint(entry, what, format!("did you mean {name:?}?")),
            None => self.wrong(entry, what),
        }
    }

    /// Reports a value that is no quantity of its kind; a number alone with what it may stand for.
    fn not_a_quantity<T>(
        &mut self,
        entry: &Entry,
        error: &QuantityError,
        meant: fn(f64) -> String,
    ) -> Option<T> {
        let number = match &entry.value {
            Value::Integer(integer) => Some(*integer as f64),
            Value::Float(number) => Some(*number),
            Value::Text(text) => text.trim().parse().ok(),
            _ => None,
        };
        let what = error.to_string();
        match (error, number.filter(|number: &f64| number.is_finite() && *number > 0.0)) {
            (QuantityError::NoUnit(_), Some(number)) => {
                let hint = format!("write it with its unit, such as {:?}", meant(number));
                self.wrong_with_hint(entry, what, hint)
            }
            _ => self.wrong(entry, what),
        }
    }

    /// A quantity has been written with its unit.
    fn has_unit(&mut self) {
        self.findings.form.with_unit(&self.full);
    }

    /// A quantity has been written as a bare number.
    fn bare<T>(&mut self, entry: &Entry, number: f64, quantity: &Quantity<T>) -> Result<T, QuantityError> {
        if number != 0.0 {
            self.findings.form.without_unit(&self.full, (quantity.meant)(number), entry);
        }
        (quantity.bare)(number)
    }
}

/// A key with its table, as in `node.nics`.
pub(crate) fn full(table: &str, name: &str) -> String {
    if table.is_empty() { name.to_owned() } else { format!("{table}.{name}") }
}

/// In words, for a table: `torus, mesh`, `patterns, synthetic`.
fn kinds_in_words(kinds: &[&str]) -> String {
    let (patterns, others): (Vec<&str>, Vec<&str>) = kinds.iter().partition(|kind| PATTERNS.contains(kind));
    match patterns.len() == PATTERNS.len() {
        true => [vec!["patterns"], others].concat().join(", "),
        false => kinds.join(", "),
    }
}

/// In words: `belongs to kind = "torus", "mesh" or "tofu"`, `belongs to the patterns`.
pub(crate) fn belongs_to(kinds: &[&str]) -> String {
    let (patterns, others): (Vec<&str>, Vec<&str>) = kinds.iter().partition(|kind| PATTERNS.contains(kind));
    let all = patterns.len() == PATTERNS.len();
    let names = if all { others } else { kinds.to_vec() };
    let names: Vec<String> = names.iter().map(|kind| format!("{kind:?}")).collect();
    let names = match names.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("kind = {} or {last}", rest.join(", ")),
        Some((one, _)) => format!("kind = {one}"),
        None => return "belongs to the patterns".to_owned(),
    };
    format!("belongs to {}{names}", if all { "the patterns and to " } else { "" })
}
