//! Numbers that may be names, lists of values, and numbers from one to another.

use super::{FLAG, Form, OneOf, Plain, listed};
use crate::Units;
use crate::keys::KeyPath;
use crate::source::findings::Findings;
use crate::source::tree::{Entry, Value};
use serde::Serialize;
use serde_json::{Value as Json, json};
use std::ops::RangeInclusive;

pub(crate) struct PerItem<F>(pub(crate) F);

/// A value of [`PerItem`].
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub(crate) enum OneOrMany<T> {
    One(T),
    Many(Vec<T>),
}

impl<T: PartialEq> OneOrMany<T> {
    pub(crate) fn of(mut values: Vec<T>) -> Self {
        match values.windows(2).all(|pair| pair[0] == pair[1]) {
            true if !values.is_empty() => Self::One(values.swap_remove(0)),
            _ => Self::Many(values),
        }
    }
}

impl<T, F: Form<T>> Form<OneOrMany<T>> for PerItem<F> {
    fn read(&self, at: &mut KeyPath<'_>, entry: &Entry) -> Option<OneOrMany<T>> {
        let Value::List(list) = &entry.value else { return self.0.read(at, entry).map(OneOrMany::One) };
        // All of them, before the first that is wrong ends it.
        let values: Vec<Option<T>> = list.iter().map(|item| self.0.read(at, item)).collect();
        values.into_iter().collect::<Option<_>>().map(OneOrMany::Many)
    }

    fn write(&self, units: Units, value: &OneOrMany<T>) -> Json {
        match value {
            OneOrMany::One(one) => self.0.write(units, one),
            OneOrMany::Many(many) => many.iter().map(|one| self.0.write(units, one)).collect(),
        }
    }

    fn schema(&self) -> Json {
        let one = self.0.schema();
        json!({ "anyOf": [one, { "type": "array", "items": one }] })
    }
}

/// A list in any case, a single value as one of one.
impl<T: Clone + PartialEq, F: Form<T>> Form<Vec<T>> for PerItem<F> {
    fn read(&self, at: &mut KeyPath<'_>, entry: &Entry) -> Option<Vec<T>> {
        match self.read(at, entry)? {
            OneOrMany::One(value) => Some(vec![value]),
            OneOrMany::Many(values) => Some(values),
        }
    }

    fn write(&self, units: Units, values: &Vec<T>) -> Json {
        self.write(units, &OneOrMany::of(values.clone()))
    }

    fn schema(&self) -> Json {
        Form::<OneOrMany<T>>::schema(self)
    }
}

/// Values of which each is larger than the one before it: a list, or one.
pub(crate) struct Ascending<F>(pub(crate) PerItem<F>);

impl<T: Clone + PartialOrd, F: Form<T>> Form<Vec<T>> for Ascending<F> {
    fn read(&self, at: &mut KeyPath<'_>, entry: &Entry) -> Option<Vec<T>> {
        let values: Vec<T> = self.0.read(at, entry)?;
        if !values.is_sorted_by(|one, next| one < next) {
            // Others depend on it, and are looked at as well.
            at.wrong::<()>(entry, "must ascend: each limit is larger than the one before it");
        }
        Some(values)
    }

    fn write(&self, units: Units, values: &Vec<T>) -> Json {
        self.0.write(units, &OneOrMany::Many(values.clone()))
    }

    fn schema(&self) -> Json {
        Form::<OneOrMany<T>>::schema(&self.0)
    }
}

/// A number, of which a choice is made, or the name of a choice; in words both.
pub(crate) struct NumberOr<N: 'static, T: 'static> {
    pub(crate) number: &'static dyn Form<N>,
    pub(crate) make: fn(N) -> T,
    pub(crate) number_of: fn(T) -> N,
    pub(crate) names: OneOf<T>,
    pub(crate) words: &'static str,
}

impl<N, T: Copy + PartialEq + Sync> Form<T> for NumberOr<N, T> {
    fn read(&self, at: &mut KeyPath<'_>, entry: &Entry) -> Option<T> {
        let mut neither = Findings::default();
        let number = self.number.read(&mut KeyPath::new("", at.name(), &mut neither), entry);
        let choice = number.map(self.make).or_else(|| self.names.of(entry));
        choice.or_else(|| at.wrong(entry, format!("must be {}", self.words)))
    }

