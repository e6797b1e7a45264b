//! Values that hold in an experiment: those of every key that has been read, as they would be written.

use crate::Units;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// The parts of an experiment in the order in which it is written.
const ORDER: &str = "title seed topology faults upgrades calibrated mapping engine workload jobs job_list work packet classes node combining \
                     collectives selection storage limits output";

/// The tables within others.
const INNER: [&str; 3] = ["packets", "adaptive", "workload"];

/// The lists of tables within others.
const INNER_LISTS: [&str; 1] = ["networks"];

/// The values of a key with units and without; `None` where it has none.
pub(crate) type Forms = Option<[Value; 2]>;

/// The keys of tables in the order in which they were first asked for.
#[derive(Debug, Default)]
pub(crate) struct Resolved(BTreeMap<String, Vec<(&'static str, Forms)>>);

impl Resolved {
    /// A key has this value, or none, in place of what was known of it.
    pub(crate) fn put(&mut self, table: &str, key: &'static str, value: Forms) {
        let keys = self.0.entry(table.to_owned()).or_default();
        match keys.iter_mut().find(|(known, _)| *known == key) {
            Some((_, before)) => *before = value,
            None => keys.push((key, value)),
        }
    }

    /// Writes keys of a table, in this order, behind its others.
    pub(crate) fn put_last(&mut self, table: &str, last: &str) {
        let place = |key: &str| last.split(' ').position(|name| name == key).map_or(0, |place| place + 1);
        self.0.entry(table.to_owned()).or_default().sort_by_key(|(key, _)| place(key));
    }

    pub(crate) fn forget(&mut self, list: &str) {
        self.0.retain(|table, _| table.split('.').next() != Some(list));
    }

    /// Leaves out a table.
    pub(crate) fn forget_table(&mut self, table: &str) {
        self.0.remove(table);
    }

    /// Leaves out all keys of a table but these.
    pub(crate) fn keep(&mut self, table: &str, is_kept: impl Fn(&str) -> bool) {
        self.0.entry(table.to_owned()).or_default().retain(|(key, _)| is_kept(key));
    }

    /// The whole experiment.
    pub(crate) fn whole(&self, units: Units) -> Value {
        let mut root = self.table("", units).unwrap_or_default();
        let mut part = |name: &str| {
            let table = root.remove(name).or_else(|| self.with_inner(name, units));
            table.or_else(|| self.list(name, units))
        };
        let parts = ORDER.split(' ').filter_map(|name| Some((name.to_owned(), part(name)?)));
        Value::Object(parts.collect())
    }

    /// The items of a list of tables; `None` if there are none.
    fn list(&self, name: &str, units: Units) -> Option<Value> {
        let items = (0..).map_while(|number: u32| self.with_inner(&format!("{name}.{number}"), units));
        let items: Vec<Value> = items.collect();
        (!items.is_empty()).then_some(Value::Array(items))
    }

    /// A table with those within it.
    fn with_inner(&self, name: &str, units: Units) -> Option<Value> {
        let mut table = self.table(name, units)?;
        for inner in INNER {
            let found = self.table(&format!("{name}.{inner}"), units);
            table.extend(found.map(|found| (inner.to_owned(), Value::Object(found))));
        }
        for inner in INNER_LISTS {
            table.extend(self.list(&format!("{name}.{inner}"), units).map(|list| (inner.to_owned(), list)));
        }
        Some(Value::Object(table))
    }

    fn table(&self, name: &str, units: Units) -> Option<Map<String, Value>> {
        let value =
            |(key, forms): &(&str, Forms)| Some(((*key).to_owned(), forms.as_ref()?[units as usize].clone()));
        Some(self.0.get(name)?.iter().filter_map(value).collect())
    }
}
