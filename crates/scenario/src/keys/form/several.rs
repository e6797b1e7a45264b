//! Values of one form or of another, and lists of them.

use super::{Flag, Flags, Form, Number, OneOf, Quantity, Whole, Write};
use crate::Units;
use crate::keys::At;
use crate::source::tree::{Entry, Value};
use serde_json::{Value as Json, json};

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

/// From one value to another, both included; `"any"` for no bound on a side.
pub(crate) struct FromTo<F>(pub(crate) F);

/// No bound.
const ANY: &str = "any";

impl<F: Form> Form for FromTo<F>
where
    F::Value: PartialOrd,
{
    type Value = (Option<F::Value>, Option<F::Value>);

    fn read(&self, at: &mut At<'_>, entry: &Entry) -> Option<Self::Value> {
        let hint = format!("write {} = [from, to], both included, with \"any\" for no bound", at.name());
        let Value::List(list) = &entry.value else {
            return at.wrong_with_hint(entry, "must be a list of two", hint);
        };
        let [from, to] = &list[..] else {
            return at.wrong_with_hint(entry, format!("must be a list of two, not {}", list.len()), hint);
        };
        let mut bound = |entry: &Entry| match &entry.value {
            Value::Text(text) if text == ANY => Some(None),
            _ => self.0.read(at, entry).map(Some),
        };
        // Both of them, before the first that is wrong ends it.
        let (from, to) = (bound(from), bound(to));
        match (from?, to?) {
            (None, None) => {
                at.wrong_with_hint(entry, "has no bound", "leave it out: everything fits then".to_owned())
            }
            (Some(from), Some(to)) if from > to => at.wrong_with_hint(entry, "ends before it begins", hint),
            range => Some(range),
        }
    }

    fn schema(&self) -> Json {
        let bound = json!({ "anyOf": [self.0.schema(), { "enum": [ANY] }] });
        json!({ "type": "array", "items": bound, "minItems": 2, "maxItems": 2 })
    }
}

impl<F: Write> Write for FromTo<F>
where
    F::Value: PartialOrd,
{
    fn write(&self, units: Units, (from, to): Self::Value) -> Json {
        let bound = |bound: Option<F::Value>| bound.map_or(json!(ANY), |value| self.0.write(units, value));
        json!([bound(from), bound(to)])
    }
}
