//! What may stand behind a key: how it is read, and what a JSON Schema says of it.

mod quantity;
mod ranges;
mod several;

use super::At;
use crate::source::tree::{Entry, Value};
use crate::source::{exact, overrides};
use crate::{Units, name_of};
pub(crate) use quantity::{CLOCK, DATA, OfThisComputer, Quantity, RATE, TIME};
pub(crate) use ranges::Ranges;
use serde_json::{Value as Json, json};
pub(crate) use several::{Either, FromTo, One, OneOrMany, PerItem};
use std::ops::{Bound, RangeBounds};
use std::path::PathBuf;

/// A form of values.
pub(crate) trait Form {
    /// What is made of a value.
    type Value;

    /// Reads a value; `None` where it is wrong, which is reported.
    fn read(&self, at: &mut At<'_>, entry: &Entry) -> Option<Self::Value>;

    /// What may be written, as JSON Schema.
    fn schema(&self) -> Json;
}

/// A form whose values can be written such that they are read as what they were.
pub(crate) trait Write: Form {
    /// The value as it would be written.
    fn write(&self, units: Units, value: Self::Value) -> Json;
}

/// A text.
pub(crate) struct Text;

impl Form for Text {
    type Value = String;

    fn read(&self, at: &mut At<'_>, entry: &Entry) -> Option<String> {
        match &entry.value {
            Value::Text(text) => Some(text.clone()),
            // `--set title=5` cannot mean anything else than the text.
            Value::Integer(_) | Value::Float(_) | Value::Boolean(_) | Value::Other
                if entry.place.origin.name == overrides::NAME =>
            {
                Some(entry.written.clone())
            }
            _ => at.wrong(entry, "must be a text in quotes"),
        }
    }

    fn schema(&self) -> Json {
        json!({ "type": "string" })
    }
}

impl Write for Text {
    fn write(&self, _: Units, text: String) -> Json {
        json!(text)
    }
}

/// A path; joined to the folder it is relative to.
pub(crate) struct PathText;

impl Form for PathText {
    type Value = PathBuf;

    fn read(&self, at: &mut At<'_>, entry: &Entry) -> Option<PathBuf> {
        match Text.read(at, entry)? {
            text if text.is_empty() => at.wrong(entry, "must not be empty"),
            text => Some(entry.place.origin.folder.join(text)),
        }
    }

    fn schema(&self) -> Json {
        json!({ "type": "string", "minLength": 1 })
    }
}

impl Write for PathText {
    fn write(&self, _: Units, path: PathBuf) -> Json {
        json!(path.display().to_string())
    }
}

/// True or false.
pub(crate) struct Flag;

impl Form for Flag {
    type Value = bool;

    fn read(&self, at: &mut At<'_>, entry: &Entry) -> Option<bool> {
        match entry.value {
            Value::Boolean(boolean) => Some(boolean),
            _ => at.wrong(entry, "must be true or false"),
        }
    }

    fn schema(&self) -> Json {
        json!({ "type": "boolean" })
    }
}

impl Write for Flag {
    fn write(&self, _: Units, flag: bool) -> Json {
        json!(flag)
    }
}

/// A whole number from one to another; the largest 32-bit number and what is above stand for no limit in words.
pub(crate) struct Whole(pub(crate) u64, pub(crate) u64);

impl Whole {
    fn in_words(&self) -> String {
        let Self(least, most) = self;
        match *most >= u64::from(u32::MAX) {
            true => format!("a whole number, at least {least}"),
            false => format!("a whole number from {least} to {most}"),
        }
    }

    fn of(&self, entry: &Entry) -> Option<u64> {
        match entry.value {
            Value::Integer(integer) => {
                u64::try_from(integer).ok().filter(|number| (self.0..=self.1).contains(number))
            }
            _ => None,
        }
    }
}

impl Form for Whole {
    type Value = u64;

    fn read(&self, at: &mut At<'_>, entry: &Entry) -> Option<u64> {
        self.of(entry).or_else(|| at.wrong(entry, format!("must be {}", self.in_words())))
    }

    fn schema(&self) -> Json {
        json!({ "type": "integer", "minimum": self.0, "maximum": self.1 })
    }
}

impl Write for Whole {
    fn write(&self, _: Units, number: u64) -> Json {
        json!(number)
    }
}

/// Whole numbers, one per dimension: a list, not empty.
pub(crate) struct Sizes(pub(crate) Whole);

impl Form for Sizes {
    type Value = Vec<u64>;

    fn read(&self, at: &mut At<'_>, entry: &Entry) -> Option<Vec<u64>> {
        let sizes = match &entry.value {
            Value::List(list) if !list.is_empty() => list.iter().map(|item| self.0.of(item)).collect(),
            _ => None,
        };
        sizes.or_else(|| {
            let what = format!("must be a list of sizes, not empty, each {}", self.0.in_words());
            let hint = format!("write one per dimension: {} = [8, 8, 8]", at.name());
            at.wrong_with_hint(entry, what, hint)
        })
    }

    fn schema(&self) -> Json {
        json!({ "type": "array", "items": self.0.schema(), "minItems": 1 })
    }
}

impl Write for Sizes {
    fn write(&self, _: Units, sizes: Vec<u64>) -> Json {
        json!(sizes)
    }
}

/// A list of texts, which may be empty.
pub(crate) struct Texts;

impl Form for Texts {
    type Value = Vec<String>;

