//! An input as a tree of tables and values, each with the place it was written at.
//!
//! Experiment, machine, preset and `--set` all become one tree; where a key is given twice the stronger source wins
//! and the weaker one is forgotten, value by value ([`Tree::fill_in`]).

use crate::Problem;
use crate::source::read_text::Lines;
use crate::source::shipped::Shipped;
use serde::de::{Deserialize, Deserializer, Error, MapAccess, Visitor};
use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Origin {
    /// Order of reading, for sorting problems.
    pub(crate) order: usize,
    pub(crate) name: String,
    pub(crate) folder: PathBuf,
    /// True for defaults that a run has taken: a summary has those of its run.
    pub(crate) is_assumed: bool,
    /// True for a file that ships with weir, as are those that it names then.
    pub(crate) ships: bool,
    /// True where a number beside a quantity is one in the SI base unit of its key.
    pub(crate) has_si_numbers: bool,
}

impl Origin {
    /// A file; relative paths in it are relative to its own folder.
    pub(crate) fn file(order: usize, path: &Path) -> Arc<Self> {
        Self::new(order, path.display().to_string(), path.parent(), false)
    }

    /// Something that is no file; relative paths in it are relative to where weir was started.
    pub(crate) fn named(order: usize, name: &str) -> Arc<Self> {
        Self::new(order, name.to_owned(), None, false)
    }

    /// A file that ships with weir; relative paths in it are relative to its place there.
    pub(crate) fn shipped(order: usize, shipped: &Shipped) -> Arc<Self> {
        let name = format!("{} (ships with weir)", shipped.path);
        Self::new(order, name, Path::new(shipped.path).parent(), true)
    }

    fn new(order: usize, name: String, folder: Option<&Path>, ships: bool) -> Arc<Self> {
        let folder = folder.unwrap_or(Path::new("")).to_owned();
        Arc::new(Self { order, name, folder, is_assumed: false, ships, has_si_numbers: false })
    }

    pub(crate) fn with_si_numbers(self: Arc<Self>, has_si_numbers: bool) -> Arc<Self> {
        Arc::new(Self { has_si_numbers, ..Arc::unwrap_or_clone(self) })
    }

    pub(crate) fn problem(&self, line: Option<usize>, what: String, hint: Option<String>) -> Problem {
        Problem { file: self.name.clone(), line, key: String::new(), value: String::new(), what, hint }
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Place {
    pub(crate) origin: Arc<Origin>,
    pub(crate) line: Option<usize>,
}

#[derive(Clone, Debug)]
pub(crate) enum Value {
    Text(String),
    Integer(i128),
    Float(f64),
    Boolean(bool),
    List(Vec<Entry>),
    Table(Tree),
    /// A date or a number out of range: nothing here is one.
    Other,
}

#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub(crate) value: Value,
    /// The value as written, in one line; empty for a table.
    pub(crate) written: String,
    pub(crate) place: Place,
}

impl Entry {
    pub(crate) fn of_table(tree: Tree, place: &Place) -> Self {
        Self { value: Value::Table(tree), written: String::new(), place: place.clone() }
    }
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Tree {
    pub(crate) entries: BTreeMap<String, Entry>,
}

impl Tree {
    pub(crate) fn from_toml(text: &str, origin: &Arc<Origin>) -> Result<Self, Vec<Problem>> {
        let (table, errors) = DeTable::parse_recoverable(text);
        let lines = Lines::new(text);
        if errors.is_empty() {
            return Ok(Toml { text, lines, origin }.table(table.get_ref()));
        }
        let problem = |error: &toml::de::Error| match error.span() {
            Some(span) => {
                origin.problem(Some(lines.of(span.start)), format!("not TOML: {}", error.message()), None)
            }
            // All that the parser gives no place of is a key of too many parts: on the line with most dots.
            None => {
                let dots = text.lines().zip(1..).max_by_key(|(line, _)| line.matches('.').count());
                origin.problem(dots.map(|(_, line)| line), "not TOML: a key has too many parts".into(), None)
            }
        };
        Err(errors.iter().map(problem).collect())
    }

