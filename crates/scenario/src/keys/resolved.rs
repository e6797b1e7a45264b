//! A section with every default filled in, key by key, as it would be written.

use super::{Key, Row};
use crate::Units;
use serde_json::{Map, Value};
use std::borrow::Borrow;

pub(crate) struct Resolved {
    units: Units,
    object: Map<String, Value>,
}

impl Resolved {
    /// The table that `put` writes, its quantities in this form.
    pub(crate) fn of(units: Units, put: impl FnOnce(&mut Self)) -> Value {
        let mut table = Self { units, object: Map::new() };
        put(&mut table);
        Value::Object(table.object)
    }

    pub(crate) fn put<T>(&mut self, key: &Key<T>, value: impl Borrow<T>) {
        let value = key.form.write(self.units, value.borrow());
        self.put_written(key, value);
    }

    pub(crate) fn put_some<T>(&mut self, key: &Key<T>, value: Option<impl Borrow<T>>) {
        if let Some(value) = value {
            self.put(key, value);
        }
    }

    pub(crate) fn put_unless_default<T: PartialEq>(&mut self, key: &Key<T>, value: impl Borrow<T>) {
        if *value.borrow() != key.default_value() {
            self.put(key, value);
        }
    }

    pub(crate) fn put_written(&mut self, key: &Row, value: Value) {
        self.object.insert(key.name.to_owned(), value);
    }

    pub(crate) fn put_table(&mut self, name: &str, put: impl FnOnce(&mut Self)) {
        let table = Self::of(self.units, put);
        self.object.insert(name.to_owned(), table);
    }

    pub(crate) fn put_tables<T>(&mut self, name: &str, items: &[T], put: impl Fn(&T, &mut Self)) {
        let table = |item: &T| Self::of(self.units, |table| put(item, table));
        let tables: Vec<Value> = items.iter().map(table).collect();
        if !tables.is_empty() {
            self.object.insert(name.to_owned(), tables.into());
        }
    }
}