    fn read(&self, at: &mut At<'_>, entry: &Entry) -> Option<Vec<String>> {
        let Value::List(list) = &entry.value else {
            let hint = format!("write {} = [\"...\", \"...\"]", at.name());
            return at.wrong_with_hint(entry, "must be a list of texts", hint);
        };
        list.iter().map(|item| Text.read(at, item)).collect()
    }

    fn schema(&self) -> Json {
        json!({ "type": "array", "items": Text.schema() })
    }
}

impl Write for Texts {
    fn write(&self, _: Units, texts: Vec<String>) -> Json {
        json!(texts)
    }
}

/// A list of some of these names, not empty; who reads it says what is wrong with one.
pub(crate) struct SomeOf(pub(crate) &'static [&'static str]);

impl Form for SomeOf {
    type Value = Vec<String>;

    fn read(&self, at: &mut At<'_>, entry: &Entry) -> Option<Vec<String>> {
        Texts.read(at, entry)
    }

    fn schema(&self) -> Json {
        json!({ "type": "array", "items": { "enum": self.0 }, "minItems": 1 })
    }
}

/// A list of true and false, not empty.
pub(crate) struct Flags;

impl Form for Flags {
    type Value = Vec<bool>;

    fn read(&self, at: &mut At<'_>, entry: &Entry) -> Option<Vec<bool>> {
        let list: &[Entry] = if let Value::List(list) = &entry.value { list } else { &[] };
        let flag = |item: &Entry| if let Value::Boolean(flag) = item.value { Some(flag) } else { None };
        let flags: Option<Vec<bool>> = list.iter().map(flag).collect();
        flags.filter(|flags| !flags.is_empty()).or_else(|| {
            let hint = format!("write {} = [true, false]", at.name());
            at.wrong_with_hint(entry, "must be a list of true and false", hint)
        })
    }

    fn schema(&self) -> Json {
        json!({ "type": "array", "items": Flag.schema(), "minItems": 1 })
    }
}

/// A finite number within bounds.
pub(crate) struct Number {
    /// The bounds.
    pub(crate) within: (Bound<f64>, Bound<f64>),
    /// What they are, in words.
    pub(crate) words: &'static str,
}

impl Number {
    pub(crate) fn of(&self, entry: &Entry) -> Option<f64> {
        let number = match entry.value {
            Value::Integer(integer) => integer as f64,
            Value::Float(number) => number,
            _ => return None,
        };
        (number.is_finite() && self.within.contains(&number)).then_some(number)
    }
}

impl Form for Number {
    type Value = f64;

    fn read(&self, at: &mut At<'_>, entry: &Entry) -> Option<f64> {
        self.of(entry).or_else(|| at.wrong(entry, format!("must be {}", self.words)))
    }

    fn schema(&self) -> Json {
        let mut schema = json!({ "type": "number" });
        match self.within.0 {
            Bound::Included(least) => schema["minimum"] = json!(least),
            Bound::Excluded(least) => schema["exclusiveMinimum"] = json!(least),
            Bound::Unbounded => {}
        }
        match self.within.1 {
            Bound::Included(most) => schema["maximum"] = json!(most),
            Bound::Excluded(most) => schema["exclusiveMaximum"] = json!(most),
            Bound::Unbounded => {}
        }
        schema
    }
}

impl Write for Number {
    fn write(&self, _: Units, number: f64) -> Json {
        exact::number(number)
    }
}

/// One of a closed set of names.
pub(crate) struct OneOf<T: 'static>(pub(crate) &'static [(&'static str, T)]);

impl<T: Copy> OneOf<T> {
    fn names(&self) -> impl Iterator<Item = &'static str> + '_ {
        self.0.iter().map(|&(name, _)| name)
    }

    fn of(&self, entry: &Entry) -> Option<T> {
        self.0.iter().find(|(name, _)| is_name(name, written(entry))).map(|&(_, choice)| choice)
    }
}

impl<T: Copy> Form for OneOf<T> {
    type Value = T;

    fn read(&self, at: &mut At<'_>, entry: &Entry) -> Option<T> {
        self.of(entry).or_else(|| at.none_of(entry, &self.names().collect::<Vec<_>>()))
    }

    fn schema(&self) -> Json {
        json!({ "enum": self.names().collect::<Vec<_>>() })
    }
}

impl<T: Copy + PartialEq> Write for OneOf<T> {
    fn write(&self, _: Units, choice: T) -> Json {
        json!(name_of(self.0, choice))
    }
}

/// Whether a text is a name, in which hyphens and underscores are the same: `reduce-scatter` is `reduce_scatter`.
#[must_use]
pub fn is_name(name: &str, text: &str) -> bool {
    let letters =
        |text: &str| text.bytes().map(|byte| if byte == b'_' { b'-' } else { byte }).collect::<Vec<_>>();
    name == text || name.len() == text.len() && letters(name) == letters(text)
}

/// The text of a value, or how it was written.
pub(crate) fn written(entry: &Entry) -> &str {
    if let Value::Text(text) = &entry.value { text } else { &entry.written }
}

/// One of several forms, of which the section itself makes something: a value as it is written.
pub(crate) struct AsWritten {
    /// What may be written, as JSON Schema.
    pub(crate) schema: fn() -> Json,
}

impl Form for AsWritten {
    type Value = Entry;

    fn read(&self, _: &mut At<'_>, entry: &Entry) -> Option<Entry> {
        Some(entry.clone())
    }

    fn schema(&self) -> Json {
        (self.schema)()
    }
}
