//! Every key of an experiment, once: what it is called, what may stand behind it, to which kinds it belongs, what holds where it
//! is absent, and what it means. Sections read by these rows; the reference page, `weir keys` and the JSON Schema are made
//! of them.

pub(crate) mod form;
pub(crate) mod names;
pub mod pages;
mod section;

use crate::foreign;
use crate::source::findings::Findings;
use crate::source::nearest::nearest;
use crate::source::tree::{Entry, Origin, Tree, Value};
use form::{Form, Quantity};
pub(crate) use section::{field, key, keys, section};
use serde_json::Value as Json;
use std::ops::Deref;
use weir_network::causes::Cause;
use weir_units::parse::QuantityError;

/// The kinds of workloads that are named patterns, of which words speak together: the first ones of all kinds.
pub(crate) const PATTERNS: &[&str] = &[
    "all-to-all",
    "ring",
    "random-ring",
    "broadcast",
    "gather",
    "scatter",
    "halo",
    "permutation",
    "incast",
    "hot-spot",
    "nicam",
];

/// A row: everything that is said of a key but the form of its values.
#[derive(Debug)]
pub(crate) struct Row {
    pub(crate) name: &'static str,
    /// The values of `kind` to which it belongs; empty: all, or there are no kinds.
    pub(crate) kinds: &'static [&'static str],
    pub(crate) default: DefaultValue,
    /// Sentence in Markdown, on one line.
    pub(crate) meaning: &'static str,
    pub(crate) lowers: Option<Lowers>,
}

#[derive(Debug)]
pub(crate) enum DefaultValue {
    Is(&'static str),
    /// A value that a resolved experiment leaves out.
    Omitted(&'static str),
    /// A value that the key has only where that of another key makes it count.
    Dependent(&'static str),
    /// A description of a value that follows from something else.
    Words(&'static str),
    /// The key must be there; how to write it.
    Required(&'static str),
}

impl DefaultValue {
    pub(crate) fn value(&self) -> Option<&'static str> {
        match self {
            Self::Is(value) | Self::Omitted(value) | Self::Dependent(value) => Some(value),
            Self::Words(_) | Self::Required(_) => None,
        }
    }
}

/// A change of a key that makes a cause take less time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lowers {
    /// A smaller value.
    Less(Cause),
    /// A larger value.
    More(Cause),
}

/// A key whose values become a `T`.
pub(crate) struct Key<T: 'static> {
    pub(crate) row: Row,
    pub(crate) form: &'static dyn Form<T>,
}

impl<T> Key<T> {
    /// The value of the key where it is absent.
    pub(crate) fn default_value(&self) -> T {
        let text =
            self.row.default.value().unwrap_or_else(|| panic!("{} has no value by default", self.row.name));
        let tree = Tree::from_toml(&format!("value = {text}"), &Origin::named(0, "default")).ok();
        let entry = tree.and_then(|mut tree| tree.entries.remove("value"));
        let mut findings = Findings::default();
        let value = entry
            .and_then(|entry| self.form.read(&mut KeyPath::new("", self.row.name, &mut findings), &entry));
        value.unwrap_or_else(|| panic!("{text} is no value of {}", self.row.name))
    }
}

impl<T> Deref for Key<T> {
    type Target = Row;

    fn deref(&self) -> &Row {
        &self.row
    }
}

/// A key of any form, as pages show it.
pub(crate) trait AnyKey: Sync {
    fn row(&self) -> &Row;
    fn schema(&self) -> Json;
    /// Reads the default, if it is a value: fails where it is none of the form.
    #[cfg(test)]
    fn check_default(&self);
}

impl<T> AnyKey for Key<T> {
    fn row(&self) -> &Row {
        &self.row
    }

    fn schema(&self) -> Json {
        self.form.schema()
    }

    #[cfg(test)]
    fn check_default(&self) {
        _ = self.row.default.value().map(|_| self.default_value());
    }
}

/// The keys of a struct or a list of them, in the order of the reference page.
pub(crate) type Keys = &'static [&'static dyn AnyKey];

pub(crate) struct Table {
    /// The name in `[node]`; empty for the top level.
    pub(crate) name: &'static str,
    pub(crate) parts: &'static [Keys],
}

impl Table {
    pub(crate) fn keys(&self) -> impl Iterator<Item = &'static dyn AnyKey> + use<> {
        self.parts.iter().flat_map(|part| part.iter().copied())
    }

    pub(crate) fn rows(&self) -> impl Iterator<Item = &'static Row> + use<> {
        self.keys().map(AnyKey::row)
    }

    /// To which kinds a key belongs, in all its forms; none: to all.
    pub(crate) fn kinds_of(&self, name: &str) -> Vec<&'static str> {
        self.rows().filter(|row| row.name == name).flat_map(|row| row.kinds).copied().collect()
    }

    pub(crate) fn schema(&self) -> Json {
        Self::schema_of(self.keys())
    }

    /// The schema of a table of these keys.
    pub(crate) fn schema_of(keys: impl Iterator<Item = &'static dyn AnyKey>) -> Json {
        let mut properties = serde_json::Map::new();
        for key in keys {
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

/// The key whose value is being read, to report mistakes in it.
pub(crate) struct KeyPath<'a> {
    /// The key with its table: `node.nics`.
    full: String,
    name: &'static str,
    findings: &'a mut Findings,
}

impl<'a> KeyPath<'a> {
    pub(crate) fn new(table: &str, name: &'static str, findings: &'a mut Findings) -> Self {
        Self { full: full(table, name), name, findings }
    }

    pub(crate) fn name(&self) -> &'static str {
        self.name
    }

    pub(crate) fn wrong<T>(&mut self, entry: &Entry, what: impl Into<String>) -> Option<T> {
        self.findings.add(&entry.place, &self.full, &entry.written, what.into(), None);
        None
    }

    pub(crate) fn wrong_with_hint<T>(
        &mut self,
        entry: &Entry,
        what: impl Into<String>,
        hint: String,
    ) -> Option<T> {
        self.findings.add(&entry.place, &self.full, &entry.written, what.into(), Some(hint));
        None
    }

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
    fn no_quantity<T>(&mut self, entry: &Entry, why: &QuantityError, meant: fn(f64) -> String) -> Option<T> {
        let number = match &entry.value {
            Value::Integer(integer) => Some(*integer as f64),
            Value::Float(number) => Some(*number),
            Value::Text(text) => text.trim().parse().ok(),
            _ => None,
        };
        let what = why.to_string();
        match (why, number.filter(|number: &f64| number.is_finite() && *number > 0.0)) {
            (QuantityError::NoUnit(_), Some(number)) => {
                let hint = format!("write it with its unit, such as {:?}", meant(number));
                self.wrong_with_hint(entry, what, hint)
            }
            _ => self.wrong(entry, what),
        }
    }

    fn has_unit(&mut self) {
        self.findings.form.with_unit(&self.full);
    }

    fn bare<T>(&mut self, entry: &Entry, number: f64, quantity: &Quantity<T>) -> Result<T, QuantityError> {
        if entry.place.origin.has_si_numbers {
            return (quantity.in_si)(number);
        }
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