    /// Reads JSON text: a summary, of which the `experiment` counts, or that alone.
    pub(crate) fn from_json(text: &str, origin: &Arc<Origin>) -> Result<Self, Vec<Problem>> {
        let place = Place { origin: Arc::clone(origin), line: None };
        match serde_json::from_str::<EveryKeyOnce>(text).and_then(|_| serde_json::from_str(text)) {
            Ok(serde_json::Value::Object(object)) => {
                let (experiment, assumed) = experiment_of(object);
                let mut tree = json_table(experiment, &place);
                assumed.iter().for_each(|key| tree.note_assumed(key));
                Ok(tree)
            }
            Ok(_) => Err(vec![origin.problem(None, "not a JSON object".into(), None)]),
            Err(error) => Err(vec![origin.problem(Some(error.line()), format!("not JSON: {error}"), None)]),
        }
    }

    /// Takes from a weaker source what this one does not say, key by key, through all tables.
    pub(crate) fn fill_in(&mut self, weaker: Self) {
        for (key, entry) in weaker.entries {
            match self.entries.get_mut(&key).map(|own| &mut own.value) {
                None => {
                    self.entries.insert(key, entry);
                }
                Some(Value::Table(own)) => match entry.value {
                    Value::Table(weaker) => own.fill_in(weaker),
                    // Items that are named by number, as in `--set faults.0.speed=0.5`.
                    Value::List(weaker) if own.has_only_numbers() => own.fill_in(Self::of_items(weaker)),
                    _ => {}
                },
                Some(_) => {}
            }
        }
    }

    /// Returns whether it stands for items of a list, by their numbers.
    pub(crate) fn has_only_numbers(&self) -> bool {
        !self.entries.is_empty()
            && self.entries.keys().all(|key| key.bytes().all(|digit| digit.is_ascii_digit()))
    }

    fn of_items(items: Vec<Entry>) -> Self {
        Self {
            entries: (0..).zip(items).map(|(number, item): (usize, _)| (number.to_string(), item)).collect(),
        }
    }

    /// Makes lists of tables whose keys are the numbers from 0 on without a gap: of lists of which a stronger source has
    /// said items by number.
    pub(crate) fn number_lists(&mut self) {
        for entry in self.entries.values_mut() {
            let Value::Table(tree) = &mut entry.value else { continue };
            tree.number_lists();
            let numbers = (0..tree.entries.len()).map(|number| number.to_string());
            if tree.entries.is_empty() || !numbers.clone().all(|number| tree.entries.contains_key(&number)) {
                continue;
            }
            let items: Vec<Entry> = numbers.filter_map(|number| tree.entries.remove(&number)).collect();
            let written: Vec<&str> = items.iter().map(|item| item.written.as_str()).collect();
            entry.written = one_line(&format!("[{}]", written.join(", ")));
            entry.value = Value::List(items);
        }
    }

    pub(crate) fn of(key: &str, entry: Entry) -> Self {
        Self { entries: [(key.to_owned(), entry)].into() }
    }

    /// A table by its name, which may be dotted: `topology.networks.0`.
    pub(crate) fn table(&self, name: &str) -> Option<&Self> {
        let (first, mut rest) = name.split_once('.').unwrap_or((name, ""));
        let mut value = &self.entries.get(first)?.value;
        if let Value::List(items) = value {
            let (number, behind) = rest.split_once('.').unwrap_or((rest, ""));
            (value, rest) = (&items.get(number.parse::<usize>().ok()?)?.value, behind);
        }
        let Value::Table(tree) = value else { return None };
        if rest.is_empty() { Some(tree) } else { tree.table(rest) }
    }

    pub(crate) fn table_mut(&mut self, name: &str) -> Option<&mut Self> {
        let (first, mut rest) = name.split_once('.').unwrap_or((name, ""));
        let mut value = &mut self.entries.get_mut(first)?.value;
        if let Value::List(items) = value {
            let (number, behind) = rest.split_once('.').unwrap_or((rest, ""));
            (value, rest) = (&mut items.get_mut(number.parse::<usize>().ok()?)?.value, behind);
        }
        let Value::Table(tree) = value else { return None };
        if rest.is_empty() { Some(tree) } else { tree.table_mut(rest) }
    }

