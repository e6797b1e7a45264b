//! What may stand behind a key: how it is read, and what a JSON Schema says of it.

use super::At;
use crate::source::tree::{Entry, Value};
use crate::source::{exact, overrides};
use crate::{Units, name_of};
use serde_json::{Value as Json, json};
use std::ops::{Bound, RangeBounds};
use std::path::PathBuf;
use weir_units::parse::{self, QuantityError};
use weir_units::{Bandwidth, Bytes, Duration, Frequency};

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

/// One value for all, or a list with one for each.
pub(crate) struct PerItem<F>(pub(crate) F);

/// What is read of it.
pub(crate) enum OneOrMany<T> {
    /// For all.
    One(T),
    /// One for each.
    Many(Vec<T>),
}

impl<T: PartialEq> OneOrMany<T> {
    /// A single value if all are equal.
    pub(crate) fn of(mut values: Vec<T>) -> Self {
        match values.windows(2).all(|pair| pair[0] == pair[1]) {
            true if !values.is_empty() => Self::One(values.swap_remove(0)),
            _ => Self::Many(values),
        }
    }
}

impl<F: Form> Form for PerItem<F> {
    type Value = OneOrMany<F::Value>;

    fn read(&self, at: &mut At<'_>, entry: &Entry) -> Option<OneOrMany<F::Value>> {
        let Value::List(list) = &entry.value else { return self.0.read(at, entry).map(OneOrMany::One) };
        // All of them, before the first that is wrong ends it.
        let values: Vec<Option<F::Value>> = list.iter().map(|item| self.0.read(at, item)).collect();
        values.into_iter().collect::<Option<_>>().map(OneOrMany::Many)
    }

    fn schema(&self) -> Json {
        let one = self.0.schema();
        json!({ "anyOf": [one, { "type": "array", "items": one }] })
    }
}

impl<F: Write> Write for PerItem<F> {
    fn write(&self, units: Units, value: OneOrMany<F::Value>) -> Json {
        match value {
            OneOrMany::One(one) => self.0.write(units, one),
            OneOrMany::Many(many) => many.into_iter().map(|one| self.0.write(units, one)).collect(),
        }
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
        self.0.iter().find(|(name, _)| *name == written(entry)).map(|&(_, choice)| choice)
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

/// One of a closed set of names, which stands for itself.
pub(crate) struct Named(pub(crate) &'static [&'static str]);

impl Form for Named {
    type Value = &'static str;

    fn read(&self, at: &mut At<'_>, entry: &Entry) -> Option<&'static str> {
        let names = self.0.iter().copied();
        let found = names.clone().find(|name| *name == written(entry));
        found.or_else(|| at.none_of(entry, &names.collect::<Vec<_>>()))
    }

    fn schema(&self) -> Json {
        json!({ "enum": self.0 })
    }
}

impl Write for Named {
    fn write(&self, _: Units, name: &'static str) -> Json {
        json!(name)
    }
}

/// The text of a value, or how it was written.
fn written(entry: &Entry) -> &str {
    if let Value::Text(text) = &entry.value { text } else { &entry.written }
}

/// A quantity of the simulated machine: with a unit, or a bare number in an input that has no units.
pub(crate) struct Quantity<T> {
    pub(crate) with_unit: fn(&str) -> Result<T, QuantityError>,
    pub(crate) bare: fn(f64) -> Result<T, QuantityError>,
    pub(crate) write: fn(Units, T) -> Json,
    pub(crate) units: &'static str,
    pub(crate) example: &'static str,
}

/// A time.
pub(crate) const TIME: Quantity<Duration> = Quantity {
    with_unit: parse::duration,
    bare: |seconds| {
        let error = if seconds < 0.0 { QuantityError::Negative } else { QuantityError::TooLarge };
        Duration::from_secs_f64(seconds).ok_or(error)
    },
    write: Units::duration,
    units: parse::TIME_UNITS,
    example: "100 ns",
};

/// An amount of data.
pub(crate) const DATA: Quantity<Bytes> = Quantity {
    with_unit: parse::bytes,
    bare: parse::bytes_unitless,
    write: Units::bytes,
    units: parse::BYTE_UNITS,
    example: "20 kB",
};

/// A bandwidth.
pub(crate) const RATE: Quantity<Bandwidth> = Quantity {
    with_unit: parse::bandwidth,
    bare: parse::bandwidth_unitless,
    write: Units::bandwidth,
    units: parse::BANDWIDTH_UNITS,
    example: "1 GB/s",
};

/// The clock of a processor.
pub(crate) const CLOCK: Quantity<Frequency> = Quantity {
    with_unit: parse::frequency,
    bare: |_| Err(QuantityError::NoUnit(parse::FREQUENCY_UNITS)),
    write: |_, clock: Frequency| json!(format!("{} Hz", exact::number(clock.hertz()))),
    units: parse::FREQUENCY_UNITS,
    example: "3 GHz",
};

impl<T> Form for Quantity<T> {
    type Value = T;

    fn read(&self, at: &mut At<'_>, entry: &Entry) -> Option<T> {
        let result = match entry.value {
            Value::Text(ref text) => (self.with_unit)(text).inspect(|_| at.has_unit()),
            Value::Integer(integer) => at.bare(entry, integer as f64, self),
            Value::Float(number) => at.bare(entry, number, self),
            _ => return at.wrong(entry, format!("must be a quantity such as {:?}", self.example)),
        };
        result.or_else(|error| at.wrong(entry, error.to_string()).ok_or(())).ok()
    }

