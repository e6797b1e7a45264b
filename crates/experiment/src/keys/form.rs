//! Forms of values: how they are read and written, and their JSON Schemas.

mod quantity;
mod several;

use super::KeyPath;
use crate::Units;
use crate::source::nearest::is_name;
use crate::source::tree::{Entry, Value};
use crate::source::{overrides, quantity_text};
pub(crate) use quantity::{CLOCK, DATA, OfThisComputer, OperationRate, Quantity, RATE, TIME};
use serde::Serialize;
use serde_json::{Value as Json, json};
pub(crate) use several::{Ascending, EACH_FLAG, FLAGS, FromTo, NumberOr, OneOrMany, PerItem, Ranges};
use std::mem::discriminant;
use std::ops::{Bound, RangeBounds};
use std::path::PathBuf;

/// A form of values that become a `T`.
pub(crate) trait Form<T>: Sync {
    /// Reads a value; `None` where it is wrong, which is reported.
    fn read(&self, at: &mut KeyPath<'_>, entry: &Entry) -> Option<T>;

    /// The value as it would be written: read again it is the same.
    fn write(&self, units: Units, value: &T) -> Json;

    fn schema(&self) -> Json;
}

/// A form whose values are written as they are: how one is read, and the schema.
pub(crate) struct Plain<T> {
    pub(crate) read: fn(&mut KeyPath<'_>, &Entry) -> Option<T>,
    pub(crate) schema: fn() -> Json,
}

impl<T: Serialize> Form<T> for Plain<T> {
    fn read(&self, at: &mut KeyPath<'_>, entry: &Entry) -> Option<T> {
        (self.read)(at, entry)
    }

    fn write(&self, _: Units, value: &T) -> Json {
        json!(value)
    }

    fn schema(&self) -> Json {
        (self.schema)()
    }
}

pub(crate) const TEXT: Plain<String> = Plain {
    read: |at, entry| match &entry.value {
        Value::Text(text) => Some(text.clone()),
        // `--set title=5` cannot mean anything else than the text.
        Value::Integer(_) | Value::Float(_) | Value::Boolean(_) | Value::Other
            if entry.place.origin.name == overrides::NAME =>
        {
            Some(entry.written.clone())
        }
        _ => at.wrong(entry, "must be a text in quotes"),
    },
    schema: || json!({ "type": "string" }),
};

/// A path; joined to the folder it is relative to.
pub(crate) struct PathText;

impl Form<PathBuf> for PathText {
    fn read(&self, at: &mut KeyPath<'_>, entry: &Entry) -> Option<PathBuf> {
        match TEXT.read(at, entry)? {
            text if text.is_empty() => at.wrong(entry, "must not be empty"),
            text => Some(entry.place.origin.folder.join(text)),
        }
    }

    fn write(&self, _: Units, path: &PathBuf) -> Json {
        json!(path.display().to_string())
    }

    fn schema(&self) -> Json {
        json!({ "type": "string", "minLength": 1 })
    }
}

pub(crate) const FLAG: Plain<bool> = Plain {
    read: |at, entry| match entry.value {
        Value::Boolean(boolean) => Some(boolean),
        _ => at.wrong(entry, "must be true or false"),
    },
    schema: || json!({ "type": "boolean" }),
};

/// True or false that stand for two choices: the one of false, and the one of true.
pub(crate) struct Choice<T>(pub(crate) T, pub(crate) T);

impl<T: Copy + PartialEq + Sync> Form<T> for Choice<T> {
    fn read(&self, at: &mut KeyPath<'_>, entry: &Entry) -> Option<T> {
        FLAG.read(at, entry).map(|flag| if flag { self.1 } else { self.0 })
    }

    fn write(&self, _: Units, choice: &T) -> Json {
        json!(*choice == self.1)
    }

    fn schema(&self) -> Json {
        FLAG.schema()
    }
}

/// A whole number from one to another; the largest 32-bit number and what is above stand for no limit in words.
pub(crate) struct Integer(pub(crate) u64, pub(crate) u64);

impl Integer {
    /// Any count that has 32 bits, at least 1.
    pub(crate) const COUNT: Self = Self(1, u32::MAX as u64);

    pub(crate) fn in_words(&self) -> String {
        let Self(least, most) = self;
        match *most >= u64::from(u32::MAX) {
            true => format!("a whole number, at least {least}"),
            false => format!("a whole number from {least} to {most}"),
        }
    }

    pub(crate) fn of<T: TryFrom<u64>>(&self, entry: &Entry) -> Option<T> {
        let Value::Integer(integer) = entry.value else { return None };
        let number = u64::try_from(integer).ok().filter(|number| (self.0..=self.1).contains(number))?;
        T::try_from(number).ok()
    }

    pub(crate) fn schema(&self) -> Json {
        json!({ "type": "integer", "minimum": self.0, "maximum": self.1 })
    }
}

impl<T: TryFrom<u64> + Serialize> Form<T> for Integer {
    fn read(&self, at: &mut KeyPath<'_>, entry: &Entry) -> Option<T> {
        self.of(entry).or_else(|| at.wrong(entry, format!("must be {}", self.in_words())))
    }