    pub(crate) fn find(&self, table: &str, key: &str) -> Option<&Entry> {
        self.table(table)?.entries.get(key)
    }

    /// The text of a key of this table.
    pub(crate) fn text(&self, key: &str) -> Option<&str> {
        match &self.entries.get(key)?.value {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    pub(crate) fn says(&self, table: &str, key: &str) -> bool {
        self.find(table, key).is_some_and(|entry| !entry.place.origin.is_assumed)
    }

    /// The value behind a dotted key is a default that a run has taken.
    fn note_assumed(&mut self, key: &str) {
        let Some((table, key)) = key.rsplit_once('.') else { return };
        let entry = self.table_mut(table).and_then(|table| table.entries.get_mut(key));
        if let Some(Entry { place, .. }) = entry {
            let origin = Origin::clone(&place.origin);
            place.origin = Arc::new(Origin { is_assumed: true, ships: false, ..origin });
        }
    }
}

type JsonObject = serde_json::Map<String, serde_json::Value>;

/// The experiment of a summary, and the keys that it has as defaults; what is no summary is an experiment.
fn experiment_of(mut object: JsonObject) -> (JsonObject, Vec<String>) {
    let is_summary = object.contains_key("schema_version") && object.contains_key("weir_version");
    match object.get_mut("experiment") {
        Some(serde_json::Value::Object(experiment)) if is_summary => {
            let experiment = std::mem::take(experiment);
            let assumed = object.get("assumed").and_then(serde_json::Value::as_array);
            let keys = assumed.into_iter().flatten().filter_map(|item| item["key"].as_str());
            (experiment, keys.map(str::to_owned).collect())
        }
        _ => (object, Vec::new()),
    }
}

struct Toml<'a> {
    text: &'a str,
    lines: Lines<'a>,
    origin: &'a Arc<Origin>,
}

impl Toml<'_> {
    fn table(&self, table: &DeTable<'_>) -> Tree {
        let entries = table.iter().map(|(key, value)| {
            (key.get_ref().to_string(), self.entry(value, self.lines.of(key.span().start)))
        });
        Tree { entries: entries.collect() }
    }

    fn entry(&self, value: &Spanned<DeValue<'_>>, line: usize) -> Entry {
        let written = match value.get_ref() {
            DeValue::Table(_) => String::new(),
            _ => one_line(self.text.get(value.span()).unwrap_or_default()),
        };
        let place = Place { origin: Arc::clone(self.origin), line: Some(line) };
        Entry { value: self.value(value.get_ref()), written, place }
    }

    fn value(&self, value: &DeValue<'_>) -> Value {
        match value {
            DeValue::String(text) => Value::Text(text.to_string()),
            DeValue::Integer(integer) => {
                i128::from_str_radix(integer.as_str(), integer.radix()).map_or(Value::Other, Value::Integer)
            }
            DeValue::Float(float) => float.as_str().parse().map_or(Value::Other, Value::Float),
            DeValue::Boolean(boolean) => Value::Boolean(*boolean),
            DeValue::Datetime(_) => Value::Other,
            DeValue::Array(list) => Value::List(
                list.iter().map(|item| self.entry(item, self.lines.of(item.span().start))).collect(),
            ),
            DeValue::Table(table) => Value::Table(self.table(table)),
        }
    }
}

fn json_table(object: JsonObject, place: &Place) -> Tree {
    Tree { entries: object.into_iter().map(|(key, value)| (key, json_entry(value, place))).collect() }
}

fn json_entry(value: serde_json::Value, place: &Place) -> Entry {
    use serde_json::Value as Json;
    let written = if value.is_object() { String::new() } else { one_line(&value.to_string()) };
    let value = match value {
        Json::Null => Value::Other,
        Json::Bool(boolean) => Value::Boolean(boolean),
        Json::Number(number) => match number.as_i128() {
            Some(integer) => Value::Integer(integer),
            None => number.as_f64().map_or(Value::Other, Value::Float),
        },
        Json::String(text) => Value::Text(text),
        Json::Array(list) => Value::List(list.into_iter().map(|item| json_entry(item, place)).collect()),
        Json::Object(object) => Value::Table(json_table(object, place)),
    };
    Entry { value, written, place: place.clone() }
}

/// The written value on one line, long values cut.
pub(crate) fn one_line(written: &str) -> String {
    const LONGEST: usize = 80;
    // Blanks are many where there are several times as many letters.
    let written = written.char_indices().nth(8 * LONGEST).map_or(written, |(end, _)| &written[..end]);
    let line = written.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}...", &line[..end]),
        None => line,
    }
}

