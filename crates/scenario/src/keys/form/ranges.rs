//! Numbers of ranks or nodes, one by one and from one to another.

use super::Form;
use crate::Units;
use crate::keys::KeyPath;
use crate::source::tree::{Entry, Value};
use serde_json::{Value as Json, json};
use std::ops::RangeInclusive;

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
        let ranges = match &entry.value {
            Value::List(list) if !list.is_empty() => list.iter().map(range).collect(),
            _ => range(entry).map(|range| vec![range]),
        };
        ranges.or_else(|| {
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