    fn write(&self, units: Units, choice: &T) -> Json {
        match self.names.0.iter().any(|(_, named)| named == choice) {
            true => self.names.write(units, choice),
            false => self.number.write(units, &(self.number_of)(*choice)),
        }
    }

    fn schema(&self) -> Json {
        json!({ "anyOf": [self.number.schema(), self.names.schema()] })
    }
}

/// True or false, or a list of them.
pub(crate) const EACH_FLAG: Plain<OneOrMany<bool>> = Plain {
    read: |at, entry| match entry.value {
        Value::Boolean(flag) => Some(OneOrMany::One(flag)),
        _ => FLAGS.read(at, entry).map(OneOrMany::Many),
    },
    schema: || json!({ "anyOf": [FLAG.schema(), FLAGS.schema()] }),
};

/// A list of true and false, not empty.
pub(crate) const FLAGS: Plain<Vec<bool>> = Plain {
    read: |at, entry| {
        let flag = |item: &Entry| if let Value::Boolean(flag) = item.value { Some(flag) } else { None };
        listed(entry, flag).or_else(|| {
            let hint = format!("write {} = [true, false]", at.name());
            at.wrong_with_hint(entry, "must be a list of true and false", hint)
        })
    },
    schema: || json!({ "type": "array", "items": FLAG.schema(), "minItems": 1 }),
};

/// From one value to another, both included; `"any"` for no bound on a side.
pub(crate) struct FromTo<F>(pub(crate) F);

/// No bound.
const ANY: &str = "any";

impl<T: PartialOrd, F: Form<T>> Form<(Option<T>, Option<T>)> for FromTo<F> {
    fn read(&self, at: &mut KeyPath<'_>, entry: &Entry) -> Option<(Option<T>, Option<T>)> {
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

    fn write(&self, units: Units, (from, to): &(Option<T>, Option<T>)) -> Json {
        let bound = |bound: &Option<T>| bound.as_ref().map_or(json!(ANY), |value| self.0.write(units, value));
        json!([bound(from), bound(to)])
    }

    fn schema(&self) -> Json {
        let bound = json!({ "anyOf": [self.0.schema(), { "enum": [ANY] }] });
        json!({ "type": "array", "items": bound, "minItems": 2, "maxItems": 2 })
    }
}

/// A number, a text with the first and the last of several, or a list of both; not empty.
pub(crate) struct Ranges;

/// One of them; `None` if it is wrong.
fn range(entry: &Entry) -> Option<RangeInclusive<u32>> {
    match &entry.value {
        Value::Integer(number) => u32::try_from(*number).ok().map(|number| number..=number),
        Value::Text(text) => {
            let (first, last) = text.split_once('-').unwrap_or((text, text));
            let number = |text: &str| text.trim().parse::<u32>().ok();
            let (first, last) = (number(first)?, number(last)?);
            (first <= last).then_some(first..=last)
        }
        _ => None,
    }
}

impl Form<Vec<RangeInclusive<u32>>> for Ranges {
    fn read(&self, at: &mut KeyPath<'_>, entry: &Entry) -> Option<Vec<RangeInclusive<u32>>> {
        listed(entry, range).or_else(|| Some(vec![range(entry)?])).or_else(|| {
            let what = "must be a number, a text with the first and the last of several, or a list of both";
            let hint = format!("write {0} = 3, {0} = \"4-7\" or {0} = [0, \"4-7\"]", at.name());
            at.wrong_with_hint(entry, what, hint)
        })
    }

    fn schema(&self) -> Json {
        let number = json!({ "type": "integer", "minimum": 0, "maximum": u32::MAX });
        let several = json!({ "type": "string", "pattern": "^ *[0-9]+ *(- *[0-9]+ *)?$" });
        let list = json!({ "type": "array", "items": { "anyOf": [number, several] }, "minItems": 1 });
        json!({ "anyOf": [number, several, list] })
    }

    fn write(&self, _: Units, ranges: &Vec<RangeInclusive<u32>>) -> Json {
        let one = |range: &RangeInclusive<u32>| match (range.start(), range.end()) {
            (first, last) if first == last => json!(first),
            (first, last) => json!(format!("{first}-{last}")),
        };
        match &ranges[..] {
            [range] => one(range),
            ranges => ranges.iter().map(one).collect(),
        }
    }
}