pub(crate) struct Keys<V>(BTreeMap<String, V>);

impl<V> Keys<V> {
    pub(crate) fn get(&self, key: &str) -> Option<&V> {
        self.0.get(key)
    }
}

impl<'de, V: Deserialize<'de>> Deserialize<'de> for Keys<V> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Once<V>(PhantomData<V>);
        impl<'de, V: Deserialize<'de>> Visitor<'de> for Once<V> {
            type Value = Keys<V>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Keys<V>, A::Error> {
                let mut keys = BTreeMap::new();
                while let Some((key, value)) = map.next_entry::<String, V>()? {
                    if keys.contains_key(&key) {
                        return Err(A::Error::custom(format!("the key {key:?} is there twice")));
                    }
                    keys.insert(key, value);
                }
                Ok(Keys(keys))
            }
        }
        deserializer.deserialize_map(Once(PhantomData))
    }
}

macro_rules! passes {
    ($($visit:ident: $type:ty),+) => {
        $(fn $visit<E>(self, _: $type) -> Result<EveryKeyOnce, E> {
            Ok(EveryKeyOnce)
        })+
    };
}

/// Goes through any JSON and keeps nothing.
pub(crate) struct EveryKeyOnce;

impl<'de> Deserialize<'de> for EveryKeyOnce {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Any;
        impl<'de> Visitor<'de> for Any {
            type Value = EveryKeyOnce;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("JSON")
            }

            passes!(visit_bool: bool, visit_i64: i64, visit_u64: u64, visit_f64: f64, visit_str: &str);

            fn visit_unit<E>(self) -> Result<EveryKeyOnce, E> {
                Ok(EveryKeyOnce)
            }

            fn visit_seq<A: serde::de::SeqAccess<'de>>(self, mut list: A) -> Result<EveryKeyOnce, A::Error> {
                while list.next_element::<EveryKeyOnce>()?.is_some() {}
                Ok(EveryKeyOnce)
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<EveryKeyOnce, A::Error> {
                Keys::<EveryKeyOnce>::deserialize(serde::de::value::MapAccessDeserializer::new(map))
                    .map(|_| EveryKeyOnce)
            }
        }
        deserializer.deserialize_any(Any)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(text: &str) -> Tree {
        Tree::from_toml(text, &Origin::named(0, "test")).unwrap()
    }

    #[test]
    fn values_know_their_line_and_spelling() {
        let tree = tree("title = 't'\n[topology]\nshape = [16,\n  16]\nbandwidth = 0x10\n");
        let shape = tree.find("topology", "shape").unwrap();
        assert_eq!((shape.place.line, shape.written.as_str()), (Some(3), "[16, 16]"));
        let bandwidth = tree.find("topology", "bandwidth").unwrap();
        assert!(matches!(bandwidth.value, Value::Integer(16)));
        assert_eq!(tree.entries["topology"].place.line, Some(2));
    }

    #[test]
    fn long_values_are_cut() {
        assert_eq!(one_line(&"y".repeat(10_000_000)).len(), 83);
        assert_eq!(one_line(&"x".repeat(100)).len(), 83);
        assert_eq!(one_line("[1,\n   2]"), "[1, 2]");
    }
}