    fn write(&self, _: Units, number: &T) -> Json {
        json!(number)
    }

    fn schema(&self) -> Json {
        self.schema()
    }
}

/// Whole numbers, one per dimension: a list, not empty.
pub(crate) const SIZES: Plain<Vec<u32>> = Plain {
    read: |at, entry| {
        listed(entry, |item| Integer::COUNT.of(item)).or_else(|| {
            let what = format!("must be a list of sizes, not empty, each {}", Integer::COUNT.in_words());
            let hint = format!("write one per dimension: {} = [8, 8, 8]", at.name());
            at.wrong_with_hint(entry, what, hint)
        })
    },
    schema: || json!({ "type": "array", "items": Integer::COUNT.schema(), "minItems": 1 }),
};

/// A list of texts, which may be empty.
pub(crate) const TEXTS: Plain<Vec<String>> = Plain {
    read: |at, entry| {
        let Value::List(list) = &entry.value else {
            let hint = format!("write {} = [\"...\", \"...\"]", at.name());
            return at.wrong_with_hint(entry, "must be a list of texts", hint);
        };
        list.iter().map(|item| TEXT.read(at, item)).collect()
    },
    schema: || json!({ "type": "array", "items": TEXT.schema() }),
};

pub(crate) struct Number {
    pub(crate) within: (Bound<f64>, Bound<f64>),
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

impl Form<f64> for Number {
    fn read(&self, at: &mut KeyPath<'_>, entry: &Entry) -> Option<f64> {
        self.of(entry).or_else(|| at.wrong(entry, format!("must be {}", self.words)))
    }

    fn write(&self, _: Units, number: &f64) -> Json {
        quantity_text::number(*number)
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

/// One of a closed set of names, which may stand for variants whose fields the section fills in.
pub(crate) struct OneOf<T: 'static>(pub(crate) &'static [(&'static str, T)]);

impl<T: Copy + PartialEq> OneOf<T> {
    fn names(&self) -> Vec<&'static str> {
        self.0.iter().map(|&(name, _)| name).collect()
    }

    fn of(&self, entry: &Entry) -> Option<T> {
        self.0.iter().find(|(name, _)| is_name(name, written(entry))).map(|&(_, choice)| choice)
    }

    pub(crate) fn name(&self, choice: &T) -> &'static str {
        let named = |is_it: &dyn Fn(&T) -> bool| self.0.iter().find(|(_, other)| is_it(other));
        let variant = || named(&|other| discriminant(other) == discriminant(choice));
        named(&|other| other == choice).or_else(variant).expect("every choice has a name").0
    }
}

impl<T: Copy + PartialEq + Sync> Form<T> for OneOf<T> {
    fn read(&self, at: &mut KeyPath<'_>, entry: &Entry) -> Option<T> {
        self.of(entry).or_else(|| at.none_of(entry, &self.names()))
    }

    fn write(&self, _: Units, choice: &T) -> Json {
        json!(self.name(choice))
    }

    fn schema(&self) -> Json {
        json!({ "enum": self.names() })
    }
}

/// A form whose values stand for others: how one is made, or what is wrong with it and a hint, and as which it is written.
pub(crate) struct Made<F, T, U>(
    pub(crate) F,
    pub(crate) fn(T) -> Result<U, (&'static str, &'static str)>,
    pub(crate) fn(&U) -> T,
);

impl<T, U, F: Form<T>> Form<U> for Made<F, T, U> {
    fn read(&self, at: &mut KeyPath<'_>, entry: &Entry) -> Option<U> {
        let made = self.1(self.0.read(at, entry)?);
        made.or_else(|(what, hint)| at.wrong_with_hint(entry, what, hint.to_owned()).ok_or(())).ok()
    }

    fn write(&self, units: Units, value: &U) -> Json {
        self.0.write(units, &self.2(value))
    }

    fn schema(&self) -> Json {
        self.0.schema()
    }
}

/// The items of a list, if it is one, not empty, and each is right.
pub(crate) fn listed<T>(entry: &Entry, item: impl Fn(&Entry) -> Option<T>) -> Option<Vec<T>> {
    let Value::List(list) = &entry.value else { return None };
    list.iter().map(item).collect::<Option<Vec<T>>>().filter(|items| !items.is_empty())
}

/// The text of a value, or how it was written.
pub(crate) fn written(entry: &Entry) -> &str {
    if let Value::Text(text) = &entry.value { text } else { &entry.written }
}

/// A value that its section reads and writes, with its JSON Schema.
pub(crate) struct AsWritten(pub(crate) fn() -> Json);

impl Form<Entry> for AsWritten {
    fn read(&self, _: &mut KeyPath<'_>, entry: &Entry) -> Option<Entry> {
        Some(entry.clone())
    }

    fn write(&self, _: Units, _: &Entry) -> Json {
        unreachable!("its section writes it")
    }

    fn schema(&self) -> Json {
        (self.0)()
    }
}