    fn schema(&self) -> Json {
        json!({ "type": ["string", "number"], "examples": [self.example] })
    }
}

impl<T> Write for Quantity<T> {
    fn write(&self, units: Units, quantity: T) -> Json {
        (self.write)(units, quantity)
    }
}

/// A quantity of the computer that weir runs on: always with a unit, whatever the form of the others.
pub(crate) struct OfThisComputer<T: 'static>(pub(crate) &'static Quantity<T>);

impl<T> Form for OfThisComputer<T> {
    type Value = T;

    fn read(&self, at: &mut At<'_>, entry: &Entry) -> Option<T> {
        let result = match &entry.value {
            Value::Text(text) => (self.0.with_unit)(text),
            _ => Err(QuantityError::NoUnit(self.0.units)),
        };
        result.or_else(|error| at.wrong(entry, error.to_string()).ok_or(())).ok()
    }

    fn schema(&self) -> Json {
        json!({ "type": "string", "examples": [self.0.example] })
    }
}

impl<T> Write for OfThisComputer<T> {
    fn write(&self, _: Units, quantity: T) -> Json {
        (self.0.write)(Units::Written, quantity)
    }
}

/// A value of one form or of another: the first of them that fits, distinguished by how it is written.
pub(crate) struct Either<A, B> {
    pub(crate) one: A,
    pub(crate) other: B,
}

impl<A: Form, B: Form> Either<A, B> {
    /// Both forms, as JSON Schema.
    fn any_of(&self) -> Json {
        json!({ "anyOf": [self.one.schema(), self.other.schema()] })
    }
}

/// What is read of it.
pub(crate) enum One<A, B> {
    /// The first form.
    Of(A),
    /// The second.
    Or(B),
}

/// A packet count or bytes: what it is follows from how it is written.
impl<T> Form for Either<Whole, Quantity<T>> {
    type Value = One<u64, T>;

    fn read(&self, at: &mut At<'_>, entry: &Entry) -> Option<One<u64, T>> {
        if let Value::Text(_) = entry.value {
            return self.other.read(at, entry).map(One::Or);
        }
        self.one.of(entry).map(One::Of).or_else(|| {
            let (number, example) = (self.one.in_words(), self.other.example);
            at.wrong(entry, format!("must be {number}, or a quantity such as {example:?}"))
        })
    }

    fn schema(&self) -> Json {
        json!({ "anyOf": [self.one.schema(), { "type": "string", "examples": [self.other.example] }] })
    }
}

impl<T> Write for Either<Whole, Quantity<T>> {
    /// A quantity always with its unit: a bare number is the other form.
    fn write(&self, units: Units, value: One<u64, T>) -> Json {
        match value {
            One::Of(number) => self.one.write(units, number),
            One::Or(quantity) => self.other.write(Units::Written, quantity),
        }
    }
}

/// A whole number, or a name.
impl<T: Copy> Form for Either<Whole, OneOf<T>> {
    type Value = One<u64, T>;

    fn read(&self, at: &mut At<'_>, entry: &Entry) -> Option<One<u64, T>> {
        let number = self.one.of(entry).map(One::Of);
        number.or_else(|| self.other.of(entry).map(One::Or)).or_else(|| {
            let names = self.other.names().map(|name| format!(", or {name:?}")).collect::<String>();
            at.wrong(entry, format!("must be {}{names}", self.one.in_words()))
        })
    }

    fn schema(&self) -> Json {
        self.any_of()
    }
}

impl<T: Copy + PartialEq> Write for Either<Whole, OneOf<T>> {
    fn write(&self, units: Units, value: One<u64, T>) -> Json {
        match value {
            One::Of(number) => self.one.write(units, number),
            One::Or(choice) => self.other.write(units, choice),
        }
    }
}

/// A number, or a name.
impl<T: Copy> Form for Either<Number, OneOf<T>> {
    type Value = One<f64, T>;

    fn read(&self, at: &mut At<'_>, entry: &Entry) -> Option<One<f64, T>> {
        let number = self.one.of(entry).map(One::Of);
        number.or_else(|| self.other.of(entry).map(One::Or)).or_else(|| {
            let names = self.other.names().map(|name| format!("{name:?} or ")).collect::<String>();
            at.wrong(entry, format!("must be {names}{}", self.one.words))
        })
    }

    fn schema(&self) -> Json {
        self.any_of()
    }
}

impl<T: Copy + PartialEq> Write for Either<Number, OneOf<T>> {
    fn write(&self, units: Units, value: One<f64, T>) -> Json {
        match value {
            One::Of(number) => self.one.write(units, number),
            One::Or(choice) => self.other.write(units, choice),
        }
    }
}

/// One flag for all, or a list of them.
impl Form for Either<Flag, Flags> {
    type Value = OneOrMany<bool>;

    fn read(&self, at: &mut At<'_>, entry: &Entry) -> Option<OneOrMany<bool>> {
        match entry.value {
            Value::Boolean(flag) => Some(OneOrMany::One(flag)),
            _ => self.other.read(at, entry).map(OneOrMany::Many),
        }
    }

    fn schema(&self) -> Json {
        self.any_of()
    }
}

impl Write for Either<Flag, Flags> {
    fn write(&self, _: Units, value: OneOrMany<bool>) -> Json {
        match value {
            OneOrMany::One(flag) => json!(flag),
            OneOrMany::Many(flags) => json!(flags),
        }
    }
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
